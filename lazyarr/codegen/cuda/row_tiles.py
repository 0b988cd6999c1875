"""Lowering of row reductions for GPUs whose threads reduce a few rows side by side.

Where what changes along a row is loaded from operands that are the same for all rows, as in
``abs(a[:, None] - b).min(1)``, a thread that works on several rows loads each element once for all
of them. It takes the elements of each row that it would take of one row alone, in that order (see
:mod:`lazyarr.codegen.cuda.row_reduction`), so that the bits are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import (
    State,
    across_block,
    across_lanes,
    deviation_of,
    state_of,
)
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.row_loops import (
    RowLoops,
    counters_along,
    find_dependences,
    find_row_loops,
    is_plain,
    position_of,
    row_of_thread,
)
from lazyarr.codegen.cuda.summation import ordered_terms
from lazyarr.codegen.device_tilings import RowTiling
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.reducers import reducer_of
from lazyarr.core.frozen import dataclass, replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["choose_height", "lower_row_tiles"]

#: A value of a thread: its term, and the row that it depends on, else -1.
Key = tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class _RowTiles:
    """A reduction of rows that share operands, and its tiling.

    Attributes
    ----------
    loops : RowLoops
        The loops over rows and along one.
    axis : int
        The position among the outer loops of the one along which a thread's rows follow one
        another.
    needed : list of int
        The terms of an element, operands before users.
    moving : dict of int to (bool, bool)
        For each of them, whether it depends on the row, and whether it changes along one.
    tiling : RowTiling
        How threads share rows.
    """

    loops: RowLoops
    axis: int
    needed: list[int]
    moving: dict[int, tuple[bool, bool]]
    tiling: RowTiling


# -- choosing -------------------------------------------------------------------------------------


def choose_height(
    rows: int, blocks: int, registers: int, shared: int, statements: int, threads: int
) -> int:
    """Return the number of rows that a thread reduces side by side; 1: one after another.

    Parameters
    ----------
    rows : int
        That share operands.
    blocks : int
        Of a kernel whose threads reduce one row at a time.
    registers, shared : int
        That a row takes while it is reduced, and that all rows take together.
    statements : int
        Operations of a row that are written out.
    threads : int
        Of a block.

    Examples
    --------
    >>> choose_height(7623, 7623, 8, 8, 10, 256), choose_height(7623, 7623, 8, 8, 10, 1024)
    (8, 4)
    >>> choose_height(100, 100, 8, 8, 10, 256)
    1
    """
    row = tuning.row()
    most = min(row.row_tile_registers[0], row.registers // threads) - row.thread_registers - shared
    least = max(row.row_tile_blocks_least, row.row_tile_threads_least // threads)
    for high in row.row_tiles:
        if rows < high or blocks < high * least:
            continue
        if high * registers <= most and high * statements <= row.pair_statements:
            return high
    return 1


def _find_tiles(low: DeviceLowering) -> _RowTiles | None:
    """Return the rows that threads reduce side by side; None if they had better not."""
    loops = find_row_loops(low)
    passes, outer = loops.passes, loops.outer.axes
    if passes.count != 1 or passes.full_stores or loops.flat is not None or not loops.length:
        return None
    if len(loops.inner.axes) != 1 or not outer or loops.tiling.lanes < WARP:
        return None
    reductions = passes.reductions[0]
    if any(deviation_of(low, k) for k in reductions):
        return None
    needed = low.needed(low.terms[k].args[0] for k in reductions)
    if not all(is_plain(low, k) for k in needed):
        return None
    for axis in reversed(range(len(outer))):
        moving = find_dependences(low, needed, outer[axis], loops.inner.axes[0])
        if moving is not None:
            tiling = replace(_shared_by_fewer(low, loops), unroll=(1,), min_blocks=1)
            loops = replace(loops, tiling=tiling)
            high = _height_of(low, loops, moving, outer[axis].size)
            if high == 1:
                return None
            return _RowTiles(loops, axis, needed, moving, replace(tiling, high=high))
    return None


def _shared_by_fewer(low: DeviceLowering, loops: RowLoops) -> RowTiling:
    """Return the tiling of rows: where no order shows, fewer threads, with neighbouring elements.

    Positions show none: of equal elements the first counts.
    """
    tiling, row = loops.tiling, tuning.row()
    if not all(reducer_of(low.terms[k]).is_positional for k in ordered_terms(low)):
        return tiling
    lanes = min(tiling.lanes, row.row_threads)
    threads = min(tiling.threads, row.row_threads)
    iterations = -(-loops.length // (lanes * tiling.width))
    return replace(
        tiling, lanes=lanes, threads=threads, iterations=iterations, granule=tiling.width
    )


def _height_of(
    low: DeviceLowering, loops: RowLoops, moving: dict[int, tuple[bool, bool]], rows: int
) -> int:
    reductions = loops.passes.reductions[0]
    sizes = [component.dtype.itemsize for k in reductions for component in state_of(low, k)]
    sizes += [low.terms[k].dtype.itemsize for k, of in moving.items() if of == (True, False)]
    along = [k for k, of in moving.items() if of == (False, True) and k in low.accesses]
    operations = sum(k not in low.accesses and all(of) for k, of in moving.items())
    together, row = loops.tiling.threads // loops.tiling.lanes, tuning.row()
    terms = [low.terms[k] for k, of in moving.items() if all(of)]
    # Constants of a function of float64 stay in registers, if all threads together leave them.
    scarce = row.registers // loops.tiling.threads < row.row_tile_registers[0]
    wide = scarce and any(x.dtype.itemsize == 8 and x.node.op.cost >= row.costly for x in terms)
    return choose_height(
        rows,
        -(-loops.outer.size // together),
        sum(-(-size // 4) for size in sizes) + (row.row_tile_registers[1] if wide else 0),
        loops.width * sum(-(-low.terms[k].dtype.itemsize // 4) for k in along),
        loops.width * (operations + len(reductions)),
        loops.tiling.threads,
    )


# -- writing --------------------------------------------------------------------------------------


def lower_row_tiles(
    planned: PlannedGroup,
    vectors: bool = True,
) -> DeviceLaunch | None:
    """Return the kernel of a group that reduces rows side by side; None for any other group.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    vectors : bool, optional
        Whether neighbouring elements may be loaded at once.
    """
    low = DeviceLowering(planned, vectors)
    tiles = _find_tiles(low)
    if tiles is None:
        return None
    otherwise = None
    if tiles.tiling.width > 1:
        otherwise = lower_row_tiles(planned, False)
        if otherwise is None:
            return None
    blocks = _TileWriter(low, tiles).write()
    launch = low.device_launch(blocks, tiles.tiling.threads, otherwise)
    return replace(launch, tiling=tiles.tiling)


class _TileWriter:
    """The code of a kernel whose threads reduce rows side by side.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    tiles : _RowTiles
        What is reduced.
    """

    def __init__(self, low: DeviceLowering, tiles: _RowTiles) -> None:
        self._low = low
        self._tiles = tiles
        self._outer, self._inner = tiles.loops.outer, tiles.loops.inner
        self._reductions = tiles.loops.passes.reductions[0]
        #: The counters of each row, and whether it is there if it may not be.
        self._rows: list[tuple[list[Operand], Value | None]] = []
        #: What is known of the rows before the first element.
        self._known: dict[Key, Operand] = {}

    def write(self) -> int:
        """Write all; return the number of blocks."""
        low, tiling = self._low, self._tiles.tiling
        axis = self._tiles.axis
        along = self._outer.axes[axis]
        axes = [*self._outer.axes]
        axes[axis] = LoopAxis(-(-along.size // tiling.high), along.axes)
        groups = Frame(tuple(axes))
        block, thread = low.device.builtin("block"), low.device.builtin("thread")
        row, _, lane, inside_rows = row_of_thread(low, tiling, groups.size, block, thread)
        counters = low.decode(row, groups)
        first = low.times(counters[axis], tiling.high)
        for counter, inside in counters_along(low, first, along, tiling.high, 1, tiling.high):
            own = [*counters]
            own[axis] = counter
            self._rows.append((own, self._both(inside, inside_rows)))
        moving = self._tiles.moving
        self._compute([k for k in self._tiles.needed if not moving[k][1]], self._known)
        states = self._reduce(lane, thread)
        self._store(states, lane)
        return -(-groups.size // (tiling.threads // tiling.lanes))

    def _both(self, one: Value | None, other: Value | None) -> Value | None:
        if one is None or other is None:
            return one or other
        return self._low.builder.call("and", one, other)

    def _compute(self, terms: Sequence[int], values: dict[Key, Operand]) -> None:
        """Write terms, each once for the rows that it is for: first those that are for all rows.

        All terms of one row come before those of the next, which takes fewer registers.

        Parameters
        ----------
        terms : sequence of int
            Operands before users.
        values : dict of Key to Operand
            What is known; brought up to date.
        """
        low, moving = self._low, self._tiles.moving
        for t in (-1, *range(len(self._rows))):
            for k in terms:
                if (k, t) in values or moving[k][0] != (t >= 0):
                    continue
                with low.inside(self._outer, self._rows[max(t, 0)][0]):
                    for a in low.terms[k].args:
                        low.put(a, values[a, t if moving[a][0] else -1])
                    low.write([k])
                    values[k, t] = low.value(k)

    # -- reducing ----------------------------------------------------------------------------

    def _reduce(self, lane: Operand, thread: Value) -> dict[Key, State]:
        """Write the loop along the rows; return the states of whole rows.

        Parameters
        ----------
        lane : Operand
            The number of the thread among those of a row.
        thread : Value
            Its number in the block.
        """
        low, loops, tiling = self._low, self._tiles.loops, self._tiles.tiling
        states = {(k, t): State(low, k) for t in range(len(self._rows)) for k in self._reductions}

        def work(iteration: Operand) -> None:
            position = position_of(low, tiling, lane, iteration)
            if loops.exact and not tiling.streaming:
                self._piece(states, position)
                return
            size = low.number("length", loops.length, "n")
            with low.builder.when(low.below(position, size)):
                self._piece(states, position)

        if tiling.iterations == 1:
            work(low.integer(0))
        else:
            count = low.number("iterations", tiling.iterations, "n")
            with low.device.count("k", low.integer(0), count, unroll=1) as k:
                work(k)
        every = list(states.values())
        if tiling.lanes <= WARP:
            across_lanes(low, every, tiling.lanes)
        else:
            across_block(low, every, tiling.threads, thread)
        return states

    def _piece(self, states: dict[Key, State], position: Operand) -> None:
        """Write the steps over the neighbours of one vector load.

        Parameters
        ----------
        states : dict
            Of the rows.
        position : Operand
            Where the first neighbour is.
        """
        low, moving = self._low, self._tiles.moving
        along = [k for k in self._tiles.needed if moving[k][1]]
        loaded = self._loads([k for k in along if k in low.accesses], position)
        for e in range(self._tiles.loops.width):
            values = dict(self._known)
            values |= {(k, -1): vector[e] for k, vector in loaded.items()}
            self._compute(along, values)
            place = low.plus(position, low.integer(e))
            for (k, t), state in states.items():
                a = low.terms[k].args[0]
                state.step(values[a, t if moving[a][0] else -1], place)

    def _loads(self, terms: Sequence[int], position: Operand) -> dict[int, Sequence[Value]]:
        """Write the loads of neighbours, which are for all rows.

        Parameters
        ----------
        terms : sequence of int
            What is loaded.
        position : Operand
            Where the first neighbour is.
        """
        low, width = self._low, self._tiles.loops.width
        counters, _ = self._rows[0]
        loaded: dict[int, Sequence[Value]] = {}
        with low.inside(self._outer, counters), low.inside(self._inner, (position,)):
            for k in terms:
                access, dtype = low.accesses[k], low.terms[k].dtype
                if width == 1:
                    pointer = low.parameters.pointer(access, dtype)
                    loaded[k] = [low.builder.load(pointer, low.index(access))]
                else:
                    pointer = low.aligned(access, dtype, width)
                    loaded[k] = low.device.vector(pointer, low.index(access), width)
        return loaded

    # -- finishing ---------------------------------------------------------------------------

    def _store(self, states: dict[Key, State], lane: Operand) -> None:
        """Write the epilogue of the reductions, and the stores.

        Parameters
        ----------
        states : dict
            Of whole rows.
        lane : Operand
            The number of the thread among those of a row: the first stores.
        """
        low = self._low
        stores = [low.stores[p] for p in self._tiles.loops.passes.row_stores]
        first = low.builder.call("equal", lane, low.integer(0))
        for t, (counters, inside) in enumerate(self._rows):
            with low.inside(self._outer, counters):
                for k in self._reductions:
                    low.put(k, states[k, t].result())
                low.write(low.open_terms([k for k, _ in stores]))
                condition = self._both(inside, first)
                assert condition is not None
                with low.builder.when(condition):
                    for k, place in stores:
                        low.store(k, place)
