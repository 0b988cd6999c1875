"""Activation functions that are bounded or straight in pieces, and gates; each keeps its dtype."""

from __future__ import annotations

from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.nn.activations import sigmoid
from lazyarr.nn.arguments import axes_of, expect_shape, inexact, match_dtype, widened
from lazyarr.numpy_api.selection import where
from lazyarr.tracing import record_functions

__all__ = ["glu", "hard_sigmoid", "hard_swish", "hard_tanh", "prelu", "relu6"]


def relu6(x: Any) -> LazyArray:
    """Return ``min(max(x, 0), 6)``.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; NaN stays NaN.

    Notes
    -----
    Its derivative at 0 and at 6 is 0.

    References
    ----------
    Howard, Zhu, Chen, Kalenichenko, Wang, Weyand, Andreetto, Adam: MobileNets, 2017.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.relu6([-1.0, 2.0, 8.0]).compute()
    array([0., 2., 6.])
    """
    return _between(inexact(x, "relu6"), 0, 6)


def hard_tanh(x: Any, low: float = -1.0, high: float = 1.0) -> LazyArray:
    """Return ``min(max(x, low), high)``.

    Parameters
    ----------
    x : array_like
        Of any shape.
    low, high : float
        The smallest and the largest result.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; NaN stays NaN.

    Raises
    ------
    ArgumentError
        If `low` is not less than `high`.

    Notes
    -----
    Its derivative at `low` and `high` is 0; that of :func:`lazyarr.clip` is a half.

    References
    ----------
    Collobert: Large scale machine learning, 2004.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.hard_tanh([-3.0, 0.5, 2.0]).compute()
    array([-1. ,  0.5,  1. ])
    """
    if not low < high:
        raise ArgumentError(f"low={low} must be less than high={high}", origin=origin())
    return _between(inexact(x, "hard_tanh"), low, high)


def hard_sigmoid(x: Any) -> LazyArray:
    """Return ``relu6(x + 3) / 6``.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; NaN stays NaN.

    References
    ----------
    Courbariaux, Bengio, David: BinaryConnect, 2015; with the slope of Howard et al.: Searching for
    MobileNetV3, 2019.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.hard_sigmoid([-3.0, 0.0, 1.5]).compute()
    array([0.  , 0.5 , 0.75])
    """
    array = inexact(x, "hard_sigmoid")
    return match_dtype(_slope(widened(array)), array.dtype)


def hard_swish(x: Any) -> LazyArray:
    """Return ``x * relu6(x + 3) / 6``.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; 0 for -inf, and NaN stays NaN.

    References
    ----------
    Howard, Sandler, Chu, Chen, Chen, Tan, Wang, Zhu, Pang, Vasudevan, Le, Adam: Searching for
    MobileNetV3, 2019.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.hard_swish([-3.0, 1.0, 4.0]).compute().round(4)
    array([0.    , 0.6667, 4.    ])
    """
    array = inexact(x, "hard_swish")
    wide = widened(array)
    return match_dtype(as_lazy(where(wide <= -3, 0, wide) * _slope(wide)), array.dtype)


def prelu(x: Any, weight: Any, *, axis: int = 1) -> LazyArray:
    """Return `x` where it is positive, and ``weight * x`` elsewhere.

    Parameters
    ----------
    x : array_like
        Of any shape.
    weight : array_like
        A parameter: one number, or one for each channel, of shape (channels,).
    axis : int
        The axis of the channels, for more than one number.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    Raises
    ------
    ShapeError
        If there is another number of weights than of channels.

    Notes
    -----
    Its derivative at 0 is the weight.

    References
    ----------
    He, Zhang, Ren, Sun: Delving deep into rectifiers, 2015.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.prelu([[-1.0, -1.0, 2.0]], [0.5, 0.25, 0.25]).compute()
    array([[-0.5 , -0.25,  2.  ]])
    """
    array, slopes = inexact(x, "prelu"), inexact(weight, "prelu")
    if slopes.size != 1 or slopes.ndim > 1:
        (channel,) = axes_of(axis, array.ndim)
        expect_shape(slopes, array.shape[channel : channel + 1], "weight", "one for each channel")
        slopes = slopes.reshape((-1,) + (1,) * (array.ndim - 1 - channel))
    else:
        slopes = slopes.reshape(())
    return as_lazy(where(array > 0, array, slopes.astype(array.dtype) * array))


def glu(x: Any, axis: int = -1) -> LazyArray:
    """Return ``a * sigmoid(b)``, where `a` and `b` are the halves of `x` along an axis.

    Parameters
    ----------
    x : array_like
        Of any shape with an even number of elements along `axis`.
    axis : int
        The axis that is divided.

    Returns
    -------
    LazyArray
        Of the dtype of `x`, and half as long along `axis`; float16 and bfloat16 are computed in
        float32.

    Raises
    ------
    ShapeError
        If the number of elements is odd.

    References
    ----------
    Dauphin, Fan, Auli, Grangier: Language modeling with gated convolutional networks, 2017.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.glu([3.0, 5.0, 0.0, 1000.0]).compute()
    array([1.5, 5. ])
    """
    array = inexact(x, "glu")
    (place,) = axes_of(axis, array.ndim)
    half, odd = divmod(array.shape[place], 2)
    if odd:
        raise ShapeError(
            f"glu: axis {place} of x of shape {array.shape} has an odd number of elements",
            origin=origin(),
        )
    wide, every = widened(array), (slice(None),) * place
    values, gates = as_lazy(wide[(*every, slice(half))]), as_lazy(wide[(*every, slice(half, None))])
    return match_dtype(as_lazy(values * sigmoid(gates)), array.dtype)


def _between(x: LazyArray, low: float, high: float) -> LazyArray:
    """Return `x` limited to an interval, with derivative 0 at its ends."""
    return as_lazy(where(x <= low, low, where(x >= high, high, x)))


def _slope(x: LazyArray) -> LazyArray:
    return as_lazy(_between(as_lazy(x + 3), 0, 6) / 6)


record_functions(globals(), __all__)
