"""Values looked up in sorted vectors: positions and interpolation, by kernels of our own."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.runtime.cuda.libraries.kernels import searching
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_dtype
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES
from lazyarr.runtime.cuda.libraries.registry import on_device
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["refuse_search", "searchsorted"]

_OWN = "own kernels"


def refuse_search(
    out: Strided, a: Strided, v: Strided, side: str = "left", sorter: Any = None
) -> str | None:
    """Return the reason for which a search is left to the host, or None.

    Parameters
    ----------
    out, a, v : Strided
        The positions, the vector and the values.
    side, sorter : object, optional
        As of ``numpy.searchsorted``.
    """
    if sorter is not None:
        return "sorter= is left to NumPy"
    if a.dtype != v.dtype:
        return f"values of {v.dtype.name} searched in {a.dtype.name}"
    if kind_of(a.dtype) not in "biuf":
        return f"no search in {a.dtype.name} on a GPU"
    return None if a.size else "the array is empty"


@on_device(np.searchsorted, _OWN, refuse_search, captured=True)
def searchsorted(
    work: Work, out: Strided, a: Strided, v: Strided, side: str = "left", sorter: Any = None
) -> None:
    """Queue a search for the positions at which values would keep a vector sorted.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out, a, v : Strided
        The positions, integers that hold the vector's length; the vector and the values.
    side, sorter : object, optional
        As of ``numpy.searchsorted``.
    """
    vector, values = work.contiguous(a), work.contiguous(v)
    sample = searching.sampling(a.size, key_dtype(a.dtype).itemsize, v.size)
    blocks = searching.blocks_of(sample.nbytes, v.size)
    work.launch_blocks(
        searching.search_source(a.dtype, side == "right", out.dtype, sample.nbytes),
        blocks,
        blocks,
        v.size,
        a.size,
        sample.stride,
        sample.samples,
        sample.first_step,
        vector.address,
        values.address,
        out.address,
        threads=searching.threads_of(sample.nbytes),
    )


def _refuse_digits(out: Strided, x: Strided, bins: Strided, right: bool = False) -> str | None:
    return refuse_search(out, bins, x)


@on_device(np.digitize, _OWN, _refuse_digits)
def _digitize(work: Work, out: Strided, x: Strided, bins: Strided, right: bool = False) -> None:
    edges = work.download(bins)
    np.digitize(np.empty(0), edges, right)  # NumPy judges their order
    falls = bool(edges[0] > edges[-1])
    if falls:
        # Between falling edges a value has as many before it as there are larger ones.
        edges = edges[::-1]
    searchsorted(work, out, work.upload(edges), x, "left" if right else "right")
    if falls:
        work.launch(searching.mirror_source(), out.size, out.size, edges.size, out.address)


def _refuse_interp(
    out: Strided,
    x: Strided,
    xp: Strided,
    fp: Strided,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> str | None:
    if period is not None:
        return "period= is left to NumPy"
    if any(isinstance(side, Strided) for side in (left, right)):
        return "a value beyond the points that is an array"
    for array in (x, xp, fp):
        if array.dtype not in NAMES:
            return f"no interpolation of {array.dtype.name} on a GPU"
    return None


@on_device(np.interp, _OWN, _refuse_interp, captured=True)
def _interp(
    work: Work,
    out: Strided,
    x: Strided,
    xp: Strided,
    fp: Strided,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> None:
    points, heights, values = work.contiguous(xp), work.contiguous(fp), work.contiguous(x)
    sample = searching.sampling(
        xp.size, searching.compared_dtype(xp.dtype, x.dtype).itemsize, x.size
    )
    blocks = searching.blocks_of(sample.nbytes, x.size)
    work.launch_blocks(
        searching.interpolate_source(xp.dtype, fp.dtype, x.dtype, sample.nbytes),
        blocks,
        blocks,
        x.size,
        xp.size,
        sample.stride,
        sample.samples,
        sample.first_step,
        left is not None,
        right is not None,
        0.0 if left is None else float(left),
        0.0 if right is None else float(right),
        points.address,
        heights.address,
        values.address,
        out.address,
        threads=searching.threads_of(sample.nbytes),
    )
