"""Kernels that take medians and quantiles of sorted rows: CUDA C without a header."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["PICKED", "PLACES", "median_source", "quantile_source"]

DType = np.dtype[Any]


def _hyndman_fan(alpha: float, beta: float) -> str:
    """Return the place of a quantile by two constants [1]_.

    .. [1] R. J. Hyndman, Y. Fan, "Sample quantiles in statistical packages", The American
       Statistician 50 (1996), 361-365.
    """
    return f"(T)count * q + ((T){alpha!r} + q * (T){1 - alpha - beta!r}) - 1"


_ALONG = "(T)(count - 1) * q"
#: The place of a quantile among `count` elements in order, by method, in its own dtype ``T``.
PLACES = {
    "linear": _ALONG,
    "lower": f"floor({_ALONG})",
    "higher": f"ceil({_ALONG})",
    "nearest": f"rint({_ALONG})",
    "midpoint": f"(T)0.5 * (floor({_ALONG}) + ceil({_ALONG}))",
    "averaged_inverted_cdf": "(T)count * q - 1",
    "interpolated_inverted_cdf": _hyndman_fan(0, 1),
    "hazen": _hyndman_fan(0.5, 0.5),
    "weibull": _hyndman_fan(0, 0),
    "median_unbiased": _hyndman_fan(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _hyndman_fan(3 / 8.0, 3 / 8.0),
}
#: The methods that take an element as it is.
PICKED = frozenset(("lower", "higher", "nearest"))
#: Other weights of the element behind the place than its fraction.
_WEIGHTS = {
    "midpoint": "(T)(floor(place) == place ? 0.0 : 0.5)",
    "averaged_inverted_cdf": "(T)(part == 0 ? 0.5 : 1.0)",
}


def _count(dtype: DType, skips_nan: bool) -> tuple[str, str]:
    """Return the C text and the expression for the number of elements that count."""
    if not skips_nan:
        return "", "length"
    text = kernel_text("order_statistics.cuh", "valid", number=NAMES[dtype])
    return text, "valid(row, length)"


@cache
def median_source(dtype: DType, result: DType, skips_nan: bool) -> Source:
    """Return the kernel that takes the median of each sorted row.

    Parameters
    ----------
    dtype, result : numpy.dtype
        Of the elements and of the medians.
    skips_nan : bool
        Whether NaN do not count, or else the median of a row with NaN is NaN.
    """
    before, count = _count(dtype, skips_nan)
    text = before + kernel_text(
        "order_statistics.cuh",
        "median",
        threads=THREADS,
        number=NAMES[dtype],
        result=NAMES[result],
        count=count,
    )
    return kernel_source(text, int64s("rows", "length"), {"sorted": dtype, "to": result})


@cache
def quantile_source(
    dtype: DType, listed: DType, result: DType, method: str, percent: bool, skips_nan: bool
) -> Source:
    """Return the kernel that takes quantiles of sorted rows, all of one share side by side.

    Parameters
    ----------
    dtype, listed, result : numpy.dtype
        Of the elements, of the shares and of the quantiles. Shares that are integers are numbers of
        float64.
    method : str
        NumPy's method, of :data:`PLACES`.
    percent : bool
        Whether shares are of 100, or else of 1.
    skips_nan : bool
        Whether NaN do not count, or else the quantile of a row with NaN is NaN.
    """
    before, count = _count(dtype, skips_nan)
    share = listed if kind_of(listed) == "f" else np.dtype(np.float64)
    name = NAMES[share]
    text = before + kernel_text(
        "order_statistics.cuh",
        "quantile",
        threads=THREADS,
        number=NAMES[dtype],
        share=name,
        listed=NAMES[listed],
        result=NAMES[result],
        count=count,
        scaled=f"asked / ({name})100" if percent else "asked",
        place=PLACES[method].replace("(T)", f"({name})"),
        picked=int(method in PICKED),
        weight=_WEIGHTS.get(method, "part").replace("(T)", f"({name})"),
    )
    return kernel_source(
        text,
        {**int64s("total", "rows", "length"), "share": share},
        {"shares": listed, "sorted": dtype, "to": result},
    )
