"""Prints a kernel as LLVM IR. No decision is taken here.

Loops print as rotated ``while`` loops, tested before the first iteration and after each one, which
is the form that LLVM's loop passes work on. Mutable variables are stack slots, which LLVM turns
into registers before it does anything else.
"""

from __future__ import annotations

from typing import assert_never

import numpy as np

from lazyarr.codegen.emit import llvm_syntax
from lazyarr.core.dtypes import kind_of, memory_dtype
from lazyarr.errors import ContractError
from lazyarr.loop_ir.intrinsics import suffix
from lazyarr.loop_ir.kernel import (
    AxisKind,
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
    ThreadStatement,
    Transpose,
    Update,
    Value,
    While,
)
from lazyarr.loop_ir.source import External, Parameter, Source
from lazyarr.loop_ir.vector_form import Spread, spreads

__all__ = ["emit_llvm"]

#: One name for every entry point: equal loops are one source whatever they are called in a plan.
ENTRY = "kernel"

#: Bytes that one prefetch brings; where a line is longer, the second for it costs an instruction.
CACHE_LINE = 64
PREFETCH = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"

#: What the marks of loops refer to.
MARKS = {
    100: '!{!"llvm.loop.unroll.disable"}',
    101: '!{!"llvm.loop.vectorize.followup_vectorized", !102}',
    102: '!{!"llvm.loop.unroll.full"}',
    103: '!{!"llvm.loop.vectorize.enable", i1 false}',
    104: '!{!"llvm.loop.interleave.count", i32 1}',
    105: '!{!"llvm.loop.interleave.count", i32 4}',
    106: '!{!"llvm.loop.interleave.count", i32 2}',
}


def _marks(kind: AxisKind) -> tuple[int, ...]:
    """Return the marks of a loop.

    LLVM makes vectors of the iterations of a loop over lanes, and all of them at once. Only then
    may it write them out: what they keep in local memory goes to registers.
    """
    match kind:
        case AxisKind.PARALLEL | AxisKind.SERIAL | AxisKind.UNROLLED:
            return ()
        case AxisKind.INDEPENDENT | AxisKind.LANES:
            return (100, 101, 102)
        case AxisKind.SHORT:
            return (100, 104)
        case AxisKind.INTERLEAVED:
            return (100, 105)
        case AxisKind.PAIRED:
            return (100, 106)
        case AxisKind.SCALAR:
            return (100, 103)
        case AxisKind.VECTOR | AxisKind.BLOCK | AxisKind.THREAD:
            raise ContractError(f"an axis of kind {kind.name} has no loop")
        case _:
            assert_never(kind)


def emit_llvm(kernel: Kernel) -> Source:
    """Return the LLVM IR of a kernel.

    The text is independent of sizes, offsets, Python scalars and the host. The runtime adds the
    functions that ``Source.intrinsics`` names and the attributes ``#0`` of functions for this host.
    """
    writer = _Writer()
    parameters = tuple(
        Parameter(p.name, memory_dtype(p.dtype), isinstance(p, Pointer)) for p in kernel.parameters
    )
    signature = ["i64 %begin", "i64 %end", *(writer.parameter(p) for p in kernel.parameters)]
    watch = writer.watch(kernel.flags) if kernel.flags is not None else ()
    writer.block(kernel.body)
    # Blocks of lanes are too small to call memcpy for, which may take the slow way.
    attributes = '#0 "no-builtin-memcpy"' if writer.lanes else "#0"
    text = "\n".join(
        [
            f"define void @{ENTRY}({', '.join(signature)}) {attributes} {{",
            "entry:",
            *(f"  {line}" for line in writer.entry),
            *watch[:1],
            *writer.lines,
            *watch[1:],
            "  ret void",
            "}",
            *([PREFETCH] if writer.prefetches else []),
            "",
            *(f"!{number} = {MARKS[number]}" for number in sorted(writer.marks)),
            *writer.metadata,
        ]
    )
    intrinsics = tuple(sorted(writer.intrinsics))
    return Source("llvm", text, ENTRY, parameters, intrinsics, tuple(writer.externals))


class _Writer:
    """The instructions of a function: those of the entry block's start, and the rest."""

    def __init__(self) -> None:
        self.entry: list[str] = []
        self.lines: list[str] = []
        self.metadata: list[str] = []
        self.marks: set[int] = set()
        self.lanes = False
        self.prefetches = False
        self.intrinsics: set[str] = set()
        self.externals: dict[External, None] = {}
        self._depth = 0
        self._label = "entry"
        self._mutable: set[str] = set()
        self._known: dict[str, str] = {}  # values that are another name for an operand
        self._count = 0

    def line(self, text: str) -> None:
        """Write one instruction, indented by the loops around it."""
        self.lines.append("  " * (self._depth + 1) + text)

    def watch(self, report: Pointer) -> tuple[str, str]:
        """Return the first and last line of a body whose floating-point flags are reported."""
        self.intrinsics |= {"watch_begin", "watch_end"}
        return (
            "  %before = call i32 @watch_begin()",
            f"  call void @watch_end(ptr %{report.name}, i32 %before)",
        )

    def label(self, name: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{name}:")
        self._label = name

    def parameter(self, parameter: Pointer | Value) -> str:
        """Return the declaration of a parameter; a bool comes in a byte."""
        name = parameter.name
        if isinstance(parameter, Pointer):
            return f"ptr noalias %{name}" if parameter.written else f"ptr noalias readonly %{name}"
        if kind_of(parameter.dtype) != "b":
            return f"{llvm_syntax.kind(parameter.dtype)} %{name}"
        self.entry.append(f"%{name} = icmp ne i8 %{name}.byte, 0")
        return f"i8 %{name}.byte"

    def block(self, statements: tuple[Statement, ...]) -> None:
        """Write statements."""
        for statement in statements:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        """Write one statement."""
        if isinstance(statement, ThreadStatement):
            raise ContractError(f"the CPU does not support {type(statement).__name__}")
        match statement:
            case Comment(text):
                self.line(f"; {text}")
            case Let(target, "copy", (value,)):
                self._known[target.name] = self.operand(value)
            case Let(target, primitive, args):
                self.line(f"%{target.name} = {self._call(target, primitive, args, False)}")
            case Update(variable, "copy", (value,), _):
                self._assign(variable, self.operand(value))
            case Update(variable, primitive, args, reassociate):
                instruction = self._call(variable, primitive, args, reassociate)
                name = self.fresh(variable)
                self.line(f"{name} = {instruction}")
                self._assign(variable, name)
            case Load(target, pointer, index):
                self._load(target, pointer, index)
            case Store(pointer, index, value):
                self._store(pointer, index, value)
            case Declare(variable, initial):
                self.entry.append(f"%{variable.name} = alloca {llvm_syntax.kind(variable.dtype)}")
                self._assign(variable, self.operand(initial))
                self._mutable.add(variable.name)
            case For(kind=AxisKind.VECTOR):
                self._vectors(statement)
            case For():
                self._loop(statement)
            case While(condition, body):
                self._repeat(condition, body)
            case Call(target, function, args, raised):
                self.externals[function] = None
                name = f"{function.name}.raised" if raised else function.name
                typed = ", ".join(f"{llvm_syntax.kind(a.dtype)} {self.operand(a)}" for a in args)
                kind = llvm_syntax.kind(target.dtype)
                self.line(f"%{target.name} = call {kind} @{name}({typed})")
            case Local(pointer, size):
                memory = llvm_syntax.memory_kind(pointer.dtype)
                self.entry.append(f"%{pointer.name} = alloca [{size} x {memory}], align 64")
            case Prefetch():
                self._prefetch(statement)
            case Transpose():
                self._transpose(statement)
            case If(condition, body):
                self._count += 1
                then, after = f"then.{self._count}", f"after.{self._count}"
                self.line(f"br i1 {self.operand(condition)}, label %{then}, label %{after}")
                self.label(then)
                self._depth += 1
                self.block(body)
                self.line(f"br label %{after}")
                self._depth -= 1
                self.label(after)
            case _:
                assert_never(statement)

    def _loop(self, loop: For) -> None:
        """Write a loop over a counter."""
        name = loop.variable.name
        start, stop = self.operand(loop.start), self.operand(loop.stop)
        self.line(f"%{name}.any = icmp slt i64 {start}, {stop}")
        self.line(f"br i1 %{name}.any, label %{name}.body, label %{name}.after")
        before = self._label
        self.label(f"{name}.body")
        self._depth += 1
        self.line(f"%{name} = phi i64 [ {start}, %{before} ], [ %{name}.next, %{name}.step ]")
        self.block(loop.body)
        self.line(f"br label %{name}.step")
        self.label(f"{name}.step")
        self.line(f"%{name}.next = add nsw i64 %{name}, 1")
        self.line(f"%{name}.more = icmp slt i64 %{name}.next, {stop}")
        self.lanes |= loop.lanes
        marks = _marks(loop.kind)
        hint = f", !llvm.loop {self.hint(marks)}" if marks else ""
        self.line(f"br i1 %{name}.more, label %{name}.body, label %{name}.after{hint}")
        self._depth -= 1
        self.label(f"{name}.after")

    def _vectors(self, loop: For) -> None:
        """Write a loop over lanes as vector instructions."""
        assert isinstance(loop.stop, Literal)
        spread = spreads(loop.variable, loop.body)
        assert spread is not None
        writer = _Lanes(self, int(loop.stop.value), spread)
        self._known[loop.variable.name] = "0"
        for statement in loop.body:
            writer.statement(statement)

    def hint(self, marks: tuple[int, ...]) -> str:
        """Return the mark of one more loop, which refers to others."""
        self.marks.update(marks)
        name = f"!{200 + len(self.metadata)}"
        named = ", ".join(f"!{number}" for number in marks if number != 102)
        self.metadata.append(f"{name} = distinct !{{{name}, {named}}}")
        return name

    def _repeat(self, condition: Value, body: tuple[Statement, ...]) -> None:
        """Write a loop that a variable ends."""
        self._count += 1
        start, then, after = (f"{part}.{self._count}" for part in ("while", "turn", "done"))
        self.line(f"br label %{start}")
        self.label(start)
        self.line(f"br i1 {self.operand(condition)}, label %{then}, label %{after}")
        self.label(then)
        self._depth += 1
        self.block(body)
        self.line(f"br label %{start}")
        self._depth -= 1
        self.label(after)

    def _load(self, target: Value, pointer: Pointer, index: Index) -> None:
        """Write a load; float16 widens to float32, and a byte becomes a bool."""
        name = f"%{target.name}"
        address = self.address(f"{name}.at", pointer, index)
        memory = llvm_syntax.memory_kind(pointer.dtype)
        read = f"load {memory}, ptr {address}, align {pointer.dtype.itemsize}"
        if kind_of(pointer.dtype) == "b":
            self.line(f"{name}.byte = {read}")
            self.line(f"{name} = icmp ne i8 {name}.byte, 0")
        elif pointer.dtype == np.float16:
            self.line(f"{name}.half = {read}")
            self.line(f"{name} = fpext half {name}.half to float")
        else:
            self.line(f"{name} = {read}")

    def _store(self, pointer: Pointer, index: Index, value: Operand) -> None:
        """Write a store; float32 narrows to float16, and a bool becomes a byte."""
        stored = self.operand(value)
        name = self.fresh(pointer)
        if kind_of(pointer.dtype) == "b":
            self.line(f"{name}.byte = zext i1 {stored} to i8")
            stored = f"{name}.byte"
        elif pointer.dtype == np.float16:
            self.line(f"{name}.half = fptrunc float {stored} to half")
            stored = f"{name}.half"
        address = self.address(name, pointer, index)
        memory = llvm_syntax.memory_kind(pointer.dtype)
        self.line(f"store {memory} {stored}, ptr {address}, align {pointer.dtype.itemsize}")

    def _prefetch(self, statement: Prefetch) -> None:
        """Write a prefetch of each line of cache; its address may be no element's."""
        pointer = statement.pointer
        name = self.fresh(pointer)
        place = self._index(name, statement.index)
        memory = llvm_syntax.memory_kind(pointer.dtype)
        self.line(f"{name} = getelementptr {memory}, ptr %{pointer.name}, i64 {place}")
        # For reading or writing, into the nearest cache and those behind it, of data.
        how = f"i32 {int(pointer.written)}, i32 3, i32 1"
        for offset in range(0, statement.nbytes, CACHE_LINE):
            ahead = f"{name}.a{offset}"
            self.line(f"{ahead} = getelementptr i8, ptr {name}, i64 {statement.ahead + offset}")
            self.line(f"call void @llvm.prefetch.p0(ptr {ahead}, {how})")
        self.prefetches = True

    def _transpose(self, statement: Transpose) -> None:
        """Write the copy of a block, which the runtime defines for vectors of the host."""
        name = f"transpose_{suffix(statement.source.dtype)}_x{statement.side}"
        operands = []
        for pointer, index, pitch in (
            (statement.source, statement.source_index, statement.source_pitch),
            (statement.result, statement.result_index, statement.result_pitch),
        ):
            address = self.address(self.fresh(pointer), pointer, index)
            operands.append(f"ptr {address}, i64 {self.operand(pitch)}")
        self.intrinsics.add(name)
        self.line(f"call void @{name}({', '.join(operands)})")

    def address(self, name: str, pointer: Pointer, index: Index) -> str:
        """Write the address of an element, and return its name.

        Parameters
        ----------
        name : str
            The beginning of the names of what is written.
        pointer : Pointer
            The memory.
        index : Index
            Of the element.
        """
        place = self._index(name, index)
        if place == "0":
            return f"%{pointer.name}"
        memory = llvm_syntax.memory_kind(pointer.dtype)
        self.line(f"{name} = getelementptr inbounds {memory}, ptr %{pointer.name}, i64 {place}")
        return name

    def _index(self, name: str, index: Index) -> str:
        """Write the arithmetic of an index, which never overflows, and return its result."""
        parts = []
        for number, (factor, variable) in enumerate(index.terms):
            moving = self.operand(variable)
            if factor != 1:
                by = self.operand(factor) if isinstance(factor, Value) else str(factor)
                self.line(f"{name}.x{number} = mul nsw i64 {by}, {moving}")
                moving = f"{name}.x{number}"
            parts.append(moving)
        if isinstance(index.constant, Value):
            parts.append(self.operand(index.constant))
        elif index.constant or not parts:
            parts.append(str(index.constant))
        total = parts[0]
        for number, part in enumerate(parts[1:]):
            self.line(f"{name}.s{number} = add nsw i64 {total}, {part}")
            total = f"{name}.s{number}"
        return total

    def _call(
        self, target: Value, primitive: str, args: tuple[Operand, ...], reassociate: bool
    ) -> str:
        """Return the right-hand side of a primitive."""
        text, names = llvm_syntax.text(
            primitive,
            [self.operand(a) for a in args],
            [a.dtype for a in args],
            target.dtype,
            reassociate,
        )
        self.intrinsics.update(names)
        return text

    def _assign(self, variable: Value, value: str) -> None:
        """Write a new value of a mutable variable."""
        self.line(f"store {llvm_syntax.kind(variable.dtype)} {value}, ptr %{variable.name}")

    def operand(self, operand: Operand) -> str:
        """Return the text of a value or a literal; a mutable variable is read first."""
        if isinstance(operand, Literal):
            return llvm_syntax.literal(operand.value, operand.dtype)
        if operand.name in self._mutable:
            name = self.fresh(operand)
            self.line(f"{name} = load {llvm_syntax.kind(operand.dtype)}, ptr %{operand.name}")
            return name
        return self._known.get(operand.name, f"%{operand.name}")

    def fresh(self, of: Value | Pointer) -> str:
        """Return an unused name that recalls a variable or a pointer."""
        self._count += 1
        return f"%{of.name}.{self._count}"


class _Lanes:
    """Writes the body of a loop over lanes: all of them at a time."""

    def __init__(self, writer: _Writer, width: int, spread: dict[str, Spread]) -> None:
        self.writer = writer
        self.width = width
        self._spread = spread
        self._same: dict[str, str] = {}  # vectors whose lanes are all one scalar

    def statement(self, statement: Statement) -> None:
        """Write one statement."""
        w = self.writer
        match statement:
            case Let(target, primitive, args) if self._is_wide(target):
                wide = [self._operand(a) for a in args]
                kinds = [a.dtype for a in args]
                text, names = llvm_syntax.text(
                    primitive, wide, kinds, target.dtype, width=self.width
                )
                w.intrinsics.update(names)
                w.line(f"%{target.name} = {text}")
            case Load(target, pointer, index) if self._is_wide(target):
                self._load(target, pointer, index)
            case Store(pointer, index, value):
                self._store(pointer, index, self._operand(value))
            case _:
                w.statement(statement)

    def _is_wide(self, value: Value) -> bool:
        return self._spread.get(value.name) is Spread.WIDE

    def _operand(self, operand: Operand) -> str:
        """Return the text of a vector; a scalar is spread over the lanes first."""
        w = self.writer
        if isinstance(operand, Value) and self._is_wide(operand):
            return w.operand(operand)
        scalar = w.operand(operand)
        kind = llvm_syntax.kind(operand.dtype)
        name = self._same.get(f"{kind} {scalar}")
        if name is None:
            name = w.fresh(Value("same", operand.dtype))
            vector = llvm_syntax.vector(kind, self.width)
            w.line(f"{name}.one = insertelement {vector} poison, {kind} {scalar}, i64 0")
            zeros = f"<{self.width} x i32> zeroinitializer"
            w.line(f"{name} = shufflevector {vector} {name}.one, {vector} poison, {zeros}")
            self._same[f"{kind} {scalar}"] = name
        return name

    def _load(self, target: Value, pointer: Pointer, index: Index) -> None:
        w, name = self.writer, f"%{target.name}"
        address = w.address(f"{name}.at", pointer, index)
        memory = llvm_syntax.vector(llvm_syntax.memory_kind(pointer.dtype), self.width)
        read = f"load {memory}, ptr {address}, align {pointer.dtype.itemsize}"
        if kind_of(pointer.dtype) == "b":
            w.line(f"{name}.byte = {read}")
            w.line(f"{name} = icmp ne {memory} {name}.byte, zeroinitializer")
        elif pointer.dtype == np.float16:
            w.line(f"{name}.half = {read}")
            w.line(
                f"{name} = fpext {memory} {name}.half to {llvm_syntax.vector('float', self.width)}"
            )
        else:
            w.line(f"{name} = {read}")

    def _store(self, pointer: Pointer, index: Index, value: str) -> None:
        w = self.writer
        name = w.fresh(pointer)
        memory = llvm_syntax.vector(llvm_syntax.memory_kind(pointer.dtype), self.width)
        if kind_of(pointer.dtype) == "b":
            w.line(f"{name}.byte = zext {llvm_syntax.vector('i1', self.width)} {value} to {memory}")
            value = f"{name}.byte"
        elif pointer.dtype == np.float16:
            wide = llvm_syntax.vector("float", self.width)
            w.line(f"{name}.half = fptrunc {wide} {value} to {memory}")
            value = f"{name}.half"
        address = w.address(name, pointer, index)
        w.line(f"store {memory} {value}, ptr {address}, align {pointer.dtype.itemsize}")
