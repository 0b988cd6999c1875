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
from lazyarr.runtime import device_launches
from lazyarr.runtime.cuda import Device
from lazyarr.runtime.device_launches import Counters, Given, Kernel, Launches, Part, Place

#: The driver's functions, as its header declares them; what they were given is noted.
DRIVER = r"""
#include <string.h>
struct Config {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void* hStream;
    void* attrs;
    unsigned numAttrs;
};
extern "C" {
unsigned numbers[9];
void* handles[4];
unsigned long long arguments[8];
int sizes[8], count, status, depth;
void* pushed;
int cuCtxPushCurrent_v2(void* context) { pushed = context; ++depth; return 0; }
int cuCtxPopCurrent_v2(void** context) { *context = pushed; --depth; return 0; }
int cuLaunchKernelEx(const Config* given, void* function, void** params, void** extra) {
    if (depth != 1) return 201;
    memcpy(numbers, &given->gridDimX, 28);
    numbers[7] = given->numAttrs;
    handles[0] = given->hStream, handles[1] = given->attrs;
    handles[2] = function, handles[3] = extra;
    memset(arguments, 0, sizeof arguments);
    for (int k = 0; k < count; ++k) memcpy(arguments + k, params[k], sizes[k]);
    return status;
}
}
"""


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ctypes.CDLL:
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    source, made = tmp_path / "driver.cpp", tmp_path / "driver.so"
    source.write_text(DRIVER)
    subprocess.run(["g++", "-shared", "-fPIC", "-o", str(made), str(source)], check=True)
    library = ctypes.CDLL(str(made))
    monkeypatch.setattr(device_launches, "driver_library", lambda: library)
    return library


class Stream:
    """A stream with counters at some address."""

    handle = 0x7766554433221100
    asked = 0

    def counters(self, count: int, limit: int = 0) -> int:
        self.asked = count
        return 0xC0FFEE00


def given(library: ctypes.CDLL) -> list[int]:
    return list((ctypes.c_ulonglong * 8).in_dll(library, "arguments"))


def test_what_the_driver_reads(driver: ctypes.CDLL) -> None:
    launcher = device_launches.launcher(0x1234567890)
    assert launcher is not None
    kernel = Kernel(
        0x7FFF00001111,
        70_000,
        256,
        49_153,
        (
            Place(0, 0),
            Place(1, 640),
            Given(struct.pack("q", -3)),
            Given(struct.pack("i", 5)),
            Counters(40),
            Part(0, 0),
            Part(1, 8),
            Part(2, 0),
        ),
    )
    sizes = (ctypes.c_int * 8).in_dll(driver, "sizes")
    sizes[:] = [8, 8, 8, 4, 8, 8, 8, 4]
    ctypes.c_int.in_dll(driver, "count").value = 8
    launches = Launches(launcher, [kernel], 3, halves=[2], aligned=[(Place(0, 0), 16)])
    stream: Any = Stream()
    scalars = (
        struct.pack("q", 77),
        np.complex128(1.5 - 2.5j).tobytes(),
        np.float16(0.25).tobytes(),
    )
    for first, second in ((1 << 46, 512), (1 << 46, 512), (1 << 45, 1024)):
        assert launches.queue(stream, (first, second), scalars)
        imaginary = struct.unpack("Q", struct.pack("d", -2.5))[0]
        half = struct.unpack("I", struct.pack("f", 0.25))[0]
        expected = [first, second + 640, (1 << 64) - 3, 5, 0xC0FFEE00, 77, imaginary, half]
        assert given(driver) == expected
    numbers = list((ctypes.c_uint * 9).in_dll(driver, "numbers"))[:8]
    assert numbers == [70_000, 1, 1, 256, 1, 1, 49_153, 0]
    handles = list((ctypes.c_void_p * 4).in_dll(driver, "handles"))
    assert handles == [stream.handle, None, 0x7FFF00001111, None]
    assert ctypes.c_void_p.in_dll(driver, "pushed").value == 0x1234567890
    assert stream.asked == 40

    assert launches.queue(stream, (1 << 45, 1024), (struct.pack("q", 78), *scalars[1:]))
    assert given(driver)[5] == 78
    assert not launches.queue(stream, ((1 << 45) + 8, 1024), scalars)
    assert given(driver)[5] == 78
    ctypes.c_int.in_dll(driver, "status").value = 719
    with pytest.raises(DeviceError, match="launch a kernel: error 719"):
        launches.queue(stream, (1 << 45, 1024), scalars)
    assert ctypes.c_int.in_dll(driver, "depth").value == 0


def test_a_driver_without_the_function_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_launches, "driver_library", SimpleNamespace)
    assert device_launches.launcher(1) is None


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
