"""Dispatch to Python threads: for Python functions, and where there is no native pool.

A compiled kernel releases the GIL while it runs, so all that these threads do in Python is to take
the next chunk. The calling thread always works too, so a call never waits for a helper to become
free: nested and concurrent calls cannot deadlock.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["RangeFunction", "dispatch"]


#: ``function(begin, end, *args)`` does the work items ``begin <= i < end``; it may return bits.
RangeFunction = Callable[..., int | None]
#: ``arguments(slot)``: what the thread in this slot passes after ``begin`` and ``end``.
Arguments = Callable[[int], Sequence[Any]]


class _Job:
    """One `dispatch` call: the remaining work items, and the threads that work on them."""

    __slots__ = (
        "active",
        "arguments",
        "begin",
        "chunk",
        "count",
        "done",
        "error",
        "function",
        "lock",
        "missing",
        "result",
        "share",
        "slots",
        "waited_for",
    )

    def __init__(
        self,
        function: RangeFunction,
        count: int,
        arguments: Arguments,
        chunk: int,
        missing: int,
    ) -> None:
        self.function = function
        self.count = count
        self.arguments = arguments
        self.chunk = chunk
        self.share = 2 * chunk * (missing + 1)
        self.missing = missing  # helpers not yet assigned; guarded by the pool's lock
        self.begin = 0
        self.slots = 1  # scratch slots given out; the caller has slot 0
        self.active = 0  # helpers inside `work`
        self.result = 0
        self.error: BaseException | None = None
        self.lock = threading.Lock()
        self.waited_for = False
        self.done = threading.Lock()
        self.done.acquire()

    def work(self, slot: int) -> None:
        """Take chunks until there are none left."""
        function, count, chunk, share = self.function, self.count, self.chunk, self.share
        args = self.arguments(slot)
        while True:
            with self.lock:
                begin = self.begin
                if begin >= count:
                    return
                # Large ranges first, single chunks last: each return to Python waits for the
                # GIL, but at the end all threads should finish together.
                end = min(begin + chunk * max(1, (count - begin) // share), count)
                self.begin = end
            result = function(begin, end, *args)
            if result:
                with self.lock:
                    self.result |= result

    def fail(self, error: BaseException) -> None:
        """Keep the first error and hand out nothing more."""
        with self.lock:
            self.begin = self.count
            if self.error is None:
                self.error = error

    def help(self) -> None:
        """Work as a helper, unless all chunks are taken already."""
        with self.lock:
            if self.begin >= self.count:
                return
            slot = self.slots
            self.slots += 1
            self.active += 1
        try:
            self.work(slot)
        except BaseException as error:  # noqa: BLE001
            # The caller raises it; a helper outlives any error of the work it was given.
            self.fail(error)
        finally:
            with self.lock:
                self.active -= 1
                if self.waited_for and self.active == 0:
                    self.done.release()

    def wait(self) -> None:
        """Return when no helper is inside; to be called once nothing is left to hand out.

        A helper that was woken but has not begun finds no chunk, so nobody waits for it.
        """
        with self.lock:
            self.waited_for = self.active > 0
        while self.active > 0:
            try:
                self.done.acquire()
            except BaseException as error:  # noqa: BLE001
                # An interrupt must not free memory that the helpers still write.
                self.fail(error)


class _Helper:
    """One idle-or-working thread."""

    __slots__ = ("avoided", "job", "native_id", "wake")

    def __init__(self, job: _Job) -> None:
        self.job: _Job | None = job
        self.wake = threading.Lock()
        self.native_id: int | None = None
        self.avoided: int | None = None

    def avoid(self, cpu: int | None) -> None:
        """Run on any CPU but this one.

        Linux likes to run a woken thread where its waker runs, expecting the waker to sleep soon.
        Ours goes on to work, and without this the two share one CPU for milliseconds while
        another idles.
        """
        if cpu is None or cpu == self.avoided or self.native_id is None:
            return
        self.avoided = cpu
        allowed = os.sched_getaffinity(0) - {cpu}
        if allowed:
            try:
                os.sched_setaffinity(self.native_id, allowed)
            except OSError:
                self.native_id = None  # not permitted here; the scheduler decides alone


class _Pool:
    """All helper threads of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Helper] = []
        self._short: deque[_Job] = deque()  # jobs that could use more helpers
        self._size = 0
        self._limit = 0

    def assign(self, job: _Job) -> None:
        """Wake, start or promise `job.wanted` helpers."""
        recruits = 0
        with self._lock:
            # Callers share the helpers: the process never has more than the widest call needs.
            self._limit = max(self._limit, job.missing)
            called = self._idle[-job.missing :]
            del self._idle[-job.missing :]
            job.missing -= len(called)
            if job.missing:
                recruits = min(job.missing, self._limit - self._size)
                self._size += recruits
                job.missing -= recruits
                if job.missing:
                    self._short.append(job)
        cpu = _current_cpu()
        for helper in called:
            helper.avoid(cpu)
            helper.job = job
            helper.wake.release()
        for _ in range(recruits):
            self._recruit(job, cpu)

    def withdraw(self, job: _Job) -> None:
        """Promise `job` no further helpers."""
        if job.missing:
            with self._lock:
                if job in self._short:
                    self._short.remove(job)

    def _recruit(self, job: _Job, cpu: int | None) -> None:
        helper = _Helper(job)
        helper.wake.acquire()
        # A daemon, so that an idle helper never keeps the interpreter from ending.
        thread = threading.Thread(
            target=self._serve, args=(helper,), name="lazyarr-helper", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:
            # No more threads allowed, or the interpreter is ending: the callers work alone.
            with self._lock:
                self._size -= 1
            return
        helper.native_id = thread.native_id
        helper.avoid(cpu)

    def _serve(self, helper: _Helper) -> None:
        while True:
            job = helper.job
            helper.job = None
            while job is not None:
                job.help()
                job = self._next(helper)
            helper.wake.acquire()

    def _next(self, helper: _Helper) -> _Job | None:
        with self._lock:
            if self._short:
                job = self._short[0]
                job.missing -= 1
                if not job.missing:
                    self._short.popleft()
                return job
            self._idle.append(helper)
            return None


def _cpu_reader() -> Callable[[], int | None]:
    if hasattr(os, "sched_setaffinity"):
        try:
            # PyDLL keeps the GIL: this takes a fraction of a microsecond.
            reader: Callable[[], int] = ctypes.PyDLL(None).sched_getcpu
        except (AttributeError, OSError):
            return lambda: None
        return reader
    return lambda: None


_current_cpu = _cpu_reader()
_pool = _Pool()


def _renew_pool() -> None:
    # After a fork the child has none of its parent's threads, and their locks may be held.
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_pool)


def dispatch(
    function: RangeFunction, count: int, arguments: Arguments, *, threads: int, chunk: int
) -> int:
    """Call ``function(begin, end, *arguments(slot))`` until all work items are done.

    Parameters
    ----------
    function : callable
        What does work items, and may return bits.
    count : int
        Number of work items, more than `chunk`.
    arguments : callable
        Returns the further arguments of the thread in a slot ``0 <= slot < threads``.
    threads : int
        How many threads work at most, this one among them; at least 2.
    chunk : int
        Work items of one call at least. A call does a multiple of this many (the last one fewer),
        and threads take more as they become free.

    Returns
    -------
    int
        The bits that any call returned.

    Raises
    ------
    BaseException
        What `function` raised first, after every call that had begun has ended.
    """
    chunks = -(-count // chunk)
    job = _Job(function, count, arguments, chunk, min(threads, chunks) - 1)
    pool = _pool
    try:
        pool.assign(job)
        job.work(0)
    except BaseException as error:  # noqa: BLE001 - raised below, once the helpers are out
        job.fail(error)
    job.wait()
    pool.withdraw(job)
    failure = job.error
    if failure is not None:
        job.error = None
        try:
            raise failure
        finally:
            del failure  # its traceback holds this frame
    return job.result
