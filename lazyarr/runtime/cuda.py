"""CUDA: the driver, compiling and launching. The only module that imports pycuda.

Sources are compiled by NVRTC, in this process and without a header, to machine code for the
device's architecture, which is kept on disk. The device's primary context is shared with other
libraries of the process. All work goes into one stream that is ordered with the legacy default
stream, which is the one that other libraries use unless told otherwise.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from lazyarr.config import Config
from lazyarr.errors import CompileError, DeviceError
from lazyarr.runtime.cache import Entry, open_cache
from lazyarr.runtime.cpu import CompileInfo
from lazyarr.runtime.device_memory import DevicePool
from lazyarr.runtime.source import Parameter, Source

__all__ = ["Device", "DeviceFunction", "compile_cubin", "compile_options", "device"]

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
_INSTALL = 'pip install "lazyarr[cuda]"'


def compile_options(architecture: str, numerics: str) -> tuple[str, ...]:
    """Return the compiler's options.

    Examples
    --------
    >>> compile_options("sm_90", "strict")
    ('--gpu-architecture=sm_90', '--fmad=false')
    """
    fast = numerics == "fast"
    return (f"--gpu-architecture={architecture}", f"--fmad={'true' if fast else 'false'}")


def compile_cubin(source: Source, options: Sequence[str]) -> bytes:
    """Return the machine code of a source; needs no GPU.

    Raises
    ------
    CompileError
        If NVRTC refuses the text, with the numbered text and its log.
    DeviceError
        If NVRTC is not installed.
    """
    nvrtc = _nvrtc()
    code: bytes
    program = _checked(
        nvrtc, nvrtc.nvrtcCreateProgram(source.text.encode(), b"kernel.cu", 0, [], [])
    )
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [o.encode() for o in options])
    try:
        if int(status):
            size = _checked(nvrtc, nvrtc.nvrtcGetProgramLogSize(program))
            log = b" " * size
            nvrtc.nvrtcGetProgramLog(program, log)
            raise _refusal(source, log.decode(errors="replace").rstrip("\0 "))
        size = _checked(nvrtc, nvrtc.nvrtcGetCUBINSize(program))
        code = b" " * size
        nvrtc.nvrtcGetCUBIN(program, code)
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    return code


def _nvrtc() -> Any:
    try:
        return importlib.import_module("cuda.bindings.nvrtc")
    except (ImportError, RuntimeError) as error:
        raise DeviceError(
            f"NVRTC, CUDA's run-time compiler, is not installed ({error})", hint=_INSTALL
        ) from error


def _checked(nvrtc: Any, answer: tuple[Any, ...]) -> Any:
    if int(answer[0]):
        raise DeviceError(f"NVRTC failed: {answer[0]}")
    return answer[1]


def _refusal(source: Source, log: str) -> CompileError:
    lines = source.text.splitlines()
    width = len(str(len(lines)))
    numbered = "\n".join(f"{i:>{width}} | {line}" for i, line in enumerate(lines, 1))
    return CompileError(f"kernel {source.entry} does not compile\n\n{numbered}\n\n{log}")


class DeviceFunction:
    """A loaded kernel.

    Parameters
    ----------
    module : object
        What owns the machine code.
    handle : object
        What launches it.
    parameters : tuple of Parameter
        Its arguments.
    """

    __slots__ = ("format", "handle", "module")

    def __init__(self, module: Any, handle: Any, parameters: tuple[Parameter, ...]) -> None:
        self.module = module
        self.handle = handle
        self.format = "".join(
            "P" if p.pointer else _FORMATS[f"{p.dtype.kind}{p.dtype.itemsize}"] for p in parameters
        )


class _Graph:
    """Kernels that the driver queues at once."""

    __slots__ = ("__weakref__", "_driver", "_ready", "_stream")

    def __init__(self, driver: Any, ready: Any, stream: Any) -> None:
        self._driver = driver
        self._ready = ready
        self._stream = stream

    def __call__(self) -> None:
        _succeeded(self._driver.cuGraphLaunch(self._ready, self._stream))

    def close(self) -> None:
        """Give it back; the context must be current."""
        if self._ready is not None:
            self._driver.cuGraphExecDestroy(self._ready)
            self._ready = None


def _succeeded(answer: tuple[Any, ...]) -> Any:
    if int(answer[0]):
        raise DeviceError(f"the CUDA driver failed: {answer[0]}")
    return answer[1] if len(answer) > 1 else None


class Device:
    """A CUDA device: memory, compiled kernels, one stream.

    Attributes
    ----------
    name, architecture : str
        As the driver has them: "NVIDIA H200", "sm_90".
    pool : DevicePool
        Its memory.
    """

    def __init__(self) -> None:
        try:
            self._cuda: Any = importlib.import_module("pycuda.driver")
        except ImportError as error:
            raise DeviceError(
                f'device="cuda" needs PyCUDA and NVIDIA\'s driver ({error})', hint=_INSTALL
            ) from error
        cuda = self._cuda
        try:
            cuda.init()
            handle = cuda.Device(0)
        except cuda.Error as error:
            raise DeviceError(
                f'device="cuda" found no GPU: {error}',
                hint="nvidia-smi says whether the driver sees one",
            ) from error
        self.name: str = handle.name()
        major, minor = handle.compute_capability()
        self.architecture = f"sm_{major}{minor}"
        self._context = handle.retain_primary_context()
        with self.current():
            self.stream = cuda.Stream()
        self.pool = DevicePool(self)
        self._functions: dict[tuple[Source, str], DeviceFunction] = {}
        self._lock = threading.RLock()
        self._allocations: dict[int, Any] = {}
        self._counters: tuple[int, int] = (0, 0)
        self._graphs: weakref.WeakSet[_Graph] = weakref.WeakSet()
        self._driver: Any = None
        with suppress(ImportError, RuntimeError):
            self._driver = importlib.import_module("cuda.bindings.driver")
        self.compiled = 0
        self.disk_hits = 0
        self.memory_hits = 0
        self.compile_seconds = 0.0
        atexit.register(self.close)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make the device's context that of this thread."""
        # Always taken off again: a context left on a thread's stack ends the process at exit.
        self._context.push()
        try:
            yield
        finally:
            self._cuda.Context.pop()

    def close(self) -> None:
        """Give everything back at the end of the process."""
        with self.current():
            self.stream.synchronize()
            for graph in list(self._graphs):
                graph.close()
            self.pool.close()
            for function in self._functions.values():
                function.handle = function.module = None
            self._functions.clear()
            del self.stream
        self._context.detach()

    # -- memory ------------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory; 0 if there is none."""
        with self.current():
            try:
                memory = self._cuda.mem_alloc(nbytes)
            except self._cuda.MemoryError:
                return 0
        address = int(memory)
        self._allocations[address] = memory
        return address

    def free(self, address: int) -> None:
        """Give memory back, once all work that may use it is done."""
        with self.current():
            self.stream.synchronize()
            self._allocations.pop(address).free()

    def upload(self, address: int, host: np.ndarray[Any, Any]) -> None:
        """Copy a flat array of bytes to the device."""
        with self.current():
            self._cuda.memcpy_htod_async(address, host, self.stream)

    def download(self, host: np.ndarray[Any, Any], address: int) -> None:
        """Wait for all work, and copy to a flat array of bytes."""
        with self.current():
            self._cuda.memcpy_dtoh_async(host, address, self.stream)
            self.stream.synchronize()

    def counters(self, count: int) -> int:
        """Return the address of uint32 counters that are 0; kernels leave them so."""
        with self._lock:
            address, size = self._counters
            if size < count:
                size = max(count, 1 << 16)
                # The smaller ones stay: kernels in the stream may be counting with them.
                address = self.allocate(4 * size)
                if not address:
                    raise DeviceError(f"the device has no {4 * size:,} bytes left")
                with self.current():
                    self._cuda.memset_d32_async(address, 0, size, self.stream)
                self._counters = (address, size)
            return address

    def synchronize(self) -> None:
        """Wait for all work."""
        with self.current():
            self.stream.synchronize()

    def wait_for(self, stream: int | None) -> None:
        """Queue what follows behind the work in another library's stream."""
        if stream in (None, 1):
            return  # the legacy default stream is ordered with ours
        with self.current():
            self._cuda.Context.synchronize()

    # -- kernels -----------------------------------------------------------------------------

    def compile(self, source: Source, settings: Config) -> DeviceFunction:
        """Return the loaded kernel of a source: loaded already, from disk, or compiled now."""
        key = (source, settings.numerics)
        found = self._functions.get(key)
        if found is not None:
            self.memory_hits += 1
            return found
        with self._lock:
            found = self._functions.get(key)
            if found is None:
                code = self._machine_code(source, settings)
                with self.current():
                    module = self._cuda.module_from_buffer(code)
                    handle = module.get_function(source.entry)
                found = DeviceFunction(module, handle, source.parameters)
                handle.prepare(found.format)
                self._functions[key] = found
        return found

    def _machine_code(self, source: Source, settings: Config) -> bytes:
        options = compile_options(self.architecture, settings.numerics)
        disk = open_cache(settings.cache_dir)
        version = _checked_version(_nvrtc())
        parts = ("cuda", source.text, source.entry, *options, version)
        digest = hashlib.sha256()
        for part in parts:
            digest.update(f"{len(part)}:{part}".encode())
        key = digest.hexdigest()
        entry = disk.load(key) if disk is not None else None
        if entry is not None:
            self.disk_hits += 1
            return entry.object_code
        begun = time.perf_counter()
        code = compile_cubin(source, options)
        self.compile_seconds += time.perf_counter() - begun
        self.compiled += 1
        if disk is not None:
            disk.store(key, Entry(source.entry, code))
        return code

    def launch(
        self, function: DeviceFunction, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        """Queue a kernel; the context must be current."""
        function.handle.prepared_async_call((blocks, 1), (threads, 1, 1), self.stream, *args)

    def capture(
        self, calls: Sequence[tuple[DeviceFunction, int, int, Sequence[Any]]]
    ) -> Callable[[], None] | None:
        """Return a function that queues all these kernels at once; None where that is not known.

        The context must be current, for both.
        """
        if self._driver is None:
            return None
        driver, mode = self._driver, self._driver.CUstreamCaptureMode
        with self._lock:
            # Not in the stream itself: another thread's kernels would be captured too.
            private = self._cuda.Stream()
            stream = driver.CUstream(private.handle)
            _succeeded(
                driver.cuStreamBeginCapture(stream, mode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
            )
            for function, blocks, threads, args in calls:
                function.handle.prepared_async_call((blocks, 1), (threads, 1, 1), private, *args)
            graph = _succeeded(driver.cuStreamEndCapture(stream))
            ready = _succeeded(driver.cuGraphInstantiate(graph, 0))
            _succeeded(driver.cuGraphDestroy(graph))
        target = driver.CUstream(self.stream.handle)
        replay = _Graph(driver, ready, target)
        self._graphs.add(replay)
        return replay

    def info(self) -> CompileInfo:
        """Return the counters of compilation."""
        return CompileInfo(
            self.compiled,
            self.disk_hits,
            self.memory_hits,
            self.compile_seconds,
            len(self._functions),
        )


def _checked_version(nvrtc: Any) -> str:
    status, major, minor = nvrtc.nvrtcVersion()
    return f"{int(status)} {major}.{minor}"


_lock = threading.Lock()
_devices: list[Device] = []


def device() -> Device:
    """Return the process's CUDA device, opened when first asked for.

    Raises
    ------
    DeviceError
        If PyCUDA, the driver or a GPU is missing; it says which, and how to install it.
    """
    if not _devices:
        with _lock:
            if not _devices:
                _devices.append(Device())
    return _devices[0]
