"""Runs loop IR in Python on tiny arrays, and complains about whatever compiled code would not.

Kernels become checked Python functions. Every load must find a value that was stored there, by the
same pointer if anything is written there in that launch; no element may be written by one call and
touched by another, for calls run on many threads. Buffers are emptied when their plan says that
they are dead, and the calls of a launch run in an arbitrary order.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from lazyarr.codegen.launch import (
    Address,
    Bounds,
    Flags,
    Launch,
    Lowered,
    Number,
    Scalar,
    Scratch,
    Status,
)
from lazyarr.compiler import pipeline
from lazyarr.core.config import get_config
from lazyarr.core.shapes import contiguous_strides
from lazyarr.graph.node import Kind, Leaf, Node, part_dtype
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
    Update,
    Value,
    While,
)
from lazyarr.loop_ir.primitives import PRIMITIVES
from lazyarr.passes.canonicalize import Bindings, bind
from lazyarr.schedule.fusion import layout_of

__all__ = ["Fault", "fused_multiply_add", "interpret", "run_program", "validate"]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
INT64 = np.dtype(np.int64)
BOOL = np.dtype(np.bool_)
HALF = np.dtype(np.float16)


class Fault(AssertionError):
    """A kernel did what compiled code must not do."""


# -- what a kernel must look like ------------------------------------------------------------


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


# -- memory ----------------------------------------------------------------------------------


class Memory:
    """Bytes, as the scalars that were stored at each byte offset."""

    def __init__(self, name: str, values: dict[int, Any] | None = None) -> None:
        self.name = name
        self.values: dict[int, Any] = {} if values is None else values
        self.limit: int | None = None
        self.calls_written: dict[int, tuple[int, str]] = {}
        self.calls_read: dict[int, tuple[int, str]] = {}

    def begin_launch(self) -> None:
        """Forget who touched what."""
        self.calls_written.clear()
        self.calls_read.clear()


class Window:
    """Memory as one pointer of one call sees it."""

    __slots__ = ("call", "dtype", "memory", "offset", "pointer", "register")

    def __init__(self, memory: Memory, offset: int, pointer: Pointer, call: int) -> None:
        self.memory = memory
        self.offset = offset
        self.pointer = pointer.name
        self.dtype = pointer.dtype
        self.call = call
        self.register = np.float32 if pointer.dtype == HALF else pointer.dtype.type

    def load(self, index: int) -> Any:
        memory = self.memory
        at = self.offset + int(index) * self.dtype.itemsize
        value = memory.values.get(at)
        if value is None:
            raise Fault(f"{self.pointer}[{index}] reads nothing: {memory.name} at byte {at}")
        if value.dtype != self.dtype:
            raise Fault(f"{self.pointer}[{index}] reads {value.dtype} as {self.dtype}")
        written = memory.calls_written.get(at)
        if written is not None and written != (self.call, self.pointer):
            raise Fault(f"{self.pointer}[{index}] in call {self.call} reads what {written} wrote")
        array = memory.calls_read.get(at)
        mine = (self.call, self.pointer)
        if array is None:
            memory.calls_read[at] = mine
        elif array != mine:
            memory.calls_read[at] = (-1, "several")
        return self.register(value)

    def store(self, index: int, value: Any) -> None:
        memory = self.memory
        at = self.offset + int(index) * self.dtype.itemsize
        if at < 0 or (memory.limit is not None and at + self.dtype.itemsize > memory.limit):
            raise Fault(f"{self.pointer}[{index}] is outside {memory.name}: byte {at}")
        mine = (self.call, self.pointer)
        for array in (memory.calls_written.get(at), memory.calls_read.get(at)):
            if array is not None and array != mine:
                raise Fault(f"{self.pointer}[{index}] in call {self.call} writes what {array} uses")
        memory.calls_written[at] = mine
        memory.values[at] = self.dtype.type(value)


# -- primitives ------------------------------------------------------------------------------


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
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "atan2": np.arctan2,
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


# -- programs ----------------------------------------------------------------------------------


def _leaf_memory(leaf: Leaf, name: str) -> Memory:
    array = leaf.array
    offsets = np.zeros(array.shape, np.int64)
    for axis, (size, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
        steps = np.arange(size) * stride
        offsets += steps.reshape((-1,) + (1,) * (array.ndim - axis - 1))
    values: dict[int, Any] = {}
    for at, value in zip(offsets.ravel().tolist(), array.ravel(), strict=True):
        _put(values, at, value)
    return Memory(name, values)


def _put(values: dict[int, Any], at: int, value: Any) -> None:
    """Store a scalar, or both parts of a complex one."""
    if value.dtype.kind != "c":
        values[at] = value
        return
    values[at], values[at + value.itemsize // 2] = value.real, value.imag


def _get(values: dict[int, Any], at: int, dtype: DType) -> Any:
    """Return the stored value, or None if there is none of this dtype."""
    part = part_dtype(dtype)
    results = [values.get(at + k) for k in range(0, dtype.itemsize, part.itemsize)]
    if any(value is None or value.dtype != part for value in results):
        return None
    return np.array(results, part).view(dtype)[0]


class _Machine:
    """The memory of one run of a program."""

    def __init__(
        self, program: pipeline.Program, bindings: Bindings, threads: int, seed: int
    ) -> None:
        self.program = program
        self.bindings = bindings
        self.threads = threads
        self.random = random.Random(seed)
        self.plan = program.plan
        self.layouts = program.fusion.layouts
        self.leaves = [
            _leaf_memory(node.attr, f"leaf {k}")  # type: ignore[arg-type]
            for k, node in enumerate(bindings.leaves)
        ]
        self.farthest = Memory("farthest indices")
        self.buffers = [Memory(b.name) for b in self.plan.buffers]
        for buffer, memory in zip(self.plan.buffers, self.buffers, strict=True):
            memory.limit = buffer.nbytes

    def memory(self, owner: Node) -> Memory:
        if owner.op.kind is Kind.PARAMETER:
            assert isinstance(owner.attr, tuple) and owner.attr[0] == "leaf"
            return self.leaves[owner.attr[1]]
        return self.buffers[self.plan.home[owner]]

    def scalar(self, node: Node, part: int = 0) -> Any:
        assert isinstance(node.attr, tuple)
        array = self.bindings.scalars[node.attr[1]]
        assert isinstance(array.attr, bytes)
        value = np.frombuffer(array.attr, part_dtype(array.dtype))[part]
        return np.float32(value) if array.dtype == HALF else value

    def read(self, node: Node) -> Array:
        """Return a stored value, a view of one or a constant as an array."""
        layout = layout_of(node, self.layouts)
        if layout is None:
            base = node
            while base.op.kind is Kind.VIEW:
                base = base.src[0]
            if base.op.kind is Kind.PARAMETER:
                assert isinstance(base.attr, tuple)
                base = self.bindings.scalars[base.attr[1]]
            assert isinstance(base.attr, bytes)
            return np.broadcast_to(np.frombuffer(base.attr, base.dtype)[0], node.shape)
        memory = self.memory(layout.owner)
        result = np.empty(node.shape, node.dtype)
        for index in np.ndindex(*node.shape):
            steps = zip(index, layout.strides, strict=True)
            at = layout.offset + sum(i * stride for i, stride in steps)
            value = _get(memory.values, at * node.dtype.itemsize, node.dtype)
            if value is None:
                raise Fault(f"{node}{list(index)} lies nowhere in {memory.name}: {value!r}")
            result[index] = value
        return result

    def write(self, node: Node, array: Array) -> None:
        """Store what a library call gave, in C order."""
        owner = self.layouts[node].owner
        memory = self.memory(owner)
        layout = self.layouts[node]
        assert layout.strides == contiguous_strides(node.shape)
        for position, value in enumerate(np.asarray(array, node.dtype).ravel()):
            _put(memory.values, (layout.offset + position) * node.dtype.itemsize, value)

    def run(self) -> None:
        lowered = iter(self.program.lowered)
        for step in self.plan.steps:
            if step.group.kind == "kernel":
                self.launch_all(next(lowered))
            else:
                node = step.group.members[0]
                sources = [self.read(source) for source in node.src]
                result = node.op.evaluate(node, *sources)
                assert result.shape == node.shape and result.dtype == node.dtype
                self.write(node, result)
            results = {layout_of(r, self.layouts).owner for r in self.program.simplified}  # type: ignore[union-attr]
            for buffer, memory in zip(self.plan.buffers, self.buffers, strict=True):
                if buffer.last <= step.index and not results & set(buffer.values):
                    memory.values.clear()

    def launch_all(self, lowered: Lowered) -> None:
        shared = Memory("shared scratch")
        shared.limit = lowered.shared_scratch
        for launch in lowered.launches:
            for memory in (*self.leaves, *self.buffers, shared):
                memory.begin_launch()
            self.launch(launch, lowered, shared)

    def launch(self, launch: Launch, lowered: Lowered, shared: Memory) -> None:
        function = interpret(launch.kernel)
        cuts = list(range(0, launch.count, self.random.choice((1, launch.chunk))))
        stops = [*cuts[1:], launch.count] if cuts else []
        calls = list(zip(cuts, stops, strict=True))
        self.random.shuffle(calls)
        for number, (begin, end) in enumerate(calls):
            own = Memory("own scratch")
            own.limit = lowered.worker_scratch
            arguments: list[Any] = []
            for argument, parameter in zip(launch.arguments, launch.kernel.parameters, strict=True):
                match argument:
                    case Address(owner, offset):
                        assert isinstance(parameter, Pointer)
                        memory = self.memory(owner)
                        arguments.append(Window(memory, offset, parameter, number))
                    case Scratch(offset, is_own):
                        assert isinstance(parameter, Pointer)
                        place = own if is_own else shared
                        arguments.append(Window(place, offset, parameter, number))
                    case Status() | Flags():
                        assert isinstance(parameter, Pointer)
                        seen = Memory("status")
                        arguments.append(Window(seen, 0, parameter, number))
                    case Bounds():
                        assert isinstance(parameter, Pointer)
                        arguments.append(Window(self.farthest, 0, parameter, number))
                    case Number(value):
                        # A float of NumPy's divides by zero as kernels do, Python's raises.
                        is_float = parameter.dtype.kind == "f"
                        arguments.append(parameter.dtype.type(value) if is_float else value)
                    case Scalar(node, part):
                        arguments.append(self.scalar(node, part))
            function(begin, end, *arguments)


def run_program(
    roots: tuple[Node, ...], seed: int = 0, threads: int = 2
) -> tuple[list[Array], pipeline.Program]:
    """Compile `roots` without a compiler, run the kernels in Python and return the results.

    These are the kernels of the CPU, whatever device the settings name: those of a GPU speak of
    threads and barriers, which the emulator knows.
    """
    program = pipeline.analyse(roots, replace(get_config(), device="cpu"))
    machine = _Machine(program, bind(roots)[1], threads, seed)
    with np.errstate(all="ignore"):
        machine.run()
    return [machine.read(root) for root in program.simplified], program
