"""Runs loop IR in Python on tiny arrays, and complains about whatever compiled code would not.

Kernels become checked Python functions. Every load must find a value that was stored there, by the
same pointer if anything is written there in that launch; no element may be written by one call and
touched by another, for calls run on many threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
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
from tests.support.checked_memory import Memory, Window
from tests.support.kernel_checks import Fault, validate
from tests.support.values import INVERSES

__all__ = ["fused_multiply_add", "interpret"]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
INT64 = np.dtype(np.int64)


def _c_divide(a: Any, b: Any) -> Any:
    kind = type(a) if isinstance(a, np.generic) else type(b)
    x, y = int(a), int(b)
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return kind(quotient)


def _c_remainder(a: Any, b: Any) -> Any:
    kind = type(a) if isinstance(a, np.generic) else type(b)
    x, y = int(a), int(b)
    return kind(abs(x) % abs(y) * (-1 if x < 0 else 1))


def _minimum(a: Any, b: Any) -> Any:
    return a if a < b or a != a else b


def _maximum(a: Any, b: Any) -> Any:
    return a if a > b or a != a else b


def _shift(function: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda a, b: function(a, b)


OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "and": "&", "or": "|", "xor": "^",
    "equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=",
}  # fmt: skip


def fused_multiply_add(a: Any, b: Any, c: Any) -> Any:
    """Return ``a * b + c``, rounded once."""
    # Literals among the operands are Python's numbers.
    kind = next((type(x) for x in (a, b, c) if isinstance(x, np.floating)), np.float64)
    rough = np.longdouble(a) * np.longdouble(b) + np.longdouble(c)
    if not np.isfinite(rough) or rough == 0:
        return kind(rough)
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    guess = kind(rough)
    near = [guess, np.nextafter(guess, kind(np.inf)), np.nextafter(guess, kind(-np.inf))]
    finite = [value for value in near if np.isfinite(value)]
    if guess not in finite:
        return guess

    def distance(value: Any) -> tuple[Fraction, int]:
        # Of two that are equally near, the even one.
        return abs(Fraction(float(value)) - exact), int(value.view(f"u{value.itemsize}")) & 1

    return min(finite, key=distance)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "minimum": _minimum,
    "maximum": _maximum,
    "negative": np.negative,
    "absolute": np.absolute,
    "shift_left": _shift(np.left_shift),
    "shift_right": _shift(np.right_shift),
    **INVERSES,
    "pow": np.power,
    "fma": fused_multiply_add,
    "exp10": lambda x: np.power(type(x)(10), x),
    "erf": lambda x: type(x)(math.erf(x)),
    "erfc": lambda x: type(x)(math.erfc(x)),
}


def _local(pointer: Pointer, size: int) -> Callable[[], Window]:
    """Return a maker of a call's own memory, which holds nothing at first."""

    def make() -> Window:
        memory = Memory(pointer.name)
        memory.limit = size * pointer.dtype.itemsize
        return Window(memory, 0, pointer, 0)

    return make


class _Printer:
    """Python text of a kernel whose pointers are windows."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {}

    def constant(self, value: Any, prefix: str) -> str:
        name = f"{prefix}_{len(self.scope)}"
        self.scope[name] = value
        return name

    def operand(self, operand: Operand) -> str:
        if isinstance(operand, Value):
            return operand.name
        assert isinstance(operand, Literal)
        if operand.dtype == INT64:
            return f"({int(operand.value)})"
        return self.constant(operand.dtype.type(operand.value), "literal")

    def index(self, index: Index) -> str:
        parts = [str(getattr(index.constant, "name", index.constant))]
        parts += [f"{getattr(f, 'name', f)} * {v.name}" for f, v in index.terms]
        return " + ".join(parts)

    def call(self, primitive: str, args: tuple[Operand, ...], target: DType) -> str:
        texts = [self.operand(a) for a in args]
        loop = args[-1].dtype
        if primitive == "copy":
            return texts[0]
        if primitive == "select":
            return f"({texts[1]} if {texts[0]} else {texts[2]})"
        if primitive in OPERATORS:
            return f"{texts[0]} {OPERATORS[primitive]} {texts[1]}"
        if primitive == "not":
            return f"~{texts[0]}" if loop.kind != "b" else f"np.logical_not({texts[0]})"
        if primitive == "convert":
            if target.kind == "b":
                return f"np.bool_({texts[0]} != 0)"
            kind = self.constant(target.type, "to")
            if (loop.kind == "f" and target.kind in "iu") or loop.kind in "iu":
                source = self.constant(loop.type, "of")
                return f"{source}({texts[0]}).astype({kind})"
            return f"{kind}({texts[0]})"
        if primitive == "bitcast":
            source, kind = self.constant(loop.type, "of"), self.constant(target, "bits")
            return f"{source}({texts[0]}).view({kind})"
        if primitive == "round_half":
            return f"np.{loop.name}(np.float16({texts[0]}))"
        if primitive == "divide" and loop.kind == "f":
            return f"{texts[0]} / {texts[1]}"
        function: Callable[..., Any]
        if primitive == "divide":
            function = _c_divide
        elif primitive == "remainder":
            function = np.fmod if loop.kind == "f" else _c_remainder
        else:
            function = FUNCTIONS.get(primitive) or getattr(np, primitive)
        return f"{self.constant(function, primitive)}({', '.join(texts)})"

    def transpose(self, s: Transpose, pad: str) -> None:
        source = f"{self.index(s.source_index)} + row * {self.operand(s.source_pitch)} + column"
        result = f"{self.index(s.result_index)} + column * {self.operand(s.result_pitch)} + row"
        self.lines += [
            f"{pad}for row in range({s.side}):",
            f"{pad}    for column in range({s.side}):",
            f"{pad}        {s.result.name}.store({result}, {s.source.name}.load({source}))",
        ]

    def block(self, body: Sequence[Statement], depth: int) -> None:
        pad = "    " * depth
        for s in body:
            match s:
                case Comment() | Prefetch():
                    continue
                case Let(target, primitive, args) | Update(target, primitive, args):
                    text = self.call(primitive, args, target.dtype)
                    self.lines.append(f"{pad}{target.name} = {text}")
                case Load(target, pointer, place):
                    text = f"{pointer.name}.load({self.index(place)})"
                    self.lines.append(f"{pad}{target.name} = {text}")
                case Store(pointer, place, value):
                    value_text = self.operand(value)
                    text = f"{pointer.name}.store({self.index(place)}, {value_text})"
                    self.lines.append(f"{pad}{text}")
                case Transpose():
                    self.transpose(s, pad)
                case Declare(variable, initial):
                    self.lines.append(f"{pad}{variable.name} = {self.operand(initial)}")
                case For(variable, start, stop, inner) as loop:
                    limits = f"{self.operand(start)}, {self.operand(stop)}"
                    # Lanes do not depend on each other: backwards is as good.
                    indices = f"reversed(range({limits}))" if loop.lanes else f"range({limits})"
                    self.lines.append(f"{pad}for {variable.name} in {indices}:")
                    self.block(inner, depth + 1)
                case While(condition, inner):
                    self.lines.append(f"{pad}while {condition.name}:")
                    self.block(inner, depth + 1)
                case Call():
                    raise Fault("functions from elsewhere are machine code")
                case Local(pointer, size):
                    array = self.constant(_local(pointer, size), "local")
                    self.lines.append(f"{pad}{pointer.name} = {array}()")
                case If(condition, inner):
                    self.lines.append(f"{pad}if {self.operand(condition)}:")
                    self.block(inner, depth + 1)
        self.lines.append(f"{pad}pass")


def interpret(kernel: Kernel) -> Callable[..., None]:
    """Return a kernel as a Python function of begin, end, windows and numbers."""
    validate(kernel)
    printer = _Printer()
    printer.block(kernel.body, 1)
    names = ["begin", "end", *(p.name for p in kernel.parameters)]
    text = "\n".join([f"def kernel({', '.join(names)}):", *printer.lines])
    printer.scope["np"] = np
    exec(compile(text, f"<{kernel.name}>", "exec"), printer.scope)
    function: Callable[..., None] = printer.scope["kernel"]
    return function
