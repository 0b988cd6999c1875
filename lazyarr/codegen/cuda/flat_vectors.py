"""Vectors of elementwise kernels that go on from one line to the next.

Lines that are no whole vectors, or short, lie one after another in memory all the same: what is
stored, and what is loaded in the same order, comes as vectors. Each element has counters of its
own, by which it finds what is broadcast or lies in another order.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering, Neighbours
from lazyarr.codegen.device_tilings import GridTiling
from lazyarr.codegen.loop_nest import Access, Frame
from lazyarr.loop_ir.kernel import Operand

__all__ = ["choose_flat_vectors", "write_flat_vectors"]


def choose_flat_vectors(
    low: DeviceLowering, frame: Frame, chosen: Sequence[int]
) -> GridTiling | None:
    """Return the tiling of a domain in vectors of all lines; None if results are not stored so.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain, two at least.
    chosen : sequence of int
        The terms to write: loads, and operations on elements.
    """
    if not all(_is_flat(place, frame) for _, place in low.stores):
        return None
    loads = _flat_loads(low, frame, chosen)
    for k in chosen:
        if k in low.accesses and k not in loads:
            strides = low.accesses[k].strides
            if all(axis.stride(strides) for axis in frame.axes):
                return None  # as many elements as there are results, in another order
    (line,) = low.frame(range(len(low.domain)), loads).axes
    width = low.code.width(line, loads, range(len(low.stores)), ragged=True)
    return GridTiling(width, tuning.row().map_threads, is_flat=True) if width > 1 else None


def _flat_loads(low: DeviceLowering, frame: Frame, chosen: Sequence[int]) -> list[int]:
    """Return the terms that are loaded as vectors."""
    return [k for k in chosen if k in low.accesses and _is_flat(low.accesses[k], frame)]


def _is_flat(place: Access, frame: Frame) -> bool:
    """Whether numbers lie one after another in the order of the loops."""
    expected = place.unit
    for axis in reversed(frame.axes):
        if axis.stride(place.strides) != expected:
            return False
        expected *= axis.size
    return place.unit == 1


def write_flat_vectors(
    low: DeviceLowering, frame: Frame, chosen: Sequence[int], tiling: GridTiling
) -> int:
    """Write the kernel; return the number of blocks.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    frame : Frame
        The loops over the domain.
    chosen : sequence of int
        The terms to write.
    tiling : GridTiling
        As :func:`choose_flat_vectors` gives it.
    """
    device, width, threads = low.device, tiling.width, tiling.threads
    loads = _flat_loads(low, frame, chosen)
    line = low.frame(range(len(low.domain)), loads)
    block, thread = device.builtin("block"), device.builtin("thread")
    count = -(-frame.size // width)
    place = low.plus(low.times(block, threads), thread)
    with low.builder.when(low.below(place, low.number("vectors", count, "n"))):
        base = low.times(place, width)
        left = end = None
        if frame.size % width:
            size = low.number("elements", frame.size, "n")
            left = device.arithmetic("-", size, base)
            end = device.arithmetic("-", size, low.integer(1))
        vectors = low.load_neighbours(Neighbours(line, (base,), width, left), loads)
        axes = [axis for loop in frame.axes for axis in loop.axes]
        low.write(k for k in chosen if all(not low.spans(j, axes) for j in low.needed([k])))
        written: dict[int, list[Operand]] = {p: [] for p in range(len(low.stores))}
        for lane in range(width):
            index = low.plus(base, low.integer(lane))
            if lane and end is not None:
                index = low.least(index, end)
            with low.inside(frame, low.decode(index, frame)):
                for k, values in vectors.items():
                    low.put(k, values[lane])
                low.write(k for k in chosen if low.get(k) is None)
                for p, results in written.items():
                    results.append(low.value(low.stores[p][0]))
        with low.inside(line, (base,)):
            low.store_vectors(written, left)
    return -(-count // threads)
