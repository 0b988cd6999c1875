"""Expressions that find the operations NumPy would warn of.

The processor's flags say that something may have happened in a kernel, not what, and vector code
sets them for nothing, too. So a flag is followed up by another evaluation: for each operation of
the kernel, whether any of the elements that it computed meets the conditions of its row. That is an
expression like any other, and is simplified, fused and compiled like any other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.codegen.scalar import fallible, possible_faults
from lazyarr.core.dtypes import finfo, kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import View, slice_view
from lazyarr.graph.node import Kind, Node, Op, node, part_dtype, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import VIEW
from lazyarr.ops.reduce import REDUCE
from lazyarr.passes.simplify import constant
from lazyarr.schedule.fusion import Group
from lazyarr.schedule.index_terms import Term

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["Site", "message_name", "sites"]

BOOL = np.dtype(np.bool_)


@dataclass(frozen=True, eq=False, slots=True)
class Site:
    """One operation, one fault, and the bool that is true where it happened.

    Attributes
    ----------
    node : Node
        The operation.
    fault : str
        By its name in ``np.errstate``.
    root : Node
        Whether it happened to any element.
    overwritten : bool
        Whether the result was written over an operand: then the root is whether it may have
        happened.
    """

    node: Node
    fault: str
    root: Node
    overwritten: bool = False


def sites(groups: Sequence[Group], faults: frozenset[str]) -> list[Site]:
    """Return the expressions that show which operations of some kernels met these faults.

    Parameters
    ----------
    groups : sequence of Group
        Of the kernels.
    faults : frozenset of str
        By their names in ``np.errstate``.

    Returns
    -------
    list of Site
        One for each operation and fault; their roots are evaluated together.
    """
    by_site: dict[tuple[Node, str, Node], Site] = {}
    owners = {output.layout.owner for group in groups for output in group.outputs}
    written = {owner for owner in owners if owner.op.kind is Kind.PARAMETER}
    traces = [group.trace for group in groups if group.trace is not None]
    masks = _selections(term.node for trace in traces for term in trace.terms)
    for group, trace in zip(groups, traces, strict=True):
        for term in trace.terms:
            if term.loaded:
                continue
            chosen = masks.get(term.node, frozenset())
            met = possible_faults(term.node) if chosen else fallible(term.node)
            lost = frozenset(written.intersection(term.node.src))
            for fault in sorted(met & faults):
                if lost:
                    condition = _possible(term.node, fault, lost)
                else:
                    condition = _condition(term.node, fault)
                root = _any(_seen(_both(condition, *chosen), term, group.domain))
                by_site[term.node, fault, root] = Site(term.node, fault, root, bool(lost))
    return list(by_site.values())


def _selections(nodes: Iterable[Node]) -> dict[Node, frozenset[Node]]:
    """Return the masks of the elements of each node that the user knows of, where there are any."""
    selected: dict[Node, frozenset[Node]] = {}
    nothing: frozenset[Node] = frozenset()
    for value in walk(nodes):
        if value.op.kind is not Kind.ELEMENTWISE:
            continue
        masks = [selected.get(source, nothing) for source in value.src]
        if value.op.selects:
            masks[1] = frozenset(value.src[1:])
        elif value.op.is_select:
            # Where the mask itself chooses, all that is chosen was selected.
            masks[1] -= {value.src[0]}
        known = nothing.union(*masks)
        if known:
            selected[value] = known
    return selected


def message_name(value: Node, op: Op, fault: str) -> str:
    """Return NumPy's name of an operation in its warnings.

    Parameters
    ----------
    value : Node
        What is computed.
    op : Op
        What the user wrote of it.
    fault : str
        What happened.
    """
    if op.kind is Kind.SCAN:
        return "accumulate"
    if op.kind is not Kind.REDUCE:
        return op.name if op.ufunc is None else op.ufunc.__name__
    if op.ufunc is not None and op.ufunc.signature is not None:
        return op.ufunc.__name__
    if op.reducer is None or not op.reducer.centred:
        return "reduce"
    # numpy.var takes it in four steps.
    if not value.src[0].size:
        return "divide"
    return "subtract" if fault == "invalid" else "square"


def _condition(value: Node, fault: str) -> Node:
    """Return the elements of a value where a fault happened, as bools."""
    if value.op.kind is Kind.REDUCE:
        return _of_parts(_reduction_condition, value, fault)
    if value.op.kind is Kind.SCAN:
        return _of_parts(_scan_condition, value, fault)
    op = _fault_of(value.op, fault)
    return node(op, (value, *value.src), BOOL, value.shape, None, value.origin)


def _possible(value: Node, fault: str, lost: frozenset[Node]) -> Node:
    """Return the elements where a fault is possible, of a value that was written over operands.

    In place of these there are numbers that meet no fault of their own.
    """
    (target, *_) = lost
    operands = [constant(1.0, x) if x in lost else x for x in value.src]
    op = _fault_of(value.op, fault)
    return node(op, (target, *operands), BOOL, value.shape, None, value.origin)


#: From a node, its value, its operands and a fault to where it happened: of a complex node, the
#: value and the operands are parts.
OfPart = Callable[[Node, Node, Sequence[Node], str], Node]


def _of_parts(condition: OfPart, value: Node, fault: str) -> Node:
    """Return a condition, or for complex dtypes whether it holds for either part."""
    if kind_of(value.dtype) != "c":
        return condition(value, value, value.src, fault)
    real, imag = (
        condition(value, _part(name, value), [_part(name, x) for x in value.src], fault)
        for name in ("real", "imag")
    )
    return _map("logical_or", real, imag)


def _part(name: str, value: Node) -> Node:
    return node(ELEMENTWISE[name], (value,), part_dtype(value.dtype), value.shape)


@functools.cache
def _fault_of(op: Op, fault: str) -> Op:
    """Return the elementwise operation that is true where results and operands show a fault."""

    def expand(builder: Builder, result: Operand, *operands: Operand) -> Value:
        assert op.faults is not None
        condition: Value = op.faults(builder, result, *operands)[fault]
        return condition

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


def _reduction_condition(like: Node, value: Node, operands: Sequence[Node], fault: str) -> Node:
    """Return the condition of a reduction: it is NaN, or infinite, and its elements are not."""
    reducer = like.op.reducer
    assert reducer is not None
    if reducer.centred:
        return _deviation_condition(value, operands[0], operands[1], fault)
    (elements,) = operands
    if elements.op.allows_fma:
        return _product_condition(value, elements.src, fault)
    if fault == "under":
        # Of a product: of nothing that is zero or infinite.
        exact = _both(_map("isfinite", elements), _map("logical_not", _zero(elements)))
        return _both(_tiny(value), _over(like, "all", exact))
    if fault == "invalid":
        return _both(_map("isnan", value), _not(_over(like, "any", _map("isnan", elements))))
    finite = _map("isfinite", elements)
    endless = _not(_map("isfinite", value))
    if kind_of(like.dtype) == "c" and not reducer.partwise:
        return _both(endless, _over(like, "all", finite))
    # What is infinite already does not overflow; what comes before it may.
    unit = constant(like.op.identity, elements)
    among = node(ELEMENTWISE["where"], (finite, elements, unit), elements.dtype, elements.shape)
    alone = node(like.op, (among,), value.dtype, like.shape, like.attr)
    return _both(endless, _not(_map("isfinite", alone)))


def _product_condition(value: Node, factors: Sequence[Node], fault: str) -> Node:
    """Return the condition of a matrix product, one operation: no factor is NaN, or infinite."""
    if fault == "invalid":
        unknown = [_over(value, "any", _map("isnan", factor)) for factor in factors]
        return _both(_map("isnan", value), *map(_not, unknown))
    finite = _both(*(_map("isfinite", factor) for factor in factors))
    return _both(_not(_map("isfinite", value)), _over(value, "all", finite))


def _deviation_condition(value: Node, elements: Node, total: Node, fault: str) -> Node:
    """Return the condition of squared distances from a mean: overflow, or an undefined mean."""
    if not elements.size:
        return _map("isnan", value)
    finite = _over(value, "all", _map("isfinite", elements))
    if fault == "over":
        return _both(_not(_map("isfinite", value)), finite, _map("isfinite", total))
    unknown = _over(value, "any", _map("isnan", elements))
    return _both(_map("isnan", value), _not(_map("isnan", total)), _not(unknown), _not(finite))


def _scan_condition(like: Node, value: Node, operands: Sequence[Node], fault: str) -> Node:
    """Return the condition of a scan: an element is NaN, or infinite, and its operands are not."""
    axis = like.attr
    assert isinstance(axis, int)
    now, before = _shifted(value, axis, 1), _shifted(value, axis, 0)
    taken = _shifted(operands[0], axis, 1)
    if fault == "under":
        op = _fault_of(ELEMENTWISE["multiply"], fault)
        return node(op, (now, before, taken), BOOL, now.shape)
    if fault == "invalid":
        return _both(_map("isnan", now), _not(_map("isnan", before)), _not(_map("isnan", taken)))
    return _both(_map("isinf", now), _map("isfinite", before), _map("isfinite", taken))


def _shifted(value: Node, axis: int, start: int) -> Node:
    """Return all elements along an axis but one, at the beginning or the end."""
    shape = tuple(max(n - 1, 0) if k == axis else n for k, n in enumerate(value.shape))
    starts = tuple(start if k == axis else 0 for k in range(value.ndim))
    return node(VIEW, (value,), value.dtype, shape, slice_view(starts, (1,) * value.ndim))


def _tiny(value: Node) -> Node:
    """Return the condition that a value is zero or subnormal."""
    least = constant(finfo(value.dtype).smallest_normal, value)
    return _map("less", _same_kind("absolute", value), least)


def _zero(value: Node) -> Node:
    return _map("equal", value, constant(0.0, value))


def _same_kind(name: str, *operands: Node) -> Node:
    return node(ELEMENTWISE[name], operands, operands[0].dtype, operands[0].shape)


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
    if term.node.op.kind is Kind.SCAN:
        return condition  # it is computed whole
    rows = term.view.coefficients
    moving = [axis for axis in range(len(domain)) if any(row[axis] for row in rows)]
    shape = tuple(domain[axis] for axis in moving)
    view = View(term.view.offsets, tuple(tuple(row[axis] for axis in moving) for row in rows))
    return node(VIEW, (condition,), BOOL, shape, view) if condition.shape else condition


def _any(value: Node) -> Node:
    if not value.shape:
        return value
    return node(REDUCE["any"], (value,), BOOL, (), tuple(range(value.ndim)))
