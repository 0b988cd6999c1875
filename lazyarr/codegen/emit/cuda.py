"""Prints a device kernel as CUDA C. No decision is taken here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import numpy as np

from lazyarr.codegen.emit import cuda_syntax
from lazyarr.codegen.emit.infix import index_text
from lazyarr.core.dtypes import kind_of, memory_dtype
from lazyarr.errors import ContractError
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.cuda_kernel import WARP, DeviceKernel
from lazyarr.loop_ir.kernel import (
    Call,
    Comment,
    Declare,
    For,
    If,
    Index,
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
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.loop_ir.threads import (
    Arithmetic,
    Array,
    Await,
    Barrier,
    Builtin,
    DividedBy,
    Divisor,
    Intrinsic,
    LastBlock,
    PrefetchL2,
    Publish,
    Shuffle,
    Ticket,
    VectorLoad,
    VectorStore,
)

__all__ = ["ENTRY", "SHARED", "commented", "emit_cuda"]

#: One name for every entry point: equal kernels are one source whatever a plan calls them.
ENTRY = "kernel"
#: The memory that a launch gives; larger than what a kernel may declare with a size.
SHARED = "    extern __shared__ __align__(128) unsigned char shared[];"
_BUILTINS = {AxisKind.THREAD: "threadIdx.x", AxisKind.BLOCK: "blockIdx.x"}
#: What a tile of a product consists of.
_TILE = Pointer("shared", np.dtype(np.float64), True)
_SHUFFLES = {"xor": "__shfl_xor_sync", "up": "__shfl_up_sync", "lane": "__shfl_sync"}


def emit_cuda(kernel: DeviceKernel) -> Source:
    """Return the CUDA C source of a kernel.

    The text is independent of offsets and Python scalars, and of sizes but for those that decide
    how many elements a thread keeps. Comments about the user's code are not part of it; see
    :func:`commented`.
    """
    writer = _Writer()
    writer.block(kernel.body)
    signature = ",\n    ".join(_parameter(p) for p in kernel.parameters)
    lines = [*writer.preamble()]
    bounds = f"{kernel.threads}, {kernel.min_blocks}" if kernel.min_blocks > 1 else kernel.threads
    lines.append(f'extern "C" __global__ void __launch_bounds__({bounds}) {ENTRY}(')
    lines.append(f"    {signature}) {{")
    if kernel.shared_bytes:
        lines.append(SHARED)
    lines += [*writer.lines, "}"]
    parameters = tuple(
        Parameter(p.name, memory_dtype(p.dtype), isinstance(p, Pointer)) for p in kernel.parameters
    )
    text = "\n".join(lines) + "\n"
    return Source(
        "cuda",
        text,
        ENTRY,
        parameters,
        shared_bytes=kernel.shared_bytes,
        tiered=kernel.tiered,
    )


def commented(kernel: DeviceKernel, source: Source) -> str:
    """Return the source with the kernel's comments above it, for a reader.

    Parameters
    ----------
    kernel : DeviceKernel
        With the comments.
    source : Source
        What :func:`emit_cuda` made of it.
    """
    lines = [f"// {line}" for line in (kernel.name, *kernel.comments)]
    return "\n".join([*lines, source.text])


def _parameter(parameter: Pointer | Value) -> str:
    if isinstance(parameter, Value):
        return f"const {cuda_syntax.c_type(parameter.dtype)} {parameter.name}"
    kind = cuda_syntax.memory_type(memory_dtype(parameter.dtype))
    if parameter.written:
        return f"{kind}* {parameter.name}"
    return f"const {kind}* __restrict__ {parameter.name}"


def _vector_name(pointer: Pointer, width: int) -> str:
    return f"{kind_of(pointer.dtype)}{8 * pointer.dtype.itemsize}x{width}"


class _Writer:
    """Lines of text with indentation, and the definitions that they need."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.helpers: set[str] = set()
        self.vectors: dict[str, str] = {}
        self._depth = 0
        self._loads = 0

    def preamble(self) -> list[str]:
        """Return the definitions that the text uses."""
        definitions = [self.vectors[name] for name in sorted(self.vectors)]
        definitions += [body for name, body in cuda_syntax.HELPERS.items() if name in self.helpers]
        return [line for text in definitions for line in (text, "")]

    def line(self, text: str) -> None:
        """Write one line."""
        self.lines.append("    " * self._depth + text)

    def block(self, statements: tuple[Statement, ...]) -> None:
        """Write statements one level deeper."""
        self._depth += 1
        for statement in statements:
            self.statement(statement)
        self._depth -= 1

    def statement(self, statement: Statement) -> None:
        """Write one statement."""
        match statement:
            case Comment(text):
                self.line(f"// {text}")
            case Let(target, primitive, args):
                self.line(f"const {self.named(target)} = {self._call(target, primitive, args)};")
            case Update(variable, primitive, args, _):
                self.line(f"{variable.name} = {self._call(variable, primitive, args)};")
            case Load(target, pointer, index):
                element = f"{pointer.name}[{index_text(index)}]"
                self.line(f"const {self.named(target)} = {self._loaded(element, pointer)};")
            case Store(pointer, index, value):
                self.line(f"{pointer.name}[{index_text(index)}] = {self._stored(value, pointer)};")
            case Declare(variable, initial):
                self.line(f"{self.named(variable)} = {self.operand(initial)};")
            case For(variable, start, stop, body, _, unroll, _):
                if unroll is not None:
                    self.line(f"#pragma unroll {unroll}" if unroll else "#pragma unroll")
                name = variable.name
                limits = f"{name} = {self.operand(start)}; {name} < {self.operand(stop)}; ++{name}"
                self.line(f"for ({cuda_syntax.c_type(variable.dtype)} {limits}) {{")
                self.block(body)
                self.line("}")
            case While(condition, body):
                self.line(f"while ({condition.name}) {{")
                self.block(body)
                self.line("}")
            case Call(_, function):
                raise ContractError(f"{function.name} is compiled for the CPU only")
            case Prefetch():
                raise ContractError("CUDA kernels have no prefetch statement")
            case Transpose():
                raise ContractError("CUDA kernels have no transpose statement")
            case Local(pointer, size):
                kind = cuda_syntax.memory_type(pointer.dtype)
                self.line(f"{kind} {pointer.name}[{size}];")
            case If(condition, body):
                self.line(f"if ({self.operand(condition)}) {{")
                self.block(body)
                self.line("}")
            case _:
                self.thread_statement(statement)

    def thread_statement(self, statement: ThreadStatement) -> None:
        """Write a statement that only devices have."""
        match statement:
            case Builtin(target, axis):
                self.line(f"const {self.named(target)} = {_BUILTINS[axis]};")
            case Arithmetic(target, "min", left, right):
                low, high = self.operand(left), self.operand(right)
                self.line(f"const {self.named(target)} = {low} < {high} ? {low} : {high};")
            case Arithmetic(target, operator, left, right):
                text = f"{self.operand(left)} {operator} {self.operand(right)}"
                self.line(f"const {self.named(target)} = {text};")
            case Array(pointer, size, shared, None):
                prefix = "__shared__ " if shared else ""
                kind = cuda_syntax.memory_type(pointer.dtype)
                self.line(f"{prefix}{kind} {pointer.name}[{size}];")
            case Array(pointer, _, _, offset):
                kind = cuda_syntax.memory_type(pointer.dtype)
                self.line(f"{kind}* const {pointer.name} = ({kind}*)(shared + {offset});")
            case VectorLoad(targets, pointer, index, left):
                self._vector_load(targets, pointer, index, left)
            case VectorStore():
                self._vector_store(statement)
            case PrefetchL2(pointer, index):
                self.helpers.add("prefetch")
                self.line(f"prefetch({pointer.name} + {index_text(index)});")
            case Shuffle(target, value, distance, mode, lanes):
                small = value.dtype.itemsize < 4
                source = f"(int){value.name}" if small else value.name
                width = "" if lanes == WARP else f", {lanes}"
                text = f"{_SHUFFLES[mode]}(0xffffffffu, {source}, {self.operand(distance)}{width})"
                kind = cuda_syntax.c_type(value.dtype)
                self.line(f"const {self.named(target)} = {f'({kind})' if small else ''}{text};")
            case Barrier():
                self.line("__syncthreads();")
            case LastBlock(target, pointer, index, blocks):
                self._last_block(target, pointer, index, blocks)
            case Ticket(target, pointer, index, blocks):
                self._ticket(target, pointer, index, blocks)
            case Publish(pointer, index):
                self.line("__threadfence();")
                self.line(f"*(volatile unsigned int*)({pointer.name} + {index_text(index)}) = 1u;")
            case Await(pointer, index):
                flag = f"*(volatile unsigned int*)({pointer.name} + {index_text(index)})"
                self.line(f"while ({flag} == 0u) {{")
                self.line("}")
                self.line("__threadfence();")
            case Divisor(target, value):
                self.helpers |= {"quotient", "divisor"}
                self.line(f"const divisor {target.name} = divisor_of({self.operand(value)});")
            case DividedBy(target, value, divisor):
                text = f"divided({self.operand(value)}, {divisor.name})"
                self.line(f"const {self.named(target)} = {text};")
            case Intrinsic():
                self._intrinsic(statement)
            case _:
                assert_never(statement)

    def _vector_load(
        self, targets: tuple[Value, ...], pointer: Pointer, index: Index, left: Operand | None
    ) -> None:
        """Write a load of several elements and their names."""
        name = self._vector(pointer, len(targets))
        place = f"{pointer.name} + {index_text(index)}"
        if left is None:
            self._name_lanes(targets, pointer, f"*(const {name}*)({place})")
        else:
            self.helpers.add("load_some")
            self._name_lanes(targets, pointer, f"load_some<{name}>({place}, {self.operand(left)})")

    def _vector_store(self, store: VectorStore) -> None:
        """Write a store of several elements."""
        name = self._vector(store.pointer, len(store.values))
        lanes = ", ".join(self._stored(value, store.pointer) for value in store.values)
        place = f"{store.pointer.name} + {index_text(store.index)}"
        vector = f"{name}{{{{{lanes}}}}}"
        if store.left is not None:
            self.helpers.add("store_some")
            self.line(f"store_some({place}, {self.operand(store.left)}, {vector});")
        elif store.passing:
            self.helpers.add("store_passing")
            self.line(f"store_passing(({name}*)({place}), {vector});")
        else:
            self.line(f"*({name}*)({place}) = {vector};")

    def _name_lanes(self, targets: tuple[Value, ...], pointer: Pointer, vector: str) -> None:
        """Write a vector and the names of its elements."""
        register = f"q{self._loads}"
        self._loads += 1
        self.line(f"const {self._vector(pointer, len(targets))} {register} = {vector};")
        for lane, target in enumerate(targets):
            element = self._loaded(f"{register}.lane[{lane}]", pointer)
            self.line(f"const {self.named(target)} = {element};")

    def _searches(self, call: Intrinsic, names: Sequence[str]) -> None:
        """Write searches for positions in a sorted vector."""
        self.helpers.add("positions_in")
        count, number = len(call.targets), self._loads
        self._loads += 1
        kind = cuda_syntax.c_type(call.args[-1].dtype)
        lanes = ", ".join(names[-count:])
        is_right = "true" if call.constants[0] == "right" else "false"
        self.line(f"const {kind} x{number}[{count}] = {{{lanes}}};")
        self.line(f"int p{number}[{count}];")
        where = ", ".join((*names[:-count], f"x{number}", f"p{number}"))
        self.line(f"positions_in<{is_right}, {count}>({where});")
        for lane, target in enumerate(call.targets):
            self.line(f"const {self.named(target)} = p{number}[{lane}];")

    def _intrinsic(self, call: Intrinsic) -> None:
        """Write the call of an algorithm that is a text of its own."""
        names = [a.name if isinstance(a, Pointer) else self.operand(a) for a in call.args]
        match call.name:
            case "philox":
                self.helpers.add("philox")
                words = f"w{self._loads}"
                self._loads += 1
                self.line(f"const words {words} = philox({', '.join(names)});")
                for target, word in zip(call.targets, ("first", "second"), strict=True):
                    self.line(f"const {self.named(target)} = {words}.{word};")
            case "position_in":
                self._searches(call, names)
            case "quotient_of_index":
                self.helpers.add("quotient_of_index")
                text = f"quotient_of_index({', '.join(names)})"
                self.line(f"const {self.named(call.targets[0])} = {text};")
            case "each_or_rare":
                function = f"{call.constants[0]}_or"
                self.helpers |= {"each", function}
                self.line(f"{function}({', '.join(names)});")
            case "product_tile":
                self.helpers |= {"copy_ahead", "multiply_add", "product_tile"}
                constants = ", ".join(map(str, (self._vector(_TILE, 2), *call.constants)))
                self.line(f"product_tile<{constants}>(shared, {', '.join(names)});")
            case "small_product":
                self.helpers |= {"small_product"}
                constants = ", ".join(map(str, call.constants))
                left, at_left, right, at_right, sums = names
                places = f"{left} + {at_left}, {right} + {at_right}, {sums}"
                self.line(f"small_product<{constants}>({places});")
            case "tile_pair":
                self.helpers.add("tile_pair")
                constants = f"{self._vector(_TILE, 2)}, {call.constants[0]}"
                pair = f"tile_pair<{constants}>(shared, {', '.join(names)})"
                self._name_lanes(call.targets, _TILE, pair)
            case _:
                raise ContractError(f"CUDA has no intrinsic {call.name!r}")

    def _last_block(self, target: Value, pointer: Pointer, index: Operand, blocks: Operand) -> None:
        """Write the counting of blocks."""
        flag = f"{target.name}_shared"
        last = f"{self.operand(blocks)} - 1"
        counter = f"{pointer.name} + {self.operand(index)}"
        self.line(f"__shared__ bool {flag};")
        self.line("__threadfence();")
        self.line("__syncthreads();")
        self.line("if (threadIdx.x == 0) {")
        self.line(f"    {flag} = atomicInc({counter}, {last}) == {last};")
        self.line("}")
        self.line("__syncthreads();")
        self.line(f"const {self.named(target)} = {flag};")
        self.line("__threadfence();")

    def _ticket(self, target: Value, pointer: Pointer, index: Operand, blocks: Operand) -> None:
        """Write the counting of blocks as they begin."""
        shared = f"{target.name}_shared"
        counter = f"{pointer.name} + {self.operand(index)}"
        self.line(f"__shared__ unsigned int {shared};")
        self.line("if (threadIdx.x == 0) {")
        self.line(f"    {shared} = atomicInc({counter}, {self.operand(blocks)} - 1);")
        self.line("}")
        self.line("__syncthreads();")
        self.line(f"const {self.named(target)} = {shared};")

    def _vector(self, pointer: Pointer, width: int) -> str:
        """Return the name of a vector type."""
        name = _vector_name(pointer, width)
        size = width * pointer.dtype.itemsize
        kind = cuda_syntax.memory_type(pointer.dtype)
        self.vectors[name] = f"struct __align__({size}) {name} {{ {kind} lane[{width}]; }};"
        return name

    def named(self, value: Value) -> str:
        """Return type and name of a value."""
        return f"{cuda_syntax.c_type(value.dtype)} {value.name}"

    def _call(self, target: Value, primitive: str, args: tuple[Operand, ...]) -> str:
        """Return the text of a primitive."""
        if primitive == "copy":
            return self.operand(args[0])
        text, helpers = cuda_syntax.text(
            primitive,
            [self.operand(a) for a in args],
            [a.dtype for a in args],
            target.dtype,
        )
        self.helpers.update(helpers)
        return text

    def _loaded(self, element: str, pointer: Pointer) -> str:
        """Return the register value of an element."""
        text, helpers = cuda_syntax.load(element, pointer.dtype)
        self.helpers.update(helpers)
        return text

    def _stored(self, value: Operand, pointer: Pointer) -> str:
        """Return the memory value of a register."""
        text, helpers = cuda_syntax.store(self.operand(value), pointer.dtype)
        self.helpers.update(helpers)
        return text

    def operand(self, operand: Operand) -> str:
        """Return the text of a value or a literal."""
        if isinstance(operand, Value):
            return operand.name
        assert isinstance(operand, Literal)
        text = cuda_syntax.literal(operand.value, operand.dtype)
        # A sign could meet the operator before it.
        return f"({text})" if text.startswith("-") else text
