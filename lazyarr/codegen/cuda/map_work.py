"""Loads and arithmetic of the blocks of an elementwise kernel, for the cost model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import NamedTuple

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.cost_model import BlockWork
from lazyarr.codegen.device_tilings import GridTiling, RegisterTiling
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Access, Frame
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["Loads", "ThreadWork", "work_of_map"]


class ThreadWork(NamedTuple):
    """The accesses of one thread to memory, and its registers.

    Attributes
    ----------
    loads : sequence of Loads
        What it loads.
    registers : int
        The registers for its values at a time.
    stores : sequence of Loads, optional
        What it stores; None: one vector for each result and line.
    staged_bytes : int
        Of results that its block stores by way of shared memory.
    """

    loads: Sequence[Loads]
    registers: int
    stores: Sequence[Loads] | None = None
    staged_bytes: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Loads:
    """Loads of a thread that step through memory in the same way.

    Attributes
    ----------
    place : Access
        One of them.
    itemsize : int
        Bytes of an element.
    width : int
        Elements that come at once.
    addresses : tuple of int
        Of the loads, relative to the thread's first element.
    """

    place: Access
    itemsize: int
    width: int
    addresses: tuple[int, ...]


class _Geometry:
    """The threads of a block: which vectors of which lines they take.

    Parameters
    ----------
    frame : Frame
        The loops over the domain.
    tiling : GridTiling or RegisterTiling
        How it is cut.
    threads : int
        Of a block.
    """

    def __init__(self, frame: Frame, tiling: GridTiling | RegisterTiling, threads: int) -> None:
        self.frame = frame
        self.width, self.threads, self.across = tiling.width, threads, tiling.across
        lines = tiling.lines if isinstance(tiling, RegisterTiling) else 1
        axis = tiling.axis if isinstance(tiling, RegisterTiling) else None
        self._steps = [
            (-(-loop.size // lines), lines) if k == axis else (loop.size, 1)
            for k, loop in enumerate(frame.axes[:-1])
        ]
        self.vectors = -(-frame.axes[-1].size // tiling.width)
        self.groups = prod(count for count, _ in self._steps)
        self.lines = lines
        if self.across:
            self.blocks = -(-self.vectors // self.across) * -(-self.groups // tiling.high)
        else:
            self.blocks = -(-self.vectors * self.groups // threads)

    def place(self, thread: int) -> tuple[int, int]:
        """Return the group of lines and the vector of a thread."""
        across = self.across or self.vectors
        return thread // across, thread % across

    def base(self, group: int, vector: int, place: Access) -> int:
        """Return the index of a thread's first element.

        Parameters
        ----------
        group, vector : int
            The thread's group of lines, and its vector of a line.
        place : Access
            The strides.
        """
        total = vector * self.width * self.frame.axes[-1].stride(place.strides)
        for (count, lines), loop in zip(
            reversed(self._steps), reversed(self.frame.axes[:-1]), strict=True
        ):
            group, counter = divmod(group, count)
            total += counter * lines * loop.stride(place.strides)
        return total

    def spans(self, place: Access) -> list[tuple[int, int]]:
        """Return the first and last element's index of each line of a block."""
        result = []
        thread = 0
        while thread < self.threads:
            group, vector = self.place(thread)
            most = min(self.across or self.vectors, self.vectors)
            count = min(self.threads - thread, most - vector)
            ends = [self.base(group, v, place) for v in (vector, vector + count - 1)]
            result.append((min(ends), max(ends)))
            thread += (self.across or self.vectors) - vector
        return result


def work_of_map(
    terms: GroupTerms,
    chosen: Sequence[int],
    frame: Frame,
    tiling: GridTiling | RegisterTiling,
    of_thread: ThreadWork,
) -> BlockWork:
    """Return the work of an elementwise kernel.

    Parameters
    ----------
    terms : GroupTerms
        What the kernel computes.
    chosen : sequence of int
        Its terms.
    frame : Frame
        The loops over the domain.
    tiling : GridTiling or RegisterTiling
        How they are cut.
    of_thread : ThreadWork
        The work of one thread.
    """
    row, loads = tuning.row(), of_thread.loads
    threads = row.map_threads
    geometry = _Geometry(frame, tiling, threads)
    elements = geometry.lines * tiling.width
    stores = [
        Loads(place, terms.terms[k].dtype.itemsize, tiling.width, (0,) * geometry.lines)
        for k, place in terms.stores
    ]
    computed = [k for k in chosen if k not in terms.accesses and terms.terms[k].args]
    costs = [max(1, terms.terms[k].node.op.cost) for k in computed]
    cycles = [
        cost * register_dtype(terms.terms[k].dtype).itemsize / row.pipe_bytes
        for cost, k in zip(costs, computed, strict=True)
    ]
    results = elements * _widest(terms, chosen) // row.register_bytes
    moves = (*loads, *(stores if of_thread.stores is None else of_thread.stores))
    staged_lines = WARP * of_thread.staged_bytes / row.l2_line_bytes
    count = sum(len(load.addresses) for load in moves)
    return BlockWork(
        geometry.blocks,
        threads,
        sum(_touched(load, frame) for load in (*_unique(loads), *stores)),
        sum(_footprint(load, geometry) for load in loads),
        sum(_lines(load, geometry) for load in moves) + staged_lines,
        WARP * elements * sum(cycles),
        elements * sum(costs) + 2 * count + row.thread_registers,
        max(row.least_registers, of_thread.registers + row.thread_registers + results),
        sum(len(load.addresses) for load in loads),
    )


def _widest(terms: GroupTerms, chosen: Sequence[int]) -> int:
    """Return the bytes of the widest value of an element."""
    return max(register_dtype(terms.terms[k].dtype).itemsize for k in chosen)


def _unique(loads: Iterable[Loads]) -> list[Loads]:
    """Return one of the loads of each memory."""
    return list({load.place.owner: load for load in loads}.values())


def _touched(load: Loads, frame: Frame) -> int:
    """Return the bytes of memory that all threads load or store together."""
    moving = (axis.size for axis in frame.axes if axis.stride(load.place.strides))
    return prod(moving) * load.itemsize


def _lines(load: Loads, geometry: _Geometry) -> float:
    """Return the cache lines that a warp's loads touch."""
    places = [geometry.place(thread) for thread in range(WARP)]
    bases = [geometry.base(group, vector, load.place) for group, vector in places]
    size, bytes_at_once = load.itemsize, load.itemsize * load.width
    line = tuning.row().l2_line_bytes
    together = min(WARP, line // bytes_at_once)
    known: dict[int, int] = {}
    total = 0
    for address in load.addresses:
        shift = address * size % line
        if shift not in known:
            touched: set[tuple[int, int]] = set()
            for thread, base in enumerate(bases):
                first = base * size + shift
                for byte in (first, first + bytes_at_once - 1):
                    touched.add((thread // together, byte // line))
            known[shift] = len(touched)
        total += known[shift]
    return total


def _footprint(load: Loads, geometry: _Geometry) -> int:
    """Return the bytes that a block loads, each sector once."""
    size, sector = load.itemsize, tuning.row().sector_bytes
    intervals = sorted(
        ((first + at) * size // sector, ((last + at + load.width) * size - 1) // sector)
        for first, last in geometry.spans(load.place)
        for at in load.addresses
    )
    total, end = 0, None
    for first, last in intervals:
        if end is None or first > end:
            total += last - first + 1
            end = last
        elif last > end:
            total += last - end
            end = last
    return total * sector
