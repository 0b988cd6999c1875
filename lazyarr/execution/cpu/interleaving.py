"""Sums at places whose rows are computed a block at a time, just before they are added.

A kernel that computes all rows first writes them to memory and the sums read them back: of an
expression like ``2*a - 1`` more than all else that moves. Here a native loop computes a block of
rows, to the beginning of their buffer, and adds them while the second cache still has them. Rows
are added in the same order, so that the bits are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.frozen import dataclass, replace
from lazyarr.core.shapes import contiguous_strides
from lazyarr.execution import tuning
from lazyarr.execution.arguments import ArgumentTemplate
from lazyarr.execution.cpu.kernel_sequence import Call
from lazyarr.execution.plan import CompiledPlan, CompiledStep
from lazyarr.graph.node import Node
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.ops.library import LIBRARY
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.calling_convention import SLOT, type_of
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.scatter import COUNT, FIRST, VALUES
from lazyarr.schedule.groups import Layout, layout_of
from lazyarr.schedule.memory import Buffer

__all__ = ["interleaved"]

_INDEX = np.dtype(np.int64)
_SCATTER = LIBRARY["scatter"]


@dataclass(frozen=True, eq=False, slots=True)
class _Pair:
    """A kernel and the sums of its results.

    Attributes
    ----------
    producer, sums : Call
        The launches.
    written : int
        Which argument of the kernel is the address of the rows.
    row : int
        Numbers of a row.
    itemsize : int
        Bytes of a number.
    """

    producer: Call
    sums: Call
    written: int
    row: int
    itemsize: int


def interleaved(plan: CompiledPlan[Call], threads: int) -> list[Call]:
    """Return the launches of a plan, with those joined that alternate.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    threads : int
        How many threads may do one launch; those that alternate are done by one.
    """
    if threads > tuning.row().interleaved_threads:
        return [call for step in plan.steps for call in step.calls]
    launches: list[Call] = []
    previous: CompiledStep[Call] | None = None
    for index, step in enumerate(plan.steps):
        pair = None
        if step.group.kind == "library" and previous is not None and len(previous.calls) == 1:
            pair = _pair_of(plan, index, previous.calls[0], step.calls)
        if pair is None:
            launches += step.calls
        else:
            launches[-1] = _joined(pair)
        previous = step if step.group.kind == "kernel" else None
    return launches


def _pair_of(
    plan: CompiledPlan[Call], index: int, producer: Call, own: tuple[Call, ...]
) -> _Pair | None:
    """Return a kernel step and the sums behind it, if blocks of both may alternate."""
    before, step = plan.steps[index - 1].group, plan.steps[index].group
    node = step.members[0]
    if node.op is not _SCATTER or len(own) != 1 or own[0].count != 1:
        return None
    (sums,) = own
    if before.template != "map" or len(before.outputs) != 1 or producer.scratch is not None:
        return None
    values = node.src[2]
    if not values.ndim:
        return None  # one number for all places
    if before.outputs[0].node is not values or not _is_flat(values, before.inputs, plan.layouts):
        return None
    row = tuning.row()
    size = values.dtype.itemsize
    width = prod(values.shape[1:])
    if producer.count != width * values.shape[0]:
        return None
    if (
        producer.count * size < row.interleaved_least
        or producer.chunk * size < row.interleaved_work
    ):
        return None
    home = plan.bases.of(values)
    written = [k for k, base, _ in producer.template.addresses if base == home]
    if len(written) != 1 or not _is_free(plan, index, home, before.inputs, node):
        return None
    return _Pair(producer, sums, written[0], width, size)


def _is_flat(values: Node, inputs: Sequence[Node], layouts: Mapping[Node, Layout]) -> bool:
    """Whether a work item is one element, and the same one of all that is read and written."""
    strides = contiguous_strides(values.shape)
    for node in (values, *inputs):
        layout = layout_of(node, layouts)
        if layout is None or node.shape != values.shape or tuple(layout.strides) != strides:
            return False
    return True


def _is_free(
    plan: CompiledPlan[Call], index: int, home: int, inputs: Sequence[Node], node: Node
) -> bool:
    """Whether nothing else needs the rows, and the sums do not overlap their operands."""
    buffers, leaf_count = plan.memory.buffers, plan.bases.leaf_count
    rows = buffers[home - leaf_count] if home >= leaf_count else None
    if rows is None or rows.kind != "arena" or rows.first != index - 1 or rows.last != index:
        return False
    target = plan.bases.of(node)
    if target < leaf_count or buffers[target - leaf_count].donated is not None:
        return False
    for operand in node.src[:2]:  # the array before the sums, and the places
        layout = layout_of(operand, plan.layouts)
        if layout is not None and plan.bases.of(layout.owner) == home:
            return False
    for value in inputs:
        layout = layout_of(value, plan.layouts)
        assert layout is not None
        base = plan.bases.of(layout.owner)
        if base == target:
            return False
        if base >= leaf_count and _overlap(
            buffers[base - leaf_count], buffers[target - leaf_count]
        ):
            return False
    return True


def _overlap(one: Buffer, other: Buffer) -> bool:
    if one.kind != "arena" or other.kind != "arena":
        return False
    return one.offset < other.offset + other.nbytes and other.offset < one.offset + one.nbytes


def _joined(pair: _Pair) -> Call:
    """Return the launch that computes and adds blocks of rows in turn."""
    first, second = pair.producer.template, pair.sums.template
    shift = len(first.values)
    nbytes = pair.row * pair.itemsize
    block = max(1, tuning.row().interleaved_bytes // nbytes)
    numbers = [pair.producer.function.address, pair.sums.function.address, block, pair.row, nbytes]
    template = ArgumentTemplate(
        [*first.values, *second.values, *numbers],
        (*first.addresses, *((k + shift, base, at) for k, base, at in second.addresses)),
        (*first.scalars, *((k + shift, number) for k, number in second.scalars)),
        (*first.parts, *((k + shift, number, part) for k, number, part in second.parts)),
    )
    function = _loop(pair.producer.function, pair.sums.function, pair.written)
    parts = (pair.producer.function, pair.sums.function)
    return replace(pair.sums, function=function, template=template, parts=parts)


def _loop(producer: Function, sums: Function, written: int) -> Function:
    """Return the native loop of a kernel and of sums with these parameters."""
    groups = [("a", producer.parameters), ("b", sums.parameters)]
    parameters = [
        Parameter(f"{letter}{k}", parameter.dtype, parameter.pointer)
        for letter, own in groups
        for k, parameter in enumerate(own)
    ]
    names = ("producer", "sums", "rows", "row", "bytes")
    parameters += [Parameter(name, _INDEX, False) for name in names]
    declared = ", ".join(f"{type_of(parameter)} %{parameter.name}" for parameter in parameters)
    lines = [f"define void @interleaved(i64 %begin, i64 %end, {declared}) #0 {{", "entry:"]
    for letter, own in groups:
        lines.append(f"  %{letter} = alloca [{len(own)} x i64], align {SLOT}")
        for k, parameter in enumerate(own):
            lines.append(
                f"  %{letter}{k}.at = getelementptr i8, ptr %{letter}, i64 {SLOT * k}\n"
                f"  store {type_of(parameter)} %{letter}{k}, ptr %{letter}{k}.at, align {SLOT}"
            )
    lines += [
        "  %compute = inttoptr i64 %producer to ptr",
        "  %add = inttoptr i64 %sums to ptr",
        "  br label %head",
        "head:",
        "  %from = phi i64 [ 0, %entry ], [ %to, %body ]",
        f"  %more = icmp slt i64 %from, %b{COUNT}",
        "  br i1 %more, label %body, label %done",
        "body:",
        "  %whole = add i64 %from, %rows",
        f"  %is.whole = icmp slt i64 %whole, %b{COUNT}",
        f"  %to = select i1 %is.whole, i64 %whole, i64 %b{COUNT}",
        # Both count rows from the first one, which would lie before the buffer.
        "  %passed = mul i64 %from, %bytes",
        "  %back = sub i64 0, %passed",
        f"  %written = getelementptr i8, ptr %a{written}, i64 %back",
        f"  store ptr %written, ptr %a{written}.at, align {SLOT}",
        f"  %read = getelementptr i8, ptr %b{VALUES}, i64 %back",
        f"  store ptr %read, ptr %b{VALUES}.at, align {SLOT}",
        f"  store i64 %from, ptr %b{FIRST}.at, align {SLOT}",
        f"  store i64 %to, ptr %b{COUNT}.at, align {SLOT}",
        "  %item = mul i64 %from, %row",
        "  %item.end = mul i64 %to, %row",
        "  call i32 %compute(i64 %item, i64 %item.end, ptr %a)",
        "  call i32 %add(i64 0, i64 1, ptr %b)",
        "  br label %head",
        "done:",
        "  ret void",
        "}",
    ]
    source = Source("llvm", "\n".join(lines), "interleaved", tuple(parameters), optimize=False)
    return compiler.load_support(source, get_config())
