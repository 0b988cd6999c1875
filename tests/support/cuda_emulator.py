"""A CUDA device on the CPU, for the logic of generated kernels where there is no GPU.

The text of a kernel is compiled as C++. The threads of a block are coroutines that meet at every
barrier and every shuffle; a block whose threads do not meet at the same places is an error, as it
would be on a GPU. Blocks run one after another.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lazyarr.codegen import cuda_text
from lazyarr.config import Config
from lazyarr.runtime.cpu import CompileInfo
from lazyarr.runtime.cuda import DeviceInfo
from lazyarr.runtime.device_memory import DeviceArray, DevicePool, extent
from lazyarr.runtime.libraries.handles import Libraries
from lazyarr.runtime.source import Source
from tests.support.nvmath_emulator import bindings

PRELUDE = r"""
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#define __device__
#define __global__
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)
#define __shared__ static
#define __align__(n) alignas(n)
struct Place { int x; };
static Place threadIdx, blockIdx;
static int thread_count, finished;
static const int LARGEST = 1024, STACK = 1 << 16;
static jmp_buf scheduler, places[LARGEST];
static ucontext_t contexts[LARGEST], origin;
static char* stacks;
static int where[LARGEST], parity[LARGEST];
static unsigned char slots[2][LARGEST][8];
static void meet(int line) {
    const int own = threadIdx.x;
    where[own] = line;
    if (!_setjmp(places[own])) _longjmp(scheduler, 1);
    threadIdx.x = own;
}
#define __syncthreads() meet(__LINE__)
static void __threadfence() {}
template <class T> static T shuffle(T value, int other_lane, int line) {
    const int own = threadIdx.x, side = parity[own];
    parity[own] ^= 1;
    memcpy(slots[side][own], &value, sizeof value);
    meet(line);
    T other;
    memcpy(&other, slots[side][other_lane], sizeof other);
    return other;
}
static int lane_above(int distance, int lanes) {
    return threadIdx.x % lanes < distance ? threadIdx.x : threadIdx.x - distance;
}
static int lane_at(int number, int lanes) {
    return threadIdx.x / lanes * lanes + (unsigned int)number % lanes;
}
#define __shfl_xor_sync(mask, value, distance) shuffle(value, threadIdx.x ^ (distance), __LINE__)
#define __shfl_up_sync(mask, value, ...) SHUFFLED(value, lane_above, __VA_ARGS__, 32, 0)
#define __shfl_sync(mask, value, ...) SHUFFLED(value, lane_at, __VA_ARGS__, 32, 0)
#define SHUFFLED(value, find, number, lanes, ...) shuffle(value, find(number, lanes), __LINE__)
template <class T> static unsigned int match(T value, int line) {
    const int own = threadIdx.x, side = parity[own];
    parity[own] ^= 1;
    memcpy(&slots[side][own], &value, sizeof value);
    meet(line);
    unsigned int equal = 0;
    for (int k = 0; k < 32; ++k) {
        if (!memcmp(slots[side][own / 32 * 32 + k], &value, sizeof value)) equal |= 1U << k;
    }
    return equal;
}
#define __match_any_sync(mask, value) match(value, __LINE__)
static unsigned int ballot(bool value, int line) {
    const unsigned int equal = match(value, line);
    return value ? equal : ~equal;
}
#define __ballot_sync(mask, value) ballot(value, __LINE__)
#define __syncwarp() meet(__LINE__)
#define __popc(x) __builtin_popcount(x)
static unsigned int atomicAdd(unsigned int* counter, unsigned int value) {
    const unsigned int old = *counter;
    *counter += value;
    return old;
}
static unsigned int atomicInc(unsigned int* counter, unsigned int most) {
    const unsigned int old = *counter;
    *counter = old >= most ? 0 : old + 1;
    return old;
}
template <class To, class From> static To bits(From from) {
    To to;
    static_assert(sizeof to == sizeof from, "");
    memcpy(&to, &from, sizeof to);
    return to;
}
#define __int_as_float(x) bits<float, int>((int)(x))
#define __float_as_int(x) bits<int, float>(x)
#define __longlong_as_double(x) bits<double, long long>((long long)(x))
#define __double_as_longlong(x) bits<long long, double>(x)
static float half_to_float(unsigned short half) { return (float)bits<_Float16>(half); }
static unsigned short float_to_half(float value) { return bits<unsigned short>((_Float16)value); }
static unsigned short double_to_half(double value) { return bits<unsigned short>((_Float16)value); }
"""

DRIVER = r"""
static void** arguments;
static void body() {
    kernel(CALL);
    ++finished;
    where[threadIdx.x] = -1;
    _longjmp(scheduler, 1);
}
static volatile int turn, next_block;
extern "C" int run(int blocks, int threads, void** given) {
    if (!stacks) stacks = (char*)malloc((size_t)LARGEST * STACK);
    arguments = given;
    thread_count = threads;
    for (next_block = 0; next_block < blocks; ++next_block) {
        blockIdx.x = next_block;
        finished = 0;
        for (turn = 0; turn < threads; ++turn) {
            threadIdx.x = turn;
            parity[turn] = 0;
            if (!_setjmp(scheduler)) {
                getcontext(&contexts[turn]);
                contexts[turn].uc_stack.ss_sp = stacks + (size_t)turn * STACK;
                contexts[turn].uc_stack.ss_size = STACK;
                contexts[turn].uc_link = 0;
                makecontext(&contexts[turn], body, 0);
                setcontext(&contexts[turn]);
            }
        }
        while (finished < threads) {
            if (finished) return 1;
            for (int k = 1; k < threads; ++k) if (where[k] != where[0]) return 2;
            for (turn = 0; turn < threads; ++turn) {
                if (!_setjmp(scheduler)) _longjmp(places[turn], 1);
            }
        }
    }
    return 0;
}
"""


class EmulatedFunction:
    """A kernel compiled for this CPU."""

    def __init__(self, library: ctypes.CDLL, source: Source) -> None:
        self.run = library.run
        self.kinds = [
            ctypes.c_void_p if p.pointer else np.ctypeslib.as_ctypes_type(p.dtype)
            for p in source.parameters
        ]


class Recorder:
    """What `lazyarr.runtime.cuda.Recorder` is: nothing that is queued runs before the replay."""

    def __init__(self, device: EmulatedDevice) -> None:
        self.device = device
        self.pool = self
        self.libraries = device.libraries
        self.compile = device.compile
        self.kept: list[Any] = []
        self.queued: list[tuple[Any, Any]] = []
        recording = lambda *names: Recording(self, *names)  # noqa: E731 - three of one kind
        self.libraries = RecordedLibraries(device.libraries, recording)

    def allocate(self, nbytes: int, limit: int = 0, origin: Any = None) -> Any:
        self.kept.append(self.device.pool.allocate(nbytes, limit, origin))
        return self.kept[-1]

    def launch(self, *args: Any) -> None:
        self.queued.append((self.device.launch, (*args[:3], list(args[3]))))

    def copy(self, *args: Any) -> None:
        self.queued.append((self.device.copy, args))

    def clear(self, *args: Any) -> None:
        self.queued.append((self.device.clear, args))


class RecordedLibraries:
    """Libraries whose calls are kept for the replay."""

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

    def plan(self, *args: Any) -> tuple[Any, int, int]:
        module, plan, nbytes = self.libraries.plan(*args)
        return self.recorded(module), plan, nbytes


class Recording:
    """Bindings whose functions, or only the named one, are kept for the replay."""

    def __init__(self, recorder: Recorder, module: Any, only: str = "") -> None:
        self.recorder = recorder
        self.module = module
        self.only = only

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.module, name)
        if self.only not in ("", name):
            return function
        return lambda *args: self.recorder.queued.append((function, args))


class EmulatedDevice:
    """What `lazyarr.runtime.cuda.Device` is, without a GPU."""

    name = "emulated"
    architecture = "sm_90"

    def __init__(self) -> None:
        self.pool = DevicePool(self)
        self.memory: dict[int, Any] = {}
        self.functions: dict[Source, EmulatedFunction] = {}
        self.folder = Path(os.environ.get("LAZYARR_TEST_CACHE") or tempfile.gettempdir())
        self.launches = 0
        self.replays = 0
        self._counters: Any = None
        self.libraries = Libraries(self, bindings)
        self.stream_handle = 77
        self.waited: list[tuple[str, int | None]] = []
        self.retired: list[Callable[[], None]] = []
        self.uploaded = 0
        self.downloaded = 0

    @contextmanager
    def current(self) -> Iterator[None]:
        yield

    def allocate(self, nbytes: int) -> int:
        memory = np.full(nbytes + 256, 0xA5, np.uint8)  # fresh memory holds anything
        start = memory.ctypes.data
        address = -(-start // 256) * 256
        self.memory[address] = memory
        return address

    def free(self, address: int) -> None:
        del self.memory[address]

    def upload(self, address: int, host: Any) -> None:
        self.uploaded += host.nbytes
        ctypes.memmove(address, host.ctypes.data, host.nbytes)

    def download(self, host: Any, address: int) -> None:
        self.downloaded += host.nbytes
        ctypes.memmove(host.ctypes.data, address, host.nbytes)

    def copy(self, to: int, source: int, nbytes: int) -> None:
        ctypes.memmove(to, source, nbytes)

    def clear(self, address: int, nbytes: int) -> None:
        ctypes.memset(address, 0, nbytes)

    def duplicate(self, array: DeviceArray) -> DeviceArray:
        low, high = extent(array.shape, array.strides, array.itemsize)
        block = self.pool.allocate(high - low)
        self.copy(block.address, array.address + low, high - low)
        return DeviceArray(
            block.address - low, array.shape, array.dtype, array.strides, block, self
        )

    def counters(self, count: int) -> int:
        if self._counters is None or self._counters.size < count:
            self._counters = np.zeros(max(count, 1 << 12), np.uint32)
        assert not self._counters.any(), "a kernel left a counter behind"
        return int(self._counters.ctypes.data)

    def synchronize(self) -> None:
        pass

    def synchronize_all(self) -> None:
        self.waited.append(("all", None))

    def wait_for(self, stream: int | None) -> None:
        self.waited.append(("for", stream))

    def let_wait(self, stream: int) -> None:
        self.waited.append(("let", stream))

    def retire(self, function: Callable[[], None]) -> None:
        self.retired.append(function)

    def part(self) -> None:
        while self.retired:
            self.retired.pop(0)()

    def compile(self, source: Source, settings: Config) -> EmulatedFunction:
        found = self.functions.get(source)
        if found is None:
            found = EmulatedFunction(ctypes.CDLL(str(self.library(source))), source)
            self.functions[source] = found
        return found

    def library(self, source: Source) -> Path:
        """Return the shared library of a source."""
        text = source.text
        for helper in cuda_text.HELPERS.values():
            text = text.replace(helper, "")
        casts = []
        for n, p in enumerate(source.parameters):
            kind = cuda_text.c_type(p.dtype)
            if p.pointer:
                kind = f"{cuda_text.memory_type(p.dtype)}*"
            casts.append(f"*({kind}*)arguments[{n}]")
        whole = PRELUDE + text + DRIVER.replace("CALL", ", ".join(casts))
        assert not re.search(r"\basm\b|#include <cu", text)
        path = self.folder / f"cuda-{hashlib.sha256(whole.encode()).hexdigest()[:24]}.so"
        if not path.exists():
            with tempfile.TemporaryDirectory() as folder:
                code = Path(folder) / "kernel.cpp"
                code.write_text(whole)
                made = Path(folder) / "kernel.so"
                command = "g++ -std=c++17 -O1 -ffp-contract=off -fwrapv -fno-strict-aliasing"
                command += " -U_FORTIFY_SOURCE -w -shared -fPIC -o"
                done = subprocess.run(
                    [*command.split(), str(made), str(code)],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, f"{done.stderr}\n{text}"
                temporary = path.with_suffix(f".{os.getpid()}")
                temporary.write_bytes(made.read_bytes())
                temporary.replace(path)
        return path

    def launch(
        self, function: EmulatedFunction, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        self.launches += 1
        values = [kind(value) for kind, value in zip(function.kinds, args, strict=True)]
        pointers = (ctypes.c_void_p * len(values))(
            *(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values)
        )
        status = function.run(blocks, threads, pointers)
        assert status == 0, {1: "a thread ended at a barrier", 2: "threads at two barriers"}[status]

    def capture(self, queue: Callable[[Any], None]) -> Callable[[], None]:
        """Keep what is queued, with the memory that it works in, to do it again and again."""
        recorder = Recorder(self)
        with self.libraries.working_in(78):
            queue(recorder)

        def replay() -> None:
            self.replays += 1
            for function, args in recorder.queued:
                function(*args)

        return replay

    def figures(self) -> DeviceInfo:
        pool = self.pool.info()
        return DeviceInfo(self.name, pool, self.info(), 0, self.libraries.plans, 0)

    def info(self) -> CompileInfo:
        return CompileInfo(len(self.functions), 0, 0, 0.0, len(self.functions))
