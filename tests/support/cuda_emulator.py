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
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from lazyarr.codegen.emit import cuda_syntax
from lazyarr.codegen.emit.cuda import SHARED
from lazyarr.core.config import Config
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.compile_info import CompileInfo
from lazyarr.runtime.cuda.device_info import DeviceInfo, device_info
from lazyarr.runtime.cuda.kernel_cache import formats_of
from lazyarr.runtime.cuda.launch_batch import Chain, Launcher, not_launched
from lazyarr.runtime.cuda.libraries.handles import Libraries
from lazyarr.runtime.cuda.memory_pool import DeviceMemory, DevicePool
from lazyarr.runtime.cuda.streams import DeviceStream, chosen
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
#define __noinline__
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
static int within[LARGEST];
static void meet(int line, int warp = 1) {
    const int own = threadIdx.x;
    where[own] = line;
    within[own] = warp;
    if (!_setjmp(places[own])) _longjmp(scheduler, 1);
    threadIdx.x = own;
}
#define __syncthreads() meet(__LINE__, 0)
static void __threadfence() {}
static float sine(float x) { return sinf(x); }
static float cosine(float x) { return cosf(x); }
static double exponential(double x) { return exp(x); }
static double cospi(double x) { return cos(M_PI * x); }
static float cospif(float x) { return cosf((float)M_PI * x); }
static void prefetch(const void* place) { (void)*(volatile const char*)place; }
template <class Vector> static void store_passing(Vector* place, Vector value) { *place = value; }
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
static void copy_ahead(unsigned char* to, const double* from, bool there) {
    if (there) memcpy(to, from, 16); else memset(to, 0, 16);
}
static void end_of_slice() {}
template <int left> static void await_slices() {}
// Of 16 x 8 results a lane has two in two rows; operands lie with four lanes beside one another.
static double rights[LARGEST][4], lefts[LARGEST][2];
template <class Pair>
static void multiply_add(double (&sums)[4], Pair right, Pair right4, double left, double left4) {
    const int own = threadIdx.x, first = own / 32 * 32, group = own % 32 / 4, place = own % 4;
    memcpy(rights[own], &right, 16);
    memcpy(rights[own] + 2, &right4, 16);
    lefts[own][0] = left;
    lefts[own][1] = left4;
    meet(__LINE__);
    for (int e = 0; e < 4; ++e) {
        for (int k = 0; k < 8; ++k) {
            const double a = rights[first + group * 4 + k % 4][k / 4 * 2 + e / 2];
            const double b = lefts[first + (place * 2 + e % 2) * 4 + k % 4][k / 4];
            sums[e] = fma(a, b, sums[e]);
        }
    }
    meet(__LINE__);
}
static double of(double x, int k) { return x; }
template <int n> static double of(const double (&x)[n], int k) { return x[k]; }
template <int n, class X, class Y>
static void divide_or(double (&found)[n], const X& x, const Y& y, bool& rare) {
    for (int k = 0; k < n; ++k) {
        found[k] = fabs(of(x, k)) < 1e200 && fabs(of(y, k)) > 1e-100 ? of(x, k) / of(y, k) : 77;
        rare |= found[k] == 77;
    }
}
template <int n, class X>
static void exp_or(double (&found)[n], const X& x, bool& rare) {
    for (int k = 0; k < n; ++k) {
        found[k] = fabs(of(x, k)) < 700 ? exp(of(x, k)) : 77;
        rare |= found[k] == 77;
    }
}
static float half_to_float(unsigned short half) { return (float)bits<_Float16>(half); }
static unsigned short float_to_half(float value) { return bits<unsigned short>((_Float16)value); }
static unsigned short double_to_half(double value) { return bits<unsigned short>((_Float16)value); }
"""

#: Helpers whose text is C++ as it is.
PLAIN = (
    "divisor",
    "load_some",
    "philox",
    "product_tile",
    "quotient",
    "remainder_of_doubles",
    "store_some",
    "tile_pair",
)

DRIVER = r"""
static void** arguments;
static void body() {
    kernel(CALL);
    ++finished;
    where[threadIdx.x] = -1;
    _longjmp(scheduler, 1);
}
static volatile int current, next_block, begun, warp, first, end;
extern "C" int run(int blocks, int threads, void** given) {
    if (!stacks) stacks = (char*)malloc((size_t)LARGEST * STACK);
    arguments = given;
    thread_count = threads;
    for (next_block = 0; next_block < blocks; ++next_block) {
        blockIdx.x = next_block;
        finished = 0;
        for (current = 0; current < threads; ++current) {
            threadIdx.x = current;
            parity[current] = 0;
            if (!_setjmp(scheduler)) {
                getcontext(&contexts[current]);
                contexts[current].uc_stack.ss_sp = stacks + (size_t)current * STACK;
                contexts[current].uc_stack.ss_size = STACK;
                contexts[current].uc_link = 0;
                makecontext(&contexts[current], body, 0);
                setcontext(&contexts[current]);
            }
        }
#ifdef WARPS
        // A warp goes on alone until it waits for the block: 1: the first goes first, -1: the last.
        for (begun = 0; finished < threads; begun = 1) {
            if (begun && finished) return 1;
            for (int k = 1; begun && k < threads; ++k) if (where[k] != where[0]) return 2;
            for (warp = 0; warp < (threads + 31) / 32; ++warp) {
                first = 32 * (WARPS > 0 ? warp : (threads + 31) / 32 - 1 - warp);
                end = first + 32 < threads ? first + 32 : threads;
                if (where[first] == -1 || (!begun && !within[first])) continue;
                do {
                    for (int k = first + 1; k < end; ++k) if (where[k] != where[first]) return 3;
                    for (current = first; current < end; ++current) {
                        if (!_setjmp(scheduler)) _longjmp(places[current], 1);
                    }
                } while (where[first] != -1 && within[first]);
            }
        }
#else
        while (finished < threads) {
            if (finished) return 1;
            for (int k = 1; k < threads; ++k) if (where[k] != where[0]) return 2;
            for (current = 0; current < threads; ++current) {
                if (!_setjmp(scheduler)) _longjmp(places[current], 1);
            }
        }
#endif
    }
    return 0;
}
"""


#: C's own headers: half of the time went into those of C++.
COMPILE = (
    "-std=c++17 -nostdinc++ -O1 -ffp-contract=off -fwrapv -fno-strict-aliasing "
    "-U_FORTIFY_SOURCE -w -fPIC"
).split()
#: Without the library of C++, which no kernel calls.
LIBRARIES = ("-lm", "-lc", "-lgcc")


def _kind(parameter: Parameter) -> Any:
    """Return the C type of an argument: float32 for a float16 that is no element of an array."""
    if parameter.pointer:
        return ctypes.c_void_p
    stored_dtype = np.dtype(np.float32) if parameter.dtype == np.float16 else parameter.dtype
    return np.ctypeslib.as_ctypes_type(stored_dtype)


class EmulatedFunction:
    """A kernel compiled for this CPU."""

    def __init__(self, library: ctypes.CDLL, source: Source) -> None:
        self.run = library.run
        self.shared_bytes = source.shared_bytes
        self.formats = formats_of(source.parameters)
        self.kinds = [_kind(p) for p in source.parameters]
        self.address = 0
        self.baseline = False


class EmulatedWork:
    """A stream of the driver: what is queued runs in order, at once or when somebody waits."""

    def __init__(self, driver: EmulatedDriver) -> None:
        self.driver = driver
        self.handle = 77 + len(driver.streams)
        self.queued: deque[Callable[[], None]] = deque()
        self.busy = False
        driver.streams.append(self)

    def put(self, function: Callable[[], None]) -> None:
        with self.driver.lock:
            self.queued.append(function)
            self.driver.progress(self)

    def step(self) -> None:
        self.queued.popleft()()

    def synchronize(self) -> None:
        with self.driver.lock:
            while self.queued:
                self.step()

    def wait_for_event(self, event: EmulatedEvent) -> None:
        self.put(event.place.synchronize)  # where it is now: it may be recorded again


class Place:
    """Where an event was recorded."""

    def __init__(self, stream: EmulatedWork | None) -> None:
        self.stream = stream
        self.done = stream is None

    def reached(self) -> None:
        self.done = True
        self.time = time.perf_counter()

    def synchronize(self) -> None:
        while not self.done:
            assert self.stream is not None
            with self.stream.driver.lock:
                if not self.done:
                    self.stream.step()


class EmulatedEvent:
    """A place in a stream, another one each time that it is recorded."""

    def __init__(self, flags: int = 0) -> None:
        self.place = Place(None)

    def record(self, stream: EmulatedWork) -> EmulatedEvent:
        self.place = Place(stream)
        stream.put(self.place.reached)
        return self

    def time_since(self, other: EmulatedEvent) -> float:
        return (self.place.time - other.place.time) * 1e3

    def query(self) -> bool:
        return self.place.done

    def synchronize(self) -> None:
        self.place.synchronize()


class EmulatedDriver:
    """What `pycuda.driver` is to a stream.

    With `random`, what is queued runs late, streams in an order that it chooses: only what waits
    for an event, or for a stream, finds its work done.
    """

    class event_flags:  # noqa: N801 - PyCUDA's name
        DISABLE_TIMING = 2

    Event = EmulatedEvent

    def __init__(self, random: Random | None = None) -> None:
        self.random = random
        self.streams: list[EmulatedWork] = []
        self.lock = threading.RLock()  # kernels have static variables: one runs at a time

    def Stream(self) -> EmulatedWork:  # noqa: N802 - PyCUDA's name
        return EmulatedWork(self)

    def progress(self, stream: EmulatedWork) -> None:
        if self.random is None:
            stream.synchronize()
        elif self.random.random() < 0.3:
            some = self.random.choice(self.streams)
            if some.queued:
                some.step()

    def memcpy_htod_async(self, address: int, host: Any, stream: EmulatedWork) -> None:
        data = host.tobytes()
        stream.put(lambda: ctypes.memmove(address, data, len(data)) and None)

    def memcpy_dtoh_async(self, host: Any, address: int, stream: EmulatedWork) -> None:
        stream.put(lambda: ctypes.memmove(host.ctypes.data, address, host.nbytes) and None)

    def memcpy_dtod_async(self, to: int, source: int, nbytes: int, stream: EmulatedWork) -> None:
        stream.put(lambda: ctypes.memmove(to, source, nbytes) and None)

    def memset_d8_async(self, address: int, value: int, nbytes: int, stream: EmulatedWork) -> None:
        stream.put(lambda: ctypes.memset(address, value, nbytes) and None)


class Recorder:
    """What `lazyarr.runtime.cuda.streams.Recorder` is: what is queued runs in the replay."""

    def __init__(self, queue: EmulatedStream) -> None:
        self.queue = queue
        self.pool = self
        self.compile = queue.compile
        self.counters = queue.counters
        self.kept: list[Any] = []
        self.queued: list[tuple[Any, Any]] = []
        recording = lambda *names: Recording(self, *names)  # noqa: E731 - three of one kind
        self.libraries = RecordedLibraries(queue.libraries, recording)

    def allocate(self, nbytes: int, limit: int = 0, origin: Any = None) -> Any:
        self.kept.append(self.queue.pool.allocate(nbytes, limit, origin))
        return self.kept[-1]

    def launch(self, *args: Any) -> None:
        self.queued.append((self.queue.launch, (*args[:3], list(args[3]))))

    def copy(self, *args: Any) -> None:
        self.queued.append((self.queue.copy, args))

    def clear(self, *args: Any) -> None:
        self.queued.append((self.queue.clear, args))


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
        with self.device.driver.lock:  # as a whole: nothing else comes between
            for function, args in self.recorder.queued:
                function(*args)
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
            status = function.run(blocks, threads, pointers)
            wrong = {1: "a thread ended at a barrier", 2: "threads at two barriers"}
            assert status == 0, wrong[status]

        self.stream.put(run)

    def capture(self, queue: Callable[[Any], None]) -> Callable[[], None]:
        """Keep what is queued, with the memory that it works in, to do it again and again."""
        recorder = Recorder(self)
        with self.libraries.working_in(78):
            queue(recorder)
        graph = EmulatedGraph(self.device, recorder)
        self.graphs.add(graph)
        return graph


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


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _compile(text: str, path: Path, options: Sequence[str], libraries: Sequence[str]) -> None:
    """Make a file of C++, whole or not at all: other threads and processes may make it too.

    Parameters
    ----------
    text : str
        The source.
    path : Path
        Of the file.
    options, libraries : sequence of str
        Arguments of the compiler, before the source and after it.
    """
    with tempfile.TemporaryDirectory() as folder:
        code, result = Path(folder) / "kernel.cpp", Path(folder) / "kernel.out"
        code.write_text(text)
        done = subprocess.run(
            ["g++", "-o", str(result), *options, str(code), *libraries],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{done.stderr}\n{text}"
        temporary = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        temporary.write_bytes(result.read_bytes())
        temporary.replace(path)


def _precompiled(folder: Path) -> Path:
    """Return the header that kernels begin with, which is compiled once for all of them."""
    header = folder / f"prelude-{_digest(PRELUDE)}.h"
    compiled = header.with_suffix(".h.gch")
    if not compiled.exists():
        # Nobody reads the header itself where it is there compiled.
        temporary = header.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        temporary.write_text(PRELUDE)
        temporary.replace(header)
        _compile(PRELUDE, compiled, [*COMPILE, "-x", "c++-header"], ())
    return header


class EmulatedKernels:
    """What `lazyarr.runtime.cuda.kernel_cache.DeviceKernels` is.

    Parameters
    ----------
    warps : int
        As of the device.
    """

    def __init__(self, warps: int) -> None:
        self._warps = warps
        self._folder = Path(os.environ.get("LAZYARR_TEST_CACHE") or tempfile.gettempdir())
        self.functions: dict[Source, EmulatedFunction] = {}
        #: Whether kernels come in the baseline tier.
        self.tiers = False
        #: Those that were asked for in the other tier.
        self.compile_requests: list[EmulatedFunction] = []

    def compile(self, source: Source, settings: Config) -> EmulatedFunction:
        result = self.functions.get(source)
        if result is None:
            result = EmulatedFunction(ctypes.CDLL(str(self.library(source))), source)
            result.baseline = self.tiers
            self.functions[source] = result
        return result

    def compile_all(self, sources: Sequence[Source], settings: Config) -> dict[Source, Any]:
        return {source: self.compile(source, settings) for source in sources}

    def compile_beside(self, source: Source, settings: Config) -> EmulatedFunction:
        return self.compile(source, settings)

    def tier_up(self, functions: Sequence[EmulatedFunction]) -> bool:
        self.compile_requests += [
            f for f in functions if f.baseline and f not in self.compile_requests
        ]
        return True

    def optimize(self, functions: Sequence[EmulatedFunction]) -> None:
        for function in functions:
            function.baseline = False

    def library(self, source: Source) -> Path:
        """Return the shared library of a source."""
        text = source.text
        for name, helper in cuda_syntax.HELPERS.items():
            if name not in PLAIN:
                text = text.replace(helper, "")
        memory = f"    alignas(128) static unsigned char shared[{source.shared_bytes}];"
        text = text.replace(SHARED, memory)
        casts = []
        for n, p in enumerate(source.parameters):
            kind = cuda_syntax.c_type(p.dtype)
            if p.pointer:
                kind = f"{cuda_syntax.memory_type(p.dtype)}*"
            casts.append(f"*({kind}*)arguments[{n}]")
        order = f"#define WARPS {self._warps}\n" if self._warps else ""
        whole = order + text + DRIVER.replace("CALL", ", ".join(casts))
        assert not re.search(r"\basm\b|#include <cu", text)
        path = self._folder / f"cuda-{_digest(PRELUDE + whole)}.so"
        if not path.exists():
            # Barriers are identified by their lines, the prelude's too.
            include = f'#include "{_precompiled(self._folder)}"\n#line 1000\n'
            _compile(include + whole, path, [*COMPILE, "-shared", "-nostdlib"], LIBRARIES)
        return path


class EmulatedDevice:
    """What `lazyarr.runtime.cuda.driver.Device` is, without a GPU.

    Parameters
    ----------
    random : Random, optional
        Let work run late, in an order that this chooses; default: at once.
    warps : int, optional
        Let a warp go on alone until it waits for its block, the first one first (1) or the last
        (-1), so that what lacks a barrier shows; default: all threads keep step.
    """

    name = "emulated"
    architecture = "sm_90"
    identity = "emulated"
    total_bytes = 1 << 30
    l2_bytes = 6 << 10  # so small that rows of tests are fetched beforehand
    multiprocessors = 1
    shared_bytes = 227 << 10

    def __init__(self, random: Random | None = None, warps: int = 0) -> None:
        self.memory = DeviceMemory()
        #: How often the context was made current in a thread.
        self.contexts = threading.local()
        self.allocations_by_address: dict[int, Any] = {}
        self.kernels = EmulatedKernels(warps)
        self.launches = 0
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
        return chosen.get() or self.main

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
        memory = np.full(nbytes + 256, 0xA5, np.uint8)  # fresh memory holds anything
        start = memory.ctypes.data
        address = -(-start // 256) * 256
        self.allocations_by_address[address] = memory
        return address

    def page_locked(self, nbytes: int) -> Any:
        return np.full(nbytes, 0xA5, np.uint8)

    def free(self, address: int) -> None:
        del self.allocations_by_address[address]

    def synchronize(self) -> None:
        for stream in self.streams:
            stream.synchronize()

    def synchronize_all(self) -> None:
        self.waited.append(("all", None))
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
