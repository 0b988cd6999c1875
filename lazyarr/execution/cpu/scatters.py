"""Library steps that add rows where several fall on the same place, as calls of a kernel.

It adds in NumPy's order, so that the bits are the same. NumPy itself computes what is no sum of
rows, or lies otherwise than the kernel reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index

import numpy as np

from lazyarr.codegen.launch import Argument, Bounds, Flags, Number, Scalar
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import is_dense
from lazyarr.execution import tuning
from lazyarr.execution.cpu.library_kernel import address_in
from lazyarr.graph.node import Kind, Node
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.scatter import PLACES, SCALARS, has_kernels, kernel
from lazyarr.schedule.groups import Group, Layout, layout_of

__all__ = ["Scatter", "scatter_of"]

_SCATTER = LIBRARY["scatter"]
_ADDITION = Call((np.add, Slot(0), Slot(1), Slot(2)))


@dataclass(frozen=True, eq=False, slots=True)
class Scatter:
    """A sum of rows at places.

    Attributes
    ----------
    function : Function
        The kernel.
    arguments : tuple of Argument
        Its arguments.
    count, chunk : int
        Its work items, and those that are worth another thread's time.
    name : str
        What NumPy warns of.
    """

    function: Function
    arguments: tuple[Argument, ...]
    count: int
    chunk: int
    name: str


def scatter_of(group: Group, layouts: Mapping[Node, Layout], threads: int) -> Scatter | None:
    """Return the call of a library step that adds at places; None if NumPy has to compute it.

    Parameters
    ----------
    group : Group
        The step.
    layouts : mapping of Node to Layout
        Where stored values lie.
    threads : int
        That may work on the step.
    """
    node = group.members[0]
    if node.op is not _SCATTER or node.attr != _ADDITION or not has_kernels():
        return None
    start, places, values = node.src
    if start.dtype not in SCALARS or places.dtype not in PLACES or places.ndim != 1:
        return None
    if values.dtype != start.dtype or not start.ndim or 0 in start.shape:
        return None
    width = 1
    for length in start.shape[1:]:
        width *= length
    target, at = group.outputs[0].layout, layout_of(places, layouts)
    fill, addend = _number(start, layouts), None
    if start.ndim == 1 and (not values.ndim or values.shape == places.shape):
        addend = _number(values, layouts)
    begin, rows = layout_of(start, layouts), layout_of(values, layouts)
    if at is None or not is_dense(start.shape, target.strides):
        return None
    if fill is None and (begin is None or not is_dense(start.shape, begin.strides)):
        return None
    strided = False
    if addend is None:
        shape = (places.shape[0], *start.shape[1:])
        if rows is None or (values.shape != shape and (values.ndim or start.ndim > 1)):
            return None
        strided = not is_dense(shape[1:], rows.strides[1:]) if values.ndim else False
        if strided and values.ndim != 2:
            return None
    row = tuning.row()
    columns = index(width) if width <= row.short_scattered_row else 0
    block = columns or row.scattered_line_bytes // start.dtype.itemsize
    function = kernel(
        start.dtype,
        places.dtype,
        columns,
        filled=fill is not None,
        counted=addend is not None,
        strided=strided,
    )
    size = start.dtype.itemsize
    arguments: list[Argument] = [address_in(target, size)]
    arguments.append(Number(0) if begin is None or fill is not None else address_in(begin, size))
    arguments.append(address_in(at, places.dtype.itemsize))
    arguments.append(Number(0) if rows is None or addend is not None else address_in(rows, size))
    arguments += [Bounds(node, 0), Flags()]
    step = rows.strides[0] if rows is not None and values.ndim else 0
    between = rows.strides[1] if rows is not None and strided else 1
    numbers = (start.shape[0], width, places.shape[0], at.strides[0], step, between, block, 0)
    arguments += [Number(number) for number in numbers]
    arguments += [fill or Number(0), addend or Number(0)]
    count = -(-width // block)
    # Each call reads all places, and lines of all rows: one for each thread.
    chunk = count if places.shape[0] < row.scattered_places else -(-count // threads)
    return Scatter(function, tuple(arguments), count, chunk, "add" if start.ndim == 1 else "at")


def _number(value: Node, layouts: Mapping[Node, Layout]) -> Argument | None:
    """Return the number that a value has everywhere, if a kernel can be passed it."""
    dtype = value.dtype
    while value.op.kind is Kind.VIEW and value not in layouts:
        value = value.src[0]
    if value in layouts or value.ndim or value.dtype != dtype:
        return None
    if value.op.kind is Kind.PARAMETER:
        return Scalar(value)
    if value.op.kind is Kind.CONSTANT and isinstance(value.attr, bytes):
        return Number(np.frombuffer(value.attr, dtype)[0].item())
    return None
