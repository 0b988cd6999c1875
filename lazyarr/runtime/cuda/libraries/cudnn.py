"""Convolutions by cuDNN, where it is installed: arrays are channels last."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.sliding import Pair, Sliding
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries import cudnn_graphs
from lazyarr.runtime.cuda.libraries.cudnn_graphs import (
    BY_FILTERS,
    BY_IMAGES,
    FORWARD,
    Problem,
    Sizes,
)
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["convolve", "filter_problem", "filters", "image_problem"]


def _wanted(work: Work, dtype: np.dtype[Any]) -> bool:
    """Whether cuDNN is to compute: float16, and float32 with factors of fewer digits."""
    return cudnn_graphs.installed() and (dtype == np.float16 or (dtype == np.float32 and work.fast))


def image_problem(
    out: Strided, images: Strided, weights: Strided, how: Sliding, *, exact: bool
) -> Problem | None:
    """Return a convolution as cuDNN has it; None where it has no such windows.

    Parameters
    ----------
    out : Strided
        Of shape (images, windows down, windows across, outputs).
    images : Strided
        Of shape (images, height, width, inputs).
    weights : Strided
        Of shape (taps down, taps across, inputs, outputs).
    how : Sliding
        How the windows lie.
    exact : bool
        See :class:`Problem`.
    """
    down, across, inputs, outputs = weights.shape
    if max(how.spread) == 1:
        around = _padding(how.low, how.windows, images.shape[1:3], how.stride, how)
        sizes = _sizes(images), (outputs, inputs, down, across), _sizes(out)
        kind, stride = FORWARD, how.stride
    else:  # the transpose of a convolution: filters were reversed for it
        before = tuple(
            (taps - 1) * gap - low
            for taps, gap, low in zip(how.taps, how.gap, how.low, strict=True)
        )
        around = _padding(before, images.shape[1:3], how.windows, how.spread, how)
        around = around if max(how.stride) == 1 else None
        sizes = _sizes(out), (inputs, outputs, down, across), _sizes(images)
        kind, stride = BY_IMAGES, how.spread
    if around is None:
        return None
    return Problem(kind, out.dtype.name, *sizes, *around, stride, how.gap, exact)


def filter_problem(
    out: Strided, images: Strided, cotangent: Strided, how: Sliding, *, exact: bool
) -> Problem | None:
    """Return a derivative by filters as cuDNN has it; None where it has no such windows.

    Parameters
    ----------
    out : Strided
        Of shape (taps down, taps across, inputs, outputs).
    images : Strided
        Of shape (images, height, width, inputs).
    cotangent : Strided
        Of shape (images, windows down, windows across, outputs).
    how : Sliding
        How the windows lie.
    exact : bool
        See :class:`Problem`.
    """
    around = _padding(how.low, how.windows, images.shape[1:3], how.stride, how)
    if max(how.spread) > 1 or around is None:
        return None
    down, across, inputs, outputs = out.shape
    sizes = _sizes(images), (outputs, inputs, down, across), _sizes(cotangent)
    return Problem(BY_FILTERS, out.dtype.name, *sizes, *around, how.stride, how.gap, exact)


def convolve(work: Work, out: Strided, images: Strided, weights: Strided, how: Sliding) -> bool:
    """Queue a convolution; return whether that is done.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out, images, weights, how
        As for :func:`image_problem`; `out` is contiguous.
    """
    if not _wanted(work, out.dtype):
        return False
    problem = image_problem(out, images, weights, how, exact=not work.fast)
    if problem is None:
        return False
    if problem.kind == FORWARD:
        stored = weights.permuted((3, 0, 1, 2))
    else:
        stored = _reversed(weights).permuted((2, 0, 1, 3))
    return _queued(work, problem, images, stored, out)


def filters(work: Work, out: Strided, images: Strided, cotangent: Strided, how: Sliding) -> bool:
    """Queue the derivative of a convolution by its filters; return whether that is done.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out, images, cotangent, how
        As for :func:`filter_problem`; `out` is contiguous.
    """
    if not _wanted(work, out.dtype):
        return False
    few = images.shape[-1] < tuning.row().cudnn_inputs
    problem = filter_problem(out, images, cotangent, how, exact=not work.fast)
    if problem is None or (few and out.dtype != np.float16):
        return False
    down, across, inputs, outputs = out.shape
    target = work.empty((outputs, down, across, inputs), out.dtype)
    done = _queued(work, problem, images, cotangent, target)
    if done:
        work.copy(target.permuted((1, 2, 3, 0)), out)
    return done


def _queued(work: Work, problem: Problem, first: Strided, second: Strided, out: Strided) -> bool:
    """Queue a convolution of arrays in the order of their axes in memory, if there is a plan."""
    libraries = work.libraries
    with libraries.lock:
        plan = libraries.convolutions.plan(problem)
        if plan is None:
            return False
        operands = [work.contiguous(array) for array in (first, second)]
        space = work.empty((max(plan.nbytes, 1),), np.dtype(np.uint8))
        addresses = (operands[0].address, operands[1].address, out.address)
        libraries.convolutions.execute(plan, addresses, space.address)
    return True


def _sizes(array: Strided) -> Sizes:
    count, down, across, channels = array.shape
    return count, channels, down, across


def _padding(
    before: tuple[int, ...],
    windows: tuple[int, ...],
    size: tuple[int, ...],
    stride: Pair,
    how: Sliding,
) -> tuple[Pair, Pair] | None:
    """Return the zeros before and behind images of a size; None where cuDNN has no such windows.

    Parameters
    ----------
    before : tuple of int
        Zeros before the images.
    windows : tuple of int
        How many, down and across.
    size : tuple of int
        Of the images, down and across.
    stride : tuple of int
        Steps from window to window.
    how : Sliding
        Taps and gaps.
    """
    after = []
    for low, count, length, step, taps, gap in zip(
        before, windows, size, stride, how.taps, how.gap, strict=True
    ):
        reach = (taps - 1) * gap + 1
        missing = (count - 1) * step + reach - length - low
        if low < 0 or missing <= -step or max(low, missing) >= reach:
            return None
        after.append(max(missing, 0))
    return (before[0], before[1]), (after[0], after[1])


def _reversed(weights: Strided) -> Strided:
    """Return the view of filters with their taps in reverse order."""
    down, across = weights.strides[:2]
    last = weights.at(weights.shape[0] - 1, weights.shape[1] - 1)
    return Strided(
        last.address, weights.shape, (-down, -across, *weights.strides[2:]), weights.dtype,
        weights.keep,
    )  # fmt: skip
