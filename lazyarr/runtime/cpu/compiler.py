"""Compiling generated source for the CPU, and loading the result.

A compiler of each language makes an object file of a text; loading it needs no compiler. So a
process that finds its kernels on disk imports none, and starts in milliseconds.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from lazyarr.core.config import Config
from lazyarr.core.forks import at_fork
from lazyarr.core.hashing import files_checksum, key_of
from lazyarr.errors import CompileError, ContractError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime import available_memory
from lazyarr.runtime.cpu import vector_math
from lazyarr.runtime.cpu.calling_convention import PACKED
from lazyarr.runtime.cpu.function import CodeReference, Function
from lazyarr.runtime.cpu.host_target import describe_processor
from lazyarr.runtime.cpu.objects.machine_code import MissingSymbols, load
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.runtime.disk_cache import DiskCache, Entry, open_cache

if TYPE_CHECKING:
    from lazyarr.runtime.compile_info import CompileInfo
    from lazyarr.runtime.cpu.baseline_tier import Request

__all__ = [
    "compile_sources",
    "compiled_count",
    "describe_machine",
    "forget",
    "info",
    "load_saved",
    "load_support",
    "prepare_support",
    "settle",
]

# What these variables change is in the machine code.
_COMPILER_VARIABLES = (
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
    "NUMBA_ENABLE_AVX",
    "NUMBA_OPT",
    "NUMBA_LOOP_VECTORIZE",
    "NUMBA_SLP_VECTORIZE",
)


class _Counters:
    def __init__(self) -> None:
        self.compiled = 0
        self.disk_hits = 0
        self.memory_hits = 0
        self.compile_seconds = 0.0
        self.baseline = 0
        self.optimized = 0


_counters = _Counters()
#: As long as somebody has them, which is a plan, they are not loaded again.
_loaded: weakref.WeakValueDictionary[Source | CodeReference, Function]
_loaded = weakref.WeakValueDictionary()
#: Functions that are no kernels, compiled before anybody asked for them.
_supports: dict[Source, Function] = {}
# One plan's functions at a time. Re-entrant, because a finaliser may evaluate.
_lock = threading.RLock()

# A child forked in the middle of a compilation would find the compiler's own locks held.
at_fork(_lock.acquire, _lock.release, _lock.release)


def compile_sources(
    sources: Sequence[Source],
    config: Config,
    work: Mapping[Source, int] | None = None,
    supports: Sequence[Source] = (),
) -> list[Function]:
    """Return the compiled functions of sources: loaded already, from disk, or compiled now.

    Parameters
    ----------
    sources : sequence of Source
        In the language "llvm" or "numba".
    config : Config
        Says where compiled functions are kept, how many may be compiled at a time, and whether
        they are optimised.
    work : mapping of Source to int, optional
        The elements that one run computes by each. Those that take long to optimise and not to run
        may begin with code of the baseline tier, see
        :mod:`lazyarr.runtime.cpu.baseline_tier`. Default: none does.
    supports : sequence of Source
        What :func:`load_support` will be asked for: compiled beside the others, if any of those is.

    Raises
    ------
    CompileError
        If the compiler refuses a text, with the numbered text and the compiler's message.
    MemoryError
        If there is too little memory left for a compiler.

    Notes
    -----
    Safe from many threads; those that ask for one source get one function, compiled once.
    """
    if not config.optimize:
        from lazyarr.runtime.cpu.baseline_tier import of_baseline

        sources = [of_baseline(source) for source in sources]
    functions = {source: function for source in sources if (function := _loaded.get(source))}
    _counters.memory_hits += len(functions)
    if len(functions) < len(set(sources)):
        with _lock:
            missing = []
            for source in dict.fromkeys(sources):
                if source not in functions:
                    function = _loaded.get(source)
                    if function is None:
                        missing.append(source)
                    else:
                        functions[source] = function
                        _counters.memory_hits += 1
            compiled = _load_or_compile(missing, config, _counters, work or {}, supports)
            _loaded.update(compiled.items())
            functions.update(compiled)
    return [functions[source] for source in sources]


def load_saved(references: Iterable[CodeReference], config: Config) -> list[Function] | None:
    """Return functions that an earlier process has compiled; None if one is no longer on disk.

    Parameters
    ----------
    references : iterable of CodeReference
        The functions.
    config : Config
        Says where compiled functions are.
    """
    disk = open_cache(config.cache_dir)
    functions = []
    with _lock:
        for reference in references:
            function = _loaded.get(reference)
            if function is None:
                entry = None if disk is None else disk.load(reference.key)
                function = None if entry is None else _load_stored(reference, entry)
                if function is None:
                    return None
                _counters.disk_hits += 1
                _loaded[reference] = function
            functions.append(function)
    return functions


def info() -> CompileInfo:
    """Return the counters."""
    from lazyarr.runtime.compile_info import CompileInfo  # few programs ask

    return CompileInfo(
        _counters.compiled,
        _counters.disk_hits,
        _counters.memory_hits,
        _counters.compile_seconds,
        len(_loaded),
        _counters.baseline,
        _counters.optimized,
    )


def compiled_count() -> int:
    """Return the number of functions that this process has compiled."""
    return _counters.compiled


def forget() -> None:
    """Drop the loaded functions; those still referenced go on working."""
    with _lock:
        _loaded.clear()


def settle(seconds: float) -> bool:
    """Wait until all functions have optimised code, or for some seconds; return whether they do."""
    from lazyarr.runtime.cpu.baseline_tier import TIER_UP

    return TIER_UP.settle(seconds)


def load_support(source: Source, config: Config) -> Function:
    """Return a function that is no kernel: neither counted nor forgotten.

    Parameters
    ----------
    source : Source
        In the language "llvm" or "numba".
    config : Config
        See :func:`compile_sources`.
    """
    with _lock:
        ready = _supports.get(source)
        return ready or _load_or_compile((source,), config, _Counters(), {})[source]


def prepare_support(source: Source, config: Config) -> None:
    """Compile in a thread what :func:`load_support` will be asked for, if threads may be used.

    Parameters
    ----------
    source : Source
        In the language "llvm".
    config : Config
        See :func:`compile_sources`.
    """
    if (config.threads or default_threads()) < 2:
        return
    from lazyarr.runtime.cpu.compile_ahead import AHEAD
    from lazyarr.runtime.cpu.delayed_interrupts import delayed_interrupts

    disk, key = open_cache(config.cache_dir), source_key(source)
    if disk is None or disk.load(key) is None:
        with delayed_interrupts():
            _import_compilers([source])
            AHEAD.begin(source, lambda: _compile(source, key))


def _load_or_compile(
    sources: Sequence[Source],
    config: Config,
    counters: _Counters,
    work: Mapping[Source, int],
    supports: Sequence[Source] = (),
) -> dict[Source, Function]:
    disk = open_cache(config.cache_dir)
    keys = {source: source_key(source) for source in sources}
    functions: dict[Source, Function] = {}
    missing = []
    for source, key in keys.items():
        entry = disk.load(key) if disk is not None else None
        function = _load_stored(_reference(source, key), entry) if entry is not None else None
        if function is None:
            missing.append(source)
        else:
            counters.disk_hits += 1
            functions[source] = function
    if missing:
        # Imported here: a kernel on disk needs no compiler.
        from lazyarr.runtime.cpu.baseline_tier import TIER_UP, baseline_sources

        quick = baseline_sources(missing, work) if config.tiers else []
        begun = time.perf_counter()
        threads = config.threads or default_threads()
        beside = {source: source_key(source) for source in supports if source not in _supports}
        if disk is not None:
            beside = {source: key for source, key in beside.items() if disk.load(key) is None}
        entries = _compile_side_by_side(
            [*missing, *beside], keys | beside, threads, frozenset(quick)
        )
        for source, key in beside.items():
            entry = entries.pop(source)
            _supports[source] = _load_compiled(source, key, entry)
            if disk is not None:
                disk.store(key, entry)
        counters.compile_seconds += time.perf_counter() - begun
        counters.compiled += len(entries)
        for source, entry in entries.items():
            if source not in quick:
                functions[source] = _load_compiled(source, keys[source], entry)
                if disk is not None:
                    disk.store(keys[source], entry)
        if quick:
            functions |= _load_baseline(
                {source: (keys[source], entries[source]) for source in quick}
            )
            counters.baseline += len(quick)
            requests = [_optimization(functions[s], s, keys[s], disk, counters) for s in quick]
            TIER_UP.submit(requests)
    return functions


def _reference(source: Source, key: str) -> CodeReference:
    return CodeReference(source.entry, source.parameters, key)


def _load_stored(reference: CodeReference, entry: Entry) -> Function | None:
    """Return a function that was compiled before, unless a library is gone that it calls."""
    try:
        return _load(reference, entry)
    except MissingSymbols:
        return None


def _load_compiled(source: Source, key: str, entry: Entry) -> Function:
    try:
        return _load(_reference(source, key), entry)
    except MissingSymbols as error:
        raise _refusal(source, str(error)) from error


def _load_baseline(entries: Mapping[Source, tuple[str, Entry]]) -> dict[Source, Function]:
    """Return functions whose code can be exchanged later."""
    from lazyarr.runtime.cpu.objects.trampolines import Trampolines

    images = [_load_compiled(source, key, entry) for source, (key, entry) in entries.items()]
    jumps = Trampolines([image.address for image in images])
    return {
        source: Function(image.reference, jumps.address(index), (image, jumps), (jumps, index))
        for index, (source, image) in enumerate(zip(entries, images, strict=True))
    }


def _optimization(
    function: Function, source: Source, key: str, disk: DiskCache | None, counters: _Counters
) -> Request:
    """Return the request that a function goes on with optimised code."""
    from lazyarr.runtime.cpu.baseline_tier import Request

    user = weakref.ref(function)

    def finish() -> None:
        entry = _compile(source, key)
        if disk is not None:
            disk.store(key, entry)
        function = user()
        if function is not None:
            optimized = _load_compiled(source, key, entry)
            function.go_on_with(optimized.address, optimized)
            counters.optimized += 1

    return Request(user, finish)


def _load(reference: CodeReference, entry: Entry) -> Function:
    owner, address = load(entry.object_code, PACKED)
    return Function(reference, address, owner)


def _compile_side_by_side(
    sources: Sequence[Source], keys: dict[Source, str], threads: int, quick: frozenset[Source]
) -> dict[Source, Entry]:
    """Compile sources, some of them quickly, in several threads, of which this one takes part."""
    from lazyarr.runtime.cpu.delayed_interrupts import delayed_interrupts
    from lazyarr.runtime.cpu.shared_functions import share

    entries = _compiled_ahead(sources)
    errors: list[Exception] = []
    # Longest first, so that no thread is left alone with it. Shared by all: next() is atomic.
    rest = [source for source in sources if source not in entries]
    queue = iter(sorted(rest, key=lambda source: -len(source.text)))

    def work() -> None:
        for source in queue:
            try:
                with delayed_interrupts():
                    entries[source] = _compile(source, keys[source], source in quick)
            except (CompileError, ContractError, MemoryError, RecursionError) as error:
                errors.append(error)

    # Numba compiles one function at a time.
    count = sum(source.language == "llvm" for source in rest)
    helpers = None
    if min(count, threads) > 1:
        from lazyarr.runtime.cpu.threads.helpers import Helpers

        helpers = Helpers(work)
    try:
        with delayed_interrupts():
            _import_compilers(rest)
            share(quick)
            if helpers is not None:
                helpers.start(min(count, threads) - 1)
        work()
    finally:
        if helpers is not None:
            with delayed_interrupts():
                deque(queue, maxlen=0)  # after an interrupt nothing more is begun
                helpers.join()
    if errors:
        raise errors[0]
    return entries


def _compiled_ahead(sources: Iterable[Source]) -> dict[Source, Entry]:
    """Return the code of sources that :func:`prepare_support` has begun to compile."""
    ahead = sys.modules.get("lazyarr.runtime.cpu.compile_ahead")
    entries: dict[Source, Entry] = {}
    if ahead is None:
        return entries
    for source in sources:
        entry = ahead.AHEAD.entry(source)
        if entry is not None:
            entries[source] = entry
    return entries


def _import_compilers(sources: Iterable[Source]) -> None:
    """Import the compilers of sources in this thread, before others need them.

    An interrupt that comes in an import of the main thread's may leave it with the import lock,
    as Python takes that in a callback; a helper that imports would wait for it forever.
    """
    languages = {source.language for source in sources}
    try:
        if "llvm" in languages:
            if "llvmlite.binding" not in sys.modules:
                available_memory.require_for_libraries()
            import lazyarr.runtime.cpu.llvm_compiler
        if "numba" in languages:
            available_memory.require_for_numba()
            import lazyarr.runtime.cpu.numba_compiler  # noqa: F401 - both are in sys.modules then
    except (ImportError, OSError, SystemError):
        # The loader says only that a library could not be loaded, Python at times nothing.
        available_memory.require_for_libraries()
        raise


def source_key(source: Source) -> str:
    """Return the digest of all inputs that determine the machine code of a source."""
    return key_of(
        (
            source.language,
            source.text,
            source.entry,
            *(f"{p.name} {p.dtype.str} {p.pointer}" for p in source.parameters),
            *source.intrinsics,
            *(f"{f.name}\n{f.text}" for f in source.externals),
            str(source.optimize),
            str(source.baseline),
            *_toolchain(source.language),
        )
    )


@cache
def _toolchain(language: str) -> tuple[str, ...]:
    # What makes machine code out of text decides too, so its own text is part of the question.
    here = __file__.rpartition(os.sep)[0]
    ours = ("compiler.py", "calling_convention.py", "numba_", "llvm_", "vector_")
    return (*describe_machine(language), files_checksum(here, ours))


@cache
def describe_machine(language: str) -> tuple[str, ...]:
    """Return texts that differ wherever one source has other machine code.

    Parameters
    ----------
    language : {"llvm", "numba"}
        Of the source.
    """
    import llvmlite  # its version, and not yet the library

    if language == "numba":
        from lazyarr.runtime.cpu.numba_version import numba_version

    known = getattr(os, "confstr_names", {})
    libc = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in known else ""
    return (
        numba_version() if language == "numba" else "",
        llvmlite.__version__,
        ".".join(map(str, sys.version_info[:2])),
        *describe_processor(),
        libc or "",
        vector_math.identify(),
        *(f"{name}={os.environ.get(name, '')}" for name in _COMPILER_VARIABLES),
    )


def _compile(source: Source, key: str, baseline: bool = False) -> Entry:
    if source.language not in ("llvm", "numba"):
        raise ContractError(f"the CPU runtime does not compile {source.language!r}")
    available_memory.require_for_kernel(source.text)
    try:
        if source.language == "llvm":
            from lazyarr.runtime.cpu.llvm_compiler import compile_llvm

            return Entry(source.entry, compile_llvm(source, baseline=baseline))
        from lazyarr.runtime.cpu.numba_compiler import compile_numba

        return Entry(*compile_numba(source, f"lazyarr_{key[:16]}"))
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise _refusal(source, f"{type(error).__name__}: {error}") from error


def _refusal(source: Source, log: str) -> CompileError:
    lines = source.text.splitlines()
    width = len(str(len(lines)))
    numbered = "\n".join(f"{i:>{width}} | {line}" for i, line in enumerate(lines, 1))
    return CompileError(f"kernel {source.entry} does not compile\n\n{numbered}\n\n{log}")
