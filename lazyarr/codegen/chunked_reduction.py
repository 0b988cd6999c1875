"""Lowering of reductions that many work items share: long rows, and axes in front of kept ones.

The first kernel reduces fixed chunks and stores each chunk's state; the second combines the
states in order and computes what follows from the results. How the work is cut depends on the
shape alone. Squared deviations are taken about a centre of each chunk: its own mean, or that of its
first rows, so that memory is read once. They are moved to the mean of all chunks as Chan, Golub and
LeVeque do (Algorithms for computing the sample variance, The American Statistician 37, 1983), with
the sum of the deviations kept, so that neither what the centre is nor its rounding matters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Launch
from lazyarr.codegen.reducers import (
    Accumulator,
    Component,
    components_of,
    reducer_of,
)
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value

__all__ = [
    "CENTRE",
    "Combination",
    "Parts",
    "align",
    "away_from",
    "chunk_terms",
    "combine",
    "deviations",
    "full_stores",
    "known_mean",
    "mean_of",
    "reductions_of",
    "squares_about",
]

FLOAT64 = np.dtype(np.float64)

#: The place of the centre among the components of deviations: behind squares and their sum.
CENTRE = 2


def align(nbytes: int) -> int:
    """Return `nbytes` rounded up to whole cache lines."""
    return -(-nbytes // 64) * 64


class Parts:
    """Memory of the chunks' states: an array for each component, indexed by chunk, then output."""

    def __init__(self, low: Lowering, chunks: int, outputs: int) -> None:
        self.reductions = reductions_of(low)
        self.chunks = chunks
        self.outputs = outputs
        self.offsets: dict[tuple[int, int], int] = {}
        self.components: dict[int, tuple[Component, ...]] = {}
        at = 0
        for k in self.reductions:
            self.components[k] = components_of(low.terms[k])
            if k in deviations(low, self.reductions):
                # The sum of the deviations, and the centre that they are taken from.
                self.components[k] += (Component(FLOAT64, 0), Component(FLOAT64, 0))
            for n, component in enumerate(self.components[k]):
                self.offsets[k, n] = at
                at += align(chunks * outputs * component.dtype.itemsize)
        self.nbytes = at

    def pointer(self, low: Lowering, k: int, n: int, write: bool) -> Pointer:
        """Return the array of one component of a reduction.

        Parameters
        ----------
        low : Lowering
            Of the kernel.
        k : int
            The reduction: the number of its term.
        n : int
            The component: its number in the state; then the sum of deviations and their centre.
        write : bool
            Whether the kernel writes there.
        """
        dtype = self.components[k][n].dtype
        return low.scratch(("part", k, n), dtype, self.offsets[k, n], False, write)


def reductions_of(low: Lowering | GroupTerms) -> list[int]:
    """Return the terms that a kernel reduces."""
    return [
        k
        for k, term in enumerate(low.terms)
        if not term.loaded and term.node.op.kind is Kind.REDUCE
    ]


def deviations(low: Lowering | GroupTerms, reductions: Sequence[int]) -> list[int]:
    """Return the deviations whose sum is taken in the same pass.

    Parameters
    ----------
    low : Lowering or GroupTerms
        The terms of the kernel.
    reductions : sequence of int
        The terms that the kernel reduces.
    """
    return [
        k
        for k in reductions
        if reducer_of(low.terms[k]).centred and low.terms[k].args[1] in reductions
    ]


def full_stores(low: Lowering | GroupTerms, reduced: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the positions of the stores that span the rows, and of the others.

    Parameters
    ----------
    low : Lowering or GroupTerms
        The terms of the kernel, and its stores.
    reduced : sequence of int
        The domain axes that are reduced. A store spans the rows if it moves along one of them and
        needs no reduction.
    """
    full: list[int] = []
    rest: list[int] = []
    for position, (k, place) in enumerate(low.stores):
        spans = any(place.strides[axis] for axis in reduced)
        needs = any(
            low.terms[j].node.op.kind is Kind.REDUCE and not low.terms[j].loaded
            for j in low.needed([k])
        )
        (full if spans and not needs else rest).append(position)
    return full, rest


def chunk_terms(
    low: Lowering | GroupTerms, stores: Sequence[int], reductions: Sequence[int]
) -> list[int]:
    """Return the terms that one element's reductions and stores consume.

    Parameters
    ----------
    low : Lowering or GroupTerms
        The terms of the kernel, and its stores.
    stores : sequence of int
        Positions of the stores that span the rows.
    reductions : sequence of int
        The terms that the kernel reduces.
    """
    sinks = [low.terms[k].args[0] for k in reductions]
    return sinks + [low.stores[p][0] for p in stores]


def known_mean(low: Lowering, k: int, length: int) -> Operand | None:
    """Write the mean of a deviation whose sum was computed before; None for other reductions.

    Parameters
    ----------
    low : Lowering
        Of the kernel.
    k : int
        The reduction: the number of its term.
    length : int
        Elements of a row.
    """
    if not reducer_of(low.terms[k]).centred:
        return None
    b = low.builder
    total = low.terms[k].args[1]
    low.write(low.needed([total]))
    count = b.call("convert", low.number("length of row", length, "n"), dtype=FLOAT64)
    return b.call("divide", b.call("convert", low.value(total), dtype=FLOAT64), count)


def away_from(low: Lowering, value: Operand, mean: Operand) -> Operand:
    """Write the distance of a value from a mean.

    Parameters
    ----------
    low : Lowering
        Of the kernel.
    value : Operand
        An element, of any real dtype.
    mean : Operand
        A float64.
    """
    b = low.builder
    return b.call("subtract", b.call("convert", value, dtype=FLOAT64), mean)


def mean_of(low: Lowering, total: Operand, elements: Operand) -> Operand:
    """Write the mean of some elements whose sum is known.

    Parameters
    ----------
    low : Lowering
        Of the kernel.
    total : Operand
        The sum, of any real dtype.
    elements : Operand
        How many elements were summed: an integer.
    """
    b = low.builder
    count = b.call("convert", elements, dtype=FLOAT64)
    return b.call("divide", b.call("convert", total, dtype=FLOAT64), count)


class Combination:
    """The kernel that combines the states of chunks, before it is written.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    parts : Parts
        Where the states lie.
    kept : sequence of int
        The domain axes of the results.
    stores : sequence of int
        The positions of the stores to make.
    chunk_elements : callable
        Writes how many elements the chunk of a number has, from that number, an int64.
    elements : int
        How many elements all chunks of one output have.

    Attributes
    ----------
    late : list of int
        The reductions that need the results of others: squared deviations.
    after : list of int
        The terms that are computed from the results.
    frame : Frame
        The loop nest of the results.
    """

    def __init__(
        self,
        low: Lowering,
        parts: Parts,
        kept: Sequence[int],
        stores: Sequence[int],
        chunk_elements: Callable[[Operand], Operand],
        elements: int,
    ) -> None:
        self.low, self.parts, self.stores = low, parts, stores
        self.chunk_elements, self.elements = chunk_elements, elements
        self.late = deviations(low, parts.reductions)
        sinks = [low.stores[p][0] for p in stores]
        self.after = [k for k in low.needed(sinks, parts.reductions) if k not in parts.reductions]
        self.frame = low.frame(kept, {*self.after, *sinks})

    def write_results(self) -> None:
        """Write the terms behind the reductions, whose results are known, and the stores."""
        low = self.low
        low.write(k for k in self.after if low.get(k) is None)
        for p in self.stores:
            low.store(*low.stores[p])


def combine(combination: Combination, comments: Sequence[str], combining: int) -> Launch:
    """Write the kernel that combines the chunks' states and computes the epilogue.

    The states of one output lie side by side.

    Parameters
    ----------
    combination : Combination
        What it consists of.
    comments : sequence of str
        Lines for the reader above the kernel.
    combining : int
        Outputs that are worth handing to another thread.
    """
    low, parts, late = combination.low, combination.parts, combination.late
    b, frame = low.builder, combination.frame
    with b.loop("o", low.begin, low.end) as o:
        with low.inside(frame, low.decode(o, frame)):
            sums = {
                k: Accumulator(b, low.terms[k], True) for k in parts.reductions if k not in late
            }
            chunks = low.number("chunks", parts.chunks, "n")

            def load(k: int, c: Value) -> list[Operand]:
                place = Index(0, ((1, b.call("multiply", o, chunks)), (1, c)))
                count = len(parts.components[k])
                return [b.load(parts.pointer(low, k, n, False), place) for n in range(count)]

            with b.loop("c", low.integer(0), chunks) as c:
                for k, accumulator in sums.items():
                    accumulator.merge(load(k, c))
            if late:
                squares = {k: Accumulator(b, low.terms[k], True) for k in late}
                elements = low.number("elements", combination.elements, "n")
                means = {
                    k: mean_of(low, sums[low.terms[k].args[1]].state()[0], elements) for k in late
                }
                with b.loop("c", low.integer(0), chunks) as c:
                    for k, accumulator in squares.items():
                        size = combination.chunk_elements(c)
                        about = squares_about(low, means[k], size, load(k, c))
                        accumulator.merge([about])
                sums |= squares
            for k, accumulator in sums.items():
                low.put(k, accumulator.result())
            combination.write_results()
    return low.launch(parts.outputs, combining, comments)


def squares_about(
    low: Lowering, mean: Operand, elements: Operand, parts: Sequence[Operand]
) -> Operand:
    """Write a chunk's squared deviations about the mean of all chunks.

    The chunk's squares and its sum of deviations are about its own centre. The difference of two
    nearby numbers is exact, and so the squares keep their digits however large the mean is.

    Parameters
    ----------
    low : Lowering
        Of the kernel.
    mean : Operand
        Of all chunks: a float64.
    elements : Operand
        How many elements the chunk has: an int64.
    parts : sequence of Operand
        The chunk's squares, its sum of deviations and its centre, each a float64.
    """
    b = low.builder
    squares, drift, centre = parts
    gap = b.call("subtract", centre, mean)
    count = b.call("convert", elements, dtype=FLOAT64)
    twice = b.call("add", drift, drift)
    between = b.call("add", twice, b.call("multiply", count, gap))
    return b.call("add", squares, b.call("multiply", gap, between))
