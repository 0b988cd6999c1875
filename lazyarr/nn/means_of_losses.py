"""Reductions of losses: their mean or sum, with masks; operands of losses between two arrays."""

from __future__ import annotations

from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.nn.arguments import inexact, widened
from lazyarr.numpy_api import moments, reductions, selection
from lazyarr.numpy_api.elementwise import FUNCTIONS

__all__ = ["mask_of", "paired", "reduced"]


def reduced(losses: LazyArray, reduction: str, mask: LazyArray | None) -> LazyArray:
    """Return the mean or the sum of losses, of those alone where a mask is true.

    Parameters
    ----------
    losses : LazyArray
        Of any shape.
    reduction : {"mean", "sum", "none"}
        Which of them; "none" returns the losses, 0 where the mask is false.
    mask : LazyArray of bool or None
        Of the shape of the losses.

    Raises
    ------
    ArgumentError
        If `reduction` is something else.
    """
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(
            f"reduction must be 'mean', 'sum' or 'none', got {reduction!r}", origin=origin()
        )
    if mask is not None:
        losses = as_lazy(selection.where(mask, losses, 0))
    if reduction == "none":
        return losses
    if reduction == "sum":
        return as_lazy(reductions.sum(losses))
    if mask is None:
        return as_lazy(moments.mean(losses))
    # Of a mask that is false everywhere the mean is 0, as its gradient is.
    count = FUNCTIONS["maximum"](reductions.sum(mask.astype(losses.dtype)), 1)
    return as_lazy(reductions.sum(losses) / count)


def mask_of(where: Any, shape: tuple[int, ...]) -> LazyArray | None:
    """Return the mask of losses of a shape as bool, or None.

    Parameters
    ----------
    where : array_like or None
        The user's mask.
    shape : tuple of int
        That of the losses.

    Raises
    ------
    ShapeError
        If the mask has another shape.
    """
    if where is None:
        return None
    mask = as_lazy(where)
    if mask.shape != shape:
        raise ShapeError(
            f"where has shape {mask.shape}, expected that of the losses, {shape}", origin=origin()
        )
    return mask if kind_of(mask.dtype) == "b" else as_lazy(mask != 0)


def paired(
    predictions: Any, targets: Any, name: str, plural: str
) -> tuple[LazyArray, LazyArray, LazyArray]:
    """Return predictions as they are, and predictions and targets in the dtype of the arithmetic.

    Parameters
    ----------
    predictions, targets : array_like
        Of one shape.
    name : str
        The function's name in messages.
    plural : str
        What the predictions are, for messages.

    Returns
    -------
    array, predictions, targets : LazyArray
        The first in its own dtype; the others in the same one, float16 and bfloat16 as float32.

    Raises
    ------
    ShapeError
        If the shapes differ.
    """
    array = inexact(predictions, name)
    wide = widened(array)
    expected = inexact(targets, name).astype(wide.dtype)
    if expected.shape != wide.shape:
        raise ShapeError(
            f"targets have shape {expected.shape}, the {plural} {wide.shape}", origin=origin()
        )
    return array, wide, expected
