"""Convolutions of signals and images, and their transposes."""

from __future__ import annotations

from math import prod
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node
from lazyarr.builders import build
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.nn.arguments import expect_shape, inexact, integers
from lazyarr.nn.windows import (
    Sides,
    Windows,
    bordered,
    channels_first,
    channels_last,
    fitting,
    padded,
    sides_of,
    slices_of,
    windows_of,
)
from lazyarr.numpy_api import joining, matrix_products, movement, padding
from lazyarr.numpy_api.gufuncs import widened
from lazyarr.ops.convolution import Sliding, convolution
from lazyarr.tracing import record_functions

__all__ = ["conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"]


def conv1d(
    x: Any,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
    channels: str = "first",
) -> LazyArray:
    """Return the cross-correlation of signals with filters; see :func:`conv2d`.

    Parameters
    ----------
    x : array_like
        Of shape (batch, inputs, length).
    weight : array_like
        Of shape (outputs, inputs / groups, size).
    bias : array_like, optional
        Of shape (outputs,).
    stride, padding, dilation, groups, padding_mode, channels
        As for :func:`conv2d`, with one number for the one axis.

    Returns
    -------
    LazyArray
        Of shape (batch, outputs, windows).

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.conv1d([[[1.0, 2.0, 4.0]]], [[[-1.0, 1.0]]]).compute()
    array([[[1., 2.]]])
    """
    operands, steps = (x, weight, bias), (stride, (padding, padding_mode), dilation)
    return _convolved("conv1d", 1, operands, steps, groups, channels)


def conv2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
    channels: str = "first",
) -> LazyArray:
    """Return the cross-correlation of images with filters.

    ``y[b, o, i, j] = bias[o] + sum(weight[o, c, p, q] * x[b, c, i * stride + p * dilation,
    j * stride + q * dilation])``, over c, p and q.

    Parameters
    ----------
    x : array_like
        Of shape (batch, inputs, height, width).
    weight : array_like
        Of shape (outputs, inputs / groups, rows, columns).
    bias : array_like, optional
        Of shape (outputs,).
    stride, dilation : int or pair of int
        Steps from window to window, and from element to element of a window.
    padding : int, pair of int, pair of pairs, "valid" or "same"
        Elements added before and behind each axis. "same": as many as ``ceil(size / stride)``
        windows along each axis take.
    groups : int
        Divides inputs and outputs; each part of the outputs sees its part of the inputs.
    padding_mode : {"zeros", "reflect", "replicate", "circular"}
        What is added: zeros, the image mirrored at its first and last element, these elements
        repeated, or the image repeated.
    channels : {"first", "last"}
        Whether channels are axis 1 of `x` and of the result, or the last, which is faster where
        nothing else orders the axes. The layout of `weight` is the same for both.

    Returns
    -------
    LazyArray
        Of shape (batch, outputs, height', width').

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    ArgumentError
        If an argument makes no sense.

    Notes
    -----
    On the processor, in float32 and float64, kernels keep tiles of the result in registers and read
    rows of the images that stay in the cache, as of Georganas et al.: Anatomy of high-performance
    deep learning convolutions on SIMD architectures, 2018. This includes groups of one input each,
    but no other groups. Otherwise the windows are laid out as rows of a matrix, which is multiplied
    with the filters: the product of Chellapilla, Puri, Simard: High performance convolutional
    neural networks for document processing, 2006.

    Examples
    --------
    >>> import lazyarr as la
    >>> image = la.arange(9.0).reshape(1, 1, 3, 3)
    >>> la.nn.conv2d(image, la.ones((1, 1, 2, 2))).compute()
    array([[[[ 8., 12.],
             [20., 24.]]]])
    """
    operands, steps = (x, weight, bias), (stride, (padding, padding_mode), dilation)
    return _convolved("conv2d", 2, operands, steps, groups, channels)


def conv_transpose1d(
    x: Any,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    channels: str = "first",
) -> LazyArray:
    """Return the transpose of :func:`conv1d`; see :func:`conv_transpose2d`.

    Parameters
    ----------
    x : array_like
        Of shape (batch, inputs, length).
    weight : array_like
        Of shape (inputs, outputs / groups, size).
    bias : array_like, optional
        Of shape (outputs,).
    stride, padding, output_padding, dilation, groups, channels
        As for :func:`conv_transpose2d`, with one number for the one axis.

    Returns
    -------
    LazyArray
        Of shape (batch, outputs, length').

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.conv_transpose1d([[[1.0, 2.0]]], [[[1.0, 10.0]]], stride=2).compute()
    array([[[ 1., 10.,  2., 20.]]])
    """
    return _transposed(
        "conv_transpose1d",
        1,
        (x, weight, bias),
        (stride, padding, output_padding, dilation),
        groups,
        channels,
    )


def conv_transpose2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    channels: str = "first",
) -> LazyArray:
    """Return the transpose of :func:`conv2d`: each input adds a filter to the output.

    Parameters
    ----------
    x : array_like
        Of shape (batch, inputs, height, width).
    weight : array_like
        Of shape (inputs, outputs / groups, rows, columns), as the convolution has it whose
        transpose this is.
    bias : array_like, optional
        Of shape (outputs,).
    stride, padding, dilation : int or pair of int
        Of that convolution; `padding` makes the result smaller.
    output_padding : int or pair of int
        Rows and columns at the end that no window of that convolution reached, because its
        stride left them over; below stride or dilation.
    groups : int
        Divides inputs and outputs.
    channels : {"first", "last"}
        As for :func:`conv2d`.

    Returns
    -------
    LazyArray
        Of shape (batch, outputs, height', width'), with
        ``height' = (height - 1) * stride - 2 * padding + dilation * (rows - 1) + 1 +
        output_padding``.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    ArgumentError
        If an argument makes no sense.

    References
    ----------
    Dumoulin, Visin: A guide to convolution arithmetic for deep learning, 2016.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.conv_transpose2d(la.ones((1, 1, 1, 1)), la.ones((1, 1, 2, 2))).compute()
    array([[[[1., 1.],
             [1., 1.]]]])
    """
    return _transposed(
        "conv_transpose2d",
        2,
        (x, weight, bias),
        (stride, padding, output_padding, dilation),
        groups,
        channels,
    )


def _groups(groups: int, inputs: int, outputs: int, name: str) -> int:
    (count,) = integers(groups, 1, "groups")
    if count < 1 or inputs % count or outputs % count:
        raise ArgumentError(
            f"{name}: groups={count} must divide {inputs} input and {outputs} output channels",
            origin=origin(),
        )
    return count


def _filters(weight: Any, name: str, rank: int) -> LazyArray:
    filters = inexact(weight, name)
    if filters.ndim != rank + 2:
        raise ShapeError(
            f"{name}: weight must have {rank + 2} axes, got shape {filters.shape}", origin=origin()
        )
    return filters


def _convolved(
    name: str,
    rank: int,
    operands: tuple[Any, Any, Any],
    steps: tuple[Any, Any, Any],
    groups: int,
    channels: str,
) -> LazyArray:
    (x, weight, bias), (stride, (width, mode), dilation) = operands, steps
    images = channels_last(inexact(x, name), channels, name, rank)
    filters = _filters(weight, name, rank)
    outputs, inputs = filters.shape[:2]
    count = _groups(groups, images.shape[-1], outputs, name)
    if inputs * count != images.shape[-1]:
        raise ShapeError(
            f"{name}: weight of shape {filters.shape} and groups={count} expect {inputs * count} "
            f"channels, x has {images.shape[-1]}",
            origin=origin(),
        )
    windows = windows_of(filters.shape[2:], stride, dilation)
    sides = sides_of(width, windows, images.shape[1:-1])
    images, sides = bordered(images, sides, mode)
    taps = prod(windows.size)
    if (count == 1 or inputs == 1) and taps > 1 and min(images.size, filters.size) > 0:
        correlated = _slid(images, filters, windows, sides)
    else:
        correlated = _correlated(padded(images, sides), filters, windows, count)
    return channels_first(_biased(correlated, bias), channels)


def _slid(
    images: LazyArray,
    filters: LazyArray,
    windows: Windows,
    sides: Sides,
    spread: tuple[int, ...] | None = None,
) -> LazyArray:
    """Return the cross-correlation of (batch, *spatial, inputs) with filters of all, or one, input.

    Parameters
    ----------
    images : LazyArray
        Channels last.
    filters : LazyArray
        Of shape (outputs, inputs, *size), or (outputs, 1, *size) if each output has one input.
    windows : Windows
        Along the spatial axes.
    sides : tuple of (int, int)
        Zeros before and behind each spatial axis; less of it where negative.
    spread : tuple of int, optional
        Steps between neighbours of the images, with zeros between them.
    """
    rank = len(windows.size)
    outputs, inputs = filters.shape[:2]
    apart = inputs == 1 != images.shape[-1]
    if apart and outputs > images.shape[-1]:
        each = (*images.shape, outputs // images.shape[-1])
        repeated = movement.broadcast_to(as_lazy(images[..., None]), each)
        images = as_lazy(repeated.reshape(*images.shape[:-1], outputs))
    spread = spread or (1,) * rank
    sizes = [
        before + (n - 1) * step + 1 + after
        for n, step, (before, after) in zip(images.shape[1:-1], spread, sides, strict=True)
    ]
    counts = fitting(windows, sizes)
    one = (1,) * (2 - rank)  # a signal is an image of one row
    how = Sliding(
        _pair((*one, *counts)),
        _pair((*one, *windows.size)),
        _pair((*one, *windows.stride)),
        _pair((*one, *windows.dilation)),
        _pair((*(0,) * (2 - rank), *(before for before, _ in sides))),
        _pair((*one, *spread)),
        apart,
    )
    factors, narrow = widened([as_node(images), as_node(filters)])
    dtype = build.promote(*factors)
    batch = images.shape[0]
    x = images.astype(dtype).reshape(batch, *one, *images.shape[1:])
    weights = movement.transpose(filters.astype(dtype), (*range(2, rank + 2), 1, 0))
    weights = weights.reshape(*one, *windows.size, inputs, outputs)
    y = LazyArray(convolution(as_node(x), as_node(weights), how, origin()))
    y = y if narrow is None else y.astype(narrow)
    return as_lazy(y.reshape(batch, *counts, filters.shape[0]))


def _pair(numbers: tuple[int, ...]) -> tuple[int, int]:
    first, second = numbers
    return first, second


def _biased(y: LazyArray, bias: Any) -> LazyArray:
    if bias is None:
        return y
    offset = inexact(bias, "bias")
    expect_shape(offset, y.shape[-1:], "bias", "the number of outputs")
    return as_lazy(y + offset)


def _correlated(images: LazyArray, filters: LazyArray, windows: Windows, groups: int) -> LazyArray:
    """Return the cross-correlation of (batch, *spatial, inputs), without padding."""
    outputs, inputs = filters.shape[:2]
    parts = slices_of(images, windows)
    space = parts[0].shape[:-1]
    rows, taps = prod(space), prod(windows.size)
    # (outputs, inputs, *size) -> (*size, inputs, outputs): the order of a row of windows.
    ordered = movement.transpose(filters.reshape(outputs, inputs, taps), (2, 1, 0))
    if groups == 1:
        matrix = parts[0] if taps == 1 else joining.concatenate(parts, axis=-1)
        product = matrix_products.matmul(
            matrix.reshape(rows, taps * inputs), ordered.reshape(taps * inputs, outputs)
        )
        return as_lazy(product.reshape(*space, outputs))
    if inputs == 1:
        # Each output has one input: a product would multiply vectors, a sum needs no matrix.
        each = outputs // groups
        weights = ordered.reshape(taps, groups, each)
        total: Any = None
        for tap, part in enumerate(parts):
            term = part[..., None] * weights[tap]
            total = term if total is None else total + term
        return as_lazy(total.reshape(*space, outputs))
    stacked = joining.stack(
        [part.reshape(rows, groups, inputs) for part in parts], axis=2
    )  # (rows, groups, taps, inputs)
    matrix = movement.transpose(stacked.reshape(rows, groups, taps * inputs), (1, 0, 2))
    weights = movement.transpose(
        ordered.reshape(taps, inputs, groups, outputs // groups), (2, 0, 1, 3)
    ).reshape(groups, taps * inputs, outputs // groups)
    product = matrix_products.matmul(matrix, weights)
    return as_lazy(movement.transpose(product, (1, 0, 2)).reshape(*space, outputs))


def _transposed(
    name: str,
    rank: int,
    operands: tuple[Any, Any, Any],
    numbers: tuple[Any, Any, Any, Any],
    groups: int,
    channels: str,
) -> LazyArray:
    x, weight, bias = operands
    stride, less, more, dilation = numbers
    images = channels_last(inexact(x, name), channels, name, rank)
    filters = _filters(weight, name, rank)
    inputs, outputs = filters.shape[:2]
    count = _groups(groups, inputs, outputs * groups, name)
    if inputs != images.shape[-1]:
        raise ShapeError(
            f"{name}: weight of shape {filters.shape} expects {inputs} channels, x has "
            f"{images.shape[-1]}",
            origin=origin(),
        )
    windows = windows_of(filters.shape[2:], stride, dilation)
    crop = integers(less, rank, "padding")
    rest = integers(more, rank, "output_padding")
    if any(
        not 0 <= n < max(step, gap)
        for n, step, gap in zip(rest, windows.stride, windows.dilation, strict=True)
    ):
        raise ArgumentError(
            f"output_padding {rest} must be less than stride {windows.stride} or dilation "
            f"{windows.dilation}",
            origin=origin(),
        )
    if any(n < 0 for n in crop):
        raise ArgumentError(f"padding must not be negative, got {crop}", origin=origin())
    sides = tuple(
        (reach - 1 - n, reach - 1 - n + extra)
        for reach, n, extra in zip(windows.extent, crop, rest, strict=True)
    )
    # (inputs, outputs / groups, *size) -> (outputs, inputs / groups, *size), turned round.
    turned = filters[(slice(None), slice(None), *[slice(None, None, -1)] * rank)]
    apart = turned.reshape(count, inputs // count, outputs, *windows.size)
    swapped = movement.swapaxes(apart, 1, 2).reshape(
        count * outputs, inputs // count, *windows.size
    )
    dense = Windows(windows.size, (1,) * rank, windows.dilation)
    if (count == 1 or inputs == count) and min(images.size, filters.size) > 0:
        correlated = _slid(images, swapped, dense, sides, windows.stride)
    else:
        spread = _spread(images, windows.stride)
        correlated = _correlated(_framed(spread, sides), swapped, dense, count)
    return channels_first(_biased(correlated, bias), channels)


def _framed(x: LazyArray, sides: tuple[tuple[int, int], ...]) -> LazyArray:
    """Return `x` with zeros added on the sides of its spatial axes, or cut where negative."""
    cut = tuple(
        slice(max(-before, 0), n - max(-after, 0))
        for n, (before, after) in zip(x.shape[1:-1], sides, strict=True)
    )
    inner = as_lazy(x[(slice(None), *cut)])
    return padded(inner, tuple((max(a, 0), max(b, 0)) for a, b in sides))


def _spread(x: LazyArray, stride: tuple[int, ...]) -> LazyArray:
    """Return (batch, *spatial, channels) with `stride - 1` zeros between neighbours."""
    for axis, step in enumerate(stride, 1):
        if step > 1:
            size = x.shape[axis]
            apart = x.reshape(*x.shape[: axis + 1], 1, *x.shape[axis + 1 :])
            widths = [(0, 0)] * apart.ndim
            widths[axis + 1] = (0, step - 1)
            long = padding.pad(apart, widths).reshape(
                *x.shape[:axis], size * step, *x.shape[axis + 1 :]
            )
            every = (slice(None),) * axis
            x = as_lazy(long[(*every, slice(0, (size - 1) * step + 1))])
    return x


record_functions(globals(), __all__)
