"""Kernels of a GPU that are compiled and loaded, in two tiers where compiling takes long.

A first evaluation waits for its kernels. So those that take NVRTC long are compiled quickly first
(the baseline tier: a third sooner, to the same bits) and once more with all optimisations, in a
thread of its own, when they are used again. Then the kernel's machine code is replaced where it is:
who has the function launches the better one from then on.
"""

from __future__ import annotations

import struct
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lazyarr.core.config import Config
from lazyarr.core.dtypes import code_of
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.compile_info import CompileInfo
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.compiler import CompileCounter, machine_code, machine_codes

__all__ = ["DeviceFunction", "DeviceKernels", "formats_of"]

#: A module and the function in it, as PyCUDA has them.
Loaded = tuple[Any, Any]

_FORMATS = {
    "b1": "b",
    "i1": "b",
    "i2": "h",
    "i4": "i",
    "i8": "q",
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "Q",
    "f2": "f",
    "f4": "f",
    "f8": "d",
}


def formats_of(parameters: Sequence[Parameter]) -> tuple[str, ...]:
    """Return the formats of the module `struct` for a kernel's arguments."""
    return tuple("P" if p.pointer else _FORMATS[code_of(p.dtype)] for p in parameters)


class DeviceFunction:
    """A loaded kernel.

    Parameters
    ----------
    source : Source
        What it was compiled from.
    settings : Config
        How.
    loaded : (object, object)
        What owns the machine code, and PyCUDA's function.
    baseline : bool
        Whether it was compiled quickly, and can be better.

    Attributes
    ----------
    source, settings, baseline
        As given; `baseline` until nothing better is to be had.
    address : int, optional
        The driver's own handle, once somebody has asked for it. Of the baseline tier nobody may.
    formats : tuple of str
        How `struct` writes each argument.
    pack : callable
        Lays arguments out as the kernel expects them.
    shared_bytes : int
        Shared memory that each block is given.
    start : callable
        Queues it, given grid, block, packed arguments, bytes of shared memory and a stream.
    """

    __slots__ = (
        "_loaded",
        "address",
        "baseline",
        "formats",
        "pack",
        "settings",
        "shared_bytes",
        "source",
        "start",
    )

    def __init__(
        self, source: Source, settings: Config, loaded: Loaded, *, baseline: bool = False
    ) -> None:
        self.source = source
        self.settings = settings
        self.baseline = baseline
        self.shared_bytes = source.shared_bytes
        self.address: int | None = None
        self.formats = formats_of(source.parameters)
        self.pack = struct.Struct("".join(self.formats)).pack
        self._loaded = [loaded]
        # What `prepared_async_call` calls, with a quarter less of the host's time.
        self.start = loaded[1]._launch_kernel

    def replace(self, loaded: Loaded) -> None:
        """Launch other machine code of the same source from now on. Safe while threads launch."""
        # The code before may be running, or be about to: it stays loaded.
        self._loaded.append(loaded)
        self.start = loaded[1]._launch_kernel

    def close(self) -> None:
        """Let the machine code go."""
        self.start = None
        self._loaded.clear()


class DeviceKernels:
    """The kernels of a device. Thread-safe.

    Parameters
    ----------
    architecture : str
        To compile for.
    load : callable
        Returns machine code loaded, given its source.
    prepare : callable
        Is called first in a thread that loads beside others.

    Attributes
    ----------
    counter : CompileCounter
        What compiling has cost that somebody waited for.
    """

    def __init__(
        self,
        architecture: str,
        load: Callable[[Source, bytes], Loaded],
        prepare: Callable[[], None],
    ) -> None:
        self.counter = CompileCounter()
        self._architecture = architecture
        self._load = load
        self._prepare = prepare
        self._functions: dict[tuple[Source, str, str], DeviceFunction] = {}
        self._lock = threading.RLock()
        # Of what is compiled once more: changes whenever one is done.
        self._again = threading.Condition()
        self._candidates: dict[DeviceFunction, None] = {}
        #: What is called once functions are optimised, if its owner is still there.
        self._watches: dict[weakref.WeakMethod[Callable[[], None]], list[DeviceFunction]] = {}
        self._waiting = 0
        self._thread: threading.Thread | None = None

    def compile(self, source: Source, settings: Config) -> DeviceFunction:
        """Return the loaded kernel of a source: loaded already, from disk, or compiled now.

        Parameters
        ----------
        source : Source
            In CUDA C++.
        settings : Config
            How to compile.
        """
        function = self._functions.get(_key(source, settings))
        if function is not None and not function.baseline:
            self.counter.memory_hits += 1
            return function
        return self.compile_all((source,), settings)[source]

    def compile_all(
        self, sources: Sequence[Source], settings: Config
    ) -> dict[Source, DeviceFunction]:
        """Return the loaded kernels of sources; those that are new are compiled side by side.

        Parameters
        ----------
        sources : sequence of Source
            In CUDA C++.
        settings : Config
            How to compile.
        """
        functions = self._functions
        keys = {source: _key(source, settings) for source in sources}
        used_again = [functions[key] for key in keys.values() if key in functions]
        missing = [source for source, key in keys.items() if key not in functions]
        self.counter.memory_hits += len(used_again)
        self.tier_up(used_again)
        if missing:
            with self._lock:
                new = [source for source in missing if keys[source] not in functions]
                codes = machine_codes(new, self._architecture, settings, self.counter)
                for source, code in zip(new, codes, strict=True):
                    loaded = self._load(source, code.data)
                    functions[keys[source]] = DeviceFunction(
                        source, settings, loaded, baseline=code.baseline
                    )
        return {source: functions[key] for source, key in keys.items()}

    def compile_beside(self, source: Source, settings: Config) -> DeviceFunction:
        """Return the loaded kernel of a source with all optimisations.

        For threads of their own: others can compile meanwhile.

        Parameters
        ----------
        source : Source
            In CUDA C++.
        settings : Config
            How to compile.
        """
        self._prepare()
        key = _key(source, settings)
        if key not in self._functions:
            with self.counter.working():
                code = machine_code(source, self._architecture, settings, self.counter)
            with self._lock:
                if key not in self._functions:
                    loaded = self._load(source, code.data)
                    self._functions[key] = DeviceFunction(source, settings, loaded)
        self.optimize([self._functions[key]])
        return self._functions[key]

    # -- the second tier ---------------------------------------------------------------------

    def tier_up(self, functions: Iterable[DeviceFunction]) -> bool:
        """Compile functions with all optimisations, in a thread of its own; False: there is none.

        Those that have them, or will, are left alone.
        """
        candidates = [function for function in functions if function.baseline]
        if not candidates:
            return True
        with self._again:
            # Asked once more: one may have been optimised since, and is not to be again.
            self._candidates |= dict.fromkeys(f for f in candidates if f.baseline)
            if not self._candidates:
                return True
            if self._thread is None:
                thread = threading.Thread(target=self._optimize_requested, name="lazyarr-tier-up")
                try:
                    thread.start()
                except RuntimeError:
                    return False  # the process ends, and will not use them much
                self._thread = thread
        return True

    def optimize(self, functions: Iterable[DeviceFunction]) -> None:
        """Compile functions with all optimisations, and return when that is done."""
        pending = list(functions)
        with self._again:
            self._waiting += 1
        try:
            while any(function.baseline for function in pending) and _goes_on():
                if not self.tier_up(pending):
                    return
                with self._again:
                    self._again.notify_all()  # who rests need not
                    self._again.wait(tuning.row().recompile_rest)
        finally:
            with self._again:
                self._waiting -= 1

    def when_optimized(self, functions: Iterable[DeviceFunction], call: Callable[[], None]) -> None:
        """Call a method once functions have all optimisations: now, or in the optimising thread.

        Parameters
        ----------
        functions : iterable of DeviceFunction
            Kernels that are in the second tier, or were submitted to :meth:`tier_up`.
        call : callable
            A bound method; its owner may be dropped meanwhile.
        """
        with self._again:
            pending = [function for function in functions if function.baseline]
            if pending:
                self._watches[weakref.WeakMethod(call)] = pending
                return
        call()

    def _optimize_requested(self) -> None:
        """Compile the candidates, one after another: the thread's own work."""
        thread = threading.current_thread()
        try:
            self._prepare()
            while True:
                self._rest()
                with self._again:
                    function = next(iter(self._candidates), None)
                    if function is None or not _goes_on():
                        self._thread = None
                        return
                try:
                    self._optimize(function)
                except Exception as error:  # noqa: BLE001 - the driver's, too
                    # It is shown as of any thread, and the others have their turn.
                    shown = type(error), error, error.__traceback__, thread
                    threading.excepthook(threading.ExceptHookArgs(shown))
        finally:
            with self._again:
                if self._thread is thread:
                    self._thread = None
                self._again.notify_all()

    def _rest(self) -> None:
        """Wait while kernels of waiting evaluations are compiled."""
        rest, patience = tuning.row().recompile_rest, tuning.row().recompile_patience
        with self._again:
            while self.counter.resting() < rest and patience > 0 and not self._waiting:
                if not _goes_on():
                    return
                self._again.wait(rest / 5)
                patience -= rest / 5

    def _optimize(self, function: DeviceFunction) -> None:
        source, settings = function.source, function.settings
        nobody = CompileCounter()  # waits for it
        try:
            code = machine_code(source, self._architecture, settings, nobody)
            function.replace(self._load(source, code.data))
        finally:
            with self._again:
                # Also if it failed: nobody is to wait for it, or to try again and again.
                function.baseline = False
                self._candidates.pop(function, None)
                due = self._due_watches()
                self._again.notify_all()
            for watch in due:
                call = watch()
                if call is not None:
                    call()

    def _due_watches(self) -> list[weakref.WeakMethod[Callable[[], None]]]:
        """Remove the watches whose functions are all optimised; return them."""
        due = [
            watch
            for watch, functions in self._watches.items()
            if not any(function.baseline for function in functions)
        ]
        for watch in due:
            del self._watches[watch]
        return due

    # -- figures -----------------------------------------------------------------------------

    def info(self) -> CompileInfo:
        """Return the counters of compilation."""
        counter = self.counter
        return CompileInfo(
            counter.compiled,
            counter.disk_hits,
            counter.memory_hits,
            counter.seconds,
            len(self._functions),
        )

    def close(self) -> None:
        """Let all machine code go, at the end of the process."""
        for function in self._functions.values():
            function.close()
        self._functions.clear()


def _goes_on() -> bool:
    """Whether the process is not about to end."""
    return threading.main_thread().is_alive()


def _key(source: Source, settings: Config) -> tuple[Source, str, str]:
    return source, settings.numerics, settings.cuda_compiler
