"""Normalisation: of layers, by the root of the mean square, and of batches."""

from __future__ import annotations

from math import prod
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.nn.arguments import (
    axes_of,
    expect_shape,
    inexact,
    integers,
    match_dtype,
    widened,
)
from lazyarr.numpy_api import moments
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.tracing import record_functions

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm"]


def _over(parameter: Any, x: LazyArray, axes: tuple[int, ...], name: str) -> LazyArray:
    """Return a parameter that has the axes `axes` of `x`, broadcast along the others."""
    array = inexact(parameter, name)
    sizes = tuple(x.shape[k] for k in axes)
    expect_shape(array, sizes, name, f"the sizes of the axes {axes} of {x.shape}")
    shape = tuple(n if k in axes else 1 for k, n in enumerate(x.shape))
    return array.reshape(shape).astype(x.dtype)


def _affine(x: LazyArray, weight: Any, bias: Any, axes: tuple[int, ...]) -> LazyArray:
    if weight is not None:
        x = x * _over(weight, x, axes, "weight")
    if bias is not None:
        x = x + _over(bias, x, axes, "bias")
    return x


def layer_norm(
    x: Any, weight: Any = None, bias: Any = None, *, axis: Any = -1, eps: float = 1e-5
) -> LazyArray:
    """Return ``(x - mean(x)) / sqrt(var(x) + eps) * weight + bias``.

    Parameters
    ----------
    x : array_like
        Of any shape.
    weight, bias : array_like, optional
        Of the sizes of `axis`.
    axis : int or tuple of int
        Over which mean and variance are taken.
    eps : float
        Keeps the root from 0.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; float16 and bfloat16 are computed in float32.

    Raises
    ------
    ShapeError
        If `weight` or `bias` has another shape.

    References
    ----------
    Ba, Kiros, Hinton: Layer normalization, 2016.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.layer_norm([[1.0, 3.0]], eps=0.0).compute()
    array([[-1.,  1.]])
    """
    array = inexact(x, "layer_norm")
    axes = axes_of(axis, array.ndim)
    wide = widened(array)
    return match_dtype(_affine(_normal(wide, axes, eps), weight, bias, axes), array.dtype)


def rms_norm(x: Any, weight: Any = None, *, axis: Any = -1, eps: float = 1e-6) -> LazyArray:
    """Return ``x / sqrt(mean(x**2) + eps) * weight``.

    Parameters
    ----------
    x : array_like
        Of any shape.
    weight : array_like, optional
        Of the sizes of `axis`.
    axis : int or tuple of int
        Over which the mean is taken.
    eps : float
        Keeps the root from 0.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; float16 and bfloat16 are computed in float32.

    Raises
    ------
    ShapeError
        If `weight` has another shape.

    References
    ----------
    Zhang, Sennrich: Root mean square layer normalization, 2019.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.rms_norm([[3.0, 3.0]], eps=0.0).compute()
    array([[1., 1.]])
    """
    array = inexact(x, "rms_norm")
    axes = axes_of(axis, array.ndim)
    wide = widened(array)
    square = moments.mean(wide * wide, axis=axes, keepdims=True)
    normal = as_lazy(wide / FUNCTIONS["sqrt"](square + eps))
    return match_dtype(_affine(normal, weight, None, axes), array.dtype)


def batch_norm(
    x: Any,
    weight: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    *,
    training: bool = False,
    momentum: float = 0.1,
    axis: int = 1,
    eps: float = 1e-5,
) -> tuple[LazyArray, LazyArray, LazyArray]:
    """Return `x` normalised for each channel, and the running mean and variance.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, ...).
    weight, bias : array_like or None
        Of shape (channels,).
    mean, variance : array_like
        Of shape (channels,): the running statistics, which normalise unless `training`.
    training : bool
        Whether to normalise by the statistics of this batch, and to move the running ones.
    momentum : float
        How far the running statistics move towards those of the batch:
        ``(1 - momentum) * running + momentum * batch``.
    axis : int
        The axis of the channels.
    eps : float
        Keeps the root from 0.

    Returns
    -------
    normalized : LazyArray
        Of the shape and dtype of `x`; float16 and bfloat16 are computed in float32.
    mean, variance : LazyArray
        The running statistics, in the dtype in which they came; unchanged unless `training`. The
        variance that enters them is that of a sample, divided by one less than the number of
        elements.

    Raises
    ------
    ShapeError
        If a parameter has another shape, or `training` has one element for each channel only.

    References
    ----------
    Ioffe, Szegedy: Batch normalization, 2015.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = [[1.0], [3.0]]
    >>> y, mean, variance = la.nn.batch_norm(x, None, None, [0.0], [1.0], training=True, eps=0.0)
    >>> y.compute().tolist(), mean.compute(), variance.compute()
    ([[-1.0], [1.0]], array([0.2]), array([1.1]))
    """
    array = inexact(x, "batch_norm")
    channel = axes_of(axis, array.ndim)
    wide = widened(array)
    running = inexact(mean, "mean"), inexact(variance, "variance")
    center = _over(running[0], wide, channel, "mean")
    spread = _over(running[1], wide, channel, "variance")
    if training:
        axes = tuple(k for k in range(wide.ndim) if k not in channel)
        count = wide.size // wide.shape[channel[0]] if wide.shape[channel[0]] else 0
        if count < 2:
            raise ShapeError(
                f"batch_norm: x of shape {array.shape} has {count} elements per channel, at "
                "least 2 needed",
                origin=origin(),
            )
        center = as_lazy(moments.mean(wide, axis=axes, keepdims=True))
        spread = as_lazy(moments.var(wide, axis=axes, keepdims=True))
        sample = spread * (count / (count - 1))
        running = (
            _moved(running[0], center, momentum),
            _moved(running[1], sample, momentum),
        )
    normal = (wide - center) / FUNCTIONS["sqrt"](spread + eps)
    scaled = _affine(as_lazy(normal), weight, bias, channel)
    return match_dtype(scaled, array.dtype), *running


def _moved(running: LazyArray, batch: LazyArray, momentum: float) -> LazyArray:
    """Return running statistics after a batch."""
    statistic = batch.reshape(-1).astype(running.dtype)
    return as_lazy((1 - momentum) * running + momentum * statistic)


def group_norm(
    x: Any,
    groups: int,
    weight: Any = None,
    bias: Any = None,
    *,
    axis: int = 1,
    eps: float = 1e-5,
) -> LazyArray:
    """Return `x` normalised over each group of channels of each member of the batch.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, ...).
    groups : int
        Divides the channels: neighbours share mean and variance, over all other axes but the first.
    weight, bias : array_like, optional
        Of shape (channels,): factor and offset after the normalisation.
    axis : int
        The axis of the channels; not the first.
    eps : float
        Keeps the root from 0.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; float16 and bfloat16 are computed in float32.

    Raises
    ------
    ArgumentError
        If `groups` does not divide the channels, or `axis` is the first one.
    ShapeError
        If `weight` or `bias` has another shape, or a group has fewer than two elements.

    References
    ----------
    Wu, He: Group normalization, 2018.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.group_norm([[1.0, 3.0, 10.0, 30.0]], 2, eps=0.0).compute()
    array([[-1.,  1., -1.,  1.]])
    """
    array = inexact(x, "group_norm")
    (count,) = integers(groups, 1, "groups")
    return _grouped(array, count, (weight, bias), axis, eps, "group_norm")


def instance_norm(
    x: Any, weight: Any = None, bias: Any = None, *, axis: int = 1, eps: float = 1e-5
) -> LazyArray:
    """Return `x` normalised over each channel of each member of the batch.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, ...).
    weight, bias : array_like, optional
        Of shape (channels,): factor and offset after the normalisation.
    axis : int
        The axis of the channels; not the first.
    eps : float
        Keeps the root from 0.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; float16 and bfloat16 are computed in float32.

    Raises
    ------
    ArgumentError
        If `axis` is the first one.
    ShapeError
        If `weight` or `bias` has another shape, or a channel has fewer than two elements.

    References
    ----------
    Ulyanov, Vedaldi, Lempitsky: Instance normalization, 2016.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.instance_norm([[[1.0, 3.0], [10.0, 30.0]]], eps=0.0).compute()
    array([[[-1.,  1.],
            [-1.,  1.]]])
    """
    return _grouped(inexact(x, "instance_norm"), None, (weight, bias), axis, eps, "instance_norm")


def _grouped(
    x: LazyArray,
    groups: int | None,
    parameters: tuple[Any, Any],
    axis: int,
    eps: float,
    name: str,
) -> LazyArray:
    """Return (batch, ...) normalised in groups of channels.

    Parameters
    ----------
    x : LazyArray
        Of any floating dtype.
    groups : int or None
        The number of groups; None: one for each channel.
    parameters : tuple of array_like or None
        Weight and bias of each channel.
    axis : int
        Of the channels.
    eps : float
        Keeps the root from 0.
    name : str
        The function's name in messages.
    """
    channel = axes_of(axis, x.ndim)
    (place,) = channel
    if place == 0:
        raise ArgumentError(f"{name}: axis 0 of x is the batch", origin=origin())
    channels = x.shape[place]
    count = channels if groups is None else groups
    if count < 0 or (channels % count if count else channels):
        raise ArgumentError(
            f"{name}: groups={count} must divide the {channels} channels of x of shape {x.shape}",
            origin=origin(),
        )
    shape = (*x.shape[:place], count, channels // max(count, 1), *x.shape[place + 1 :])
    axes = tuple(k for k in range(1, len(shape)) if k != place)
    if prod(shape[k] for k in axes) < 2 and channels:
        raise ShapeError(
            f"{name}: x of shape {x.shape} has {prod(shape[k] for k in axes)} elements per "
            f"{'channel' if groups is None else 'group'}, at least 2 needed",
            origin=origin(),
        )
    normal = _normal(widened(x).reshape(shape), axes, eps).reshape(x.shape)
    return match_dtype(_affine(normal, *parameters, channel), x.dtype)


def _normal(x: LazyArray, axes: tuple[int, ...], eps: float) -> LazyArray:
    """Return ``(x - mean(x)) / sqrt(var(x) + eps)`` over some axes."""
    mean = moments.mean(x, axis=axes, keepdims=True)
    variance = moments.var(x, axis=axes, keepdims=True)
    return as_lazy((x - mean) / FUNCTIONS["sqrt"](variance + eps))


record_functions(globals(), __all__)
