"""The numbers that the thread pool is tuned by: a row for each family of processors.

What is measured is in ``benchmarks/results/epyc_2_threads`` and ``xeon_16_threads_scaling``, and,
with what was tried and not taken, in ``docs/notes_on_speed.md``.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.core.tuning_table import TuningTable

__all__ = ["TABLE", "PoolTuning", "row"]


@dataclass(frozen=True, slots=True)
class PoolTuning:
    """What handing work to threads reckons with."""

    #: For the reader.
    name: str

    # How long a thread looks for something before it sleeps: notes, "How long to spin".
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

    # Signals; not measured: a bound of the time for which Python waits.
    #: How long one native call may hand out chunks before Python may handle a signal.
    call_seconds: float = 0.1


TABLE: TuningTable[PoolTuning] = TuningTable({}, otherwise=PoolTuning("all processors"))
#: Returns the row in use.
row = TABLE.row
