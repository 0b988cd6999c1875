"""Medians and quantiles of sorted rows, by kernels of our own."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.axis_numbers import normalize_axes
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cuda.libraries.kernels import order_statistics
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES
from lazyarr.runtime.cuda.libraries.registry import on_device
from lazyarr.runtime.cuda.libraries.sorting import refuse_order, sorted_rows
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__: list[str] = []

_OWN = "own kernels"
_F8 = np.dtype(np.float64)


def _rows(a: Strided, axis: Any) -> Strided:
    """Return the array with the axes along which it is reduced put last."""
    axes = normalize_axes(axis, a.ndim)
    return a.permuted([*(k for k in range(a.ndim) if k not in axes), *axes])


def _length(a: Strided, axis: Any) -> int:
    return prod(a.shape[k] for k in normalize_axes(axis, a.ndim))


def _sorted(work: Work, a: Strided, axis: Any) -> Strided:
    """Return the elements of each row in order, as a matrix."""
    length = _length(a, axis)
    rows = work.contiguous(_rows(a, axis)).seen((a.size // length, length))
    return sorted_rows(work, rows)


def _refuse_elements(a: Strided, axis: Any, skips_nan: bool) -> str | None:
    if a.dtype not in NAMES or (skips_nan and kind_of(a.dtype) != "f"):
        return f"no order statistics of {a.dtype.name} on a GPU"
    return refuse_order(a, _length(a, axis))


def _mean_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if kind_of(dtype) == "f" else _F8


@dataclass(frozen=True, slots=True)
class _Median:
    """The median of rows, as NumPy computes it.

    Attributes
    ----------
    skips_nan : bool
        Whether NaN do not count.
    """

    skips_nan: bool

    def refuse(
        self, out: Strided, a: Strided, axis: Any = None, keepdims: Any = False
    ) -> str | None:
        """Return the reason for which the host computes it, or None.

        Parameters
        ----------
        out : Strided
            The result.
        a, axis, keepdims
            As those of ``numpy.median``.
        """
        return _refuse_elements(a, axis, self.skips_nan)

    def run(
        self, work: Work, out: Strided, a: Strided, axis: Any = None, keepdims: Any = False
    ) -> None:
        """Queue it.

        Parameters
        ----------
        work : Work
            Where to queue it.
        out : Strided
            The result.
        a, axis, keepdims
            As those of ``numpy.median``.
        """
        rows = _sorted(work, a, axis)
        source = order_statistics.median_source(a.dtype, out.dtype, self.skips_nan)
        work.launch(source, out.size, *rows.shape, rows.address, out.address)


@dataclass(frozen=True, slots=True)
class _Quantile:
    """Quantiles of rows, as NumPy computes them.

    Attributes
    ----------
    percent : bool
        Whether shares are of 100.
    skips_nan : bool
        Whether NaN do not count.
    """

    percent: bool
    skips_nan: bool

    def refuse(
        self,
        out: Strided,
        a: Strided,
        q: Any,
        axis: Any = None,
        method: str = "linear",
        keepdims: Any = False,
        weights: Any = None,
    ) -> str | None:
        """Return the reason for which the host computes them, or None.

        Parameters
        ----------
        out : Strided
            The result.
        a, q, axis, method, keepdims, weights
            As those of ``numpy.quantile``.
        """
        if weights is not None:
            return "weights= is left to NumPy"
        if method not in order_statistics.PLACES:
            return f"no quantiles by the method {method!r} on a GPU"
        refused = _refuse_elements(a, axis, self.skips_nan)
        if refused is not None:
            return refused
        if isinstance(q, Strided) and q.dtype not in NAMES:
            return f"shares of {q.dtype.name}"
        whole = kind_of(q.dtype) != "f" if isinstance(q, Strided) else not isinstance(q, float)
        if whole and not self.percent:
            return "shares that are integers"
        if isinstance(q, Strided) and q.ndim > 1 and self.skips_nan:
            return "shares of several axes"
        share: Any = 0.5
        if isinstance(q, Strided):
            share = _mean_dtype(q.dtype)
        expected = np.result_type(a.dtype, share)
        if method in order_statistics.PICKED:
            expected = a.dtype
        # Releases of NumPy differ in that.
        return None if out.dtype == expected else f"quantiles of {out.dtype.name}"

    def run(
        self,
        work: Work,
        out: Strided,
        a: Strided,
        q: Any,
        axis: Any = None,
        method: str = "linear",
        keepdims: Any = False,
        weights: Any = None,
    ) -> None:
        """Queue them.

        Parameters
        ----------
        work : Work
            Where to queue it.
        out : Strided
            The result.
        a, q, axis, method, keepdims, weights
            As those of ``numpy.quantile``.
        """
        rows = _sorted(work, a, axis)
        listed = isinstance(q, Strided)
        shares = work.contiguous(q) if listed else None
        source = order_statistics.quantile_source(
            a.dtype, q.dtype if listed else _F8, out.dtype, method, self.percent, self.skips_nan
        )
        work.launch(
            source,
            out.size,
            out.size,
            *rows.shape,
            0.0 if listed else float(q),
            0 if shares is None else shares.address,
            rows.address,
            out.address,
        )


_STATISTICS: dict[Callable[..., Any], _Median | _Quantile] = {
    np.median: _Median(False),
    np.nanmedian: _Median(True),
    np.quantile: _Quantile(False, False),
    np.nanquantile: _Quantile(False, True),
    np.percentile: _Quantile(True, False),
    np.nanpercentile: _Quantile(True, True),
}
for _function, _statistic in _STATISTICS.items():
    on_device(_function, _OWN, _statistic.refuse, captured=True)(_statistic.run)
