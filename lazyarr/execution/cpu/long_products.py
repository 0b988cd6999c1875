"""Library steps that are products of few columns, as calls of kernels.

A library packs what it multiplies, which pays where each number is used often. Here numbers are
read where they lie, but for those of the second operand of many rows, if its own rows do not lie
one element behind the other: they are copied. There are few rows, too, and long sums, or many rows
and sums of one block. The order of additions is that of other products that kernels compute: it
depends on the length of the sums alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from lazyarr.codegen.launch import Address, Argument, Flags, Number, Scratch
from lazyarr.core.vector_registers import registers
from lazyarr.execution import tuning
from lazyarr.execution.cpu.library_kernel import LibraryKernel
from lazyarr.graph.node import Node
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.runtime.cpu import long_products
from lazyarr.schedule.groups import Group, Layout, layout_of

__all__ = ["is_tall_product", "long_product_of", "scratch_bytes"]

_MATMUL = LIBRARY["matmul"]
_OPERANDS = Call((Slot(0), Slot(1)))


def scratch_bytes(value: Node) -> int:
    """Return the bytes of scratch memory that all threads of a library step share."""
    if not _is_product(value):
        return 0
    if _is_long(value):
        steps, _ = _cut(value.src[0].shape[1])
        return steps * value.size * value.dtype.itemsize
    return value.src[1].size * value.dtype.itemsize if _is_tall(value) else 0


def is_tall_product(value: Node) -> bool:
    """Return whether a kernel computes a product of matrices with many rows and few columns.

    Parameters
    ----------
    value : Node
        Any node.
    """
    return _is_product(value) and not _is_long(value) and _is_tall(value)


def _is_product(value: Node) -> bool:
    """Whether a library step is a product of matrices whose columns are few."""
    if value.op is not _MATMUL or value.attr != _OPERANDS or not long_products.has_kernels():
        return False
    if value.dtype not in long_products.SCALARS or any(
        source.ndim != 2 or source.dtype != value.dtype for source in value.src
    ):
        return False
    row = tuning.row()
    return row.long_product_least <= value.shape[1] <= row.long_product_most


def _is_long(value: Node) -> bool:
    """Whether such a product has few rows, too, and long sums."""
    row = tuning.row()
    is_wide = registers().nbytes >= row.wide_bytes
    return (
        value.src[0].shape[1] >= row.long_product_depth
        and (is_wide or value.shape[1] <= row.narrow_product_most)
        and row.long_product_least <= value.shape[0] <= row.long_product_most
    )


def _is_tall(value: Node) -> bool:
    """Whether such a product has many rows, and sums of one block."""
    row = tuning.row()
    inner = value.src[0].shape[1]
    return (
        1 < inner <= row.long_product_block
        and value.shape[0] >= row.tall_product_rows
        and value.size * inner >= row.tall_product_work
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


def long_product_of(group: Group, layouts: Mapping[Node, Layout]) -> tuple[LibraryKernel, ...]:
    """Return the launches of a library step that is such a product; none where it is another step.

    Parameters
    ----------
    group : Group
        The step.
    layouts : mapping of Node to Layout
        Where stored values lie.
    """
    node = group.members[0]
    if not _is_product(node):
        return ()
    left, right = (layout_of(value, layouts) for value in node.src)
    target = group.outputs[0].layout
    columns = node.shape[1].__index__()
    if left is None or right is None or target.strides != (columns, 1):
        return ()
    if _is_long(node):
        return _in_blocks(node, left, right, target) if right.strides[1] == 1 else ()
    return _by_rows(node, left, right, target) if _is_tall(node) else ()


def _in_blocks(
    node: Node, left: Layout, right: Layout, target: Layout
) -> tuple[LibraryKernel, LibraryKernel]:
    """Return the launches of a product in blocks along its sums."""
    rows, columns = (size.__index__() for size in node.shape)
    inner = node.src[0].shape[1]
    steps, deep = _cut(inner)
    parts = Scratch(0, False)
    multiply, strips = long_products.blocks_kernel(node.dtype, rows, columns)
    elements = rows * columns
    numbers = (columns, elements, inner, deep, *left.strides, right.strides[0], *strips)
    factors = (_address(node, place) for place in (left, right))
    multiplied: tuple[Argument, ...] = (parts, *factors, Flags(), *map(Number, numbers))
    added: tuple[Argument, ...] = (
        _address(node, target),
        parts,
        Flags(),
        *map(Number, (elements, steps)),
    )
    items = -(-elements // long_products.together())
    row = tuning.row()
    return (
        LibraryKernel(
            multiply, multiplied, steps, max(1, row.long_product_chunk // (elements * deep))
        ),
        LibraryKernel(
            long_products.sums_kernel(node.dtype), added, items, max(1, row.long_sum_chunk // steps)
        ),
    )


def _by_rows(node: Node, left: Layout, right: Layout, target: Layout) -> tuple[LibraryKernel, ...]:
    """Return the launches of a product of which a work item is some rows."""
    rows, columns = node.shape[0], node.shape[1].__index__()
    inner = node.src[0].shape[1]
    row = tuning.row()
    each = row.tall_product_each
    items = rows // each
    factor: Argument = _address(node, right)
    copies: tuple[LibraryKernel, ...] = ()
    step = right.strides[0]
    if right.strides[1] != 1:
        copied = (Scratch(0, False), factor, *map(Number, (columns, *right.strides)))
        copies = (LibraryKernel(long_products.copy_kernel(node.dtype), copied, inner, inner),)
        factor, step = Scratch(0, False), columns
    numbers = (columns, inner, *left.strides, step, rows, each, items)
    places = (_address(node, target), _address(node, left), factor)
    product = LibraryKernel(
        long_products.rows_kernel(node.dtype, columns),
        (*places, Flags(), *map(Number, numbers)),
        items,
        max(1, row.long_product_chunk // (each * columns * inner)),
    )
    return (*copies, product)


def _address(node: Node, place: Layout) -> Address:
    return Address(place.owner, place.offset * node.dtype.itemsize)
