"""A planned group, and its terms for every loop template: dependences, strides, and costs.

Nothing here is code of a kernel: it follows from the group and from where its values lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lazyarr.codegen import shared_tuning
from lazyarr.codegen.loop_nest import Access, Frame, collapse
from lazyarr.codegen.scalar import statement_count
from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.fusion import Group, Layout, layout_of
from lazyarr.schedule.index_terms import levels, parts_of, position_of, sink_view, wrapped_steps
from lazyarr.schedule.memory import Plan, access

__all__ = ["GroupTerms", "PlannedGroup"]


@dataclass(frozen=True, slots=True, eq=False)
class PlannedGroup:
    """A group and what its kernels depend on besides its values.

    Attributes
    ----------
    group : Group
        What to compute.
    plan : Plan
        Which stored values share memory.
    layouts : dict of Node to Layout
        Where stored values lie.
    comments : sequence of str
        Lines for the reader above each kernel.
    """

    group: Group
    plan: Plan
    layouts: dict[Node, Any]
    comments: Sequence[str] = ()


class GroupTerms:
    """The terms, operands and results of a group.

    Parameters
    ----------
    group : Group
        What to compute.
    layouts : mapping of Node to Layout
        Where stored values lie.

    Attributes
    ----------
    terms : tuple of Term
        What is computed of each element, operands first.
    level : list of int
        For each term, how many reductions follow one another in it.
    domain : tuple of int
        Sizes of the iteration space.
    reduced : tuple of int
        Its axes that are reduced.
    result_axes : tuple of int
        The others.
    accesses : dict of int to Access
        How loaded terms step through memory.
    layout_strides : dict of int to tuple of int
        The strides of the layouts behind them.
    stores : list of (int, Access)
        What is stored: a term, and how the output's memory is stepped through.
    """

    def __init__(self, group: Group, layouts: Mapping[Node, Layout]) -> None:
        assert group.trace is not None
        self.reduced = group.reduced
        self.terms = group.trace.terms
        self.level = levels(group.trace)
        self.domain = group.domain
        ndim = len(group.domain)
        self.result_axes = tuple([axis for axis in range(ndim) if axis not in group.reduced])
        self.accesses: dict[int, Access] = {}
        self.layout_strides: dict[int, tuple[int, ...]] = {}
        for k, term in enumerate(self.terms):
            if term.loaded:
                layout = layout_of(term.node, layouts)
                assert layout is not None
                offset, strides = access(layout, term.view, ndim)
                self.layout_strides[k] = layout.strides
                unit = len(parts_of(term.node))
                self.accesses[k] = Access.of_part(layout.owner, offset, strides, unit, term.part)
        first = len(group.members)
        self.stores: list[tuple[int, Access]] = []
        for sink, output in zip(group.trace.sinks[first:], group.outputs, strict=True):
            view = sink_view(output.node, self.domain, group.reduced)
            offset, strides = access(output.layout, view, ndim)
            for part, k in enumerate(sink):
                place = Access.of_part(output.layout.owner, offset, strides, len(sink), part)
                self.stores.append((k, place))

    def statement_count(self) -> int:
        """Return the number of statements that compute one element of the iteration space."""
        return sum([1 if t.loaded else statement_count(t.node) for t in self.terms])

    def needed(self, sinks: Iterable[int], known: Iterable[int] = ()) -> list[int]:
        """Return the terms that `sinks` need, in order, without entering the `known` ones.

        Parameters
        ----------
        sinks : iterable of int
            Terms; they are among the result.
        known : iterable of int
            Terms whose operands are not needed.
        """
        stop = set(known)
        seen: set[int] = set()
        stack = list(sinks)
        while stack:
            k = stack.pop()
            if k not in seen:
                seen.add(k)
                if k not in stop:
                    stack.extend(self.terms[k].args)
        return sorted(seen)

    def spans(self, k: int, axes: Iterable[int]) -> bool:
        """Whether a term's own index map moves along any of the axes.

        Parameters
        ----------
        k : int
            The term.
        axes : iterable of int
            Axes of the domain.
        """
        rows = self.terms[k].view.coefficients
        return any(row[axis] for axis in axes for row in rows)

    def frame(self, axes: Iterable[int], which: Iterable[int] | None = None) -> Frame:
        """Return the merged loops over some axes.

        Parameters
        ----------
        axes : iterable of int
            Axes of the domain, outermost first.
        which : iterable of int, optional
            The terms that the loops are for; default: all.
        """
        return collapse(self.domain, axes, self._step_patterns(which))

    def _step_patterns(self, which: Iterable[int] | None = None) -> list[tuple[int, ...]]:
        """Return the strides of all accesses and index generators among some terms."""
        chosen = range(len(self.terms)) if which is None else which
        patterns = []
        for k in chosen:
            base = self.terms[k].base
            if base is not None:
                patterns.append(self.accesses[base].strides)
                patterns += wrapped_steps(self.terms[k])
            if k in self.accesses:
                patterns.append(self.accesses[k].strides)
            elif self.terms[k].node.op.kind is Kind.GENERATE:
                patterns.append(position_of(self.terms[k], self.domain)[1])
        patterns += [a.strides for k, a in self.stores if which is None or k in set(chosen)]
        return patterns

    def grain(self) -> int:
        """Return the number of elements worth another thread's time, a multiple of 1024.

        The time of one is estimated, as measured on processors with 512-bit vectors, to within a
        factor of two for most kernels.
        """
        widest = max(self.terms[k].dtype.itemsize for k, _ in self.stores)
        arithmetic = moved = 0
        for term in self.terms:
            if term.loaded:
                moved += term.dtype.itemsize
            elif term.args:
                arithmetic += term.node.op.cost
                widest = max(widest, term.dtype.itemsize)
        moved += sum(self.terms[k].dtype.itemsize for k, _ in self.stores)
        row = shared_tuning.row()
        time = max(row.byte_ns * moved, row.addition_ns * arithmetic * widest / 8)
        return max(1, round(row.task_ns / max(time, 1e-3) / 1024)) * 1024
