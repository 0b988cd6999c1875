"""Library steps that are convolutions, as calls of kernels that are written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index

from lazyarr.codegen.launch import Argument, Flags, Number, Scratch
from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import is_dense
from lazyarr.core.vector_registers import registers
from lazyarr.execution.cpu.library_kernel import address_in, layouts_of_step
from lazyarr.graph.node import Node
from lazyarr.ops.convolution import CONVOLUTION, FILTER_PARTS, sliding_of
from lazyarr.runtime.cpu import convolutions, tuning
from lazyarr.runtime.cpu.convolution_packing import BLOCK
from lazyarr.runtime.cpu.function import Function
from lazyarr.schedule.groups import Group, Layout

__all__ = ["Convolution", "convolution_of", "has_kernel", "prepare_kernels", "scratch_bytes"]


@dataclass(frozen=True, eq=False, slots=True)
class Convolution:
    """A convolution, or sums of its derivative by filters.

    Attributes
    ----------
    function : Function
        The kernel.
    arguments : tuple of Argument
        Its arguments.
    count : int
        Its work items.
    scratch : int
        Bytes that each worker needs.
    own : tuple of int
        The arguments that are addresses in these.
    """

    function: Function
    arguments: tuple[Argument, ...]
    count: int
    scratch: int
    own: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Cut:
    """The blocking of a convolution's work, and its packed operands.

    Attributes
    ----------
    channels, taps_across, stride_across : int
        As the code has them: taps across may be packed as channels.
    packed_taps, packed_stride, packed_gap : int
        What is packed as channels.
    rows, row_blocks : int
        Rows of the result for a work item, and blocks of so many rows.
    patch_rows, patch_width, phase_width, blocks : int
        Of the packed rows.
    table, nbytes : int
        Bytes of the table of taps, and of it with the packed rows.
    """

    channels: int
    taps_across: int
    stride_across: int
    packed_taps: int
    packed_stride: int
    packed_gap: int
    rows: int
    row_blocks: int
    patch_rows: int
    patch_width: int
    phase_width: int
    blocks: int
    table: int
    nbytes: int


def has_kernel(value: Node) -> bool:
    """Return whether kernels compute a convolution, or its derivative by filters."""
    sizes = [*value.shape, *value.src[0].shape]
    return (
        convolutions.has_kernels()
        and value.dtype in convolutions.SCALARS
        and all(source.dtype == value.dtype for source in value.src)
        and min(sizes) > 0
    )


def prepare_kernels(values: Iterable[Node]) -> None:
    """Begin to compile the kernels of the convolutions among values.

    Parameters
    ----------
    values : iterable of Node
        As the plan has them.
    """
    vectors = registers()
    for value in values:
        if value.op in (CONVOLUTION, FILTER_PARTS) and has_kernel(value):
            name = _kernel_name(value)
            convolutions.prepare(name, value.dtype, vectors.nbytes, vectors.count)


def _kernel_name(value: Node) -> str:
    """Return the name of the kernel of a convolution, or of its derivative by filters."""
    is_images = value.op is CONVOLUTION
    if sliding_of(value).apart:
        return convolutions.CHANNELS if is_images else convolutions.CHANNEL_FILTERS
    if value.src[1].shape[-1] == 1:
        return convolutions.PLANES if is_images else convolutions.PLANE_FILTERS
    return convolutions.IMAGES if is_images else convolutions.FILTERS


def _cut(value: Node) -> _Cut:
    how = sliding_of(value)
    inputs = index(value.src[0].shape[-1])
    taps_across, stride_across, packed = how.taps[1], how.stride[1], (1, 1, 1)
    channels, width = inputs, how.reach[1]
    name = _kernel_name(value)
    block = 1 if name in (convolutions.PLANES, convolutions.PLANE_FILTERS) else BLOCK
    has_blocks = name in (convolutions.IMAGES, convolutions.FILTERS)
    if has_blocks and inputs < tuning.row().convolution_channels and taps_across > 1:
        packed = (taps_across, stride_across, how.gap[1])
        channels, width = inputs * taps_across, how.windows[1]
        taps_across = stride_across = 1
    blocks = -(-channels // block)
    phase_width = -(-width // stride_across)
    row = phase_width * stride_across * blocks * block * value.dtype.itemsize
    around = (how.taps[0] - 1) * how.gap[0] + 1
    most = max(
        1,
        min(
            how.windows[0],
            (tuning.row().convolution_patch_bytes // row - around) // how.stride[0] + 1,
        ),
    )
    row_blocks = -(-how.windows[0] // most)
    rows = -(-how.windows[0] // row_blocks)
    patch_rows = (rows - 1) * how.stride[0] + around
    taps = taps_across if has_blocks else how.taps[0] * taps_across
    table = -(-8 * taps // ALIGNMENT) * ALIGNMENT
    nbytes = table + -(-patch_rows * row // ALIGNMENT) * ALIGNMENT
    return _Cut(
        channels,
        taps_across,
        stride_across,
        *packed,
        rows,
        -(-how.windows[0] // rows),
        patch_rows,
        width,
        phase_width,
        blocks,
        table,
        nbytes,
    )


def scratch_bytes(value: Node) -> int:
    """Return the bytes of scratch memory that each worker of a library step needs."""
    is_kernel = value.op in (CONVOLUTION, FILTER_PARTS) and has_kernel(value)
    return _cut(value).nbytes if is_kernel else 0


def convolution_of(group: Group, layouts: Mapping[Node, Layout]) -> Convolution | None:
    """Return the calls of a library step that is a convolution; None if there is no kernel.

    Parameters
    ----------
    group : Group
        The step.
    layouts : mapping of Node to Layout
        Where stored values lie.
    """
    value = group.members[0]
    places = layouts_of_step(group, layouts)
    if places is None or value.op not in (CONVOLUTION, FILTER_PARTS) or not has_kernel(value):
        return None
    target, read, operand = places
    images, other = value.src
    is_images = value.op is CONVOLUTION
    weights, rows = (operand, target) if is_images else (target, operand)
    # The cotangent, or the result, may be a part of something; filters are dense.
    name, shape = _kernel_name(value), (value if is_images else other).shape
    # Neighbours in a vector are columns of one output, else channels.
    along = 2 if shape[3] == 1 else 3
    if not is_dense((other if is_images else value).shape, weights.strides) or (
        rows.strides[along] != 1 and shape[along] != 1
    ):
        return None
    cut, how, size = _cut(value), sliding_of(value), value.dtype.itemsize
    vectors = registers()
    function = convolutions.kernel(name, value.dtype, vectors.nbytes, vectors.count)
    arguments: list[Argument] = [address_in(place, size) for place in (read, weights, rows)]
    own = (3, 4)
    arguments += [Scratch(0, True), Scratch(cut.table, True), Flags()]
    outputs = index(other.shape[-1])
    numbers = [
        *(images.shape[1], images.shape[2], cut.channels, images.shape[3], outputs, *how.windows),
        *read.strides[:3],
        1 if images.shape[3] == 1 else read.strides[3],
        *rows.strides[:3],
        *(how.taps[0], cut.taps_across, how.stride[0], cut.stride_across),
        *(how.gap[0], how.gap[1], *how.low, *how.spread),
        *(cut.packed_taps, cut.packed_stride, cut.packed_gap),
        *(cut.rows, cut.patch_rows, cut.patch_width, cut.phase_width, cut.blocks),
    ]
    count = index(images.shape[0])
    if is_images:
        numbers.append(cut.row_blocks)
        count *= cut.row_blocks
    else:
        numbers += [count, index(value.shape[0])]
        count = index(value.shape[0])
    if name == convolutions.IMAGES:
        most = tuning.row().convolution_slab_bytes
        line = cut.taps_across * BLOCK * vectors.nbytes * (2 if vectors.count >= 32 else 1)
        blocks = max(1, min(cut.blocks, most // line))
        taps = max(1, most // (line * blocks)) if blocks == cut.blocks else 1
        numbers += [taps, blocks]
    arguments += [Number(index(number)) for number in numbers]
    return Convolution(function, tuple(arguments), count, cut.nbytes, own)
