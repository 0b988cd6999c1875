"""Tuning table of running plans."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.core.tuning_table import TuningTable

__all__ = ["TABLE", "ExecutionTuning", "row"]


@dataclass(frozen=True, slots=True)
class ExecutionTuning:
    """Tuning constants of running plans."""

    #: For the reader.
    name: str

    # Scratch memory; not measured: a bound of memory.
    #: Pieces that a plan keeps: one for each run at the same time.
    spare_scratch: int = 16

    # Sums at places: notes, "Scatter-add on processors".
    #: Rows of no more numbers have code of their own width, which takes a row as vectors. On an
    #: EPYC, one thread, 200,000 rows at random places among 20,000 take, with it and in blocks of
    #: columns, ms: 8 float64 0.6 and 0.6, 16 1.5 and 8.8, 24 2.2 and 9.3, 32 2.9 and 13.8; float32
    #: 17 0.8 and 1.3, 32 1.6 and 5.7. Longer ones gain as much, 64 float64 5.6 and 25.3, but not
    #: beside more than four threads, which share the blocks.
    short_scattered_row: int = 32
    #: Bytes of a block of columns of wider ones: a line of cache, which no two threads share.
    scattered_line_bytes: int = 64
    #: Fewest places from which on blocks are handed to other threads.
    scattered_places: int = 1 << 14

    # Rows that are computed and added in turn: notes, "Scatter-add on processors".
    #: Bytes of a block, fewest of all rows, and most threads, one of which does it all.
    interleaved_bytes: int = 1 << 17
    interleaved_least: int = 1 << 19
    interleaved_threads: int = 4
    #: Fewest bytes of rows that are worth another thread's time: few are of expensive functions.
    interleaved_work: int = 1 << 15

    #: Comparisons of values that are looked up in a sorted vector, that are worth another thread's
    #: time: one takes an EPYC about half a nanosecond.
    looked_up_steps: int = 1 << 15

    # Rows of which few elements are put in order: notes, "Selecting from rows, on processors".
    #: Elements that are worth another thread's time, and those that one which is put in order
    #: takes as long as.
    selected_elements: int = 1 << 15
    selected_cost: int = 64

    # Rows that are sorted: notes, "Small matrices on several threads".
    #: Elements that are worth another thread's time.
    sorted_elements: int = 1 << 12

    #: Rows of a triangle of QR factors that are copied one by one; not measured: it bounds code.
    copied_triangle_rows: int = 64

    # Plans with library calls: notes, "Small matrices on several threads".
    #: Bytes of a plan's values up to which its steps are run once more where NumPy meets what it
    #: would warn of: then nobody has to keep account.
    repeatable_bytes: int = 1 << 23
    #: Bytes of donated arguments that are copied, to be as they were in another run: those that a
    #: step overwrites before the last library call. A bound of memory and of copying.
    copied_bytes: int = 1 << 16

    # Blocks of library products: notes, "Library products on the pool's threads".
    #: Products of elements up to which OpenBLAS computes a matrix product in the calling thread.
    #: To bound its threads, and to set them back, takes three microseconds.
    blas_alone: int = 1 << 18
    #: Products of elements of a block, or of one call for several products of a stack, at least;
    #: blocks of a product at most, unless each has so many rows or columns all the same; and the
    #: rows or columns of a strip. 512 x 784 by 784 x 4096 on 16 processors, ms: in 8 blocks 16.5
    #: (float32 11.8), in 32 8.8 (7.2), NumPy 11.1 (6.1); on two, 39.8 (20.4) and 48.7 (22.2), in 16
    #: 42.2 (21.1): each block packs the rows for itself.
    product_block: int = 1 << 19
    product_blocks: int = 8
    product_extent: int = 256
    product_strip: int = 16
    #: Products of elements of a block of rows and columns, of which there are as many as threads,
    #: at least. Large products have several blocks for each thread if these have so many rows or
    #: columns. Blocks are more than what OpenBLAS calls small, so that each element is computed as
    #: it is in the whole: notes, "Blocks of rows for each thread".
    row_block: int = 1 << 20
    large_product: int = 1 << 24
    long_block: int = 192
    product_blocks_of_thread: int = 2
    #: Multiplications that take as long as to pack an element of an operand for them: of 24 rows
    #: and 768 columns float32 a Xeon takes 1.4 of the time of 192 rows, of 48 1.2, of 96 1.1. And
    #: the cost beside that of blocks of whole kernels below which blocks of fewer rows pay: 541²
    #: and 945² float32 on 16 threads take 376 and 1,604 microseconds in the former, of costs 1.09
    #: and 1.02 beside the latter, which take 444 and 1,787.
    packed_cost: int = 8
    finer_cost: float = 0.9

    # Products of few rows and columns with long sums: notes, "Products with long sums".
    #: Least and most rows and columns, and the least length of the sums.
    long_product_least: int = 4
    long_product_most: int = 64
    #: Columns of those with long sums at most where vectors have fewer bytes than `wide_bytes`.
    narrow_product_most: int = 32
    wide_bytes: int = 64
    long_product_depth: int = 1024
    #: Elements of a block along the sums at most, and of what number a multiple: those of the
    #: contractions of `codegen/cpu/tuning.py`, so that the order of additions is theirs.
    long_product_block: int = 256
    long_product_multiple: int = 8
    #: Products of elements, and additions of vectors, that are worth another thread's time.
    long_product_chunk: int = 1 << 17
    long_sum_chunk: int = 1 << 8

    # Products of few columns with short sums: notes, "Tall products".
    #: Fewest rows, and products of elements; and the rows of a work item, more than of any tile.
    tall_product_rows: int = 512
    tall_product_work: int = 1 << 18
    tall_product_each: int = 96

    # Launches bound together: notes, "Launches bound together".
    #: Fewest launches of a run; beside fewer than these the sum of arrays takes longer.
    least_batched_launches: int = 8
    #: Most launches of one call, after which Python may handle a signal.
    batched_launches: int = 64

    # Checks for warnings; not measured: what compiling one takes.
    #: Time in a check's quickly compiled code after which optimised code takes its place.
    quick_check_seconds: float = 0.05

    # Runs in tiles: out_of_core.md.
    #: Bytes of a tile at most, be there more room: files are read at their full rate, and
    #: the first tile, for which nothing is computed meanwhile, does not take long.
    tile_bytes: int = 1 << 26
    #: Parts of the available memory: an array outside of memory that takes less than one of so
    #: many is read as a whole, and a value between launches is kept.
    small_share: int = 16
    #: How often at most the pieces of a launch may compute what they need of launches before it: a
    #: plan that would compute it more often is refused, rather than to take so much longer.
    most_repetitions: float = 64.0
    #: Bytes of a plan from which on it is asked how much memory the system has left.
    noticed_bytes: int = 1 << 28
    #: Parts in a hundred of the memory that the system has left which a run may take.
    available_percent: int = 80


TABLE: TuningTable[ExecutionTuning] = TuningTable({}, otherwise=ExecutionTuning("all machines"))
#: Returns the row that plans are run by.
row = TABLE.row
