"""Losses of numbers: squared and absolute differences, and those between the two."""

from __future__ import annotations

from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.nn.arguments import match_dtype
from lazyarr.nn.means_of_losses import mask_of, paired, reduced
from lazyarr.numpy_api import selection
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.tracing import record_functions

__all__ = ["huber_loss", "mean_absolute_error", "mean_squared_error", "smooth_l1_loss"]


def mean_squared_error(
    predictions: Any, targets: Any, *, where: Any = None, reduction: str = "mean"
) -> LazyArray:
    """Return the squared differences, or their mean or sum.

    Parameters
    ----------
    predictions, targets : array_like
        Of one shape.
    where : array_like of bool, optional
        Of the same shape: which of them count.
    reduction : {"mean", "sum", "none"}
        What to return of the squares.

    Returns
    -------
    LazyArray
        Of the dtype of `predictions`.

    Raises
    ------
    ShapeError
        If the shapes differ: they do not broadcast, which is most often a mistake.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.mean_squared_error([1.0, 2.0], [1.0, 4.0]).compute()
    array(2.)
    """
    array, wide, expected = paired(predictions, targets, "mean_squared_error", "predictions")
    squares = as_lazy(FUNCTIONS["square"](wide - expected))
    return match_dtype(reduced(squares, reduction, mask_of(where, array.shape)), array.dtype)


def mean_absolute_error(
    predictions: Any, targets: Any, *, where: Any = None, reduction: str = "mean"
) -> LazyArray:
    """Return the absolute differences, or their mean or sum.

    Parameters
    ----------
    predictions, targets : array_like
        Of one shape.
    where : array_like of bool, optional
        Of the same shape: which of them count.
    reduction : {"mean", "sum", "none"}
        What to return of the differences.

    Returns
    -------
    LazyArray
        Of the dtype of `predictions`.

    Raises
    ------
    ShapeError
        If the shapes differ.

    Notes
    -----
    The derivative at equal numbers is 0.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.mean_absolute_error([1.0, 2.0], [1.0, 4.0]).compute()
    array(1.)
    """
    array, wide, expected = paired(predictions, targets, "mean_absolute_error", "predictions")
    distances = as_lazy(FUNCTIONS["absolute"](wide - expected))
    return match_dtype(reduced(distances, reduction, mask_of(where, array.shape)), array.dtype)


def huber_loss(
    predictions: Any,
    targets: Any,
    *,
    delta: float = 1.0,
    where: Any = None,
    reduction: str = "mean",
) -> LazyArray:
    """Return ``d**2 / 2`` for differences up to `delta`, and ``delta * (|d| - delta / 2)`` beyond.

    Parameters
    ----------
    predictions, targets : array_like
        Of one shape.
    delta : float
        Positive: the difference from which on the loss is linear, and the largest derivative.
    where : array_like of bool, optional
        Of the same shape: which of them count.
    reduction : {"mean", "sum", "none"}
        What to return of the losses.

    Returns
    -------
    LazyArray
        Of the dtype of `predictions`.

    Raises
    ------
    ShapeError
        If the shapes differ.
    ArgumentError
        If `delta` is not positive.

    References
    ----------
    Huber: Robust estimation of a location parameter, 1964.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.huber_loss([0.0, 0.0], [0.5, 3.0], reduction="none").compute()
    array([0.125, 2.5  ])
    """
    if not delta > 0:
        raise ArgumentError(f"delta must be positive, got {delta}", origin=origin())
    array, wide, expected = paired(predictions, targets, "huber_loss", "predictions")
    losses = _bowl(as_lazy(wide - expected), delta) * delta
    return match_dtype(reduced(losses, reduction, mask_of(where, array.shape)), array.dtype)


def smooth_l1_loss(
    predictions: Any,
    targets: Any,
    *,
    beta: float = 1.0,
    where: Any = None,
    reduction: str = "mean",
) -> LazyArray:
    """Return ``d**2 / (2 * beta)`` for differences below `beta`, and ``|d| - beta / 2`` beyond.

    Parameters
    ----------
    predictions, targets : array_like
        Of one shape.
    beta : float
        Not negative: the difference from which on the loss is linear. With 0 it is
        :func:`mean_absolute_error`.
    where : array_like of bool, optional
        Of the same shape: which of them count.
    reduction : {"mean", "sum", "none"}
        What to return of the losses.

    Returns
    -------
    LazyArray
        Of the dtype of `predictions`: :func:`huber_loss` divided by `beta`.

    Raises
    ------
    ShapeError
        If the shapes differ.
    ArgumentError
        If `beta` is negative.

    References
    ----------
    Girshick: Fast R-CNN, 2015.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.smooth_l1_loss([0.0, 0.0], [0.5, 3.0], beta=2.0, reduction="none").compute()
    array([0.0625, 2.    ])
    """
    if not beta >= 0:
        raise ArgumentError(f"beta must not be negative, got {beta}", origin=origin())
    if not beta:
        return mean_absolute_error(predictions, targets, where=where, reduction=reduction)
    array, wide, expected = paired(predictions, targets, "smooth_l1_loss", "predictions")
    losses = _bowl(as_lazy(wide - expected), beta)
    return match_dtype(reduced(losses, reduction, mask_of(where, array.shape)), array.dtype)


def _bowl(difference: LazyArray, width: float) -> LazyArray:
    """Return ``d**2 / (2 * width)`` for differences up to a width, and ``|d| - width / 2`` beyond.

    Large differences are not squared: an infinite one has the derivative 1, or -1.
    """
    distance = FUNCTIONS["absolute"](difference)
    near = selection.where(distance > width, 0, difference)
    return as_lazy(
        selection.where(distance > width, distance - width / 2, near * near * (0.5 / width))
    )


record_functions(globals(), __all__)
