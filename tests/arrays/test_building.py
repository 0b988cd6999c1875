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
from lazyarr.builders import build
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
in_memory = [la.array(rng.random((2, N // 2))), la.asarray(rng.random((2, N // 2))[:, ::-1])]
for x in in_memory:
    x[0, 0]
numbers = [2, 2.5, -0.0, 0.0, True, 1j, 3, 10**25, 2**40, np.float64(2.5), np.float32(1.5)]
numbers += [np.float64(-0.0), np.float64("nan"), np.float64(2), np.int64(3), np.float16(0.5)]
numbers += [(la.ones(3) * 2.5).sum(), la.arange(3).sum(), la.ones(2, "f4").max(), la.array(1j)]
numbers += [la.array([1.0, 2.0])[1]]
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
    for x in in_memory:
        x[1, 5] = iteration  # the leaf is another one from now on, or the same
        for function in binary[:4]:
            tried(function, x[:, 1:], x[:, :-1])
            tried(function, x[0, ::-1], 2.5)
            tried(function, x[:, 40_000:], x[:, 10_000:-30_000:1])
            tried(function, x.T[3:], x.T[:-3])
            tried(function, x[None, 0, ::2], x[None, 1, 1::2])
            tried(function, x[1, :20_000], x[1, 1:20_001])
        for function in unary + reductions:
            tried(function, x[:, 1:])
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


@pytest.mark.lazy
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


def test_views_in_expressions_show_what_was_there_when_they_were_read() -> None:
    rng = np.random.default_rng(5)
    values = rng.random((300, 400))
    x = la.array(values)
    pending: list[tuple[Any, Any]] = []
    for iteration in range(200):
        low, high = rng.integers(0, 40, 2)
        keys: list[Any] = [
            (slice(low, 300 - 40 + low), slice(high, 400 - 40 + high)),
            (slice(high, 300 - 40 + high), slice(low, 400 - 40 + low)),
        ]
        ours, theirs = x[keys[0]], values[keys[0]]
        if iteration % 3:
            pending.append((ours - 0.5 * x[keys[1]], theirs - 0.5 * values[keys[1]]))
        if iteration % 5 == 0:
            for array in (x, values):
                array[keys[1]] -= array[keys[0]]
        if iteration % 7 == 0:
            for part in (ours, theirs):
                part[low, high] = iteration
        if iteration % 11 == 0:
            x[low], values[low] = x.T[:400, 3], values.T[:400, 3]
        if len(pending) == 9:
            for expression, expected in pending:
                np.testing.assert_array_equal(la.evaluate(expression), expected)
            pending.clear()
    np.testing.assert_array_equal(la.evaluate(x), values)


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


@pytest.mark.skipif(COMPILED is None, reason="Python's form builds")
@pytest.mark.parametrize("number", [np.float64(2.5), (la.ones(3) * 2.5).sum()])
def test_numbers_next_to_expressions_are_built_in_the_compiled_form(
    number: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = _large(100_000)
    for _ in range(2):  # what is built for the first time is remembered
        number * x, x - number, np.maximum(x, number)
    calls: list[Any] = []
    monkeypatch.setattr(build, "elementwise", lambda *args: calls.append(args))
    for result in (number * x, x - number, np.maximum(x, number)):
        assert result.shape == x.shape and result.dtype == x.dtype
    assert not calls


@pytest.mark.skipif(COMPILED is None, reason="Python's form builds them")
@pytest.mark.parametrize("function", [np.add, np.hypot, np.sqrt, np.floor, np.greater])
def test_operands_of_other_dtypes_are_cast_in_the_compiled_form(
    function: np.ufunc, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = np.arange(50_000), np.linspace(0.0, 2.0, 50_000, dtype="f4")
    x, y = la.asarray(a), la.asarray(b)
    operands, of_numpy = ((x, y), (a, b)) if function.nin == 2 else ((x,), (a,))
    function(*operands)
    calls: list[Any] = []
    monkeypatch.setattr(build, "elementwise", lambda *args: calls.append(args))
    got = function(*operands)
    monkeypatch.undo()
    assert not calls
    expected = function(*of_numpy)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got.compute(), expected, rtol=1e-15)


@pytest.mark.skipif(COMPILED is None, reason="Python's form makes the leaves")
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16"])
def test_numbers_in_memory_have_leaves_without_python(dtype: str) -> None:
    with la.config(immediate=4096):
        x, large = la.array(np.arange(1, 9).astype(dtype)), la.array(np.ones(90_000, dtype))
        first = x[3] * large  # what is built for the first time is remembered
        calls: list[str] = []
        sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name))
        try:
            products = [x[k] * large for k in range(8)]
            again = products[0] + x[0] * large
        finally:
            sys.setprofile(None)
        assert not {"snapshot", "_snapshot"}.intersection(calls)
        x[:] = 0
        number = x.sum()
        later = number * large
        number += 5  # another number
        assert float(abs(later.compute()).max()) == 0
        assert [complex(y.compute()[7]) for y in products] == list(range(1, 9))
        assert complex(again.compute()[3]) == 2
        assert complex(first.compute()[0]) == 4
