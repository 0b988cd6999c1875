"""Tuning tables of fusion: a row for each family of processors and of GPUs.

What is measured is in ``benchmarks/results/epyc_2_threads`` and ``gpu_h200.md``, and, with what was
tried and not taken, in ``docs/notes_on_speed.md``.
"""

from __future__ import annotations

from lazyarr.codegen.templates import TemplateLimits
from lazyarr.core.frozen import dataclass
from lazyarr.core.tuning_table import TuningTable
from lazyarr.schedule.machine import FusionCosts

__all__ = ["GPUS", "PROCESSORS", "FusionTuning"]


@dataclass(frozen=True, slots=True)
class FusionTuning:
    """Tuning constants of fusion for a family of machines.

    The figures are explained where they are used: :class:`FusionCosts`, :class:`TemplateLimits`.
    """

    #: For the reader.
    name: str

    # Sizes of a kernel, which bound what LLVM and NVRTC take: notes, "Operations per kernel".
    max_operations: int = 96
    function_code: int = 1
    max_operands: int = 48

    # What costs how many additions: notes, "Costs of planning and of kernels".
    #: Storing and loading one value: a float64 takes an EPYC 0.49 ns in its second level of cache
    #: and 0.41 in memory, an addition 0.028 and 0.024.
    store_cost: int = 15
    #: A launch: another kernel of 1,000 elements in a plan takes it 1.6 us.
    launch_cost: int = 50_000
    #: A division, which shows beside loading and storing.
    expensive: int = 4

    #: Elements of a map for each of which a value that all of them share counts as computed once;
    #: 0: one loop computes it before its first turn. Of Adam's 10^8 parameters on an H200, each
    #: thread took two powers in float64, which took a third of the time.
    shared_elements: int = 0

    #: Neighbouring elements of a reduction for which a thread computes what they share once; 0: a
    #: loop computes it for all. On an H200 the columns of 10^6 x 64 float64 times a sigmoid of each
    #: row take 456 us with it computed by each thread, and 261 with it stored.
    thread_elements: int = 0

    #: Arithmetic for an element that a scan along memory takes in; 0: any, as threads of a GPU are
    #: no vectors. ``cumsum(sin(x), axis=1)`` of 2,000 x 50 elements takes an EPYC 0.98 ms in one
    #: kernel, and 0.19 in two.
    scanned_arithmetic: int = 16

    # Products whose kernel computes a factor: notes, "Matrix products".
    product_block: int = 192

    # Rows that a kernel works through several times: notes, "Costs of planning and of kernels".
    max_row: int = 1 << 16
    serial_elements: int = 1 << 16

    # Parts of a concatenation with one kernel: notes, "Parts of one concatenation".
    #: Bytes between two readings by which one line of a cache has both: less than all processors'
    #: lines, and a GPU's sectors two times.
    near_bytes: int = 64

    # Bounds of the time for planning, two chains of 250 matrix products, 1,000 groups, an EPYC:
    # `python -m benchmarks.constants searched_groups reordered_groups`.
    #: Groups, the last ones, among which fusion looks for one that a value can join. 16 take 20 %
    #: less time for planning, 256 35 % more, and 1,024 93 % more.
    searched_groups: int = 64
    #: Groups of a plan at most that are put in an order that needs less memory, which is a third of
    #: the time for planning.
    reordered_groups: int = 1024

    @property
    def costs(self) -> FusionCosts:
        """The cost constants."""
        return FusionCosts(
            self.max_operations,
            self.function_code,
            self.max_operands,
            self.store_cost,
            self.launch_cost,
            self.expensive,
            self.product_block,
            self.searched_groups,
            self.reordered_groups,
            self.shared_elements,
            self.thread_elements,
            self.scanned_arithmetic,
            self.near_bytes,
        )

    @property
    def limits(self) -> TemplateLimits:
        """The limits of the row length that one work item reduces."""
        return TemplateLimits(self.max_row, self.serial_elements)


PROCESSORS: TuningTable[FusionTuning] = TuningTable({}, otherwise=FusionTuning("all processors"))
#: Threads of a GPU share no loop, and make many additions for each byte: an H200 29.6 of float32 or
#: 14.8 of float64 in a picosecond, in which it moves 4.2 bytes. A softmax of 290 rows of 100,001
#: float32 that computes its exponentials twice takes 202 us on an H100, 238 if they are stored.
#: NVRTC takes 0.3 to 0.6 ms for a simple operation in vectors of four, 2 for a unit of a function.
GPUS: TuningTable[FusionTuning] = TuningTable(
    {},
    otherwise=FusionTuning(
        "all GPUs",
        max_operations=288,
        function_code=3,
        store_cost=55,
        shared_elements=256,
        thread_elements=4,
        scanned_arithmetic=0,
    ),
)
