"""Expressions in the compiled form: the nodes, and the user's lines, of Python's form."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.core.source_location import attributed

#: Programs of expressions; each statement runs again and again, so that later ones are remembered.
PROGRAM = """
import itertools, operator, sys
import numpy as np
import lazyarr as la
from lazyarr.graph.node import walk

def described(array):
    numbers = {}
    for value in walk((array._node,)):
        src = [numbers[id(source)] for source in value.src]
        attr = value.attr if value.src or isinstance(value.attr, bytes) else None
        line = None if value.origin is None or value.op.name == "constant" else value.origin[1]
        row = (value.op.name, src, value.dtype.str, value.shape, attr, line)
        numbers[id(value)] = len(numbers)
        print(row)

rng = np.random.default_rng(0)
N = 100_000
arrays = [
    la.asarray((rng.random((2, N // 2)) * 9 + 1).astype(dtype)) + np.ones((), dtype)
    for dtype in ("f8", "f4", "i8", "i2", "c16", "u1", "f8", "f2")
]
numbers = [2, 2.5, -0.0, 0.0, True, 1j, 3, 10**25, 2**40, np.float64(2.5), np.float32(1.5)]
binary = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
    operator.mod, operator.pow, operator.lt, operator.ge, operator.eq, operator.ne,
    np.add, np.maximum, np.power, np.hypot, la.add, la.minimum]
unary = [operator.neg, operator.pos, abs, np.sin, la.exp, np.sqrt, np.isnan]
reductions = [
    lambda x: x.sum(), lambda x: np.sum(x), lambda x: x.max(axis=1), lambda x: la.min(x, 0),
    lambda x: x.sum((0, 1)), lambda x: x.any(), lambda x: np.prod(x, axis=-1),
    lambda x: x.argmax(), lambda x: x.sum(axis=1, keepdims=True), lambda x: x.mean(0),
    lambda x: x.sum(axis=True), lambda x: x.sum(axis=5), lambda x: x.std(),
]

def tried(function, *operands):
    try:
        result = function(*operands)
    except Exception as error:
        print(type(error).__name__)
        return
    if isinstance(result, la.LazyArray):
        described(result)

for iteration in range(2):
    for function, (x, y) in itertools.product(binary, itertools.product(arrays, arrays)):
        tried(function, x, y)
    for function, x, number in itertools.product(binary, arrays, numbers):
        tried(function, x, number)
        tried(function, number, x)
    for function, x in itertools.product(unary + reductions, arrays):
        tried(function, x)
    for function, x in itertools.product(binary[:4], arrays):
        tried(function, x, x[0])
        tried(function, x[:, ::2], x[:, 1::2])
    with la.config(immediate=0):
        small = la.asarray(rng.random(5))
        for function in binary[:3]:
            tried(function, small, small)
            tried(function, small, 2.0)
"""


def _described(form: str) -> str:
    environment = {**os.environ, "LAZYARR_COMPILED": form}
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.skipif(COMPILED is None, reason="compares with the compiled form")
def test_expressions_are_those_of_pythons_form() -> None:
    compiled, python = (_described(form).splitlines() for form in "10")
    assert len(compiled) > 5000
    for ours, theirs in zip(compiled, python, strict=True):
        assert ours == theirs


def _large(count: int = 100_000) -> Any:
    return la.asarray(np.arange(float(count))) * 1.5


def test_each_operation_has_the_line_that_built_it() -> None:
    x = _large()
    lines = []
    for _ in range(3):
        first = x + 1.5
        second = np.cos(first).max()
        lines.append((first._node.origin, second._node.src[0].origin, second._node.origin))
    assert len(set(lines)) == 1
    names = {place[0] for place in lines[0]}
    assert names == {__file__}
    first_line, second_line, third_line = (place[1] for place in lines[0])
    assert first_line < second_line <= third_line < first_line + 4


def test_an_attributed_line_counts_for_operators() -> None:
    x = _large()
    for _ in range(2):
        with attributed(("elsewhere.py", 7)):
            value = x * x
        assert value._node.origin == ("elsewhere.py", 7)
        del value


def test_what_is_kept_of_operations_holds_no_arrays() -> None:
    x = _large()
    for _ in range(3):
        (x + x * 2.5 - 1).sum()
    node = weakref.ref((x + 2.5)._node)
    own = weakref.ref(x._node)
    del x
    gc.collect()
    assert node() is None
    assert own() is None


def test_errors_come_from_the_second_time_too() -> None:
    x, y = _large(100_000), _large(100_001)
    for _ in range(3):
        x + x, y + y
        with pytest.raises(la.errors.ShapeError):
            x + y
        with pytest.raises(TypeError):
            x + object()  # type: ignore[operator]


def test_small_results_are_computed_at_once_where_settings_say_so() -> None:
    x = np.arange(10.0)
    for _ in range(2):
        with la.config(immediate=0):
            first = la.asarray(x) * 2.5
            assert first._array is None
        with la.config(immediate=100):
            second = la.asarray(x) * 2.5
            assert second._array is not None
    np.testing.assert_array_equal(first.compute(), second.compute())
