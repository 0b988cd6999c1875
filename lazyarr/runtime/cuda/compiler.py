"""From CUDA C to machine code: by NVRTC in this process, or by nvcc; kept on disk."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.config import Config
from lazyarr.core.frozen import dataclass
from lazyarr.core.hashing import key_of
from lazyarr.errors import CompileError, DeviceError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.runtime.disk_cache import Entry, open_cache

__all__ = [
    "CompileCounter",
    "MachineCode",
    "baseline_options",
    "compile_cubin",
    "compile_options",
    "keep_freed_memory",
    "load_nvrtc",
    "machine_code",
    "machine_codes",
    "warm_up",
]

#: Bytes of the largest block whose freeing sets what glibc's malloc keeps: twice as much.
_LARGEST_BLOCK = (32 << 20) - (64 << 10)
_INSTALL = 'pip install "lazyarr[cuda]"'


def compile_options(architecture: str, numerics: str) -> tuple[str, ...]:
    """Return the compiler's options, which NVRTC and nvcc spell alike.

    Examples
    --------
    >>> compile_options("sm_90", "strict")
    ('--gpu-architecture=sm_90', '--fmad=false')
    >>> compile_options("sm_90", "fast")
    ('--gpu-architecture=sm_90', '--fmad=true', '--prec-div=false', '--prec-sqrt=false')
    """
    target = f"--gpu-architecture={architecture}"
    if numerics == "fast":
        # Quotients and square roots of float32 by the instructions that approximate them.
        return target, "--fmad=true", "--prec-div=false", "--prec-sqrt=false"
    return target, "--fmad=false"


def baseline_options(settings: Config) -> tuple[str, ...]:
    """Return the options of the baseline tier, which compiles quicker to slower code, or ().

    Only for strict numerics: what is not contracted and not reordered has the same bits however
    well it is optimised.
    """
    if settings.numerics != "strict" or settings.cuda_compiler != "nvrtc" or _major() < 13:
        return ()
    return ("--Ofast-compile=mid",)


def compile_cubin(source: Source, options: Sequence[str], compiler: str = "nvrtc") -> bytes:
    """Return the machine code of a source; needs no GPU.

    Raises
    ------
    CompileError
        If the compiler refuses the text, with the numbered text and its log.
    DeviceError
        If the compiler is not installed.
    """
    return _COMPILERS[compiler][0](source, options)


def _by_nvrtc(source: Source, options: Sequence[str]) -> bytes:
    nvrtc = _nvrtc()
    code: bytes
    program = _checked(nvrtc.nvrtcCreateProgram(source.text.encode(), b"kernel.cu", 0, [], []))
    arguments = [o.encode() for o in (*options, *_own_options())]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(arguments), arguments)
    try:
        if int(status):
            size = _checked(nvrtc.nvrtcGetProgramLogSize(program))
            log = b" " * size
            nvrtc.nvrtcGetProgramLog(program, log)
            raise _refusal(source, log.decode(errors="replace").rstrip("\0 "))
        size = _checked(nvrtc.nvrtcGetCUBINSize(program))
        code = b" " * size
        nvrtc.nvrtcGetCUBIN(program, code)
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    return code


@cache
def _own_options() -> tuple[str, ...]:
    """Return the options that only NVRTC has."""
    # Without what kernels of ours do not use (textures, launches from kernels), its built-in
    # header takes a third of the time; the code is the same.
    return ("--minimal",) if _major() >= 13 else ()


def _major() -> int:
    """Return NVRTC's major version."""
    _, major, _ = _nvrtc().nvrtcVersion()
    return int(major)


@cache
def _nvrtc() -> Any:
    try:
        module = importlib.import_module("cuda.bindings.nvrtc")
        module.nvrtcVersion()  # the first call loads the library
    except (ImportError, RuntimeError, OSError) as error:
        raise DeviceError(
            f"NVRTC, CUDA's run-time compiler, is not installed ({error})",
            hint=f'{_INSTALL}, or config(cuda_compiler="nvcc") if the CUDA toolkit is installed',
        ) from error
    return module


def _checked(answer: tuple[Any, ...]) -> Any:
    if int(answer[0]):
        raise DeviceError(f"NVRTC failed: {answer[0]}")
    return answer[1]


def _nvrtc_version() -> str:
    status, major, minor = _nvrtc().nvrtcVersion()
    return f"nvrtc {int(status)} {major}.{minor}"


def _pycuda_compiler() -> Any:
    try:
        return importlib.import_module("pycuda.compiler")
    except ImportError as error:
        raise DeviceError(f"PyCUDA is not installed ({error})", hint=_INSTALL) from error


def keep_freed_memory() -> None:
    """Let malloc keep freed memory for the next compilation, up to 64 MiB.

    A compile takes some 2,000 pages, and glibc's malloc gives them back to the system, which clears
    them for the next compile: a tenth of its time. It keeps them once a larger block was freed, as
    by any program that frees an array of this size. No page of the block itself is touched. Other
    allocators may not care.
    """
    np.empty(_LARGEST_BLOCK, np.uint8)


def load_nvrtc() -> None:
    """Load NVRTC's library.

    Raises
    ------
    DeviceError
        If it is not installed.
    """
    _nvrtc()


def warm_up(architecture: str) -> None:
    """Let NVRTC compile nothing much: its first compile takes longer than others.

    Raises
    ------
    DeviceError
        If it is not installed.
    """
    keep_freed_memory()
    text = 'extern "C" __global__ void kernel(float* x) {\n    x[threadIdx.x] = 0.0f;\n}\n'
    compile_cubin(Source("cuda", text, "kernel", ()), compile_options(architecture, "strict"))


def _by_nvcc(source: Source, options: Sequence[str]) -> bytes:
    compiler = _pycuda_compiler()
    errors = importlib.import_module("pycuda.driver")
    architecture = next(o.partition("=")[2] for o in options if "architecture" in o)
    others = [o for o in options if "architecture" not in o]
    try:
        # What SourceModule does before it loads the code; the cache is ours.
        code: bytes = compiler.compile(
            source.text, options=others, no_extern_c=True, arch=architecture, cache_dir=False
        )
    except errors.CompileError as error:
        raise _refusal(source, str(getattr(error, "stderr", "") or error)) from error
    except OSError as error:
        raise _no_nvcc(error) from error
    return code


def _nvcc_version() -> str:
    try:
        return f"nvcc {_pycuda_compiler().get_nvcc_version('nvcc')}"
    except OSError as error:
        raise _no_nvcc(error) from error


def _no_nvcc(error: OSError) -> DeviceError:
    return DeviceError(
        f"nvcc, NVIDIA's compiler driver, cannot be run ({error})",
        hint='put it on PATH, or use config(cuda_compiler="nvrtc")',
    )


_COMPILERS: dict[str, tuple[Callable[[Source, Sequence[str]], bytes], Callable[[], str]]] = {
    "nvrtc": (_by_nvrtc, _nvrtc_version),
    "nvcc": (_by_nvcc, _nvcc_version),
}


def _refusal(source: Source, log: str) -> CompileError:
    lines = source.text.splitlines()
    width = len(str(len(lines)))
    numbered = "\n".join(f"{i:>{width}} | {line}" for i, line in enumerate(lines, 1))
    return CompileError(f"kernel {source.entry} does not compile\n\n{numbered}\n\n{log}")


class CompileCounter:
    """Statistics of compiling.

    Attributes
    ----------
    compiled, disk_hits, memory_hits : int
        Kernels compiled, found on disk, and found loaded.
    seconds : float
        Wall time of compiling.
    """

    def __init__(self) -> None:
        self.compiled = 0
        self.disk_hits = 0
        self.memory_hits = 0
        self.seconds = 0.0
        self._lock = threading.Lock()
        self._working = 0
        self._rested = time.monotonic()

    def count(self, seconds: float) -> None:
        """Count a kernel that was compiled; several threads may."""
        with self._lock:
            self.compiled += 1
            self.seconds += seconds

    @contextmanager
    def working(self) -> Iterator[None]:
        """Say that kernels are compiled while the body runs."""
        with self._lock:
            self._working += 1
        try:
            yield
        finally:
            with self._lock:
                self._working -= 1
                self._rested = time.monotonic()

    def resting(self) -> float:
        """Return for how many seconds nothing has been compiled."""
        with self._lock:
            return 0.0 if self._working else time.monotonic() - self._rested


@dataclass(frozen=True, slots=True)
class MachineCode:
    """The machine code of a source.

    Attributes
    ----------
    data : bytes
        To be loaded.
    baseline : bool
        Whether it was made quickly, and can be better.
    """

    data: bytes
    baseline: bool = False


def machine_codes(
    sources: Sequence[Source], architecture: str, settings: Config, counter: CompileCounter
) -> list[MachineCode]:
    """Return the machine code of each source; several are compiled at the same time.

    Code of the baseline tier is returned of a tiered source that has not been compiled better yet.

    Parameters
    ----------
    sources : sequence of Source
        In CUDA C++.
    architecture : str
        To compile for, such as "sm_90".
    settings : Config
        Compiler, numerics and cache.
    counter : CompileCounter
        Counts what is compiled and what comes from disk.
    """

    def compiled(source: Source) -> MachineCode:
        return machine_code(source, architecture, settings, counter, optimized=not source.tiered)

    with counter.working():
        if len(sources) < 2:
            return [compiled(source) for source in sources]
        with ThreadPoolExecutor(min(len(sources), default_threads())) as threads:
            return list(threads.map(compiled, sources))


def machine_code(
    source: Source,
    architecture: str,
    settings: Config,
    counter: CompileCounter,
    *,
    optimized: bool = True,
) -> MachineCode:
    """Return the machine code of a source, from disk if it was compiled before.

    The key holds the text, the options with the architecture, and the compiler's version.

    Parameters
    ----------
    source : Source
        In CUDA C++.
    architecture : str
        To compile for, such as "sm_90".
    settings : Config
        Compiler, numerics and cache.
    counter : CompileCounter
        Counts what is compiled and what comes from disk.
    optimized : bool, optional
        Whether only fully optimised code will do. If not, code of the baseline tier is compiled
        where there is none, but better code on disk is preferred.
    """
    compiler = settings.cuda_compiler
    version = _COMPILERS[compiler][1]()
    options = compile_options(architecture, settings.numerics)
    tiers = [options]
    if not optimized and (quicker := baseline_options(settings)):
        tiers.append((*options, *quicker))
    disk = open_cache(settings.cache_dir)
    keys = [key_of((source.language, source.text, source.entry, *tier, version)) for tier in tiers]
    if disk is not None:
        for key in keys:
            entry = disk.load(key)
            if entry is not None:
                counter.disk_hits += 1
                return MachineCode(entry.object_code, key != keys[0])
    begun = time.perf_counter()
    code = compile_cubin(source, tiers[-1], compiler)
    counter.count(time.perf_counter() - begun)
    if disk is not None:
        disk.store(keys[-1], Entry(source.entry, code))
    return MachineCode(code, len(tiers) > 1)
