"""The second kernel of reductions down columns: combining panels, many columns side by side.

The states of one panel lie side by side, so that columns are lanes of vectors. The compensated
additions of one column wait for each other; those of a few vectors of columns do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lazyarr.codegen import shared_tuning
from lazyarr.codegen.chunked_reduction import Combination, mean_of, squares_about
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.launch import Launch
from lazyarr.codegen.processor_tilings import PanelTiling
from lazyarr.codegen.reducers import (
    initial_state,
    is_compensated,
    merge_states,
    result_of,
    total_of,
)
from lazyarr.core.vector_registers import registers
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand, Pointer, Value

__all__ = ["choose_combining", "combine_columns"]


def choose_combining(chunks: int) -> tuple[int, int]:
    """Return the columns that are combined side by side, and those that one call takes at least.

    Parameters
    ----------
    chunks : int
        States of each column.
    """
    lanes = tuning.row().combined_vectors * registers().nbytes // 8
    states = shared_tuning.row().combined_states
    return lanes, max(lanes, states // max(1, chunks) // lanes * lanes)


def combine_columns(
    combination: Combination, comments: Sequence[str], tiling: PanelTiling
) -> Launch:
    """Write the kernel that combines the states of panels and computes the epilogue.

    Parameters
    ----------
    combination : Combination
        What it consists of; the states of one panel lie side by side.
    comments : sequence of str
        Lines for the reader above the kernel.
    tiling : PanelTiling
        How the reduction is cut.
    """
    low, lanes = combination.low, tiling.lanes
    b = low.builder
    block = _Block(combination)
    # Ranges of columns begin at whole blocks, so which columns the rest has depends on no thread.
    width = low.integer(lanes)
    blocks = b.call("divide", b.call("subtract", low.end, low.begin), width)
    with b.loop("b", low.integer(0), blocks) as number:
        block.write(b.call("add", low.begin, b.call("multiply", number, width)), width, lanes)
    rest = b.call("add", low.begin, b.call("multiply", blocks, width))
    with b.loop("o", rest, low.end) as o:
        block.write(o, low.integer(1), 1)
    return low.launch(combination.parts.outputs, tiling.combining, comments)


class _Block:
    """Columns that are combined together, with their states in local memory."""

    def __init__(self, combination: Combination) -> None:
        self.combination = combination
        self.low, self.parts = low, parts = combination.low, combination.parts
        self.chunks = low.number("chunks", parts.chunks, "n")
        self.outputs = low.number("outputs", parts.outputs, "n")
        self.elements = low.number("elements", combination.elements, "n")

    def write(self, first: Operand, width: Operand, lanes: int) -> None:
        """Write the combination of some columns.

        Parameters
        ----------
        first : Operand
            The first column.
        width : Operand
            The number of columns.
        lanes : int
            The most that it may be.
        """
        low, b, parts = self.low, self.low.builder, self.parts
        late, frame = self.combination.late, self.combination.frame
        kind = AxisKind.LANES if lanes > 1 else AxisKind.SCALAR
        states: dict[int, list[Pointer]] = {}
        early = [k for k in parts.reductions if k not in late]

        @contextmanager
        def each() -> Iterator[Index]:
            with b.loop("l", low.integer(0), width, kind) as lane, low.scope():
                yield Index(0, ((1, lane),))

        def begin(reductions: Sequence[int]) -> None:
            for k in reductions:
                numbers = initial_state(b, low.terms[k])
                states[k] = [b.local("state", value.dtype, lanes) for value in numbers]
            with each() as at:
                for k in reductions:
                    numbers = initial_state(b, low.terms[k])
                    for pointer, value in zip(states[k], numbers, strict=True):
                        b.store(pointer, at, value)

        def state(k: int, at: Index) -> list[Operand]:
            return [b.load(pointer, at) for pointer in states[k]]

        def merge(k: int, at: Index, new: list[Operand]) -> None:
            merged = merge_states(b, low.terms[k], state(k, at), new)
            for pointer, value in zip(states[k], merged, strict=True):
                b.store(pointer, at, value)

        begin(early)
        with b.loop("c", low.integer(0), self.chunks) as c:
            with each() as at:
                for k in early:
                    merge(k, at, self._part(k, c, first, at))
        if late:
            begin(late)
            means = {k: b.local("mean", parts.components[k][-1].dtype, lanes) for k in late}
            with each() as at:
                for k, pointer in means.items():
                    total = low.terms[k].args[1]
                    numbers = state(total, at)
                    whole = total_of(b, numbers) if is_compensated(low.terms[total]) else numbers[0]
                    b.store(pointer, at, mean_of(low, whole, self.elements))
            with b.loop("c", low.integer(0), self.chunks) as c:
                elements = self.combination.chunk_elements(c)
                with each() as at:
                    for k, pointer in means.items():
                        part = self._part(k, c, first, at)
                        merge(k, at, [squares_about(low, b.load(pointer, at), elements, part)])
        with each() as at:
            ((_, lane),) = at.terms
            column = b.call("add", first, lane)
            with low.inside(frame, low.decode(column, frame)):
                for k in parts.reductions:
                    low.put(k, result_of(b, low.terms[k], state(k, at)))
                self.combination.write_results()

    def _part(self, k: int, c: Value, first: Operand, at: Index) -> list[Operand]:
        """Write the load of the partial state of panel `c` of a reduction."""
        low, parts = self.low, self.parts
        assert isinstance(first, Value)
        place = Index(0, ((self.outputs, c), (1, first), *at.terms))
        count = len(parts.components[k])
        return [low.builder.load(parts.pointer(low, k, n, False), place) for n in range(count)]
