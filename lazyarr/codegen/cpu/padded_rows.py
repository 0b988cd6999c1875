"""Lowering of elementwise kernels whose short rows lie in longer ones: gaps are computed too.

The inner points of a grid whose last axis has seven elements are rows of five or three, which fill
no vector. All operands of a stencil step alike, by the whole row of seven from one row to the next.
So a line over several rows, the elements between them included, is contiguous in each operand: it
is computed in whole vectors to a tile, of which the rows are copied to where they belong. What lies
between rows is memory of the operands, and what is computed of it is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.row_pieces import are_fewer, blocks_of_chain, pieces_by_halves
from lazyarr.codegen.cpu.windows import find_anchors, kind_of_chain
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.padding_tiling import PaddingTiling
from lazyarr.codegen.processor_tilings import MapTiling
from lazyarr.codegen.status_checks import suspects
from lazyarr.core.frozen import replace
from lazyarr.core.vector_registers import registers
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["lower_padded", "padded_tiling", "row_slowness"]


def padded_tiling(group: GroupTerms) -> MapTiling | None:
    """Return the tiling of rows computed with their padding; None if that is not possible.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    row = tuning.row()
    axes = group.frame(range(len(group.domain))).axes
    if len(axes) < 2 or any(type(axis.size) is not int for axis in axes):
        return None  # of a plan that serves many lengths
    if any(axis.size == 0 for axis in axes):
        return None
    rows, length = axes[-2].size, axes[-1].size
    pitch, copied = _pitch(group, *axes[-2:])
    if not length < pitch <= row.tile_elements:
        return None
    itemsize = max(register_dtype(term.dtype).itemsize for term in group.terms)
    lanes = row.row_vector_bytes // itemsize
    most = min(rows, row.tile_elements // pitch)
    elements = {count: (count - 1) * pitch + length for count in range(most, most // 2, -1)}
    whole = [count for count in elements if elements[count] >= lanes]
    if not whole:
        return None
    best = min(whole, key=lambda count: -(-elements[count] // lanes) / count)
    padding = PaddingTiling(
        best,
        pitch,
        elements[best],
        lanes,
        row.tile_elements,
        copied,
        len({k for k, _ in group.stores}),
        length <= row.written_out_copy,
    )
    chunk = max(1, group.grain() // (best * length))
    return MapTiling(length, length, chunk, rows=best, padding=padding)


def row_slowness(group: GroupTerms) -> float:
    """Return the time of arithmetic in rows that lie apart over its time in whole vectors.

    It is 1 for rows that can't be padded, which may lie side by side.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    if padded_tiling(group) is None:
        return 1.0
    row = tuning.row()
    length = group.frame(range(len(group.domain))).axes[-1].size
    widest = max(register_dtype(term.dtype).itemsize for term in group.terms)
    lanes = max(1, registers().nbytes // widest)
    vectors: float = -(-length // lanes)
    if length > row.written_out_loop and not suspects(group.terms):
        computed = group.needed([k for k, _ in group.stores])
        kind = kind_of_chain(group, find_anchors(group), computed)
        if parts := blocks_of_chain(length, lanes, kind):
            return parts.waiting(length) * lanes / length
        if kind is not AxisKind.SERIAL:
            return row.vector_waits[1] * vectors * lanes / length
    blocks = lanes < length <= row.block_row and are_fewer(length, lanes)
    if length > row.written_out_loop and not blocks:
        vectors = pieces_by_halves(length, lanes)
    return vectors * lanes / length


def _pitch(group: GroupTerms, around: LoopAxis, along: LoopAxis) -> tuple[int, tuple[int, ...]]:
    """Return by how many elements most operands step from row to row, and the others.

    It is 0 where rows cannot be padded. What is computed between them may set flags of the
    processor, so that is additions and the like alone: of them only numbers near the largest do.
    """
    pitches: dict[int, int] = {}
    moving = []
    for k in group.needed([k for k, _ in group.stores]):
        term = group.terms[k]
        if not term.loaded:
            plain = term.node.op.kind in (Kind.ELEMENTWISE, Kind.CONSTANT, Kind.PARAMETER)
            if not plain or term.node.op.loop or term.node.op.cost > tuning.row().padded_cost:
                return 0, ()
            continue
        place = group.accesses[k]
        step, element = around.stride(place.strides), along.stride(place.strides)
        if step or element:
            moving.append(k)
            if element == place.unit and type(step) is int and step % place.unit == 0:
                pitches[k] = step // place.unit
    counts = Counter(pitches.values())
    pitch = max(counts, key=lambda step: counts[step], default=0)
    copied = tuple(k for k in moving if pitches.get(k) != pitch)
    return (pitch, copied) if counts[pitch] > len(copied) else (0, ())


def lower_padded(low: Lowering, comments: Sequence[str], tiling: MapTiling) -> Lowered:
    """Return the kernel; a work item is a tile of rows.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : MapTiling
        How it is cut.
    """
    padding = tiling.padding
    if padding is None:
        raise ContractError(f"{low.name} has no padded rows")
    b = low.builder
    frame = low.frame(range(len(low.group.domain)))
    outer, inner = Frame(frame.axes[:-2]), Frame(frame.axes[-2:])
    around = inner.axes[0]
    blocks = -(-around.size // padding.rows)
    rows = low.number("rows", padding.rows, "n")
    all_rows = low.number(("size", around.axes), around.size, "n")
    areas = _tile(low, padding)
    with b.loop("w", low.begin, low.end, AxisKind.PARALLEL) as w:
        item: Operand = w
        begin: Operand = low.integer(0)
        first: Operand = begin
        end: Operand = all_rows
        if blocks > 1:
            count = low.number("blocks", blocks, "n")
            item = b.call("divide", w, count)
            begin = b.call("multiply", b.call("remainder", w, count), rows)
            # The last tile is whole, too: of its first rows it stores none.
            first = low.least(begin, b.call("subtract", all_rows, rows))
            end = low.least(b.call("add", begin, rows), all_rows)
        with low.inside(outer, low.decode(item, outer)):
            last = b.call("add", first, rows)
            for k in padding.copied:
                with _rows(low, padding, inner, (first, first, last)) as place:
                    low.write(low.needed([k]))
                    b.store(areas[k], place, low.value(k))
            _compute(low, padding, inner, first, areas)
            with _rows(low, padding, inner, (first, begin, end)) as place:
                results = {k: b.load(areas[k], place) for k, _ in low.stores}
                for k, target in low.stores:
                    low.put(k, results[k])
                    low.store(k, target)
    launch = low.launch(outer.size * blocks, tiling.chunk, comments)
    return Lowered(low.group, (replace(launch, tiling=tiling),), 0, 0)


def _tile(low: Lowering, padding: PaddingTiling) -> dict[int, Pointer]:
    """Return the memory of operands and results in the tile.

    Between the rows of operands are zeros, once for all tiles.
    """
    b = low.builder
    areas: dict[int, Pointer] = {}
    for k in dict.fromkeys((*padding.copied, *(k for k, _ in low.stores))):
        dtype = register_dtype(low.terms[k].dtype)
        areas[k] = b.local("tile", dtype, padding.capacity)
        if k in padding.copied:
            with b.loop("z", low.integer(0), low.integer(padding.capacity)) as z:
                b.store(areas[k], Index(0, ((1, z),)), b.literal(0, dtype))
    return areas


def _compute(
    low: Lowering,
    padding: PaddingTiling,
    inner: Frame,
    first: Operand,
    areas: Mapping[int, Pointer],
) -> None:
    """Write the loops that compute a tile from its first row on."""
    b = low.builder
    results = list(dict.fromkeys(k for k, _ in low.stores))
    width = low.integer(padding.lanes)
    vectors = low.number("vectors", padding.vectors, "n")
    latest = low.number("latest", padding.elements - padding.lanes, "n")
    with b.loop("k", low.integer(0), vectors, AxisKind.SCALAR) as k:
        start = low.least(b.call("multiply", k, width), latest)
        with b.loop("l", low.integer(0), width, AxisKind.INTERLEAVED) as lane:
            element = b.call("add", start, lane)
            place = Index(0, ((1, element),))
            with low.inside(inner, (first, element)):
                for term in padding.copied:
                    low.put(term, b.load(areas[term], place))
                low.write(low.needed(results, padding.copied))
                for term in results:
                    b.store(areas[term], place, low.value(term))


@contextmanager
def _rows(
    low: Lowering,
    padding: PaddingTiling,
    inner: Frame,
    limits: tuple[Operand, Operand, Operand],
) -> Iterator[Index]:
    """Open the loops over elements of rows, and yield the place of each in the tile.

    Parameters
    ----------
    low : Lowering
        The kernel.
    padding : PaddingTiling
        How it is cut.
    inner : Frame
        The loops over rows and their elements.
    limits : tuple of Operand
        The first row of the tile, the first of the loop, and the one behind its last.
    """
    b, along = low.builder, inner.axes[1]
    stop: Operand = low.integer(along.size)
    kind = AxisKind.LANES
    if not padding.written_out:
        stop, kind = low.number(("size", along.axes), along.size, "n"), AxisKind.SERIAL
    first, begin, end = limits
    pitch = low.number("pitch", padding.pitch, "n")
    with b.loop("q", begin, end) as q:
        line = b.call("multiply", b.call("subtract", q, first), pitch)
        with b.loop("j", low.integer(0), stop, kind) as j, low.inside(inner, (q, j)):
            yield Index(0, ((1, b.call("add", line, j)),))
