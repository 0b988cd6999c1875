"""Launches that lie ready: what C sees of them, and how a kernel's handle is found."""

from __future__ import annotations

import contextlib
import ctypes
import shutil
import struct
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda import launch_batch
from lazyarr.runtime.cuda.driver import Device
from lazyarr.runtime.cuda.launch_batch import Counters, Fixed, Kernel, Launches, Part, Place

#: The driver's functions, as its header declares them; what they were given is noted.
DRIVER = r"""
#include <string.h>
#include <stddef.h>
struct Params {
    void* func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void** kernelParams;
    void** extra;
    void* kern;
    void* ctx;
};
extern "C" {
unsigned numbers[8];
void* handles[6];
unsigned long long arguments[8];
int sizes[8], count, depth, reads, launches, ended;
int status[4];  // of the second node, of instantiating, reading and launching
void* pushed;
int nodes;
int cuCtxPushCurrent_v2(void* context) { pushed = context; ++depth; return 0; }
int cuCtxPopCurrent_v2(void** context) { *context = pushed; --depth; return 0; }
static void look(const Params* given) {
    memcpy(numbers, &given->gridDimX, 28);
    handles[0] = given->func, handles[1] = given->extra, handles[2] = given->kern;
    handles[3] = given->ctx;
    memset(arguments, 0, sizeof arguments);
    for (int k = 0; k < count; ++k) memcpy(arguments + k, given->kernelParams[k], sizes[k]);
}
int cuGraphCreate(void** graph, unsigned flags) {
    if (depth != 1 || flags) return 1;
    *graph = (void*)0x1111000011110000, nodes = 0;
    return 0;
}
int cuGraphAddKernelNode_v2(
    void** node, void* graph, void* const* before, size_t n, const Params* given) {
    if (depth != 1 || graph != (void*)0x1111000011110000) return 1;
    if (n != (nodes > 0) || (n && *before != (void*)(0x2222000022220000 + nodes))) return 1;
    if (nodes && status[0]) return status[0];
    *node = (void*)(0x2222000022220000 + ++nodes);
    return 0;
}
int cuGraphInstantiateWithFlags(void** ready, void* graph, unsigned long long flags) {
    if (depth != 1 || graph != (void*)0x1111000011110000 || flags) return 1;
    if (status[1]) return status[1];
    *ready = (void*)0x3333000033330000;
    return 0;
}
int cuGraphExecKernelNodeSetParams_v2(void* ready, void* node, const Params* given) {
    if (depth != 1 || ready != (void*)0x3333000033330000) return 201;
    if ((size_t)node - 0x2222000022220000 - 1 >= (size_t)nodes) return 1;
    if (status[2]) return status[2];
    if (node == (void*)0x2222000022220001) look(given);
    ++reads;
    return 0;
}
int cuGraphLaunch(void* ready, void* stream) {
    if (ready != (void*)0x3333000033330000) return 1;
    handles[4] = stream;
    ++launches;
    return status[3];
}
int cuGraphExecDestroy(void* ready) { ended += ready == (void*)0x3333000033330000; return 0; }
int cuGraphDestroy(void* graph) { ended += 10 * (graph == (void*)0x1111000011110000); return 0; }
}
"""


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ctypes.CDLL:
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    source, binary = tmp_path / "driver.cpp", tmp_path / "driver.so"
    source.write_text(DRIVER)
    subprocess.run(["g++", "-shared", "-fPIC", "-o", str(binary), str(source)], check=True)
    library = ctypes.CDLL(str(binary))
    monkeypatch.setattr(launch_batch, "driver_library", lambda: library)
    return library


class Stream:
    """A stream with counters at some address."""

    handle = 0x7766554433221100
    asked = 0

    def __init__(self) -> None:
        self.chains: set[Any] = set()
        self.retired: list[Any] = []
        self.device = SimpleNamespace(retire=self.retired.append)

    def counters(self, count: int, limit: int = 0) -> int:
        self.asked = count
        return 0xC0FFEE00


def number(library: ctypes.CDLL, name: str) -> Any:
    return ctypes.c_int.in_dll(library, name)


def arguments_of(library: ctypes.CDLL) -> list[int]:
    return list((ctypes.c_ulonglong * 8).in_dll(library, "arguments"))


def some_launches() -> Launches:
    launcher = launch_batch.launcher(0x1234567890)
    assert launcher is not None
    arguments = (
        Place(0, 0),
        Place(1, 640),
        Fixed(struct.pack("q", -3)),
        Fixed(struct.pack("i", 5)),
        Counters(40),
        Part(0, 0),
        Part(1, 8),
        Part(2, 0),
    )
    kernels = [
        Kernel(0x7FFF00001111, 70_000, 256, 49_153, arguments),
        Kernel(0x7FFF00002222, 1, 32, 0, (Place(1, 0),)),
    ]
    return Launches(
        launcher, kernels, 3, narrow={2: np.dtype(np.float16)}, aligned=[(Place(0, 0), 16)]
    )


SCALARS = (
    struct.pack("q", 77),
    np.complex128(1.5 - 2.5j).tobytes(),
    np.float16(0.25).tobytes(),
)


def test_what_the_driver_reads(driver: ctypes.CDLL) -> None:
    sizes = (ctypes.c_int * 8).in_dll(driver, "sizes")
    sizes[:] = [8, 8, 8, 4, 8, 8, 8, 4]
    number(driver, "count").value = 8
    launches = some_launches()
    stream: Any = Stream()
    places = ((1 << 46, 512), (1 << 46, 512), (1 << 45, 1024))
    for (first, second), reads in zip(places, (2, 2, 4), strict=True):
        assert launches.queue(stream, (first, second), SCALARS)
        imaginary = struct.unpack("Q", struct.pack("d", -2.5))[0]
        half = struct.unpack("I", struct.pack("f", 0.25))[0]
        expected = [first, second + 640, (1 << 64) - 3, 5, 0xC0FFEE00, 77, imaginary, half]
        assert arguments_of(driver) == expected
        assert number(driver, "reads").value == reads
    assert number(driver, "launches").value == 3
    numbers = list((ctypes.c_uint * 7).in_dll(driver, "numbers"))
    assert numbers == [70_000, 1, 1, 256, 1, 1, 49_153]
    handles = list((ctypes.c_void_p * 5).in_dll(driver, "handles"))
    assert handles == [0x7FFF00001111, None, None, None, stream.handle]
    assert ctypes.c_void_p.in_dll(driver, "pushed").value == 0x1234567890
    assert stream.asked == 40

    # A scalar is read by the kernel that has it.
    assert launches.queue(stream, (1 << 45, 1024), (struct.pack("q", 78), *SCALARS[1:]))
    assert arguments_of(driver)[5] == 78
    assert number(driver, "reads").value == 5
    assert not launches.queue(stream, ((1 << 45) + 8, 1024), SCALARS)
    assert number(driver, "launches").value == 4


def test_chains_are_given_back(driver: ctypes.CDLL) -> None:
    launches, stream = some_launches(), Stream()
    assert launches.queue(stream, (1 << 46, 512), SCALARS)
    (chain,) = stream.chains
    stream.chains.clear()
    del launches, chain
    assert number(driver, "ended").value == 0  # its kernels may still run
    (give_back,) = stream.retired
    give_back()
    assert number(driver, "ended").value == 11

    launches, stream = some_launches(), Stream()
    assert launches.queue(stream, (1 << 46, 512), SCALARS)
    for chain in stream.chains:
        chain.close()
    assert number(driver, "ended").value == 22
    stream.chains.clear()
    del launches, chain
    assert not stream.retired


@pytest.mark.parametrize(("fails", "ended"), [(0, 10), (1, 10), (2, 0), (3, 0)])
def test_a_driver_that_refuses(driver: ctypes.CDLL, fails: int, ended: int) -> None:
    launches, stream = some_launches(), Stream()
    status = (ctypes.c_int * 4).in_dll(driver, "status")
    status[fails] = 719
    with pytest.raises(DeviceError, match="launch kernels: error 719"):
        launches.queue(stream, (1 << 45, 1024), SCALARS)
    assert number(driver, "depth").value == 0
    assert number(driver, "ended").value == ended
    status[fails] = 0
    assert launches.queue(stream, (1 << 45, 1024), SCALARS)
    assert arguments_of(driver)[:1] == [0]  # nothing of them was looked at, but all was read:
    assert number(driver, "reads").value >= 2


@pytest.mark.parametrize("name", launch_batch._NEEDED)
def test_a_driver_without_a_function_is_told(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    functions = dict.fromkeys([*launch_batch._NEEDED, "cuCtxPushCurrent_v2"], int)
    library = SimpleNamespace(**functions, cuCtxPopCurrent_v2=int)
    monkeypatch.setattr(launch_batch, "driver_library", lambda: library)
    assert launch_batch.launcher(1) is not None
    delattr(library, name)
    assert launch_batch.launcher(1) is None


class Bindings:
    """The driver's bindings, as far as a graph of one kernel needs them."""

    CUstreamCaptureMode = SimpleNamespace(CU_STREAM_CAPTURE_MODE_RELAXED=2)

    def __init__(self, **changes: Any) -> None:
        self.called: list[tuple[Any, ...]] = []
        self.answers: dict[str, tuple[Any, ...]] = {
            "cuStreamBeginCapture": (0,),
            "cuStreamEndCapture": (0, "graph"),
            "cuGraphGetNodes": (0, ["node"], 1),
            "cuGraphKernelNodeGetParams": (0, SimpleNamespace(func=4711, kern=0)),
            "cuGraphDestroy": (0,),
        } | changes

    def CUstream(self, handle: int) -> int:  # noqa: N802 - the driver's name
        return handle

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> tuple[Any, ...]:
            self.called.append((name, *args))
            return self.answers[name]

        return call


def device_with(bindings: Bindings) -> Any:
    device: Any = Device.__new__(Device)
    device.bindings = bindings
    device._current = contextlib.nullcontext()
    device._cuda = SimpleNamespace(Stream=lambda: SimpleNamespace(handle=9), Error=RuntimeError)
    return device


def function_with(bindings: Bindings, fails: bool = False) -> Any:
    def start(grid: Any, block: Any, packed: bytes, shared: int, stream: Any) -> None:
        bindings.called.append(("start", grid, block, packed, shared, stream.handle))
        if fails:
            raise RuntimeError("cuLaunchKernel failed")

    pack = struct.Struct("Pd").pack
    return SimpleNamespace(
        address=None, formats=("P", "d"), pack=pack, start=start, shared_bytes=60_000
    )


def test_a_handle_is_that_of_a_launch_that_never_runs() -> None:
    bindings = Bindings()
    function, device = function_with(bindings), device_with(bindings)
    assert device.handle_of(function, 128) == 4711
    assert bindings.called == [
        ("cuStreamBeginCapture", 9, 2),
        ("start", (1, 1), (128, 1, 1), bytes(16), 60_000, 9),
        ("cuStreamEndCapture", 9),
        ("cuGraphGetNodes", "graph", 1),
        ("cuGraphKernelNodeGetParams", "node"),
        ("cuGraphDestroy", "graph"),
    ]
    assert device.handle_of(function, 128) == 4711
    assert len(bindings.called) == 6


@pytest.mark.parametrize(
    "bindings",
    [
        Bindings(cuStreamBeginCapture=(1,)),
        Bindings(cuGraphGetNodes=(1, [], 0)),
        Bindings(cuGraphKernelNodeGetParams=(1, None)),
        Bindings(cuGraphKernelNodeGetParams=(0, SimpleNamespace(func=0, kern=0))),
    ],
)
def test_a_handle_that_is_not_told_is_none(bindings: Bindings) -> None:
    assert device_with(bindings).handle_of(function_with(bindings), 128) == 0


def test_a_capture_ends_whatever_happens() -> None:
    bindings = Bindings()
    assert device_with(bindings).handle_of(function_with(bindings, fails=True), 128) == 0
    assert [name for name, *_ in bindings.called] == [
        "cuStreamBeginCapture",
        "start",
        "cuStreamEndCapture",
        "cuGraphDestroy",
    ]
