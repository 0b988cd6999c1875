"""Transforms of many lines by NumPy's loops, on several threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cpu import transform_jobs, transforms
from lazyarr.runtime.cpu.numpy_loops import COMPILED
from lazyarr.runtime.cpu.transforms import transform_in_single, transform_of

pytestmark = [
    pytest.mark.host,
    pytest.mark.skipif(COMPILED is None, reason="NumPy computes without the extension module"),
]

Array = np.ndarray[Any, Any]


def _lines(shape: tuple[int, ...], letter: str) -> Array:
    random = np.random.default_rng(5)
    lines = random.standard_normal(shape)
    return (
        (lines + 1j * random.standard_normal(shape)).astype(letter)
        if letter in "FD"
        else (lines.astype(letter))
    )


def _same(name: str, x: Array, threads: int = 3, **options: Any) -> None:
    expected = getattr(np.fft, name)(x, **options)
    with la.config(threads=threads):
        result = transform_of(name)(x, **options)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", sorted(transform_jobs.NAMES))
@pytest.mark.parametrize("letter", ["f", "d", "F", "D"])
def test_lines_have_numpys_bits(name: str, letter: str) -> None:
    if name in ("rfft", "irfft") and (letter in "FD") != (name == "irfft"):
        return
    for shape, axis in (
        ((8195,), 0),
        ((67, 131), 1),
        ((67, 131), 0),
        ((6, 150, 11), 1),
        ((2, 9000), -1),
    ):
        x = _lines(shape, letter)
        for n in (None, shape[axis] - 1, shape[axis] + 4):
            _same(name, x, n=n, axis=axis)
            _same(name, x, threads=1, n=n, axis=axis, norm="forward")
        _same(name, x, axis=axis, norm="ortho")


@pytest.mark.parametrize("letter", ["d", "F", "D"])
def test_infinities_and_nans_have_numpys_signs(letter: str) -> None:
    x = _lines((31, 300), letter)
    x[4, 3], x[10, 290], x[30, 0] = np.nan, np.inf, -np.nan
    with np.errstate(all="ignore"):
        _same("fft", x)
        _same("ifft", x, norm="ortho")


@pytest.mark.parametrize(("name", "letter"), [("fft2", "D"), ("rfft2", "f"), ("irfftn", "F")])
def test_several_axes(name: str, letter: str) -> None:
    _same(name, _lines((90, 122), letter), axes=(0, 1))
    _same(name, _lines((90, 122), letter), axes=(1, 0), s=(100, 91))


def test_results_are_stored_where_they_are_asked_for() -> None:
    x = _lines((40, 256), "D")
    expected = np.fft.fft(x)
    apart = np.empty((40, 512), "D")[:, ::2]
    for out in (np.empty_like(x), apart, x):
        assert transform_of("fft")(x, out=out) is out
        assert np.array_equal(out, expected)


def test_faults_are_reported_once_and_as_numpy_does() -> None:
    x = np.full((64, 256), 1e308)
    for state in ("warn", "raise"):
        messages = []
        for transform in (np.fft.rfft, transform_of("rfft")):
            with np.errstate(all=state):  # type: ignore[call-overload]
                if state == "raise":
                    with pytest.raises(FloatingPointError) as error:
                        transform(x)
                    messages.append([str(error.value)])
                else:
                    with pytest.warns(RuntimeWarning) as caught:
                        transform(x)
                    messages.append([str(each.message) for each in caught])
        assert messages[0] == messages[1]


def test_transforms_leave_the_callers_flags_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transforms, "is_reported", lambda bits: pytest.fail(str(bits)))
    _same("fft", _lines((64, 256), "D"))


def test_few_elements_and_single_lines_are_numpys() -> None:
    with la.config(threads=2):
        assert transform_jobs.job_of("fft", np.dtype("D"), (9,), (16,), None, 0, None, 2) is None
        assert transform_of("fft")(np.ones((2, 3))).tolist() == np.fft.fft(np.ones((2, 3))).tolist()


@pytest.mark.parametrize("bad", [{"n": 0}, {"axis": 2}, {"norm": "none"}])
def test_errors_are_numpys(bad: dict[str, Any]) -> None:
    x = np.ones((128, 128))
    with pytest.raises(Exception) as expected:
        np.fft.fft(x, **bad)
    with pytest.raises(type(expected.value)) as error:
        transform_of("fft")(x, **bad)
    assert str(error.value) == str(expected.value)


@pytest.mark.parametrize("name", sorted(transform_jobs.NAMES))
def test_transforms_in_single_precision(name: str) -> None:
    x = _lines((3, 40), "f" if name == "rfft" else "F")
    for norm in (None, "forward", "ortho"):
        result = transform_in_single(name)(x, norm=norm)
        expected = getattr(np.fft, name)(x, norm=norm)
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected, rtol=0, atol=2e-6 * abs(expected).max())
    wide = x.astype(np.result_type(x, np.float64))
    assert transform_in_single(name)(wide).tobytes() == getattr(np.fft, name)(wide).tobytes()
