"""The pool: threads that stay in native code, and take chunks of kernels there.

What they do is in :mod:`lazyarr.runtime.cpu.threads.native_pool_ir`. They are Python threads that
call one function,
without the GIL, and come back when the interpreter ends. One process has one pool; a forked child
makes its own when it needs it.
"""

from __future__ import annotations

import atexit
import ctypes
import itertools
import mmap
import os
import struct
import threading
import time
from collections.abc import Callable
from functools import cache

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler, tuning
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.host_target import architecture
from lazyarr.runtime.cpu.objects.machine_code import has_symbols
from lazyarr.runtime.cpu.threads.native_pool_ir import ENTRY, PLACES, STEERING, SYMBOLS, pool_text
from lazyarr.runtime.cpu.threads.native_pool_layout import (
    HEADER,
    PARKING_SLOTS,
    RANGES,
    RESULT_BITS,
    SIZE,
)
from lazyarr.runtime.cpu_count import default_threads

__all__ = ["NativePool", "current_pool", "missing_code"]


_DESCRIPTOR = struct.Struct("=11q")
_RESULT = (1 << RESULT_BITS) - 1


@dataclass(frozen=True, slots=True)
class _Native:
    """The functions of the module, which are never unloaded: a thread may be in them."""

    prepare: Callable[[int], int]
    serve: Callable[[int, int, int], None]
    run: Callable[[int, ctypes.Array[ctypes.c_char], bytes, int, int], int]
    stop: Callable[[int], None]
    abandon: Callable[[int, int], None]


@cache
def _source() -> Source | None:
    """Return the native functions' text, or None if the system lacks functions that they call."""
    clock = getattr(time, "CLOCK_MONOTONIC", None)
    if clock is None or ctypes.sizeof(ctypes.c_void_p) != 8 or not has_symbols(SYMBOLS):
        return None
    text = pool_text(architecture(), clock, has_symbols(STEERING))
    # It is written as it is to run: a launch takes as long as after the optimiser, whose 65 ms
    # every first evaluation would wait for.
    return Source(
        "llvm", text, ENTRY, (Parameter("places", np.dtype(np.int64), True),), optimize=False
    )


@cache
def _native() -> _Native | None:
    """Return the native functions, or None if the system lacks functions that they call."""
    source = _source()
    return None if source is None else _bind(compiler.load_support(source, get_config()))


def _bind(function: Function) -> _Native:
    """Return the functions of a loaded module."""
    _keep(function)
    places = (ctypes.c_int64 * len(PLACES))()
    function(0, 1, ctypes.addressof(places))
    at = dict(zip(PLACES, places, strict=True))
    word, text_of = ctypes.c_int64, ctypes.c_char_p
    return _Native(
        ctypes.CFUNCTYPE(ctypes.c_int32, word)(at["prepare"]),
        ctypes.CFUNCTYPE(None, word, word, word)(at["serve"]),
        ctypes.CFUNCTYPE(word, word, text_of, text_of, word, word)(at["run"]),
        ctypes.CFUNCTYPE(None, word)(at["stop"]),
        ctypes.CFUNCTYPE(None, word, word)(at["abandon"]),
    )


def _keep(value: object) -> None:
    """Never free an object, not even when the interpreter ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


class NativePool:
    """The workers of a process, and the jobs in flight.

    Attributes
    ----------
    size : int
        Number of workers.
    """

    def __init__(self, native: _Native) -> None:
        # Private, so that a forked child has a copy.
        memory = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        _keep(memory)
        row = tuning.row()
        self._parts, self._largest_part = row.parts, row.largest_part
        self._worth_waking = row.worth_waking
        self._most_jobs = row.cached_jobs
        #: Descriptions of jobs for which there are workers.
        self._jobs: dict[tuple[object, ...], ctypes.Array[ctypes.c_char]] = {}
        self._call_ns = int(row.call_seconds * 1e9)
        spins = int(row.worker_spin_seconds * 1e9), int(row.caller_spin_seconds * 1e9)
        # Where there are more workers than processors, spinning would keep others from working.
        struct.pack_into("=3q", memory, HEADER, *spins, default_threads() - 1)
        self.size = 0
        self._native = native
        self._run = native.run
        self._numbers = itertools.count(1)  # of jobs
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self._lock = threading.RLock()
        self._threads: list[threading.Thread] = []
        self._closed = False
        status = native.prepare(self._address)
        if status:
            raise OSError(status, os.strerror(status))

    def run(
        self,
        entry: int,
        block: bytes,
        count: int,
        threads: int,
        chunk: int,
        scratch: tuple[int, tuple[int, ...]] | None,
    ) -> int:
        """Run the work items ``0 <= i < count`` of a kernel, and return the status flags.

        Parameters
        ----------
        entry : int
            Address of its packed entry.
        block : bytes
            Its arguments.
        count, threads, chunk, scratch
            As of :func:`~lazyarr.runtime.cpu.threads.parallel_for.launch`.
        """
        job = entry, len(block) >> 3, count, threads, chunk, scratch
        descriptor = self._jobs.get(job)
        if descriptor is None:
            limit = min(threads, -(-count // chunk))
            if limit > self.size + 1:
                self._grow(limit - 1)
            if len(self._jobs) >= self._most_jobs:
                self._jobs.clear()
            filled = self.descriptor(*job)
            descriptor = (ctypes.c_char * len(filled)).from_buffer(filled)
            self._jobs[job] = descriptor
        number = next(self._numbers)
        try:
            answer = self._run(self._address, descriptor, block, 0, number)
            result = answer & _RESULT
            while answer >> RESULT_BITS:
                # Signals were handled on the way here. Nobody works on the job meanwhile.
                answer = self._run(self._address, descriptor, block, answer >> RESULT_BITS, number)
                result |= answer & _RESULT
        except BaseException:
            self._native.abandon(self._address, number)
            raise
        return result

    def descriptor(
        self,
        entry: int,
        words: int,
        count: int,
        threads: int,
        chunk: int,
        scratch: tuple[int, tuple[int, ...]] | None,
    ) -> bytearray:
        """Return the description of a job, which is the same for all its arguments.

        The pool writes to it how long the job takes.

        Parameters
        ----------
        entry : int
            Address of the kernel's packed entry.
        words : int
            Of its arguments.
        count, threads, chunk, scratch
            As of :func:`~lazyarr.runtime.cpu.threads.parallel_for.launch`.
        """
        chunks = -(-count // chunk)
        limit = min(threads, chunks)
        nbytes, positions = scratch or (0, ())
        part = chunk * min(max(1, chunks // (self._parts * threads)), self._largest_part)
        descriptor = _DESCRIPTOR.pack(
            entry,
            words,
            count,
            part,
            limit,
            min(limit, RANGES),
            nbytes,
            len(positions),
            chunks >= self._worth_waking,
            self._call_ns,
            0,
        )
        return bytearray(descriptor) + struct.pack(f"={len(positions)}q", *positions)

    @property
    def entrance(self) -> tuple[object, int, int, int, object, object]:
        """The pool as C enters it: itself, its address, its function, bits, numbers, abandoning."""
        address = ctypes.cast(self._run, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
        native = self._native
        return self, self._address, address, RESULT_BITS, self._numbers, native.abandon

    def _grow(self, size: int) -> None:
        """Have `size` workers, or as many as the system allows."""
        with self._lock:
            while self.size < min(size, PARKING_SLOTS) and not self._closed:
                # A daemon, so that an idle worker does not keep the interpreter from ending.
                thread = threading.Thread(
                    target=self._serve,
                    args=(self.size,),
                    name="lazyarr-worker",
                    daemon=True,
                )
                self._threads.append(thread)
                self.size += 1
                try:
                    thread.start()
                except RuntimeError:
                    # No more threads, or the interpreter is ending: the callers work alone.
                    self._threads.remove(thread)
                    return

    def _serve(self, index: int) -> None:
        self._native.serve(self._address, index, threading.get_native_id())

    def close(self) -> None:
        """Let the workers end, and wait for that. Callers work alone from then on."""
        with self._lock:
            self._closed = True
        self._native.stop(self._address)
        for thread in self._threads:
            if thread.is_alive():
                thread.join()


_pool: NativePool | None = None
_lock = threading.RLock()
_making = False


def current_pool() -> NativePool | None:
    """Return the pool of this process, or None where there can be none."""
    return _pool or _make()


def missing_code() -> tuple[Source, ...]:
    """Return the text that has to be compiled before there can be a pool, if any."""
    source = _source() if _pool is None else None
    return () if source is None else (source,)


def _make() -> NativePool | None:
    global _pool, _making
    with _lock:
        if _pool is None and not _making:  # a finaliser may come here while this thread is below
            _making = True
            try:
                native = _native()
                if native is not None:
                    _pool = NativePool(native)
            finally:
                _making = False
        return _pool


def _close() -> None:
    if _pool is not None:
        _pool.close()


def _renew() -> None:
    # After a fork the child has none of its parent's threads, and their locks may be held.
    global _pool, _lock, _making
    _pool, _lock, _making = None, threading.RLock(), False


# Native code must have returned before the interpreter frees it.
atexit.register(_close)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
