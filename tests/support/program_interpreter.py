"""Runs the kernels of a program in Python, in an arbitrary order of calls.

Buffers are emptied when their plan says that they are dead.
"""

from __future__ import annotations

import random
from dataclasses import replace
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
from lazyarr.compiler import compilation
from lazyarr.compiler.program import Program
from lazyarr.core.config import get_config
from lazyarr.core.shapes import contiguous_strides
from lazyarr.graph.node import Kind, Leaf, Node, part_dtype
from lazyarr.loop_ir.kernel import (
    Pointer,
)
from lazyarr.passes.canonicalize import Bindings, bind
from lazyarr.schedule.fusion import layout_of
from tests.support.checked_memory import Memory, Window
from tests.support.interpreter import interpret
from tests.support.kernel_checks import HALF, Fault

__all__ = ["run_program"]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]


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

    def __init__(self, program: Program, bindings: Bindings, threads: int, seed: int) -> None:
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
        """Store the result of a library call, in C order."""
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
) -> tuple[list[Array], Program]:
    """Compile `roots` without a compiler, run the kernels in Python and return the results.

    These are the kernels of the CPU, whatever device the settings name: those of a GPU speak of
    threads and barriers, which the emulator knows.
    """
    program = compilation.analyse(roots, replace(get_config(), device="cpu"))
    machine = _Machine(program, bind(roots)[1], threads, seed)
    with np.errstate(all="ignore"):
        machine.run()
    return [machine.read(root) for root in program.simplified], program
