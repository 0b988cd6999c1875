"""Kernels of a plan that are queued one by one: each is a call of the driver, ready but for values.

To hand a kernel its arguments anew costs more of the host's time than the driver takes to queue it.
So they lie in memory of the host that the driver reads at each launch, and a run writes there what
has changed: addresses, if memory moved, and numbers.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np

from lazyarr.config import get_config
from lazyarr.errors import DeviceError
from lazyarr.values import dataclass

__all__ = [
    "Counters",
    "Given",
    "Kernel",
    "Launcher",
    "Launches",
    "Part",
    "Place",
    "driver_library",
    "launcher",
    "not_launched",
]

#: Bytes of the longest scalar, a complex number, and of everything else.
_SCALAR = 16
_WORD = 8


@dataclass(frozen=True, slots=True)
class Place:
    """An argument: the address that a run gives for a number of its own, plus an offset."""

    index: int
    offset: int


@dataclass(frozen=True, slots=True)
class Given:
    """An argument: the same bytes in every run."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Part:
    """An argument: what lies at an offset in a scalar of the run."""

    index: int
    offset: int


@dataclass(frozen=True, slots=True)
class Counters:
    """An argument: the address of so many of the stream's counters."""

    count: int


Argument: TypeAlias = Place | Given | Part | Counters


@dataclass(frozen=True, slots=True)
class Kernel:
    """One launch.

    Attributes
    ----------
    handle : int
        The driver's ``CUfunction``.
    blocks, threads, shared_bytes : int
        As the driver is given them.
    arguments : tuple of Argument
        One a parameter.
    """

    handle: int
    blocks: int
    threads: int
    shared_bytes: int
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Launcher:
    """Functions of the driver that return its status.

    Attributes
    ----------
    launch : callable
        ``cuLaunchKernelEx``: configuration, function, pointers to arguments, None.
    push, pop : callable
        Make the device's context that of the thread, and the one before that again.
    """

    launch: Any
    push: Callable[[], int]
    pop: Callable[[], int]


class _Configuration(ctypes.Structure):
    """The driver's ``CUlaunchConfig``."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("attribute_count", ctypes.c_uint),
    )


class _Ready:
    """The calls of one run in one stream, and the memory that they read. One thread has it."""

    __slots__ = ("calls", "kept", "pack_places", "pack_scalars", "places", "scalars")

    calls: tuple[Callable[[], int], ...]
    #: Writes the addresses, and the scalars.
    pack_places: Callable[..., None]
    pack_scalars: Callable[..., None]
    #: What they were written for; None while they are being written.
    places: tuple[int, ...] | None
    scalars: tuple[bytes, ...] | None
    kept: list[object]


class Launches:
    """The kernels of a plan, queued one after another. Safe to use from many threads at once.

    Parameters
    ----------
    launcher : Launcher
        The driver.
    kernels : sequence of Kernel
        In order.
    scalars : int
        How many a run gives.
    halves : sequence of int
        Which of them are float16: kernels take those as float32.
    aligned : sequence of (Place, int)
        Addresses that must be multiples of the number beside them.
    """

    def __init__(
        self,
        launcher: Launcher,
        kernels: Sequence[Kernel],
        scalars: int,
        halves: Sequence[int] = (),
        aligned: Sequence[tuple[Place, int]] = (),
    ) -> None:
        self._launcher = launcher
        self._kernels = tuple(kernels)
        self._scalar_count = scalars
        self._halves = tuple(halves)
        self._aligned = tuple([(place.index, place.offset, n) for place, n in aligned])
        arguments = [argument for kernel in kernels for argument in kernel.arguments]
        places = [argument for argument in arguments if isinstance(argument, Place)]
        self._places = tuple([(place.index, place.offset) for place in dict.fromkeys(places)])
        counted = [argument.count for argument in arguments if isinstance(argument, Counters)]
        self._counters = max(counted, default=0)
        # A call of the driver lets other threads come between, so each run has what is its own.
        self._shelves: dict[object, list[_Ready]] = {}

    def queue(self, stream: Any, places: tuple[int, ...], scalars: tuple[bytes, ...]) -> bool:
        """Queue all kernels; False if an address is not aligned, and nothing was queued.

        Parameters
        ----------
        stream : DeviceStream
            Where.
        places : tuple of int
            Addresses that the kernels work at.
        scalars : tuple of bytes
            Numbers, as they lie in memory.

        Raises
        ------
        DeviceError
            If the driver refuses one of them.
        """
        shelf = self._shelves.get(stream)
        if shelf is None:
            shelf = self._shelves.setdefault(stream, [])
        try:
            ready = shelf.pop()
        except IndexError:
            ready = self._made(stream)
        if ready.places != places:
            for index, offset, nbytes in self._aligned:
                if (places[index] + offset) % nbytes:
                    shelf.append(ready)
                    return False
            ready.places = None
            ready.pack_places(*[places[index] + offset for index, offset in self._places])
            ready.places = places
        if ready.scalars != scalars:
            ready.scalars = None
            ready.pack_scalars(*(self._widened(scalars) if self._halves else scalars))
            ready.scalars = scalars
        launcher = self._launcher
        status = launcher.push()
        if status:
            raise not_launched(status, "a kernel")
        try:
            for call in ready.calls:
                status = call()
                if status:
                    raise not_launched(status, "a kernel")
        finally:
            launcher.pop()
        shelf.append(ready)
        return True

    def _widened(self, scalars: tuple[bytes, ...]) -> list[bytes]:
        """Return the scalars as kernels take them."""
        found = list(scalars)
        for index in self._halves:
            found[index] = np.frombuffer(found[index], np.float16).astype(np.float32).tobytes()
        return found

    def _made(self, stream: Any) -> _Ready:
        """Return calls that are ready but for addresses and scalars."""
        given = [argument for kernel in self._kernels for argument in kernel.arguments]
        fixed = [argument.data for argument in dict.fromkeys(given) if isinstance(argument, Given)]
        counters = 0
        if self._counters:
            counters = stream.counters(self._counters, get_config().memory_limit)
        # Addresses, what never changes, the counters' address, and scalars.
        place_of = {place: _WORD * k for k, place in enumerate(self._places)}
        start = _WORD * len(place_of)
        fixed_at = {data: start + _WORD * k for k, data in enumerate(fixed)}
        counters_at = start + _WORD * len(fixed)
        scalars_at = counters_at + _WORD
        nbytes = scalars_at + _SCALAR * self._scalar_count
        storage = (ctypes.c_uint64 * -(-nbytes // _WORD))()
        for data, where in fixed_at.items():
            struct.pack_into(f"={_WORD}s", storage, where, data)
        struct.pack_into("=Q", storage, counters_at, counters)
        first = ctypes.addressof(storage)

        def where_is(argument: Argument) -> int:
            match argument:
                case Place(index, offset):
                    return first + place_of[index, offset]
                case Given(data):
                    return first + fixed_at[data]
                case Part(index, offset):
                    return first + scalars_at + _SCALAR * index + offset
                case Counters():
                    return first + counters_at

        made = _Ready()
        made.kept = [storage]
        calls: list[Callable[[], int]] = []
        for kernel in self._kernels:
            pointers = [where_is(argument) for argument in kernel.arguments]
            array = (ctypes.c_void_p * len(pointers))(*pointers)
            configuration = _Configuration(
                (kernel.blocks, 1, 1), (kernel.threads, 1, 1), kernel.shared_bytes, stream.handle
            )
            made.kept += array, configuration
            values = ctypes.addressof(configuration), kernel.handle, ctypes.addressof(array), None
            # As ctypes would hand them over: to make that takes it as long as the rest of a call.
            calls.append(partial(self._launcher.launch, *map(ctypes.c_void_p.from_param, values)))
        made.calls = tuple(calls)
        addresses = struct.Struct(f"={len(place_of)}Q")
        scalars = struct.Struct("=" + f"{_SCALAR}s" * self._scalar_count)
        made.pack_places = partial(addresses.pack_into, storage, 0)
        made.pack_scalars = partial(scalars.pack_into, storage, scalars_at)
        made.places = made.scalars = None
        return made


def not_launched(status: int, what: str = "a graph") -> DeviceError:
    """Return what to raise if something was not queued."""
    return DeviceError(f"the CUDA driver failed to launch {what}: error {status}")


@cache
def driver_library() -> ctypes.CDLL:
    """Return the driver's functions themselves. The GIL is free in a call: a full queue blocks."""
    return ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")


def launcher(context: int) -> Launcher | None:
    """Return what queues kernels in a context, by its handle; None if the driver is too old."""
    library = driver_library()
    launch = getattr(library, "cuLaunchKernelEx", None)
    if launch is None:
        return None
    push, pop = library.cuCtxPushCurrent_v2, library.cuCtxPopCurrent_v2
    for function in (launch, push, pop):
        function.restype = ctypes.c_int
    popped = ctypes.c_void_p()  # always the same, whoever writes it
    return Launcher(
        launch,
        partial(push, ctypes.c_void_p.from_param(context)),
        partial(pop, ctypes.byref(popped)),
    )
