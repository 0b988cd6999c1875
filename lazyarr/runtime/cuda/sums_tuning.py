"""Tuning constants of sums at places on GPUs: part of the rows of ``tuning.py``.

What is measured is in ``docs/notes_on_speed_gpu.md``.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass

__all__ = ["SumsTuning"]


@dataclass(frozen=True, slots=True)
class SumsTuning:
    """Tuning constants of sums at places, for a family of GPUs."""

    #: For the reader.
    name: str

    # Sums at places: notes, "Scatter-add on a GPU".
    #: Rows up to which the threads of all results look at all places, if there are at most so many
    #: for each place, and places that a block holds meanwhile.
    places_alone: int = 1 << 13
    places_shared: int = 64
    places_tile: int = 1024
    #: Rows up to which blocks look for those of their places among all, a power of two, where
    #: places have too many for slots and too few for a block each (59,068 float64 at 590 places:
    #: sorted 39 us, by blocks that add 32 rows at a time 29); numbers of a row at most, rows that a
    #: thread looks at at once, blocks and their threads; rows that a warp adds at a time, and loads
    #: of a lane.
    scanned_rows: int = 1 << 16
    scanned_width: int = 16
    scanned_items: int = 8
    scanned_blocks: int = 132
    scanned_threads: int = 512
    scanned_noted: int = 128
    scanned_loads: int = 16
    #: Rows that a thread looks at at once.
    places_at_once: int = 4
    #: Rows for each place, on average, up to which rows are linked, if there are more than so many;
    #: and rows of one place that a thread holds.
    places_linked: int = 4
    places_few: int = 128
    places_of_list: int = 64
    #: Rows in no order beyond which they are sorted all the same: links in no order are read from
    #: memory then, each a sector of its own (53 million float32 at 7.6 million places: 6.4 ms).
    places_linked_rows: int = 1 << 22
    #: The same of wide rows, where they are linked (2.4 million of 16 float32: 485 and 438 us).
    places_linked_wide: int = 1 << 20
    #: The same of places that have slots for their rows, and how many: a power of two.
    places_slots: tuple[tuple[int, int], ...] = ((8, 16), (16, 32))
    #: Numbers of a row from which on its columns are neighbouring threads'; the rows that these
    #: take at most, the threads that should all the same be busy, and rows that are read at once.
    places_wide: int = 8
    places_line: int = 128
    places_line_threads: int = 1 << 18
    places_ahead: int = 8
    #: Sums of linked rows that are one thread's, where there are at least so many in all, and those
    #: of a warp's tile.
    places_sums: int = 2
    places_many: int = 1 << 20
    #: Rows of a list that is put in order in registers.
    places_short: int = 4
    #: Rows from which on they are taken to be in the order of their places, until it shows that
    #: they are not.
    places_looked: int = 1 << 18
    #: Rows in order for each place, on average, for each number of a row and in all, up to which a
    #: warp adds up the places of a tile of rows (4.2 million rows of 3 float32 at as many places:
    #: 107 and 68 us; 30 single ones for each: 93 and 118); rows of a tile that a lane compares; and
    #: blocks that a multiprocessor has registers for (2 sums side by side: 4: 70 us, 5: 75, 8: 95).
    places_brief: int = 16
    places_brief_most: int = 48
    places_of_lane: int = 8
    places_occupancy: int = 4
    #: Blocks whose threads look for the first rows of places, one after another. Not measured.
    places_blocks: int = 8448
    #: Numbers of a row up to which rows are added up in shared memory; the stretches of rows that a
    #: block takes, and the least of them.
    places_widest: int = 64
    places_stretches: int = 4
    places_least: int = 64
    #: Rows that are looked at before that.
    places_sample: int = 1 << 14
    #: Rows at a time with which a place goes on behind a block's own; places without rows that are
    #: filled by who finds them, and the pieces in which longer stretches of them are listed.
    places_finish: int = 128
    places_gap: int = 16
    places_gap_piece: int = 2048
    #: Rows of one place that a thread adds up, and a warp; more are a block's.
    places_of_thread: int = 16
    places_of_warp: int = 512
    #: Numbers of a stretch of rows in shared memory.
    places_stage: int = 2048
    #: Bytes that a thread reads of a stretch of rows of one place, if blocks share multiprocessors
    #: and if there are no more than so many; and most columns that a block adds up.
    places_stretch: tuple[int, int] = (40, 80)
    places_blocks_alone: int = 132
    #: Numbers of a column that are loaded ahead of their additions, and bytes of one load.
    places_batch: int = 16
    places_pack: int = 16
    places_columns: int = 128
    #: Rows up to which those that would be sorted are added up by buckets, which takes one pass
    #: less (300,000 rows, 100 for each place: 56 and 50 us), and rows for each place up to which
    #: any number of rows are, but wide ones (9.5 million float64: 727 and 598).
    buckets_rows: int = 1 << 20
    buckets_each: int = 8
    #: The most places and rows of a bucket, and rows on average where the number of passes allows
    #: it: fewer than a block takes at once, or else so many times as many, to do with a pass less;
    #: rows of a place that a thread puts in order; and rows that are read at once.
    buckets_places: int = 1 << 12
    buckets_most: int = 1 << 17
    buckets_mean: int = 2048
    buckets_chunk: int = 2304
    buckets_chunks: int = 4
    buckets_short: int = 16
    buckets_batch: int = 8
    #: Rows in no order from which on those of a tile are put in the order of buckets, and a block
    #: adds up a bucket: the widest rows, of which there are to be more, and so many for each place
    #: at most unless there are many; rows of a tile at most, threads that work on one, blocks that
    #: a multiprocessor has registers for, multiprocessors, and the part of them that is to be busy
    #: on average (6.8e6 rows in tiles of 8,192 keep 0.79 busy, of 6,656 0.97); places that a thread
    #: loads at once; the most buckets, the fewest places of one, the bytes of its sums, and buckets
    #: from which on there are enough; how many standard deviations more rows than on average a
    #: bucket has in a tile, and what that is rounded to.
    partition_rows: int = 1 << 19
    partition_wide: int = 1 << 20
    partition_each: int = 8
    partition_many: int = 1 << 22
    partition_width: int = 4
    partition_tile: int = 1 << 13
    partition_threads: int = 512
    partition_occupancy: int = 2
    partition_blocks: int = 132
    partition_busy: float = 0.95
    partition_loads: int = 16
    partition_buckets: int = 1 << 12
    partition_least: int = 1 << 6
    partition_bytes: int = 64 << 10
    partition_units: int = 256
    partition_uneven: int = 8
    partition_round: int = 16
    #: Threads of a block that adds up a bucket, blocks that a multiprocessor has registers for,
    #: rows that a thread adds at once, and pieces of these that are listed at once; rounds until
    #: all is left to other kernels, and rows for a round.
    rounds_threads: int = 256
    rounds_occupancy: int = 4
    rounds_batch: int = 1
    rounds_listed: int = 8
    partition_steps: int = 1 << 12
    partition_share: int = 1 << 12
    #: Threads of a block that adds up a bucket of single numbers, those of a thread in a list, and
    #: blocks that a multiprocessor has registers for, and at least memory, in so many rounds of
    #: blocks at most; standard deviations more numbers than on average that a thread has room for,
    #: and numbers that it reads at once; and bytes of a multiprocessor's shared memory for these
    #: blocks, and of one beside sums and rows, its own and the system's, at most (4.2 million
    #: float64 at 42,000 places: 52 us where rounds took 114; 49 million float32 at 492,421: 426 and
    #: 545; eight numbers of a thread: 6.8 million float64 98 instead of 84).
    owned_threads: int = 256
    owned_each: int = 4
    owned_occupancy: int = 4
    owned_least: int = 3
    owned_rounds: int = 2
    owned_uneven: float = 5.0
    owned_batch: int = 4
    owned_memory: int = 227 << 10
    owned_beside: int = 3584
    #: Values that a thread computes at once for kernels that wait for them. Not measured.
    maps_at_once: int = 8
    #: Rows of more numbers stay where they are, from so many rows on: a block lists those of a
    #: bucket, on average so many and no more places, puts them in their order and adds them: its
    #: threads, rows of one of them, and blocks that a multiprocessor has registers for; bits of a
    #: bucket's places up to which rows are ranked by ballots; sums of a thread side by side, and
    #: rows of one that are read at once, and of a thread with one sum; lists of a bucket until all
    #: is left to other kernels.
    lists_rows: int = 1 << 19
    lists_width: int = 5
    lists_mean: int = 2304
    lists_places: int = 1 << 11
    lists_threads: int = 256
    lists_each: int = 12
    lists_occupancy: int = 4
    lists_dense: int = 6
    lists_sums: int = 2
    lists_batch: int = 2
    lists_ahead: int = 8
    lists_most: int = 8
    #: Rows of several numbers stay where they are if all buckets are added up at the same time
    #: (11.1 million rows of 3 float64 at 111,091 places: 633 us to move and to add them, 299; but
    #: 21.8 million of 3 float32 at 3.1 million, of whose buckets two thirds have room: 704, 1,042):
    #: buckets,
    #: and bytes of one's sums above which there are twice as many; multiprocessors, and blocks and
    #: bytes of sums of one; rows that a lane loads at once, and the
    #: part of them that tiles fill on average. More warps for a bucket get out of step (two: 236 to
    #: 335 us instead of 253, four: 386).
    gathered_buckets: int = 1 << 11
    gathered_bucket_bytes: int = 24 << 10
    gathered_units: int = 132
    gathered_blocks: int = 16
    gathered_bytes: int = 200 << 10
    gathered_batch: int = 6
    gathered_fill: float = 0.9
    #: Sums of whole numbers that a block may hold.
    places_held: int = 2048
