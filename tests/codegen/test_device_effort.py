"""Loops on a GPU are written out as long as that does not keep NVRTC."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen import device_effort
from lazyarr.codegen.device_effort import milliseconds
from tests.support.device_sources import cuda_sources

FLOATS = np.ones(1 << 20, np.float32)


def text(result: Any) -> str:
    return cuda_sources([result])[0].text


def turns(result: Any) -> int:
    """Return how many turns of a loop over elements are written out."""
    elements, _, _ = text(result).partition("atomicInc")  # what follows combines blocks
    found = re.findall(r"#pragma unroll\n +for \(int j\d+ = 0; j\d+ < (\d+);", elements)
    return max(map(int, found), default=1)


@pytest.mark.parametrize(
    ("function", "single", "double"),
    [("exp", 4, 4), ("log", 4, 2), ("sin", 2, 2), ("tan", 1, 2), ("arcsinh", 2, 1)],
)
def test_turns_are_written_out_where_their_code_is_short(
    function: str, single: int, double: int
) -> None:
    compute = getattr(la, function)
    for dtype, expected in (("f4", single), ("f8", double)):
        x = la.asarray(FLOATS.astype(dtype))
        assert turns(compute(x).sum()) == expected
        assert turns(compute(x.reshape(4096, 256)).sum(axis=0)) == expected


def test_a_scan_has_the_code_of_an_element_once() -> None:
    """Rows that no number of pieces fills have no second copy for the last piece."""
    x = la.asarray(np.ones(1_000_004, np.float32))
    assert len(re.findall(r"\bsine\(v\d+\)", text(la.sin(x).cumsum()))) == 4
    assert len(re.findall(r"\bexpf\(", text(la.exp(x).cumsum()))) == 8


def test_effort_is_known_by_the_names_that_operations_have() -> None:
    x, y = la.asarray(FLOATS), la.asarray(FLOATS)
    generator = la.random.default_rng(1)
    made = [
        getattr(la, name)(x) for name in "sin cos tan exp exp2 expm1 log log2 log10 log1p".split()
    ]
    made += [getattr(la, name)(x) for name in "arcsin arccos arctan sinh cosh tanh".split()]
    made += [getattr(la, name)(x) for name in "arcsinh arccosh arctanh sqrt cbrt".split()]
    made += [x / y, 1 / x, x**y, x % y, x // y, la.fmod(x, y), la.arctan2(x, y), la.hypot(x, y)]
    made += [la.logaddexp(x, y), generator.random(3), generator.standard_normal(3)]
    made += [la.reciprocal(x)]
    assert {array._node.op.name for array in made} == set(device_effort._MEASURED)
    assert all(milliseconds([array._node]) > 0 for array in made)


def test_effort_of_what_is_cheap_or_unknown() -> None:
    x = la.asarray(FLOATS)
    z = la.asarray(FLOATS.astype(np.complex64))
    assert milliseconds([(x + 1)._node, (x * x)._node]) == 0
    assert milliseconds([(x + x)._node, la.sin(x)._node, la.sin(x)._node]) == 2 * 2.7
    assert milliseconds([la.sin(z)._node]) > milliseconds([la.sin(x)._node])
    n = la.asarray(np.ones(3, np.int64))
    assert milliseconds([(n // 3)._node]) > 0
