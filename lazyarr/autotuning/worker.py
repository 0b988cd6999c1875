"""The thread that tunes in the background: one, of low priority, and only while there is work.

Jobs are made of slices. After each slice the thread waits until all slices so far are no more than
a share of the time since the process began. So however much a slice slows the program, it loses no
more than that share. The thread ends with its last job; at exit it is asked to stop and waited
for, and a forked child begins without it.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Iterator
from time import monotonic

from lazyarr.autotuning import tuning
from lazyarr.core.forks import at_fork

__all__ = ["WORKER", "Job", "Worker"]

#: Slices of work.
Job = Iterator[None]


class Worker:
    """Works off jobs in a thread of its own."""

    def __init__(self) -> None:
        self._begun = monotonic()
        self._registered = False
        self._renew()

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self._jobs: deque[Job] = deque()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        #: Owned while a slice runs: a fork waits for its end, as it may own locks of compilers.
        self._slice = threading.Lock()
        self.busy_seconds = 0.0

    def submit(self, job: Job) -> None:
        """Take a job; the thread starts if there is none."""
        with self._lock:
            if self._stopping.is_set():
                return
            self._register_at_fork()
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="lazyarr-tuning")
                self._thread.daemon = True  # `stop` waits for it, at exit
                self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until there is no job, for some seconds at most; return whether there is none."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        return self._thread is None

    def stop(self) -> None:
        """Drop all jobs and wait until the thread has ended: for one slice at most."""
        with self._lock:
            self._stopping.set()
            self._jobs.clear()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _work(self) -> None:
        _lower_priority()
        try:
            while True:
                with self._lock:
                    if not self._jobs or self._stopping.is_set():
                        self._thread = None
                        return
                    job = self._jobs.popleft()
                while not self._stopping.wait(self._debt()) and self._advance(job):
                    pass
        finally:
            with self._lock:
                self._thread = None

    def _advance(self, job: Job) -> bool:
        """Run a slice, and return whether there is another."""
        with self._slice:
            begun = monotonic()
            try:
                next(job)
            except StopIteration:
                return False
            finally:
                self.busy_seconds += monotonic() - begun
        return True

    def _register_at_fork(self) -> None:
        """Register the functions that a fork calls, with the first job.

        A fork takes the locks of what was entered last first. Slices take those of compilers, which
        are there by now: so a fork that waits for a slice has none of them.
        """
        if not self._registered:
            self._registered = True
            at_fork(self.before_fork, self.after_fork, self.in_child)

    def before_fork(self) -> None:
        """Wait for the end of the slice that runs, and let none begin."""
        self._slice.acquire()

    def after_fork(self) -> None:
        """Let slices begin again."""
        self._slice.release()

    def in_child(self) -> None:
        """Reset the state: a child process has only one thread of its parent."""
        self._renew()

    def _debt(self) -> float:
        """Return the seconds to wait until work is no more than its share of all time."""
        share = tuning.current().share
        return max(0.0, self.busy_seconds / share - (monotonic() - self._begun))


def _lower_priority() -> None:
    """Let the system prefer all other threads, where it knows priorities of threads."""
    if hasattr(os, "sched_setscheduler"):  # Linux, where a thread has a priority of its own
        try:
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        except PermissionError:
            return


WORKER = Worker()
atexit.register(WORKER.stop)
