"""Fourier transforms: what they store into, and what they refuse."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

#: Transforms, and the length that they give an axis of eight elements.
ONE_AXIS = {"fft": 8, "ifft": 8, "rfft": 5, "ihfft": 5, "irfft": 14}
SHAPES = [
    ((8,), ()),
    ((1, 8), (1,)),
    ((1, 8), (5,)),
    ((2, 8), (1,)),
    ((8,), (2,)),
    ((2, 1, 8), (2, 3)),
    ((2, 1, 8), (5, 3)),
]
#: Shape, ``s=`` and ``axes=`` of transforms along several axes, and the shape of an output.
MANY_AXES: list[tuple[tuple[int, ...], Any, Any, tuple[int, ...]]] = [
    ((2, 8), (2, 4), (0, 1), (2, 4)),
    ((2, 8), (4, 8), (0, 1), (4, 8)),
    ((2, 8), (4, 4), (0, 1), (4, 4)),
    ((1, 4, 8), None, (1, 2), (5, 4, 8)),
    ((1, 4, 8), None, (0, 2), (5, 4, 8)),
    ((1, 4, 8), None, (1, 2), (5, 3, 8)),
    ((1, 4, 8), None, (1, 2), (1, 4, 5)),
    ((1, 4, 8), None, (1, 2), (1, 4, 14)),
    ((8,), None, (0, 0), (5,)),
]


def _agree(name: str, shape: tuple[int, ...], stored: tuple[int, ...], **keywords: Any) -> None:
    """Check that a transform into an output gives NumPy's numbers there, or its refusal."""
    values = np.arange(float(np.prod(shape))).reshape(shape)
    expected, out = np.zeros(stored, complex), la.zeros(stored, complex)
    try:
        getattr(np.fft, name)(values, **keywords, out=expected)
    except ValueError:
        with pytest.raises(ValueError):
            getattr(la.fft, name)(la.asarray(values), **keywords, out=out)
        return
    assert getattr(la.fft, name)(la.asarray(values), **keywords, out=out) is out
    np.testing.assert_allclose(out.compute(), expected, atol=1e-12)


@pytest.mark.parametrize(("shape", "front"), SHAPES)
@pytest.mark.parametrize("name", ONE_AXIS)
def test_outputs_of_one_axis_may_be_longer_along_others(
    name: str, shape: tuple[int, ...], front: tuple[int, ...]
) -> None:
    _agree(name, shape, (*front, ONE_AXIS[name]))
    _agree(name, shape, (*front, ONE_AXIS[name] - 1))


@pytest.mark.parametrize(("shape", "s", "axes", "stored"), MANY_AXES)
@pytest.mark.parametrize("name", ["fftn", "fft2", "ifftn", "rfftn", "irfftn"])
def test_each_transform_stores_into_the_output(
    name: str, shape: tuple[int, ...], s: Any, axes: Any, stored: tuple[int, ...]
) -> None:
    _agree(name, shape, stored, s=s, axes=axes)


def test_outputs_that_numpy_forgets_are_stored_into() -> None:
    values, out = np.arange(8.0), la.zeros((3, 14))
    assert la.fft.hfft(la.asarray(values), out=la.zeros(14)).shape == (14,)
    la.fft.hfft(la.asarray(values)[None], out=out)
    np.testing.assert_allclose(out.compute(), np.broadcast_to(np.fft.hfft(values), (3, 14)))
    with pytest.raises(ValueError):
        la.fft.hfft(la.asarray(values), out=out)
    for name, length in {"ifft2": 8, "irfft2": 14}.items():
        expected, out = getattr(np.fft, name)(values[None]), la.zeros((1, length), complex)
        assert getattr(la.fft, name)(la.asarray(values)[None], out=out) is out
        np.testing.assert_allclose(out.compute(), expected, atol=1e-12)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "rfftn", "irfftn"])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
@pytest.mark.parametrize("sizes", list(itertools.product([None, -1, 1, 5], repeat=2)), ids=str)
def test_sizes_that_are_left_open(name: str, axes: tuple[int, int], sizes: Any) -> None:
    x = np.random.default_rng(3).standard_normal((3, 4))
    expected = getattr(np.fft, name)(x, s=sizes, axes=axes)
    result = getattr(la.fft, name)(la.asarray(x), s=sizes, axes=axes)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


#: Transforms that NumPy does not scale, and whether they take complex numbers.
UNSCALED = {
    "fft": None,
    "rfft": None,
    "ifft": "forward",
    "irfft": "forward",
    "fft2": None,
    "rfft2": None,
    "irfft2": "forward",
    "ifftn": "forward",
}


def test_many_lines_of_float32_have_the_bits_of_numpy() -> None:
    rng = np.random.default_rng(7)
    values = rng.standard_normal((300, 2, 113), np.float32)
    numbers = values + 1j * values[::-1]
    for name, norm in UNSCALED.items():
        x = values if name.startswith("r") else numbers.astype(np.complex64)
        along = [{"axes": (0, 2)}] if name[-1] in "2n" else [{"axis": 0}, {"axis": 2, "n": 100}]
        for keywords in along:
            expected = getattr(np.fft, name)(x, **keywords, norm=norm)
            result = la.evaluate(getattr(la.fft, name)(la.asarray(x), **keywords, norm=norm))
            assert result.dtype == expected.dtype
            assert result.tobytes() == expected.tobytes(), name


def test_spectra_that_float32_cannot_have_are_warned_of() -> None:
    values = np.full((400, 100), 3e38, np.float32)
    with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
        expected = np.fft.rfft(values)
    with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
        result = la.evaluate(la.fft.rfft(la.asarray(values)))
    np.testing.assert_array_equal(result, expected)


def test_a_fault_in_many_lines_is_reported_once() -> None:
    values = np.full((400, 300), 3e38, np.float32)
    calls: list[str] = []
    with np.errstate(all="call", call=lambda kind, _flag: calls.append(kind)):
        np.fft.rfft(values)
        expected, calls[:] = list(calls), []
        la.evaluate(la.fft.rfft(la.asarray(values)))
    assert calls == expected == ["overflow"]
