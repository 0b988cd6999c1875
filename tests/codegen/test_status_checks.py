"""What kernels check of values that an operation leaves out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.status_checks import suspects
from lazyarr.compiler import compilation

pytestmark = pytest.mark.host

#: By name, a selection, and the operations of which results may be left out.
SELECTIONS: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "of a product": (lambda x: np.where(x < 2, x, x * 1e200), ["multiply"]),
    "of what is compared": (lambda x: np.where(x * 1e200 < 2, x * 1e200, x), []),
    "of what is added": (lambda x: np.where(x < 2, x, x * 1e200) + x * 1e200, []),
    "of what another leaves out": (
        lambda x: np.where(x < 2, x, np.where(x > 3, x * 1e200, x - 1) * 0.5),
        ["multiply", "subtract", "multiply"],
    ),
    "of a sum's terms": (lambda x: np.where(x < 2, x, x * 1e200).sum(), ["multiply"]),
    "of elements": (lambda x: np.where(x < 2, x, 1.0), []),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_what_is_suspect(name: str) -> None:
    function, expected = SELECTIONS[name]
    program = compilation.analyse((function(la.asarray(np.ones(1000)))._node,))
    (lowered,) = program.lowered[:1]
    terms = GroupTerms(lowered.group, dict(program.fusion.layouts)).terms
    assert [terms[k].node.op.name for k in sorted(suspects(terms))] == expected


@pytest.mark.parametrize("name", SELECTIONS)
@pytest.mark.parametrize("value", [1e200, np.inf, -np.inf, np.nan, 1.5])
@pytest.mark.parametrize("size", [1, 7, 64, 133])
def test_warnings_are_those_of_numpy(name: str, value: float, size: int) -> None:
    """One element in a vector, or in what is left beside vectors, of any of the operands."""
    function, _ = SELECTIONS[name]
    for place in {0, size // 2, size - 1}:
        x = np.ones(size)
        x[place] = value
        met = [_warnings(lambda x=x: function(x)), _warnings(lambda x=x: _evaluated(function, x))]
        assert met[0] == met[1]


def _evaluated(function: Callable[[Any], Any], x: Any) -> None:
    with la.config(immediate=0, hints=False):
        la.evaluate(function(la.asarray(x)))


def _warnings(run: Callable[[], object]) -> set[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    return {str(warning.message) for warning in caught}
