"""Tuning constants of the host: sizes of caches, and the largest plan.

No family of machines has others, so there is one row. What was not measured bounds memory, code or
time, and says so.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.core.tuning_table import TuningTable

__all__ = ["OF_MACHINE", "TABLE", "HostTuning", "row"]


@dataclass(frozen=True, slots=True)
class HostTuning:
    """Tuning constants of planning and of the plan cache."""

    #: For the reader.
    name: str

    # Few columns that share much, on a GPU: notes, "Weights of pairs, on a GPU".
    #: Columns at most that a thread takes all of, which computes once what they share, and rows of
    #: such columns that a thread reduces by itself; fusion, passes and lowering have to agree. Not
    #: measured: more columns take more registers.
    thread_columns: int = 8
    thread_rows: int = 32

    # Plans in the cache, which bound memory: notes, "Costs of planning and of kernels".
    #: Plans and forms of expressions, least recently used first, and plans of one form: an
    #: expression beyond them is planned for its own lengths.
    plans: int = 512
    forms: int = 512
    patterns: int = 8
    #: Further ones that fit single lengths: rows and columns of up to 16 elements are written out.
    narrow_patterns: int = 16
    #: Choices of devices for the parts of expressions; with one more, all are decided anew.
    placements: int = 1024
    #: The part of a GPU's memory that a plan may need whose device is chosen.
    gpu_share: float = 0.8
    #: Constants whose nodes, numbers and kinds are kept: each has about a kilobyte; with one more,
    #: all are made anew, each in some microseconds.
    constants: int = 1024
    #: Index maps of each kind that fusion has composed, the latest: each has some hundred bytes.
    #: The gradient of an LSTM of 32 steps has 20 of each, four expressions of 600 nodes 700.
    maps: int = 2048
    #: Records of kernels' trials that a process remembers, the latest; others are on disk.
    records: int = 1024
    #: Entries of the table of nodes before the dead ones are looked for.
    nodes: int = 4096
    #: Nodes alive of which half make one look whether an expression has many of them, and bytes of
    #: wrapped arrays beyond which the system is asked what it has left: an eighth of the memory of
    #: a small machine.
    pending_nodes: int = 4096
    pending_bytes: int = 1 << 30
    #: Bytes of values that are stored as they come again, where no leaf is as large.
    reused_bytes: int = 64 << 20
    #: Values that are stored with the first evaluation, as they take longer to compute than to
    #: store: at most that many bytes, and at least that many additions, in all and for each
    #: element. Beyond those bytes the memory comes from the system, and what nobody asks for again
    #: would cost what another computation costs.
    expensive_bytes: int = 1 << 20
    expensive_additions: int = 1 << 17
    stored_additions: int = 15
    #: The same for elements of one byte, of which eight are stored in the time of one float64.
    stored_byte_additions: float = 15 / 8
    #: Additions for each element from which on values of more bytes are stored, too: those of one
    #: call of a library. On a Xeon three steps of a spectral solver, 18 transforms of 1,000,000
    #: elements, of which a program asks for two results, take 1,230 ms where all are computed for
    #: each, 640 so, and NumPy 660.
    called_additions: int = 100
    #: Additions in the time of a scan's step, which waits for the one before. ``cumsum`` of 32,768
    #: float64 takes an EPYC 0.43 ns an element beside loading and storing it, an addition 0.028.
    scanned_additions: int = 16
    #: Expressions of no array of that many elements are not looked at: they run at once.
    expensive_elements: int = 1 << 12

    # Long expressions, planned in time that this bounds: notes, "Costs of planning and of kernels".
    #: Nodes of an expression that is planned as one: planning takes time in proportion to them;
    #: finding out what shares a kernel is felt beyond some thousand.
    expression_nodes: int = 1024
    #: Nodes of a piece at least; a third more than in a kernel that others have joined.
    piece_nodes: int = 256
    #: Regions of an array for which a table has room at first; it doubles. NumPy compares 1,000
    #: with another in 10 µs, Python one by one in 0.6 µs each.
    regions_together: int = 32
    #: Steps of a loop's iteration that a kernel takes: longer ones would compile slowly.
    loop_steps: int = 256

    # Rolled arrays that are read together: `python -m benchmarks.constants halo_part halo_axes`.
    #: The halo along an axis is at most this part of an array. On an EPYC, one thread, the sum of a
    #: matrix of 1,000 x 1,000 float32 rolled in four directions takes 6 to 15 % less with a halo
    #: where it is rolled by 200 places, and as long or up to 17 % more by 400.
    halo_part: int = 4
    #: Axes with a halo: its parts, each a kernel's, are a power of three. Rolled by one place along
    #: both axes, the same sum takes 2 to 35 % more with a halo along one axis at most.
    halo_axes: int = 2

    # Elementwise operations on joined arrays: notes, "Joined arrays in parts".
    #: Most parts, each a kernel's; elements of the whole at least, on processors and on GPUs, where
    #: each launch takes microseconds; and elementwise operations in front of an operand that are
    #: cut with it.
    joined_pieces: int = 12
    joined_elements: int = 1 << 12
    joined_elements_on_gpu: int = 1 << 16
    joined_depth: int = 64

    # Reductions over axes that lie apart, on GPUs: notes, "Short axes at the end".
    #: Bytes of the reduced elements side by side, at most; other elements beside each other for
    #: each of these, reduced elements of a first result, and bytes of all, at least.
    divided_bytes: int = 64
    divided_columns: int = 32
    divided_rows: int = 16
    divided_least: int = 1 << 23

    # Rows of transposed arrays, on GPUs: notes, "Rows of transposed arrays".
    #: Elements up to which rows are added in the order of their axis, wherever they lie.
    sequential_rows: int = 16

    # Stacks of products of few columns: notes, "Stacks of small products, on a GPU".
    #: Bytes of a row of the results, at most; rows of a left matrix, in all, and for each column,
    #: and the terms of a sum, at least. Products of 33x64 and 64x4 float32 take 61 us where an
    #: elementwise kernel takes 132; those of 16x33 and 33x16 272, and the library is faster.
    thin_bytes: int = 64
    thin_rows: int = 16
    thin_columns_each: int = 4
    thin_depth: int = 16
    #: Bytes of a load; not measured: the widest.
    thin_load: int = 16
    thin_rows_in_all: int = 1 << 15

    # Functions that are traced: notes, "lazyarr.jit".
    #: Traces and launches of one function; the oldest go first.
    traces: int = 64
    launches: int = 256
    #: Layouts of arrays that are compared one after the other, in C.
    small_calls: int = 4
    #: Structures of arguments of one function, and launches of one structure.
    structures: int = 8
    structure_launches: int = 32
    #: Calls whose arrays or numbers are never what they were, after which nobody looks beforehand.
    misses: int = 16

    # Expressions that one line evaluates again and again: notes, "Lines that repeat".
    #: Evaluations between two looks at the line, and looks before the run is timed: not measured.
    repetition_step: int = 64
    repetition_looks: int = 4
    #: Runs that are timed, fewer where one takes this many times as long as building: not measured,
    #: bounds of the time for it.
    repetition_runs: int = 20
    repetition_share: int = 8
    #: Seconds that it takes to build and recognise a node, and an expression beside its nodes.
    node_seconds: float = 0.22e-6
    evaluation_seconds: float = 1.3e-6
    #: Seconds of a run from bindings beyond those of a jitted call, and of such a call at least.
    binding_seconds: float = 2.2e-6
    call_seconds: float = 1e-6

    # Memory: notes, "Threads" and "lazyarr.jit".
    #: Below this many bytes malloc reuses memory well enough by itself.
    malloc_bytes: int = 1 << 16
    #: LLVM takes 2 to 7 megabytes for a kernel, the more the longer its text, and ends the process
    #: if it gets less. Generous, since other threads allocate meanwhile. And address space of the
    #: libraries of LLVM and Numba, and of what these import and compile first.
    kernel_bytes: int = 32 << 20
    kernel_bytes_a_character: int = 512
    library_bytes: int = 256 << 20
    #: Bytes of a result that is likely to be computed again at most, beyond which its computation
    #: takes a hundred times as long as its memory, and how many there are; notes, "Results that are
    #: computed again".
    repeated_bytes: int = 1 << 22
    repeated_results: int = 4
    #: Bytes of a page from the beginning of one mapping to that of the next, in whole lines: no two
    #: of 64 begin alike. On an EPYC ``u[1:-1] = x`` of 800 kB takes 229 us where both begin at a
    #: page's beginning, and 18 elsewhere.
    stagger: int = 1088

    #: Seconds for which a fork waits for imports of other threads at most; not measured. That of
    #: Numba takes one.
    fork_seconds: float = 2.0

    # Whole-array functions, on an EPYC, one thread, one head of 64 float32:
    # `python -m benchmarks.constants attention_block attention_direct attention_queries`.
    #: Keys whose scores attention has in memory together, and the most for which all are. Blocks of
    #: 64 to 1,024 of 2,048 keys take the same time within 9 %. All scores of 1,024 keys together
    #: take 23 % less than blocks of queries; those of 2,048 12 to 21 % less, but 16 MiB for each
    #: head, which this bounds.
    attention_block: int = 512
    attention_direct: int = 1024
    #: Queries that attention takes together at least, the most blocks of them, and their scores. Of
    #: 2,048 queries and keys, 128 at a time take 19 to 30 % more than 256, 512 4 to 5 % less, and
    #: 1,024 9 to 10 % less, with four times the memory. The other two bound plans and memory.
    attention_queries: int = 256
    attention_blocks: int = 16
    attention_scores: int = 1 << 25
    #: Queries that see the keys up to their own place, taken together at least, the most blocks
    #: of them, and the fewest scores, since more steps have to be planned; notes, "Causal attention
    #: in blocks of queries".
    attention_causal_queries: int = 64
    attention_causal_blocks: int = 8
    attention_causal_scores: int = 1 << 20
    #: Those that a GPU takes together at least, unless their scores are too many. One H100, forward
    #: and backward, causal, 8 heads of 4096x64: 256 5.2 ms, 512 3.9, 1024 3.5, 2048 3.5.
    attention_queries_of_gpu: int = 1024
    #: The most scores on a GPU, which has no loop over blocks of keys but the host's: a GiB of
    #: float32.
    attention_scores_of_gpu: int = 1 << 28
    #: Elements that linear recurrences take together, and the longest one that is doubled instead,
    #: whose kernels are compiled faster; notes, "Recurrences in blocks".
    recurrence_block: int = 4
    doubled_recurrence: int = 512
    #: Bytes of the arrays that devices average together, if they are smaller than that; parts into
    #: which smaller totals are divided, so that one is exchanged while the next is computed, and
    #: their least bytes, below which an exchange takes as long. Bounds: on two H100s steps of a CNN
    #: and a ResNet-20 take the same time with three or four of them in order or beside other steps
    #: (benchmarks/results/several_gpus_h100.md).
    bucket_bytes: int = 4 << 20
    buckets: int = 4
    least_bucket_bytes: int = 128 << 10
    #: Edges of a histogram that are looked at when it is built.
    checked_bins: int = 100_000


TABLE: TuningTable[HostTuning] = TuningTable({}, otherwise=HostTuning("all machines"))
#: Returns the row in use.
row = TABLE.row
#: The row of this machine, for constants of modules.
OF_MACHINE = row()
