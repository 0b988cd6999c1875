"""Tuning table of threads and of the runtime's own kernels: a row for each family.

What is measured is in ``benchmarks/results/epyc_2_threads`` and ``xeon_16_threads_scaling``, and,
with what was tried and not taken, in ``docs/notes_on_speed.md``.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.core.tuning_table import TuningTable

__all__ = ["TABLE", "CpuTuning", "row"]


@dataclass(frozen=True, slots=True)
class CpuTuning:
    """Tuning constants of thread dispatch, of sums at places and of convolutions."""

    #: For the reader.
    name: str

    # How long a thread looks for something before it sleeps: notes, "Spinning before sleeping".
    #: A worker for the next job. Between two evaluations a script is in Python, whose code the
    #: first has swept from the caches: that takes a tenth to a fifth of a millisecond. To wake a
    #: worker costs the caller 40 microseconds, and it comes 100 later.
    worker_spin_seconds: float = 500e-6
    #: A caller for the last helper to come out. It is about what sleeping and waking cost, so
    #: waiting never costs more than twice the least possible.
    caller_spin_seconds: float = 100e-6
    #: A caller looks at all for a short job only if another one came so many nanoseconds before.
    busy_ns: int = 200_000

    # How work is cut: notes, "Ranges" and "Chunks".
    #: Parts that a thread should take its share in: few enough to cost nothing, enough to end
    #: together.
    parts: int = 16
    #: Chunks that a part has at most: one chunk is some microseconds of work.
    largest_part: int = 8
    #: Chunks of which it pays to wake sleepers.
    worth_waking: int = 8
    #: The same of fewer chunks that take one thread so many nanoseconds at least: who wakes another
    #: loses 40 microseconds, and the other comes 100 later.
    long_ns: int = 200_000
    #: Descriptions of jobs in the cache; not measured: a bound of memory, a job takes 300 bytes.
    cached_jobs: int = 1024

    # Sums at places: notes, "Scatter-add on processors".
    #: Places that are looked at before sums of short rows.
    sampled_places: int = 1024
    #: The part of them up to which places that change are so rare that a processor foresees the
    #: branch.
    foreseen_part: int = 16

    # Transforms: notes, "Transforms on several threads".
    #: Elements from which on they are divided: fewer take as long as the threads' pool.
    least_transformed: int = 8192
    #: Points of a work item that is copied: a cache of the second level has them, in float64.
    transformed_block: int = 16_384
    #: Work items that a thread should take its share in.
    transform_parts: int = 2
    #: Bytes from point to point from which on lines are copied to lie together, and the lines of
    #: a work item then: a line of the cache is read once.
    points_apart: int = 128
    lines_apart: int = 8

    # Linear algebra: notes, "Small matrices on several threads".
    #: Multiplications of a call of LAPACK's from which on its own threads are worth waking, and
    #: those that one thread of the pool's is worth waking for.
    alone_work: float = 1e6
    stack_work: float = 2e4

    # Products of few rows and columns with long sums: notes, "Products with long sums".
    #: Bytes of vectors from which on kernels compute them: narrower ones are not measured.
    long_product_bytes: int = 32
    #: Vectors of a row of a tile at most, and registers beside these and the sums; the same with so
    #: few registers as `few_registers`: beside these, products of 4 and 4 take 1.0 to 1.2 times as
    #: long (48 random ones, EPYC Zen 3).
    long_product_vectors: int = 4
    long_product_spare: int = 4
    few_registers: int = 16
    few_vectors: int = 3
    few_spare: int = 1
    #: Elements whose blocks' sums are added together.
    long_product_elements: int = 64

    # Convolutions, four images of 32 x 64 x 64 float32, 32 filters of 3 x 3, an EPYC, one thread:
    # `python -m benchmarks.constants convolution_patch_bytes convolution_slab_bytes`.
    #: Bytes of packed rows of a work item, at most. Beside this value 20,000 take 46 % more, 40,000
    #: 21 %, 80,000 4 to 9 %, 320,000 as long, and 640,000 3 to 5 % more.
    convolution_patch_bytes: int = 160_000
    #: Bytes of filters that are multiplied with all rows of a work item before the next ones come,
    #: at most: they stay beside the rows. 3,000 to 48,000 take the same time within 8 %, and 96,000
    #: 5 to 11 % more.
    convolution_slab_bytes: int = 24_000
    #: Channels from which on a tap across is not packed as channels: fewer would leave blocks
    #: empty.
    convolution_channels: int = 8
    #: Channels of a block.
    convolution_block: int = 16
    #: Elements that are broadcast for a tile, largest first; narrower results have the next one.
    convolution_tiles: tuple[int, ...] = (8, 4, 1)
    #: Outputs that are computed one by one, with columns as the lanes of vectors, at most: a vector
    #: of eight outputs has few of them (notes, "Convolutions of separate channels and of few
    #: outputs").
    convolution_planes: int = 3
    #: Taps of a tile of a derivative by filters: as many sums as hide the latency of an addition,
    #: and few that are left over of 3 x 3, 5 x 5 and 7 x 7.
    convolution_taps: int = 5
    #: Most parts into which images are divided for the derivative by filters: enough for as many
    #: threads. They decide the order of additions, and so do not depend on the threads.
    convolution_parts: int = 16

    # Values looked up in sorted vectors: notes, "Lookups, on processors".
    #: Most elements of a vector that are all compared with a value.
    counted_table: int = 16

    # Two tiers of machine code: notes, "Two tiers of machine code".
    #: Plans that LLVM would optimise for longer begin with the baseline tier: what one waits for.
    tiers_from_seconds: float = 0.1
    #: Of optimising a kernel, and for each character of its text.
    compile_seconds: float = 8e-3
    compile_character_seconds: float = 8e-6
    #: Of a line of the text at the baseline tier, for one element: most lines are outside of the
    #: innermost loop.
    baseline_statement_seconds: float = 0.05e-9
    #: Statements that take as long as a function there: a vector is computed for each element. On
    #: an EPYC 5 to 10 ns for most, 28 for an exponential or a logarithm of float64, 48 for a power.
    function_statements: int = 250

    # Signals; not measured: a bound of the time for which Python waits.
    #: How long one native call may hand out chunks before Python may handle a signal.
    call_seconds: float = 0.1


TABLE: TuningTable[CpuTuning] = TuningTable({}, otherwise=CpuTuning("all processors"))
#: Returns the row in use.
row = TABLE.row
