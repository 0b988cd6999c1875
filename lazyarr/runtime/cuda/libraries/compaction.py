"""Selection by masks (compaction), by kernels of our own."""

from __future__ import annotations

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.runtime.cuda.libraries.kernels import compaction
from lazyarr.runtime.cuda.libraries.registry import on_device
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["refuse_selection", "select"]

_U8, _I8 = np.dtype(np.uint64), np.dtype(np.int64)


def _write_places(work: Work, mask: Strided, places: Strided) -> None:
    """Write the positions, in C order, at which a mask is true: exactly as many as there are."""
    flat = work.contiguous(mask)
    tiles = -(-mask.size // compaction.TILE)
    states = work.zeros((tiles + 1,), _U8)
    work.launch_blocks(
        compaction.places_source(),
        tiles,
        mask.size,
        states.address + 8 * tiles,
        states.address,
        flat.address,
        places.address,
    )


def _refuse_mask(out: Strided, mask: Strided) -> str | None:
    return None if kind_of(mask.dtype) == "b" else f"{mask.dtype.name} is not a mask dtype"


@on_device(np.flatnonzero, "own kernels", _refuse_mask, captured=True)
def _flatnonzero(work: Work, out: Strided, mask: Strided) -> None:
    if out.size:
        _write_places(work, mask, out)


def refuse_selection(out: Strided, values: Strided, mask: Strided) -> str | None:
    """Return the reason for which a selection is left to the host, or None.

    Parameters
    ----------
    out, values : Strided
        Result and source; not looked at.
    mask : Strided
        The mask, which must be of bools.
    """
    return _refuse_mask(out, mask)


def select(work: Work, out: Strided, values: Strided, mask: Strided) -> None:
    """Queue ``values[mask]``; `out` is exactly as long as there are true entries.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : Strided
        As long as there are true entries; contiguous.
    values : Strided
        The source.
    mask : Strided
        Bools, of the shape of the source's first axes.
    """
    if not out.size:
        return
    places = work.empty(out.shape[:1], _I8)
    _write_places(work, mask, places)
    itemsize = min(out.dtype.itemsize, 8)
    total = out.nbytes // itemsize
    work.launch(
        compaction.rows_source(itemsize),
        total,
        total,
        total // out.shape[0],
        work.contiguous(values).address,
        places.address,
        out.address,
    )
