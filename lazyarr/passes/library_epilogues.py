"""Epilogues that a library fuses into a matrix product: a bias for each row, a ramp.

A kernel that did it would read the product and write it once more. Where another kernel works on
the product anyway, it does it for nothing, and the product is left as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import View, compose
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.ops.movement import VIEW
from lazyarr.passes.simplify import constant_value

__all__ = ["fold_epilogues"]

_ADD, _MAXIMUM, _MATMUL = ELEMENTWISE["add"], ELEMENTWISE["maximum"], LIBRARY["matmul"]
#: The library computes these to the bits that separate steps give.
_DTYPES = frozenset({np.dtype(np.float32)})


@dataclass(frozen=True, slots=True)
class _Epilogue:
    """A product and the operations on it that its library computes in passing."""

    product: Node
    bias: Node | None
    ramp: bool

    def node(self, top: Node, replaced: dict[Node, Node]) -> Node:
        """Return the library call that stands for `top`.

        Parameters
        ----------
        top : Node
            The last of the operations.
        replaced : dict of Node to Node
            The new nodes of all operands.
        """
        name = "_".join(["product"] + ["bias"] * (self.bias is not None) + ["relu"] * self.ramp)
        sources = [replaced[source] for source in self.product.src]
        if self.bias is not None:
            sources.append(_row(self.bias, replaced))
        call = Call(tuple(Slot(k) for k in range(len(sources))))
        return node(LIBRARY[name], tuple(sources), top.dtype, top.shape, call, top.origin)


def fold_epilogues(roots: Sequence[Node]) -> tuple[Node, ...]:
    """Return the roots, with epilogues folded into matrix products.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    """
    order = list(walk(tuple(roots)))
    users: Counter[Node] = Counter(roots)
    beside: set[Node] = set()  # values that some kernel reads or computes on
    for current in order:
        users.update(current.src)
        if current.op.kind is not Kind.LIBRARY:
            beside.update(current.src)
    epilogues: dict[Node, _Epilogue] = {}
    for current in order:
        match = _match(current, epilogues, users)
        if match is not None:
            epilogues[current] = match
    chosen = {top: match for top, match in epilogues.items() if top not in beside}
    if not chosen:
        return tuple(roots)
    replaced: dict[Node, Node] = {}
    for current in order:
        if current in chosen:
            replaced[current] = chosen[current].node(current, replaced)
        else:
            replaced[current] = replace_sources(current, tuple([replaced[s] for s in current.src]))
    return tuple(replaced[root] for root in roots)


def _match(value: Node, epilogues: dict[Node, _Epilogue], users: Counter[Node]) -> _Epilogue | None:
    """Return the product and its epilogue up to `value`; None unless only the epilogue reads it."""
    if value.dtype not in _DTYPES or value.op not in (_ADD, _MAXIMUM):
        return None
    for source, other in (value.src, value.src[::-1]):
        if users[source] != 1 or source.shape != value.shape or len(value.shape) != 2:
            continue
        if value.op is _ADD and _is_product(source) and _is_row(other, value.shape[1]):
            return _Epilogue(source, other, False)
        if value.op is _MAXIMUM and constant_value(other) == 0:
            if _is_product(source):
                return _Epilogue(source, None, True)
            before = epilogues.get(source)
            if before is not None and not before.ramp:
                return _Epilogue(before.product, before.bias, True)
    return None


def _is_product(value: Node) -> bool:
    """Whether a value is the product of two matrices, of the dtype of both."""
    return (
        value.op is _MATMUL
        and all(len(x.shape) == 2 and x.dtype == value.dtype for x in value.src)
        and 0 not in (*value.shape, value.src[0].shape[1])
    )


def _is_row(value: Node, columns: int) -> bool:
    """Whether a value has equal rows of so many elements: it is a vector, broadcast."""
    base = value
    while base.op.kind is Kind.VIEW:
        base = base.src[0]
    if base.shape == ():
        return False
    if value.shape in ((columns,), (1, columns)):
        return True
    view = value.attr
    if value.shape[1:] != (columns,) or not isinstance(view, View):
        return False
    return all(row[0] == 0 for row in view.coefficients)


def _row(value: Node, replaced: dict[Node, Node]) -> Node:
    """Return the one row of a broadcast vector."""
    if len(value.shape) == 1:
        return replaced[value]
    first = View((0, 0), ((0,), (1,)))
    source = value
    if value.op.kind is Kind.VIEW:
        assert isinstance(value.attr, View)
        source, first = value.src[0], compose(value.attr, first, 1)
    return node(VIEW, (replaced[source],), value.dtype, value.shape[1:], first, value.origin)
