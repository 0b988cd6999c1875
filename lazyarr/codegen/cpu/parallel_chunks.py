"""Reductions of several chunks of rows at a time, for few columns.

Each addition to a column waits for the one before, and a few columns leave the processor idle
meanwhile. The chunks of rows have states of their own, so those of several may alternate:
every element of a row is unrolled, and its states stay in registers. The order of
additions is that of the chunks one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from lazyarr.codegen.chunked_reduction import Parts
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu.column_loops import ColumnLoops
from lazyarr.codegen.processor_tilings import PanelTiling
from lazyarr.codegen.reducers import step_state
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand, Pointer, Value

__all__ = ["ParallelChunks", "loop_over_chunks"]


def loop_over_chunks(
    low: Lowering,
    tiling: PanelTiling,
    loops: ColumnLoops,
    height: Operand,
    one_chunk: Callable[[Operand, Operand, Operand], None],
    several: Callable[[Operand, Operand], None],
) -> int:
    """Write the loop over work items, and return their number.

    Items that follow each other work on memory that does: on the panels of a chunk of rows, and
    then on the next chunk, or on the next of the axes in front where these are inside of the rows.

    Parameters
    ----------
    low : Lowering
        The kernel.
    tiling : PanelTiling
        How it is cut.
    loops : ColumnLoops
        The loops.
    height : Operand
        Rows.
    one_chunk : callable
        Writes the reduction of a chunk, given its number, that of the panel and that in front.
    several : callable
        Writes that of whole chunks side by side, given the first one's number and that in front.
    """
    b, beside, fronts = low.builder, tiling.beside, loops.front.size
    chunks = low.number("chunks", tiling.chunks, "n")

    def split(item: Operand, groups: Operand) -> tuple[Value, Value]:
        """Return the number of a group of chunks, and that in front."""
        count = low.number("iterations in front", fronts, "n") if loops.rows_outside else groups
        inner, outer = b.call("remainder", item, count), b.call("divide", item, count)
        return (outer, inner) if loops.rows_outside else (inner, outer)

    with b.loop("w", low.begin, low.end, AxisKind.PARALLEL) as w:
        if beside == 1:
            panels = low.number("panels", tiling.panels, "n")
            panel = b.call("remainder", w, panels)
            chunk, front = split(b.call("divide", w, panels), chunks)
            one_chunk(chunk, panel, front)
            return fronts * tiling.panels * tiling.chunks
        count = -(-tiling.chunks // beside)
        groups, step = low.number("groups of chunks", count, "n"), low.integer(beside)
        group, front = split(w, groups)
        first = b.call("multiply", group, step)
        behind = b.call("add", first, step)
        tall = low.number("panel rows", tiling.rows, "n")
        whole = b.call("less_equal", b.call("multiply", behind, tall), height)
        with b.when(whole):
            several(first, front)
        with b.when(b.call("not", whole)):
            with b.loop("c", first, low.least(behind, chunks)) as c:
                one_chunk(c, low.integer(0), front)
    return fronts * count


@dataclass(frozen=True, eq=False, slots=True)
class ParallelChunks:
    """The loops over the rows of several whole chunks.

    Attributes
    ----------
    low : Lowering
        The kernel.
    parts : Parts
        Where states are stored.
    columns : int
        Of a row.
    count : int
        Chunks.
    tall : Operand
        Rows of each.
    place : callable
        Gives the counters of the frames for a row and a column.
    computed : sequence of int
        The terms that reductions need.
    """

    low: Lowering
    parts: Parts
    columns: int
    count: int
    tall: Operand
    place: Callable[[Operand, Operand], AbstractContextManager[None]]
    computed: Sequence[int]

    def write(self, first: Operand, origins: Sequence[Value]) -> None:
        """Write the loop over rows where each element is computed as it is reduced.

        Parameters
        ----------
        first : Operand
            The first row of the first chunk.
        origins : sequence of Operand
            Where the states of each chunk begin.
        """
        b, low = self.low.builder, self.low
        states = self._declare()
        tops = self._tops(first)
        with b.loop("q", low.integer(0), self.tall) as q:
            for chunk, top in enumerate(tops):
                row = b.call("add", top, q)
                for column in range(self.columns):
                    with self.place(row, low.integer(column)):
                        low.write(self.computed)
                        self._step(states, chunk, column, row)
        self._store(states, origins)

    def write_ahead(
        self,
        first: Operand,
        origins: Sequence[Value],
        ahead: int,
        write_line: Callable[[Value, Operand, Operand], dict[int, Pointer]],
        capacity: int,
    ) -> None:
        """Write the loops over rows of which functions are computed before, some at a time.

        Parameters
        ----------
        first : Operand
            The first row of the first chunk.
        origins : sequence of Operand
            Where the states of each chunk begin.
        ahead : int
            Rows at a time.
        write_line : callable
            Writes what is computed of rows, from one to another, of a chunk; returns the memory.
        capacity : int
            Elements of memory of each chunk.
        """
        b, low = self.low.builder, self.low
        states = self._declare()
        block = low.number("rows ahead", ahead, "n")
        most = b.call("subtract", block, low.integer(1))
        blocks = b.call("divide", b.call("add", self.tall, most), block)
        with b.loop("k", low.integer(0), blocks, AxisKind.SCALAR) as k:
            begin = b.call("multiply", k, block)
            end = low.least(b.call("add", begin, block), self.tall)
            with b.loop("s", low.integer(0), low.integer(self.count), AxisKind.SCALAR) as s:
                top = b.call("add", first, b.call("multiply", s, self.tall))
                start, stop = (b.call("add", top, row) for row in (begin, end))
                values = write_line(s, start, stop)
            with b.loop("q", low.integer(0), b.call("subtract", end, begin)) as q, low.scope():
                before = b.call("multiply", q, low.integer(self.columns))
                for chunk in range(self.count):
                    for column in range(self.columns):
                        at = Index(chunk * capacity + column, ((1, before),))
                        with low.scope():
                            for term, pointer in values.items():
                                low.put(term, b.load(pointer, at))
                            self._step(states, chunk, column, q)
        self._store(states, origins)

    def _tops(self, first: Operand) -> list[Operand]:
        b, tops = self.low.builder, [first]
        for _ in range(self.count - 1):
            tops.append(b.call("add", tops[-1], self.tall))
        return tops

    def _declare(self) -> dict[tuple[int, int, int], list[Value]]:
        """Return the states, by reduction, chunk and column."""
        b = self.low.builder
        return {
            (k, chunk, column): [
                b.declare("state", b.literal(component.initial, component.dtype))
                for component in self.parts.components[k]
            ]
            for k in self.parts.reductions
            for chunk in range(self.count)
            for column in range(self.columns)
        }

    def _step(
        self,
        states: dict[tuple[int, int, int], list[Value]],
        chunk: int,
        column: int,
        row: Operand,
    ) -> None:
        low, b = self.low, self.low.builder
        for k in self.parts.reductions:
            own = states[k, chunk, column]
            value = low.value(low.terms[k].args[0])
            news = step_state(b, low.terms[k], [b.snapshot(state) for state in own], value, row)
            for state, new in zip(own, news, strict=True):
                b.assign(state, new)

    def _store(
        self, states: dict[tuple[int, int, int], list[Value]], origins: Sequence[Value]
    ) -> None:
        b = self.low.builder
        for (k, chunk, column), own in states.items():
            for n, state in enumerate(own):
                target = self.parts.pointer(self.low, k, n, True)
                b.store(target, Index(column, ((1, origins[chunk]),)), b.snapshot(state))
