"""Plans that were compiled before, by the form of an expression."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from lazyarr.compiler.counters import NAMED, Repetition
from lazyarr.compiler.forms import FORMS
from lazyarr.core import tuning
from lazyarr.core.frozen import dataclass

if TYPE_CHECKING:
    from lazyarr.execution.executor import Executor

__all__ = ["PLANS", "CachedPlan", "PlanInfo", "forget_plans", "plan_cache_info"]


@dataclass(frozen=True, eq=False, slots=True)
class CachedPlan:
    """A cached plan: its executor and the work of a run.

    Attributes
    ----------
    executor : Executor
        Runs the plan.
    computed : int
        Elements that its kernels and library calls compute.
    eager : int
        Elements that NumPy would compute, operation after operation.
    repetition : Repetition
        The count of evaluations of its form.
    filled : bool
        Whether it is a plan of other lengths, filled with those of its expression.
    """

    executor: Executor
    computed: int
    eager: int
    repetition: Repetition
    filled: bool = False

    @classmethod
    def of(cls, executor: Executor, computed: int, eager: int) -> CachedPlan:
        """Return a plan of a new form, without evaluations so far.

        Parameters
        ----------
        executor : Executor
            Runs the plan.
        computed, eager : int
            Elements that its kernels compute, and that NumPy would.
        """
        return cls(executor, computed, eager, Repetition())


class _Plans:
    """Compiled plans by expression, least recently used first."""

    def __init__(self) -> None:
        self.table: OrderedDict[object, CachedPlan] = OrderedDict()
        self.lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        self.filled = 0
        self.generation: object = object()  # another one whenever all plans are dropped

    def get(self, key: object) -> CachedPlan | None:
        with self.lock:
            plan = self.table.get(key)
            if plan is not None:
                self.hits += 1
                self.table.move_to_end(key)
        return plan

    def put(self, key: object, plan: CachedPlan, *, again: bool = False) -> None:
        """Enter a plan; where there is no room, the least recently used goes.

        Parameters
        ----------
        key : hashable
            See :attr:`lazyarr.compiler.request.Request.key`.
        plan : CachedPlan
            The plan.
        again : bool, optional
            Whether it is there under another key, of the form before it is known where it runs.
        """
        with self.lock:
            self.filled += plan.filled and not again
            self.misses += not (plan.filled or again)
            self.table[key] = plan
            while len(self.table) > tuning.row().plans:
                self.table.popitem(last=False)

    def peek(self, key: object) -> CachedPlan | None:
        """Return the plan under a key, which no one asks to run; None if there is none."""
        with self.lock:
            return self.table.get(key)

    def renew_lock(self) -> None:
        self.lock = threading.Lock()

    def clear(self) -> None:
        with self.lock:
            self.table.clear()
            self.generation = object()


PLANS = _Plans()


if hasattr(os, "register_at_fork"):
    # The lock may be held by a thread that the child does not have.
    os.register_at_fork(after_in_child=PLANS.renew_lock)


@dataclass(frozen=True, slots=True)
class PlanInfo:
    """Statistics of the plan cache: size, hits and misses.

    A plan is filled if it was made for other lengths and serves for those of an expression.
    """

    plans: int
    hits: int
    misses: int
    filled: int = 0


def plan_cache_info() -> PlanInfo:
    """Return the counters of the plans."""
    return PlanInfo(len(PLANS.table), PLANS.hits, PLANS.misses, PLANS.filled)


def forget_plans() -> None:
    """Drop every plan; the next evaluation of any expression plans again."""
    PLANS.clear()
    FORMS.clear()
    NAMED.clear()  # plans count anew
