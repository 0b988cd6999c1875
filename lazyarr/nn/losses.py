"""Distributions over classes, and losses of logits."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr import special
from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.differentiation import stop_gradient
from lazyarr.errors import ShapeError
from lazyarr.nn.arguments import (
    axes_of,
    fraction,
    inexact,
    match_dtype,
    taken_rows,
    widened,
)
from lazyarr.nn.means_of_losses import mask_of, paired, reduced
from lazyarr.numpy_api import equal_steps, moments, movement, reductions, selection
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.tracing import record_functions

__all__ = [
    "binary_cross_entropy",
    "cross_entropy",
    "kl_divergence",
    "log_softmax",
    "logsumexp",
    "softmax",
]


def _shifted(x: LazyArray, axis: Any) -> LazyArray:
    """Return `x` less its maximum along an axis.

    The shift cancels in what is made of it, and so would its derivative.
    """
    top = reductions.max(x, axis=axis, keepdims=True)
    return as_lazy(x - stop_gradient(top))


def _log_softmax(x: LazyArray, axis: Any) -> LazyArray:
    shifted = _shifted(x, axis)
    total = reductions.sum(FUNCTIONS["exp"](shifted), axis=axis, keepdims=True)
    return as_lazy(shifted - FUNCTIONS["log"](total))


def softmax(x: Any, axis: Any = -1) -> LazyArray:
    """Return ``exp(x) / sum(exp(x))`` along an axis, without overflow.

    Parameters
    ----------
    x : array_like
        Of any shape.
    axis : int or tuple of int
        Along which the result sums to one.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; float16 and bfloat16 are computed in float32.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.softmax([1000.0, 1000.0]).compute()
    array([0.5, 0.5])
    """
    array = inexact(x, "softmax")
    powers = FUNCTIONS["exp"](_shifted(widened(array), axis))
    total = reductions.sum(powers, axis=axis, keepdims=True)
    return match_dtype(as_lazy(powers / total), array.dtype)


def log_softmax(x: Any, axis: Any = -1) -> LazyArray:
    """Return the logarithm of :func:`softmax`: ``x - logsumexp(x)``.

    Parameters
    ----------
    x : array_like
        Of any shape.
    axis : int or tuple of int
        Along which the exponentials of the result sum to one.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; float16 and bfloat16 are computed in float32.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.log_softmax([1000.0, 0.0]).compute()
    array([    0., -1000.])
    """
    array = inexact(x, "log_softmax")
    return match_dtype(_log_softmax(widened(array), axis), array.dtype)


def logsumexp(x: Any, axis: Any = -1, keepdims: bool = False) -> LazyArray:
    """Return ``log(sum(exp(x)))`` along an axis, without overflow.

    Parameters
    ----------
    x : array_like
        Of any shape.
    axis : int or tuple of int
        Over which to sum.
    keepdims : bool
        Whether the axis stays, with length one.

    Returns
    -------
    LazyArray
        Of the dtype of `x`; float16 and bfloat16 are computed in float32.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.logsumexp([1000.0, 1000.0]).compute().round(4)
    np.float64(1000.6931)
    """
    array = inexact(x, "logsumexp")
    return match_dtype(special.logsumexp(widened(array), axis, keepdims=keepdims), array.dtype)


def cross_entropy(
    logits: Any,
    labels: Any,
    *,
    axis: int = -1,
    label_smoothing: float = 0.0,
    where: Any = None,
    reduction: str = "mean",
) -> LazyArray:
    """Return the cross-entropy of classes: ``-log(softmax(logits)[label])``.

    Parameters
    ----------
    logits : array_like
        Of shape (..., classes): logarithms of probabilities, up to a constant for each row.
    labels : array_like
        Numbers of classes, of the shape of `logits` without `axis`; or a probability for each
        class, floating-point and of the shape of `logits`.
    axis : int
        The axis of the classes.
    label_smoothing : float
        How much of each label's weight is spread evenly over all classes.
    where : array_like of bool, optional
        Of the shape of `logits` without `axis`: which labels count.
    reduction : {"mean", "sum", "none"}
        What to return of the losses; "mean" is that over the labels that count.

    Returns
    -------
    LazyArray
        Of the dtype of `logits`; without axes, or of the shape of `logits` without `axis`.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    IndexingError
        If a label is negative or not below the number of classes: at once for labels in memory,
        otherwise when the loss is evaluated.

    Notes
    -----
    The label is compared with the number of each class in the pass that normalises, so that the
    gradient, ``softmax(logits) - one_hot(labels)``, is one pass over the logits and scatters
    nothing. Smoothing is that of Szegedy et al., Rethinking the inception architecture for
    computer vision, 2015.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.cross_entropy([[0.0, 0.0], [0.0, 100.0]], [0, 1]).compute().round(4)
    np.float64(0.3466)
    """
    array = inexact(logits, "cross_entropy")
    (place,) = axes_of(axis, array.ndim)
    smoothing = fraction(label_smoothing, "label_smoothing", closed=True)
    scores = widened(movement.moveaxis(array, place, -1))
    classes = as_lazy(labels)
    mask = mask_of(where, scores.shape[:-1])
    logarithms = _log_softmax(scores, -1)
    if kind_of(classes.dtype) == "f" and classes.shape == array.shape:
        losses = _of_probabilities(logarithms, movement.moveaxis(classes, place, -1))
    elif classes.shape == scores.shape[:-1]:
        losses = _of_numbers(logarithms, classes, mask)
    else:
        raise ShapeError(
            f"labels have shape {classes.shape}, expected {scores.shape[:-1]}: that of the logits "
            f"{array.shape} without the axis of the classes, {place}",
            origin=origin(),
            hint="probabilities of all classes have the shape of the logits, and a floating dtype",
        )
    if smoothing:
        even = -moments.mean(logarithms, axis=-1)
        losses = (1 - smoothing) * losses + smoothing * even
    return match_dtype(reduced(losses, reduction, mask), array.dtype)


def _of_numbers(logarithms: LazyArray, classes: LazyArray, mask: LazyArray | None) -> LazyArray:
    """Return the losses of labels that are numbers of classes."""
    count = logarithms.shape[-1]
    numbers = equal_steps.arange(count)  # computed where it runs: no array of the host's
    if mask is not None:
        classes = as_lazy(selection.where(mask, classes, 0))
    # The gather checks, when it runs, that each label is the number of a class.
    chosen = taken_rows(numbers, classes, "labels", "classes")
    kept = selection.where(chosen[..., None] == numbers, logarithms, 0)
    return as_lazy(-reductions.sum(kept, axis=-1))


def _of_probabilities(logarithms: LazyArray, weights: LazyArray) -> LazyArray:
    """Return the losses of labels that are probabilities.

    A class that is impossible by logits and labels alike adds nothing.
    """
    weights = match_dtype(weights, logarithms.dtype)
    finite = FUNCTIONS["maximum"](logarithms, np.finfo(logarithms.dtype).min)
    terms = weights * selection.where(weights == 0, finite, logarithms)
    return as_lazy(-reductions.sum(terms, axis=-1))


def binary_cross_entropy(
    logits: Any, targets: Any, *, where: Any = None, reduction: str = "mean"
) -> LazyArray:
    """Return the cross-entropy of yes-or-no targets: ``softplus(logits) - targets * logits``.

    Parameters
    ----------
    logits : array_like
        Of any shape: the target is 1 with probability ``sigmoid(logits)``.
    targets : array_like
        Of the same shape: 0, 1, or probabilities.
    where : array_like of bool, optional
        Of the same shape: which of them count.
    reduction : {"mean", "sum", "none"}
        What to return of the losses.

    Returns
    -------
    LazyArray
        Of the dtype of `logits`.

    Raises
    ------
    ShapeError
        If the shapes differ.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.binary_cross_entropy([0.0, 1000.0], [1, 1]).compute().round(4)
    np.float64(0.3466)
    """
    array, scores, expected = paired(logits, targets, "binary_cross_entropy", "logits")
    losses = as_lazy(FUNCTIONS["logaddexp"](scores, 0) - expected * scores)
    return match_dtype(reduced(losses, reduction, mask_of(where, array.shape)), array.dtype)


def kl_divergence(
    log_probabilities: Any,
    targets: Any,
    *,
    axis: int = -1,
    log_targets: bool = False,
    where: Any = None,
    reduction: str = "mean",
) -> LazyArray:
    """Return the divergence of distributions: ``sum(p * (log(p) - log_probabilities))``.

    Parameters
    ----------
    log_probabilities : array_like
        Of shape (..., classes): logarithms of probabilities, as :func:`log_softmax` returns them.
    targets : array_like
        Of the same shape: the probabilities p, or their logarithms.
    axis : int
        The axis of the classes.
    log_targets : bool
        Whether `targets` are logarithms.
    where : array_like of bool, optional
        Of the shape of `targets` without `axis`: which distributions count.
    reduction : {"mean", "sum", "none"}
        What to return of the sums over `axis`; "mean" is that over the distributions.

    Returns
    -------
    LazyArray
        Of the dtype of `log_probabilities`; without axes, or of their shape without `axis`.

    Raises
    ------
    ShapeError
        If the shapes differ.

    Notes
    -----
    A class with probability 0 adds nothing, also where `log_probabilities` is -inf there.

    References
    ----------
    Kullback, Leibler: On information and sufficiency, 1951.

    Examples
    --------
    >>> import lazyarr as la
    >>> logarithms = la.nn.log_softmax([[0.0, 0.0]])
    >>> la.nn.kl_divergence(logarithms, [[1.0, 0.0]]).compute().round(4)
    np.float64(0.6931)
    """
    array, scores, expected = paired(
        log_probabilities, targets, "kl_divergence", "log_probabilities"
    )
    (place,) = axes_of(axis, array.ndim)
    mask = mask_of(where, array.shape[:place] + array.shape[place + 1 :])
    if log_targets:
        possible = expected > -np.inf
        logarithms = selection.where(possible, expected, 0)
        weights = selection.where(possible, FUNCTIONS["exp"](logarithms), 0)
    else:
        possible, weights = expected != 0, expected
        logarithms = FUNCTIONS["log"](selection.where(possible, expected, 1))
    # The difference of two infinities would be NaN, and so would its derivative.
    difference = logarithms - selection.where(possible, scores, 0)
    losses = as_lazy(reductions.sum(weights * difference, axis=place))
    return match_dtype(reduced(losses, reduction, mask), array.dtype)


record_functions(globals(), __all__)
