"""The order of axes in which plans compute results that are not elementwise."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.compiler.targets import target_of
from lazyarr.core.config import Config
from lazyarr.core.shapes import View
from lazyarr.graph.node import Kind, Node
from lazyarr.passes.canonicalize import bind, canonicalize
from lazyarr.passes.own_results import own_results
from lazyarr.passes.simplify import simplify

__all__ = ["orders_of_results"]


def orders_of_results(
    roots: Sequence[Node], settings: Config
) -> tuple[tuple[int, ...] | None, ...]:
    """Return for each result the axes in the order in which its plan computes them.

    A reduction of a transposed array may be computed over the axes of what lies in memory, so that
    its result is a view whose axes have another order.

    Parameters
    ----------
    roots : sequence of Node
        The results.
    settings : Config
        Those in force.

    Returns
    -------
    tuple of (tuple of int or None)
        The outermost axis first; None of results that are computed as they are.
    """
    canonical = canonicalize(bind(roots)[1])
    final: dict[Node, Node] = {}
    own = own_results(simplify(canonical.roots, final))
    return tuple(map(_order, own_results(target_of(settings).legalize(own, final))))


def _order(root: Node) -> tuple[int, ...] | None:
    """Return the axes of a result in the order of what it is a transposed view of."""
    view = root.attr
    if root.op.kind is not Kind.VIEW or not isinstance(view, View) or any(view.offsets):
        return None
    source = root.src[0]
    if source.op.kind is Kind.PARAMETER or source.ndim != root.ndim:
        return None
    steps = [[axis for axis, step in enumerate(row) if step] for row in view.coefficients]
    order = tuple(axes[0] for axes in steps if len(axes) == 1)
    if sorted(order) != list(range(root.ndim)):
        return None
    is_whole = source.shape == tuple(root.shape[axis] for axis in order)
    return order if is_whole and root.size else None
