"""Plans that were made before: found by the form of an expression, or kept at its first root."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict

from lazyarr.core.config import Config
from lazyarr.core.frozen import dataclass
from lazyarr.execution.cpu import Executable
from lazyarr.graph.node import Node
from lazyarr.passes.canonicalize import Shell

__all__ = ["PLANS", "Memo", "PlanInfo", "forget_plans", "memo_of", "plan_cache_info"]

#: Plans kept, least recently used first.
_MAX_PLANS = 512


class _Plans:
    """Executables by expression, least recently used first."""

    def __init__(self) -> None:
        self.table: OrderedDict[object, Executable] = OrderedDict()
        self.lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        self.generation: object = object()  # another one whenever all plans are dropped

    def get(self, key: object) -> Executable | None:
        with self.lock:
            found = self.table.get(key)
            if found is not None:
                self.hits += 1
                self.table.move_to_end(key)
        return found

    def put(self, key: object, executable: Executable) -> None:
        with self.lock:
            self.misses += 1
            self.table[key] = executable
            while len(self.table) > _MAX_PLANS:
                self.table.popitem(last=False)

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
    """How many plans are kept, how often one served again, and how often one was made."""

    plans: int
    hits: int
    misses: int


def plan_cache_info() -> PlanInfo:
    """Return the counters of the plans."""
    return PlanInfo(len(PLANS.table), PLANS.hits, PLANS.misses)


def forget_plans() -> None:
    """Drop every plan; the next evaluation of any expression plans again."""
    PLANS.clear()


@dataclass(frozen=True, eq=False, slots=True)
class Memo:
    """What further runs of an expression need; kept at its first root, and nothing at first."""

    roots: tuple[weakref.ref[Node], ...]
    shell: Shell
    # Its last plan, and for what that was made: looking it up takes as long as a launch.
    settings: Config | None = None
    generation: object = None
    executable: Executable | None = None

    def serves(self, settings: Config) -> bool:
        """Whether the last plan is what these settings ask for."""
        return self.settings is settings and self.generation is PLANS.generation


def memo_of(roots: tuple[Node, ...]) -> Memo | None:
    """Return what is known of an expression that comes again and again."""
    memo = roots[0].memo
    if type(memo) is Memo and len(memo.roots) == len(roots):
        if len(roots) == 1:
            return memo  # it is kept at that very root
        for ours, theirs in zip(memo.roots, roots, strict=True):
            if ours() is not theirs:
                return None
        return memo
    return None
