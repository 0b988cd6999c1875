"""One loop for its last states and for the values of its iterations that a derivative reads."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.graph.node import Kind, Loop, Node, node, replace_sources, walk
from lazyarr.ops.library import LIBRARY, Call, Slot, freeze
from lazyarr.ops.loop_records import record_of
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["share_loops"]

_UNPACK = LIBRARY["unpack"]


def share_loops(roots: Sequence[Node], final: dict[Node, Node]) -> tuple[Node, ...]:
    """``loop(x), record(x) -> last(record(x))`` where a graph has both; the bits are same.

    A record packs the last states as the loop itself does, and other values behind them. Loops over
    elements stay: they are part of a kernel, which may compute with other vectors.

    Parameters
    ----------
    roots : sequence of Node
        The graph.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(roots))
    records: dict[tuple[Loop, tuple[Node, ...]], Node] = {}
    for value in order:
        record = record_of(value)
        if record is not None:
            records.setdefault((record.loop, value.src), value)
    known = {
        value: records[value.op.loop, value.src]
        for value in order
        if value.op.kind is Kind.LIBRARY
        and value.op.loop is not None
        and (value.op.loop, value.src) in records
    }
    if not known:
        return tuple(roots)

    def rewritten(old: Node, moved: Node) -> Node:
        record, loop = known[old], old.op.loop
        assert loop is not None
        whole = replace_sources(record, moved.src)
        if len(loop.states) > 1:
            return whole  # its parts begin where those of the loop do
        arguments = [freeze(x, lambda _: None) for x in (0, old.shape, old.dtype)]
        return node(
            _UNPACK, (whole,), old.dtype, old.shape, Call((Slot(0), *arguments)), old.origin
        )

    return replace_nodes(roots, order, known, rewritten, final)
