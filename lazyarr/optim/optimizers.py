"""Optimisers: functions from gradients, state and parameters to the next parameters and state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.optim.rules import (
    Number,
    Optimizer,
    Rate,
    Step,
    decay_of,
    in_dtype_of,
    is_zero,
    not_negative,
    optimizer_of,
)

__all__ = ["adam", "adamw", "rmsprop", "sgd"]


def sgd(
    learning_rate: Rate,
    *,
    momentum: Number = 0.0,
    nesterov: bool = False,
    weight_decay: Number = 0.0,
) -> Optimizer:
    """Return stochastic gradient descent: ``p - rate * v``.

    Parameters
    ----------
    learning_rate : float or callable
        A number, or a function of the number of updates done before, such as those of this
        package. This and the other numbers may also be LazyArrays without axes: arguments of a
        traced function, or values with respect to which the updates are differentiated.
    momentum : float
        Without it `v` is the gradient `g`; with it, ``v = momentum * v + g``.
    nesterov : bool
        Whether to subtract ``rate * (g + momentum * v)``, which looks ahead.
    weight_decay : float
        ``weight_decay * p`` is added to the gradient.

    Returns
    -------
    Optimizer
        That remembers "velocity", if there is momentum.

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    Polyak: Some methods of speeding up the convergence of iteration methods, 1964. Nesterov: A
    method of solving a convex programming problem with convergence rate O(1/k²), 1983, in the
    form of Sutskever, Martens, Dahl, Hinton: On the importance of initialization and momentum
    in deep learning, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.sgd(0.1)
    >>> weights = {"w": np.array([1.0, 2.0])}
    >>> state = descent.init(weights)
    >>> weights, state = la.jit(descent.update)({"w": np.ones(2)}, state, weights)
    >>> weights["w"]
    array([0.9, 1.9])
    """
    factor = decay_of(momentum, "momentum")
    penalty = not_negative(weight_decay, "weight_decay")
    is_plain = is_zero(factor)
    if nesterov and is_plain:
        raise ArgumentError("nesterov=True needs a positive momentum", origin=origin())

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        slope: Any = g if is_zero(penalty) else g + in_dtype_of(penalty, p) * p
        if is_plain:
            return step.rate(p) * slope, ()
        kept = in_dtype_of(factor, p)
        velocity = kept * slots[0] + slope
        ahead = slope + kept * velocity if nesterov else velocity
        return step.rate(p) * ahead, (velocity,)

    return optimizer_of(() if is_plain else ("velocity",), learning_rate, rule)


def rmsprop(
    learning_rate: Rate,
    *,
    decay: Number = 0.99,
    eps: Number = 1e-8,
    momentum: Number = 0.0,
    centered: bool = False,
) -> Optimizer:
    """Return RMSprop: ``p - rate * g / (sqrt(s) + eps)`` with ``s = decay * s + (1 - decay) * g²``.

    Parameters
    ----------
    learning_rate : float or callable
        As for :func:`sgd`.
    decay : float
        Of the mean square.
    eps : float
        Keeps the quotient finite.
    momentum : float
        With it, ``v = momentum * v + g / (sqrt(s) + eps)`` and ``p - rate * v``.
    centered : bool
        Whether to take the square of a running mean of `g` from `s`, which leaves a variance.

    Returns
    -------
    Optimizer
        That remembers "square", and "mean" and "velocity" where they are used.

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    Tieleman, Hinton: Lecture 6.5, Neural networks for machine learning, 2012. Graves: Generating
    sequences with recurrent neural networks, 2013 (centered).

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.rmsprop(0.1, decay=0.0, eps=0.0)
    >>> p = np.array([1.0, 2.0])
    >>> p, state = descent.update(np.array([5.0, -5.0]), descent.init(p), p)
    >>> p.compute()
    array([0.9, 2.1])
    """
    kept, factor = decay_of(decay, "decay"), decay_of(momentum, "momentum")
    least = not_negative(eps, "eps")
    has_momentum = not is_zero(factor)
    names = ("square", *(("mean",) if centered else ()), *(("velocity",) if has_momentum else ()))

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        known = dict(zip(names, slots, strict=True))
        share = in_dtype_of(kept, p)
        square = share * known["square"] + (1 - share) * (g * g)
        after = [square]
        spread: Any = square
        if centered:
            mean = share * known["mean"] + (1 - share) * g
            after.append(mean)
            spread = square - mean * mean
        change = g / (FUNCTIONS["sqrt"](spread) + in_dtype_of(least, p))
        if has_momentum:
            change = in_dtype_of(factor, p) * known["velocity"] + change
            after.append(change)
        return step.rate(p) * change, after

    return optimizer_of(names, learning_rate, rule)


def adam(
    learning_rate: Rate,
    *,
    beta1: Number = 0.9,
    beta2: Number = 0.999,
    eps: Number = 1e-8,
    weight_decay: Number = 0.0,
) -> Optimizer:
    """Return Adam: ``p - rate * m' / (sqrt(v') + eps)``.

    With ``m = beta1 * m + (1 - beta1) * g``, ``v = beta2 * v + (1 - beta2) * g²``, and both
    corrected for beginning at zero: ``m' = m / (1 - beta1**t)``, ``v' = v / (1 - beta2**t)``.

    Parameters
    ----------
    learning_rate : float or callable
        As for :func:`sgd`.
    beta1, beta2 : float
        Of the running means.
    eps : float
        Keeps the quotient finite.
    weight_decay : float
        ``weight_decay * p`` is added to the gradient; see :func:`adamw` for decay beside it.

    Returns
    -------
    Optimizer
        That remembers "mean" and "square".

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    Kingma, Ba: Adam: A method for stochastic optimization, 2015, algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.adam(0.1, eps=0.0)
    >>> p = np.array([1.0, 2.0])
    >>> p, state = descent.update(np.array([5.0, -5.0]), descent.init(p), p)
    >>> p.compute().round(12)
    array([0.9, 2.1])
    """
    return _adam(learning_rate, beta1, beta2, eps, not_negative(weight_decay, "weight_decay"), 0)


def adamw(
    learning_rate: Rate,
    *,
    beta1: Number = 0.9,
    beta2: Number = 0.999,
    eps: Number = 1e-8,
    weight_decay: Number = 0.01,
) -> Optimizer:
    """Return Adam with decoupled decay: ``p - rate * (m' / (sqrt(v') + eps) + weight_decay * p)``.

    Parameters
    ----------
    learning_rate : float or callable
        As for :func:`sgd`.
    beta1, beta2, eps : float
        As for :func:`adam`.
    weight_decay : float
        How much of the parameter is subtracted, times the learning rate.

    Returns
    -------
    Optimizer
        That remembers "mean" and "square".

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    Loshchilov, Hutter: Decoupled weight decay regularization, 2019, algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.adamw(0.1, weight_decay=0.5)
    >>> p = np.array([1.0])
    >>> p, state = descent.update(np.zeros(1), descent.init(p), p)
    >>> p.compute()
    array([0.95])
    """
    return _adam(learning_rate, beta1, beta2, eps, 0, not_negative(weight_decay, "weight_decay"))


def _adam(
    learning_rate: Rate, beta1: Any, beta2: Any, eps: Any, penalty: Any, shrinkage: Any
) -> Optimizer:
    beta1, beta2 = decay_of(beta1, "beta1"), decay_of(beta2, "beta2")
    least = not_negative(eps, "eps")

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        slope: Any = g if is_zero(penalty) else g + in_dtype_of(penalty, p) * p
        first, second = in_dtype_of(beta1, p), in_dtype_of(beta2, p)
        mean = first * slots[0] + (1 - first) * slope
        square = second * slots[1] + (1 - second) * (slope * slope)
        root = FUNCTIONS["sqrt"](square / step.correction(beta2, p))
        change = mean / step.correction(beta1, p) / (root + in_dtype_of(least, p))
        if not is_zero(shrinkage):
            change = change + in_dtype_of(shrinkage, p) * p
        return step.rate(p) * change, (mean, square)

    return optimizer_of(("mean", "square"), learning_rate, rule)
