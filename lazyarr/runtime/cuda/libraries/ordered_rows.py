"""Rows in the order of their places, by kernels of our own."""

from __future__ import annotations

import numpy as np

from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import placed_sums, radix_sort
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["look", "ordered_items"]

_U4 = np.dtype(np.uint32)
#: The bits of an item below its place.
_WORD = 8 * _U4.itemsize


def look(work: Work, places: Strided, count: int, mixed: int) -> None:
    """Find out whether places are in no order, for the word at an address.

    Parameters
    ----------
    work : Work
        Queues kernels.
    places : Strided
        The places, contiguous.
    count : int
        How many there are to fall on.
    mixed : int
        The address of the word, which is 0.
    """
    row = tuning.row()
    blocks = min(-(-places.size // (THREADS * row.places_at_once)), row.sort_blocks)
    work.launch_blocks(
        placed_sums.look_source(places.dtype),
        blocks,
        blocks, places.size, count, places.address, mixed, work.report,
    )  # fmt: skip


def ordered_items(
    work: Work,
    places: Strided,
    values: Strided,
    sizes: tuple[int, int, int],
    carried: bool,
    low: int,
    mixed: int,
) -> tuple[Strided, Strided]:
    """Return items in the order of the high bits of their places, and words of the device.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    places, values : Strided
        The places, and the row of each or one number; contiguous.
    sizes : tuple of int
        How many places there are, the numbers of a row, and from one row of values to the next.
    carried : bool
        Whether an item holds the value itself, and not the number of its row.
    low : int
        Bits of a place that are not looked at: what is equal but for these stays as it came.
    mixed : int
        The address of a word that says whether rows are in no order, without which nothing is done.
        Without an address, it is looked.

    Returns
    -------
    Strided
        The items.
    Strided
        Three words that are 0, and whether rows are in no order if that was looked for.
    """
    row = tuning.row()
    count, rows = sizes[0], places.size
    passes, bits = placed_sums.digits_of(count, low)
    digits, kinds = radix_sort.DIGITS, radix_sort.passes(placed_sums.ITEM)
    tile = radix_sort.tile_size(placed_sums.ITEM, False, rows)
    tiles = -(-rows // tile)
    state = radix_sort.state_dtype(rows)
    # How often each digit occurs, the next tile of each pass, and the words; apart from them, what
    # the tiles of each pass publish.
    counters = work.zeros((kinds * digits + kinds + 4,), _U4)
    published = work.empty((passes * tiles * digits,), state)
    tickets = counters.address + 4 * kinds * digits
    words = counters.tail(kinds * digits + kinds)
    blocks = min(-(-rows // (THREADS * row.places_at_once)), row.sort_blocks)
    if not mixed:
        mixed = words.at(3).address
        look(work, places, count, mixed)
    spares = [work.empty((rows,), placed_sums.ITEM) for _ in range(2)]
    work.launch_blocks(
        placed_sums.prepare_source(values.dtype, places.dtype, passes, bits, low, carried),
        blocks,
        blocks, rows, count, published.nbytes // _U4.itemsize, places.address, values.address,
        spares[0].address, counters.address, published.address, mixed, work.report,
    )  # fmt: skip
    scatter = radix_sort.scatter_source(placed_sums.ITEM, False, state, tile, True, bits)
    for k in range(passes):
        kind = kinds // 2 + k
        work.launch_blocks(
            scatter, min(tiles, row.sort_blocks), rows, tiles, kind, _WORD + low + bits * k,
            counters.address, tickets + 4 * kind,
            published.address + k * tiles * digits * state.itemsize, mixed,
            spares[k % 2].address, spares[1 - k % 2].address,
        )  # fmt: skip
    return spares[passes % 2], words
