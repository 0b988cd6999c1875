"""Checks of kernels of the loop IR: declarations, dtypes and scopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.loop_ir.kernel import (
    Call,
    Comment,
    Declare,
    For,
    If,
    Index,
    Kernel,
    Let,
    Literal,
    Load,
    Local,
    Operand,
    Pointer,
    Prefetch,
    Statement,
    Store,
    Transpose,
    Update,
    Value,
    While,
)
from lazyarr.loop_ir.primitives import PRIMITIVES

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
INT64 = np.dtype(np.int64)
BOOL = np.dtype(np.bool_)
HALF = np.dtype(np.float16)


class Fault(AssertionError):
    """A kernel did what compiled code must not do."""


def validate(kernel: Kernel) -> None:
    """Check names, dtypes and scopes: each value assigned once, and only used where it is known."""
    if len({p.name for p in kernel.parameters}) != len(kernel.parameters):
        raise Fault(f"two parameters of one name: {[p.name for p in kernel.parameters]}")
    names: dict[str, Any] = {"begin": INT64, "end": INT64}
    names |= {p.name: p if isinstance(p, Pointer) else p.dtype for p in kernel.parameters}
    written: set[str] = set()
    _validate(kernel.body, names, dict(names), set(), written)
    for p in kernel.parameters:
        if isinstance(p, Pointer) and p.name in written and not p.written:
            raise Fault(f"{p.name} is written without being marked so")


def _validate(
    body: Sequence[Statement],
    names: dict[str, Any],
    scope: dict[str, Any],
    variables: set[str],
    written: set[str],
) -> None:
    """Check a block; `names` are all that were ever defined, `scope` those known here."""

    def define(value: Value) -> None:
        if value.name in names:
            raise Fault(f"{value.name} is defined twice")
        names[value.name] = scope[value.name] = value.dtype

    def use(operand: Operand | int) -> None:
        if isinstance(operand, Value) and scope.get(operand.name) != operand.dtype:
            raise Fault(f"{operand} is not known here")

    def index(actual: Index) -> None:
        use(actual.constant)
        for factor, variable in actual.terms:
            use(factor)
            use(variable)

    def memory(pointer: Pointer) -> DType:
        if scope.get(pointer.name) != pointer:
            raise Fault(f"{pointer} is no parameter")
        return np.dtype(np.float32) if pointer.dtype == HALF else pointer.dtype

    for statement in body:
        match statement:
            case Comment():
                continue
            case Let(target, primitive, args) | Update(target, primitive, args):
                for operand in args:
                    use(operand)
                _check_types(target.dtype, primitive, args)
                if isinstance(statement, Let):
                    define(target)
                elif target.name not in variables:
                    raise Fault(f"{target.name} is no variable")
                else:
                    use(target)
            case Load(target, pointer, place):
                index(place)
                if memory(pointer) != target.dtype:
                    raise Fault(f"{statement} has the wrong dtype")
                define(target)
            case Store(pointer, place, value):
                index(place)
                use(value)
                written.add(pointer.name)
                if memory(pointer) != value.dtype:
                    raise Fault(f"{statement} has the wrong dtype")
            case Declare(variable, initial):
                use(initial)
                if initial.dtype != variable.dtype:
                    raise Fault(f"{statement} has the wrong dtype")
                define(variable)
                variables.add(variable.name)
            case For(variable, start, stop, inner) as loop:
                use(start)
                use(stop)
                if loop.lanes and not (isinstance(start, Literal) and isinstance(stop, Literal)):
                    raise Fault(f"lanes from {start} to {stop}")
                define(variable)
                _validate(inner, names, dict(scope), variables, written)
                del scope[variable.name]
            case If(condition, inner) | While(condition, inner):
                use(condition)
                if condition.dtype != BOOL:
                    raise Fault(f"{condition} is no condition")
                if isinstance(statement, While) and condition.name not in variables:
                    raise Fault(f"{condition} never changes")
                _validate(inner, names, dict(scope), variables, written)
            case Call(target, function, args, raised):
                for operand in args:
                    use(operand)
                result = BOOL if raised else function.result
                if tuple(a.dtype for a in args) != function.arguments or target.dtype != result:
                    raise Fault(f"{statement} has the wrong dtypes")
                define(target)
            case Transpose():
                for pointer, place, pitch in (
                    (statement.source, statement.source_index, statement.source_pitch),
                    (statement.result, statement.result_index, statement.result_pitch),
                ):
                    index(place)
                    use(pitch)
                    memory(pointer)
                written.add(statement.result.name)
                if statement.source.dtype != statement.result.dtype:
                    raise Fault(f"{statement} has the wrong dtypes")
            case Prefetch(pointer, place):
                index(place)
                memory(pointer)
            case Local(pointer, size):
                if pointer.name in names or not pointer.written or size < 1:
                    raise Fault(f"{statement} is no memory of its own")
                names[pointer.name] = scope[pointer.name] = pointer


def _check_types(target: DType, primitive: str, args: tuple[Operand, ...]) -> None:
    if primitive == "copy":
        if args[0].dtype != target:
            raise Fault(f"copy of {args[0].dtype} to {target}")
        return
    row = PRIMITIVES[primitive]
    operands = args[1:] if primitive == "select" else args
    loop = operands[0].dtype
    fits = len(args) == row.arity and all(a.dtype == loop for a in operands)
    fits = fits and loop.kind in row.kinds
    fits = fits and target == {"same": loop, "bool": BOOL, "given": target}[row.result]
    if primitive == "select":
        fits = fits and args[0].dtype == BOOL
    if not fits:
        raise Fault(f"{primitive} of {[a.dtype.name for a in args]} to {target}")
