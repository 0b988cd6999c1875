"""Kernels compute a value at few index maps: the code of a fused loop grows with its length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.compilation import analyse
from lazyarr.compiler.program import Program


def _shortest_paths(xp: Any, path: Any, count: int) -> Any:
    for k in range(count):
        path = xp.minimum(path, path[:, k, None] + path[None, k, :])
    return path


def _differences(xp: Any, line: Any, count: int) -> Any:
    for _ in range(count):
        line = line[2:] + line[1:-1] - line[:-2]
    return line


def _normalised(xp: Any, rows: Any, count: int) -> Any:
    for _ in range(count):
        rows = 0.5 * rows - rows[:, :1] * rows[:1] - 0.01 * rows.sum(axis=0)
    return rows


def _joined(xp: Any, line: Any, count: int) -> Any:
    for _ in range(count):
        line = xp.concatenate([0.5 * line[1:] - line[:-1] * line[:1], line[-1:]])
    return line


PROGRAMS = {
    "paths": (_shortest_paths, (70, 70)),
    "differences": (_differences, (500,)),
    "normalised": (_normalised, (20, 30)),
    "joined": (_joined, (500,)),
}


def _terms(program: Program) -> int:
    return sum(len(g.trace.terms) for g in program.groups if g.trace is not None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_number_of_terms_is_linear(name: str) -> None:
    loop, shape = PROGRAMS[name]
    array = np.random.default_rng(1).random(shape)
    x = la.asarray(array)
    short = _terms(analyse((loop(la, x, 16)._node,)))
    long = _terms(analyse((loop(la, x, 64)._node,)))
    assert long <= 6 * short
    most = 2 * 96  # operations of a kernel that others have joined
    for group in analyse((loop(la, x, 64)._node,)).groups:
        if group.trace is not None:
            assert len(group.trace.terms) <= 4 * most


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_numpy(name: str) -> None:
    loop, shape = PROGRAMS[name]
    array = np.random.default_rng(2).random(shape)
    with la.config(immediate=0):
        result = la.evaluate(loop(la, la.asarray(array), 24))
    np.testing.assert_allclose(result, loop(np, array, 24), rtol=1e-9, atol=1e-300)
