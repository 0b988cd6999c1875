"""Arguments at their ends: nothing to take, modes by number, means and outputs of other dtypes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree

pytestmark = pytest.mark.host

F = np.arange(12.0).reshape(3, 4)

VALUES = [
    "m.take(m.zeros((0, 3)), [5], axis=1)",
    "m.take(m.zeros((2, 0, 3)), [9, -9], axis=2)",
    "m.take(m.zeros((0, 3)), [], axis=0)",
    "m.compress([False, True, False, True, True], m.zeros((0, 3)), axis=1)",
    "m.partition(m.zeros((3, 0, 2)), 7)",
    "m.argpartition(m.zeros((0, 3)), [5, -9])",
    "m.place(m.zeros(3), m.zeros(3), [])",
    "m.nanmedian(x[0], out=m.zeros((2, 2)))",
    "m.nanmedian(x, out=m.zeros(3, 'i2'))",
    "m.take(m.zeros((3, 0)), m.zeros((2, 0), int), axis=1, mode='clip')",
    "m.take(x, [9, -9], axis=0, mode=0)",
    "m.take(x, [9, -9], axis=1, mode=1)",
    "m.take(x, [2, -3], axis=0, mode=None)",
    "m.choose([9, -9], [x, x + 1], mode=0)",
    "m.choose([3, -3, 0, 1], [x, x + 1], mode=1)",
    "m.put(x, [50, -50], 7, mode=0)",
    "m.put(x, [50, -50], 7, mode=1)",
    "m.put(x, [3], 7, mode=None)",
    "m.put(x, m.asarray([3, 4], 'u1'), m.asarray([2j, 3]))",
    "m.arange(3j)",
    "m.arange(0, 3 + 0j)",
    "m.arange(1, 6 + 8j, 2 + 0.5j)",
    "m.arange(1, 6 + 8j, 2 + 0.5j, dtype='c8')",
    "m.arange(m.complex128(2), m.asarray(9 + 9j), 1 + 2j)",
    "m.var(x.astype('f2'), mean=m.full((1, 1), 3.5, 'f4'))",
    "m.var(x.astype('f2'), mean=m.full((1, 1), 3, 'i8'), axis=0)",
    "m.var(x.astype('f2'), mean=2.0)",
    "m.var(x.astype('f4'), mean=m.full((3, 1), 3.5), axis=1, where=x > 2)",
    "m.quantile(x, 0.3, axis=0, out=m.zeros(4, 'f4'))",
    "m.nanquantile(x, [0.3, 0.9], axis=0, out=m.zeros((2, 4), 'i4'))",
    "m.percentile(x, [30, 60], method='lower', axis=1, out=m.zeros((2, 3), 'i8'))",
    "m.nanpercentile(x, 30, out=m.zeros((), 'u1'))",
    "m.nanmedian(x, axis=1, out=m.zeros(3, 'i2'))",
    "m.linspace(1, m.zeros((4, 0), 'f2'), 5)",
    "m.linspace(1, m.arange(3, dtype='f4'), 4)",
    "m.linspace(m.ones(2, 'c8'), -(2**40), 3)",
    "m.linspace(True, m.arange(3, dtype='f2'), 3, endpoint=False)",
    "m.linspace(np.float64(1), m.arange(3, dtype='f4'), 4)",
    "m.linspace(0, m.arange(3, dtype='i2'), 4, retstep=True)[1]",
    "m.cos(m.arange(4), signature=('f4', None))",
    "m.ceil(m.arange(4, dtype='u2'), signature=('f4', None))",
    "m.add(x, 1, signature=('f4', 'f4', None), casting='unsafe')",
    "m.isnan(x, signature=('f4', None), casting='unsafe')",
    "m.sum(x, where=None, initial=5)",
    "m.exp(x, where=None, out=m.ones(x.shape))",
    "m.argmax(x, axis=1, keepdims=None)",
    "m.count_nonzero(x, keepdims=None)",
    "m.array_split(x, 2.0)",
    "m.split(x, np.array(3))",
    "m.vsplit(x, np.array(3))[1]",
    "m.hsplit(x, 2.0)[1]",
    "m.diagflat(x[0], np.array(1))",
    "m.diag(x[1], np.int8(-1))",
    "m.fft.rfft(x.astype('f2'), np.int8(1), norm='forward').real",
    "m.fft.fft(x[:0], np.array(2))",
    "m.allclose(m.arange(3, dtype='i2'), -(2**40))",
    "m.isclose(m.arange(3, dtype='u4'), -1)",
    "m.isclose(3, m.arange(3, dtype='u4'), atol=1)",
    "m.fft.irfftn(x[0].astype('f2'))",
    "m.fft.irfftn(x.astype('f2'), axes=(1, 0))",
    "m.round(x.astype('i4') - 80, -2, m.ones(x.shape))",
    "m.fft.fft2(m.zeros((0, 3, 3)))",
    "m.fft.rfft2(m.zeros((3, 0)), s=(2, 2))",
    "m.tile(x, np.array(2))",
    "m.tile(3, m.asarray(2))",
    "m.array(x, ndmax=1)",
    "m.full((), 2 + 3j, 'i2')",
    "m.full(3, 2j, bool)",
    "m.add.at(x, [], 1)",
    "m.add.reduceat(x, [1.5, 0.5])",
    "m.linalg.matrix_rank(m.zeros((0, 1)), rtol=[0.1])",
    "m.linalg.matrix_rank(x, rtol=[0.1, 0.2])",
    "m.linalg.matrix_rank(x @ x.T, hermitian=True, rtol=[0.1, 0.2])",
    "m.linalg.matrix_rank(x @ x.T, [100.0, 900.0], hermitian=True)",
    "m.var(3, mean=m.zeros((1, 1)))",
    "m.var(x[:, 0], mean=m.zeros((1, 1)))",
    "m.trapezoid(x[0, :2], m.arange(12.0).reshape(3, 2, 2))",
    "m.trapezoid(x[0, :2], m.arange(12.0).reshape(2, 2, 3), axis=0)",
    "m.nanmean(x, where=None)",
    "m.less_equal(2**63, 0, order='C')",
    "m.greater(-(2**70), 2**70, order='C')",
    "m.arctanh(-(2**40), signature=('f4', None))",
    "m.copyto(x, 5, 'no')",
    "m.copyto(x, 5.5, 'equiv')",
    "m.greater.accumulate(x > 2, out=m.zeros(x.shape))",
    "m.logical_or.accumulate(x, axis=1, out=m.zeros(x.shape, 'u2'))",
    "m.hypot.reduce(x, axis=1, initial=0.0, where=x > 2)",
    "m.isfortran(x.T)",
    "m.linalg.norm(x[:3, :3], 'f')",
    "m.linalg.matrix_norm(x, ord='f')",
]

REFUSED = [
    "m.take(m.zeros((0, 3)), [5], axis=0)",
    "m.take(m.zeros((0, 3)), [1], mode='clip')",
    "m.take(m.zeros((2, 0)), [1], axis=1, mode='wrap')",
    "m.copyto(x, 5, 'equiv')",
    "m.hypot.reduce(x[:0])",
    "m.hypot.reduce(x, where=x > 2)",
    "m.heaviside.reduce(x, initial=0.0, where=m.zeros(x.shape, int))",
    "m.frexp.at(x, 0)",
    "m.searchsorted(x[0], 1, sorter=[0, 1])",
    "m.searchsorted(x[0], 1, sorter=[0.5, 1, 2, 3])",
    "m.linalg.multi_dot([x, x.T, x.T])",
    "m.geomspace(m.asarray(1), 2, -1)",
    "m.fft.rfft(m.zeros((2, 0)))",
    "m.fft.ihfft(m.zeros((2, 0)))",
    "m.isfortran([1])",
    "x[0.5]",
    "x[m.float64(1)]",
    "x[m.asarray(0.5)]",
    "x[0.0:, 0.0]",
    "x[{}]",
    "x.flat[m.zeros(9, bool)]",
    "x.flat.__setitem__(m.ones(13, bool), 1)",
    "m.lib.stride_tricks.sliding_window_view(x, (2,))",
    "m.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=0)",
    "m.zeros(2.0)",
    "m.zeros('x')",
    "m.zeros(None)",
    "m.ones((True, 2))",
    "m.full([2, None], 1)",
    "m.sum(x, axis='0')",
    "m.cumsum(x, axis=1.0)",
    "m.max(x, axis=(0, None))",
    "m.zeros(3, order=1)",
    "m.add(x, x, order=True)",
    "m.put(x, [1], 2, mode='bad')",
    "m.put(x[:0], [1], 2)",
    "m.put(x, m.asarray([0.5]), 2)",
    "m.place(x.astype(int), x > 2, m.asarray([0.5]))",
    "m.put_along_axis(m.zeros(0), m.asarray([0, 1]), 2.0, 0)",
    "m.put_along_axis(m.zeros((3, 0)), m.zeros((3, 1), int), 2.0, -1)",
    "m.put_along_axis(x, x > 2, 2.0, 0)",
    "m.round(x > 2, -1)",
    "m.round(x > 2, 1)",
    "m.round(x[0].astype('i4'), -1, m.zeros(4, int))",
    "m.round(x, 1, m.zeros((2, 3, 4)))",
    "m.round(3, out=m.zeros(2))",
    "m.eye(2, order='A')",
    "m.fft.fft(x, True)",
    "m.fft.fft2(m.zeros((0, 3)))",
    "m.fft.irfft2(m.zeros((3, 1)))",
    "m.array(x, ndmin=3, ndmax=2)",
    "m.array(x, ndmax=1.5)",
    "m.asarray(x, 'f4', device='cpu', copy=False)",
    "m.linalg.matrix_rank(x[0], 1, rtol=1)",
    "m.choose([0], [x], mode='bad')",
    "m.choose([0], [x], mode=3)",
    "m.cumsum(x, out=m.zeros((3, 4)))",
    "m.cumprod(x[0], out=m.zeros(3))",
    "m.cumsum(x, axis=0, out=m.zeros((4, 4)))",
    "m.maximum.accumulate(x, axis=0, out=m.zeros((2, 4)))",
    "m.quantile(x, 0.3, axis=0, out=m.zeros(4, 'i4'))",
    "m.percentile(x, 30, method='midpoint', out=m.zeros((), 'i8'))",
    "m.percentile(x, 30, axis=0, method='lower', out=m.zeros(4, 'c16'))",
    "m.average(x[:0], weights=m.zeros((0, 4)))",
    "m.matmul(x, x.T, keepdims=0)",
    "m.vecdot(x, x, keepdims=1)",
    "m.float_power.reduce(x, keepdims='a')",
    "m.heaviside.reduce(x, keepdims=None)",
    "m.kaiser('5', 1.0)",
    "m.hanning('5')",
    "m.bartlett('5')",
    "m.add.at(x[0], m.asarray([0.0]), 1)",
    "m.add.at(x, (0, 0, 0), 1)",
    "m.abs.at(x, [True, False])",
    "m.add.at(x[0], [0, 1], x[0, :3])",
    "m.bitwise_and.at(x, 0, 1)",
    "m.hypot.reduceat(x, m.asarray(1))",
    "m.hypot.reduceat(x, m.asarray([0.0]))",
    "m.tile(x, -1)",
    "m.tile(x, (2, -1))",
    "m.roll(m.zeros((0, 3)), None)",
]

#: What NumPy does since 2.4; lazyarr follows it whichever is installed.
NEWER = (
    "m.array(x, ndmax=1)",
    "m.linalg.matrix_rank(m.zeros((0, 1)), rtol=[0.1])",
    "m.copyto(x, 5, 'no')",
    "m.zeros(None)",
    "m.array(x, ndmin=3, ndmax=2)",
)
if np.lib.NumpyVersion(np.__version__) < "2.4.0":
    VALUES = [text for text in VALUES if text not in NEWER]
    REFUSED = [text for text in REFUSED if text not in NEWER]

#: Of those refused, what NumPy says in the same words.
TEXTS = [
    text
    for text in REFUSED
    if not any(k in text for k in ("reduceat", "'5'", "ndmax=1.5", "kaiser"))
]

COMPLEX = [
    "m.asarray(x * 1j, 'f4')",
    "m.asanyarray(x * 1j, 'i2')",
    "m.ascontiguousarray(x * 1j, float)",
    "m.full_like(x, m.asarray(2j))",
    "m.full((), 2 + 3j, 'i2')",
    "m.full(3, m.asarray(2j), 'f4')",
    "m.var(m.arange(3), mean=m.asarray([1j]))",
    "m.sqrt(x, where=x > 2, out=m.zeros(x.shape, complex))",
]


def _call(text: str) -> Any:
    return lambda m, x: eval(text, {"m": m, "x": x, "np": np})


def _tolerance(text: str) -> float:
    return 1e-15 if "fft" in text or "cos" in text else 0.0


@pytest.mark.parametrize("text", VALUES)
def test_values(text: str) -> None:
    with la.config(immediate=0):
        agree(_call(text), F, rtol=_tolerance(text))


def test_values_of_small_arrays() -> None:
    for text in VALUES:
        agree(_call(text), F, rtol=_tolerance(text))


def test_refusals() -> None:
    for immediate in 0, 4096:
        for text in REFUSED:
            with la.config(immediate=immediate):
                agree(_call(text), F, text=text in TEXTS)


def test_discarded_imaginary_parts_warn() -> None:
    for text in COMPLEX:
        for m in np, la:
            with pytest.warns(np.exceptions.ComplexWarning, match="discards the imaginary part"):
                np.asarray(_call(text)(m, m.asarray(F)))


@pytest.mark.parametrize(
    "name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "ifftn", "rfftn"]
)
def test_factors_of_small_floats_are_rounded_as_by_numpy(name: str) -> None:
    x = np.arange(11, dtype="f2")
    with la.config(immediate=0):
        for norm in None, "forward", "backward", "ortho":
            agree(lambda m, a, norm=norm: getattr(m.fft, name)(a, norm=norm), x, rtol=1e-6)


def test_rows_are_stacked_under_a_deprecated_name() -> None:
    for m in (np, la) if hasattr(np, "row_stack") else (la,):  # NumPy 2.5 has the name no more
        with pytest.warns(DeprecationWarning, match="Use `np.vstack` directly"):
            np.testing.assert_array_equal(m.row_stack([[1, 2], [3, 4]]), [[1, 2], [3, 4]])


def test_sizes_of_transforms_without_axes_are_deprecated_in_numpys_words() -> None:
    texts = []
    for m in np, la:
        for sizes in (2, 3), (None, 3):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                m.fft.fftn(m.asarray(F), sizes)
            texts.append(sorted(str(one.message) for one in caught))
    assert texts[:2] == texts[2:]


@pytest.mark.parametrize("shape", [(0, 0), (2, 0), (0, 2, 0), (1, 0, 0), (1, 0, 2), (2, 1, 0)])
def test_conditions_beyond_axes_of_nothing(shape: tuple[int, ...]) -> None:
    for axis in range(len(shape)):
        results: list[object] = []
        for m in np, la:
            try:
                chosen = m.compress([True, False, False, True], m.zeros(shape), axis=axis)
                results.append(np.asarray(chosen).shape)
            except IndexError as error:
                results.append(str(error).partition("\n")[0])
        assert results[0] == results[1]
