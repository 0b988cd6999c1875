"""Short rows that lie one after another: a block loads a piece of memory, a thread reduces a row.

Float numbers are added as the threads of a warp would that share a row, so that the result has the
same bits where rows do not lie so: a state for each of their places, merged in a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from lazyarr.codegen.cuda.block_reduction import State
from lazyarr.codegen.cuda.context import DeviceLowering, Neighbours
from lazyarr.codegen.cuda.row_loops import RowLoops, pitch_of
from lazyarr.codegen.cuda.summation import ordered_terms
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.scalar import register_dtype
from lazyarr.loop_ir.kernel import Operand, Pointer
from lazyarr.loop_ir.threads import Barrier

__all__ = ["write_short_rows"]


def write_short_rows(
    low: DeviceLowering, loops: RowLoops, flat: Frame, block: Operand, thread: Operand
) -> int:
    """Write the kernel of short rows and return its number of blocks.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    loops : RowLoops
        The loops over rows and along one.
    flat : Frame
        The loop over the elements of all rows.
    block, thread : Operand
        Their numbers.
    """
    threads, together = loops.tiling.threads, loops.tiling.rows_alone
    pitch = pitch_of(loops.length)
    tiles = _load(low, loops, flat, block, thread)
    b, device, rows = low.builder, low.device, loops.outer.size
    device.emit(Barrier())
    row = low.plus(low.times(block, together), thread)
    inside = low.below(row, low.number("rows", rows, "n"))
    if together < threads:
        inside = b.call("and", inside, low.below(thread, low.integer(together)))
    with b.when(inside), low.inside(loops.outer, low.decode(row, loops.outer)):
        for k, value in _reduce(low, loops, tiles, low.times(thread, pitch)).items():
            low.put(k, value)
        stores = [low.stores[p] for p in loops.passes.row_stores]
        low.write(low.open_terms([k for k, _ in stores]))
        for k, place in stores:
            low.store(k, place)
    return -(-rows // together)


def _load(
    low: DeviceLowering,
    loops: RowLoops,
    flat: Frame,
    block: Operand,
    thread: Operand,
) -> dict[int, Pointer]:
    """Write the loads of a block's rows to shared memory; return where each term lies."""
    b, device = low.builder, low.device
    rows, length, width = loops.outer.size, loops.length, loops.width
    threads, together = loops.tiling.threads, loops.tiling.rows_alone
    pitch = pitch_of(length)
    sources = list(dict.fromkeys(low.terms[k].args[0] for k in loops.passes.reductions[0]))
    tiles = {
        k: device.array("tile", register_dtype(low.terms[k].dtype), together * pitch, True)
        for k in sources
    }
    total = low.number("elements", rows * length, "n")
    start = low.times(block, together * length)
    iterations = -(-together * length // (threads * width))
    needed = low.needed(sources)

    def load(iteration: Operand) -> None:
        vector = thread if iterations == 1 else low.plus(low.times(iteration, threads), thread)
        local = low.times(vector, width)
        place = low.plus(start, local)
        inside = low.below(place, total)
        if iterations * threads * width > together * length:
            inside = b.call("and", inside, low.below(local, low.integer(together * length)))

        def consume(lane: int, counter: Operand) -> None:
            here = low.plus(local, low.integer(lane)) if lane else local
            if pitch != length:
                here = low.plus(here, device.arithmetic("/", here, low.integer(length)))
            for k, tile in tiles.items():
                b.store(tile, low.at(here), low.value(k))

        with b.when(inside):
            low.write_neighbours(Neighbours(flat, [place], width), needed, [], consume)

    if iterations == 1:
        load(low.integer(0))
    else:
        (unroll,) = loops.tiling.unroll
        with device.count("k", low.integer(0), low.integer(iterations), unroll=unroll) as iteration:
            load(iteration)
    return tiles


def _reduce(
    low: DeviceLowering, loops: RowLoops, tiles: dict[int, Pointer], first: Operand
) -> dict[int, Operand]:
    """Write the reductions of a thread's row, which begins at `first`; return their results."""
    b, device, length = low.builder, low.device, loops.length
    reductions = loops.passes.reductions[0]
    ordered = ordered_terms(low)
    shared = [k for k in reductions if k in ordered] if loops.tiling.lanes > 1 else []
    alone = {k: State(low, k) for k in reductions if k not in shared}
    lanes = {k: [State(low, k) for _ in range(loops.tiling.lanes)] for k in shared}

    def step(states: Sequence[tuple[int, State]], place: Operand) -> None:
        for k, state in states:
            state.step(b.load(tiles[low.terms[k].args[0]], low.at(first, place)), place)

    if alone:
        with device.count("j", low.integer(0), low.integer(length), unroll=0) as j:
            step(list(alone.items()), j)
    if lanes:
        _add_as_lanes(low, loops, lanes, step)
    states = {k: alone[k] if k in alone else lanes[k][0] for k in reductions}
    return {k: state.result() for k, state in states.items()}


def _add_as_lanes(
    low: DeviceLowering,
    loops: RowLoops,
    lanes: dict[int, list[State]],
    step: Callable[[Sequence[tuple[int, State]], Operand], None],
) -> None:
    """Write the additions of several lanes for a row, and the tree of their states."""
    device, tiling, length = low.device, loops.tiling, loops.length
    granule, count = tiling.granule, tiling.lanes
    iterations = -(-length // (granule * count))
    with device.count("t", low.integer(0), low.integer(iterations), unroll=0) as iteration:
        for lane in range(min(count, -(-length // granule))):
            place = low.plus(low.times(iteration, count * granule), low.integer(lane * granule))
            inside: Any = nullcontext()
            if ((iterations - 1) * count + lane) * granule >= length:
                inside = low.builder.when(low.below(place, low.integer(length)))
            states = [(k, group[lane]) for k, group in lanes.items()]
            with inside:
                if granule == 1:
                    step(states, place)
                    continue
                with device.count("j", low.integer(0), low.integer(granule), unroll=0) as j:
                    step(states, low.plus(place, j))
    distance = count // 2
    while distance:
        for group in lanes.values():
            for lane in range(distance):
                group[lane].merge(group[lane + distance].state())
        distance //= 2
