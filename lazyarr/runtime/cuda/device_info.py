"""Statistics of a GPU and its streams."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from lazyarr.core.frozen import dataclass
from lazyarr.runtime.compile_info import CompileInfo
from lazyarr.runtime.cuda.memory_pool import DeviceMemory, DevicePool, DevicePoolInfo

__all__ = ["DeviceInfo", "StreamInfo", "device_info"]


class _Libraries(Protocol):
    @property
    def plans(self) -> int: ...


class _Stream(Protocol):
    handle: int
    pool: DevicePool

    @property
    def libraries(self) -> _Libraries: ...

    @property
    def graphs(self) -> Collection[object]: ...


class _Device(Protocol):
    name: str
    memory: DeviceMemory

    @property
    def streams(self) -> Iterable[_Stream]: ...

    def info(self) -> CompileInfo: ...


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """The statistics of a stream.

    Attributes
    ----------
    handle : int
        By which other libraries know it.
    pool : DevicePoolInfo
        Its memory.
    graphs : int
        Plans that are queued in it as one CUDA graph.
    transforms : int
        Plans of Fourier transforms.
    """

    handle: int
    pool: DevicePoolInfo
    graphs: int
    transforms: int


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """The statistics of a GPU.

    Attributes
    ----------
    name : str
        As the driver has it.
    pool : DevicePoolInfo
        ``in_use``, ``peak`` and ``held`` bytes, and ``allocations``: calls of the driver; of all
        streams together.
    kernels : CompileInfo
        As of the CPU's kernels.
    graphs : int
        Plans that are queued as one CUDA graph.
    transforms : int
        Plans of Fourier transforms.
    page_locked : int
        Bytes of the host's memory that transfers go through.
    streams : tuple of StreamInfo
        The main one first, then those that ``lazyarr.stream`` has made.
    """

    name: str
    pool: DevicePoolInfo
    kernels: CompileInfo
    graphs: int
    transforms: int
    page_locked: int
    streams: tuple[StreamInfo, ...] = ()


def device_info(device: _Device, page_locked: int) -> DeviceInfo:
    """Return the figures of a device and its streams.

    Parameters
    ----------
    device : Device
        The device.
    page_locked : int
        Bytes of the host's memory that transfers go through.
    """
    streams = tuple(
        StreamInfo(stream.handle, stream.pool.info(), len(stream.graphs), stream.libraries.plans)
        for stream in list(device.streams)
    )
    return DeviceInfo(
        device.name,
        device.memory.info(),
        device.info(),
        sum(stream.graphs for stream in streams),
        sum(stream.transforms for stream in streams),
        page_locked,
        streams,
    )
