"""Library calls to compare with NumPy: under the emulator and on a GPU alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.library_algebra import EPILOGUES, PRODUCTS, SOLVERS
from tests.support.library_case import Case, shapes
from tests.support.library_ordering import DISTINCT, EVERY, ORDERING

__all__ = [
    "CASES",
    "DISTINCT",
    "EPILOGUES",
    "ORDERING",
    "PRODUCTS",
    "SOLVERS",
    "TRANSFORMS",
    "Case",
    "check",
]

FFT_DTYPES = ("f4", "f8", "c8", "c16")
TRANSFORMS = [
    Case("fft", lambda xp, a: xp.fft.fft(a), shapes((6, 30)), FFT_DTYPES),
    Case("fft-axis", lambda xp, a: xp.fft.fft(a, axis=0), shapes((30, 7)), FFT_DTYPES),
    Case("fft-cut", lambda xp, a: xp.fft.fft(a, 12), shapes((6, 30)), FFT_DTYPES),
    Case(
        "fft-padded",
        lambda xp, a: xp.fft.fft(a, 45, axis=1, norm="ortho"),
        shapes((6, 30, 2)),
        FFT_DTYPES,
    ),
    Case("fft-turned", lambda xp, a: xp.fft.fft(a.T), shapes((30, 6)), FFT_DTYPES),
    Case("ifft", lambda xp, a: xp.fft.ifft(a), shapes((6, 30)), FFT_DTYPES),
    Case("ifft-forward", lambda xp, a: xp.fft.ifft(a, norm="forward"), shapes((6, 31)), FFT_DTYPES),
    Case("rfft", lambda xp, a: xp.fft.rfft(a), shapes((6, 31)), ("f4", "f8")),
    Case(
        "rfft-axis",
        lambda xp, a: xp.fft.rfft(a, 16, axis=0, norm="forward"),
        shapes((20, 5)),
        ("f4", "f8"),
    ),
    Case("irfft", lambda xp, a: xp.fft.irfft(a), shapes((6, 17)), ("c8", "c16")),
    Case(
        "irfft-odd", lambda xp, a: xp.fft.irfft(a, 31, norm="ortho"), shapes((6, 17)), ("c8", "c16")
    ),
    Case("irfft-axis", lambda xp, a: xp.fft.irfft(a, axis=0), shapes((17, 5)), ("c8", "c16")),
    Case("irfft-real", lambda xp, a: xp.fft.irfft(a), shapes((6, 17)), ("f4", "f8")),
    Case("hfft-real", lambda xp, a: xp.fft.hfft(a, 9), shapes((3, 7)), ("f4", "f8")),
    Case(
        "irfftn-real",
        lambda xp, a: xp.fft.irfftn(a, (6, 9), axes=(2, 0)),
        shapes((5, 2, 8)),
        ("f4", "f8"),
    ),
    Case("hfft", lambda xp, a: xp.fft.hfft(a, 12), shapes((3, 7)), ("c8", "c16")),
    Case("ihfft", lambda xp, a: xp.fft.ihfft(a), shapes((3, 12)), ("f4", "f8")),
    Case("fft2", lambda xp, a: xp.fft.fft2(a), shapes((3, 8, 10)), FFT_DTYPES),
    Case(
        "ifft2",
        lambda xp, a: xp.fft.ifft2(a, s=(9, 6), norm="ortho"),
        shapes((3, 8, 10)),
        FFT_DTYPES,
    ),
    Case("fftn", lambda xp, a: xp.fft.fftn(a), shapes((4, 5, 6)), FFT_DTYPES),
    Case("fftn-four", lambda xp, a: xp.fft.fftn(a), shapes((2, 3, 4, 5)), FFT_DTYPES),
    Case("ifftn-axes", lambda xp, a: xp.fft.ifftn(a, axes=(2, 0)), shapes((4, 5, 6)), FFT_DTYPES),
    Case("rfft2", lambda xp, a: xp.fft.rfft2(a), shapes((3, 8, 10)), ("f4", "f8")),
    Case("rfftn-four", lambda xp, a: xp.fft.rfftn(a), shapes((2, 3, 4, 5)), ("f4", "f8")),
    Case("irfft2", lambda xp, a: xp.fft.irfft2(a), shapes((3, 8, 6)), ("c8", "c16")),
    Case(
        "irfftn-axes",
        lambda xp, a: xp.fft.irfftn(a, (6, 9), axes=(0, 1)),
        shapes((6, 5, 3)),
        ("c8", "c16"),
    ),
    Case("irfftn-four", lambda xp, a: xp.fft.irfftn(a), shapes((2, 3, 4, 5)), ("c8", "c16")),
]


TOLERANCE = dict.fromkeys(EVERY, 0.0) | {
    "f2": 2e-2,
    "f4": 2e-4,
    "c8": 2e-4,
    "f8": 1e-11,
    "c16": 1e-11,
}


def check(case: Case, dtype: str, la: Any, seed: int = 0) -> None:
    """Compare one call with NumPy, evaluated where the settings say."""
    arrays = case.arrays(np.random.default_rng(seed), dtype)
    expected = case.function(np, *arrays)
    lazy = case.function(la, *(la.asarray(a) for a in arrays))
    result = la.evaluate(*lazy) if isinstance(lazy, tuple) else (la.evaluate(lazy),)
    reference = expected if isinstance(expected, tuple) else (expected,)
    for ours, theirs in zip(result, reference, strict=True):
        assert ours.shape == np.shape(theirs), (ours.shape, np.shape(theirs))
        assert ours.dtype == np.asarray(theirs).dtype, (ours.dtype, np.asarray(theirs).dtype)
    if case.invariant is not None:
        result, reference = (case.invariant(*result),), (case.invariant(*reference),)
    for ours, theirs in zip(result, reference, strict=True):
        if case in ORDERING or case in DISTINCT:
            np.testing.assert_array_equal(ours, theirs)
            continue
        scale = float(np.max(np.abs(theirs), initial=1.0, where=np.isfinite(theirs)))
        np.testing.assert_allclose(
            ours, theirs, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale
        )


CASES = (*PRODUCTS, *EPILOGUES, *TRANSFORMS, *SOLVERS, *ORDERING, *DISTINCT)
