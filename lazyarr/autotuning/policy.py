"""The tuning policy: when to start, its share of the machine, and the gain it must show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lazyarr.core.frozen import dataclass

__all__ = ["BEFOREHAND", "Policy", "current", "using"]


@dataclass(frozen=True, slots=True)
class Policy:
    """Bounds of the cost of tuning, and the least gain.

    Attributes
    ----------
    hot_seconds : float
        Time that a plan must have taken, all runs together.
    share : float
        The part of the time since the process began that the background works at most.
    copy_share : float
        The part of a plan's time that copying its arrays for trials may take.
    copy_rate : float
        Bytes per second assumed for these copies.
    most_bytes : int
        Of a plan's arrays: larger ones are not copied.
    candidates : int
        Most ways to cut one kernel that are timed, today's not counted.
    slowest : float
        How many times today's predicted time a candidate's may be.
    rounds : int
        Runs of each of them, in turn with today's.
    gain : float
        The part of the time that a candidate must save.
    least_elements : int
        Of a plan's largest kernel: smaller ones are not timed.
    settle_seconds : float
        How long a slice waits for code that is still being optimised.
    beforehand : bool
        Whether trials are made at once, in the thread that runs the plan.
    """

    hot_seconds: float = 1.0
    share: float = 0.01
    copy_share: float = 0.005
    copy_rate: float = 4e9
    most_bytes: int = 1 << 30
    candidates: int = 4
    slowest: float = 2.0
    rounds: int = 7
    gain: float = 0.05
    least_elements: int = 1 << 16
    settle_seconds: float = 0.01
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

_current = Policy()


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
