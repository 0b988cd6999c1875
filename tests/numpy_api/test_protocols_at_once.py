"""NumPy's protocols on arrays in memory: the same values and writes, without expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import fields
from lazyarr.errors import TracingError
from lazyarr.numpy_api import dispatch

DTYPES = ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]


@pytest.fixture(autouse=True)
def at_once() -> Any:
    with la.config(immediate=4096, implicit="allow"):
        yield


def values(dtype: str, shape: tuple[int, ...]) -> Any:
    return (np.random.default_rng(len(shape)).normal(size=shape) * 9).astype(dtype)


def layouts(x: Any) -> dict[str, Any]:
    """Return arrays in memory of all kinds: wrapped ones, results, views of both, and pending."""
    wrapped, own = la.asarray(x), la.array(x)
    return {
        "wrapped": wrapped,
        "result": own,
        "view": own[1:],
        "view of wrapped": wrapped[1:],
        "strided": own[::2],
        "backwards": own[::-1],
        "transposed": own.T,
        "number": own[(0,) * x.ndim],
        "pending": own == own[:1],
    }


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5,), (3, 4), (70, 80), (300, 1)])
def test_the_structure_has_the_value(dtype: str, shape: tuple[int, ...]) -> None:
    x = values(dtype, shape)
    for name, lazy in layouts(x).items():
        expected = {key: np.array(value) for key, value in layouts(x).items()}[name]
        ways = [lazy]
        if hasattr(lazy, "__array_struct__"):  # which those in no memory have not
            ways.append(type("Holder", (), {"__array_struct__": lazy.__array_struct__})())
        for taken in map(np.asarray, ways):
            np.testing.assert_array_equal(taken, expected)
            assert taken.dtype == x.dtype or name == "pending"
            assert taken.strides == lazy.strides


def test_what_numpy_took_never_changes() -> None:
    lazy = la.zeros((4, 3)) + 1.0
    row = lazy[1]
    taken = np.asarray(lazy), np.asarray(row), np.array([lazy[0], row])
    lazy += 5.0
    row[:] = 9.0
    del lazy, row
    for array in taken:
        assert (array == 1.0).all()
    for array in taken[:2]:
        assert not array.flags.writeable


def test_a_wrapped_array_is_taken_as_it_is() -> None:
    x = np.arange(12.0).reshape(3, 4)
    taken = np.asarray(la.asarray(x))
    assert np.shares_memory(taken, x)
    assert taken.flags.writeable == x.flags.writeable


def test_no_structure_within_traced_functions_and_of_bfloat16() -> None:
    with pytest.raises(TracingError):
        la.jit(lambda x: np.array([x[0], x[1]]))(np.ones(3))
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert not hasattr(la.zeros(2, ml_dtypes.bfloat16), "__array_struct__")


@pytest.mark.parametrize("seed", range(20))
def test_a_ufunc_writes_to_places_of_an_ndarray(seed: int) -> None:
    random = np.random.default_rng(seed)
    ufunc = [np.add, np.minimum, np.subtract, np.maximum][seed % 4]
    size = int(random.integers(1, 400))
    target, places = random.normal(size=40), random.integers(-40, 40, size)
    added = random.normal(size=size)
    expected = target.copy()
    ufunc.at(expected, places, added)
    for lazily in ((la.asarray, la.asarray), (la.array, np.asarray), (np.asarray, la.array)):
        got = target.copy()
        assert ufunc.at(got, lazily[0](places), lazily[1](added)) is None
        np.testing.assert_array_equal(got, expected)


def test_places_that_are_refused_leave_an_ndarray_as_it_was() -> None:
    target = np.zeros(4)
    with pytest.raises(IndexError):
        np.add.at(target, la.array([0, 7]), 1.0)
    np.testing.assert_array_equal(target, np.zeros(4))
    numbers = np.full(4, 1e308)
    with pytest.warns(RuntimeWarning, match="overflow"):
        np.add.at(numbers, la.array([0, 0, 1]), 1e308)
    assert np.isinf(numbers[:2]).all()
    assert np.isfinite(numbers[2:]).all()


@pytest.mark.parametrize("shapes", [((6, 4, 2), (6, 2, 1)), ((5, 3), (2, 3, 4)), ((3,), (2, 3, 4))])
def test_stacks_beside_ndarrays_are_multiplied_at_once(shapes: Any) -> None:
    x, y = (values("f8", shape) for shape in shapes)
    for left, right in ((x, la.array(y)), (la.array(x), y), (la.array(x), la.array(y))):
        for product in (left @ right, np.matmul(left, right)):
            assert isinstance(product, la.LazyArray)
            np.testing.assert_array_equal(np.asarray(product), x @ y)
    if fields.COMPILED is not None:
        assert (x @ la.array(y))._array is not None


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
def test_a_large_view_that_is_operand_and_output_stays_in_memory(name: str) -> None:
    ufunc = getattr(np, name)
    x = values("f8", (900, 700))
    lazy, expected = la.array(x), x.copy()
    for iteration in range(4):
        part, theirs = lazy[:500], expected[:500]
        for operand in (2.5, np.arange(1.0, 701.0)):
            assert ufunc(part, operand, out=part) is part
            ufunc(theirs, operand, out=theirs)
        if (
            iteration and fields.COMPILED is not None
        ):  # the first call of a process loads the function
            assert lazy._array is not None
        lazy[3] += 1.0
        expected[3] += 1.0
    np.testing.assert_array_equal(np.asarray(lazy), expected)


@pytest.mark.skipif(fields.COMPILED is None, reason="Python's form answers each call")
def test_each_name_of_a_function_is_answered_without_python() -> None:
    x = np.linspace(-2.0, 2.0, 12).reshape(3, 4)
    lazy = la.array(x)
    names = "max amax min amin round around concat concatenate shape ndim size".split()
    for function in [getattr(np, name) for name in names]:
        lists = function in (np.concat, np.concatenate)
        entered = dispatch.counterpart(function)  # the first call of a process loads the function
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("lazyarr.numpy_api.dispatch.counterpart", lambda _: pytest.fail("Python"))
            result = function([lazy, lazy] if lists else lazy)
        assert callable(entered)
        np.testing.assert_array_equal(np.asarray(result), function([x, x] if lists else x))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "?"])
def test_numbers_of_numpys_beside_arrays_in_memory(dtype: str) -> None:
    x = np.array([[0, 3], [2, 1]], dtype)
    lazy, number = la.array(x), x.dtype.type(2)
    ufuncs = [np.add, np.multiply, np.less, np.greater_equal, np.equal, np.minimum, np.logical_and]
    for ufunc in ufuncs if dtype == "?" else [*ufuncs, np.subtract, np.divide]:
        for left in (number, np.asarray(number), np.float64(-1.5), np.int64(3)):
            for right, theirs in ((lazy, x), (lazy[1, 0], x[1, 0]), (lazy[:0], x[:0])):
                for pair, expected in (
                    ((left, right), (left, theirs)),
                    ((right, left), (theirs, left)),
                ):
                    with np.errstate(divide="ignore"):
                        value, own = ufunc(*pair), ufunc(*expected)
                    assert isinstance(value, la.LazyArray)
                    assert value.dtype == own.dtype
                    np.testing.assert_array_equal(np.asarray(value), own)


def test_outputs_of_numpys_ufuncs_are_written_in_place() -> None:
    x = values("f8", (40, 3))
    lazy, expected = la.array(x), x.copy()
    for ufunc, operands in ((np.add, (2.5,)), (np.negative, ()), (np.multiply, (x,))):
        assert ufunc(lazy, *operands, out=lazy) is lazy
        ufunc(expected, *operands, out=expected)
        part, theirs = lazy[1:, ::2], expected[1:, ::2]
        assert ufunc(part, *[x[1:, ::2] for _ in operands], out=(part,)) is part
        ufunc(theirs, *[x[1:, ::2] for _ in operands], out=theirs)
        np.testing.assert_array_equal(np.asarray(lazy), expected)


def test_ndarrays_take_numbers_and_views_of_wrapped_arrays() -> None:
    x, target = values("f8", (200, 300)), np.zeros((4, 100))
    lazy = la.asarray(x)
    target[1:3] = lazy[7:9, :100]
    target[3] = lazy[50, 200:]
    target[0, :2] = [lazy[0, 0], lazy[0, 1] * 2.0]
    expected = np.zeros((4, 100))
    expected[1:3], expected[3], expected[0, :2] = x[7:9, :100], x[50, 200:], x[0, :2] * [1, 2]
    np.testing.assert_array_equal(target, expected)
    taken = np.asarray(lazy[7])
    lazy[7, 0] = 5.0  # the wrapped array is not written to
    assert taken[0] == x[7, 0]
    assert taken.strides == x[7].strides
    number = lazy[0, 0] + 1.0
    shown = np.asarray(number)
    number += 1.0
    assert shown == x[0, 0] + 1.0
    assert not shown.flags.writeable


def test_ufuncs_that_are_not_numpys_are_not_kept() -> None:
    lazy = la.array([1.0, 2.0])
    own = np.frompyfunc(lambda x: x + 1.0, 1, 1)
    np.testing.assert_array_equal(np.asarray(own(lazy), float), [2.0, 3.0])
    assert own not in dispatch._counterparts
