"""Tuning table of GPU libraries, launches and memory: a row for each family.

What is measured is in ``benchmarks/results/gpu_h200.md``, ``gpu_first_h200.md`` and
``gpu_start_h200.md``, and, with what was tried and not taken, in ``docs/notes_on_speed_gpu.md``.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.core.gpu_family import gpu_family
from lazyarr.core.tuning_table import TuningTable
from lazyarr.runtime.cuda.sums_tuning import SumsTuning

__all__ = ["TABLE", "RuntimeTuning", "row"]


@dataclass(frozen=True, slots=True)
class RuntimeTuning(SumsTuning):
    """Tuning constants of kernels and libraries at run time, for a family of GPUs."""

    # Graphs of a plan's kernels: notes, "Kernels whose arguments change".
    #: Runs with equal addresses after which a plan's kernels are queued as one graph.
    runs_before_replay: int = 3
    #: Runs that queue kernels one by one, after which they are a graph that reads arguments anew.
    runs_before_ready: int = 4
    #: Graphs of one plan, and chains that it keeps in a stream: memory often comes in one of a few
    #: orders.
    replays: int = 8
    chains: int = 4
    #: Runs of kernels queued one by one whose reports the host has not read, before it waits.
    reports_pending: int = 32
    #: Bytes up to which what a graph stores on its way lies in its stream's pad.
    pad_bytes: int = 1 << 20
    #: Counters of a stream that are 0 when a kernel starts.
    counters: int = 1 << 16

    # Rows that come to the L2 cache ahead: notes, "L2 prefetch of rows".
    #: What is fetched beforehand takes this part of the cache: the pieces that blocks work on lie
    #: there too, and so do those that a graph's kernels have just written.
    l2_parts: int = 6

    # Products and what follows: notes, "One kernel for a product and its epilogue".
    #: What one kernel may take of the time of two when they run alternately, at equal clocks. It
    #: moves less, which takes less power, so alone it leaves the GPU a higher clock. On an H200 the
    #: sigmoid of a product of 512 x 784 x 65536 takes 0.99 to 1.01 alternately, and 0.94 if each
    #: runs for 0.3 s.
    fused_share: float = 1.03

    # Algorithms of products: notes, "Algorithms of products" and "No trials in a first evaluation".
    #: Multiplications from which on algorithms are tried, and seconds that this may take: of the
    #: device, and with what is loaded meanwhile of the host, which may be kept from its work.
    race_products: int = 2_000_000_000
    race_seconds: float = 0.05
    race_wait_seconds: float = 0.15
    #: A winner takes at most this part of the default's time.
    race_share: float = 0.98
    #: How often another way and the default are timed alternately, unless it is so much slower.
    race_rounds: int = 3
    race_hopeless: float = 1.03
    #: Algorithms that cuBLASLt is asked for.
    proposals: int = 8

    # Kernels of two tiers, and libraries loaded meanwhile: notes, "Two tiers of CUDA kernels".
    #: Seconds without a kernel compiled after which others are compiled once more, and after which
    #: they are all the same.
    recompile_rest: float = 0.05
    recompile_patience: float = 2.0
    #: Seconds without a kernel compiled after which what products need is loaded.
    products_rest: float = 0.25
    #: Seconds for NCCL to give communicators back at the end; not measured: a GPU that is gone may
    #: never answer.
    nccl_patience: float = 10.0

    # Sorting and selecting; not measured: sizes that fit a block's shared memory.
    #: Elements of a tile.
    sort_tile: int = 2048
    #: Rows up to this length are sorted by one thread each (positions of 692,695 rows of 16
    #: float64: by lanes 137 us, by threads 52).
    sort_of_thread: int = 16
    #: Threads of a block that does; not measured.
    sort_threads: int = 128
    #: What short rows take of a tile.
    sort_widths: tuple[int, ...] = (16, 64, 256, 512, 1024)
    #: Rows of 32-bit keys up to this length are sorted by warps, in registers, others up to half of
    #: it: a kernel compiles in half a second; and what rows take of elements.
    sort_of_warp: int = 1024
    warp_widths: tuple[int, ...] = (8, 16, 32, 64, 128, 256, 512, 1024)
    #: Rows from this length on are sorted digit by digit, shorter ones by merging.
    sort_digits: int = 1 << 12
    #: Elements that a thread counts at once, and blocks that keep a device busy counting.
    sort_counted: int = 16
    #: Elements of a thread in a pass by a digit, and those of eight bytes; those without positions,
    #: of which short rows of eight bytes are for many blocks all the same: notes, "Radix sort".
    sort_items: int = 16
    sort_items_wide: int = 12
    sort_items_alone: int = 20
    sort_large: int = 1 << 21
    #: Blocks of such a pass that a multiprocessor has to have registers for.
    sort_occupancy: int = 3
    #: Tiles before its own whose counts a block asks for at once: those that wait for counts delay
    #: those that write them (a pass over 9.5 million items: 2: 85 us, 8: 93, 32: 213).
    sort_before: int = 2
    sort_blocks: int = 1056
    #: Most elements that are selected of a row, no more than a block has threads, and fewest times
    #: as many that the row has; shorter rows are sorted.
    part_count: int = 128
    part_share: int = 4
    part_length: int = 128
    #: Elements that are gathered, and that a thread looks at before memory is looked after.
    part_room: int = 2048
    part_items: int = 4
    #: Blocks below which rows are cut in pieces, and the least of a piece.
    part_blocks: int = 264
    part_piece: int = 4096
    #: Rows from which on, and lengths up to which, a warp selects of a row, if they are so few that
    #: each is a lane's; and elements that it puts in their places one by one.
    part_warps: int = 1056
    part_short: int = 1024
    part_inserted: int = 10
    #: Entries of a mask that a thread looks at.
    selected_items: int = 16

    # Looking up in sorted vectors: `looked_up` of families_h200.md.
    #: Bytes of a vector's elements in shared memory: powers of two. Six blocks have room for the
    #: first; for many values one block has more, since what is looked up in memory takes a line for
    #: each (20 million float64 among 30,000 points: 999 us with 32 kB of six blocks, 694 with 4).
    search_bytes: int = 32 << 10
    search_least_bytes: int = 4 << 10
    search_most_bytes: int = 128 << 10
    #: Elements in shared memory for each value, where they are more than the least.
    search_share: float = 1 / 256
    #: Blocks of a multiprocessor, multiprocessors, and values of a thread, whose loads overlap.
    search_blocks: int = 6
    search_units: int = 132
    search_items: int = 4
    #: Elements of vectors in which kernels look up what they alone read, for each byte of one (15
    #: million float32, 1,000: 96 us, as a step 121, 3,000: 152, 133; float64, 10,000: 214, 200).
    searched_in_kernels: int = 512
    #: Elements each of which all others are compared with, to learn which are among them; more are
    #: sorted and looked up. Not measured: as many comparisons as a lookup among 2^32 takes.
    compared_members: int = 32

    # Copies; not measured: what the blocks of the other kernels have.
    copy_threads: int = 256
    #: Edge of the squares that a transposing copy works in.
    copy_tile: int = 32

    # Convolutions as implicit products: ``benchmarks/results/training_h200.md``.
    #: Blocks below which a convolution is cut into smaller tiles: two for a multiprocessor.
    convolution_blocks: int = 264
    #: Tiles by their outputs, with the windows and outputs of a thread and the elements of a step:
    #: of float32, the windows of a thread if there are few blocks, and of wider numbers.
    image_tiles: tuple[tuple[int, int, int, int], ...] = (
        (16, 8, 4, 16),
        (32, 8, 4, 16),
        (64, 8, 8, 16),
    )
    few_image_rows: int = 4
    wide_image_tiles: tuple[tuple[int, int, int, int], ...] = ((16, 4, 4, 8), (32, 4, 4, 8))
    #: The same of derivatives by filters: outputs, those of a thread, warps beside each other and
    #: the windows of a step.
    filter_tiles: tuple[tuple[int, int, int, int], ...] = (
        (16, 4, 1, 32),
        (32, 8, 1, 32),
        (64, 8, 2, 16),
    )
    wide_filter_tiles: tuple[tuple[int, int, int, int], ...] = ((16, 4, 1, 16), (32, 4, 2, 16))
    #: Blocks of a derivative by filters, as the parts of its windows allow, and the least tiles of
    #: windows of a part.
    filter_blocks: int = 528
    filter_steps: int = 4
    #: Threads of a block, and of one that adds parts, in so many lines.
    convolution_threads: int = 128
    sum_threads: int = 256
    sum_lines: int = 8
    #: Channels of images from which on cuDNN's derivatives by filters, with TF32, are faster.
    cudnn_inputs: int = 32

    # Stacks of matrices; not measured: bounds of the work space and of the calls.
    #: Stacks of matrices whose strides do not merge: this many calls rather than one copy.
    product_calls: int = 16
    #: Up to these sizes one call for a whole stack may be faster than one for each matrix.
    stacked_lu: int = 512
    stacked_cholesky: int = 1024
    stacked_eigen: int = 512
    #: Of matrices larger than half of that, so many are needed for it.
    stacked_least: int = 8
    #: Up to this size rotations are faster, and take little work space.
    rotated: int = 32
    #: Matrices of one call that takes work space for each.
    stacked_at_once: int = 512
    #: Bytes that cuBLAS works with: what NVIDIA recommends for Hopper.
    blas_bytes: int = 32 << 20

    # Descriptions and plans of libraries that are kept; not measured: bounds of memory.
    lt_plans: int = 256
    fft_plans: int = 64

    # Memory and transfers; not measured: sizes at which the bus is busy.
    #: Bytes from which on blocks of the pool are whole multiples of that.
    pool_bytes: int = 1 << 20
    #: Bytes of a buffer for copies from and to the host, buffers of a thread, and threads.
    staging_bytes: int = 4 << 20
    staging_buffers: int = 2
    staging_threads: int = 4
    #: Copies below this many bytes go the plain way, which is as fast up to some 20 MiB.
    staging_least: int = 24 << 20


_HOPPER = RuntimeTuning("sm_90, measured on an H200")

#: Of other families nothing is measured: they have Hopper's row.
TABLE = TuningTable({"sm_90": _HOPPER}, otherwise=_HOPPER, machine=gpu_family)
#: Returns the row in use.
row = TABLE.row
