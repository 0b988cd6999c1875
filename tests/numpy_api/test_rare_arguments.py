"""Arguments that few programs pass: values, types of results and refusals are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree

pytestmark = pytest.mark.host

F = np.arange(12.0).reshape(3, 4)
DEEP = np.ones((1,) * 64)

VALUES = [
    "m.mgrid[x[0, 0] : x[0, 3] : 4j]",
    "m.mgrid[x[:1, :1] : x[:1, 3:] : 3j]",
    "m.ogrid[x[:1] : x[2:] : 5j]",
    "m.array([1, 2], ndmin=-3)",
    "m.real(True)",
    "m.imag(True)",
    "m.dot(x * -0.0, 2.0)",
    "m.dot(-0.0, x.T)",
    "m.inner(x[0].astype('f4'), np.float32(-0.0))",
    "m.inner(2j, x * -0.0)",
    "m.dot(m.concatenate([x[0], [m.inf, m.nan]]), 0.0)",
    "m.dot(x[None] * -0.0, 2.0)",
    "m.dot(x.astype('f2') * -0.0, m.float16(2))",
    "m.add.reduce([1, 2], initial=None)",
    "m.multiply.reduce(x, axis=1, initial=None)",
    "m.sum(x, initial=None)",
    "m.maximum.reduce(x, initial=None)",
    "m.logical_and.reduce(x, initial=None)",
    "x.view(np.ndarray)",
    "x.view(type=np.ndarray)",
    "x.view('i8', np.ndarray)",
    "m.take(x, m.asarray([True, False]))",
    "m.take(x, [0.5, 2.5])",
    "m.take(x, 1.5)",
    "m.take(x, np.float64(1.5))",
    "m.take(x, [])",
    "m.take(x, [[True]])",
    "m.meshgrid(x[0], x[1], copy=False, sparse=True)",
    "x[(None,) * 62].shape",
    "x[(slice(None), None, *(None,) * 61)].shape",
    "x[(True,) * 63]",
    "m.modf(x, m.zeros(x.shape))",
    "m.frexp(x, m.zeros(x.shape))",
    "m.divmod(x, 2.5, m.zeros(x.shape))",
    "m.divmod(x, 2.5, None, m.zeros(x.shape))",
    "m.nanargmin(x, axis=0, out=m.zeros(4, 'u1'))",
    "m.nanargmax(x, axis=0, out=m.zeros(4, bool))",
    "m.linalg.vector_norm(x, ord=None)",
    "m.nansum(x[:0])",
    "m.nanprod(x[:, :0], axis=1)",
    "m.nanprod(m.zeros((0, 2), 'u4'), axis=(0, 1))",
    "m.nansum(x, initial=None)",
    "x[:0].sum(axis=1)",
    "m.nansum(m.zeros((0, 2), 'i4'), axis=0, initial=3)",
    "m.linalg.multi_dot([x[None], x.T])",
    "m.repeat(x, 2.0, axis=0)",
    "m.repeat(x[0], [1.0, 2.5, 0.0, 3.0])",
    "m.tri(3, 4, 0.5)",
    "m.tri(0, k=1.5)",
    "m.tril(x, 0.5)",
    "m.triu(x, -1.5)",
    "m.triu(x, np.float32(1.0))",
    "m.ediff1d(x.astype('u4'), to_end=m.asarray([1], 'u1'))",
    "m.ediff1d(x.astype('f4'), to_begin=0.5)",
    "x.sort(axis=0, stable=True)",
    "x[::-1].T.copy().sort(stable=None)",
    "x.reshape(None)",
    "m.reshape(x, None)",
    "x.argmax(keepdims='yes')",
    "m.argmin(x, axis=1, keepdims=2.5)",
    "x[:, :1].view('u1')",
    "x[:, ::2][:0].view('i2')",
    "m.round(x, 1, out=m.zeros((1, 3, 4)))",
    "m.round(x + 1j, out=m.zeros((1, 3, 4), 'c16'))",
    "m.linalg.vector_norm(x, axis=1, keepdims=None)",
    "m.nanquantile(x, [[0.1, 0.2], [0.3, 0.4]], axis=(0, 1), keepdims=True)",
    "m.nanpercentile(x, [[10, 20, 30]], axis=())",
    "m.nanquantile(x[None], [[0.1, 0.2, 0.5]], axis=(2, 0))",
    "m.nanquantile(m.zeros((0, 3), bool), 0.5, axis=0)",
    "m.mean(x[0, 0], axis=0, where=False)",
    "m.nanvar(x[0, 0], axis=-1, where=m.asarray(False), keepdims=True)",
    "m.var(x[0, 1], axis=0, where=m.asarray(True))",
    "m.repeat(x[:0], -1, axis=0)",
    "m.repeat(x[:, :0], -1)",
    "m.eye(3, 0, k=1.5)",
    "m.nanpercentile(x[:0], [10, 20], method='none')",
    "m.nan_to_num(m.nan, copy=None)",
    "m.geomspace(x[0] + 1, x[1] + 2, 5, axis=[1])",
    "m.linalg.vector_norm(x, axis='0')",
    "m.linalg.pinv(x, rtol=[1e-3])",
]

REFUSED = [
    "m.array_split(x, 2**70)",
    "m.array_split(x, 2**62)",
    "m.around(x, 2**40)",
    "m.round(x.astype('u1'), 2**70)",
    "x.round(-(2**40))",
    "m.trace(x[0], 2**40)",
    "m.trace(x[0], axis1=2**40)",
    "m.diagonal(x[0], axis1='a')",
    "m.diagonal(x[0], axis2=2**40)",
    "m.swapaxes(x, 5, 2**40)",
    "m.array(1, ndmin=2**40)",
    "m.array([1, 2], ndmin=2**70)",
    "m.tril_indices_from([[1, 2], [3, 4]])",
    "m.triu_indices_from((0,), 2**40)",
    "m.diag_indices_from([[1, 2], [3, 4]])",
    "m.dot(x[0], x[0], (m.array(0.0),))",
    "m.dot(x, x.T, out=[1])",
    "m.random.default_rng(5).permuted(x[0], out=m.zeros(3))",
    "m.random.default_rng(5).permuted(x[0, :1], out=m.zeros(4))",
    "m.where(x, None)",
    "m.nan_to_num([1.0], copy=False)",
    "m.nan_to_num(2, copy=False)",
    "m.where(x > 1, y=x)",
    "m.add.reduce([], initial=None)",
    "m.multiply.reduce(x[:0], initial=None)",
    "m.nansum(x[:0], initial=None)",
    "m.sum(x[:, :0], axis=1, initial=None)",
    "m.prod(m.zeros((2, 0)), axis=-1, initial=None)",
    "x[(None,) * 63]",
    "x[(None,) * 70]",
    "deep[..., None]",
    "deep[[[0]]]",
    "m.place(x.copy(), [1, 0, 1], [1])",
    "m.eye(2).resize(3, refcheck='no')",
    "m.array(memoryview(b'1234'), dtype='f4', copy=False)",
    "m.array(x.T, order='C', copy=False)",
    "m.array(x[0, ::2], order='C', copy=False)",
    "m.take(x, [0.5j])",
    "m.nanargmin(x, axis=0, out=m.zeros(4))",
    "m.nanargmax(x, axis=0, out=m.zeros(4, 'c8'))",
    "m.linalg.multi_dot([x, x.T, x], out=m.zeros((3, 4), 'f4'))",
    "m.linalg.multi_dot([x, x.T, x], out=m.zeros((4, 3)))",
    "m.linalg.multi_dot([x[None], x.T, x])",
    "m.linalg.multi_dot([x.T, x[:, 0], x])",
    "m.take(x, m.asarray([0.5]))",
    "m.repeat(x, m.asarray(2.0), axis=0)",
    "m.ediff1d(x.astype('u4'), to_begin=0)",
    "m.ediff1d(x.astype('i4'), to_end=0.5)",
    "m.linalg.cond(x[:0, :0])",
    "m.linalg.cond(m.zeros((2, 0, 0)), 1)",
    "m.linalg.cond(m.zeros((0, 3)), 2)",
    "m.linalg.norm(x, axis=0, keepdims='a')",
    "m.repeat(x, [[2]])",
    "m.linalg.pinv(x, 1e-3, rtol=None)",
    "m.linalg.pinv(x.astype('i4'), rtol=None)",
    "m.reshape(x)",
    "m.roll(x[:0], [[1]])",
    "m.round(x.astype('i4'), out=m.zeros((2, 3, 4)))",
    "m.sum(x, keepdims=np.True_)",
    "m.resize(x, m.asarray(3))",
    "m.mean(x[0, 0], axis=0)",
    "m.repeat(x[:0], -1, axis=1)",
    "m.reshape(x, None, order='X')",
    "x.mean(keepdims=np.False_)",
    "m.add.reduce(x, keepdims=np.True_)",
    "m.nan_to_num(1.0, copy=0)",
    "m.split([1, 2], 2)",
    "m.vsplit([[1], [2]], 2)",
    "m.hsplit([1, 2], [1])",
    "m.nanquantile(x[:0], 1.5)",
    "m.nanquantile(x[:0] + 1j, 0.5)",
    "m.linalg.vector_norm(x, axis='0', keepdims=True)",
    "m.linalg.pinv(x, rtol=x[0])",
    "m.linalg.pinv(x, m.ones((2, 3)))",
]

LAID = [
    "m.broadcast_to(x[0], (3, x.shape[1])).copy()",
    "m.meshgrid(x[0], x[:, 0])[0]",
    "x.copy(None)",
    "x[0].ravel()",
    "x.reshape(x.shape, copy=True)",
    "x[0].reshape(-1, copy=True)",
    "x.min(axis=())",
    "m.zeros_like(x, dtype='i1')",
    "m.tile(x, 1)",
    "m.broadcast_to(x, (2, *x.shape)).astype('f4')",
    "m.broadcast_to(x[0] + 1, x.shape).astype('f4')",
    "m.dot(2.0, x)",
    "m.inner(x, m.float32(2))",
]


def _call(text: str) -> Any:
    def calls(m: Any, x: Any, deep: Any) -> Any:
        return eval(text, {"m": m, "x": x, "deep": deep, "np": np})

    return calls


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("text", VALUES)
def test_values(text: str, immediate: int) -> None:
    with la.config(immediate=immediate):
        agree(_call(text), F, DEEP)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("text", REFUSED)
def test_refusals(text: str, immediate: int) -> None:
    with la.config(immediate=immediate):
        agree(_call(text), F, DEEP)


@pytest.mark.parametrize("key", [([0],) * 64, (True,) * 64, (True,) * 80, (False,) * 80])
def test_numbers_of_index_arrays_are_bounded(key: Any) -> None:
    for x in DEEP, la.asarray(DEEP), np.ones(1), la.ones(1):
        with pytest.raises(IndexError):
            x[key]
        with pytest.raises(IndexError):
            x.copy()[key] = 1.0


@pytest.mark.parametrize("key", [np.array([0, 1], object), np.array(["a"]), np.array([0.0])])
def test_arrays_that_are_no_indices(key: Any) -> None:
    for x in F, la.asarray(F):
        with pytest.raises(IndexError, match="arrays used as indices must be of integer"):
            x[key]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("copy", [False, True])
def test_meshgrid_gives_the_sequence_that_numpy_gives(copy: bool, sparse: bool) -> None:
    for vectors in ([], [[1, 2], [3, 4, 5]]):
        grids = la.meshgrid(*vectors, copy=copy, sparse=sparse)
        assert type(grids) is type(np.meshgrid(*vectors, copy=copy, sparse=sparse))


@pytest.mark.parametrize("order", ["C", "F", "A", "K", None])
@pytest.mark.parametrize("make", [lambda x: x[:, ::2], lambda x: x[0, ::2], lambda x: x.T])
def test_an_order_is_that_of_memory(make: Any, order: Any) -> None:
    ours, theirs = (m.asarray(make(m.asarray(F)), order=order).flags for m in (la, np))
    assert ours.c_contiguous == theirs.c_contiguous
    assert ours.f_contiguous == theirs.f_contiguous


@pytest.mark.parametrize(
    "text",
    [
        "m.broadcast_to(x, (2, 3, 4))",
        "m.broadcast_arrays(x, m.zeros((2, 3, 4)))[0]",
        "m.transpose(x)",
        "m.reshape(x, -1)",
        "m.ravel(x)",
        "m.expand_dims(x, 1)",
        "m.flip(x)",
        "m.diagonal(x)",
        "m.split(x, 2, axis=1)[1]",
        "m.atleast_3d(x)",
        "m.real_if_close(x)",
        "m.einsum('...ij->...ji', x)",
        "m.meshgrid(m.reshape(x, -1), [1, 2], copy=False)[0]",
        "m.astype(x, x.dtype, copy=False)" if hasattr(np, "astype") else "m.transpose(x)",
        "m.asanyarray(x)",
        "m.ascontiguousarray(x)",
    ],
)
@pytest.mark.parametrize("immediate", [0, 4096])
def test_functions_of_ndarrays_show_their_memory(text: str, immediate: int) -> None:
    """In either form of the library; a write to the result goes to memory of its own."""
    with la.config(immediate=immediate):
        shown = _call(text)(la, F, DEEP)
        assert shown.shape == _call(text)(np, F, DEEP).shape
        assert np.shares_memory(np.asarray(shown), F)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("size", [6, 600])
@pytest.mark.parametrize("text", LAID)
def test_copies_of_wrapped_arrays_with_gaps_lie_as_numpys(
    text: str, size: int, immediate: int
) -> None:
    array = np.zeros((size, 40))[::2, ::2].T
    with la.config(immediate=immediate):
        theirs, mine = (_call(text)(m, m.asarray(array), DEEP) for m in (np, la))
    assert mine.strides == theirs.strides
    assert mine.flags.c_contiguous == theirs.flags.c_contiguous


@pytest.mark.parametrize(
    "value", [np.arange(3, dtype="u1"), np.array([3]), np.array(3), np.array(2.5), np.zeros(0)]
)
def test_bytes_are_those_of_memory(value: Any) -> None:
    assert bytes(la.asarray(value)) == bytes(value)


def test_other_classes_of_arrays_are_read_only() -> None:
    x = la.asarray(F)
    assert type(x.view(type=la.LazyArray)) is la.LazyArray
    for arguments in ({"type": np.matrix}, {"dtype": np.matrix}):
        shown, expected = x.view(**arguments), F.view(**arguments)
        assert type(shown) is np.matrix and not shown.flags.writeable
        assert shown.dtype == expected.dtype
        np.testing.assert_array_equal(shown, expected)
    with pytest.raises(TypeError):
        x.view(type=int)


def test_flat_iterators_know_where_they_are() -> None:
    ours, theirs = la.asarray(F).flat, F.flat
    assert iter(ours) is ours
    for _ in range(6):
        assert float(next(ours)) == next(theirs)
        assert (ours.index, ours.coords) == (theirs.index, theirs.coords)
    assert [float(v) for v in ours] == list(theirs)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("shape", [(0,), (0, 0), (0, 3), (0, 0, 5), (2, 0)])
def test_what_is_taken_of_an_axis_without_elements(
    shape: tuple[int, ...], mode: str, immediate: int
) -> None:
    x = np.zeros(shape)
    # NumPy's "wrap" does not end where a later axis has no elements.
    axes = [axis for axis in range(x.ndim) if mode != "wrap" or 0 not in shape[axis + 1 :]]
    for axis in axes:
        for places in ([], [0], [0, -1], [[3]]):
            with la.config(immediate=immediate):
                agree(lambda m, x, p=places, k=axis: m.take(x, p, axis=k, mode=mode), x, text=True)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_nothing_is_taken_where_a_later_axis_has_no_elements(mode: str) -> None:
    with la.config(immediate=0):
        taken = la.take(la.zeros((3, 0, 0)), [0, 4], axis=1, mode=mode)
    assert taken.shape == (3, 2, 0)
