"""The numbers that lowering for all targets is tuned by.

What is measured is in ``benchmarks/results/epyc_2_threads`` and ``xeon_16_threads_scaling``, and in
``docs/notes_on_speed.md``.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.core.tuning_table import TuningTable

__all__ = ["TABLE", "SharedTuning", "row"]


@dataclass(frozen=True, slots=True)
class SharedTuning:
    """Tuning constants of lowering that all targets share."""

    #: For the reader.
    name: str

    # Reductions in chunks: `var0`; notes, "Combining panels by lanes".
    #: States that one call of a combining kernel should take.
    combined_states: int = 1 << 14
    #: Outputs that it takes at least.
    combined_outputs: int = 64

    # What work takes, to hand it out in parts that pay: `ssq` of xeon_16_threads_scaling.
    #: Nanoseconds of work that pay for handing them to another thread.
    task_ns: int = 5000
    #: Nanoseconds for each byte between the processor and its nearer caches, and for an
    #: addition to a vector of float64, divided by its lanes.
    byte_ns: float = 0.02
    addition_ns: float = 0.025

    # Loops of which several iterations go together: `logistic`; notes, "Loops in kernels".
    #: Bytes of the states that go through a loop together: half of the widest vector registers.
    lane_bytes: int = 1024
    #: Bounds of the number of elements that do.
    lanes_least: int = 8
    lanes_most: int = 256
    #: Most operations of one iteration for all of them: their code is written out.
    lane_operations: int = 1 << 12
    #: Arithmetic (in additions) above which what leads to a loop is kept for what follows it.
    loop_keep_cost: int = 8

    # Transposes: `transposed`; notes, "Transposed operands".
    #: Loops shorter than this are not worth a tile.
    transposed_loop: int = 16


TABLE: TuningTable[SharedTuning] = TuningTable({}, otherwise=SharedTuning("all targets"))
#: Returns the row that kernels are made by.
row = TABLE.row
