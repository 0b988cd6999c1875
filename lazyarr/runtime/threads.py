"""Running a compiled function's work items on several CPU threads.

The threads are Python threads: a compiled kernel releases the GIL while it runs, so all that they
do in Python is to take the next chunk. The calling thread always works too, so a call never waits
for a helper to become free: nested and concurrent calls cannot deadlock.
"""

from __future__ import annotations

import ctypes
import math
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

__all__ = ["RangeFunction", "default_threads", "parallel_for"]


Scratch = tuple[int, tuple[int, ...]]


class RangeFunction(Protocol):
    """Anything that does the work items ``begin <= i < end``."""

    def __call__(self, begin: int, end: int, *args: float) -> object:
        """Do them."""


class _Job:
    """One `parallel_for` call: what is left to hand out, and who is working on it."""

    __slots__ = (
        "active",
        "args",
        "begin",
        "chunk",
        "count",
        "done",
        "error",
        "function",
        "lock",
        "scratch",
        "share",
        "slots",
        "waited_for",
        "wanted",
    )

    def __init__(
        self,
        function: RangeFunction,
        count: int,
        args: Sequence[float],
        chunk: int,
        scratch: Scratch | None,
        wanted: int,
    ) -> None:
        self.function = function
        self.count = count
        self.args = args
        self.chunk = chunk
        self.scratch = scratch
        self.share = 2 * chunk * (wanted + 1)
        self.wanted = wanted  # helpers not yet assigned; guarded by the crew's lock
        self.begin = 0
        self.slots = 1  # scratch slots given out; the caller has slot 0
        self.active = 0  # helpers inside `work`
        self.error: BaseException | None = None
        self.lock = threading.Lock()
        self.waited_for = False
        self.done = threading.Lock()
        self.done.acquire()

    def work(self, slot: int) -> None:
        """Take chunks until there are none left."""
        function, count, chunk, share = self.function, self.count, self.chunk, self.share
        args = _with_scratch(self.args, self.scratch, slot)
        while True:
            with self.lock:
                begin = self.begin
                if begin >= count:
                    return
                # Large ranges first, single chunks last: each return to Python waits for the
                # GIL, but at the end all threads should finish together.
                end = min(begin + chunk * max(1, (count - begin) // share), count)
                self.begin = end
            function(begin, end, *args)

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


class _Crew:
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
            self._limit = max(self._limit, job.wanted)
            called = self._idle[-job.wanted :]
            del self._idle[-job.wanted :]
            job.wanted -= len(called)
            if job.wanted:
                recruits = min(job.wanted, self._limit - self._size)
                self._size += recruits
                job.wanted -= recruits
                if job.wanted:
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
        if job.wanted:
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
                job.wanted -= 1
                if not job.wanted:
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
_crew = _Crew()


def _new_crew() -> None:
    # After a fork the child has none of its parent's threads, and their locks may be held.
    global _crew
    _crew = _Crew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_crew)


def _with_scratch(args: Sequence[float], scratch: Scratch | None, slot: int) -> Sequence[float]:
    if scratch is None or slot == 0:
        return args
    nbytes, positions = scratch
    own = list(args)
    for position in positions:
        own[position] += slot * nbytes
    return own


def parallel_for(
    function: RangeFunction,
    count: int,
    args: Sequence[float],
    *,
    threads: int,
    chunk: int,
    scratch: Scratch | None = None,
) -> None:
    """Call ``function(begin, end, *args)`` until the work items ``0 <= i < count`` are done.

    Parameters
    ----------
    function : callable
        A compiled function; it releases the GIL while it runs.
    count : int
        Number of work items. Nothing is called for 0.
    args : sequence of int or float
        Its further arguments.
    threads : int
        How many threads work at most, this one among them.
    chunk : int
        Work items of one call at least, and at least 1. A call does a multiple of this many (the
        last one fewer), and threads take more as they become free. Work worth less than about
        50 microseconds is not worth a call.
    scratch : tuple of (int, tuple of int), optional
        ``(nbytes, positions)``: the thread in slot ``s < threads`` adds ``s * nbytes`` to the
        addresses at these positions of `args`.

    Raises
    ------
    BaseException
        What `function` raised first, after every call that had begun has ended. Chunks not begun
        by then are not done.

    Notes
    -----
    Safe to call from many threads at once, from inside `function`, and after a fork.

    Examples
    --------
    >>> done = []
    >>> parallel_for(lambda begin, end: done.extend(range(begin, end)), 5, (), threads=1, chunk=2)
    >>> done
    [0, 1, 2, 3, 4]
    """
    if threads <= 1 or count <= chunk:
        if count > 0:
            function(0, count, *_with_scratch(args, scratch, 0))
        return
    chunks = -(-count // chunk)
    job = _Job(function, count, args, chunk, scratch, min(threads, chunks) - 1)
    crew = _crew
    try:
        crew.assign(job)
        job.work(0)
    except BaseException as error:  # noqa: BLE001 - raised below, once the helpers are out
        job.fail(error)
    job.wait()
    crew.withdraw(job)
    failure = job.error
    if failure is not None:
        job.error = None
        try:
            raise failure
        finally:
            del failure  # its traceback holds this frame


@cache
def default_threads() -> int:
    """Return how many threads this process may keep busy; asked of the system once.

    That is the number of CPUs in its affinity mask, or fewer where a Linux control group (version
    1 or 2) limits its CPU time.
    """
    if hasattr(os, "process_cpu_count"):
        available = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count()
    quota = _cgroup_cpus(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))
    if math.isfinite(quota):
        available = min(available or 1, math.ceil(quota))
    return max(1, available or 1)


def _cgroup_cpus(membership: Path, mount: Path) -> float:
    """Return the tightest CPU limit of this process's control groups, or infinity."""
    limit = math.inf
    for line in _read(membership).splitlines():
        hierarchy, controllers, path = line.split(":", 2)
        if hierarchy == "0":
            root, read_limit = mount, _limit_v2
        elif "cpu" in controllers.split(","):
            root, read_limit = mount / controllers, _limit_v1
        else:
            continue
        # A limit of any ancestor binds too. Inside a container the path may be the host's and
        # lead nowhere; the mount's own root is the container's group then.
        group = root / path.strip("/")
        limit = min(limit, read_limit(root), read_limit(group))
        while group != root and root in group.parents:
            group = group.parent
            limit = min(limit, read_limit(group))
    return limit


def _limit_v2(group: Path) -> float:
    fields = _read(group / "cpu.max").split()
    return _ratio(*fields) if len(fields) == 2 else math.inf


def _limit_v1(group: Path) -> float:
    quota, period = _read(group / "cpu.cfs_quota_us"), _read(group / "cpu.cfs_period_us")
    return _ratio(quota, period)


def _ratio(quota: str, period: str) -> float:
    try:
        value = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return math.inf  # "max", or no such file
    return value if value > 0 else math.inf


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
