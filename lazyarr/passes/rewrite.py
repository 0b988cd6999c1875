"""The rewrite engine: rules applied to a fixpoint, or chosen nodes replaced, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node, Op, replace_sources, walk

__all__ = ["Rule", "RuleSet", "replace_nodes", "rewrite"]

Rule = Callable[[Node], Node | None]

#: Rules that still change a DAG after this many steps a node and operand go in circles.
_LIMIT = 64


class RuleSet:
    """Rules by the operation, or the kind of operation, that they look at.

    Examples
    --------
    >>> rules = RuleSet()
    >>> rules.by_op
    {}
    """

    def __init__(self) -> None:
        self.by_op: dict[Op, list[Rule]] = {}
        self.by_kind: dict[Kind, list[Rule]] = {}

    def on(self, *keys: Op | Kind) -> Callable[[Rule], Rule]:
        """Register the decorated rule for operations or kinds of operation."""

        def register(rule: Rule) -> Rule:
            for key in keys:
                if isinstance(key, Op):
                    self.by_op.setdefault(key, []).append(rule)
                else:
                    self.by_kind.setdefault(key, []).append(rule)
            return rule

        return register

    def apply(self, node: Node) -> Node | None:
        """Return the replacement of `node` by the first rule that fits, or None."""
        rules: list[Rule] = [*self.by_op.get(node.op, ()), *self.by_kind.get(node.op.kind, ())]
        for rule in rules:
            changed: Node | None = rule(node)
            if changed is not None and changed is not node:
                if changed.shape != node.shape or changed.dtype != node.dtype:
                    raise ContractError(
                        f"{rule} rewrote {node} to {changed}: shape or dtype differs"
                    )
                return changed
        return None


def rewrite(
    roots: Sequence[Node], rules: RuleSet, final: dict[Node, Node] | None = None
) -> tuple[Node, ...]:
    """Return `roots` with `rules` applied until none fits anywhere.

    Parameters
    ----------
    roots : sequence of Node
        What to rewrite.
    rules : RuleSet
        The rules.
    final : dict, optional
        Called with what became of each node under `roots`.

    Raises
    ------
    ContractError
        If a rule changes a shape or dtype, or if the rules go in circles.
    """
    if final is None:
        final = {}
    became: dict[Node, Node] = {}
    stack = list(reversed(roots))
    budget = _LIMIT * sum(1 + len(node.src) for node in walk(roots))
    while stack:
        node = stack[-1]
        budget -= 1
        if budget < 0:
            raise ContractError(f"rewriting {node} does not terminate")
        if node in final:
            stack.pop()
            continue
        target = became.get(node)
        if target is None:
            waiting = [source for source in node.src if source not in final]
            if waiting:
                stack.extend(waiting)
                continue
            rebuilt = replace_sources(node, tuple(final[source] for source in node.src))
            target = rebuilt if rebuilt is not node else rules.apply(node)
            if target is None:
                final[node] = node
                stack.pop()
                continue
            became[node] = target
        if target in final:
            final[node] = final[target]
            stack.pop()
        else:
            stack.append(target)
    return tuple(final[root] for root in roots)


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
