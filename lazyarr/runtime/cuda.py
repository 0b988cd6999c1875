"""CUDA: the driver, compiling and launching. The only module that imports pycuda.

Sources are compiled by NVRTC, in this process and without a header, to machine code for the
device's architecture, which is kept on disk. The device's primary context is shared with other
libraries of the process. All work goes into one stream that is ordered with the legacy default
stream, which is the one that other libraries use unless told otherwise.
"""

from __future__ import annotations

import atexit
import importlib
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from lazyarr.config import Config
from lazyarr.errors import DeviceError
from lazyarr.runtime.cpu import CompileInfo
from lazyarr.runtime.cuda_compiler import CompileCounter, machine_code
from lazyarr.runtime.device_memory import (
    DeviceArray,
    DeviceBlock,
    DevicePool,
    DevicePoolInfo,
    extent,
)
from lazyarr.runtime.device_staging import Staging
from lazyarr.runtime.libraries.handles import Libraries
from lazyarr.runtime.source import Parameter, Source
from lazyarr.values import dataclass

__all__ = ["Device", "DeviceFunction", "DeviceInfo", "device", "opened"]

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

    __slots__ = ("__weakref__", "_device", "_driver", "_kept", "_ready", "_stream")

    def __init__(
        self, device: Device, driver: Any, ready: Any, stream: Any, kept: Sequence[object]
    ) -> None:
        self._device = device
        self._driver = driver
        self._ready = ready
        self._stream = stream
        self._kept = kept  # memory that its kernels work in

    def __call__(self) -> None:
        _succeeded(self._driver.cuGraphLaunch(self._ready, self._stream))

    def close(self) -> None:
        """Give it back; the context must be current."""
        if self._ready is not None:
            self._driver.cuGraphExecDestroy(self._ready)
            self._ready = None

    def __del__(self) -> None:
        # The last replay may still run, and no context need be current here.
        driver, ready, kept = self._driver, self._ready, self._kept
        if ready is not None:
            self._device.retire(lambda: _destroy(driver, ready, kept))


def _destroy(driver: Any, ready: Any, kept: Sequence[object]) -> None:
    driver.cuGraphExecDestroy(ready)
    del kept  # memory that it worked in


def _succeeded(answer: tuple[Any, ...]) -> Any:
    if int(answer[0]):
        raise DeviceError(f"the CUDA driver failed: {answer[0]}")
    return answer[1] if len(answer) > 1 else None


class Recorder:
    """Stands for a device while a graph is made: what is queued goes into the graph.

    Parameters
    ----------
    device : Device
        The device itself.
    stream : object
        The stream that is being captured.

    Attributes
    ----------
    kept : list
        Memory that the graph's kernels work in.
    """

    def __init__(self, device: Device, stream: Any) -> None:
        self._device = device
        self._stream = stream
        self.libraries = device.libraries
        self.compile = device.compile
        self.kept: list[object] = []

    @property
    def pool(self) -> Recorder:
        """Where memory comes from."""
        # No attribute: a cycle would keep the stream until a thread without the context ends it.
        return self

    def allocate(
        self, nbytes: int, limit: int = 0, origin: tuple[str, int] | None = None
    ) -> DeviceBlock:
        """Return memory that lives as long as the graph."""
        block = self._device.pool.allocate(nbytes, limit, origin)
        self.kept.append(block)
        return block

    def launch(
        self, function: DeviceFunction, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        """Queue a kernel."""
        function.handle.prepared_async_call((blocks, 1), (threads, 1, 1), self._stream, *args)

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Queue a copy inside the device."""
        self._device.copy(to, source, nbytes, self._stream)

    def clear(self, address: int, nbytes: int) -> None:
        """Queue filling with zeros."""
        self._device.clear(address, nbytes, self._stream)


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
        self._functions: dict[tuple[Source, str, str], DeviceFunction] = {}
        self._lock = threading.RLock()
        self._allocations: dict[int, Any] = {}
        self._counters: tuple[int, int] = (0, 0)
        self._graphs: weakref.WeakSet[_Graph] = weakref.WeakSet()
        self._driver: Any = None
        with suppress(ImportError, RuntimeError):
            self._driver = importlib.import_module("cuda.bindings.driver")
        self.stream_handle: int = self.stream.handle
        self.libraries = Libraries(self)
        self.staging = Staging(self)
        self._retired: deque[Callable[[], None]] = deque()
        self._leaving: deque[tuple[Any, list[Callable[[], None]]]] = deque()
        self._counter = CompileCounter()
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
            self._part(wait=True)
            for graph in list(self._graphs):
                graph.close()
            self._part(wait=True)
            self.libraries.close()
            self.staging.close()
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
        """Queue a copy of a flat array of bytes to the device; it may be written on return."""
        if host.nbytes >= self.staging.least:
            self.staging.upload(address, host)
            return
        with self.current():
            self.send(address, host)

    def download(self, host: np.ndarray[Any, Any], address: int) -> None:
        """Wait for all work, and copy to a flat array of bytes."""
        if host.nbytes >= self.staging.least:
            self.staging.download(host, address)
            return
        with self.current():
            self.receive(host, address)
            self.stream.synchronize()

    def send(self, address: int, host: np.ndarray[Any, Any]) -> None:
        """Queue a plain copy to the device; the context must be current."""
        self._cuda.memcpy_htod_async(address, host, self.stream)

    def receive(self, host: np.ndarray[Any, Any], address: int) -> None:
        """Queue a plain copy to the host; the context must be current."""
        self._cuda.memcpy_dtoh_async(host, address, self.stream)

    def copy(self, to: int, source: int, nbytes: int, stream: Any = None) -> None:
        """Queue a copy inside the device; the context must be current."""
        if nbytes:
            self._cuda.memcpy_dtod_async(to, source, nbytes, stream or self.stream)

    def clear(self, address: int, nbytes: int, stream: Any = None) -> None:
        """Queue filling with zeros; the context must be current."""
        self._cuda.memset_d8_async(address, 0, nbytes, stream or self.stream)

    def page_locked(self, nbytes: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return memory of the host that the bus reads and writes by itself."""
        made: np.ndarray[Any, np.dtype[np.uint8]] = self._cuda.pagelocked_empty(nbytes, np.uint8)
        return made

    def event(self) -> Any:
        """Return a mark for the stream; the context must be current."""
        return self._cuda.Event(self._cuda.event_flags.DISABLE_TIMING)

    def duplicate(self, array: DeviceArray) -> DeviceArray:
        """Return a copy in new memory, with the same strides."""
        low, high = extent(array.shape, array.strides, array.itemsize)
        block = self.pool.allocate(high - low)
        with self.current():
            self.copy(block.address, array.address + low, high - low)
        return DeviceArray(
            block.address - low, array.shape, array.dtype, array.strides, block, self
        )

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

    def synchronize_all(self) -> None:
        """Wait for all work of every stream, those of other libraries included."""
        with self.current():
            self._cuda.Context.synchronize()

    def wait_for(self, stream: int | None) -> None:
        """Queue what follows behind the work in another library's stream."""
        if stream in (None, 1):
            return  # the legacy default stream is ordered with ours
        self._order(before=int(stream), after=self.stream_handle)

    def let_wait(self, stream: int) -> None:
        """Make what is queued in another library's stream from now on wait for ours."""
        self._order(before=self.stream_handle, after=stream)

    def _order(self, before: int, after: int) -> None:
        driver = self._driver
        if driver is None:
            self.synchronize_all()
            return
        with self.current():
            event = _succeeded(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING))
            try:
                _succeeded(driver.cuEventRecord(event, driver.CUstream(before)))
                _succeeded(driver.cuStreamWaitEvent(driver.CUstream(after), event, 0))
            finally:
                # The driver keeps it until it has served.
                _succeeded(driver.cuEventDestroy(event))

    def retire(self, function: Callable[[], None]) -> None:
        """Call a function once all work queued by now is done. Safe in a finaliser."""
        self._retired.append(function)

    def part(self) -> None:
        """Call the retired functions that nothing waits for; the context must be current."""
        if self._retired or self._leaving:
            self._part(wait=False)

    def _part(self, *, wait: bool) -> None:
        with self._lock:
            leaving = []
            while self._retired:
                leaving.append(self._retired.popleft())
            if leaving:
                event = self.event()
                event.record(self.stream)
                self._leaving.append((event, leaving))
            done = []
            while self._leaving and (wait or self._leaving[0][0].query()):
                event, functions = self._leaving.popleft()
                if wait:
                    event.synchronize()
                done += functions
        for function in done:
            function()

    # -- kernels -----------------------------------------------------------------------------

    def compile(self, source: Source, settings: Config) -> DeviceFunction:
        """Return the loaded kernel of a source: loaded already, from disk, or compiled now."""
        key = (source, settings.numerics, settings.cuda_compiler)
        found = self._functions.get(key)
        if found is not None:
            self._counter.memory_hits += 1
            return found
        with self._lock:
            found = self._functions.get(key)
            if found is None:
                code = machine_code(source, self.architecture, settings, self._counter)
                with self.current():
                    module = self._cuda.module_from_buffer(code)
                    handle = module.get_function(source.entry)
                found = DeviceFunction(module, handle, source.parameters)
                handle.prepare(found.format)
                self._functions[key] = found
        return found

    def launch(
        self, function: DeviceFunction, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        """Queue a kernel; the context must be current."""
        function.handle.prepared_async_call((blocks, 1), (threads, 1, 1), self.stream, *args)

    def capture(self, queue: Callable[[Recorder], None]) -> Callable[[], None] | None:
        """Return a function that queues at once all that `queue` queues; None if none is known.

        The context must be current, for both.

        Raises
        ------
        DeviceError
            If something of it cannot be part of a graph; nothing was queued then.
        """
        if self._driver is None:
            return None
        driver, mode = self._driver, self._driver.CUstreamCaptureMode
        with self._lock:
            # Not in the stream itself: another thread's kernels would be captured too.
            private = self._cuda.Stream()
            stream = driver.CUstream(private.handle)
            recorder = Recorder(self, private)
            # Relaxed: memory may be taken from the driver meanwhile.
            _succeeded(driver.cuStreamBeginCapture(stream, mode.CU_STREAM_CAPTURE_MODE_RELAXED))
            try:
                with self.libraries.working_in(private.handle):
                    queue(recorder)
            except Exception as error:
                driver.cuStreamEndCapture(stream)  # gives the unfinished graph up
                raise DeviceError(f"this work cannot be part of a graph: {error}") from error
            graph = _succeeded(driver.cuStreamEndCapture(stream))
            ready = _succeeded(driver.cuGraphInstantiate(graph, 0))
            _succeeded(driver.cuGraphDestroy(graph))
        target = driver.CUstream(self.stream.handle)
        replay = _Graph(self, driver, ready, target, recorder.kept)
        self._graphs.add(replay)
        return replay

    def info(self) -> CompileInfo:
        """Return the counters of compilation."""
        counter = self._counter
        return CompileInfo(
            counter.compiled,
            counter.disk_hits,
            counter.memory_hits,
            counter.seconds,
            len(self._functions),
        )

    def figures(self) -> DeviceInfo:
        """Return what the device holds."""
        return DeviceInfo(
            self.name,
            self.pool.info(),
            self.info(),
            len(self._graphs),
            self.libraries.plans,
            self.staging.nbytes,
        )


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What a GPU holds for lazyarr.

    Attributes
    ----------
    name : str
        As the driver has it.
    pool : DevicePoolInfo
        ``in_use``, ``peak`` and ``held`` bytes, and ``allocations``: calls of the driver.
    kernels : CompileInfo
        As of the CPU's kernels.
    graphs : int
        Plans that are queued as one CUDA graph.
    transforms : int
        Plans of Fourier transforms.
    page_locked : int
        Bytes of the host's memory that transfers go through.
    """

    name: str
    pool: DevicePoolInfo
    kernels: CompileInfo
    graphs: int
    transforms: int
    page_locked: int


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


def opened() -> Device | None:
    """Return the process's CUDA device if somebody has asked for it."""
    return _devices[0] if _devices else None
