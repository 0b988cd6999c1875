"""Pictures of expressions of every kind of operation, as compiled."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph.kind import Kind
from lazyarr.inspect.drawing.style import KINDS
from lazyarr.inspect.picture import STAGES, Picture

SVG = "{http://www.w3.org/2000/svg}"
ROWS, COLUMNS = 3_000, 4
DATA = np.random.default_rng(0).random((ROWS, COLUMNS))


def _written():
    x = la.asarray(DATA) + 1
    x[1:-1] = x[:-2] * 2
    return x


def _gradient():
    return la.grad(lambda w: (np.sin(la.asarray(DATA) @ w) ** 2).sum())(la.asarray(DATA[0]))


EXPRESSIONS = {
    "scan": lambda: la.asarray(DATA).cumsum(axis=0) * 2,
    "gather": lambda: la.asarray(DATA)[la.asarray(np.arange(ROWS)[::-1])] * 2,
    "write": _written,
    "marker": lambda: la.stop_gradient(la.asarray(DATA) * 2) + 1,
    "generate": lambda: la.random.default_rng(0).random((ROWS, COLUMNS)) + la.arange(COLUMNS),
    "library": lambda: np.sort(la.asarray(DATA), axis=0) + 1,
    "concatenate": lambda: np.concatenate([la.asarray(DATA) * 2, la.asarray(DATA)]),
    "reshape": lambda: la.asarray(DATA).T.reshape(-1, 2) + 1,
    "reduce": _gradient,
}


def test_every_kind_of_operation_has_colours():
    assert {kind.value for kind in Kind} <= set(KINDS)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_every_kind_is_drawn_at_every_stage(name, tmp_path):
    expression = EXPRESSIONS[name]()
    for stage in STAGES:
        picture = la.visualize(expression, stage=stage)
        assert isinstance(picture, Picture)
        assert ET.fromstring(picture.svg()).findall(f".//{SVG}title")
    for suffix in ("html", "dot", "json"):
        path = tmp_path / f"graph.{suffix}"
        la.visualize(EXPRESSIONS[name](), filename=str(path))
        assert path.stat().st_size > 100


def test_nodes_of_derivatives_are_dashed_and_named_in_the_legend():
    gradient = la.visualize(_gradient())
    classes = [box.get("class") for box in ET.fromstring(gradient.svg()).iter(f"{SVG}rect")]
    assert any("la-derivative" in text.split() for text in classes)
    assert any("la-derivative" not in text.split() for text in classes)
    assert ">backward</text>" in gradient.svg()
    passes = {vertex.derivative for vertex in gradient.graph("raw").vertices}
    assert passes == {"", "backward"}
    plain = la.visualize(EXPRESSIONS["scan"]())
    assert "la-derivative" not in re.sub("<style>.*?</style>", "", plain.svg(), flags=re.DOTALL)


@pytest.mark.parametrize("name", ["scan", "gather", "marker", "library", "concatenate"])
def test_expressions_have_the_kind_that_they_stand_for(name):
    picture = la.visualize(EXPRESSIONS[name](), stage="raw")
    assert name in {vertex.kind for vertex in picture.graph().vertices}
