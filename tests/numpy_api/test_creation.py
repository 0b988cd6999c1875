"""Functions that make arrays, against NumPy's."""

from __future__ import annotations

import array
import ctypes

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.each_device

DTYPES = [None, "i2", "i8", "f2", "f4", "f8", "c16"]


def same(mine, theirs, rtol=0.0):
    assert isinstance(mine, la.LazyArray)
    value = la.evaluate(mine)
    assert value.dtype == theirs.dtype == mine.dtype
    assert value.shape == theirs.shape == mine.shape
    if rtol:
        np.testing.assert_allclose(value, theirs, rtol=rtol)
    else:
        np.testing.assert_array_equal(value, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "args",
    [(5,), (2, 7), (2, 7, 2), (7, 2, -2), (0,), (3, 1), (0.5, 3.2), (1, 2, 0.1), (-1.5, 9, 3)],
)
def test_arange(args, dtype):
    if dtype is not None and np.dtype(dtype).kind == "i" and isinstance(args[-1], float):
        return
    same(la.arange(*args, dtype=dtype), np.arange(*args, dtype=dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("num", [0, 1, 2, 7, 50])
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace(num, endpoint, dtype):
    for start, stop in ((0, 1), (3.5, -2), (0, 10)):
        same(
            la.linspace(start, stop, num, endpoint=endpoint, dtype=dtype),
            np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype),
        )


def test_linspace_of_arrays():
    a, b = np.arange(3.0), np.arange(3.0) * 2 + 1
    same(la.linspace(a, b, 4), np.linspace(a, b, 4))
    same(la.linspace(a, b, 4, axis=-1), np.linspace(a, b, 4, axis=-1))
    values, step = la.linspace(0, 1, 5, retstep=True)
    same(values, np.linspace(0, 1, 5))
    assert float(step) == 0.25


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [3, (), (2, 3), (0, 2)])
def test_filled(shape, dtype):
    same(la.zeros(shape, dtype), np.zeros(shape, float if dtype is None else dtype))
    same(la.ones(shape, dtype), np.ones(shape, float if dtype is None else dtype))
    same(la.full(shape, 3, dtype), np.full(shape, 3, dtype))
    x = np.ones(shape, "f4")
    for name in ("zeros_like", "ones_like"):
        same(getattr(la, name)(x, dtype), getattr(np, name)(x, dtype))
        same(getattr(np, name)(la.asarray(x), dtype), getattr(np, name)(x, dtype))
    same(np.full_like(la.asarray(x), 2, dtype), np.full_like(x, 2, dtype))
    assert la.empty_like(x).shape == x.shape


@pytest.mark.parametrize("args", [(3,), (3, 4), (3, 4, 1), (4, 3, -2), (0,), (2, 2, 9)])
def test_eye_and_tri(args):
    same(la.eye(*args), np.eye(*args))
    same(la.eye(*args, dtype="i4"), np.eye(*args, dtype="i4"))
    same(la.tri(*args), np.tri(*args))
    same(la.identity(3), np.identity(3))


def test_meshgrid_and_indices():
    a, b = np.arange(3), np.arange(4.0)
    for options in ({}, {"indexing": "ij"}, {"sparse": True}):
        for mine, theirs in zip(
            la.meshgrid(a, b, **options), np.meshgrid(a, b, **options), strict=True
        ):
            same(mine, theirs)
    same(la.indices((2, 3)), np.indices((2, 3)))
    same(la.logspace(0, 3, 4), np.logspace(0, 3, 4), 1e-14)
    same(la.geomspace(1, 8, 4), np.geomspace(1, 8, 4))


def test_full_of_an_array():
    same(la.full((2, 3), np.arange(3)), np.full((2, 3), np.arange(3)))
    same(la.full((), np.ones((1, 1))), np.full((), np.ones((1, 1))))


@pytest.mark.parametrize("shape", [-1, (2, -3), 1.5, "a"])
def test_bad_shapes(shape):
    with pytest.raises((ValueError, TypeError)):
        la.zeros(shape)


def test_array_copies():
    memory = np.arange(3)
    x, y = la.array(memory), la.asarray(memory)
    memory[0] = 9
    assert int(x[0]) == 0
    assert int(y[0]) == 9
    assert la.array([1, 2], ndmin=3).shape == (1, 1, 2)


@pytest.mark.parametrize("size", [5, 100_000])
def test_a_copy_by_dlpack_is_one_of_a_lazy_array_too(size):
    x = la.asarray(np.arange(float(size)))
    for source in (x, x + 1, np.arange(float(size))):
        copied, shared = la.from_dlpack(source, copy=True), la.from_dlpack(source)
        source[0] = -1
        assert float(copied[0]) != -1
        assert float(shared[0]) == -1


class Lending:
    """An object with a buffer of its own, by ``__array__``."""

    def __init__(self, size):
        self.memory = np.arange(float(size))

    def __array__(self, dtype=None, copy=None):
        return self.memory.copy() if copy else self.memory

    def __setitem__(self, key, value):
        self.memory[key] = value


class Interfaced:
    """An object with a buffer of its own, by the array interface."""

    def __init__(self, size):
        self.memory = np.arange(float(size))
        self.__array_interface__ = self.memory.__array_interface__

    def __setitem__(self, key, value):
        self.memory[key] = value


LENDERS = {
    "__array__": Lending,
    "interface": Interfaced,
    "array": lambda size: array.array("d", range(size)),
    "bytes": bytearray,
    "view": lambda size: memoryview(array.array("f", range(size))),
    "ctypes": lambda size: (ctypes.c_int * size)(*range(size)),
    "ndarray": lambda size: np.arange(float(size)),
    "lazy": lambda size: la.asarray(np.arange(float(size))),
}


@pytest.mark.host
@pytest.mark.parametrize("size", [5, 100_000])
@pytest.mark.parametrize("name", LENDERS)
@pytest.mark.parametrize("dtype", [None, "f8"])
def test_copies_do_not_change_with_what_they_are_copies_of(name, size, dtype):
    for function in (la.array, lambda x, dtype: la.asarray(x, dtype, copy=True)):
        lender = LENDERS[name](size)
        before = np.array(lender if name != "lazy" else np.asarray(lender), dtype)
        copied = function(lender, dtype=dtype)
        lender[1] = 99
        same(copied, before)


def test_modes_of_copying():
    x = la.arange(3)
    modes = getattr(np, "_CopyMode", None)
    if modes is not None:
        assert la.asarray(x, copy=modes.IF_NEEDED) is x
        assert la.asarray(x, copy=modes.NEVER) is x
        assert la.asarray(x, copy=modes.ALWAYS) is not x
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            la.array([1, 2], copy=modes.NEVER)
    for function in (la.array, la.asarray):
        with pytest.raises(ValueError, match="strings are not allowed for 'copy' keyword"):
            function([1, 2], copy="never")


def test_numbers_of_ctypes_are_arrays():
    for number in (ctypes.c_int(-4), ctypes.c_double(2.5), ctypes.c_uint8(3)):
        same(la.asarray(number), np.asarray(number))
    number = ctypes.c_int(1)
    copied, shared = la.array(number), la.asarray(number)
    number.value = 2
    assert (int(copied), int(shared)) == (1, 2)


@pytest.mark.parametrize("name", ["asarray", "array", "zeros_like", "full"])
def test_missing_arguments_are_type_errors(name):
    with pytest.raises(TypeError, match="missing"):
        getattr(la, name)()
    if name == "asarray":
        same(la.asarray(a=[1, 2]), np.asarray(a=[1, 2]))


@pytest.mark.host
def test_the_most_axes_are_checked():
    same(la.array([[1]], ndmax=2), np.array([[1]]))
    with pytest.raises(ValueError, match="would exceed the maximum number of dimension of 2"):
        la.array([[[1]]], ndmax=2)
    with pytest.raises(ValueError, match="maximum number of dimension of 0"):
        la.array([1], ndmax=0)
    assert la.array(np.ones(2), ndmax=0).shape == (2,)
    assert la.array([[1, 2], [3]], dtype=object, ndmax=1).tolist() == [[1, 2], [3]]
    for axes in (-1, 65):
        with pytest.raises(ValueError, match="ndmax must be in the range"):
            la.array([1], ndmax=axes)


@pytest.mark.parametrize("dtype", ["u1", "f4", "f8"])
def test_bytes_cannot_be_written_to(dtype: str) -> None:
    x = la.frombuffer(b"12345678", dtype)
    assert not x.flags.writeable
    assert la.frombuffer(bytearray(8), dtype).flags.writeable
    for write in (lambda: x.__setitem__(0, 1), lambda: x.__iadd__(1), lambda: x[:1].fill(0)):
        with pytest.raises(ValueError, match="read-only"):
            write()
    np.testing.assert_array_equal(x + 0, np.frombuffer(b"12345678", dtype))
