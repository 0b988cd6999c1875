"""Sorting and searching, by kernels of our own."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lazyarr.runtime.libraries import sort_kernels
from lazyarr.runtime.libraries.strided import Strided
from lazyarr.runtime.libraries.table import on_device
from lazyarr.runtime.libraries.work import Work

__all__: list[str] = []

_OWN = "own kernels"
_U4 = np.dtype(np.uint32)
#: Positions in a row are 32 bits wide, and one value marks the end.
_LONGEST = (1 << 32) - 2


def _refuse(out: Strided, a: Strided, *others: Any, **keywords: Any) -> str | None:
    if a.dtype.kind not in "biuf":
        return f"no order of {a.dtype.name} on a GPU"
    if not a.size:
        return "the array is empty"
    if a.shape[keywords.get("axis", -1)] > _LONGEST:
        return f"more than {_LONGEST:,} elements along the axis"
    return None


def _sorted_places(work: Work, rows: Strided) -> Strided:
    """Return the positions that sort each row of a contiguous array, stably."""
    length, total = rows.shape[-1], rows.size
    dtype = sort_kernels.key_dtype(rows.dtype)
    keys, places = work.empty((total,), dtype), work.empty((total,), _U4)
    tiles = -(-length // sort_kernels.TILE)
    work.launch_blocks(
        sort_kernels.tile_source(rows.dtype),
        total // length * tiles,
        length,
        tiles,
        rows.address,
        keys.address,
        places.address,
    )
    if tiles == 1:
        return places
    merged_keys, merged_places = work.empty((total,), dtype), work.empty((total,), _U4)
    merge = sort_kernels.merge_source(dtype)
    width = sort_kernels.TILE
    while width < length:
        work.launch_blocks(
            merge,
            total // length * tiles,
            length,
            width,
            tiles,
            keys.address,
            places.address,
            merged_keys.address,
            merged_places.address,
        )
        keys, merged_keys = merged_keys, keys
        places, merged_places = merged_places, places
        width *= 2
    return places


def _deliver(work: Work, out: Strided, a: Strided, axis: int, itemsize: int) -> None:
    """Sort along an axis, and write the elements or, with no `itemsize`, the positions."""
    last = a.moved_last(axis)
    rows = work.contiguous(last)
    target = out.moved_last(axis)
    places = _sorted_places(work, rows)
    made = target if target.contiguous else work.empty(target.shape, out.dtype)
    total = prod(rows.shape)
    work.launch(
        sort_kernels.pick_source(itemsize),
        total,
        total,
        rows.shape[-1],
        rows.address,
        places.address,
        made.address,
    )
    if made is not target:
        work.copy(made, target)


@on_device(np.sort, _OWN, _refuse, captured=True)
def _sort(
    work: Work, out: Strided, a: Strided, axis: int = -1, kind: Any = None, stable: Any = None
) -> None:
    _deliver(work, out, a, axis, a.dtype.itemsize)


@on_device(np.argsort, _OWN, _refuse, captured=True)
def _argsort(
    work: Work, out: Strided, a: Strided, axis: int = -1, kind: Any = None, stable: Any = None
) -> None:
    _deliver(work, out, a, axis, 0)


def _refuse_search(
    out: Strided, a: Strided, v: Strided, side: str = "left", sorter: Any = None
) -> str | None:
    if sorter is not None:
        return "sorter= is left to NumPy"
    if a.dtype != v.dtype:
        return f"{v.dtype.name} among {a.dtype.name}"
    return _refuse(out, a)


@on_device(np.searchsorted, _OWN, _refuse_search, captured=True)
def _searchsorted(
    work: Work, out: Strided, a: Strided, v: Strided, side: str = "left", sorter: Any = None
) -> None:
    vector, values = work.contiguous(a), work.contiguous(v)
    work.launch(
        sort_kernels.search_source(a.dtype, side == "right"),
        v.size,
        v.size,
        a.size,
        vector.address,
        values.address,
        out.address,
    )
