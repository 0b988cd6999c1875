"""Compiled expressions for people: in the user's own nodes instead of placeholders.

Plans are shared by all expressions of one structure, so the compiler works on parameters, which
have no arrays, no numbers and no lines of the user's. Here they are put back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lazyarr.arrays.immediate import deferred
from lazyarr.core.frozen import replace
from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Node, set_origin, unique_node, walk

if TYPE_CHECKING:
    from lazyarr.compiler.program import Program
    from lazyarr.schedule.fusion import Group

__all__ = ["analyse", "roots_of"]


def roots_of(expressions: Sequence[object]) -> tuple[Node, ...]:
    """Return the nodes behind lazy arrays.

    Raises
    ------
    ArgumentError
        If there are none, or something else is among them.
    """
    roots = []
    for expression in expressions:
        # What nobody asked to compute is not computed: a selection shows what it would be.
        shown = getattr(expression, "_preview", None)
        root = expression if isinstance(expression, Node) else shown
        if not isinstance(root, Node):
            kind = type(expression).__name__
            raise ArgumentError(
                f"expected lazy arrays, got {kind}",
                origin=origin(),
                hint="wrap arrays in lazyarr.asarray before computing with them",
            )
        roots.append(deferred(root))
    if not roots:
        raise ArgumentError("expected at least one lazy array, got none", origin=origin())
    return tuple(roots)


def analyse(roots: tuple[Node, ...]) -> Program:
    """Run every stage of the compiler that needs no machine code, and put the user's nodes back."""
    from lazyarr.compiler import compilation
    from lazyarr.compiler.reuse import current

    roots = current(roots)
    program = compilation.analyse(roots)
    assert program.originals is not None
    return _translated(program, _Translator(program.originals, program.final))


class _Translator:
    """Map placeholders, and their simplified forms, to the user's nodes."""

    def __init__(self, originals: Mapping[Node, Node], final: dict[Node, Node]) -> None:
        self.known = dict(originals)
        self.originals = frozenset(originals.values())
        # The lines of what was rewritten are those of what it was made of.
        self.lines: dict[Node, Origin | None] = {}
        for placeholder, became in final.items():
            if placeholder in originals:
                self.lines.setdefault(became, originals[placeholder].origin)
        self.groups: dict[Group, Group] = {}

    def nodes(self, placeholders: Iterable[Node]) -> tuple[Node, ...]:
        """Return the nodes that placeholders stand for."""
        order = tuple(placeholders)
        for node in walk(order, stop=self.known.__contains__):
            if node not in self.known:
                self.known[node] = self._copy(node)
        return tuple(self.known[node] for node in order)

    def _copy(self, node: Node) -> Node:
        # Not interned, so that a node the user builds later is never this one. The placeholder's
        # line may be that of another expression of the same structure.
        src = tuple(self.known[source] for source in node.src)
        return unique_node(node.op, src, node.dtype, node.shape, node.attr, self.lines.get(node))

    def lend_lines(self, roots: Sequence[Node]) -> None:
        """Give operands that a pass of the compiler introduced the lines of their users."""
        own = set(self.known.values()).difference(self.originals)
        for node in reversed(list(walk(tuple(roots)))):
            for source in node.src:
                if source.origin is None and source.src and source in own:
                    set_origin(source, node.origin)

    def group(self, group: Group) -> Group:
        """Return a group in the user's nodes."""
        translated = self.groups.get(group)
        if translated is None:
            outputs = self.nodes(output.node for output in group.outputs)
            translated = self.groups[group] = replace(
                group,
                nodes=self.nodes(group.nodes),
                inputs=self.nodes(group.inputs),
                members=self.nodes(group.members),
                outputs=tuple(
                    replace(output, node=node)
                    for output, node in zip(group.outputs, outputs, strict=True)
                ),
            )
        return translated


def _translated(program: Program, translator: _Translator) -> Program:
    simplified = translator.nodes(program.simplified)
    for ours, theirs in zip(simplified, program.raw, strict=True):
        if ours.origin is None:
            set_origin(ours, theirs.origin)
    translator.lend_lines(simplified)
    plan = replace(
        program.plan,
        steps=tuple(
            replace(step, group=translator.group(step.group)) for step in program.plan.steps
        ),
        buffers=tuple(
            replace(buffer, values=translator.nodes(buffer.values))
            for buffer in program.plan.buffers
        ),
    )
    edges = []
    for edge in program.not_fused:
        source, consumer = translator.nodes((edge.source, edge.consumer))
        edges.append(replace(edge, source=source, consumer=consumer))
    return replace(
        program,
        simplified=simplified,
        groups=tuple(map(translator.group, program.groups)),
        not_fused=tuple(edges),
        plan=plan,
        kernels=tuple(
            replace(code, group=translator.group(code.group)) for code in program.kernels
        ),
    )
