"""Operands and arguments that are neither arrays nor lists, against NumPy."""

from __future__ import annotations

import array
import ctypes
import enum
import fractions
import mmap
import operator
from collections import UserList, deque
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import FORM
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from tests.support.values import HALF_FUNCTIONS_ERROR, assert_same


class Triple(NamedTuple):
    first: float
    second: float
    third: float


class Squares:
    """A sequence by its two methods alone."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < 3:
            raise IndexError
        return index * index


class Interface:
    """An array by NumPy's interface alone."""

    def __init__(self) -> None:
        self._array = np.arange(3.0)
        self.__array_interface__ = self._array.__array_interface__


class Index:
    """An integer by ``__index__`` alone."""

    def __index__(self) -> int:
        return 2


class Real:
    """A number by ``__float__`` alone."""

    def __float__(self) -> float:
        return 2.5


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


SEQUENCES: dict[str, Callable[[], Any]] = {
    "range": lambda: range(1, 4),
    "deque": lambda: deque([1.5, 2, 0]),
    "user list": lambda: UserList([1, 2, 3]),
    "named tuple": lambda: Triple(1.0, 0.0, 3.0),
    "sequence": Squares,
    "array": lambda: array.array("f", [1, 2, 3]),
    "memory": lambda: memoryview(np.array([1, 2, 3], np.int16)),
    "bytes": lambda: bytearray(b"\0\1\2"),
    "ctypes": lambda: (ctypes.c_double * 3)(1, 2, 3),
    "interface": Interface,
    "enumeration": lambda: Level.HIGH,
}
OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda module, x, other: x + other,
    "reflected": lambda module, x, other: other - x,
    "compare": lambda module, x, other: x < other,
    "equal": lambda module, x, other: x == other,
    "not equal": lambda module, x, other: x != other,
    "product": lambda module, x, other: x * other,
    "ufunc": lambda module, x, other: np.maximum(other, x),
    "where": lambda module, x, other: np.where(x > 0, x, other),
    "of itself": lambda module, x, other: module.sin(other),
    "sum": lambda module, x, other: module.sum(other),
    "wrapped": lambda module, x, other: module.asarray(other),
    "cast": lambda module, x, other: module.array(other, dtype="f4"),
}


@pytest.mark.parametrize("dtype", ["f8", "i8", "u1"])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("immediate", [0, 4096])
def test_sequences_and_buffers(kind: str, operation: str, dtype: str, immediate: int) -> None:
    function, x = OPERATIONS[operation], np.array([1, 2, 3], dtype)
    if kind == "enumeration" and (np.ones(1, "u1") + Level.HIGH).dtype == np.uint8:
        pytest.skip("this release of NumPy takes members of enumerations for Python's integers")
    expected = function(np, x, SEQUENCES[kind]())
    with la.config(immediate=immediate):
        result = function(la, la.asarray(x), SEQUENCES[kind]())
        assert type(result) is la.LazyArray
        assert result.dtype == expected.dtype
        tolerance = max(1e-6, HALF_FUNCTIONS_ERROR if expected.dtype == np.float16 else 0)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=tolerance)


def test_sequences_of_lazy_arrays_stay_lazy() -> None:
    x = la.asarray(np.arange(5000.0))
    rows = la.asarray(deque([x + 1, x * 2]))
    assert rows.shape == (2, 5000)
    np.testing.assert_array_equal(np.asarray(rows), [np.arange(5000.0) + 1, np.arange(5000.0) * 2])


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in ("add", "sub", "mul", "truediv", "matmul", "lt", "ge", "eq", "ne")
}


def dense(value: Any) -> Any:
    """Return the elements of an array, a matrix or a sparse one."""
    return np.asarray(value.todense() if hasattr(value, "todense") else value)


@pytest.mark.filterwarnings("ignore:.*(divide|sparse|Comparing|invalid).*")
@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "coo_array", "csr_matrix"])
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("shape", [(3, 3), ()])
@pytest.mark.parametrize("immediate", [0, 4096])
def test_sparse_operands(kind: str, name: str, shape: tuple[int, ...], immediate: int) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = getattr(sparse, kind)(np.array([[1.0, 0, 2], [0, 0, 3], [4, 5, 0]]))
    x = np.random.default_rng(0).random(shape) + 1
    with la.config(immediate=immediate):
        lazy = la.asarray(x) * 1
        pairs = [((matrix, lazy), (matrix, x)), ((lazy, matrix), (x, matrix))]
        if kind == "csr_matrix" and name == "mul" and not shape:
            del pairs[0]  # SciPy asks for the type ndarray, and does not ask the right operand
        for operands, reference in pairs:
            try:
                expected = OPERATORS[name](*reference)
            except (TypeError, ValueError, NotImplementedError) as error:
                with pytest.raises(type(error)):
                    OPERATORS[name](*operands)
                continue
            result = OPERATORS[name](*operands)
            np.testing.assert_array_equal(dense(result), dense(expected))


UNEQUAL = [
    object(),
    {1: 2}.keys(),
    {1, 2},
    {1: 2},
    Index(),
    Real(),
    print,
    int,
    iter([]),
]


@pytest.mark.parametrize("other", UNEQUAL, ids=lambda other: type(other).__name__)
@pytest.mark.parametrize("immediate", [0, 4096])
def test_comparison_with_what_is_no_array(other: Any, immediate: int) -> None:
    with la.config(immediate=immediate):
        x = la.asarray([1.0, 2.0, 3.0])
        for compare in (operator.eq, operator.ne):
            expected = compare(np.asarray(x), other)
            for result in (compare(x, other), compare(other, x)):
                assert result.dtype == np.bool_
                np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize("other", [fractions.Fraction(1, 2), Decimal(1)])
def test_comparison_with_numbers_of_objects_is_numpys(other: Any) -> None:
    x = la.asarray([0.5, 1.0])
    for compare in (operator.eq, operator.ne, operator.lt, operator.ge):
        result = compare(x, other)
        np.testing.assert_array_equal(
            np.asarray(result), compare(np.asarray(x), other), strict=True
        )
        with pytest.raises((DTypeError, la.errors.TracingError)):
            la.jit(lambda x, compare=compare: compare(x, np.array(other)))(np.ones(2))


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (["1.5", "-2"], "f8"),
        ("7", "i4"),
        (b"2.5", "f4"),
        ([["1", "2"], ["3", "4"]], "i8"),
        (np.array(["1", "0"]), "u1"),
        (np.array([1, 2.5, "3"], object), "f8"),
        (fractions.Fraction(1, 4), "f8"),
        ([fractions.Fraction(1, 4), Decimal("0.5"), 3], "f8"),
        (Real(), "f8"),
        ([Index(), 1], "i8"),
        (deque(["1", "2"]), "f8"),
    ],
)
def test_values_are_converted_to_an_explicit_dtype(value: Any, dtype: str) -> None:
    for make, reference in ((la.array, np.array), (la.asarray, np.asarray)):
        result, expected = make(value, dtype=dtype), reference(value, dtype=dtype)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_numbers_of_ranges_have_to_fit() -> None:
    with pytest.raises(OverflowError):
        la.array(range(250, 300), dtype="u1")


def test_texts_are_no_numbers() -> None:
    with pytest.raises(ArgumentError, match="could not convert string"):
        la.array(["1", "one"], dtype=float)
    for value in (["1", "2"], "1", np.array(["1"])):
        result: object = la.asarray(value)
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, np.asarray(value), strict=True)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("dtype", ["U2", "S2", "M8[D]"])
def test_arrays_of_no_numbers_equal_no_number(dtype: str, immediate: int) -> None:
    other = np.array([1, 2, 3]).astype(dtype)
    for x in (np.arange(3.0), np.arange(6).reshape(2, 3), np.ones((2, 1), "?")):
        with la.config(immediate=immediate):
            lazy = la.asarray(x)
            results = [lazy == other, other == lazy, lazy != other, other != lazy]
        expected = [x == other, other == x, x != other, other != x]
        for result, answer in zip(results, expected, strict=True):
            assert_same(result, answer)
    with pytest.raises(ShapeError):
        la.arange(2) == other  # noqa: B015 - it raises


def test_objects_that_are_integers_are_indices() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for key in ((Level.LOW, Index()), (0, slice(Level.LOW, Index())), (..., Index(), None)):
        np.testing.assert_array_equal(np.asarray(la.asarray(x)[key]), x[key])
    lazy, written = la.asarray(x.copy()), x.copy()
    for target in (lazy, written):
        target[Level.LOW, Index()] = 7
        part = target[Level.LOW]
        part[0] = 8  # a view
    np.testing.assert_array_equal(np.asarray(lazy), written)
    with pytest.raises(IndexingError, match="out of bounds"):
        la.asarray([1.0])[Index()]


@pytest.mark.parametrize("shape", [{2, 3}, {2: 3}, iter((2, 3)), {2: 3}.keys(), "ab"])
def test_shapes_are_sequences(shape: Any) -> None:
    for make in (la.zeros, la.ones, la.empty):
        with pytest.raises(ArgumentError, match="a shape takes integers"):
            make(shape)


def test_shapes_of_other_sequences() -> None:
    for shape in (range(2, 4), Squares(), Level.HIGH, np.array([2, 3]), array.array("i", [2, 3])):
        assert la.zeros(shape).shape == np.zeros(shape).shape
    assert la.zeros(la.asarray([2, 3])).shape == (2, 3)


def test_mapped_memory() -> None:
    memory = mmap.mmap(-1, 16)
    memory[:3] = b"abc"
    np.testing.assert_array_equal(np.asarray(la.asarray(memory)), np.asarray(memory))


@pytest.mark.parametrize("immediate", [0, 4096])
def test_vectors_in_reverse_are_numbers(immediate: int) -> None:
    with la.config(immediate=immediate):
        x = la.asarray([3, 1, 2]) * 2
        assert [(type(v), int(v)) for v in reversed(x)] == [(np.int64, v) for v in (4, 2, 6)]
        rows = list(reversed(la.asarray([[1, 2], [3, 4]])))
        np.testing.assert_array_equal(np.asarray(rows[0]), [3, 4])
        with pytest.raises(TypeError):
            reversed(la.asarray(1))


@pytest.mark.skipif(FORM != "compiled", reason="buffers of arrays are C's")
def test_bytes_stay_as_long_as_the_array() -> None:
    """NumPy reads the bytes of an interface after it has released them."""

    class Number:
        def __init__(self, data: Any) -> None:
            self.data = data

        @property
        def __array_interface__(self) -> dict[str, Any]:
            return {"shape": (), "typestr": "<i4", "data": self.data, "version": 3}

    for value in range(50):
        array = np.asarray(Number(la.array(value, "i4")))
        others = [np.full(1, -1, "i4") for _ in range(5)]
        assert array == value, others
    x = la.arange(5)
    values = np.frombuffer(x, "i8")
    x += 1
    assert values.tolist() == [0, 1, 2, 3, 4]
