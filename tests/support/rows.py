"""Compile rows of the elementwise table: one loop a row and dtype, many rows a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lazyarr.graph.node import Op
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import (
    For,
    Index,
    Kernel,
    Let,
    Load,
    Operand,
    Pointer,
    Statement,
    Store,
    Value,
)
from lazyarr.loop_ir.primitives import PRIMITIVES
from tests.support.compiled import BEGIN, END, Compiled

DType = np.dtype[Any]
Array = np.ndarray[Any, Any]
HALF = np.dtype(np.float16)
SINGLE = np.dtype(np.float32)


@dataclass(frozen=True)
class Case:
    """A row with the dtypes of its operands and of its result."""

    op: Op
    loop: tuple[DType, ...]
    result: DType

    def __str__(self) -> str:
        return f"{self.op.name}({', '.join(map(str, self.loop))}) -> {self.result}"


@dataclass(frozen=True)
class Lowered:
    """The statements of one case, the operand they end in, and whether they call mathematics."""

    statements: tuple[Let, ...]
    value: Operand
    mathematics: bool


def register(dtype: DType) -> DType:
    """Return the dtype in which a kernel holds a value."""
    return SINGLE if dtype == HALF else dtype


def lower(case: Case) -> Lowered | None:
    """Return a row's expansion of ``x0``, ``x1``, ...; None where it has none."""
    if case.op.expand is None:
        return None
    builder = Builder()
    values = [Value(f"x{i}", register(dtype)) for i, dtype in enumerate(case.loop)]
    options = {"dtype": case.result} if case.op.converts else {}
    result = case.op.expand(builder, *values, **options)
    if result is None:
        return None
    if case.result == HALF:
        result = builder.call("round_half", result)
    statements = builder.finish()
    assert all(isinstance(statement, Let) for statement in statements)
    mathematics = any(PRIMITIVES[statement.primitive].math for statement in statements)
    return Lowered(statements, result, mathematics)


def run(
    cases: list[tuple[Case, Lowered]], operands: list[tuple[Array, ...]], backend: str
) -> list[Array]:
    """Compute every case over its operands; all of them have one length."""
    pointers: list[Pointer] = []
    loops = []
    results = []
    arrays = []
    for number, ((case, lowered), source) in enumerate(zip(cases, operands, strict=True)):
        renamed = {f"x{i}": f"x{number}_{i}" for i in range(len(source))}
        renamed |= {let.target.name: f"{let.target.name}_{number}" for let in lowered.statements}

        def own(operand: Operand, renamed: dict[str, str] = renamed) -> Operand:
            if isinstance(operand, Value):
                return Value(renamed[operand.name], operand.dtype)
            return operand

        counter = Value(f"i{number}", BEGIN.dtype)
        index = Index(0, ((1, counter),))
        body: list[Statement] = []
        for i, dtype in enumerate(case.loop):
            pointers.append(Pointer(f"p{number}_{i}", dtype))
            body.append(Load(Value(f"x{number}_{i}", register(dtype)), pointers[-1], index))
        for let in lowered.statements:
            body.append(Let(own(let.target), let.primitive, tuple(map(own, let.args))))
        pointers.append(Pointer(f"p{number}", case.result, written=True))
        body.append(Store(pointers[-1], index, own(lowered.value)))
        loops.append(For(counter, BEGIN, END, tuple(body)))
        results.append(np.empty(len(source[0]), case.result))
        arrays += [*source, results[-1]]
    compiled = Compiled(Kernel("rows", tuple(pointers), tuple(loops)), backend)
    compiled(0, len(operands[0][0]), *arrays)
    return results
