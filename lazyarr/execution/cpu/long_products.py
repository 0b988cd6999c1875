"""Library steps that are products of few rows and columns with long sums, as calls of kernels.

A library packs what it multiplies, which pays where each number is used often. Here numbers are
read where they lie, each once. The order of additions is that of other products that kernels
compute: it depends on the length of the sums alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from lazyarr.codegen.launch import Address, Argument, Flags, Number, Scratch
from lazyarr.core.frozen import dataclass
from lazyarr.execution import tuning
from lazyarr.graph.node import Node
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.runtime.cpu import long_products
from lazyarr.runtime.cpu.compiler import Function
from lazyarr.schedule.groups import Group, Layout, layout_of

__all__ = ["Part", "long_product_of", "scratch_bytes"]

_MATMUL = LIBRARY["matmul"]
_OPERANDS = Call((Slot(0), Slot(1)))


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """One of the two launches of a product.

    Attributes
    ----------
    function : Function
        The kernel.
    arguments : tuple of Argument
        Its arguments.
    count, chunk : int
        Its work items, and those that are worth another thread's time.
    """

    function: Function
    arguments: tuple[Argument, ...]
    count: int
    chunk: int


def scratch_bytes(value: Node) -> int:
    """Return the bytes of scratch memory that all threads of a library step share."""
    if not _has_kernel(value):
        return 0
    steps, _ = _cut(value.src[0].shape[1])
    return steps * value.size * value.dtype.itemsize


def _has_kernel(value: Node) -> bool:
    """Return whether kernels compute a library step, if its operands lie so."""
    if value.op is not _MATMUL or value.attr != _OPERANDS or not long_products.has_kernels():
        return False
    if value.dtype not in long_products.SCALARS or any(
        source.ndim != 2 or source.dtype != value.dtype for source in value.src
    ):
        return False
    row = tuning.row()
    rows, columns = value.shape
    return (
        value.src[0].shape[1] >= row.long_product_depth
        and row.long_product_least <= rows <= row.long_product_most
        and row.long_product_least <= columns <= row.long_product_most
    )


def _cut(inner: int) -> tuple[int, int]:
    """Return the number of blocks along the sums, and the elements of each.

    As contractions are cut: blocks of about one length, a multiple of what these take at a time.
    """
    row = tuning.row()
    steps = -(-inner // row.long_product_block)
    each = row.long_product_multiple
    deep = -(-inner // (steps * each)) * each
    return -(-inner // deep), deep


def long_product_of(group: Group, layouts: Mapping[Node, Layout]) -> tuple[Part, ...]:
    """Return the launches of a library step that is such a product; none where it is another step.

    Parameters
    ----------
    group : Group
        The step.
    layouts : mapping of Node to Layout
        Where stored values lie.
    """
    node = group.members[0]
    if not _has_kernel(node):
        return ()
    left, right = (layout_of(value, layouts) for value in node.src)
    target = group.outputs[0].layout
    rows, columns = (size.__index__() for size in node.shape)
    if left is None or right is None or right.strides[1] != 1 or target.strides != (columns, 1):
        return ()
    inner = node.src[0].shape[1]
    steps, deep = _cut(inner)
    size = node.dtype.itemsize
    parts = Scratch(0, False)
    multiply, add = long_products.kernels(node.dtype, rows, columns)
    numbers = (inner, deep, *left.strides, right.strides[0])
    factors = (Address(place.owner, place.offset * size) for place in (left, right))
    multiplied: tuple[Argument, ...] = (parts, *factors, Flags(), *map(Number, numbers))
    out = Address(target.owner, target.offset * size)
    added: tuple[Argument, ...] = (out, parts, Flags(), Number(steps))
    items = -(-(rows * columns) // long_products.together())
    row = tuning.row()
    return (
        Part(
            multiply, multiplied, steps, max(1, row.long_product_chunk // (rows * columns * deep))
        ),
        Part(add, added, items, max(1, row.long_sum_chunk // steps)),
    )
