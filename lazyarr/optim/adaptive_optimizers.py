"""Further optimisers: steps adapted to each element, to signs, or to the norm of a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.numpy_api.selection import where
from lazyarr.optim.packing import Packed
from lazyarr.optim.rules import (
    Number,
    Optimizer,
    Rate,
    State,
    Step,
    decay_of,
    in_dtype_of,
    is_zero,
    not_negative,
    optimizer_of,
)
from lazyarr.optim.trees import Tree

__all__ = ["adadelta", "adagrad", "adamax", "lamb", "lion", "radam"]


def adagrad(learning_rate: Rate, *, eps: Number = 1e-10) -> Optimizer:
    """Return Adagrad: ``p - rate * g / (sqrt(s) + eps)`` with ``s = s + g²``.

    Parameters
    ----------
    learning_rate : float or callable
        As for :func:`sgd`.
    eps : float
        Keeps the quotient finite.

    Returns
    -------
    Optimizer
        That remembers "square".

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    Duchi, Hazan, Singer: Adaptive subgradient methods for online learning and stochastic
    optimization, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.adagrad(0.1, eps=0.0)
    >>> p = np.array([1.0, 2.0])
    >>> p, state = descent.update(np.array([5.0, -5.0]), descent.init(p), p)
    >>> p.compute()
    array([0.9, 2.1])
    """
    least = not_negative(eps, "eps")

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        square = slots[0] + g * g
        change = g / (FUNCTIONS["sqrt"](square) + in_dtype_of(least, p))
        return step.rate(p) * change, (square,)

    return optimizer_of(("square",), learning_rate, rule)


def adadelta(learning_rate: Rate = 1.0, *, decay: Number = 0.9, eps: Number = 1e-6) -> Optimizer:
    """Return Adadelta: ``p - rate * d`` with ``d = sqrt(u + eps) / sqrt(s + eps) * g``.

    `s` and `u` are running means of the squares of `g` and `d`.

    Parameters
    ----------
    learning_rate : float or callable
        As for :func:`sgd`; 1 in the paper.
    decay : float
        Of the running means.
    eps : float
        Begins the first step, and keeps the quotient finite.

    Returns
    -------
    Optimizer
        That remembers "square" and "change".

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    Zeiler: Adadelta: An adaptive learning rate method, 2012, algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.adadelta(decay=0.0, eps=1.0)
    >>> p = np.array([1.0])
    >>> p, state = descent.update(np.array([0.75]), descent.init(p), p)
    >>> p.compute()
    array([0.4])
    """
    share, least = decay_of(decay, "decay"), not_negative(eps, "eps")

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        past, small = in_dtype_of(share, p), in_dtype_of(least, p)
        square = past * slots[0] + (1 - past) * (g * g)
        root = FUNCTIONS["sqrt"]
        change = root(slots[1] + small) / root(square + small) * g
        return step.rate(p) * change, (square, past * slots[1] + (1 - past) * (change * change))

    return optimizer_of(("square", "change"), learning_rate, rule)


def adamax(
    learning_rate: Rate, *, beta1: Number = 0.9, beta2: Number = 0.999, eps: Number = 1e-8
) -> Optimizer:
    """Return Adamax: ``p - rate * m' / u`` with ``u = max(beta2 * u, |g| + eps)``.

    `m'` is the corrected running mean of :func:`adam`.

    Parameters
    ----------
    learning_rate : float or callable
        As for :func:`sgd`.
    beta1, beta2 : float
        Of the running mean and of the largest gradient.
    eps : float
        Keeps the quotient finite.

    Returns
    -------
    Optimizer
        That remembers "mean" and "largest".

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    Kingma, Ba: Adam: A method for stochastic optimization, 2015, algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.adamax(0.1, eps=0.0)
    >>> p = np.array([1.0, 2.0])
    >>> p, state = descent.update(np.array([5.0, -5.0]), descent.init(p), p)
    >>> p.compute().round(12)
    array([0.9, 2.1])
    """
    beta1, beta2 = decay_of(beta1, "beta1"), decay_of(beta2, "beta2")
    least = not_negative(eps, "eps")

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        first = in_dtype_of(beta1, p)
        mean = first * slots[0] + (1 - first) * g
        size = FUNCTIONS["absolute"](g) + in_dtype_of(least, p)
        largest = FUNCTIONS["maximum"](in_dtype_of(beta2, p) * slots[1], size)
        return step.rate(p) * (mean / step.correction(beta1, p) / largest), (mean, largest)

    return optimizer_of(("mean", "largest"), learning_rate, rule)


def radam(
    learning_rate: Rate, *, beta1: Number = 0.9, beta2: Number = 0.999, eps: Number = 1e-8
) -> Optimizer:
    """Return rectified Adam: ``p - rate * r * m' / (sqrt(v') + eps)``, at first ``p - rate * m'``.

    `m'` and `v'` are those of :func:`adam`. With ``n = 2 / (1 - beta2) - 1`` and the length of the
    running mean, ``k = n - 2 * t * beta2**t / (1 - beta2**t)``,
    ``r² = (k - 4) * (k - 2) * n / ((n - 4) * (n - 2) * k)``. Up to ``k = 5`` the variance of `v'`
    is too large to divide by it.

    Parameters
    ----------
    learning_rate : float or callable
        As for :func:`sgd`.
    beta1, beta2 : float
        Of the running means.
    eps : float
        Keeps the quotient finite.

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
    Liu, Jiang, He, Chen, Liu, Gao, Han: On the variance of the adaptive learning rate and beyond,
    2020, algorithm 2; with the bound 5 of the authors' program, 4 in the paper.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.radam(0.1)
    >>> p = np.array([1.0])
    >>> p, state = descent.update(np.array([5.0]), descent.init(p), p)
    >>> p.compute()
    array([0.5])
    """
    beta1, beta2 = decay_of(beta1, "beta1"), decay_of(beta2, "beta2")
    least = not_negative(eps, "eps")

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        first, second = in_dtype_of(beta1, p), in_dtype_of(beta2, p)
        mean = first * slots[0] + (1 - first) * g
        square = second * slots[1] + (1 - second) * (g * g)
        factor, is_rectified = _rectified(step.count, beta2)
        root = FUNCTIONS["sqrt"](square / step.correction(beta2, p)) + in_dtype_of(least, p)
        divisor = where(is_rectified, root / factor.astype(p.dtype), 1)
        return step.rate(p) * (mean / step.correction(beta1, p) / divisor), (mean, square)

    return optimizer_of(("mean", "square"), learning_rate, rule)


def _rectified(count: LazyArray, beta2: Any) -> tuple[LazyArray, LazyArray]:
    """Return the factor r of :func:`radam`, 1 at first, and whether it applies.

    Parameters
    ----------
    count : LazyArray
        Updates done before.
    beta2 : float or LazyArray
        Of the running mean of squares.
    """
    time = (count + 1).astype(np.float64)  # differences of almost equal numbers follow
    power = FUNCTIONS["power"](beta2, time)
    most = 2 / (1 - beta2) - 1
    length = most - 2 * time * power / (1 - power)
    applies = as_lazy(length > 5)
    safe = where(applies, length, 5)
    ratio = (safe - 4) * (safe - 2) * most / (safe * ((most - 4) * (most - 2)))
    return as_lazy(FUNCTIONS["sqrt"](where(applies, ratio, 1))), applies


def lion(
    learning_rate: Rate,
    *,
    beta1: Number = 0.9,
    beta2: Number = 0.99,
    weight_decay: Number = 0.0,
) -> Optimizer:
    """Return Lion: ``p - rate * (sign(beta1 * m + (1 - beta1) * g) + weight_decay * p)``.

    Afterwards ``m = beta2 * m + (1 - beta2) * g``.

    Parameters
    ----------
    learning_rate : float or callable
        As for :func:`sgd`; a third to a tenth of that of :func:`adamw`.
    beta1, beta2 : float
        Of the mean whose sign is taken, and of the one that is remembered.
    weight_decay : float
        How much of the parameter is subtracted, times the learning rate.

    Returns
    -------
    Optimizer
        That remembers "mean".

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    Chen, Liang, Huang, Real, Wang, Liu, Pham, Dong, Luong, Hsieh, Lu, Le: Symbolic discovery of
    optimization algorithms, 2023, algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.lion(0.1)
    >>> p = np.array([1.0, 2.0, 3.0])
    >>> p, state = descent.update(np.array([5.0, -5.0, 0.0]), descent.init(p), p)
    >>> p.compute()
    array([0.9, 2.1, 3. ])
    """
    beta1, beta2 = decay_of(beta1, "beta1"), decay_of(beta2, "beta2")
    shrinkage = not_negative(weight_decay, "weight_decay")

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        first, second = in_dtype_of(beta1, p), in_dtype_of(beta2, p)
        change = FUNCTIONS["sign"](first * slots[0] + (1 - first) * g)
        if not is_zero(shrinkage):
            change = change + in_dtype_of(shrinkage, p) * p
        return step.rate(p) * change, (second * slots[0] + (1 - second) * g,)

    return optimizer_of(("mean",), learning_rate, rule)


def lamb(
    learning_rate: Rate,
    *,
    beta1: Number = 0.9,
    beta2: Number = 0.999,
    eps: Number = 1e-6,
    weight_decay: Number = 0.0,
) -> Optimizer:
    """Return LAMB: ``p - rate * norm(p) / norm(u) * u`` for each array of the parameters.

    ``u = m' / (sqrt(v') + eps) + weight_decay * p``, with `m'` and `v'` of :func:`adam`. Where a
    norm is 0, ``p - rate * u``.

    Parameters
    ----------
    learning_rate : float or callable
        As for :func:`sgd`.
    beta1, beta2, eps : float
        As for :func:`adam`.
    weight_decay : float
        How much of the parameter `u` contains.

    Returns
    -------
    Optimizer
        That remembers "mean" and "square". It takes no packed parameters, which have one norm.

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    You, Li, Reddi, Hseu, Kumar, Bhojanapalli, Song, Demmel, Keutzer, Hsieh: Large batch
    optimization for deep learning, 2020, algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> descent = la.optim.lamb(0.1, eps=0.0)
    >>> p = np.array([3.0, 4.0])
    >>> p, state = descent.update(np.array([7.0, 0.0]), descent.init(p), p)
    >>> p.compute().round(12)
    array([2.5, 4. ])
    """
    beta1, beta2 = decay_of(beta1, "beta1"), decay_of(beta2, "beta2")
    least = not_negative(eps, "eps")
    shrinkage = not_negative(weight_decay, "weight_decay")

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        first, second = in_dtype_of(beta1, p), in_dtype_of(beta2, p)
        mean = first * slots[0] + (1 - first) * g
        square = second * slots[1] + (1 - second) * (g * g)
        root = FUNCTIONS["sqrt"](square / step.correction(beta2, p)) + in_dtype_of(least, p)
        # Nothing over nothing, of a gradient that has always been 0, would be NaN with eps=0.
        change = mean / step.correction(beta1, p) / where(root == 0, 1, root)
        if not is_zero(shrinkage):
            change = change + in_dtype_of(shrinkage, p) * p
        own, other = (FUNCTIONS["sqrt"](reductions.sum(x * x)) for x in (p, change))
        moves = (own > 0) & (other > 0)
        trust = where(moves, own / where(moves, other, 1), 1)
        return step.rate(p) * (trust * change), (mean, square)

    each = optimizer_of(("mean", "square"), learning_rate, rule)

    def init(parameters: Tree) -> State:
        _refuse_packed(parameters)
        return each.init(parameters)

    def update(gradients: Tree, state: Mapping[str, Any], parameters: Tree) -> tuple[Tree, State]:
        _refuse_packed(parameters)
        return each.update(gradients, state, parameters)

    return Optimizer(init, update)


def _refuse_packed(parameters: Tree) -> None:
    """Raise ArgumentError if the arrays of parameters have no norms of their own."""
    if isinstance(parameters, Packed):
        raise ArgumentError(
            "lamb scales each array by its norm, and packed parameters are one array",
            origin=origin(),
            hint="pass the parameters without lazyarr.optim.pack",
        )
