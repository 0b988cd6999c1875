"""Lowering of reductions over pairs for GPUs: a thread reduces a tile of rows and columns.

Distances of points, and what else combines each row of one operand with each row of another, reads
no value that depends on both: a tile of m rows and n columns needs m + n of them for m n elements.
Rows that are short enough are reduced by one thread, in the order in which several would share one
(see :mod:`lazyarr.codegen.cuda.summation`), so that the bits are those of the template for rows.

Sums of float32 are different: a multiprocessor converts 16 numbers a cycle to float64 and adds 128
in float32. Blocks of a row are summed in float32, as balanced trees of a few elements one after the
other, and the blocks' sums are added in float64. That is the order of the processor's kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import State, deviation_of, state_of
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.row_loops import (
    RowLoops,
    counters_along,
    find_dependences,
    find_row_loops,
    is_plain,
)
from lazyarr.codegen.cuda.summation import ordered_terms, sums_narrowly
from lazyarr.codegen.device_tilings import PairTiling
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.core.frozen import dataclass, replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Index, Operand, Value
from lazyarr.loop_ir.reducer import as_dtype

__all__ = ["choose_pair_tiling", "lower_pairs"]

#: A value of the tile: its term, and the row and the column that it depends on, else -1.
Key = tuple[int, int, int]
FLOAT32 = np.dtype(np.float32)


@dataclass(frozen=True, eq=False, slots=True)
class _Pairs:
    """A reduction over pairs, and its tiling.

    Attributes
    ----------
    loops : RowLoops
        The loops over rows and along one.
    rows, columns : int
        Positions among the outer loops: of the one along which a thread's rows follow one another,
        and of the one along which its columns do.
    full : list of int
        The terms that change along a row, operands before users.
    moving : dict of int to (bool, bool)
        For each of them, whether it depends on the row and on the column.
    tiling : PairTiling
        The tile.
    """

    loops: RowLoops
    rows: int
    columns: int
    full: list[int]
    moving: dict[int, tuple[bool, bool]]
    tiling: PairTiling


# -- choosing -------------------------------------------------------------------------------------


def choose_pair_tiling(
    sizes: tuple[int, int, int], state: int, code: tuple[int, float], row: tuple[int, int, bool]
) -> PairTiling | None:
    """Return the largest tile that leaves enough threads; None if there is none.

    Parameters
    ----------
    sizes : (int, int, int)
        Rows, columns, and how often all of them come.
    state : int
        Registers that the state of a pair takes while it is reduced.
    code : (int, float)
        Operations of a pair that are written out, and milliseconds that NVRTC takes for functions.
    row : (int, int, bool)
        Elements of a row that are loaded at once, all of them, and whether float32 reduces them.

    Examples
    --------
    >>> print(choose_pair_tiling((7041, 2280, 1), 8, (100, 0.0), (2, 18, False)))
    tiles of 4 x 2 pairs, vectors of 2, 256 threads a block
    """
    table = tuning.row()
    (rows, columns, times), (elements, compile_cost), (width, length, narrow) = sizes, code, row
    if length < table.pair_long:
        tiles = table.narrow_pair_tiles if narrow else table.pair_tiles
    else:
        tiles = table.long_narrow_pair_tiles if narrow else table.long_pair_tiles
    for high, wide in tiles:
        pairs = high * wide
        threads = -(-rows // high) * -(-columns // wide) * times
        if rows < high or columns < wide * WARP or threads < table.pair_threads_least:
            continue
        if pairs * compile_cost > table.nvrtc_long and (high, wide) != tiles[-1]:
            continue
        if pairs * state <= table.pair_registers and pairs * elements <= table.pair_statements:
            tree, block = table.pair_tree, table.pair_block
            return PairTiling(high, wide, width, table.map_threads, WARP, tree, block)
    return None


def _find_pairs(low: DeviceLowering) -> _Pairs | None:
    """Return the pairs that a group reduces; None if threads had better share rows."""
    loops = find_row_loops(low)
    passes, outer = loops.passes, loops.outer.axes
    if passes.count != 1 or passes.full_stores or loops.flat is not None or not loops.length:
        return None
    if len(loops.inner.axes) != 1 or len(outer) < 2 or loops.tiling.lanes > WARP:
        return None
    reductions = passes.reductions[0]
    if any(deviation_of(low, k) for k in reductions):
        return None
    needed = low.needed(low.terms[k].args[0] for k in reductions)
    if not all(is_plain(low, k) for k in needed):
        return None
    full = [k for k in needed if passes.full[k]]
    columns = len(outer) - 1
    for rows in range(columns):
        moving = find_dependences(low, full, outer[rows], outer[columns])
        if moving is not None:
            tiling = _tiling_of(low, loops, full, outer[rows].size, outer[columns].size)
            if tiling is None:
                return None
            return _Pairs(loops, rows, columns, full, moving, tiling)
    return None


def _tiling_of(
    low: DeviceLowering, loops: RowLoops, full: Sequence[int], rows: int, columns: int
) -> PairTiling | None:
    reductions = loops.passes.reductions[0]
    ordered = ordered_terms(low)
    tiling = loops.tiling
    narrow = sum(sums_narrowly(low.terms[k]) for k in reductions)
    live, written = 1, loops.width
    if any(k in ordered and not sums_narrowly(low.terms[k]) for k in reductions):
        live, written = tiling.lanes.bit_length(), tiling.lanes * tiling.granule
    nbytes = [component.dtype.itemsize for k in reductions for component in state_of(low, k)]
    operations = sum(k not in low.accesses for k in full) + len(reductions)
    times = loops.outer.size // (rows * columns)
    state = live * sum(-(-size // 4) for size in nbytes)
    if narrow:
        tree = tuning.row().pair_tree
        state += narrow * tree.bit_length()
        written = max(written, tree + loops.length % tree)
    code = written * operations, written * low.code.compile_cost(full)
    row = loops.width, loops.length, narrow == len(reductions)
    return choose_pair_tiling((rows, columns, times), state, code, row)


# -- writing --------------------------------------------------------------------------------------


def lower_pairs(
    planned: PlannedGroup,
    vectors: bool = True,
) -> DeviceLaunch | None:
    """Return the kernel of a group that reduces pairs of rows; None for any other group.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    vectors : bool, optional
        Whether neighbouring elements may be loaded at once.
    """
    if sum(size > 1 for size in planned.group.domain) < 3:
        return None  # rows, columns, and the axis that is reduced
    low = DeviceLowering(planned, vectors)
    pairs = _find_pairs(low)
    if pairs is None:
        return None
    otherwise = None
    if pairs.tiling.width > 1:
        otherwise = lower_pairs(planned, False)
        if otherwise is None:
            return None
    blocks = _PairWriter(low, pairs).write()
    launch = low.device_launch(blocks, pairs.tiling.threads, otherwise)
    return replace(launch, tiling=pairs.tiling)


class _PairWriter:
    """The code of a kernel whose threads reduce tiles of pairs.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    pairs : _Pairs
        What is reduced.
    """

    def __init__(self, low: DeviceLowering, pairs: _Pairs) -> None:
        self._low = low
        self._pairs = pairs
        self._loops = pairs.loops
        self._outer = pairs.loops.outer
        self._reductions = pairs.loops.passes.reductions[0]
        self._narrow = [k for k in self._reductions if sums_narrowly(low.terms[k])]
        ordered = ordered_terms(low)
        self._ordered = [k for k in self._reductions if k in ordered and k not in self._narrow]
        #: The counters of each pair of the tile.
        self._counters: dict[tuple[int, int], list[Operand]] = {}
        self._inside: dict[tuple[int, int], Value | None] = {}

    def write(self) -> int:
        """Write all; return the number of blocks."""
        low, device = self._low, self._low.device
        tiling, axes = self._pairs.tiling, self._outer.axes
        rows, columns = axes[self._pairs.rows], axes[self._pairs.columns]
        high, wide = tiling.rows, tiling.columns * tiling.across
        lines = tiling.threads // tiling.across
        panels = -(-columns.size // wide)
        groups = Frame(
            tuple(
                LoopAxis(-(-axis.size // high), axis.axes) if axis is rows else axis
                for axis in axes
                if axis is not columns
            )
        )
        block, thread = device.builtin("block"), device.builtin("thread")
        number = low.number("panels", panels, "n")
        group = low.plus(
            low.times(device.arithmetic("/", block, number), lines),
            device.arithmetic("/", thread, low.integer(tiling.across)),
        )
        column = low.plus(
            low.times(device.arithmetic("%", block, number), wide),
            device.arithmetic("%", thread, low.integer(tiling.across)),
        )
        with low.builder.when(low.below(group, low.number("groups", groups.size, "n"))):
            counters = low.decode(group, groups)
            counters.insert(self._pairs.columns, column)
            counters[self._pairs.rows] = low.times(counters[self._pairs.rows], high)
            self._place(counters, rows, columns)
            self._finish(self._reduce())
        return panels * -(-groups.size // lines)

    def _place(self, counters: list[Operand], rows: LoopAxis, columns: LoopAxis) -> None:
        """Write the counters of the pairs; those behind the end are the last there is."""
        tiling = self._pairs.tiling
        down, across = counters[self._pairs.rows], counters[self._pairs.columns]
        whole = tiling.columns * tiling.across
        above = list(counters_along(self._low, down, rows, tiling.rows, 1, tiling.rows))
        beside = list(
            counters_along(self._low, across, columns, tiling.columns, tiling.across, whole)
        )
        for t, (row, has_row) in enumerate(above):
            for u, (column, has_column) in enumerate(beside):
                own = [*counters]
                own[self._pairs.rows], own[self._pairs.columns] = row, column
                self._counters[t, u] = own
                conditions = [c for c in (has_row, has_column) if c is not None]
                inside = conditions[0] if conditions else None
                if len(conditions) > 1:
                    inside = self._low.builder.call("and", *conditions)
                self._inside[t, u] = inside

    # -- reducing ----------------------------------------------------------------------------

    def _states(self, reductions: Sequence[int]) -> dict[Key, State]:
        """Write a state without elements for each pair."""
        return {(k, *pair): State(self._low, k) for pair in self._counters for k in reductions}

    def _reduce(self) -> dict[Key, State]:
        """Write the reductions; return the states of whole rows."""
        states: dict[Key, State] = {}
        fixed = [k for k in self._reductions if k not in self._narrow]
        if self._narrow:
            states |= self._blocks()
        if self._ordered and self._loops.tiling.lanes > 1:
            states |= self._tree(0, 1)
            fixed = [k for k in fixed if k not in self._ordered]
        if fixed:
            states |= self._along(fixed, 0, self._loops.width, self._loops.length)
        return states

    def _blocks(self) -> dict[Key, State]:
        """Write sums of float32: blocks in float32, and their sums in float64."""
        low, length, most = self._low, self._loops.length, self._pairs.tiling.block
        if length <= most:
            return self._block(low.integer(0), 0, length)
        totals = self._states(self._narrow)

        def add(origin: Operand, first: int, size: int) -> None:
            for key, part in self._block(origin, first, size).items():
                totals[key].merge(part.state())

        with low.device.count("b", low.integer(0), low.integer(length // most), unroll=1) as b:
            add(low.times(b, most), 0, most)
        if length % most:
            add(low.integer(0), length - length % most, length % most)
        return totals

    def _block(self, origin: Operand, first: int, size: int) -> dict[Key, State]:
        """Write the sums of a block: balanced trees of its elements, then those that are left."""
        low, tree = self._low, self._pairs.tiling.tree
        zero = low.builder.literal(0, FLOAT32)
        parts = {(k, *pair): State(low, k, [zero]) for pair in self._counters for k in self._narrow}
        trees, left = divmod(size, tree)
        if trees == 1:
            self._add_tree(parts, origin, first)
        elif trees:
            with low.device.count("p", low.integer(0), low.integer(trees), unroll=1) as p:
                self._add_tree(parts, low.plus(origin, low.times(p, tree)), first)
        if left:
            self._piece(parts, origin, first + size - left, left)
        return parts

    def _add_tree(self, parts: dict[Key, State], origin: Operand, first: int) -> None:
        """Write the sums of neighbours as a balanced tree, and add them to a block's."""
        low, width = self._low, self._loops.width
        waiting: dict[Key, list[tuple[int, Operand]]] = {key: [] for key in parts}
        for start in range(first, first + self._pairs.tiling.tree, width):
            loaded = self._loads(origin, start)
            for lane in range(width):
                values = {key: vector[lane] for key, vector in loaded.items()}
                self._compute(values)
                for (k, t, u), sums in waiting.items():
                    value = values[self._key(low.terms[k].args[0], t, u)]
                    total, count = as_dtype(low.builder, value, FLOAT32), 1
                    while sums and sums[-1][0] == count:
                        _, earlier = sums.pop()
                        total, count = low.builder.call("add", earlier, total), 2 * count
                    sums.append((count, total))
        for key, sums in waiting.items():
            parts[key].merge([sums[0][1]])

    def _tree(self, lane: int, distance: int) -> dict[Key, State]:
        """Write the additions of a warp's lanes for a row, merged as they would merge.

        Parameters
        ----------
        lane, distance : int
            The first of the lanes, and how far apart they are.
        """
        tiling, length = self._loops.tiling, self._loops.length
        if distance == tiling.lanes:
            first = lane * tiling.granule
            return self._along(self._ordered, first, tiling.lanes * tiling.granule, length)
        states = self._tree(lane, 2 * distance)
        for key, state in self._tree(lane + distance, 2 * distance).items():
            states[key].merge(state.state())
        return states

    def _along(
        self, reductions: Sequence[int], first: int, step: int, length: int
    ) -> dict[Key, State]:
        """Write the steps over pieces of a row.

        Parameters
        ----------
        reductions : sequence of int
            What takes the elements in.
        first, step : int
            Where the first piece begins, and from one piece to the next.
        length : int
            Of the row.
        """
        low = self._low
        states = self._states(reductions)
        count = max(0, -(-(length - first) // step))
        piece = self._loops.tiling.granule if reductions is self._ordered else step
        if count == 1:
            self._piece(states, low.integer(0), first, piece)
        elif count:
            with low.device.count("p", low.integer(0), low.integer(count), unroll=1) as p:
                self._piece(states, low.times(p, step), first, piece)
        return states

    def _piece(self, states: dict[Key, State], origin: Operand, first: int, piece: int) -> None:
        """Write the steps over neighbours, one vector load at a time.

        Parameters
        ----------
        states : dict
            Of the pairs.
        origin, first : Operand, int
            Where they begin: so far behind a place in the row.
        piece : int
            How many.
        """
        low, width = self._low, self._loops.width
        for start in range(first, first + piece, width):
            loaded = self._loads(origin, start)
            for lane in range(width):
                values = {key: vector[lane] for key, vector in loaded.items()}
                position = low.plus(origin, low.integer(start + lane))
                self._compute(values)
                for (k, t, u), state in states.items():
                    state.step(values[self._key(low.terms[k].args[0], t, u)], position)

    def _key(self, k: int, row: int, column: int) -> Key:
        by_row, by_column = self._pairs.moving[k]
        return k, row if by_row else -1, column if by_column else -1

    def _instances(self, k: int) -> Iterator[tuple[Key, list[Operand], int, int]]:
        """Yield the values of a term in the tile, with the counters of a pair that has each."""
        seen = set()
        for (t, u), counters in self._counters.items():
            key = self._key(k, t, u)
            if key not in seen:
                seen.add(key)
                yield key, counters, t, u

    def _loads(self, origin: Operand, start: int) -> dict[Key, Sequence[Value]]:
        """Write the loads of neighbours, of which the first is `start` behind a place in the row.

        Parameters
        ----------
        origin : Operand
            The place.
        start : int
            How far behind it.
        """
        low, inner, width = self._low, self._loops.inner, self._loops.width
        loaded: dict[Key, Sequence[Value]] = {}
        for k in self._pairs.full:
            if k not in low.accesses:
                continue
            access = low.accesses[k]
            stride = inner.axes[0].stride(access.strides)
            for key, counters, _, _ in self._instances(k):
                with low.inside(self._outer, counters), low.inside(inner, (origin,)):
                    index = low.index(access)
                    index = Index(start * stride, index.terms)  # no part of a complex number
                    if width == 1:
                        pointer = low.parameters.pointer(access, low.terms[k].dtype)
                        loaded[key] = [low.builder.load(pointer, index)]
                    else:
                        pointer = low.aligned(access, low.terms[k].dtype, width)
                        loaded[key] = low.device.vector(pointer, index, width)
        return loaded

    def _compute(self, values: dict[Key, Any]) -> None:
        """Write the operations on loaded values, each once for the rows and columns it is for."""
        low = self._low
        for k in self._pairs.full:
            if k in low.accesses:
                continue
            for key, counters, t, u in self._instances(k):
                with low.inside(self._outer, counters):
                    for a in low.terms[k].args:
                        if a in self._pairs.moving:
                            low.put(a, values[self._key(a, t, u)])
                    low.write(low.open_terms([k]))
                    values[key] = low.value(k)

    # -- finishing ---------------------------------------------------------------------------

    def _finish(self, states: dict[Key, State]) -> None:
        """Write the epilogue of the reductions, and the stores."""
        low = self._low
        stores = [low.stores[p] for p in self._loops.passes.row_stores]
        for (t, u), counters in self._counters.items():
            with low.inside(self._outer, counters):
                for k in self._reductions:
                    low.put(k, states[k, t, u].result())
                inside = self._inside[t, u]
                if inside is None:
                    self._store(stores)
                    continue
                with low.builder.when(inside):
                    self._store(stores)

    def _store(self, stores: Sequence[tuple[int, Any]]) -> None:
        low = self._low
        low.write(low.open_terms([k for k, _ in stores]))
        for k, place in stores:
            low.store(k, place)
