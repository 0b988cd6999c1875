"""Kinds and limits of dtypes against NumPy's own answers."""

from __future__ import annotations

import numpy as np
import pytest

from lazyarr.core import dtypes

KNOWN = [np.dtype(code) for code in "?bBhHiIlLqQefdFDSUVOmM"]


@pytest.fixture
def bfloat16() -> np.dtype:
    pytest.importorskip("ml_dtypes")
    return dtypes.bfloat16()


@pytest.mark.parametrize("dtype", KNOWN, ids=str)
def test_numpys_dtypes_are_what_numpy_calls_them(dtype: np.dtype) -> None:
    assert dtypes.kind_of(dtype) == dtype.kind
    assert dtypes.code_of(dtype) == f"{dtype.kind}{dtype.itemsize}"
    assert dtypes.name_of(dtype) == dtype.name
    assert not dtypes.is_bfloat16(dtype)
    assert dtypes.is_narrow(dtype) == (dtype == np.float16)


@pytest.mark.parametrize("dtype", [d for d in KNOWN if d.kind == "f"], ids=str)
def test_limits_are_numpys(dtype: np.dtype) -> None:
    assert dtypes.finfo(dtype) is np.finfo(dtype)


def test_bfloat16_is_a_narrow_float_of_its_own(bfloat16: np.dtype) -> None:
    assert bfloat16.kind == "V"
    assert dtypes.kind_of(bfloat16) == "f"
    assert dtypes.code_of(bfloat16) not in {dtypes.code_of(dtype) for dtype in KNOWN}
    assert dtypes.is_narrow(bfloat16)
    assert dtypes.finfo(bfloat16).nmant == 7


def test_memory_of_two_bytes_and_other_dtypes_of_the_package_are_no_numbers(
    bfloat16: np.dtype,
) -> None:
    import ml_dtypes

    others = [
        np.dtype("V2"),
        np.dtype([("x", bfloat16)]),
        np.dtype(ml_dtypes.float8_e4m3),
        np.dtype(ml_dtypes.int4),
    ]
    for dtype in others:
        assert dtypes.kind_of(dtype) == "V"
        assert not dtypes.is_narrow(dtype)
