"""Kernels that the library steps of a plan will ask for, to be compiled with the plan's own."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from lazyarr.core.config import Config
from lazyarr.execution.cuda.library_calls import DeviceCall
from lazyarr.graph.node import Node
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work
from lazyarr.runtime.cuda.rehearsal import NotRehearsed, Rehearsal
from lazyarr.schedule.fusion import Group
from lazyarr.schedule.groups import Layout, layout_of

__all__ = ["rehearsed_kernels"]


def rehearsed_kernels(
    calls: Mapping[Group, DeviceCall], layouts: Mapping[Node, Layout], settings: Config
) -> list[Source]:
    """Return the kernels that library steps ask for, as far as shapes and layouts tell.

    Parameters
    ----------
    calls : mapping of Group to DeviceCall
        The steps, and how each is computed.
    layouts : mapping of Node to Layout
        Where stored values lie.
    settings : Config
        How to compile.
    """
    queue: Any = Rehearsal()
    for group, call in calls.items():
        if call.implementation is None or not call.implementation.captured:
            continue  # it looks at values
        node = group.members[0]
        layout = group.outputs[0].layout
        work = Work(queue, settings)
        with suppress(NotRehearsed):  # what a library of NVIDIA's computes has its own kernels
            operands = [_operand(source, layouts, work) for source in node.src]
            call.run(work, node, _place(node, layout), operands)
    return list(queue.sources)


def _operand(source: Node, layouts: Mapping[Node, Layout], work: Work) -> Strided:
    """Return a source of a step where it will lie, in memory that begins at 0."""
    layout = layout_of(source, layouts)
    if layout is None:
        return work.number(np.zeros((), source.dtype)).broadcast(source.shape)
    return _place(source, layout)


def _place(node: Node, layout: Layout) -> Strided:
    return Strided(layout.offset * node.dtype.itemsize, node.shape, layout.strides, node.dtype)
