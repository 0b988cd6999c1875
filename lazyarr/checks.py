"""Which floating operations NumPy would warn of: an expression that finds out.

The processor's flags say that something may have happened in a kernel, not what, and vector code
sets them for nothing, too. So a flag is followed up by another evaluation: for each operation of
the kernel, whether any of the elements that it computed meets the conditions of its row. That is an
expression like any other, and is simplified, fused and compiled like any other.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.codegen.scalar_code import fallible
from lazyarr.fusion import Group
from lazyarr.ir import Kind, Node, Op, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import VIEW
from lazyarr.ops.reduce import REDUCE
from lazyarr.shapes import View
from lazyarr.simplify import constant_value
from lazyarr.terms import Term
from lazyarr.values import dataclass

if TYPE_CHECKING:
    from lazyarr.codegen.builder import Builder
    from lazyarr.codegen.kernel import Operand, Value

__all__ = ["Site", "always_fails", "message_name", "sites"]

BOOL = np.dtype(np.bool_)


@dataclass(frozen=True, eq=False, slots=True)
class Site:
    """One operation, one fault, and the bool that tells whether it happened."""

    node: Node
    fault: str
    root: Node


def sites(groups: Sequence[Group], faults: frozenset[str]) -> list[Site]:
    """Return what to compute to find out which operations of some kernels met these faults."""
    found: dict[tuple[Node, str, Node], Site] = {}
    for group in groups:
        assert group.trace is not None
        for term in group.trace.terms:
            if term.loaded:
                continue
            for fault in sorted(fallible(term.node) & faults):
                root = _any(_seen(_condition(term.node, fault), term, group.domain))
                found[term.node, fault, root] = Site(term.node, fault, root)
    return list(found.values())


def always_fails(group: Group) -> bool:
    """Whether a kernel computes a constant of which NumPy warns; compilers set no flag then."""
    return any(
        value.src and fallible(value) and all(constant_value(s) is not None for s in value.src)
        for value in group.nodes
    )


def message_name(value: Node, op: Op, fault: str) -> str:
    """Return what NumPy calls an operation in its warnings.

    Parameters
    ----------
    value : Node
        What is computed.
    op : Op
        What the user wrote of it.
    fault : str
        What happened.
    """
    if op.kind is not Kind.REDUCE:
        return op.name if op.ufunc is None else op.ufunc.__name__
    if op.ufunc is not None and op.ufunc.signature is not None:
        return op.ufunc.__name__
    if op.combine != "deviation":
        return "reduce"
    # numpy.var takes it in four steps.
    if not value.src[0].size:
        return "divide"
    return "subtract" if fault == "invalid" else "square"


def _condition(value: Node, fault: str) -> Node:
    """Return for each element whether the fault happened there."""
    if value.op.kind is Kind.REDUCE:
        return _reduction_condition(value, fault)
    op = _fault_of(value.op, fault)
    return node(op, (value, *value.src), BOOL, value.shape, None, value.origin)


@functools.cache
def _fault_of(op: Op, fault: str) -> Op:
    """Return the elementwise operation that says of a result and its operands what happened."""

    def expand(builder: Builder, result: Operand, *operands: Operand) -> Value:
        assert op.faults is not None
        found: Value = op.faults(builder, result, *operands)[fault]
        return found

    def evaluate(value: Node, *arrays: Any) -> np.ndarray[Any, Any]:
        modes: Any = dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")
        modes[fault] = "raise"
        happened = False
        try:
            with np.errstate(**modes):
                op.evaluate(value.src[0], *arrays[1:])
        except FloatingPointError:
            happened = True
        return np.full(np.broadcast_shapes(*(array.shape for array in arrays)), happened)

    return Op(f"{fault} in {op.name}", Kind.ELEMENTWISE, evaluate, expand=expand, cost=2)


def _reduction_condition(value: Node, fault: str) -> Node:
    """Return where a reduction is no number, or infinite, but what it is made of is not."""
    if value.op.combine == "deviation":
        return _deviation_condition(value, fault)
    given = value.src[0]
    # A matrix product is one operation: of its factors, not of their products.
    factors = given.src if given.op.contracts else (given,)
    if fault == "invalid":
        unknown = [_over(value, "any", _map("isnan", factor)) for factor in factors]
        return _both(_map("isnan", value), *map(_not, unknown))
    finite = _both(*(_map("isfinite", factor) for factor in factors))
    return _both(_not(_map("isfinite", value)), _over(value, "all", finite))


def _deviation_condition(value: Node, fault: str) -> Node:
    """Return where squared distances from a mean overflow, or infinities have none."""
    given, total = value.src
    if not given.size:
        return _map("isnan", value)
    finite = _over(value, "all", _map("isfinite", given))
    if fault == "over":
        return _both(_not(_map("isfinite", value)), finite, _map("isfinite", total))
    unknown = _over(value, "any", _map("isnan", given))
    return _both(_map("isnan", value), _not(_map("isnan", total)), _not(unknown), _not(finite))


def _over(like: Node, name: str, value: Node) -> Node:
    """Return a reduction over the axes of another."""
    return node(REDUCE[name], (value,), BOOL, like.shape, like.attr)


def _not(value: Node) -> Node:
    return _map("logical_not", value)


def _both(*conditions: Node) -> Node:
    return functools.reduce(lambda left, right: _map("logical_and", left, right), conditions)


def _map(name: str, *operands: Node) -> Node:
    return node(ELEMENTWISE[name], operands, BOOL, operands[0].shape)


def _seen(condition: Node, term: Term, domain: tuple[int, ...]) -> Node:
    """Return the elements that a kernel computes: those that its loops see through an index map."""
    rows = term.view.coefficients
    moving = [axis for axis in range(len(domain)) if any(row[axis] for row in rows)]
    shape = tuple(domain[axis] for axis in moving)
    view = View(term.view.offsets, tuple(tuple(row[axis] for axis in moving) for row in rows))
    return node(VIEW, (condition,), BOOL, shape, view) if condition.shape else condition


def _any(value: Node) -> Node:
    if not value.shape:
        return value
    return node(REDUCE["any"], (value,), BOOL, (), tuple(range(value.ndim)))
