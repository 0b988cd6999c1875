"""What the pages show of the compiler at work, written by the compiler itself."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import layers
import numpy as np

import lazyarr as la
from lazyarr.compiler.compilation import analyse
from lazyarr.compiler.program import Program
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.inspect.labels import detail_text, origin_text, type_text
from lazyarr.loop_ir.kernel import (
    Comment,
    Declare,
    For,
    If,
    Index,
    Kernel,
    Let,
    Load,
    Operand,
    Pointer,
    Statement,
    Store,
    Update,
    Value,
)
from lazyarr.numpy_api.names import table
from lazyarr.ops.elementwise import ELEMENTWISE

#: The expression that `how_it_works` follows. Its lines are quoted there.
EXAMPLE = """\
a = la.asarray(np.random.rand(200_000, 20))
b = la.asarray(np.random.rand(200_000, 20))
kernel = np.exp(-((a - b) ** 2).sum(axis=1) / 2)
weights = kernel / kernel.max()
"""


def write(folder: Path) -> None:
    """Write every fragment to `folder`."""
    folder.mkdir(exist_ok=True)
    names: dict[str, object] = {"np": np, "la": la}
    exec(compile(EXAMPLE, "model.py", "exec"), names)
    weights = names["weights"]
    assert isinstance(weights, la.LazyArray)
    program = analyse((weights._node,))
    with la.config(backend="numba") as settings:
        easier = analyse((weights._node,), settings)
    fragments = {
        "example.py": EXAMPLE,
        "raw.txt": nodes(program.raw),
        "simplified.txt": nodes(program.simplified),
        "groups.txt": groups(program),
        "plan.txt": plan(program),
        "kernel.txt": loops(program.kernels[0].kernels[0]),
        "source.ll": program.kernels[0].source,
        "source.py": easier.kernels[0].source,
        "explain.txt": str(la.explain(weights)),
        "operations.md": operations(),
        "names.md": numpy_names(),
        "layers.md": layers.table(),
        "layers.svg": layers.picture(),
    }
    for name, text in fragments.items():
        (folder / name).write_text(text.rstrip() + "\n")
    la.visualize(weights, filename=str(folder / "fused.svg"), stage="fused")
    la.visualize(weights, filename=str(folder / "memory.svg"), stage="memory")


def nodes(roots: Sequence[Node]) -> str:
    """Return a DAG with a line for each node."""
    order = list(walk(roots))
    number = {node: index for index, node in enumerate(order)}
    lines = []
    for node in order:
        arguments = [f"%{number[source]}" for source in node.src]
        if node.op.kind is Kind.CONSTANT and isinstance(node.attr, bytes):
            arguments.append(str(np.frombuffer(node.attr, node.dtype)[0]))
        arguments += filter(None, [detail_text(node)])
        text = f"%{number[node]:<2} = {node.op.name}({', '.join(arguments)})"
        lines.append(f"{text:<38} {type_text(node):<22} {origin_text(node.origin)}".rstrip())
    return "\n".join(lines)


def groups(program: Program) -> str:
    """Return the groups, and the reasons that separate them."""
    lines = []
    for group in program.groups:
        names = ", ".join(node.op.name for node in group.nodes if node.op.kind is not Kind.VIEW)
        domain = " × ".join(map(str, group.domain))
        lines.append(f"{group.name}: {group.template} over {domain}")
        lines.append(f"    computes {names}")
        lines.append(f"    reads {_values(group.inputs)}")
        lines.append(f"    writes {_values(output.node for output in group.outputs)}")
    for edge in program.not_fused:
        pair = f"{edge.source.op.name} -> {edge.consumer.op.name}"
        lines.append(f"not fused: {pair}, {edge.nbytes:,} bytes: {edge.reason}")
    return "\n".join(lines)


def _values(values: Iterable[Node]) -> str:
    return ", ".join(f"{node.op.name} ({type_text(node)})" for node in values) or "nothing"


def plan(program: Program) -> str:
    """Return the steps and the buffers."""
    lines = [f"step {step.index}: {step.group.name}" for step in program.plan.steps]
    for buffer in program.plan.buffers:
        place = f"arena + {buffer.offset:,}" if buffer.kind == "arena" else buffer.kind
        array = ", then ".join(node.op.name for node in buffer.values)
        lines.append(
            f"{buffer.name}: {buffer.nbytes:,} bytes, {place}, steps {buffer.first} to "
            f"{buffer.last}, holds {array}"
        )
    lines.append(f"scratch: {program.plan.scratch_bytes:,} bytes")
    lines.append(f"peak: {program.plan.peak_bytes:,} bytes")
    return "\n".join(lines)


def loops(kernel: Kernel) -> str:
    """Return a kernel's loop IR as text."""
    parameters = ", ".join(
        f"{p.name}: {'*' if isinstance(p, Pointer) else ''}{p.dtype.name}"
        for p in kernel.parameters
    )
    return "\n".join([f"{kernel.name}(begin, end, {parameters})", *_block(kernel.body, "    ")])


def _block(body: Iterable[Statement], indent: str) -> list[str]:
    lines = []
    for statement in body:
        lines += [indent + line for line in _lines(statement)]
    return lines


def _lines(statement: Statement) -> list[str]:
    match statement:
        case Comment(text):
            return [f"# {text}"]
        case Let(target, primitive, args):
            return [f"{_typed(target)} = {primitive}({_operands(args)})"]
        case Load(target, pointer, index):
            return [f"{_typed(target)} = {pointer.name}[{_index(index)}]"]
        case Store(pointer, index, value):
            return [f"{pointer.name}[{_index(index)}] = {_operand(value)}"]
        case Declare(variable, initial):
            return [f"variable {_typed(variable)} = {_operand(initial)}"]
        case Update(variable, primitive, args, reassociate):
            note = "  # any order" if reassociate else ""
            return [f"{variable.name} := {primitive}({_operands(args)}){note}"]
        case For(variable, start, stop, body):
            head = f"for {variable.name} in {_operand(start)} .. {_operand(stop)}"
            return [head, *_block(body, "    ")]
        case If(condition, body):
            return [f"if {_operand(condition)}", *_block(body, "    ")]


def _typed(value: Value) -> str:
    return f"{value.name}: {value.dtype.name}"


def _operand(operand: Operand) -> str:
    return operand.name if isinstance(operand, Value) else repr(operand.value)


def _operands(operands: Iterable[Operand]) -> str:
    return ", ".join(map(_operand, operands))


def _index(index: Index) -> str:
    terms = [] if index.constant == 0 else [_factor(index.constant)]
    for factor, variable in index.terms:
        terms.append(variable.name if factor == 1 else f"{_factor(factor)}*{variable.name}")
    return " + ".join(terms) or "0"


def _factor(factor: int | Value) -> str:
    return factor.name if isinstance(factor, Value) else str(factor)


def numpy_names() -> str:
    """Return, for each namespace of NumPy's, the table of what its names are here."""
    lines: list[str] = []
    for mine, theirs in (
        (la, np),
        (la.linalg, np.linalg),
        (la.fft, np.fft),
        (la.random, np.random),
    ):
        lines += [f"## {theirs.__name__}", "", "| Name | Here |", "|---|---|"]
        lines += [f"| `{name}` | {meaning} |" for name, meaning in table(mine, theirs)]
        lines.append("")
    return "\n".join(lines)


def operations() -> str:
    """Return the table of elementwise operations."""
    lines = ["| Operation | NumPy | Cost | Traits |", "|---|---|---:|---|"]
    for name, op in sorted(ELEMENTWISE.items()):
        traits = [trait for trait in ("commutative", "associative") if getattr(op, trait)]
        if op.expand is None:
            traits.append("computed by NumPy")
        ufunc = f"`numpy.{op.ufunc.__name__}`" if op.ufunc is not None else ""
        lines.append(f"| `{name}` | {ufunc} | {op.cost} | {', '.join(traits)} |")
    return "\n".join(lines)
