"""Rows at places in no order, by kernels of our own: whether they are, their order, their sums.

Each way to add them up without it leaves all to other kernels where it finds that rows are in order
after all, or that too many fall on one place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import (
    bucket_rows,
    ordered_sums,
    partitioned_sums,
    placed_sums,
    radix_sort,
)
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.partitioned_sums import Buckets
from lazyarr.runtime.cuda.libraries.placed_rows import PlacedRows
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = [
    "Cleared",
    "add_unordered",
    "cleared_words",
    "has_buckets",
    "look",
    "ordered_items",
]

#: Returns so many words of the device that are 0.
Cleared = Callable[[int], Strided]

_U4 = np.dtype(np.uint32)
#: The bits of an item below its place.
_WORD = 8 * _U4.itemsize


def cleared_words(work: Work) -> Cleared:
    """Return the function that takes words, from memory that is cleared at once.

    To clear a few words delays the next kernel by up to four microseconds. There are enough for
    what decides whether rows are in order, for their tiles, and to put them in order twice.

    Parameters
    ----------
    work : Work
        Lends memory for one call.
    """
    kinds = radix_sort.passes(placed_sums.ITEM)
    left = [work.zeros((8 + 2 * _order_words(kinds),), _U4)]

    def take(size: int) -> Strided:
        words = left.pop()
        left.append(words.tail(size))
        return words.cut((size,))

    return take


def _order_words(kinds: int) -> int:
    """Return the words to order by digits: their counts, the next tile of each, and four more."""
    return kinds * radix_sort.DIGITS + kinds + 4


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
    work: Work, sums: PlacedRows, carried: bool, low: int, mixed: int, cleared: Cleared
) -> tuple[Strided, Strided]:
    """Return items in the order of the high bits of their places, and words of the device.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    sums : PlacedRows
        What is added where.
    carried : bool
        Whether an item holds the value itself, and not the number of its row.
    low : int
        Bits of a place that are not looked at: what is equal but for these stays as it came.
    mixed : int
        The address of a word that says whether rows are in no order, without which nothing is done.
        Without an address, it is looked.
    cleared : callable
        Returns words that are 0.

    Returns
    -------
    Strided
        The items.
    Strided
        Three words that are 0, and whether rows are in no order if that was looked for.
    """
    row = tuning.row()
    count, rows, places, values = sums.count, sums.rows, sums.places, sums.source
    passes, bits = placed_sums.digits_of(count, low)
    digits, kinds = radix_sort.DIGITS, radix_sort.passes(placed_sums.ITEM)
    tile = radix_sort.tile_size(placed_sums.ITEM, False, rows)
    tiles = -(-rows // tile)
    state = radix_sort.state_dtype(rows)
    # How often each digit occurs, the next tile of each pass, and the words; apart from them, what
    # the tiles of each pass publish.
    counters = cleared(_order_words(kinds))
    published = work.empty((passes * tiles * digits,), state)
    tickets = counters.address + 4 * kinds * digits
    words = counters.tail(kinds * digits + kinds)
    blocks = min(-(-rows // (THREADS * row.places_at_once)), row.sort_blocks)
    if not mixed:
        mixed = words.at(3).address
        look(work, places, count, mixed)
    spares = [work.empty((rows,), placed_sums.ITEM) for _ in range(2)]
    steps, kinds_of_numbers = sums.steps if carried else "", (values.dtype, places.dtype)
    work.launch_blocks(
        ordered_sums.prepare_source(*kinds_of_numbers, passes, bits, low, carried, steps),
        blocks,
        blocks, rows, count, published.nbytes // _U4.itemsize, places.address, values.address,
        spares[0].address, counters.address, published.address, mixed, work.report,
        *(sums.numbers if carried else ()),
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


def add_unordered(work: Work, sums: PlacedRows, needed: int, cleared: Cleared) -> Strided | None:
    """Queue the sums of rows that are taken to lie in no order, or nothing if they had better not.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    sums : PlacedRows
        What is added where.
    needed : int
        The address of a word that says whether rows are in no order, without which nothing is done.
        Without an address, it is looked.
    cleared : callable
        Returns words that are 0.

    Returns
    -------
    Strided or None
        Two words of the device: whether all is to be computed otherwise, because a place has many
        rows or because they are in order; whether they are to be put in order.
    """
    row, rows, count, width = tuning.row(), sums.rows, sums.count, sums.width
    if _fits_tiles(sums):
        return _add_by_tiles(work, sums, needed, cleared)
    if _fits_lists(sums):
        return _add_by_lists(work, sums, needed, cleared)
    if row.places_few < rows <= row.places_linked_rows:
        slots = next((n for most, n in row.places_slots if rows <= count * most), 0)
        if rows <= count * row.places_linked:
            if width < row.places_wide or rows <= row.places_linked_wide:
                return _add_linked(work, sums, needed)
        elif slots:
            return _add_by_slots(work, sums, needed, slots)
    if needed and rows < count * row.places_of_warp:
        is_sparse = rows <= count * row.buckets_each and width < row.places_wide
        if rows <= row.buckets_rows or is_sparse:
            return _add_by_buckets(work, sums, needed, cleared)
    return None


def has_buckets(sums: PlacedRows) -> bool:
    """Return whether rows in no order are added up bucket by bucket, from tiles."""
    return _fits_tiles(sums) or _fits_lists(sums)


def _fits_tiles(sums: PlacedRows) -> bool:
    """Return whether there are many narrow rows, and as many places as blocks have room for."""
    row, rows, count, width = tuning.row(), sums.rows, sums.count, sums.width
    if width > row.partition_width or sums.step != width or rows < row.partition_rows:
        return False
    if rows >= count * row.places_of_warp:
        return False
    has_few = rows <= row.partition_each * count or rows >= row.partition_many
    if width > 1 and (rows < row.partition_wide or not has_few):
        return False
    owned = _owned(sums)
    if owned is not None:
        buckets = owned
    else:
        buckets = partitioned_sums.moved_buckets(rows, count, width * sums.out.dtype.itemsize)
    is_dense = row.partition_least > 1 << buckets.low
    has_room = buckets.most <= row.partition_buckets
    is_even = owned is not None or buckets.longest <= row.rounds_threads * row.rounds_batch
    is_fit = has_room and is_even and not is_dense
    return is_fit and partitioned_sums.has_bits(count, buckets)


def _owned(sums: PlacedRows) -> Buckets | None:
    """Return the buckets of single numbers whose threads have places of their own, if there are."""
    if sums.width > 1:
        return None
    # Imported here, as other writers of kernels below: most programs need none of them.
    from lazyarr.runtime.cuda.libraries.kernels import owned_sums

    return owned_sums.owned_buckets(sums.rows, sums.count, sums.out.dtype.itemsize)


def _fits_lists(sums: PlacedRows) -> bool:
    """Return whether there are many wide rows, which blocks have room to list."""
    row, rows, count, width = tuning.row(), sums.rows, sums.count, sums.width
    if width < row.lists_width or sums.step != width or rows < row.lists_rows:
        return False
    buckets = bucket_rows.row_buckets(rows, count)
    has_room = buckets.most <= row.partition_buckets and rows < count * row.places_of_warp
    return has_room and partitioned_sums.has_bits(count, buckets)


def _add_linked(work: Work, sums: PlacedRows, needed: int) -> Strided:
    """Add up places of few rows each, if it is `needed`."""
    row, rows, count = tuning.row(), sums.rows, sums.count
    heads = work.zeros((count + 3,), _U4)
    result = heads.tail(count)
    other, mixed = result.address, heads.at(count + 2).address
    looks = rows >= row.places_looked and not needed
    if looks:
        look(work, sums.places, count, mixed)
    links = work.empty((rows,), _U4)
    work.launch(
        placed_sums.link_source(sums.places.dtype),
        -(-rows // row.places_at_once),
        rows, count, needed, sums.places.address, mixed if looks else 0, heads.address,
        links.address, other, work.report,
    )  # fmt: skip
    each = row.places_sums if sums.out.size >= row.places_many else 1
    work.launch(
        placed_sums.linked_source(sums.out.dtype, sums.values.dtype, row.places_of_list, each),
        -(-sums.out.size // each),
        *sums.sizes, sums.lead, needed, heads.address, links.address, sums.values.address,
        sums.start.address, sums.out.address, other,
    )  # fmt: skip
    return result


def _add_by_slots(work: Work, sums: PlacedRows, needed: int, slots: int) -> Strided:
    """Add up places of some rows each, if it is `needed`."""
    from lazyarr.runtime.cuda.libraries.kernels import slotted_sums

    row, rows, count, width = tuning.row(), sums.rows, sums.count, sums.width
    words = work.zeros((2 * count + 3,), _U4)
    taken, heads = words.address, words.at(count).address
    result = words.tail(2 * count)
    other, mixed = result.address, words.at(2 * count + 2).address
    looks = rows >= row.places_looked and not needed
    if looks:
        look(work, sums.places, count, mixed)
    links, memory = work.empty((rows,), _U4), work.empty((count * slots,), _U4)
    work.launch(
        slotted_sums.slot_source(sums.places.dtype, slots),
        -(-rows // row.places_at_once),
        rows, count, needed, sums.places.address, mixed if looks else 0, taken, heads,
        memory.address, links.address, other, work.report,
    )  # fmt: skip
    sorts = width < row.places_wide
    if not sorts:
        order = slotted_sums.order_source(slots)
        work.launch(order, count, count, needed, taken, memory.address, other)
    work.launch(
        slotted_sums.slotted_source(
            sums.out.dtype, sums.values.dtype, slots, row.places_of_list, sorts
        ),
        sums.out.size,
        *sums.sizes, sums.lead, needed, taken, heads, memory.address, links.address,
        sums.values.address, sums.start.address, sums.out.address, other,
    )  # fmt: skip
    return result


def _add_by_buckets(work: Work, sums: PlacedRows, needed: int, cleared: Cleared) -> Strided:
    """Add up rows that are put in the order of ranges of places, if it is `needed`."""
    from lazyarr.runtime.cuda.libraries.kernels import bucket_sums

    row, rows, count, width = tuning.row(), sums.rows, sums.count, sums.width
    carried = placed_sums.carries(sums.out.dtype, sums.values.dtype, sums.step, width)
    low = bucket_sums.bucket_bits(rows, count)
    items, words = ordered_items(work, sums, carried, low, needed, cleared)
    dense = bucket_sums.is_dense(low)
    blocks = min(((count - 1) >> low) + 1, row.sort_blocks)
    kinds = sums.out.dtype, sums.values.dtype, sums.places.dtype, carried, width == 1, dense
    work.launch_blocks(
        bucket_sums.bucket_source(*kinds),
        blocks,
        blocks, rows, *sums.sizes, sums.lead, low, row.buckets_most, needed, sums.places.address,
        sums.values.address,
        items.address, sums.start.address, sums.out.address, words.address, work.report,
    )  # fmt: skip
    return words


def _add_by_tiles(work: Work, sums: PlacedRows, needed: int, cleared: Cleared) -> Strided:
    """Add up rows that each tile puts in the order of buckets, if it is `needed`."""
    row, rows, count, width = tuning.row(), sums.rows, sums.count, sums.width
    kinds = sums.out.dtype, sums.values.dtype
    row_bytes = width * sums.out.dtype.itemsize
    buckets = partitioned_sums.unmoved_buckets(rows, count, row_bytes)
    in_use = ((count - 1) >> buckets.low) + 1
    nbytes = partitioned_sums.gathered_bytes(sums.out.dtype, buckets.low, width)
    moves = width == 1 or not partitioned_sums.has_room(in_use, nbytes)
    if moves:
        buckets = partitioned_sums.moved_buckets(rows, count, row_bytes)
    owned = _owned(sums)
    if owned is not None:
        buckets = owned
    in_use = -(-count // buckets.places)
    moved = work.empty((rows * width if moves else 0,), sums.values.dtype)
    words = cleared(2)
    starts, near = _partition(work, sums, buckets, needed, moved, words)
    most = max(row.partition_steps, rows // row.partition_share)
    ends = sums.start.address, sums.out.address, words.address
    if owned is not None:
        from lazyarr.runtime.cuda.libraries.kernels import owned_sums

        work.launch_blocks(
            owned_sums.owned_source(*kinds, buckets),
            in_use,
            rows, count, sums.lead, most, needed, starts.address, near.address, moved.address,
            *ends,
            threads=row.owned_threads,
        )  # fmt: skip
    elif moves:
        work.launch_blocks(
            partitioned_sums.bucket_source(*kinds, buckets, width),
            in_use,
            rows, count, sums.lead, most, needed, starts.address, near.address, moved.address,
            *ends,
            threads=row.rounds_threads,
        )  # fmt: skip
    else:
        span = partitioned_sums.span_of(in_use, buckets.tile)
        work.launch_blocks(
            partitioned_sums.gathered_source(*kinds, buckets, width, span, sums.steps),
            in_use,
            rows, count, sums.lead, most, needed, starts.address, near.address,
            sums.source.address, *ends, *sums.numbers,
            threads=WARP,
        )  # fmt: skip
    return words


def _partition(
    work: Work,
    sums: PlacedRows,
    buckets: Buckets,
    needed: int,
    moved: Strided,
    words: Strided,
    sorts: bool = False,
) -> tuple[Strided, Strided]:
    """Put the rows of tiles in the order of buckets: where these begin, and the order."""
    row, rows = tuning.row(), sums.rows
    tiles = -(-rows // buckets.tile)
    starts, near = work.empty((tiles * buckets.most,), _U4), work.empty((rows,), _U4)
    blocks = min(tiles, row.sort_blocks)
    kinds = sums.values.dtype, sums.places.dtype
    width, steps, numbers = sums.width, sums.steps, sums.numbers
    if not moved.size:
        width, steps, numbers = 1, "", ()
    work.launch_blocks(
        partitioned_sums.partition_source(
            *kinds, buckets, width, moved.size > 0, steps, sorts
        ),
        blocks,
        blocks, rows, sums.count, needed, sums.places.address, sums.source.address, starts.address,
        near.address, moved.address, words.address, work.report, *numbers,
        threads=row.partition_threads,
    )  # fmt: skip
    return starts, near


def _add_by_lists(work: Work, sums: PlacedRows, needed: int, cleared: Cleared) -> Strided:
    """Add up wide rows where they lie, by lists of those of a bucket, if it is `needed`."""
    row, rows, count = tuning.row(), sums.rows, sums.count
    buckets = bucket_rows.row_buckets(rows, count)
    words = cleared(2)
    none = work.empty((0,), sums.values.dtype)
    starts, near = _partition(work, sums, buckets, needed, none, words, sorts=True)
    work.launch_blocks(
        bucket_rows.rows_source(
            sums.out.dtype, sums.values.dtype, buckets, sums.width, sums.steps
        ),
        ((count - 1) >> buckets.low) + 1,
        rows, count, sums.lead, row.lists_most, needed, starts.address, near.address,
        sums.source.address, sums.start.address, sums.out.address, words.address, *sums.numbers,
        threads=row.lists_threads,
    )  # fmt: skip
    return words
