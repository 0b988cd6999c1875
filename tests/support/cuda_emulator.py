"""A CUDA device on the CPU, for the logic of generated kernels where there is no GPU.

The text of a kernel is compiled as C++. The threads of a block are coroutines that meet at every
barrier and every shuffle; a block whose threads do not meet at the same places is an error, as it
would be on a GPU. Blocks run one after another.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from lazyarr.runtime.compile_info import CompileInfo
from lazyarr.runtime.cuda import driver
from lazyarr.runtime.cuda.branch import Branch
from lazyarr.runtime.cuda.device_info import DeviceInfo, device_info
from lazyarr.runtime.cuda.launch_batch import Launcher, not_launched
from lazyarr.runtime.cuda.libraries.handles import Libraries
from lazyarr.runtime.cuda.memory_pool import DeviceMemory, DevicePool
from lazyarr.runtime.cuda.streams import DeviceStream, chosen
from tests.support.emulated_kernels import EmulatedFunction, EmulatedKernels
from tests.support.emulated_launcher import EmulatedLauncher
from tests.support.emulated_streams import EmulatedDriver, EmulatedEvent, EmulatedWork
from tests.support.fresh_memory import fresh_memory
from tests.support.nvmath_emulator import bindings

__all__ = ["EmulatedDevice", "EmulatedEvent", "EmulatedFunction", "EmulatedGraph"]

#: Kernels have static variables, which devices share.
_one_kernel = threading.Lock()


class Recorder:
    """What `lazyarr.runtime.cuda.streams.Recorder` is: what is queued runs in the replay."""

    def __init__(self, queue: EmulatedStream) -> None:
        self.queue = queue
        self.pool = self
        self.compile = queue.compile
        self.counters = queue.counters
        self.retained: list[Any] = []
        self.queued: list[tuple[Any, Any]] = []
        recording = lambda *names: Recording(self, *names)  # noqa: E731 - three of one kind
        self.libraries = RecordedLibraries(queue.libraries, recording)
        self.side: RecordedWork | None = None

    def allocate(self, nbytes: int, limit: int = 0, origin: Any = None) -> Any:
        self.retained.append(self.queue.pool.allocate(nbytes, limit, origin))
        return self.retained[-1]

    def branch(self) -> Branch:
        return Branch(RecordedWork(self, self.queue.stream), self.side_stream, self.mark_in)

    def side_stream(self) -> RecordedWork:
        if self.side is None:
            self.side = RecordedWork(self, self.queue.device.driver.Stream())
        return self.side

    def mark_in(self, work: RecordedWork) -> Any:
        event = EmulatedEvent()
        self.queued.append((event.record, (work.real,)))
        work.marked = event
        return SimpleNamespace(event=event)

    def check_joined(self) -> None:
        """Check the driver's conditions of a stream that is captured beside another."""
        assert self.side is None or not self.side.is_open, "a stream was forked and not joined"

    def launch(self, *args: Any) -> None:
        self.queued.append((self.queue.launch, (*args[:3], list(args[3]))))

    def copy(self, *args: Any) -> None:
        self.queued.append((self.queue.copy, args))

    def clear(self, *args: Any) -> None:
        self.queued.append((self.queue.clear, args))


class RecordedWork:
    """A stream of the driver that is captured."""

    def __init__(self, recorder: Recorder, real: EmulatedWork) -> None:
        self.recorder = recorder
        self.real = real
        self.handle = real.handle
        self.marked: EmulatedEvent | None = None
        self.is_open = False

    def wait_for_event(self, event: EmulatedEvent) -> None:
        self.recorder.queued.append((self.real.wait_for_event, (event,)))
        side = self.recorder.side
        if self is side:
            self.marked, self.is_open = None, True
        elif side is not None and event is side.marked:
            side.is_open = False


class RecordedLibraries:
    """Libraries whose calls are retained for the replay."""

    def __init__(self, libraries: Libraries, recording: Any) -> None:
        self.libraries = libraries
        self.lock = libraries.lock
        self.recorded = recording
        self.recording = True
        self.stream = libraries.stream

    def opened(self, name: str) -> tuple[Any, int]:
        module, handle = self.libraries.opened(name)
        return self.recorded(module), handle

    @property
    def matmuls(self) -> Any:
        return self.recorded(self.libraries.matmuls, "multiply")

    @property
    def convolutions(self) -> Any:
        return self.recorded(self.libraries.convolutions, "execute")

    def module(self, name: str) -> Any:
        return self.recorded(self.libraries.module(name))

    def plan(self, *args: Any) -> tuple[Any, int, int]:
        module, plan, nbytes = self.libraries.plan(*args)
        return self.recorded(module), plan, nbytes


class Recording:
    """Bindings whose functions, or only the named one, are retained for the replay."""

    def __init__(self, recorder: Recorder, module: Any, only: str = "") -> None:
        self.recorder = recorder
        self.module = module
        self.only = only

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.module, name)
        if self.only not in ("", name):
            return function
        if getattr(self.module, "queues", False):
            return lambda *args: self.recorder.queued.append((function, args))
        work = self.recorder.queue.stream
        return lambda *args: self.recorder.queued.append(
            (work.put, (lambda: function(*args) and None,))
        )


class EmulatedGraph:
    """Work that is done again and again."""

    def __init__(self, device: EmulatedDevice, recorder: Recorder) -> None:
        self.device = device
        self.recorder = recorder

    def __call__(self) -> None:
        status = self.launch()
        if status:
            raise not_launched(status)

    def launch(self) -> int:
        self.device.replays += 1
        driver = self.device.driver
        with driver.lock:  # as a whole: nothing else comes between
            driver.replaying = True
            try:
                for function, args in self.recorder.queued:
                    function(*args)
            finally:
                driver.replaying = False
        return 0


class EmulatedStream(DeviceStream):
    """A stream whose kernels run on the CPU."""

    def __init__(self, device: EmulatedDevice, driver: EmulatedDriver) -> None:
        super().__init__(device, driver)
        self.libraries = Libraries(self, bindings)

    def wait_for(self, stream: int | None) -> None:
        self.device.waited.append(("for", stream))

    def let_wait(self, stream: int) -> None:
        self.device.waited.append(("let", stream))

    def upload(self, address: int, host: Any) -> None:
        self.device.uploaded += host.nbytes
        super().upload(address, host)

    def download(self, host: Any, address: int) -> None:
        self.device.downloaded += host.nbytes
        super().download(host, address)

    def counters(self, count: int, limit: int = 0) -> int:
        address = super().counters(count, limit)
        known = np.ctypeslib.as_array((ctypes.c_uint32 * count).from_address(address))
        with self.device.driver.lock:  # no kernel of another thread is half done
            # What is queued may be what clears them.
            assert self.stream.queued or not known.any(), "a kernel left a counter behind"
        return address

    def launch(
        self, function: EmulatedFunction, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        values = [kind(value) for kind, value in zip(function.kinds, args, strict=True)]
        self.put(function, blocks, threads, values)

    def put(
        self, function: EmulatedFunction, blocks: int, threads: int, values: Sequence[Any]
    ) -> None:
        """Queue a kernel with what its parameters are."""
        self.device.launches += 1

        def run() -> None:
            pointers = (ctypes.c_void_p * len(values))(
                *(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values)
            )
            with _one_kernel:
                status = function.run(blocks, threads, pointers)
            wrong = {1: "a thread ended at a barrier", 2: "threads at two barriers"}
            assert status == 0, wrong[status]

        self.stream.put(run)

    def capture(self, queue: Callable[[Any], None]) -> Callable[[], None]:
        """Keep the queued work, with the memory that it works in, to do it again and again."""
        recorder = Recorder(self)
        with self.libraries.working_in(78):
            queue(recorder)
        recorder.check_joined()
        self.device.captures += 1
        graph = EmulatedGraph(self.device, recorder)
        self.graphs.add(graph)
        return graph


class EmulatedDevice:
    """What `lazyarr.runtime.cuda.driver.Device` is, without a GPU.

    Parameters
    ----------
    random : Random, optional
        Let work run late, in an order that this chooses; default: at once.
    warps : int, optional
        Let a warp go on alone until it waits for its block, the first one first (1) or the last
        (-1), so that what lacks a barrier shows, or the last lane, too (-2); default: all threads
        keep step.
    number : int, optional
        The device's among those of the process.
    """

    name = "emulated"
    architecture = "sm_90"
    identity = "emulated"
    total_bytes = 1 << 30
    l2_bytes = 6 << 10  # so small that rows of tests are fetched beforehand
    multiprocessors = 1
    shared_bytes = 227 << 10

    def __init__(self, random: Random | None = None, warps: int = 0, number: int = 0) -> None:
        self.number = number
        self.label = f"cuda:{number}" if number else "cuda"
        self.peer_bytes = 0
        self.memory = DeviceMemory()
        #: How often the context was made current in a thread.
        self.contexts = threading.local()
        self.allocations_by_address: dict[int, Any] = {}
        self.kernels = EmulatedKernels(warps)
        self.launches = 0
        self.captures = 0
        self.replays = 0
        self.waited: list[tuple[str, int | None]] = []
        self.retired: list[Callable[[], None]] = []
        self.uploaded = 0
        self.downloaded = 0
        self.staging = SimpleNamespace(least=1 << 62)
        self.ready_launches = EmulatedLauncher(self)
        self.launcher: Launcher | None = self.ready_launches.functions_of_the_driver
        self.driver = EmulatedDriver(random)
        self.main = EmulatedStream(self, self.driver)
        self.streams = [self.main]
        self.free_streams: list[EmulatedStream] = []

    @property
    def pool(self) -> DevicePool:
        return self.main.pool

    @property
    def libraries(self) -> Libraries:
        return self.main.libraries

    def stream(self) -> Any:
        return self.stream_of_thread()

    def stream_of_thread(self) -> Any:
        stream = chosen.get()
        return self.main if stream is None or stream.device is not self else stream

    def number_at(self, address: int) -> int:
        for device in driver.opened_devices():
            known = device.allocations_by_address  # type: ignore[attr-defined]
            if any(start <= address < start + memory.size for start, memory in known.items()):
                return device.number
        return self.number

    def copy_from(self, other: Any, stream: Any, to: int, source: int, nbytes: int) -> None:
        assert other is not self
        self.peer_bytes += nbytes
        stream.put(lambda: ctypes.memmove(to, source, nbytes) and None)

    def take_stream(self) -> EmulatedStream:
        if self.free_streams:
            return self.free_streams.pop()
        self.streams.append(EmulatedStream(self, self.driver))
        return self.streams[-1]

    def give_stream(self, stream: EmulatedStream) -> None:
        self.free_streams.append(stream)

    @contextmanager
    def current(self) -> Iterator[None]:
        self.contexts.depth = getattr(self.contexts, "depth", 0) + 1
        try:
            yield
        finally:
            self.contexts.depth -= 1

    def allocate(self, nbytes: int) -> int:
        memory = fresh_memory(nbytes + 256)
        start = memory.ctypes.data
        address = -(-start // 256) * 256
        self.allocations_by_address[address] = memory
        return address

    def page_locked(self, nbytes: int) -> Any:
        return fresh_memory(nbytes)

    def free(self, address: int) -> None:
        del self.allocations_by_address[address]

    def synchronize(self) -> None:
        for stream in self.streams:
            stream.synchronize()

    def synchronize_all(self) -> None:
        self.waited.append(("all", None))
        self.synchronize()

    def close_graphs(self) -> None:
        self.synchronize()

    def retire(self, function: Callable[[], None]) -> None:
        self.retired.append(function)

    def ready(self) -> bool:
        return not self.retired

    def part(self) -> None:
        while self.retired:
            self.retired.pop(0)()

    def prepare_libraries(self, names: Sequence[str]) -> None:
        self.stream().libraries.open_beside(names)

    def handle_of(self, function: EmulatedFunction, threads: int) -> int:
        return self.ready_launches.handle(function, threads)

    def figures(self) -> DeviceInfo:
        return device_info(self, 0)

    def info(self) -> CompileInfo:
        count = len(self.kernels.functions)
        return CompileInfo(count, 0, 0, 0.0, count)
