"""Rolled arrays that are read together: one copy with a halo in place of one for each of them.

A rolled array is a concatenation of two slices. An expression that reads an array rolled by several
small numbers of places, as periodic stencils do, would write each rolled array to memory. Instead,
one copy is written that has a halo: the array's last rows in front of it, and its first rows behind
it. All rolled arrays are slices of this copy, which kernels read at several index maps.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.builders import build
from lazyarr.core import tuning
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import View, identity_view, slice_view
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.gather import GATHER, Gathered
from lazyarr.schedule.groups import is_constant

__all__ = ["read_from_halos", "wrap_around"]


@dataclass(frozen=True, eq=False, slots=True)
class _Roll:
    """An array and the places by which it is rolled along each axis."""

    base: Node
    places: tuple[int, ...]


def read_from_halos(roots: Sequence[Node], final: dict[Node, Node]) -> tuple[Node, ...]:
    """Return the roots with the rolled arrays that they read as slices of arrays with halos.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    rolls = _rolls_in(order)
    if len(rolls) < 2:
        return tuple(roots)
    widths = _widths(roots, order, rolls)
    if not widths:
        return tuple(roots)
    replaced: dict[Node, Node] = {}
    halos: dict[Node, Node] = {}
    for value in order:
        roll = rolls.get(value)
        # Results are not replaced, and neither are rolls by more places than the halo has.
        is_read = roll is not None and roll.base in halos and value not in roots
        if roll is not None and is_read and _covers(widths[roll.base], roll.places):
            replaced[value] = _slice_of(halos[roll.base], widths[roll.base], value, roll.places)
            continue
        pointwise = value.op.kind is Kind.ELEMENTWISE
        src = []
        for source in value.src:
            if pointwise and source in halos:  # the kernel reads one array less
                nowhere = (0,) * source.ndim
                src.append(_slice_of(halos[source], widths[source], source, nowhere))
            else:
                src.append(replaced[source])
        moved = replaced[value] = replace_sources(value, tuple(src))
        if value in widths:
            halos[value] = _with_halo(moved, widths[value], 0)
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    return tuple(replaced[root] for root in roots)


def wrap_around(roots: Sequence[Node], final: dict[Node, Node]) -> tuple[Node, ...]:
    """Return the roots with rolled arrays that kernels read where their indices wrap around.

    These are rolls of arrays in memory, and of arrays that are rolled in several ways. Other rolls
    are computed in parts.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    rolls = _rolls_in(order)
    halves = {source for value in rolls for source in value.src}
    readers: dict[Node, int] = {}
    for value in order:
        if value not in halves:
            for source in dict.fromkeys(value.src):
                readers[source] = readers.get(source, 0) + 1
    chosen = {
        value
        for value, roll in rolls.items()
        if value not in roots and value in readers and _is_in_memory(roll.base)
    }
    of_base: dict[Node, set[Node]] = {}
    for value, roll in rolls.items():
        if value not in roots and value in readers and not is_constant(_source_of(roll.base)):
            of_base.setdefault(roll.base, set()).add(value)
    for base, several in of_base.items():
        if len(several) + readers.get(base, 0) > 1 or base in roots:
            chosen |= several
    if not chosen:
        return tuple(roots)
    replaced: dict[Node, Node] = {}
    for value in order:
        if value in chosen:
            roll = rolls[value]
            replaced[value] = _wrapped(replaced[roll.base], roll.places, value)
        else:
            replaced[value] = replace_sources(value, tuple([replaced[s] for s in value.src]))
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    return tuple(replaced[root] for root in roots)


def _source_of(value: Node) -> Node:
    """Return the value that views show."""
    while value.op.kind is Kind.VIEW:
        value = value.src[0]
    return value


def _is_in_memory(base: Node) -> bool:
    """Whether kernels find a value in memory, whatever reads it."""
    source = _source_of(base)
    stored = (Kind.LEAF, Kind.PARAMETER, Kind.REDUCE, Kind.SCAN, Kind.LIBRARY, Kind.CONCATENATE)
    return source.op.kind in stored and not is_constant(source)


def _wrapped(base: Node, places: tuple[int, ...], value: Node) -> Node:
    """Return a rolled array as one whose elements are read where their indices wrap around."""
    along = {
        axis: moved % size
        for axis, (moved, size) in enumerate(zip(places, value.shape, strict=True))
        if moved % size
    }
    if not along:
        return base
    ndim = value.ndim
    rows = tuple(
        (0,) * ndim if axis in along else row
        for axis, row in enumerate(identity_view(ndim).coefficients)
    )
    attr = Gathered(View((0,) * ndim, rows), tuple(along), places=tuple(along.values()))
    return node(GATHER, (base,), value.dtype, value.shape, attr, value.origin)


def _rolls_in(order: Sequence[Node]) -> dict[Node, _Roll]:
    """Return the rolled arrays, with their sources and shifts."""
    rolls: dict[Node, _Roll] = {}
    for value in order:
        if value.op.kind is not Kind.CONCATENATE or len(value.src) != 2:
            continue
        end, beginning = value.src
        axis, index_map = value.attr, beginning.attr
        if end.op.kind is not Kind.VIEW or beginning.op.kind is not Kind.VIEW:
            continue
        if end.src != beginning.src or not isinstance(axis, int):
            continue
        assert isinstance(index_map, View) and isinstance(end.attr, View)
        count, cut = end.shape[axis], beginning.shape[axis]
        starts = tuple(
            offset + row[axis] * cut
            for offset, row in zip(index_map.offsets, index_map.coefficients, strict=True)
        )
        if end.attr != View(starts, index_map.coefficients):
            continue
        base = build.view(beginning.src[0], index_map, value.shape)
        if base is not beginning.src[0]:
            continue
        places = [0] * value.ndim
        inner = rolls.get(base)
        if inner is not None:
            base, places = inner.base, list(inner.places)
        size = value.shape[axis]
        moved = places[axis] + (count if 2 * count <= size else count - size)
        places[axis] = moved
        rolls[value] = _Roll(base, tuple(places))
    return rolls


def _widths(
    roots: Sequence[Node], order: Sequence[Node], rolls: dict[Node, _Roll]
) -> dict[Node, tuple[tuple[int, int], ...]]:
    """Return, for arrays of which several rolled ones are read, the halo along each axis."""
    halves = {source for value in rolls for source in value.src}
    read = {source for value in order if value not in halves for source in value.src}
    of_base: dict[Node, list[tuple[int, ...]]] = {}
    for value, roll in rolls.items():
        if value in read and value not in roots:
            of_base.setdefault(roll.base, []).append(roll.places)
    widths = {}
    for base, several in of_base.items():
        if len(set(several)) < 2:
            continue
        along = tuple(
            (max(0, *column), max(0, *[-places for places in column]))
            for column in zip(*several, strict=True)
        )
        pairs = list(zip(along, base.shape, strict=True))
        few = sum(before + behind > 0 for before, behind in along) <= tuning.row().halo_axes
        part = tuning.row().halo_part
        if few and all(part * (before + behind) <= size for (before, behind), size in pairs):
            widths[base] = along
    return widths


def _covers(widths: tuple[tuple[int, int], ...], places: tuple[int, ...]) -> bool:
    """Return whether a halo has all elements of a rolled array."""
    return all(
        -behind <= moved <= before for (before, behind), moved in zip(widths, places, strict=True)
    )


def _with_halo(value: Node, widths: tuple[tuple[int, int], ...], axis: int) -> Node:
    """Return an array with its halo along an axis and those behind it."""
    while axis < value.ndim and widths[axis] == (0, 0):
        axis += 1
    if axis == value.ndim:
        return value
    before, behind = widths[axis]
    size = value.shape[axis]
    parts = []
    for start, count in ((size - before, before), (0, size), (0, behind)):
        starts, shape = [0] * value.ndim, list(value.shape)
        starts[axis], shape[axis] = start, count
        if count:
            part = build.view(value, slice_view(starts, [1] * value.ndim), tuple(shape))
            parts.append(_with_halo(part, widths, axis + 1))
    return build.concatenate(parts, axis)


def _slice_of(
    halo: Node, widths: tuple[tuple[int, int], ...], value: Node, places: tuple[int, ...]
) -> Node:
    """Return a rolled array as a slice of an array with a halo."""
    offsets = tuple(before - moved for (before, _), moved in zip(widths, places, strict=True))
    return build.view(halo, View(offsets, identity_view(value.ndim).coefficients), value.shape)
