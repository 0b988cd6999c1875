"""A bound on the code of a kernel that computes one value at many index maps.

A value that a kernel reads at several maps (a stencil, or a row and a column of the same array) is
a term for each of them, and so is all behind it. In a loop whose iterations are fused the number of
terms grows with a power of the number of iterations. Fusion looks at terms, so that the bound is
set before.
"""

from __future__ import annotations

from collections import Counter

from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.index_terms import domain_view, operands_of, outer_view, settle
from lazyarr.schedule.materialization import COMPUTED, Placement

__all__ = ["repeated_too_often"]

_NONE: Counter[Node] = Counter()


def repeated_too_often(planner: Placement) -> list[Node]:
    """Return the values to store so that each kernel repeats few terms.

    Each stored value counts as a kernel of its own. Users come first: where a value would bring
    the repeated terms of a kernel above the bound, it is stored, and what is behind it is computed
    for its own kernel.

    Parameters
    ----------
    planner : Placement
        What is stored so far.
    """
    most = planner.machine.costs.max_operations
    owners = planner.owners
    chosen: list[Node] = []
    kernels: dict[Node, Shape] = {}  # the domain of each
    repeated: Counter[Node] = Counter()
    places: dict[Node, dict[tuple[Node, View], None]] = {}
    for node in reversed(planner.order):
        kind = node.op.kind
        if node in planner.computed:
            places.pop(node, None)
            if kind in (Kind.CONCATENATE, Kind.WRITE):
                for part in node.src:  # written in place, each by a kernel
                    kernels.setdefault(part, part.shape)
                    places.setdefault(part, {})[part, domain_view(part.shape)] = None
                continue
            if node in planner.by_library or kind is Kind.RESHAPE:
                continue
            if kind is Kind.REDUCE:
                assert isinstance(node.attr, tuple)
                domain = node.src[0].shape
                uses = {(node, outer_view(domain, node.attr)): None}
            else:
                domain = node.shape
                uses = {(node, domain_view(domain)): None}
            kernels[node] = domain
        else:
            places_of = places.pop(node, None)
            if not places_of or node in owners or not node.src or kind is Kind.RESHAPE:
                continue
            uses = places_of
            # One map repeats nothing.
            counts = Counter([kernel for kernel, _ in uses]) if len(uses) > 1 else _NONE
            if kind in COMPUTED and any(
                count > 1 and repeated[kernel] + count > most for kernel, count in counts.items()
            ):
                chosen.append(node)
                kernels[node] = node.shape
                uses = {(node, domain_view(node.shape)): None}
            else:
                for kernel, count in counts.items():
                    repeated[kernel] += count - 1
        for kernel, view in uses:

            def is_loaded(other: Node, kernel: Node = kernel) -> bool:
                stored = other in owners or other.op.kind is Kind.RESHAPE
                return stored and other is not kernel

            domain = kernels[kernel]
            operands = (
                (settle(node, view, domain, is_loaded),)
                if kind is Kind.VIEW
                else operands_of(node, view, domain, is_loaded)
            )
            for source, at in operands:
                places.setdefault(source, {})[kernel, at] = None
    return chosen
