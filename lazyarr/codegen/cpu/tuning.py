"""Tuning table of CPU kernels: a row for each family of architectures.

What is measured is in ``benchmarks/results/epyc_2_threads``, ``xeon_16_threads`` and
``xeon_16_threads_scaling``, and, with what was tried and not taken, in ``docs/notes_on_speed.md``.
Sizes of parts decide the order of additions, so rows that differ in them give other last bits.
"""

from __future__ import annotations

import platform

from lazyarr.core.frozen import dataclass
from lazyarr.core.tuning_table import TuningTable

__all__ = ["TABLE", "Tuning", "processor_family", "row"]


@dataclass(frozen=True, slots=True)
class Tuning:
    """Tuning constants of lowering for a family of processors.

    Sizes are counts of elements unless they are said to be bytes; costs are sums of the op table's
    costs, in additions.
    """

    #: For the reader of `lazyarr info`.
    name: str

    # Reductions down columns: `var0` and `standardise`; notes, "Variances down columns".
    #: Columns of the panel that one work item reduces.
    panel_columns: int = 1024
    #: Its rows: as many as leave enough work items. Each panel's states go through memory.
    panel_rows: tuple[int, ...] = (256, 128, 64)
    panels: int = 48
    #: Of sums of products down columns: the rows of a chunk for each number of the narrower
    #: factor's row, at least. So the states take a sixteenth of the memory of the wider factor.
    product_states: int = 16
    #: The part of a panel's rows whose mean is the centre of its deviations. The mean of an
    #: eighth of some numbers lies at most ``sqrt(7)`` standard deviations from the mean of all,
    #: so cancellation never takes more than three bits, and as a rule a fraction of one. No
    #: panel has fewer rows.
    sampled_part: int = 8
    #: Rows of a panel taken together, if that makes no more than so many terms: the states are
    #: loaded and stored once for all of them.
    rows_together: tuple[int, ...] = (8, 4)
    rows_together_terms: int = 64
    #: Sums of columns that go side by side, of several chunks where columns are fewer; notes, "Sums
    #: down few columns".
    column_chains: int = 10
    #: Elements of rows side by side of which functions are computed as one line, where columns
    #: fill no vector, and of which number of rows they are a multiple; notes, "Functions of few
    #: columns".
    line_elements: int = 512
    line_rows: int = 16
    #: Most columns of which functions are computed in blocks of lanes, and how many times as many
    #: calls others would take at least.
    line_columns: int = 256
    spared_calls: float = 1.25
    #: Columns up to which positions of extrema are looked for in one after the other: side by side
    #: they fill no vector, and each waits for the one before.
    columns_apart: int = 15
    #: Most neighbouring columns that belong to one result, and least rows that pay for merging
    #: their states; notes, "Kept axes between reduced ones".
    merged_columns: int = 256
    least_merged_rows: int = 16
    #: Columns that belong to one result for each row where there are fewer, at most.
    merged_part: int = 2

    # Panels' states combined: `var0`; notes, "Combining panels by lanes".
    #: Vectors of columns that go through the panels together.
    combined_vectors: int = 4

    # Contractions: `pairwise`; notes, "Pairs of rows".
    #: Bytes between packed rows, so that they do not meet in the same sets of the cache.
    packed_padding: int = 64

    # Contractions and products: `pairwise`; notes, "Matrix products".
    #: Fewest rows, columns and elements along the reduction that are worth a block.
    block_rows_least: int = 4
    block_columns_least: int = 16
    block_depth_least: int = 2
    #: Fewest elements of the domain.
    contraction_elements: int = 1 << 14
    #: Fewest elements along the reduction of a contraction that is not written out, which reads its
    #: operands where they lie; notes, "Small second operands".
    packed_depth_least: int = 8
    #: Elements along the reduction that one block of sums takes in.
    contraction_depth: int = 128
    #: Elements that are added as a balanced tree before they go to the sum of a block.
    contraction_tree: int = 8
    #: Most rows of a block of the result, and most bytes of its rows.
    contraction_rows: int = 192
    contraction_row_bytes: int = 1536
    #: The same of contracted products, which need more of an element to pay for packing it.
    product_depth: int = 256
    product_rows: int = 256
    #: The fewest products of elements of a matrix product, or of a stack of them, for a kernel,
    #: which has to be compiled first; its fewest rows; and the fewest bytes of a row of the result,
    #: which are those of a tile, and of the elements along the sum. Beside a library with narrower
    #: vectors it takes 0.6 to 0.95 of the time where a side is 64 or less, and about as long
    #: elsewhere: `families`, `matrix_product`; notes, "Small second operands".
    product_work: int = 1 << 21
    product_least_rows: int = 8
    product_column_bytes: int = 128
    product_depth_bytes: int = 64
    #: Most terms of each sum, and most elements of each matrix, of a stack of products that are
    #: computed term by term, and the fewest products of elements that are worth the compilation;
    #: notes, "Stacks of small products, on processors".
    terms: int = 8
    terms_matrix: int = 64 * 64
    terms_work: int = 1 << 15
    #: The same of integers.
    integer_product_work: int = 1 << 20
    #: Fewest rows of a block that is one of several.
    cut_rows: int = 48
    #: A block is cut as long as there are fewer than this for all threads.
    blocks: int = 32
    #: Arithmetic of an element (in additions) above which a tile takes fewer of them.
    heavy_cost: int = 12

    # Maps, and reductions along rows: `poly`, `softmax` and `layernorm`.
    #: An inner loop longer than this is cut when there are few outer iterations, fewer than these.
    inner_elements: int = 1 << 15
    inner_cut_iterations: int = 64
    #: Most elements of an innermost loop that is written out, and most statements of it; notes,
    #: "Short innermost loops of maps".
    written_out_loop: int = 12
    written_out_statements: int = 8192
    #: Most elements of an innermost loop that is taken in blocks of lanes.
    block_row: int = 64
    #: The same where what is selected is compared; notes, "Selections in short rows".
    compared_row: int = 256
    #: Bytes of vectors from which on parts of them are stored at no cost, under a mask.
    masking_bytes: int = 64
    #: Most elements of an innermost loop of which a work item has several where there are more than
    #: two loops, and elements of a work item then; notes, "Short loops nested".
    nested_loop: int = 256
    nested_elements: int = 2048
    nested_rows: int = 16
    #: Most elements of a tile of joined loops; notes, "Short loops joined".
    tile_elements: int = 512
    #: Most elements of an innermost loop that may be joined to others if functions are computed.
    joined_loop: int = 128
    #: Most elements of an innermost loop along which no result changes that is not joined to
    #: others; notes, "Repeated elements".
    repeated_stores: int = 2
    #: Most elements of a loop of copies that is written out: vectors are shuffled up to eight.
    written_out_copy: int = 8
    #: Operands of a map that have an address each: more of them do not stay in registers; and bytes
    #: between windows of one array that share an address; notes, "Addresses of windows".
    addresses: int = 8
    window_bytes: int = 512
    #: Fewest windows, or operations of a chain, that several vectors take turns in, least bytes of
    #: the loop, and the arithmetic (in additions) from which on an operation is no single
    #: instruction; notes, "Interleaved vectors".
    interleaved_windows: int = 12
    interleaved_operations: int = 6
    interleaved_bytes: int = 4096
    interleaved_cost: int = 2
    #: Vectors that take turns, and the most values alive of all of them for each register; of more,
    #: two take turns.
    interleaved_vectors: int = 4
    interleaved_values: float = 1.25
    #: Most functions of a library in a chain of which four vectors take turns, and not two:
    #: each vector has its code; notes, "Functions in turn".
    interleaved_functions: int = 8
    #: The time of a vector by how many of a chain are interleaved, over that of one of four;
    #: notes, "Vectors in turn in short rows".
    vector_waits: tuple[float, ...] = (1.0, 2.0, 1.4, 1.0, 1.0)
    #: The most arithmetic (in additions) of an operation that is computed between rows, too;
    #: notes, "Short rows within longer ones".
    padded_cost: int = 2
    #: Longest strides that are constants of a map's code, so that vectors are loaded whole and
    #: permuted, and those of vectors of `masking_bytes`, in elements and in bytes; notes, "Strides
    #: in the code".
    literal_strides: int = 3
    wide_strides: tuple[int, int] = (8, 32)
    #: Most elements of a row that is written out, so that vectors hold several rows, and most
    #: statements that this makes. Sums of such rows are in order.
    written_out_row: int = 16
    written_out_row_statements: int = 1024
    #: Rows that are reduced side by side, and their least and most elements; notes, "Short rows
    #: side by side". Shorter ones are written out, as are those of so few bytes that one vector
    #: is a row.
    rows_side_by_side: int = 32
    least_tiled_row: int = 8
    least_tiled_bytes: int = 36
    most_tiled_row: int = 128
    #: Most elements of such rows of float64 if they are summed: each addition rounds.
    most_summed_row: int = 64
    #: Nanoseconds of an element's copy to their tile or from it, and what a row by itself takes
    #: longer for each pass behind the first, a function whose vectors the row does not fill, a sum,
    #: a minimum or maximum, the position of one; notes, "Functions in short rows that are reduced".
    tiled_copy_ns: float = 0.2
    #: An element's copy to a result of rows whose minima and maxima alone are reduced, and how many
    #: times as long copies of elements of more bytes than these take; notes, "Extrema of rows".
    tiled_result_ns: float = 0.45
    tiled_wide: float = 1.5
    narrow_bytes: int = 4
    row_pass_ns: float = 4.0
    row_function_ns: float = 20.0
    #: Bytes that a loop over a row takes at a time: four vectors of 64.
    row_vector_bytes: int = 256
    row_sum_ns: float = 1.5
    row_extremum_ns: float = 15.0
    row_position_ns: float = 30.0
    #: Positions and extrema in lanes, all of a pass; notes, "Positions of extrema of rows".
    lane_position_ns: float = 4.0
    #: Rows whose reductions are finished together, so that what follows them vectorises.
    row_tile: int = 256
    #: Bytes of the lanes of a minimum or maximum over lines, least and most: a vector, and as many
    #: as hide what one of them waits for. Lines that are shorter are lanes as a whole.
    least_lane_bytes: int = 64
    most_lane_bytes: int = 256
    #: How many times the elements of a line the lanes of its blocks may be, or else there are half
    #: as many lanes; and blocks of a row of one line at least, of which the last one repeats some.
    lane_excess: float = 1.25
    lane_blocks: int = 4
    #: Least lines of a row whose lines are shorter than a vector.
    lines_of_lanes: int = 4
    #: Rows shorter than this are worked in tiles.
    short_row: int = 256
    #: Rows of a matrix whose products with a vector are summed together, and the fewest elements of
    #: each; notes, "A matrix times a vector".
    matrix_rows: int = 4
    matrix_row_elements: int = 64
    #: Least arithmetic (in additions) behind their reductions that pays for tiles.
    tile_epilogue_cost: int = 4
    #: Most elements of a map's row that is taken in whole blocks of lanes if functions of the
    #: mathematics library are computed of it; notes, "Functions of short rows".
    function_row: int = 4096
    #: Arithmetic (in additions) above which a value is kept for the next pass over the row.
    row_keep_cost: int = 8

    # Scans: panels as wide as `var0`, parts that pay as in `ssq`.
    #: Columns of a panel, and elements that one call of a kernel should take.
    scan_panel: int = 1024
    scan_chunk: int = 1 << 16

    # Reductions of long rows: `ssq`. The size of a part decides the order of additions.
    #: Elements of a row that one work item reduces.
    split_elements: int = 1 << 14
    #: Rows of one chunk that are worth handing to another thread.
    single_chunks: int = 8
    #: Loads and operations that take as long as an addition waits for the one before.
    addition_wait: int = 4

    # Transposes through tiles: `transposed`; notes, "Transposed operands".
    #: Bytes of a tile's line, at least one line of cache; and its most lines.
    tile_line_bytes: int = 512
    tile_lines: int = 64
    #: Bytes between the lines of a tile, so that they meet in different sets of the cache.
    tile_padding: int = 64
    #: Lines of the blocks that are transposed in registers; notes, "Transposes in registers".
    transposed_lines: int = 8
    #: Elements that one call of a kernel should take.
    tile_chunk: int = 1 << 16

    # Candidates: other ways to cut a kernel, which tuning times: schedules.md.
    #: By how much less or more work than today one thread is handed at a time.
    candidate_share: int = 4
    #: Elements of which pieces of loops are multiples.
    piece_elements: int = 1024
    #: Arithmetic (in additions) of an operation from which on it may be a library's function.
    special_cost: int = 20
    #: Least elements of a loop that is made the innermost.
    least_inner: int = 8
    #: Least columns of a panel.
    least_panel: int = 256
    #: Least lines of a tile.
    least_tile_side: int = 16

    # The cost model: bytes, and nanoseconds of which schedules.md says how near they are.
    l1_bytes: int = 32 << 10
    l2_bytes: int = 1 << 20
    l3_bytes: int = 24 << 20
    line_bytes: int = 64
    l1_rate: float = 60.0
    l2_rate: float = 40.0
    l3_rate: float = 18.0
    #: Of one thread from and to memory, and of all where none was measured.
    thread_copy_rate: float = 9.0
    copy_rate: float = 16.0
    #: A kernel's call, and handing work to other threads.
    launch_ns: float = 1500.0
    dispatch_ns: float = 4000.0
    #: An innermost loop's start, and a work item's.
    loop_ns: float = 4.0
    item_ns: float = 0.0
    #: A row that is written out, of a matrix and of more loops; notes, "Short loops joined". One of
    #: several of a work item; notes, "Short loops nested".
    across_rows_ns: float = 0.5
    written_out_ns: float = 1.0
    nested_ns: float = 0.25
    #: A vector of a row that is no neighbour of others and of which what is selected is compared,
    #: and a row of fewer elements than `narrow_row`; notes, "Selections in rows written out".
    compared_ns: float = 8.0
    narrow_row_ns: float = 10.0
    narrow_row: int = 4
    #: An element that is copied to a tile in a row that is written out, a byte of a window that is
    #: (notes, "Short loops joined"), and a longer row of copies of one element.
    copy_ns: float = 0.1
    window_copy_ns: float = 0.04
    repeated_row_ns: float = 0.75
    #: An element that no vector holds, and one whose neighbours lie apart.
    scalar_ns: float = 0.6
    strided_ns: float = 0.4
    #: Elements of an innermost loop from which on vectors hold them.
    vector_loop: int = 16
    #: How much longer operations take that wait for each other, in loops too short for vectors,
    #: of libraries, and where positions are looked for.
    scalar_factor: float = 10.0
    short_factor: float = 5.0
    special_factor: float = 2.5
    positional_factor: float = 6.0
    #: Pieces for each thread from which on waiting for the last one does not show.
    balanced_pieces: int = 4


_X86_64 = Tuning("x86_64, measured on an AMD EPYC and an Intel Xeon")


def processor_family() -> str:
    """Return the architecture of this machine's processor, such as ``x86_64``."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


#: Of other families nothing is measured: they have the row of x86_64, whose blocks fit a cache of
#: 256 KiB.
TABLE = TuningTable({"x86_64": _X86_64}, otherwise=_X86_64, machine=processor_family)
#: Returns the row that kernels are made by.
row = TABLE.row
