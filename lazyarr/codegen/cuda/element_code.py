"""The code of an element: how many neighbours it is for, and how often a kernel may have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from lazyarr.codegen.cuda import compile_cost, tuning
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Access, LoopAxis
from lazyarr.core.dtypes import kind_of
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.index_terms import position_of

__all__ = ["ElementCode"]

DType = np.dtype[Any]


class ElementCode:
    """Decisions about an element's code, made before it is generated.

    Parameters
    ----------
    group : GroupTerms
        What the kernel computes, reads and writes.
    vectors : bool
        Whether neighbouring elements may be loaded at once.

    Attributes
    ----------
    vectors : bool
        The same.
    """

    def __init__(self, group: GroupTerms, vectors: bool) -> None:
        self._terms, self._domain = group.terms, group.domain
        self._accesses, self._stores = group.accesses, group.stores
        self.vectors = vectors

    def width(
        self,
        inner: LoopAxis,
        terms: Iterable[int],
        stores: Iterable[int],
        ragged: bool = False,
        most: int | None = None,
        shifted: bool = False,
    ) -> int:
        """Return the number of neighbours along an axis that can be loaded and stored together.

        Operands must be contiguous along it or not move, and all other steps must keep the
        address a multiple of the vector. So must the length, unless it may be `ragged`. Where
        random numbers are all that there is, neighbours share the words that they are made of.

        Parameters
        ----------
        inner : LoopAxis
            The innermost loop.
        terms : iterable of int
            The terms that are computed for each element.
        stores : iterable of int
            Positions of the stores.
        ragged : bool, optional
            Whether the last vector of a domain without other axes may have fewer elements.
        most : int, optional
            Most neighbours: a granule (see :mod:`lazyarr.codegen.cuda.summation`).
        shifted : bool, optional
            Whether an operand may begin anywhere: vectors around its elements are loaded.
        """
        if not self.vectors or not inner.axes or inner.size < 2:
            return 1
        chosen = list(terms)
        places = [(self._accesses[k], self._terms[k].dtype) for k in chosen if k in self._accesses]
        loads = len(places)
        places += [(self._stores[p][1], self._terms[self._stores[p][0]].dtype) for p in stores]
        anywhere = {id(place) for place, _ in places[:loads]} if shifted else set()
        moving = [(a, d) for a, d in places if inner.stride(a.strides)]
        moving = moving or list(self._drawn(chosen))
        if not moving or any(inner.stride(a.strides) != a.unit for a, _ in moving):
            return 1
        width = min(
            tuning.row().vector_elements if most is None else most,
            tuning.row().vector_bytes // max(d.itemsize for _, d in moving),
        )
        # Neighbours share most of the code of random numbers.
        cost = 2 * self._cost(chosen) - self._cost(self._draws(chosen))
        width = _halved(width, cost, tuning.row().written_cost_wide)
        axes = set(inner.axes)
        alone = all(size == 1 for axis, size in enumerate(self._domain) if axis not in axes)
        while width > 1:
            whole = inner.size % width == 0 or (
                ragged and alone and inner.size > tuning.row().vector_elements
            )
            fits = whole and all(
                (id(place) in anywhere or place.offset % (width * place.unit) == 0)
                and all(
                    stride % (width * place.unit) == 0 or self._domain[axis] == 1
                    for axis, stride in enumerate(place.strides)
                    if axis not in axes
                )
                for place, _ in moving
            )
            if fits:
                return width
            width //= 2
        return 1

    def _drawn(self, terms: Iterable[int]) -> Iterator[tuple[Access, DType]]:
        """Yield the places of random numbers among those of their draw, as if that were memory."""
        for k in self._draws(terms):
            term = self._terms[k]
            offset, strides = position_of(term, self._domain)
            yield Access(term.node, offset, strides), term.dtype

    def _draws(self, terms: Iterable[int]) -> list[int]:
        """Return the terms that are random numbers."""
        return [
            k
            for k in terms
            if self._terms[k].node.op.kind is Kind.GENERATE and _counted(self._terms[k].node)
        ]

    def may_overshoot(self, terms: Iterable[int]) -> bool:
        """Whether terms may be computed for elements that are not there, as `ragged` vectors do.

        Not where numbers of elements look something up, or a loop waits for values.
        """
        chosen = (self._terms[k] for k in terms)
        return all(term.base is None and term.node.op.loop is None for term in chosen)

    def written_out(
        self, terms: Iterable[int], most: int, each: int = 1, limit: int | None = None
    ) -> int:
        """Return the number of copies of the terms' code that may follow one another.

        Parameters
        ----------
        terms : iterable of int
            What is computed.
        most : int
            Copies at most: a power of two; the number is that, halved until it fits.
        each : int, optional
            How often the code of one copy is there: once for each neighbour.
        limit : int, optional
            What the costs of all copies may add up to.
        """
        limit = tuning.row().written_cost if limit is None else limit
        return _halved(most, each * self._cost(terms), limit)

    def _cost(self, terms: Iterable[int]) -> int:
        """Return the costs of expensive operations in one copy of the terms' code."""
        return sum(_counted(self._terms[k].node) for k in terms if self._terms[k].args)

    def overlapping(self, terms: Iterable[int], most: int, each: int, share: float = 1.0) -> int:
        """Return the unroll factor of a loop whose loads are to overlap.

        Parameters
        ----------
        terms : iterable of int
            What is computed in an iteration.
        most : int
            The factor at most: a power of two; it is halved until the code is short enough.
        each : int
            Neighbours that an iteration computes.
        share : float, optional
            Of the time that NVRTC may take for them.
        """
        return _halved(most, each * self.compile_cost(terms), share * tuning.row().nvrtc_limit)

    def compile_cost(self, terms: Iterable[int]) -> float:
        """Return the milliseconds that NVRTC takes for one copy of the terms' code."""
        chosen = (self._terms[k] for k in terms)
        return compile_cost.milliseconds(term.node for term in chosen if term.args)


def _counted(node: Node) -> int:
    """Return the cost of an operation's code; cheap ones and those of short code count nothing."""
    row = tuning.row()
    if node.op.cost < row.costly:
        return 0
    if kind_of(node.dtype) == "f" and 0 < compile_cost.milliseconds([node]) < row.nvrtc_brief:
        return 0
    is_complex = any(kind_of(n.dtype) == "c" for n in (node, *node.src))
    return node.op.cost * (2 if is_complex else 1)


def _halved(most: int, cost: float, limit: float) -> int:
    """Return the number of pieces of some cost that stay within a limit, by halving."""
    while most > 1 and cost * most > limit:
        most //= 2
    return most
