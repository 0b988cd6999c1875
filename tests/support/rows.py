"""Compile rows of the elementwise table: one loop a row and dtype, many rows a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lazyarr.codegen import numba_text
from lazyarr.codegen.builder import Builder
from lazyarr.codegen.kernel import Let, Literal, Operand, Value
from lazyarr.codegen.primitives import PRIMITIVES
from lazyarr.ir import Op
from tests.support.compiled import Compiled

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
    """The statements of one case, and the names they need."""

    lines: tuple[str, ...]
    value: str
    names: frozenset[str]
    mathematics: bool


def lower(case: Case) -> Lowered | None:
    """Return the text of a row's expansion of ``x0``, ``x1``, ...; None where it has none."""
    if case.op.expand is None:
        return None
    builder = Builder()
    values = [
        Value(f"x{i}", SINGLE if dtype == HALF else dtype) for i, dtype in enumerate(case.loop)
    ]
    options = {"dtype": case.result} if case.op.converts else {}
    result = case.op.expand(builder, *values, **options)
    if result is None:
        return None
    if case.result == HALF:
        result = builder.call("round_half", result)
    names: set[str] = set()
    lines = []
    mathematics = False

    def operand(given: Operand) -> str:
        if isinstance(given, Literal):
            text, used = numba_text.literal(given.value, given.dtype)
            names.update(used)
            return text
        return given.name

    for statement in builder.finish():
        assert isinstance(statement, Let)
        args = [operand(given) for given in statement.args]
        dtypes = [given.dtype for given in statement.args]
        text, used = numba_text.text(statement.primitive, args, dtypes, statement.target.dtype)
        names.update(used)
        mathematics |= PRIMITIVES[statement.primitive].math
        lines.append(f"{statement.target.name} = {text}")
    return Lowered(tuple(lines), result.name, frozenset(names), mathematics)


def run(cases: list[tuple[Case, Lowered]], operands: list[tuple[Array, ...]]) -> list[Array]:
    """Compute every case over its operands; all of them have one length."""
    lines: list[str] = []
    pointers: list[str] = []
    names: set[str] = set()
    results = []
    arrays = []
    for number, ((case, lowered), given) in enumerate(zip(cases, operands, strict=True)):
        mine = [f"p{number}_{i}" for i in range(len(given) + 1)]
        pointers += mine
        lines.append("for i in range(begin, end):")
        for i, dtype in enumerate(case.loop):
            text, used = numba_text.load(mine[i], "i", dtype)
            names.update(used)
            lines.append(f"    x{i} = {text}")
        lines += (f"    {line}" for line in lowered.lines)
        text, used = numba_text.store(mine[-1], "i", lowered.value, case.result)
        names.update(used, lowered.names)
        lines.append(f"    {text}")
        results.append(np.empty(len(given[0]), case.result))
        arrays += [*given, results[-1]]
    header = f"def kernel(begin, end, {', '.join(pointers)}):"
    text = "\n".join([header, *(f"    {line}" for line in lines)])
    compiled = Compiled(text, [array.dtype for array in arrays], sorted(names))
    compiled(0, len(operands[0][0]), *arrays)
    return results
