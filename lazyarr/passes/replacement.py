"""The rewriting of chosen nodes in an expression, with all that is computed of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from lazyarr.graph.node import Node, replace_sources

__all__ = ["replace_nodes"]


def replace_nodes(
    roots: Sequence[Node],
    order: Sequence[Node],
    chosen: Container[Node],
    rewritten: Callable[[Node, Node], Node],
    final: dict[Node, Node],
) -> tuple[Node, ...]:
    """Return the roots with other nodes in the place of some.

    Parameters
    ----------
    roots : sequence of Node
        The results.
    order : sequence of Node
        All nodes of them, operands before users.
    chosen : container of Node
        The nodes to replace.
    rewritten : callable
        ``rewritten(old, moved)``: what takes the place of a node, which with its new operands is
        `moved`.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    replaced: dict[Node, Node] = {}
    for current in order:
        moved = replace_sources(current, tuple([replaced[source] for source in current.src]))
        replaced[current] = rewritten(current, moved) if current in chosen else moved
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    return tuple(replaced[root] for root in roots)
