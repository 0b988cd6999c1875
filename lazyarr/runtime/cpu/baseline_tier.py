"""Two tiers of machine code: a baseline that is compiled quickly, and the optimised code.

Optimising a kernel takes LLVM ten to a hundred milliseconds, and a training step has dozens. A
plan that would wait long runs code of the baseline tier first: nothing but calls inlined, and
instructions chosen one by one. A thread compiles the optimised code meanwhile, in which each kernel
goes on as soon as its own is ready.

Both tiers give the same bits. Operations of the loop IR are exact IEEE operations, which LLVM
neither contracts nor reorders without leave; only sums and products of reductions have that leave,
and kernels with such are never compiled at the baseline tier. Functions of a vector library have
one definition for elements and for vectors.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Mapping, Sequence

from lazyarr.core.forks import at_fork
from lazyarr.core.frozen import dataclass, replace
from lazyarr.loop_ir.intrinsics import parse_intrinsic
from lazyarr.loop_ir.primitives import PRIMITIVES
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu import tuning
from lazyarr.runtime.cpu.host_target import why_not

__all__ = ["TIER_UP", "Request", "TierUp", "baseline_sources", "may_be_baseline", "of_baseline"]


def of_baseline(source: Source) -> Source:
    """Return a source as one that stays as it is compiled quickly, if that has the same bits."""
    return replace(source, baseline=True) if _has_same_bits(source) else source


def may_be_baseline(source: Source) -> bool:
    """Whether a source to be optimised has a baseline tier too, of the same bits.

    One of Numba's has not: most of its time goes into what is common to both.
    """
    return source.language == "llvm" and _has_same_bits(source)


def _has_same_bits(source: Source) -> bool:
    """Whether a source to be optimised has the same bits if it is compiled quickly."""
    if not source.optimize or source.baseline:
        return False
    if any("r" in name.split("_") for name in source.intrinsics):
        return False  # operations that may be reassociated
    return " reassoc " not in source.text


def baseline_sources(sources: Sequence[Source], work: Mapping[Source, int]) -> list[Source]:
    """Return the sources that begin with code of the baseline tier, the longest run first.

    Parameters
    ----------
    sources : sequence of Source
        All that have to be compiled now.
    work : mapping of Source to int
        The elements that one run of the plan computes by each; a source without has none of it.
    """
    if why_not():
        return []  # another loader, or another processor, which trampolines are not written for
    row = tuning.row()
    costs = {
        source: row.compile_seconds + len(source.text) * row.compile_character_seconds
        for source in sources
    }
    if sum(costs.values()) < row.tiers_from_seconds:
        return []
    runs = {
        source: work[source] * _statements(source) * row.baseline_statement_seconds
        for source in sources
        if source in work and may_be_baseline(source)
    }
    chosen = [source for source, seconds in runs.items() if seconds < costs[source]]
    return sorted(chosen, key=lambda source: -runs[source])


def _statements(source: Source) -> int:
    """Return about how many instructions an element takes: one a line, many a function."""
    functions = sum(map(_is_function, source.intrinsics))
    return source.text.count("\n") + functions * tuning.row().function_statements


def _is_function(name: str) -> bool:
    """Whether an intrinsic is a function of a library."""
    primitive = PRIMITIVES.get(parse_intrinsic(name)[0])
    return primitive is not None and primitive.math


@dataclass(frozen=True, eq=False, slots=True)
class Request:
    """Optimised code that is to be compiled.

    Attributes
    ----------
    user : callable
        Returns the function that is to have it; None if nobody has that any more, and then nothing
        is compiled.
    compile : callable
        Compiles it, keeps it, and has the function go on with it.
    """

    user: Callable[[], object | None]
    compile: Callable[[], None]


class TierUp:
    """Works off requests in a thread, which ends with the last one.

    At exit it is waited for until the one that it is at is done, and no further: LLVM's library may
    not be unloaded before. A fork waits as long, since a child would find the compiler's locks
    held; the requests left are worked off in the parent, and in a child with the next plan.
    """

    def __init__(self) -> None:
        self._requests: list[Request] = []
        self._renew()

    def _renew(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopping = False
        #: Owned while a request is worked off.
        self._working = threading.Lock()

    def submit(self, requests: Sequence[Request]) -> None:
        """Take requests, the most urgent first; the thread starts if there is none."""
        with self._changed:
            self._requests += requests
            if self._thread is not None or self._stopping or not self._requests:
                return
            thread = threading.Thread(target=self._work, name="lazyarr-tier-up", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return  # the process ends, and will not run the functions much
            self._thread = thread

    def settle(self, seconds: float) -> bool:
        """Wait until there is no request, or for some seconds; return whether there is none."""
        with self._changed:
            return self._changed.wait_for(lambda: self._thread is None, seconds)

    def stop(self) -> None:
        """Drop all requests, and wait until the thread has ended."""
        with self._changed:
            self._stopping = True
            self._requests.clear()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _work(self) -> None:
        try:
            while True:
                with self._changed:
                    if not self._requests or self._stopping:
                        return
                    request = self._requests.pop(0)
                with self._working:
                    if request.user() is not None:
                        request.compile()
        finally:
            # What goes wrong is shown as of any thread, and its function keeps its code.
            with self._changed:
                self._thread = None
                self._changed.notify_all()

    def before_fork(self) -> None:
        """Wait for compilations in progress, and prevent new ones."""
        self._working.acquire()

    def after_fork(self) -> None:
        """Let requests be worked off again."""
        self._working.release()


TIER_UP = TierUp()
atexit.register(TIER_UP.stop)
at_fork(TIER_UP.before_fork, TIER_UP.after_fork, TIER_UP._renew)
