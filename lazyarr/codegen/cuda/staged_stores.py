"""Stores by way of shared memory, for threads with several vectors of one output side by side.

Columns that are joined, ``stack([x, y, z], axis=-1)``, leave a thread with vectors next to each
other. Stored at once, the vectors of a warp lie apart, each in a part of a sector. So a block
collects the tiles of its threads, and neighbouring threads store neighbouring vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.tile_schedule import Run, TileSchedule
from lazyarr.codegen.device_tilings import RegisterTiling
from lazyarr.codegen.loop_nest import Access, Frame
from lazyarr.core.frozen import dataclass, replace
from lazyarr.loop_ir.kernel import Operand, Pointer
from lazyarr.loop_ir.threads import Barrier

__all__ = ["StagedStores", "StagedTiles", "find_staged_stores", "staged_bytes"]

#: An output and the strides of what is stored in it.
Pattern = tuple[object, tuple[int, ...]]


@dataclass(frozen=True, eq=False, slots=True)
class StagedStores:
    """The stores of a tile to one output that go by way of shared memory.

    Attributes
    ----------
    place : Access
        Of the tile's first element.
    dtype : numpy.dtype
        Of all.
    elements, width : int
        Of a tile, and of a vector of it.
    """

    place: Access
    dtype: np.dtype
    elements: int
    width: int


def find_staged_stores(
    low: DeviceLowering, frame: Frame, tiling: RegisterTiling, schedule: TileSchedule
) -> dict[Pattern, StagedStores]:
    """Return the stores that go by way of shared memory, by output and strides.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain.
    tiling : RegisterTiling
        How they are cut.
    schedule : TileSchedule
        What a thread stores.
    """
    if not schedule.interleaved or not _is_counted_through(frame, tiling):
        return {}
    if any(schedule.room(n, frame) is not None for n in range(len(schedule.streams))):
        return {}  # a tile in the middle of others may be stored element by element
    runs: dict[Pattern, list[Run]] = {}
    stores: dict[Pattern, tuple[int, Access]] = {}
    for (p, _), run in schedule.runs.items():
        place = low.stores[p][1]
        pattern = place.owner, place.strides
        stores.setdefault(pattern, low.stores[p])
        runs.setdefault(pattern, []).append(run)
    staged: dict[Pattern, StagedStores] = {}
    for pattern, some in runs.items():
        term, place = stores[pattern]
        elements = tiling.width * frame.axes[-1].stride(place.strides)
        first, width = some[0].origin, len(some[0].elements)
        whole = all(len(run.elements) == width for run in some) and len(some) * width == elements
        whole &= all(0 <= run.address - first <= elements - width for run in some)
        if len(some) > 1 and whole and _is_contiguous(frame, place):
            first_place = replace(place, offset=first)
            staged[pattern] = StagedStores(first_place, low.terms[term].dtype, elements, width)
    nbytes = staged_bytes(staged, tiling.threads)
    return staged if nbytes <= tuning.row().tile_staged_bytes else {}


def staged_bytes(staged: Mapping[Pattern, StagedStores], threads: int) -> int:
    """Return the bytes of shared memory of a block.

    Parameters
    ----------
    staged : mapping
        The stores.
    threads : int
        Of a block.
    """
    return sum(threads * each.elements * each.dtype.itemsize for each in staged.values())


def _is_counted_through(frame: Frame, tiling: RegisterTiling) -> bool:
    """Return whether the tiles of neighbouring threads follow one another."""
    if len(frame.axes) == 1:
        return tiling.across in (0, tiling.threads)
    return not tiling.across and not frame.axes[-1].size % tiling.width


def _is_contiguous(frame: Frame, place: Access) -> bool:
    """Return whether the stores of all loops are to contiguous memory."""
    stride = frame.axes[-1].stride(place.strides)
    for axis in reversed(frame.axes):
        if axis.stride(place.strides) != stride:
            return False
        stride *= axis.size
    return True


class StagedTiles:
    """The code of stores by way of shared memory.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain.
    tiling : RegisterTiling
        How they are cut.
    schedule : TileSchedule
        What a thread stores.
    here : tuple of Operand
        The block, and the thread of it.
    """

    def __init__(
        self,
        low: DeviceLowering,
        frame: Frame,
        tiling: RegisterTiling,
        schedule: TileSchedule,
        here: tuple[Operand, Operand],
    ) -> None:
        self._low, self._tiling = low, tiling
        self._block, self._thread = here
        self._staged = find_staged_stores(low, frame, tiling, schedule)
        self._tiles = frame.size // frame.axes[-1].size * (frame.axes[-1].size // tiling.width)
        self._memory: dict[Pattern, Pointer] = dict(self._arrays())

    def _arrays(self) -> Iterator[tuple[Pattern, Pointer]]:
        offset = 0
        for pattern, staged in self._staged.items():
            yield pattern, self._low.device.array("tile", staged.dtype, 0, True, offset)
            offset += self._tiling.threads * staged.elements * staged.dtype.itemsize

    def collect(self, place: Access, address: int, values: Sequence[Operand]) -> bool:
        """Write the store of a thread's vector to shared memory; return whether it goes there.

        Parameters
        ----------
        place : Access
            Of the output.
        address : int
            Of the first element, for the domain's first.
        values : sequence of Operand
            The elements.
        """
        pattern = place.owner, place.strides
        staged = self._staged.get(pattern)
        if staged is None:
            return False
        low = self._low
        first = low.times(self._thread, staged.elements)
        index = low.plus(first, low.integer(address - staged.place.offset))
        low.store_neighbours(self._memory[pattern], index, values)
        return True

    def store(self) -> None:
        """Write the stores of all tiles of the block, for all its threads."""
        if not self._staged:
            return
        low, device, threads = self._low, self._low.device, self._tiling.threads
        device.emit(Barrier())
        for pattern, staged in self._staged.items():
            vectors = staged.elements // staged.width
            count = low.number(("staged", vectors), self._tiles * vectors, "n")
            begin = low.times(self._block, threads * vectors)
            with device.count("r", low.integer(0), low.integer(vectors), unroll=0) as r:
                local = low.plus(low.times(r, threads), self._thread)
                place = low.plus(begin, local)
                with low.builder.when(low.below(place, count)):
                    index = low.times(local, staged.width)
                    values = low.neighbours(self._memory[pattern], index, staged.width)
                    pointer = low.aligned(staged.place, staged.dtype, staged.width)
                    low.store_neighbours(pointer, low.times(place, staged.width), list(values))
