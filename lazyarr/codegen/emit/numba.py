"""Prints a kernel as Numba source. No decision is taken here."""

from __future__ import annotations

from typing import assert_never

from lazyarr.codegen.emit import numba_syntax
from lazyarr.codegen.emit.infix import index_text
from lazyarr.core.dtypes import memory_dtype
from lazyarr.errors import ContractError
from lazyarr.loop_ir.kernel import (
    Call,
    Comment,
    Declare,
    For,
    If,
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
    ThreadStatement,
    Transpose,
    Update,
    Value,
    While,
)
from lazyarr.loop_ir.source import External, Parameter, Source

__all__ = ["emit_numba"]


def emit_numba(kernel: Kernel) -> Source:
    """Return the Numba source of a kernel.

    The text is independent of sizes, offsets and Python scalars: those are parameters. Comments
    are not part of it; see :func:`commented`.
    """
    writer = _Writer()
    names = ["begin", "end", *(p.name for p in kernel.parameters)]
    writer.line(f"def {ENTRY}({', '.join(names)}):")
    if kernel.flags is not None:
        writer.intrinsics |= {"watch_begin", "watch_end"}
        writer.line("    before = watch_begin()")
    writer.block(kernel.body)
    if kernel.flags is not None:
        writer.line(f"    watch_end({kernel.flags.name}, before)")
    parameters = tuple(
        Parameter(p.name, memory_dtype(p.dtype), isinstance(p, Pointer)) for p in kernel.parameters
    )
    intrinsics = tuple(sorted(writer.intrinsics))
    externals = tuple(writer.externals)
    return Source("numba", writer.text(), ENTRY, parameters, intrinsics, externals)


#: One name for every entry point: equal loops are one source whatever they are called in a plan.
ENTRY = "kernel"


class _Writer:
    """Lines of text with indentation."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0
        self.intrinsics: set[str] = set()
        self.externals: dict[External, None] = {}

    def text(self) -> str:
        """Return everything written."""
        return "\n".join(self._lines) + "\n"

    def line(self, text: str) -> None:
        """Write one line."""
        self._lines.append("    " * self._depth + text)

    def block(self, statements: tuple[Statement, ...]) -> None:
        """Write statements one level deeper."""
        self._depth += 1
        before = len(self._lines)
        for statement in statements:
            self.statement(statement)
        if len(self._lines) == before:
            self.line("pass")  # nothing, or nothing that Numba has
        self._depth -= 1

    def statement(self, statement: Statement) -> None:
        """Write one statement."""
        if isinstance(statement, ThreadStatement):
            raise ContractError(f"the CPU does not support {type(statement).__name__}")
        match statement:
            case Comment(text):
                self.line(f"# {text}")
            case Let(target, "copy", args) | Update(target, "copy", args, _):
                self.line(f"{target.name} = {self.operand(args[0])}")
            case Let(target, primitive, args):
                self.line(f"{target.name} = {self._call(target, primitive, args, False)}")
            case Update(target, primitive, args, reassociate):
                self.line(f"{target.name} = {self._call(target, primitive, args, reassociate)}")
            case Load(target, pointer, index):
                code, names = numba_syntax.load(pointer.name, index_text(index), pointer.dtype)
                self.intrinsics.update(names)
                self.line(f"{target.name} = {code}")
            case Store(pointer, index, value):
                code, names = numba_syntax.store(
                    pointer.name, index_text(index), self.operand(value), pointer.dtype
                )
                self.intrinsics.update(names)
                self.line(code)
            case Declare(variable, initial):
                self.line(f"{variable.name} = {self.operand(initial)}")
            case For(variable, start, stop, body):
                limits = f"{self.operand(start)}, {self.operand(stop)}"
                self.line(f"for {variable.name} in range({limits}):")
                self.block(body)
            case While(condition, body):
                self.line(f"while {condition.name}:")
                self.block(body)
            case Call(target, function, args, raised):
                self.externals[function] = None
                name = f"{function.name}_raised" if raised else function.name
                arguments = ", ".join(map(self.operand, args))
                self.line(f"{target.name} = {name}({arguments})")
            case Local(pointer, size):
                name = f"local_{numba_syntax.suffix(pointer.dtype)}"
                self.intrinsics.add(name)
                self.line(f"{pointer.name} = {name}({size})")
            case Prefetch():
                pass  # Numba has nothing for it
            case Transpose():
                self._transpose(statement)
            case If(condition, body):
                self.line(f"if {self.operand(condition)}:")
                self.block(body)
            case _:
                assert_never(statement)

    def _transpose(self, statement: Transpose) -> None:
        """Write the copy of a block, element by element."""
        source, result = statement.source, statement.result
        line, column = index_text(statement.source_index), index_text(statement.result_index)
        line += f" + row * {self.operand(statement.source_pitch)} + column"
        column += f" + column * {self.operand(statement.result_pitch)} + row"
        value, names = numba_syntax.load(source.name, line, source.dtype)
        code, more = numba_syntax.store(result.name, column, value, result.dtype)
        self.intrinsics.update((*names, *more))
        self.line(f"for row in range({statement.side}):")
        self.line(f"    for column in range({statement.side}):")
        self.line(f"        {code}")

    def _call(
        self, target: Value, primitive: str, args: tuple[Operand, ...], reassociate: bool
    ) -> str:
        """Return the text of a primitive."""
        text, names = numba_syntax.text(
            primitive,
            [self.operand(a) for a in args],
            [a.dtype for a in args],
            target.dtype,
            reassociate,
        )
        self.intrinsics.update(names)
        return text

    def operand(self, operand: Operand) -> str:
        """Return the text of a value or a literal."""
        if isinstance(operand, Value):
            return operand.name
        assert isinstance(operand, Literal)
        text, names = numba_syntax.literal(operand.value, operand.dtype)
        self.intrinsics.update(names)
        return text
