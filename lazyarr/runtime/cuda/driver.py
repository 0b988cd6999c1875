"""CUDA: the driver, compiling and launching. The only module that imports pycuda.

Sources are compiled by NVRTC, in this process and without a header, to machine code for the
device's architecture, which is kept on disk. The device's primary context is shared with other
libraries of the process. What is queued, and in which order, is a matter of streams.
"""

from __future__ import annotations

import atexit
import importlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from lazyarr.core.config import CUDA, gpu_number
from lazyarr.errors import DeviceError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.compile_info import CompileInfo
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.device_info import DeviceInfo, device_info
from lazyarr.runtime.cuda.device_transfers import DeviceTransfers
from lazyarr.runtime.cuda.driver_calls import order_streams, succeeded
from lazyarr.runtime.cuda.interfaces import WorkingDevice
from lazyarr.runtime.cuda.kernel_cache import DeviceFunction, DeviceKernels
from lazyarr.runtime.cuda.kernel_handle import kernel_handle
from lazyarr.runtime.cuda.launch_batch import Launcher, launcher
from lazyarr.runtime.cuda.libraries import cublas
from lazyarr.runtime.cuda.libraries.handles import load
from lazyarr.runtime.cuda.memory_pool import DeviceMemory
from lazyarr.runtime.cuda.peers import Peers
from lazyarr.runtime.cuda.process_end import wait_until_alone
from lazyarr.runtime.cuda.retired_work import RetiredWork
from lazyarr.runtime.cuda.staging import Staging
from lazyarr.runtime.cuda.startup import Opening, begin, begun
from lazyarr.runtime.cuda.streams import DeviceStream, chosen

__all__ = [
    "Device",
    "begin_opening",
    "device",
    "device_at",
    "opened_devices",
]

_INSTALL = 'pip install "lazyarr[cuda]"'


class _Current:
    """The device's context as that of the thread, for a while."""

    __slots__ = ("_pop", "_push")

    def __init__(self, context: Any, pop: Any) -> None:
        self._push = context.push
        self._pop = pop

    def __enter__(self) -> None:
        self._push()

    def __exit__(self, *exception: object) -> None:
        # Always taken off again: a context left on a thread's stack ends the process at exit.
        self._pop()


class Device(DeviceTransfers, WorkingDevice):
    """A CUDA device: its context, memory, streams and compiled kernels.

    Parameters
    ----------
    number : int, optional
        As the driver counts devices.

    Attributes
    ----------
    number : int
        As given.
    label : str
        The name by which settings know it: "cuda", "cuda:1".
    name, architecture : str
        As the driver has them: "NVIDIA H200", "sm_90".
    identity : str
        The GPU's name and the driver's version.
    total_bytes, l2_bytes : int
        Of its memory, and of the cache that all multiprocessors share.
    multiprocessors : int
        How many there are.
    count : int
        How many devices the driver has.
    shared_bytes : int
        Shared memory that one block may have.
    memory : DeviceMemory
        What the streams' pools hold together.
    kernels : DeviceKernels
        Those that are compiled.
    main : DeviceStream
        Where everything is queued that asks for no other stream.
    bindings : module, optional
        The driver's own functions, for what PyCUDA has not.
    """

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.label = f"{CUDA}:{number}" if number else CUDA
        opening = begin(number)
        try:
            try:
                self._cuda: Any = importlib.import_module("pycuda.driver")
            except ImportError as error:
                raise DeviceError(
                    f'device="cuda" needs PyCUDA and NVIDIA\'s driver ({error})', hint=_INSTALL
                ) from error
            # PyCUDA keeps the interpreter's lock while the driver starts, which would keep NVRTC's
            # thread from loading.
            opening.wait_for_driver()
            self._open(self._gpu())
        finally:
            opening.let_go()
        self._products_needed = threading.Event()
        self.warming = threading.Thread(
            target=self._warm_up, args=(opening,), name="lazyarr-warm-up"
        )
        self.warming.start()

    def _gpu(self) -> Any:
        """Return the GPU's PyCUDA object, and query its attributes."""
        cuda = self._cuda
        try:
            cuda.init()
            self.count = int(cuda.Device.count())
            if 0 < self.count <= self.number:
                raise DeviceError(
                    f"there is no device {self.label!r}: the driver sees "
                    f"{self.count} {'GPU' if self.count == 1 else 'GPUs'}, counted from 0",
                    hint="CUDA_VISIBLE_DEVICES may hide some",
                )
            handle = cuda.Device(self.number)
        except cuda.Error as error:
            raise DeviceError(
                f'device="cuda" found no GPU: {error}',
                hint="nvidia-smi says whether the driver sees one",
            ) from error
        self.name: str = handle.name()
        major, minor = handle.compute_capability()
        self.architecture = f"sm_{major}{minor}"
        self.identity = f"{self.name}, {self.architecture}, driver {cuda.get_driver_version()}"
        self.total_bytes = int(handle.total_memory())
        attribute = cuda.device_attribute
        self.l2_bytes = int(handle.get_attribute(attribute.L2_CACHE_SIZE))
        self.multiprocessors = int(handle.get_attribute(attribute.MULTIPROCESSOR_COUNT))
        most = attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        self.shared_bytes = int(handle.get_attribute(most))
        return handle

    def _open(self, handle: Any) -> None:
        """Retain the device's context, and create the objects that use it."""
        cuda = self._cuda
        self._context = handle.retain_primary_context()
        self._current = _Current(self._context, cuda.Context.pop)
        self._lock = threading.RLock()
        self._allocations: dict[int, Any] = {}
        self._peers = Peers(cuda, self._context)
        self.bindings: Any = None
        with suppress(ImportError, RuntimeError):
            self.bindings = importlib.import_module("cuda.bindings.driver")
        self.staging = Staging(self)
        self._retired = RetiredWork()
        self._refusal: Callable[[], object] | None = None
        self.memory = DeviceMemory()
        self.kernels = DeviceKernels(self.architecture, self._load, self._load_beside)
        self.main = DeviceStream(self, cuda)
        self.streams = [self.main]
        self._free_streams: deque[DeviceStream] = deque()
        atexit.register(self.close)

    def _warm_up(self, opening: Opening) -> None:
        """Load cuBLAS, and its kernels by products of next to nothing, in a thread of its own."""
        opening.wait_for_compiler()
        # What goes wrong goes wrong again where a product is asked for, and is raised there.
        if self._wait_for_rest():
            with suppress(Exception):
                load("cublas")
                load("cublasLt")
                self._load_beside()
                with self.current():
                    cublas.warm_up(self.main.libraries)

    def _wait_for_rest(self) -> bool:
        """Wait until no kernel is compiled, or a product is wanted; False: the process ends.

        What cuBLAS loads, and how, keeps NVRTC waiting in another thread: a first evaluation in
        the first half second took up to twice its time. So does what Python imports for it.
        """
        loaded, rest = time.monotonic(), tuning.row().products_rest
        while not self._products_needed.wait(rest / 10) and threading.main_thread().is_alive():
            if min(self.kernels.counter.resting(), time.monotonic() - loaded) >= rest:
                break
        return threading.main_thread().is_alive()

    def prepare_libraries(self, names: Sequence[str]) -> None:
        """Open libraries in a thread of its own, as long as that takes."""
        libraries = self.stream().libraries
        after = None
        if "cublas" in names or "cublasLt" in names:
            self._products_needed.set()
            after = self.warming
        libraries.open_beside(names, after)

    def current(self) -> _Current:
        """Return a context manager that makes the device's context that of this thread."""
        return self._current

    def close(self) -> None:
        """Give everything back at the end of the process."""
        if self._refusal is not None:
            return  # the parent's: nothing here is ours
        self._refusal = self._ended
        if not wait_until_alone(Device._ended.__code__):
            return  # a thread that cannot be stopped uses what would be given back
        with self.current():
            for stream in self.streams:
                stream.stream.synchronize()
            self._retired.call(self.streams, wait=True)
            for stream in self.streams:
                stream.close()
            self._retired.call(self.streams, wait=True)
            self.staging.close()
            for pool in self.memory.pools:
                pool.close()
            self.kernels.close()
            for stream in self.streams:
                del stream.stream
        self._context.detach()

    def stream(self) -> DeviceStream:
        """Return the stream that this thread or task works in.

        Raises
        ------
        DeviceError
            If this process cannot use the device, or no longer.
        """
        if self._refusal is not None:
            self._refusal()
        return self.stream_of_thread()

    def stream_of_thread(self) -> DeviceStream:
        """Return the stream that this thread or task works in, whether or not it can be used."""
        stream = chosen.get()
        return self.main if stream is None or stream.device is not self else stream

    def forked(self) -> None:
        """Note that this is the child of a process that uses the device."""
        self._refusal = _forked

    def _ended(self) -> None:
        """Stop a thread of a process that is ending."""
        if threading.current_thread().daemon:
            threading.Event().wait()  # until the process is gone
        raise DeviceError("the GPU was released because the process is ending")

    def take_stream(self) -> DeviceStream:
        """Return an unused stream, with the memory of its earlier uses."""
        with suppress(IndexError):
            return self._free_streams.popleft()
        stream = DeviceStream(self, self._cuda)
        with self._lock:
            self.streams.append(stream)
        return stream

    def give_stream(self, stream: DeviceStream) -> None:
        """Return an unused stream to the device. Safe in a finaliser."""
        # Results may live in its memory, and work may be queued: whoever comes next comes after.
        self._free_streams.append(stream)

    def synchronize(self) -> None:
        """Wait for all work of lazyarr."""
        with self.current():
            for stream in self.streams:
                stream.stream.synchronize()

    def synchronize_all(self) -> None:
        """Wait for all work of every stream, those of other libraries included."""
        with self.current():
            self._cuda.Context.synchronize()

    def order(self, before: int, after: int) -> None:
        """Make later work of one stream wait for the earlier work of another."""
        driver = self.bindings
        if driver is None:
            self.synchronize_all()
            return
        with self.current():
            order_streams(driver, before, after)

    def close_graphs(self) -> None:
        """Give back the graphs of all streams, once all work is done."""
        with self.current():
            for stream in self.streams:
                stream.stream.synchronize()
                stream.close_graphs()

    def retire(self, function: Callable[[], None]) -> None:
        """Call a function once all work queued by now is done. Safe in a finaliser."""
        self._retired.add(function)

    def ready(self) -> bool:
        """Whether nothing is to be done before work is queued, and nothing forbids it."""
        retired = self._retired
        return not retired.added and not retired.waiting and self._refusal is None

    def part(self) -> None:
        """Call the retired functions that nothing waits for; the context must be current."""
        if self._retired.added or self._retired.waiting:
            self._retired.call(self.streams, wait=False)

    def _load(self, source: Source, code: bytes) -> tuple[Any, Any]:
        """Return machine code as a module, and the function in it."""
        with self.current():
            module = self._cuda.module_from_buffer(code)
            handle = module.get_function(source.entry)
            if 0 < source.shared_bytes <= self.shared_bytes:
                largest = self._cuda.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES
                handle.set_attribute(largest, source.shared_bytes)
        return module, handle

    def _load_beside(self) -> None:
        """Let this thread load modules while another one captures a graph."""
        if self.bindings is not None:
            relaxed = self.bindings.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
            succeeded(self.bindings.cuThreadExchangeStreamCaptureMode(relaxed))

    @cached_property
    def launcher(self) -> Launcher | None:
        """The launcher that takes less host time than PyCUDA; None without such a driver call."""
        driver = self.bindings
        if driver is None:  # which knows the handles
            return None
        with self.current():
            return launcher(int(succeeded(driver.cuCtxGetCurrent())))

    def handle_of(self, function: DeviceFunction, threads: int) -> int:
        """Return the driver's handle of a kernel, which PyCUDA does not expose; 0: it is not known.

        Parameters
        ----------
        function : DeviceFunction
            The kernel.
        threads : int
            Threads of its blocks.
        """
        if function.address is None:
            handle = 0
            with self.current(), suppress(DeviceError, self._cuda.Error):
                handle = kernel_handle(self.bindings, self._cuda, function, threads)
            function.address = handle
        return function.address

    def info(self) -> CompileInfo:
        """Return the counters of compilation."""
        return self.kernels.info()

    def figures(self) -> DeviceInfo:
        """Return the figures of the device."""
        return device_info(self, self.staging.nbytes)


def _forked() -> None:
    raise DeviceError(
        "CUDA cannot be used here: this process was forked after the GPU was opened",
        hint='start processes with multiprocessing.get_context("spawn"), or fork before the GPU '
        "is used",
    )


_lock = threading.Lock()
#: The devices that were asked for, by their numbers.
_devices: list[Device | None] = []
#: Whether this is the child of a process that had begun to open a device.
_inherited = False


def _after_fork() -> None:
    global _lock, _inherited
    _lock = threading.Lock()  # it may be held by a thread that the child does not have
    _inherited = begun()
    for opened_device in opened_devices():
        opened_device.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def device(name: str = CUDA) -> Device:
    """Return a CUDA device of the process, opened when first asked for.

    Parameters
    ----------
    name : str, optional
        As it stands in settings.

    Raises
    ------
    DeviceError
        If PyCUDA, the driver or the GPU is missing; it says which, and how to install it.
    """
    number = gpu_number(name)
    known = _devices[number] if number < len(_devices) else None
    if known is None:
        with _lock:
            _devices.extend([None] * (number + 1 - len(_devices)))
            known = _devices[number]
            if known is None:
                if _inherited:
                    _forked()
                known = _devices[number] = Device(number)
    return known


def device_at(address: int) -> Device:
    """Return the device whose memory an address lies in."""
    opened_ones = opened_devices()
    some = opened_ones[0] if opened_ones else device()
    number = some.number_at(address)
    return some if number == some.number else device(f"{CUDA}:{number}")


def begin_opening(libraries: Sequence[str] = (), name: str = CUDA) -> None:
    """Begin to open a CUDA device in a thread, before its first use.

    Parameters
    ----------
    libraries : sequence of str, optional
        What it will be asked for, as far as is known by now.
    name : str, optional
        As it stands in settings.
    """
    number = gpu_number(name)
    if not (number < len(_devices) and _devices[number]) and not _inherited:
        opening = begin(number)
        if libraries:
            opening.load(libraries)


def opened_devices() -> list[Device]:
    """Return the CUDA devices that the process has opened."""
    return [known for known in _devices if known is not None]
