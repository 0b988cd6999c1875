"""The scalar code of a node: coverage by kernels, its primitives, and NumPy's warnings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Loop, Node, WarningText, part_dtype
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Operand, Statement, Value
from lazyarr.loop_ir.pair import Pair
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.index_terms import parts_of

__all__ = [
    "covers",
    "expand",
    "fallible",
    "is_covered",
    "paired",
    "placeholders",
    "possible_faults",
    "register_dtype",
    "statement_count",
    "statements",
]

T = TypeVar("T")
DType = np.dtype[Any]
INT64 = np.dtype(np.int64)


def _by_operation(function: Callable[[Node], T]) -> Callable[[Node], T]:
    """Return a function of a node that caches results by its operation and dtypes.

    Neither shapes nor attributes matter to it, and it returns no None.
    """
    known: dict[tuple[object, ...], T] = {}

    @functools.wraps(function)
    def remembered(node: Node) -> T:
        key = (node.op, node.dtype, *[source.dtype for source in node.src])
        value = known.get(key)
        if value is None:
            if len(known) > 4096:  # loops and Python functions are ops without end
                known.clear()
            value = known[key] = function(node)
        return value

    return remembered


@_by_operation
def covers(node: Node) -> bool:
    """Return whether kernels can compute an elementwise or reduction node."""
    dtypes = [node.dtype, *(s.dtype for s in node.src)]
    if any(kind_of(d) not in "biufc" or part_dtype(d).itemsize > 8 for d in dtypes):
        return False
    if node.op.kind in (Kind.REDUCE, Kind.SCAN):
        return _reduces(node)
    if node.op.loop is not None:
        return is_covered(node.op.loop)
    return node.op.expand is not None and expand(Builder(), node, placeholders(node)) is not None


def _reduces(node: Node) -> bool:
    """Whether kernels can compute a reduction or a scan."""
    reducer = node.op.reducer
    if reducer is None:
        return False
    dtypes = [node.dtype, *(source.dtype for source in node.src)]
    if any(kind_of(dtype) == "c" for dtype in dtypes) and not (
        reducer.partwise and kind_of(node.dtype) == "c"
    ):
        return False
    source, result = (
        register_dtype(part_dtype(dtype)) for dtype in (node.src[0].dtype, node.dtype)
    )
    if node.op.kind is Kind.SCAN:
        return reducer.scans(result)
    return reducer.state(source, result) is not None


def is_covered(loop: Loop) -> bool:
    """Return whether kernels can compute every step of a loop."""
    return all(
        step.op.kind is Kind.CONSTANT or (step.op.kind is Kind.ELEMENTWISE and covers(step))
        for step in loop.steps
    )


def placeholders(node: Node) -> list[Operand]:
    """Return names for the operands of a node, two for a complex one."""
    values: list[Operand] = []
    if node.op.kind is Kind.GENERATE:
        values.append(Value("position", INT64))
    for k, source in enumerate(node.src):
        dtype = register_dtype(part_dtype(source.dtype))
        values += [Value(f"x{k}{part}", dtype) for part in parts_of(source)]
    return values


def statements(node: Node) -> tuple[Statement, ...]:
    """Return the code of one element of a covered elementwise node, whole where it is complex.

    Parameters
    ----------
    node : Node
        What is computed; its operands are named by :func:`placeholders`.
    """
    builder = Builder()
    expand(builder, node, placeholders(node))
    return builder.finish()


@_by_operation
def statement_count(node: Node) -> int:
    """Return the number of statements that compute an element of a node, or a part of it.

    Parameters
    ----------
    node : Node
        Elementwise or generated; any other counts as one statement.
    """
    if node.op.expand is None or node.op.loop is not None:
        return 1
    # The parts of a complex number are terms of their own, and have one code.
    return max(1, len(statements(node)) // len(parts_of(node)))


def paired(node: Node, values: Sequence[Operand]) -> list[Operand | Pair]:
    """Return the operands of a node, whose complex ones come as two values.

    Parameters
    ----------
    node : Node
        Whose operands they are.
    values : sequence of Operand
        One an operand, two a complex one; a generator's begin with the position of the element.
    """
    count = len(node.src) + sum(kind_of(source.dtype) == "c" for source in node.src)
    leading = len(values) - count  # the position of a generator
    parts = iter(values[leading:])
    operands: list[Operand | Pair] = list(values[:leading])
    for source in node.src:
        whole = kind_of(source.dtype) == "c"
        operands.append(Pair(next(parts), next(parts)) if whole else next(parts))
    return operands


def possible_faults(node: Node) -> frozenset[str]:
    """Return the conditions of which NumPy warns, of a covered node's operation."""
    if isinstance(node.attr, WarningText) and node.attr.text is None:
        return frozenset()
    return _find_faults(node)


def fallible(node: Node) -> frozenset[str]:
    """Return those of its warnings that the floating-point flags report."""
    return possible_faults(node) if kind_of(node.dtype) in "fc" else frozenset()


@_by_operation
def _find_faults(node: Node) -> frozenset[str]:
    if node.op.kind in (Kind.REDUCE, Kind.SCAN) and kind_of(node.dtype) in "fc":
        warnings = frozenset() if node.op.reducer is None else node.op.reducer.warnings
        return warnings - {"under"} if kind_of(node.dtype) == "c" else warnings
    if node.op.kind is not Kind.ELEMENTWISE or node.op.faults is None or not covers(node):
        return frozenset()
    names = [_placeholder(f"x{k}", s.dtype) for k, s in enumerate((node, *node.src))]
    return frozenset(node.op.faults(Builder(), *names))


def _placeholder(name: str, dtype: DType) -> Operand | Pair:
    part = register_dtype(part_dtype(dtype))
    if kind_of(dtype) == "c":
        return Pair(Value(f"{name}real", part), Value(f"{name}imag", part))
    return Value(name, part)


def expand(
    builder: Builder, node: Node, values: Sequence[Operand], part: int = 0
) -> Operand | None:
    """Write the scalar code of an elementwise node; None if there is none for its dtypes.

    The values of a generator begin with the position of the element. Complex operands come as two
    values. Of a complex result, `part` says which one is returned.

    Parameters
    ----------
    builder : Builder
        Where statements go.
    node : Node
        The operation and the dtypes.
    values : sequence of Operand
        One an operand, two a complex one; a generator's begin with the position of the element.
    part : int, optional
        Of a complex result, the part to return: 0 real, 1 imaginary.
    """
    written = node.op.expand
    if node.op.of_half is not None and node.dtype == np.float16:
        written = node.op.of_half
    assert written is not None
    target = register_dtype(part_dtype(node.dtype))
    operands = paired(node, values)
    if node.op.converts:
        result = written(builder, *operands, dtype=node.dtype)
    else:
        result = written(builder, *operands)
    if result is None:
        return None
    if isinstance(result, Pair):
        result = result[part]
    if result.dtype != target:
        raise ContractError(f"{node.op.name} expands to {result.dtype}, not {target}")
    value: Operand = result
    return builder.round_to(value, node.dtype) if is_narrow(node.dtype) else value
