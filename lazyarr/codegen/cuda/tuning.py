"""Tuning table of GPU kernels: a row for each family of architectures.

What is measured is in ``benchmarks/results/gpu_h200.md``, ``gpu_first_h200.md`` and, with what was
tried and not taken, in ``docs/notes_on_speed_gpu.md``.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.core.gpu_family import gpu_family
from lazyarr.core.tuning_table import TuningTable

__all__ = ["TABLE", "Tuning", "row"]


@dataclass(frozen=True, slots=True)
class BlockTuning:
    """Tuning constants of small products, alone and in blocks."""

    # Blocks of small products: notes, "Blocks of small products".
    #: Bytes of shared memory of a block with several products (16, 24, 40 kB, us: 33x64x4 float32
    #: 29, 33, 39, 32x32x32 35, 31, 36), of one with one (64x64x64 float64 in 40 kB would not fit),
    #: and of one with some of its rows; the fewest of these, and the bytes of left rows by those of
    #: the right matrix that comes with them (1.1: 100x100x24 float64 takes 99 us, a library 79).
    block_bytes: int = 24 << 10
    block_bytes_most: int = 72 << 10
    block_bytes_panel: int = 40 << 10
    block_rows_least: int = 8
    block_panel_share: float = 1.25
    #: Rows and columns of a thread's results (8 x 4 and 4 x 8: 33x33x33 float32 58, 60 us, not 45),
    #: columns where sums have so few terms (64x4x64 float32 30, not 44), and vectors that are
    #: loaded before one is stored (4: 33x33x33 56).
    block_rows: int = 4
    block_columns: int = 4
    block_columns_wide: int = 8
    block_few_terms: int = 16
    block_loads: int = 8
    #: Threads of a block at least, half of them for rows of so many bytes (64x128x16 float32 44,
    #: not 53 us), at most where it has several products, and at all: not measured.
    block_threads_least: int = 128
    block_deep_bytes: int = 512
    block_threads_most: int = 256
    block_threads_limit: int = 512
    #: What NVRTC may take for what follows a thread's results, by what it may take for iterations.
    block_share: float = 2.0
    #: Results of a product, or terms of a sum, and terms of a row of results, from which on: those
    #: of 8x8x8 float32 take 45 us, and 33 as elementwise kernels, of 4x64x4 39, and 72.
    block_results: int = 128
    block_terms: int = 32
    block_row_terms: int = 64
    #: Rows of a single product; not measured: enough blocks for all multiprocessors.
    block_tall: int = 1 << 15
    #: Times of the copy rate, of the kernel, and of a library at least, of float32 and float64; and
    #: nanoseconds of a product for each byte of an element.
    block_rate: float = 1.25
    block_library_rates: tuple[float, float] = (1.8, 1.3)
    block_product_ns: float = 8e-6

    # Stacks of small products: notes, "Stacks of small products, on a GPU".
    product_depth: int = 64  #: Terms of a sum that are written out at most.
    #: Nanoseconds of a product in an elementwise kernel, and those shared by columns.
    product_own_ns: tuple[float, float] = (0.45e-3, 2.3e-3)
    #: Rows and columns of a library's tile, and its nanoseconds: for each byte of an element, and
    #: for each term of its sums.
    product_tile: int = 32
    product_tile_ns: float = 0.4
    product_term_ns: float = 0.05


@dataclass(frozen=True, slots=True)
class Tuning(BlockTuning):
    """Tuning constants of lowering for a family of GPUs.

    Sizes are counts of elements unless they are said to be bytes; costs are sums of the op table's
    costs, in additions.
    """

    name: str = ""  #: For the reader of `lazyarr info`.
    # Trees of a block's threads: notes, "Less code for NVRTC".
    #: Bytes of shared memory that one tree of a block's threads may take.
    tree_bytes: int = 8 << 10

    # What passes write out: notes, "Divisions by one number".
    #: Divisions by one number from which on what they share pays.
    shared_divisions: int = 8

    # Reductions down columns: `colmean` of gpu_h200.md; notes, "Deviations on a GPU".
    column_threads: int = 256
    #: Rows that one line of threads takes of a chunk: few for small arrays.
    column_iterations: tuple[int, ...] = (4, 8, 16, 32, 64)
    column_blocks: int = 1024
    #: Fewest rows that a line of threads takes where there are blocks for all multiprocessors. With
    #: 1, 8, 16, 32, us on an H200: sum, least, variance and mean of 26,917 x 97 x 5 float32 down
    #: axis 1 121, 88, 42, 33; sums of 10,000 x 200 x 3 float64 24, 16, 14, 17.
    column_rows_each: int = 16
    #: Rows that are written out one after another, so that their loads overlap.
    column_unroll: int = 4
    #: Most chunks of one panel: the last block combines them alone. Of blocks with fewer elements
    #: at a time than threads (1.6 million rows of 23 float32: 67 and 49 us, of 5 33 and 22).
    column_chunks: int = 256
    column_chunks_narrow: int = 512
    #: Longest sums of float32 and of float64 that are written out where they are added up, and
    #: where the least of them is taken, say, most operations of a value, and least values of a
    #: number that is read. Notes, "Pairs of rows, on a GPU" and "Written-out sums of pairs".
    short_sum: tuple[int, int] = (9, 8)
    short_sum_of_extremum: tuple[int, int] = (12, 10)
    short_sum_operations: int = 8
    short_sum_share: int = 4
    column_shared_bytes: int = 40 << 10  #: Bytes of shared memory that every GPU gives a block.
    #: Rows of columns that a thread reduces by itself: of so many columns, and of fewer.
    column_many: int = 1 << 16
    column_rows_of_many: int = 32
    column_rows_of_few: int = 8
    column_state_bytes: int = 192  #: Bytes of the states that such a thread has at most.

    # What NVRTC may take, in ms of a core of an AMD EPYC: gpu_first_h200.md.
    nvrtc_limit: float = 25.0  #: For all iterations that are written out.
    #: What it takes for one copy of the code of an element that costs little.
    nvrtc_cheap: float = 2.0
    #: From here on a kernel is compiled in two tiers: 50 ms there are 100 on a busy machine.
    nvrtc_long: float = 50.0

    # Code that is written out: notes, "Compiling CUDA kernels".
    vector_bytes: int = 16  #: Bytes of the widest load and store.
    #: Sum of the costs of expensive operations (of `costly` or more) in a piece of code that is
    #: written out without a loop. Their code is long: NVRTC takes up to 7 ms for a function of
    #: cost 20, twice that for each part of a complex one, and a kernel should take 0.3 s at most.
    written_cost: int = 480
    #: The same for all neighbours of one thread, twice: in a loop, and for what is left behind it.
    written_cost_wide: int = 640
    costly: int = 4
    #: What NVRTC takes at most for the code of an operation of floats that is short although it
    #: costs much, as a power of float32: 13 of them take 47 us in vectors of four, 52 without.
    nvrtc_brief: float = 0.18

    # What an elementwise kernel takes: notes, "A cost model for maps on a GPU".
    multiprocessors: int = 132
    #: Cycles of a nanosecond, instructions of warps in a cycle, and bytes of results that a
    #: multiprocessor's arithmetic gives in a cycle: 64 float64, 128 float32.
    clock: float = 1.75
    issued: float = 4.0
    pipe_bytes: int = 512
    #: Bytes a nanosecond from memory, and from the L2 cache.
    memory_rate: float = 4200.0
    l2_rate: float = 5500.0
    l2_bytes: int = 32 << 20  #: Bytes that stay in the L2 cache from run to run.
    #: Bytes between readings of an element beyond which the L2 cache has lost it.
    l2_reuse_bytes: int = 8 << 20
    #: Nanoseconds that a thread waits for each of its loads, from the L1 or the L2 cache.
    load_ns: float = 150.0
    #: Registers and threads of a multiprocessor.
    registers: int = 65536
    resident_threads: int = 2048
    #: Bytes of a register, registers of a thread for addresses and counters, and those that a
    #: thread has anyway.
    register_bytes: int = 4
    thread_registers: int = 8
    least_registers: int = 32
    sector_bytes: int = 32  #: Bytes that memory is read in.
    #: The order of the norm of a time's parts: 1 would be one after the other.
    overlap: int = 4
    second_ns: float = 1e9
    launch_ns: float = 2500.0  #: Nanoseconds of a launch in a stream of launches.
    close_times: float = 1.08  #: Predicted times, by the least, that count as equal.

    # Vectors: notes, "Maps: one vector a thread".
    vector_elements: int = 8  #: Most elements that one thread takes at once.

    # Rows that come to the L2 cache ahead: `layernorm`; notes, "L2 prefetch of rows".
    #: Bytes that rows are to have together: fewer are in the cache soon, or are there already.
    prefetch_bytes: int = 128 << 20
    l2_line_bytes: int = 128  #: Bytes that come to the L2 cache at once.

    # Maps: `poly` and `trans` of gpu_h200.md.
    map_threads: int = 256
    map_across: int = 64  #: Fewest neighbouring threads along a line.
    map_each: int = 4  #: Vectors of a thread, where they are narrower than loads may be.
    #: What NVRTC may take for a vector that may have fewer elements, by what it may take for
    #: iterations.
    ragged_share: float = 0.5
    #: A line is worked by neighbouring threads on its own if it has that many vectors.
    long_line: int = 48

    # Tiles in registers: notes, "Register tiles of maps".
    #: Lines that one thread works, if that makes its loads fewer. Of lines that are shorter than
    #: one of the cache it works one: of 3 columns of float64, 8 lines go at half the copy rate.
    tile_lines: tuple[int, ...] = (2, 4, 8)
    #: Lines of a loop that may be worked whole (notes, "Thin transposes"), and bytes of a thread's.
    tile_thin: tuple[int, int] = (15, 64)
    #: Threads that all tiles together must keep busy, for a thread to work several lines.
    tile_threads_least: int = 1 << 16
    #: Loads of an element in a tile, by those without, from which on it is taken.
    tile_gain: float = 0.75
    tile_statements: int = 1024  #: Operations of a tile, which NVRTC compiles one by one.
    tile_registers: int = 64  #: Registers that may hold values of a tile at a time.
    #: Threads along a line, the first of which so many at most are idle; else all lines are one.
    tile_across: tuple[int, ...] = (128, 64, 32)
    tile_idle: float = 0.125
    #: Elements at most from one neighbour to the next where others lie in between that are read, or
    #: written, too: all of them go in vectors. Products of quaternions, four numbers apart, take an
    #: H200 247 us without and 51 with it; more than 16 were not tried.
    tile_apart: int = 16
    #: Bytes of shared memory at most where a block collects such results before it stores them:
    #: five blocks have room. Notes, "Joined columns by way of shared memory".
    tile_staged_bytes: int = 40 << 10
    tile_reach: int = 64  #: Elements around an address that is passed that are loaded by it.

    # Reductions over pairs of rows: notes, "Pairs of rows, on a GPU".
    #: Rows and columns of a thread's tile, the first that fits and keeps so many threads busy: of
    #: rows in float64 and in float32, and of those from `pair_long` elements on.
    pair_tiles: tuple[tuple[int, int], ...] = ((4, 2), (4, 1), (2, 1))
    narrow_pair_tiles: tuple[tuple[int, int], ...] = ((4, 4), (4, 2), (4, 1), (2, 1))
    pair_long: int = 32
    long_pair_tiles: tuple[tuple[int, int], ...] = ((8, 1), (4, 1), (2, 1))
    long_narrow_pair_tiles: tuple[tuple[int, int], ...] = ((8, 2), (8, 1), (4, 1), (2, 1))
    pair_threads_least: int = 1 << 14
    #: Elements summed as a balanced tree, and in float32: the order of the processor's kernels.
    pair_tree: int = 8
    pair_block: int = 128
    #: Registers of the states of a tile, and its operations, which NVRTC compiles one by one.
    pair_registers: int = 128
    pair_statements: int = 800
    #: Rows side by side, the blocks and threads that they must be, registers of a thread at most,
    #: and those of a row's functions of float64.
    row_tiles: tuple[int, ...] = (8, 4, 2)
    row_tile_blocks_least: int = 128
    row_tile_threads_least: int = 1 << 16
    row_tile_registers: tuple[int, int] = (96, 10)

    # Products with what follows them: `layer` of gpu_h200.md.
    #: Products that are summed in all, below which two kernels are as good.
    matmul_products: int = 1 << 28
    #: Rows of a thread whose code is side by side, where it has no branches.
    matmul_rows_at_once: int = 4
    #: A block's tile, and how deep a slice of both matrices is. The text of the kernel, matmul.cuh,
    #: has warps of 32 rows and 64 columns.
    matmul_tile_rows: int = 128
    matmul_tile_columns: int = 128
    matmul_depth: int = 16
    #: Slices on their way or in use.
    matmul_stages: int = 4
    matmul_threads: int = 256

    # Blocks that a multiprocessor is to have room for, as parts of the time without: notes,
    # "Sums near the limit".
    #: Of chunks of long rows. Sums of two and three arrays take 0.97 to 0.99, of complex128
    #: 0.69. With functions, whose code has branches, more threads are better than more loads:
    #: the sum of a quotient of float64 would take 1.06.
    blocks_of_splits: int = 3
    #: Iterations of a chunk from which on that is so: of short chunks it takes 1.02.
    iterations_of_splits: int = 16
    #: Of several arrays down columns: 0.67 to 0.88 of the time with eight, and 0.94 to 1.0 with
    #: as many as ptxas chooses; of halves 0.83, of standard deviations 0.96.
    blocks_of_columns: int = 4
    #: Of one array of float32 down columns: ptxas goes for that by itself, but takes a few
    #: registers more for some, and two blocks fewer take 1.03 to 1.26.
    blocks_of_one_column: int = 8
    #: Of scans of long rows, whose threads keep what they load in registers: 0.88 to 0.98 of
    #: the time for float32, and 0.92 to 1.0 for others.
    blocks_of_single_scans: int = 3
    blocks_of_scans: int = 4
    #: What NVRTC takes for the code of an element without functions, in ms.
    plain_cost: float = 0.5

    # Partial states of chunks: `ssq`; notes, "Deviations on a GPU".
    #: Numbers of chunks that a thread loads at once where they are combined.
    states_at_once: int = 8
    #: Iterations whose mean is the centre of the deviations of a short chunk.
    first_iterations: int = 4

    # Rows that a block keeps: `softmax` and `layernorm` of gpu_h200.md.
    #: Arithmetic (in additions) above which a value is kept for the next pass over the row.
    row_keep_cost: int = 8
    #: Most bytes of a block in shared memory: with more, it has a multiprocessor to itself, and
    #: rows of 16384 float64 take 1.14 of the time. Where a GPU has less, rows stay in registers.
    row_block_bytes: int = 96 << 10
    #: Costs of expensive operations (see `written_cost`) of all iterations of a pass, up to which
    #: rows stay in registers; and of the iterations of the first pass that are written out where
    #: rows lie in shared memory. An exponential of each of 16 float64 takes NVRTC 30 ms.
    row_register_cost: int = 60
    row_written_cost: int = 100
    #: What NVRTC may take for the iterations of a row of which nothing is kept, by what it may take
    #: for others: a row has few, and blocks that come and go overlap less.
    row_share: float = 2.0
    #: Iterations of a later pass over a row in shared memory that are written out: nothing waits
    #: for memory there, and a division written out for each iteration takes NVRTC a millisecond.
    row_later_iterations: int = 1

    # Reductions along rows: `softmax` of gpu_h200.md.
    row_threads: int = 256
    row_threads_most: int = 1024
    #: Of many rows of float32, up to a length: 4,000 softmaxes of 13,395 take 147 us, not 187,
    #: 1,000 of 12,000 33, not 29, 3,000 of 40,000 478, not 236.
    row_threads_narrow: int = 512
    row_many: int = 1 << 11
    row_narrow: int = 1 << 14
    #: Elements of a row that one thread keeps if it can choose, and at most (in bytes).
    row_elements: int = 16
    row_bytes: int = 256
    #: Threads that a multiprocessor should hold, so that some load while others compute.
    row_occupancy: int = 1024
    #: Elements of a lane of a short row without an order; lanes at least: notes, "Short rows".
    row_lane_elements: int = 6
    row_lanes_least: tuple[int, int] = (4, 8)
    row_lane_singles: int = 3  #: Single elements that a lane takes for fewer of them to be idle.
    #: Longest row that a thread reduces alone, out of shared memory; fewer leave a device idle.
    short_row: int = 64
    short_rows: int = 64
    #: Most lanes that add up such a row: a thread that reduces it alone keeps a state for each.
    short_row_lanes: int = 8
    short_row_threads: int = 128
    #: Bytes of rows in shared memory above which a block takes half: more blocks have room.
    short_row_bytes: int = 16 << 10
    row_shared_bytes: int = 46 << 10  #: Bytes of shared memory that every GPU gives a block.

    # Scans down columns: `cumsum` of gpu_first_h200.md.
    scan_threads: int = 256
    scan_columns: int = 1 << 14  #: Threads for columns that keep a device busy without chunks.
    #: Threads below which blocks of columns that are not cut have fewer of them: on an H100, 943
    #: rows of 20,086 float32 take 83 us with 32 threads a block, 107 with 64, 800 of 60,000 146 us.
    scan_columns_many: int = 1 << 16
    scan_threads_few: int = 32
    #: Rows of a column's chunk at least, and such chunks at most; more for fewer threads than that.
    scan_column_rows: int = 64
    scan_column_chunks: int = 128
    scan_column_threads: int = 1 << 16
    #: Rows that are written out one after another, so that their loads overlap.
    scan_column_unroll: int = 16
    #: Of fewer columns than a block has threads: rows of a line of threads at least, and threads.
    scan_line_rows: int = 16
    scan_line_threads: int = 1 << 17

    # Scans along rows: `cumsum` of gpu_first_h200.md; notes, "Scans on a GPU".
    scan_row_threads: int = 256  #: Threads of a block, where one row does not ask for more.
    #: Vectors that a thread takes of a short row, where they are narrower than they may be.
    scan_row_vectors: int = 3
    #: Warps of a block at most, and of one that takes pieces of long rows.
    scan_warps: int = 32
    scan_piece_warps: int = 8
    #: Elements that a thread keeps of a row, and bytes of them where it takes pieces of long
    #: rows.
    scan_elements: int = 16
    scan_piece_bytes: int = 128
    #: What NVRTC may take for what a thread keeps, by what it may take for iterations that are
    #: written out.
    scan_share: float = 2.0
    #: Pieces of a group whose totals one thread takes in: a group waits for the one before it.
    scan_span: int = 1
    scan_rows: int = 512  #: Rows that keep a device busy without being cut among blocks.

    # Reductions of long rows: `ssq` of gpu_h200.md.
    split_threads: int = 256
    #: Vectors that one thread takes of a chunk: few for short rows, so that all of the GPU works.
    split_iterations: tuple[int, ...] = (8, 16, 32, 64)
    split_chunks: int = 4096  #: Of a row: enough to keep a device busy.
    split_unroll: int = 4  #: Iterations whose loads overlap.

    # Transposes through shared memory: notes, "Transposes on a GPU".
    transpose_threads: int = 256
    #: A square's side; the longest of equal parts; how many times as much squares waste: notes.
    transpose_side: int = 32
    transpose_part: int = 40
    transpose_waste: float = 1.125
    transpose_shared_bytes: int = 46 << 10  #: Bytes of shared memory that every GPU gives a block.


_HOPPER = Tuning(name="sm_90, measured on an H200")

#: Of other families nothing is measured: they have Hopper's row, whose blocks fit every GPU.
TABLE = TuningTable({"sm_90": _HOPPER}, otherwise=_HOPPER, machine=gpu_family)
#: Returns the row that kernels are made by.
row = TABLE.row
