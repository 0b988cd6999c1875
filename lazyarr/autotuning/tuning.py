"""Tuning table of autotuning: when it starts, its share of the machine, and the least gain."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lazyarr.core.frozen import dataclass

__all__ = ["BEFOREHAND", "BY_DEFAULT", "Policy", "current", "using"]


@dataclass(frozen=True, slots=True)
class Policy:
    """Bounds of the cost of autotuning, and the least gain."""

    # What is tried, and what counts as a gain: ``benchmarks/results/schedules.md``.
    #: Most ways to cut one kernel that are timed, the present one not counted.
    candidates: int = 4
    #: The bound on a candidate's predicted time, in units of the present one's.
    slowest: float = 2.0
    #: Runs of each of them, alternating with the present one.
    rounds: int = 7
    #: The part of the time that a candidate must save.
    gain: float = 0.05
    #: Elements of a plan's largest kernel below which it is not timed.
    least_elements: int = 1 << 16

    # The share of the machine; not measured: what a program may be asked for that is not tuned.
    #: Time that a plan must have taken, all runs together.
    hot_seconds: float = 1.0
    #: The part of the time since the process began that the background works at most.
    share: float = 0.01
    #: The part of a plan's time that copying its arrays for trials may take.
    copy_share: float = 0.005
    #: Bytes per second assumed for these copies.
    copy_rate: float = 4e9
    #: Bytes of a plan's arrays above which they are not copied.
    most_bytes: int = 1 << 30
    #: How long a slice waits for code that is still being optimised.
    settle_seconds: float = 0.01
    #: Whether trials run at once, in the thread that runs the plan.
    beforehand: bool = False


#: Of ``lazyarr tune``: every plan, at its first run.
BEFOREHAND = Policy(
    hot_seconds=0.0,
    share=float("inf"),
    copy_share=float("inf"),
    rounds=15,
    least_elements=1 << 12,
    beforehand=True,
)

#: Unless a command asks for another one.
BY_DEFAULT = Policy()
_current = BY_DEFAULT


def current() -> Policy:
    """Return the policy in force in this process."""
    return _current


@contextmanager
def using(policy: Policy) -> Iterator[None]:
    """Let another policy be in force in the whole process."""
    global _current
    before, _current = _current, policy
    try:
        yield
    finally:
        _current = before
