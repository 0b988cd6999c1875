"""Convolutions of images as library ops: the product and its two derivatives.

The three are closed under differentiation. The derivative of a convolution by its images is a
convolution of the cotangent, and that by its filters is the op of filters, which is linear in both
of its operands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.frozen import replace
from lazyarr.core.sliding import Sliding, transposed
from lazyarr.graph.node import Node, node
from lazyarr.ops.library import LIBRARY, Call, Slot, library_op

__all__ = [
    "CONVOLUTION",
    "FILTERS",
    "FILTER_PARTS",
    "Sliding",
    "convolution",
    "filter_parts",
    "filters",
    "sliding_of",
    "transposed",
]

Array = np.ndarray[Any, Any]


def _windows(images: Array, how: Sliding) -> Array:
    """Return the windows as (images, *windows, *taps, channels)."""
    count, channels = images.shape[0], images.shape[-1]
    wide = np.zeros((count, *how.reach, channels), images.dtype)
    places = []
    for size, reach, low, spread in zip(
        images.shape[1:3], how.reach, how.low, how.spread, strict=True
    ):
        positions = np.arange(size) * spread + low
        places.append(((positions >= 0) & (positions < reach), positions))
    (rows, down), (columns, across) = places
    inner = images[:, rows][:, :, columns]
    wide[np.ix_(np.arange(count), down[rows], across[columns], np.arange(channels))] = inner
    steps = wide.strides
    strides = (
        steps[0],
        *(step * n for step, n in zip(steps[1:3], how.stride, strict=True)),
        *(step * n for step, n in zip(steps[1:3], how.gap, strict=True)),
        steps[3],
    )
    shape = (count, *how.windows, *how.taps, channels)
    return np.lib.stride_tricks.as_strided(wide, shape, strides, writeable=False)


def _convolve(images: Array, weights: Array, how: Sliding, out: Array | None = None) -> Array:
    windows = _windows(images, how)
    if how.apart:
        value = np.einsum("nijpqc,pqc->nijc", windows, weights[:, :, 0])
    else:
        value = np.tensordot(windows, weights, ((3, 4, 5), (0, 1, 2)))
    return _stored(value, out)


def _filters(images: Array, cotangent: Array, how: Sliding, out: Array | None = None) -> Array:
    windows = _windows(images, how)
    if how.apart:
        value = np.einsum("nijpqc,nijc->pqc", windows, cotangent)[:, :, None]
    else:
        value = np.tensordot(windows, cotangent, ((0, 1, 2), (0, 1, 2)))
    return _stored(value, out)


def _filter_parts(
    images: Array, cotangent: Array, how: Sliding, parts: int, out: Array | None = None
) -> Array:
    count = len(images)
    places = [(k * count // parts, (k + 1) * count // parts) for k in range(parts)]
    sums = [_filters(images[a:b], cotangent[a:b], how) for a, b in places]
    return _stored(np.stack(sums), out)


def _stored(value: Array, out: Array | None) -> Array:
    if out is None:
        return value
    out[...] = value
    return out


CONVOLUTION = LIBRARY.setdefault(
    "convolution", library_op("convolution", _convolve, supports_out=True)
)
FILTERS = LIBRARY.setdefault(
    "convolution_filters", library_op("convolution_filters", _filters, supports_out=True)
)
#: Sums over parts of the images, which a reduction adds.
FILTER_PARTS = LIBRARY.setdefault(
    "convolution_filter_parts",
    library_op("convolution_filter_parts", _filter_parts, supports_out=True),
)


def sliding_of(value: Node) -> Sliding:
    """Return the windows of a node of one of the ops."""
    call = value.attr
    assert isinstance(call, Call)
    how = call.args[2]
    assert isinstance(how, Sliding)
    return how


def convolution(images: Node, weights: Node, how: Sliding, origin: Any = None) -> Node:
    """Return the convolution of images with filters.

    Parameters
    ----------
    images : Node
        Of shape (images, height, width, channels).
    weights : Node
        Of shape (taps down, taps across, channels, outputs) and the same dtype; of separate
        channels (taps down, taps across, 1, channels).
    how : Sliding
        How the windows lie.
    origin : Origin, optional
        The user's line.
    """
    shape = (images.shape[0], *how.windows, weights.shape[-1])
    call = Call((Slot(0), Slot(1), how))
    return node(CONVOLUTION, (images, weights), images.dtype, shape, call, origin)


def filters(images: Node, cotangent: Node, how: Sliding, origin: Any = None) -> Node:
    """Return the derivative of a convolution by its filters.

    Parameters
    ----------
    images : Node
        Of shape (images, height, width, channels).
    cotangent : Node
        Of the convolution, of shape (images, windows down, windows across, outputs).
    how : Sliding
        How the windows lie.
    origin : Origin, optional
        The user's line.
    """
    channels = 1 if how.apart else images.shape[-1]
    shape = (*how.taps, channels, cotangent.shape[-1])
    call = Call((Slot(0), Slot(1), how))
    return node(FILTERS, (images, cotangent), images.dtype, shape, call, origin)


def filter_parts(value: Node, parts: int) -> Node:
    """Return the sums of a derivative by filters over parts of the images, along a first axis.

    Parameters
    ----------
    value : Node
        Of :data:`FILTERS`.
    parts : int
        How many.
    """
    call = value.attr
    assert isinstance(call, Call)
    call = replace(call, args=(*call.args, parts))
    shape = (parts, *value.shape)
    return node(FILTER_PARTS, value.src, value.dtype, shape, call, value.origin)
