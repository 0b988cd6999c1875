"""Activation functions, elementwise; each keeps the dtype of its input."""

from __future__ import annotations

import math
from typing import Any

from lazyarr import special
from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.nn.arguments import inexact, match_dtype, widened
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.numpy_api.selection import where
from lazyarr.tracing import record_functions

__all__ = [
    "celu",
    "elu",
    "gelu",
    "leaky_relu",
    "log_sigmoid",
    "mish",
    "relu",
    "selu",
    "sigmoid",
    "silu",
    "softplus",
    "softsign",
]

#: Limit and scale of :func:`selu`, by formula 14 of Klambauer et al.: a standard normal variable
#: keeps its mean and variance.
_TAIL = math.erfc(math.sqrt(0.5)) * math.sqrt(math.e)
_SELU_ALPHA = math.sqrt(2 / math.pi) / (1 - _TAIL)
_SELU_SCALE = (
    (1 - _TAIL)
    * math.sqrt(2 * math.pi)
    / math.sqrt(
        2 * math.erfc(math.sqrt(2)) * math.e**2
        + math.pi * _TAIL**2
        - 2 * (2 + math.pi) * _TAIL
        + math.pi
        + 2
    )
)


def relu(x: Any) -> LazyArray:
    """Return ``max(x, 0)``.

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
    Its derivative at 0 is 0.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.relu([-1.0, 2.0]).compute()
    array([0., 2.])
    """
    array = inexact(x, "relu")
    return as_lazy(where(array <= 0, 0, array))


def leaky_relu(x: Any, negative_slope: float = 0.01) -> LazyArray:
    """Return `x` where it is positive, and ``negative_slope * x`` elsewhere.

    Parameters
    ----------
    x : array_like
        Of any shape.
    negative_slope : float
        Also the derivative at 0.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    References
    ----------
    Maas, Hannun, Ng: Rectifier nonlinearities improve neural network acoustic models, 2013.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.leaky_relu([-1.0, 2.0]).compute()
    array([-0.01,  2.  ])
    """
    array = inexact(x, "leaky_relu")
    return as_lazy(where(array > 0, array, negative_slope * array))


def elu(x: Any, alpha: float = 1.0) -> LazyArray:
    """Return `x` where it is positive, and ``alpha * expm1(x)`` elsewhere.

    Parameters
    ----------
    x : array_like
        Of any shape.
    alpha : float
        The limit for large negative numbers is ``-alpha``.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    References
    ----------
    Clevert, Unterthiner, Hochreiter: Fast and accurate deep network learning by exponential
    linear units, 2016.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.elu([0.0, 2.0]).compute()
    array([0., 2.])
    """
    array = inexact(x, "elu")
    # The exponential of a large positive number would overflow, and its gradient be NaN.
    bent = alpha * FUNCTIONS["expm1"](where(array > 0, 0, array))
    return as_lazy(where(array > 0, array, bent))


def gelu(x: Any, approximate: str = "none") -> LazyArray:
    """Return ``x * P(X <= x)`` of a standard normal variable X.

    Parameters
    ----------
    x : array_like
        Of any shape.
    approximate : {"none", "tanh"}
        "none": ``x * erfc(-x / sqrt(2)) / 2``, which stays accurate for large negative numbers,
        where ``1 + erf(x / sqrt(2))`` cancels. "tanh":
        ``x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    Raises
    ------
    ArgumentError
        If `approximate` is something else.

    References
    ----------
    Hendrycks, Gimpel: Gaussian error linear units, 2016.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.gelu([0.0, 1.0]).compute().round(4)
    array([0.    , 0.8413])
    """
    array = inexact(x, "gelu")
    if approximate == "none":
        tail = special.__dict__["erfc"](array * -math.sqrt(0.5))
        return match_dtype(0.5 * array * tail, array.dtype)
    if approximate == "tanh":
        # (1 + tanh(u)) / 2 is the logistic function of 2 u, which does not cancel for u < 0.
        wide = widened(array)
        inner = wide + 0.044715 * (wide * wide * wide)
        product = wide * sigmoid(2 * math.sqrt(2 / math.pi) * inner)
        return match_dtype(as_lazy(product), array.dtype)
    raise ArgumentError(
        f"approximate must be 'none' or 'tanh', got {approximate!r}", origin=origin()
    )


def sigmoid(x: Any) -> LazyArray:
    """Return the logistic function, ``1 / (1 + exp(-x))``, without overflow.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.sigmoid([-1e4, 0.0]).compute()
    array([0. , 0.5])
    """
    array = inexact(x, "sigmoid")
    return match_dtype(special.__dict__["expit"](array), array.dtype)


def log_sigmoid(x: Any) -> LazyArray:
    """Return ``log(sigmoid(x))``: ``-log(1 + exp(-x))``, without overflow or cancellation.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.log_sigmoid([-1000.0]).compute()
    array([-1000.])
    """
    array = inexact(x, "log_sigmoid")
    return as_lazy(-FUNCTIONS["logaddexp"](-array, 0))


def silu(x: Any) -> LazyArray:
    """Return ``x * sigmoid(x)``, also known as swish.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    References
    ----------
    Elfwing, Uchibe, Doya: Sigmoid-weighted linear units for neural network function
    approximation in reinforcement learning, 2017.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.silu([0.0, 1.0]).compute().round(4)
    array([0.    , 0.7311])
    """
    array = inexact(x, "silu")
    wide = widened(array)
    return match_dtype(as_lazy(wide * sigmoid(wide)), array.dtype)


def softplus(x: Any, beta: float = 1.0) -> LazyArray:
    """Return ``log(1 + exp(beta * x)) / beta``, without overflow.

    Parameters
    ----------
    x : array_like
        Of any shape.
    beta : float
        The larger, the closer to :func:`relu`.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    References
    ----------
    Dugas, Bengio, Bélisle, Nadeau, Garcia: Incorporating second-order functional knowledge for
    better option pricing, 2001.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.softplus([-1000.0, 0.0, 1000.0]).compute().round(4)
    array([0.000e+00, 6.931e-01, 1.000e+03])
    """
    array = inexact(x, "softplus")
    if beta == 1:
        return as_lazy(FUNCTIONS["logaddexp"](array, 0))
    return as_lazy(FUNCTIONS["logaddexp"](beta * array, 0) / beta)


def celu(x: Any, alpha: float = 1.0) -> LazyArray:
    """Return `x` where it is positive, and ``alpha * expm1(x / alpha)`` elsewhere.

    Parameters
    ----------
    x : array_like
        Of any shape.
    alpha : float
        Positive; the limit for large negative numbers is ``-alpha``.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    Raises
    ------
    ArgumentError
        If `alpha` is not positive.

    Notes
    -----
    Its derivative is continuous for every `alpha`; that of :func:`elu` is for 1 alone.

    References
    ----------
    Barron: Continuously differentiable exponential linear units, 2017.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.celu([-1000.0, 2.0], alpha=2.0).compute()
    array([-2.,  2.])
    """
    if not alpha > 0:
        raise ArgumentError(f"alpha must be positive, got {alpha}", origin=origin())
    array = inexact(x, "celu")
    bent = alpha * FUNCTIONS["expm1"](where(array > 0, 0, array) / alpha)
    return as_lazy(where(array > 0, array, bent))


def selu(x: Any) -> LazyArray:
    """Return ``scale * elu(x, alpha)``, with constants that preserve mean 0 and variance 1.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    References
    ----------
    Klambauer, Unterthiner, Mayr, Hochreiter: Self-normalizing neural networks, 2017.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.selu([-1000.0, 0.0, 1.0]).compute().round(4)
    array([-1.7581,  0.    ,  1.0507])
    """
    return as_lazy(_SELU_SCALE * elu(inexact(x, "selu"), _SELU_ALPHA))


def mish(x: Any) -> LazyArray:
    """Return ``x * tanh(softplus(x))``.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; float16 and bfloat16 are computed in float32.

    References
    ----------
    Misra: Mish, a self regularized non-monotonic activation function, 2020.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.mish([-1000.0, 0.0, 1.0]).compute().round(4)
    array([-0.    ,  0.    ,  0.8651])
    """
    array = inexact(x, "mish")
    wide = widened(array)
    gate = FUNCTIONS["tanh"](FUNCTIONS["logaddexp"](wide, 0))
    return match_dtype(as_lazy(wide * gate), array.dtype)


def softsign(x: Any) -> LazyArray:
    """Return ``x / (1 + |x|)``.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    References
    ----------
    Turian, Bergstra, Bengio: Quadratic features and deep architectures for chunking, 2009.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.softsign([-1.0, 0.0, 3.0]).compute()
    array([-0.5 ,  0.  ,  0.75])
    """
    array = inexact(x, "softsign")
    return as_lazy(array / (1 + FUNCTIONS["absolute"](array)))


record_functions(globals(), __all__)
