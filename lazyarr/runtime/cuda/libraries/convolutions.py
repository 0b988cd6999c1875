"""Convolutions of images: by cuDNN where it is installed, else by kernels of our own."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from lazyarr.core.frozen import replace
from lazyarr.core.sliding import Sliding
from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries import cudnn, cudnn_graphs
from lazyarr.runtime.cuda.libraries.kernels import implicit_products
from lazyarr.runtime.cuda.libraries.kernels.implicit_products import FilterTile, ImageTile
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["convolve", "filters", "refuse_filters", "refuse_images"]

#: The dtypes of our own kernels.
_DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})
#: Places in arrays are 32 bits wide.
_LARGEST = (1 << 31) - 1
_ALIGNED = 16
_APART = "separate channels, which are sums of products"


def _refuse(out: Strided, images: Strided, other: Strided, how: Sliding) -> str | None:
    """Return the reason for which our own kernels do not compute a convolution, or None."""
    if images.dtype not in _DTYPES or other.dtype != images.dtype:
        return f"no kernel of {images.dtype.name}"
    if not all(array.size for array in (out, images, other)):
        return "an array is empty"
    windows = images.shape[0] * prod(how.windows)
    largest = max(images.size, other.size, out.size, windows * images.shape[-1])
    if largest > _LARGEST:
        return f"more than {_LARGEST:,} elements"
    return None


def refuse_images(out: Strided, images: Strided, weights: Strided, how: Sliding) -> str | None:
    """Return the reason for which a convolution is written out as a product, or None.

    Parameters
    ----------
    out, images, weights, how
        As for :func:`convolve`.
    """
    if how.apart:
        return _APART
    if images.dtype == weights.dtype == np.float16 and cudnn_graphs.installed() and out.size:
        problem = cudnn.image_problem(out, images, weights, how, exact=True)
        return None if problem else "windows that cuDNN does not support"
    return _refuse(out, images, weights, how)


def refuse_filters(out: Strided, images: Strided, cotangent: Strided, how: Sliding) -> str | None:
    """Return the reason for which a derivative by filters is written out, or None.

    Parameters
    ----------
    out, images, cotangent, how
        As for :func:`filters`.
    """
    if how.apart:
        return _APART
    if images.dtype == cotangent.dtype == np.float16 and cudnn_graphs.installed() and out.size:
        problem = cudnn.filter_problem(out, images, cotangent, how, exact=True)
        return None if problem else "windows that cuDNN does not support"
    return _refuse(out, images, cotangent, how)


def convolve(work: Work, out: Strided, images: Strided, weights: Strided, how: Sliding) -> None:
    """Queue a convolution.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : Strided
        Contiguous, of shape (images, windows down, windows across, outputs).
    images : Strided
        Of shape (images, height, width, inputs).
    weights : Strided
        Of shape (taps down, taps across, inputs, outputs).
    how : Sliding
        How the windows lie.
    """
    if cudnn.convolve(work, out, images, weights, how):
        return
    _expect_own(out)
    images = _reachable(work, images)
    if max(how.spread) == 1 or max(*how.stride, *how.gap) > 1:
        _slide(work, out, images, weights, how)
        return
    # Each of the results that lie at steps of the spread meets its own taps, and only these.
    down, across = how.spread
    for k in range(down):
        for n in range(across):
            rows, columns = _phase(how, 0, k), _phase(how, 1, n)
            windows, taps, stride, gap, low = zip(rows, columns, strict=True)
            part = Sliding(windows, taps, stride, gap, low)
            first = (how.low[0] - k) % down, (how.low[1] - n) % across
            own = _every(weights, first, how.spread, taps, 0)
            target = _every(out, (k, n), how.spread, windows, 1)
            if target.size:
                _slide(work, target, images, own, part)


def _slide(work: Work, out: Strided, images: Strided, weights: Strided, how: Sliding) -> None:
    """Queue the kernel of a convolution; results lie anywhere, their channels side by side."""
    weights = work.contiguous(weights)
    outputs, windows = out.shape[-1], out.size // out.shape[-1]
    tile = _image_tile(out.dtype, windows, outputs)
    depth = weights.size // outputs
    vectors, whole = _in_vectors(images), _whole(outputs, weights, out)
    source = implicit_products.image_source(
        out.dtype, tile, vectors, whole, max(how.spread) > 1, not out.contiguous
    )
    across = -(-outputs // tile.columns)
    work.launch_blocks(
        source,
        -(-windows // tile.rows) * across,
        *(windows, *how.windows, depth, outputs, max(how.taps[1], 1), across),
        *out.strides[:3],
        *_geometry(images, how),
        *(images.address, weights.address, out.address),
        threads=implicit_products.THREADS,
    )


def _phase(how: Sliding, axis: int, at: int) -> tuple[int, int, int, int, int]:
    """Return windows, taps, stride, gap and low of every so many-th window along an axis."""
    spread, low = how.spread[axis], how.low[axis]
    first = (low - at) % spread
    return (
        max(-(-(how.windows[axis] - at) // spread), 0),
        max(-(-(how.taps[axis] - first) // spread), 0),
        1,
        1,
        (low - at - first) // spread,
    )


def _every(
    array: Strided,
    first: tuple[int, ...],
    steps: tuple[int, ...],
    counts: tuple[int, ...],
    axis: int,
) -> Strided:
    """Return every so many-th element along two axes.

    Parameters
    ----------
    array : Strided
        Of four axes.
    first, steps, counts : tuple of int
        Where to begin, how far to step and how many to take, along each of the two.
    axis : int
        The first of the two.
    """
    shape, strides, place = list(array.shape), list(array.strides), 0
    for k in range(2):
        place += first[k] * strides[axis + k]
        strides[axis + k] *= steps[k]
        shape[axis + k] = counts[k]
    address = array.address + place * array.dtype.itemsize
    return Strided(address, tuple(shape), tuple(strides), array.dtype, array.keep)


def filters(work: Work, out: Strided, images: Strided, cotangent: Strided, how: Sliding) -> None:
    """Queue the derivative of a convolution by its filters.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : Strided
        Contiguous, of shape (taps down, taps across, inputs, outputs).
    images : Strided
        Of shape (images, height, width, inputs).
    cotangent : Strided
        Of shape (images, windows down, windows across, outputs).
    how : Sliding
        How the windows lie.
    """
    if cudnn.filters(work, out, images, cotangent, how):
        return
    _expect_own(out)
    images, cotangent = _reachable(work, images), work.contiguous(cotangent)
    outputs, windows = out.shape[-1], cotangent.size // out.shape[-1]
    tile = _filter_tile(out.dtype, outputs)
    depth = out.size // outputs
    vectors, whole = _in_vectors(images), _whole(outputs, cotangent)
    source = implicit_products.filter_source(out.dtype, tile, vectors, whole, max(how.spread) > 1)
    down, across = -(-depth // tile.rows), -(-outputs // tile.columns)
    most = max(1, tuning.row().filter_blocks // (down * across))
    share = -(-windows // most)
    share = max(-(-share // tile.step), tuning.row().filter_steps) * tile.step
    parts = -(-windows // share)
    sums = out if parts == 1 else work.empty((parts, *out.shape), out.dtype)
    work.launch_blocks(
        source,
        parts * down * across,
        *(windows, *how.windows, depth, outputs, how.taps[1], down, across, share),
        *_geometry(images, how),
        *(images.address, cotangent.address, sums.address),
        threads=implicit_products.THREADS,
    )
    if parts > 1:
        each = implicit_products.SUM_THREADS // implicit_products.SUM_LINES
        work.launch_blocks(
            implicit_products.sum_source(out.dtype),
            -(-out.size // each),
            *(out.size, parts, sums.address, out.address),
            threads=implicit_products.SUM_THREADS,
        )


def _expect_own(out: Strided) -> None:
    """Check that our own kernels have a dtype.

    Raises
    ------
    DeviceError
        If they have not.
    """
    if out.dtype not in _DTYPES:
        raise DeviceError(
            f"cuDNN has no algorithm for this convolution of {out.dtype.name}",
            hint='compute it in float32: x.astype("float32")',
        )


def _image_tile(dtype: np.dtype[np.generic], windows: int, outputs: int) -> ImageTile:
    """Return the largest tile of which there are enough for the device."""
    row = tuning.row()
    if dtype != np.float32:
        return ImageTile(*_for(outputs, row.wide_image_tiles))
    large = ImageTile(*_for(outputs, row.image_tiles))
    blocks = -(-windows // large.rows) * -(-outputs // large.columns)
    if blocks >= row.convolution_blocks:
        return large
    return replace(large, own_rows=row.few_image_rows)


def _filter_tile(dtype: np.dtype[np.generic], outputs: int) -> FilterTile:
    row = tuning.row()
    tiles = row.filter_tiles if dtype == np.float32 else row.wide_filter_tiles
    return FilterTile(*_for(outputs, tiles))


def _for(outputs: int, tiles: Sequence[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    """Return the narrowest tile that has all outputs, or the widest."""
    return next((tile for tile in tiles if outputs <= tile[0]), tiles[-1])


def _reachable(work: Work, images: Strided) -> Strided:
    """Return the images, or a copy where their elements lie too far apart for 32 bits."""
    reach = sum(
        (size - 1) * abs(step) for size, step in zip(images.shape, images.strides, strict=True)
    )
    return images if reach <= _LARGEST else work.packed(images)


def _in_vectors(images: Strided) -> bool:
    """Whether four channels lie side by side, in images that are read at aligned places."""
    *steps, last = images.strides
    return (
        images.shape[-1] % 4 == 0
        and last == 1
        and all(step % 4 == 0 or n == 1 for n, step in zip(images.shape, steps, strict=False))
        and images.address % _ALIGNED == 0
    )


def _whole(outputs: int, *arrays: Strided) -> bool:
    """Whether rows of outputs are groups of four at aligned places."""
    return outputs % 4 == 0 and all(array.address % _ALIGNED == 0 for array in arrays)


def _geometry(images: Strided, how: Sliding) -> tuple[int, ...]:
    return (
        *images.shape[1:],
        *images.strides,
        *(*how.stride, *how.gap, *how.low, *how.spread),
    )
