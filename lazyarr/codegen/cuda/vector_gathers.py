"""Gathers of neighbouring elements on GPUs, loaded as vectors."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.cuda.index_context import DeviceIndices
from lazyarr.codegen.gathers import gathered_index, is_search
from lazyarr.codegen.loop_nest import Frame
from lazyarr.loop_ir.kernel import Operand, Value
from lazyarr.ops.gather import Gathered
from lazyarr.schedule.index_terms import Term, wrapped_steps

__all__ = ["vector_gathers"]


def vector_gathers(
    low: DeviceIndices, inner: Frame, base: Operand, width: int, chosen: Sequence[int]
) -> dict[int, tuple[Value, ...]]:
    """Write the gathers whose elements lie side by side, and those of rolled arrays in vectors.

    Parameters
    ----------
    low : DeviceIndices
        The kernel.
    inner : Frame
        The loop along which vectors follow one another.
    base : Operand
        Its counter.
    width : int
        Elements of a vector.
    chosen : sequence of int
        Terms to write; others than gathers, and gathers that are no vectors, are left out.
    """
    vectors: dict[int, tuple[Value, ...]] = {}
    axes = inner.axes[0].axes
    with low.inside(inner, (base,)):
        for k in chosen:
            term = low.terms[k]
            if term.base is None or low.get(k) is not None:
                continue
            assert isinstance(term.node.attr, Gathered)
            if is_search(term):
                continue
            place = low.accesses[term.base]
            rolled = [
                axis
                for axis, row in zip(term.node.attr.axes, wrapped_steps(term), strict=False)
                if inner.axes[0].stride(row)
            ]
            if rolled:
                vectors |= _vectors_around(low, inner, width, k, rolled)
                continue
            known = all(low.get(a) is not None for a in term.args)
            if not known or place.unit != 1 or inner.axes[0].stride(place.strides) != 1:
                continue
            if not _in_vectors(low, term, width, axes):
                continue
            pointer = low.aligned(place, term.dtype, width)
            vectors[k] = low.device.vector(pointer, gathered_index(low, term), width)
    return vectors


def _in_vectors(
    low: DeviceIndices, term: Term, width: int, inner: Sequence[int], beside: Sequence[int] = ()
) -> bool:
    """Whether a gather's steps keep addresses multiples of a vector.

    Parameters
    ----------
    low : DeviceIndices
        The kernel.
    term : Term
        The gather.
    width : int
        Elements of a vector.
    inner : sequence of int
        Axes of the domain along which vectors follow one another.
    beside : sequence of int, optional
        Axes of its source along which they do.
    """
    assert term.base is not None and isinstance(term.node.attr, Gathered)
    place, steps = low.accesses[term.base], low.analysis.layout_strides[term.base]
    jumps = [steps[axis] for axis in term.node.attr.axes if axis not in beside]
    jumps += [s for axis, s in enumerate(place.strides) if axis not in inner]
    return not any(jump % width for jump in (place.offset, *jumps))


def _vectors_around(
    low: DeviceIndices, inner: Frame, width: int, k: int, rolled: Sequence[int]
) -> dict[int, tuple[Value, ...]]:
    """Write the vectors in which the elements of an array lie that is rolled along the loop.

    Rows are whole vectors: each has its elements side by side, and lies where the place of its
    first element wraps around to.

    Parameters
    ----------
    low : DeviceIndices
        The kernel.
    inner : Frame
        The loop along which vectors follow one another.
    width : int
        Elements of a vector.
    k : int
        The rolled array.
    rolled : sequence of int
        Its axes that move along the loop and are rolled.

    Returns
    -------
    dict of int to tuple of Value
        The elements of the term; empty where its rows are no vectors.
    """
    term = low.terms[k]
    attr = term.node.attr
    assert term.base is not None and isinstance(attr, Gathered)
    place, (loop,), axis = low.accesses[term.base], inner.axes, rolled[0]
    size, row = term.node.shape[axis], term.view.coefficients[axis]
    if len(rolled) > 1 or size != loop.size or size % width or term.view.offsets[axis]:
        return {}
    if [step for step in row if step] != [1] or place.unit != 1 or loop.stride(place.strides):
        return {}
    beside = low.analysis.layout_strides[term.base][axis]
    if beside != 1 or not _in_vectors(low, term, width, loop.axes, rolled):
        return {}
    places = attr.places[attr.axes.index(axis)]
    moved = places if 2 * places <= size else places - size
    chunks: dict[int, tuple[Value, ...]] = {}
    elements = []
    for lane in range(width):
        chunk, position = divmod(lane - moved, width)
        if chunk not in chunks:
            pointer = low.aligned(place, term.dtype, width)
            index = gathered_index(low, term, {axis: places + chunk * width})
            chunks[chunk] = low.device.vector(pointer, index, width)
        elements.append(chunks[chunk][position])
    return {k: tuple(elements)}
