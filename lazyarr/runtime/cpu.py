"""Compiling generated source for the CPU, and loading the result.

A compiler of each language makes an object file of a text; llvmlite alone loads it. So a process
that finds its kernels on disk imports no compiler, and starts in milliseconds.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyarr.config import Config
from lazyarr.errors import CompileError, ContractError
from lazyarr.runtime.cache import Entry, open_cache
from lazyarr.runtime.elf import undefined_symbols
from lazyarr.runtime.packing import FAILED, PACKED, block_layout
from lazyarr.runtime.processors import default_threads
from lazyarr.runtime.source import Source
from lazyarr.values import dataclass

if TYPE_CHECKING:
    import llvmlite.binding as llvm

__all__ = [
    "CompileInfo",
    "Function",
    "architecture",
    "compile_source",
    "compile_sources",
    "forget",
    "has_symbols",
    "info",
    "load_support",
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


#: Of every kernel; see :mod:`lazyarr.runtime.packing`. ctypes passes bytes by their address.
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_char_p)


class Function:
    """A compiled function that is loaded: ``function(begin, end, *args)``.

    The GIL is released during a call. Pointers are passed as integers, scalars as Python numbers.

    Attributes
    ----------
    entry : str
        Its name in the source.
    address : int
        Of the machine code of its packed entry.
    pack : callable
        ``pack(*args)`` returns the arguments as the block of bytes that `run` takes.
    run : callable
        ``run(begin, end, block)`` does the work items ``begin <= i < end`` and returns what
        happened, as bits.
    """

    __slots__ = ("_engine", "address", "entry", "pack", "run")

    def __init__(self, source: Source, address: int, engine: object):
        self.entry = source.entry
        self.address = address
        self._engine = engine  # owns the code
        self.pack: Callable[..., bytes] = block_layout(source.parameters).pack
        self.run: Callable[[int, int, bytes], int] = _ENTRY(address)

    def __call__(self, begin: int, end: int, *args: float) -> int:
        """Do the work items ``begin <= i < end``, and return what happened, as bits."""
        return self.check(self.run(begin, end, self.pack(*args)))

    def check(self, result: int) -> int:
        """Return the result of a run, unless it is none that a kernel may have."""
        if result & FAILED:
            raise ContractError(f"kernel {self.entry} returned a status")
        return result

    def __repr__(self) -> str:
        return f"<Function {self.entry} at {self.address:#x}>"


@dataclass(frozen=True, slots=True)
class CompileInfo:
    """What compiling has cost this process.

    Attributes
    ----------
    compiled : int
        Functions compiled.
    disk_hits, memory_hits : int
        Functions found on disk, or already loaded.
    compile_seconds : float
        Time in the compiler, its import included.
    loaded : int
        Functions in memory.
    """

    compiled: int
    disk_hits: int
    memory_hits: int
    compile_seconds: float
    loaded: int


class _Counters:
    def __init__(self) -> None:
        self.compiled = 0
        self.disk_hits = 0
        self.memory_hits = 0
        self.compile_seconds = 0.0


_counters = _Counters()
_loaded: dict[Source, Function] = {}
# One plan's functions at a time. Re-entrant, because a finaliser may evaluate.
_lock = threading.RLock()

if hasattr(os, "register_at_fork"):
    # A child forked in the middle of a compilation would find the compiler's own locks held.
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


def compile_source(source: Source, config: Config) -> Function:
    """Return the compiled function of a source; see :func:`compile_sources`."""
    return compile_sources((source,), config)[0]


def compile_sources(sources: Sequence[Source], config: Config) -> list[Function]:
    """Return the compiled functions of sources: loaded already, from disk, or compiled now.

    Parameters
    ----------
    sources : sequence of Source
        In the language "llvm" or "numba".
    config : Config
        Says where compiled functions are kept, and how many may be compiled at a time.

    Raises
    ------
    CompileError
        If the compiler refuses a text, with the numbered text and the compiler's message.

    Notes
    -----
    Safe from many threads; those that ask for one source get one function, compiled once.
    """
    found = {source: function for source in sources if (function := _loaded.get(source))}
    _counters.memory_hits += len(found)
    if len(found) < len(set(sources)):
        with _lock:
            wanted = []
            for source in dict.fromkeys(sources):
                if source not in found:
                    function = _loaded.get(source)
                    if function is None:
                        wanted.append(source)
                    else:
                        found[source] = function
                        _counters.memory_hits += 1
            entries = _load_or_compile(wanted, config, _counters)
            for source, entry in zip(wanted, entries, strict=True):
                found[source] = _loaded[source] = _load(source, entry)
    return [found[source] for source in sources]


def info() -> CompileInfo:
    """Return the counters."""
    return CompileInfo(
        _counters.compiled,
        _counters.disk_hits,
        _counters.memory_hits,
        _counters.compile_seconds,
        len(_loaded),
    )


def forget() -> None:
    """Drop the loaded functions; those still referenced go on working."""
    with _lock:
        _loaded.clear()


def load_support(source: Source, config: Config) -> Function:
    """Return a function that is no kernel: neither counted nor forgotten."""
    with _lock:
        (entry,) = _load_or_compile((source,), config, _Counters())
        return _load(source, entry)


def architecture() -> str:
    """Return LLVM's name of what code is made for, such as "x86_64"."""
    triple: str = _binding().get_process_triple()
    return triple.partition("-")[0]


def has_symbols(names: Iterable[str]) -> bool:
    """Return whether this process has all these functions for compiled code to call."""
    find = _symbol_finder()
    return all(find(name) for name in names)


def _load_or_compile(sources: Sequence[Source], config: Config, counters: _Counters) -> list[Entry]:
    disk = open_cache(config.cache_dir)
    keys = {source: source_key(source) for source in sources}
    entries: dict[Source, Entry] = {}
    if disk is not None:
        for source, key in keys.items():
            entry = disk.load(key)
            if entry is not None and not _unresolved(entry):
                counters.disk_hits += 1
                entries[source] = entry
    wanted = [source for source in sources if source not in entries]
    if wanted:
        begun = time.perf_counter()
        made = _compile_side_by_side(wanted, keys, config.threads or default_threads())
        counters.compile_seconds += time.perf_counter() - begun
        counters.compiled += len(made)
        for source, entry in zip(wanted, made, strict=True):
            missing = _unresolved(entry)
            if missing:
                # Loading it would end the process: LLVM has no other answer to a missing symbol.
                raise _refusal(source, f"no library supplies {', '.join(missing)}")
            if disk is not None:
                disk.store(keys[source], entry)
            entries[source] = entry
    return [entries[source] for source in sources]


def _compile_side_by_side(
    sources: Sequence[Source], keys: dict[Source, str], threads: int
) -> list[Entry]:
    """Compile sources in several threads, of which this one takes part."""
    made: dict[Source, Entry] = {}
    errors: list[Exception] = []
    # Longest first, so that no thread is left alone with it. Shared by all: next() is atomic.
    queue = iter(sorted(set(sources), key=lambda source: -len(source.text)))

    def work() -> None:
        for source in queue:
            try:
                made[source] = _compile(source, keys[source])
            except (CompileError, ContractError) as error:
                errors.append(error)

    # Numba compiles one function at a time.
    count = sum(source.language == "llvm" for source in sources)
    helpers = [threading.Thread(target=work) for _ in range(min(count, threads) - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
    return [made[source] for source in sources]


def source_key(source: Source) -> str:
    """Return the digest of all that decides what machine code a source becomes."""
    digest = hashlib.sha256()
    for part in (
        source.language,
        source.text,
        source.entry,
        *(f"{p.name} {p.dtype.str} {p.pointer}" for p in source.parameters),
        *source.intrinsics,
        *(f"{f.name}\n{f.text}" for f in source.externals),
        str(source.optimize),
        *_toolchain(source.language),
    ):
        digest.update(f"{len(part)}:".encode())
        digest.update(part.encode())
    return digest.hexdigest()


@cache
def _toolchain(language: str) -> tuple[str, ...]:
    import llvmlite

    from lazyarr.runtime import vector_math

    llvm = _binding()
    # What makes machine code out of text decides too, so its own text is part of the question.
    here = Path(__file__).parent
    modules = [here / "cpu.py", here / "packing.py"]
    for family in ("numba_*.py", "llvm_*.py", "vector_*.py"):
        modules += sorted(here.glob(family))
    names = getattr(os, "confstr_names", {})
    libc = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in names else ""
    return (
        _numba_version() if language == "numba" else "",
        llvmlite.__version__,
        ".".join(map(str, sys.version_info[:2])),
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        libc or "",
        vector_math.describe(),
        *(f"{name}={os.environ.get(name, '')}" for name in _COMPILER_VARIABLES),
        *(hashlib.sha256(module.read_bytes()).hexdigest() for module in modules),
    )


def _numba_version() -> str:
    from importlib.metadata import version  # slow to import, and so is Numba

    return version("numba")


@cache
def _binding() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def _engine() -> llvm.ExecutionEngine:
    # An engine owns its target machine, and takes it along when it goes.
    llvm = _binding()
    machine = llvm.Target.from_default_triple().create_target_machine(codemodel="jitdefault")
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def _load(source: Source, entry: Entry) -> Function:
    # An engine for each function: names made in different processes may be equal.
    llvm = _binding()
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(entry.object_code))
    engine.finalize_object()
    address = engine.get_function_address(PACKED)
    if not address:
        raise ContractError(f"{PACKED} is not in the object code of {source.entry}")
    return Function(source, address, engine)


def _unresolved(entry: Entry) -> list[str]:
    """Return the symbols that an object needs and this process does not have."""
    find = _symbol_finder()
    return [name for name in undefined_symbols(entry.object_code) if not find(name)]


@cache
def _symbol_finder() -> Callable[[str], int | None]:
    from lazyarr.runtime import vector_math

    vector_math.load()
    _engine()  # the first engine lets LLVM search the process itself
    finder: Callable[[str], int | None] = _binding().address_of_symbol
    return finder


def _compile(source: Source, key: str) -> Entry:
    if source.language not in ("llvm", "numba"):
        raise ContractError(f"the CPU runtime does not compile {source.language!r}")
    try:
        if source.language == "llvm":
            from lazyarr.runtime.llvm_compiler import compile_llvm

            return Entry(source.entry, compile_llvm(source))
        from lazyarr.runtime.numba_compiler import compile_numba

        return Entry(*compile_numba(source, f"lazyarr_{key[:16]}"))
    except Exception as error:
        raise _refusal(source, f"{type(error).__name__}: {error}") from error


def _refusal(source: Source, log: str) -> CompileError:
    lines = source.text.splitlines()
    width = len(str(len(lines)))
    numbered = "\n".join(f"{i:>{width}} | {line}" for i, line in enumerate(lines, 1))
    return CompileError(f"kernel {source.entry} does not compile\n\n{numbered}\n\n{log}")
