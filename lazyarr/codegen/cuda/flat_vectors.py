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
from lazyarr.codegen.loop_nest import Frame
from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.kernel import Operand

__all__ = ["FlatVectors", "choose_flat_vectors", "write_flat_vectors"]

_PLAIN = frozenset((Kind.CONSTANT, Kind.PARAMETER, Kind.ELEMENTWISE))


@dataclass(frozen=True, eq=False, slots=True)
class FlatVectors:
    """The vectors of a domain as one line.

    Attributes
    ----------
    line : Frame
        The loop over all elements.
    loads : list of int
        The terms that are loaded as vectors.
    tiling : GridTiling
        How threads share them.
    """

    line: Frame
    loads: list[int]
    tiling: GridTiling


def choose_flat_vectors(
    low: DeviceLowering, frame: Frame, chosen: Sequence[int]
) -> FlatVectors | None:
    """Return the vectors of a domain as one line; None if results are not stored so.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain.
    chosen : sequence of int
        The terms to write.
    """
    if len(frame.axes) < 2 or not frame.size:
        return None
    for k in chosen:
        term = low.terms[k]
        is_plain = term.loaded or term.node.op.kind in _PLAIN
        if not is_plain or term.base is not None or term.node.op.loop is not None:
            return None
    if any(place.unit != 1 or not _is_flat(place.strides, frame) for _, place in low.stores):
        return None
    loads = []
    for k in chosen:
        if k not in low.accesses:
            continue
        place = low.accesses[k]
        if place.unit == 1 and _is_flat(place.strides, frame):
            loads.append(k)
        elif all(axis.stride(place.strides) for axis in frame.axes):
            return None  # as many elements as there are results, in another order
    line = low.frame(range(len(low.domain)), loads)
    if len(line.axes) != 1:
        return None
    width = low.code.width(line.axes[0], loads, range(len(low.stores)), ragged=True)
    if width == 1:
        return None
    return FlatVectors(line, loads, GridTiling(width, tuning.row().map_threads, is_flat=True))


def _is_flat(strides: Sequence[int], frame: Frame) -> bool:
    """Whether elements lie one after another in the order of the loops."""
    expected = 1
    for axis in reversed(frame.axes):
        if axis.stride(strides) != expected:
            return False
        expected *= axis.size
    return True


def write_flat_vectors(low: DeviceLowering, frame: Frame, chosen: Sequence[int]) -> int:
    """Write the kernel; return the number of blocks.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    frame : Frame
        The loops over the domain.
    chosen : sequence of int
        The terms to write.

    Raises
    ------
    ContractError
        If results are not stored so.
    """
    flat = choose_flat_vectors(low, frame, chosen)
    if flat is None:
        raise ContractError("the elements of results do not lie in the order of the loops")
    device, width, threads = low.device, flat.tiling.width, flat.tiling.threads
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
        vectors = low.load_neighbours(Neighbours(flat.line, (base,), width, left), flat.loads)
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
        with low.inside(flat.line, (base,)):
            low.store_vectors(written, left)
    return -(-count // threads)
