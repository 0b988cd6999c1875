"""The driver's functions for chains of kernels, which read arguments when they are launched."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lazyarr.runtime.cuda.launch_batch import Chain, Launcher
from tests.support.emulated_kernels import EmulatedFunction

if TYPE_CHECKING:
    from tests.support.cuda_emulator import EmulatedDevice, EmulatedStream


class Parameters(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS, as the driver's header has it."""

    _fields_ = (
        ("func", ctypes.c_void_p),
        ("gridDimX", ctypes.c_uint),
        ("gridDimY", ctypes.c_uint),
        ("gridDimZ", ctypes.c_uint),
        ("blockDimX", ctypes.c_uint),
        ("blockDimY", ctypes.c_uint),
        ("blockDimZ", ctypes.c_uint),
        ("sharedMemBytes", ctypes.c_uint),
        ("kernelParams", ctypes.c_void_p),
        ("extra", ctypes.c_void_p),
        ("kern", ctypes.c_void_p),
        ("ctx", ctypes.c_void_p),
    )


class EmulatedLauncher:
    """What the driver does with chains of kernels: arguments are read when it is asked to.

    Attributes
    ----------
    launches : int
        How many kernels came this way.
    reads : int
        How often the arguments of one were read anew.
    chains_created, chains_released : int
        How many chains there were, and are no more.
    fail : callable, optional
        Returns the status of a call, by what it does: "read" or "launch".
    """

    def __init__(self, device: EmulatedDevice) -> None:
        self.device = device
        self.launches = self.reads = self.chains_created = self.chains_released = 0
        self.fail: Callable[[str], int] | None = None
        self.depths = threading.local()
        #: By what is the handle of a kernel.
        self.functions: dict[int, tuple[EmulatedFunction, int]] = {}
        self.functions_of_the_driver = Launcher(self.chain, self.push, self.pop)

    def push(self) -> int:
        self.depths.depth = getattr(self.depths, "depth", 0) + 1
        return 0

    def pop(self) -> int:
        self.depths.depth -= 1
        return 0

    def handle(self, function: EmulatedFunction, threads: int) -> int:
        if not function.address:
            function.address = 0x7F00_0000_1000 + 0x100 * len(self.functions)
            self.functions[function.address] = function, threads
        return function.address

    def chain(self, stream: EmulatedStream, parameters: Sequence[Any]) -> Chain:
        assert self.depths.depth, "no context is current"
        places = [ctypes.addressof(one) for one in parameters]
        nodes = [self.node(place) for place in places]

        def read(index: int) -> int:
            if not self.depths.depth:
                return 201  # CUDA_ERROR_INVALID_CONTEXT
            if self.fail is not None and (status := self.fail("read")):
                return status
            nodes[index] = self.node(places[index])
            self.reads += 1
            return 0

        def launch() -> int:
            if self.fail is not None and (status := self.fail("launch")):
                return status
            with self.device.driver.lock:  # as a whole: nothing else comes between
                for function, blocks, threads, values in nodes:
                    self.launches += 1
                    stream.put(function, blocks, threads, values)
            return 0

        def give_back() -> None:
            nodes.clear()
            self.chains_released += 1

        self.chains_created += 1
        return Chain(stream, launch, [partial(read, k) for k in range(len(nodes))], give_back)

    def node(self, place: int) -> tuple[EmulatedFunction, int, int, list[Any]]:
        """Return the present arguments of a kernel."""
        result = Parameters.from_address(place)
        function, threads = self.functions[result.func]
        assert (result.gridDimY, result.gridDimZ) == (1, 1)
        assert (result.blockDimX, result.blockDimY, result.blockDimZ) == (threads, 1, 1)
        assert result.sharedMemBytes == function.shared_bytes
        assert (result.extra, result.kern, result.ctx) == (None, None, None)
        pointers = (ctypes.c_void_p * len(function.kinds)).from_address(result.kernelParams)
        values = [
            kind.from_buffer_copy(ctypes.string_at(pointer, ctypes.sizeof(kind)))
            for kind, pointer in zip(function.kinds, pointers, strict=True)
        ]
        return function, result.gridDimX, threads, values
