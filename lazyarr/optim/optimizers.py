"""Optimisers: functions from gradients, state and parameters to the next parameters and state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.optim.packing import Packed
from lazyarr.optim.trees import Tree, leaves_like, parameters_of, rebuild, widened, zeros_of
from lazyarr.tracing import recorded

__all__ = ["Optimizer", "adam", "adamw", "rmsprop", "sgd"]

#: A number, which may be an array without axes: an argument of a traced function, for example.
Number = float | LazyArray | np.ndarray[Any, Any]
#: Numbers, or functions of the number of updates done before.
Rate = Number | Callable[[Any], Any]

#: What an optimiser remembers: the number of updates, and trees like the parameters.
State = dict[str, Any]


class _Rule(Protocol):
    """The update of one parameter."""

    def __call__(
        self, gradient: LazyArray, parameter: LazyArray, slots: Sequence[LazyArray], step: Step, /
    ) -> tuple[Any, Sequence[Any]]:
        """Return the number to subtract from the parameter, and the parameter's next slots."""


class Step:
    """One update: its number and the learning rate, in the dtype of each parameter.

    Parameters
    ----------
    count : LazyArray
        Updates done before, an integer without axes.
    rate : float or callable
        The learning rate.
    """

    def __init__(self, count: LazyArray, rate: Rate) -> None:
        self.count = count
        self._rate = rate(count) if callable(rate) else rate
        self._known: dict[Any, LazyArray] = {}

    def rate(self, like: LazyArray) -> Any:
        """Return the learning rate, which takes part in a parameter's dtype."""
        return _like(self._rate, like)

    def correction(self, decay: Any, like: LazyArray) -> LazyArray:
        """Return ``1 - decay**t`` for update t, counted from 1.

        Parameters
        ----------
        decay : float or LazyArray
            Factor of the running mean, in [0, 1).
        like : LazyArray
            The parameter, for its dtype.

        Returns
        -------
        LazyArray
            Without axes: the sum of the weights of a running mean that begins at zero (Kingma,
            Ba: Adam, 2015, section 3).
        """
        key = id(decay), like.dtype
        if key not in self._known:
            power = FUNCTIONS["power"](decay, (self.count + 1).astype(np.float64))
            self._known[key] = as_lazy(1 - power).astype(like.dtype)
        return self._known[key]


@dataclass(frozen=True, slots=True)
class Optimizer:
    """A pair of functions without a state of their own.

    Attributes
    ----------
    init : callable
        ``init(parameters)`` returns the state before the first update: a dictionary of the number
        of updates, "step", and of trees like the parameters. Float16 parameters have float32
        there.
    update : callable
        ``update(gradients, state, parameters)`` returns the next parameters and the next state.
        Inside :func:`lazyarr.jit` it is part of the compiled step; called by itself it returns
        expressions, to be evaluated together.
    """

    init: Callable[[Tree], State]
    update: Callable[[Tree, Mapping[str, Any], Tree], tuple[Tree, State]]


def _optimizer(names: Sequence[str], rate: Rate, rule: _Rule) -> Optimizer:
    """Return the optimiser that applies a rule to each parameter.

    Parameters
    ----------
    names : sequence of str
        Of the trees that it remembers.
    rate : float or callable
        The learning rate.
    rule : callable
        The update of one parameter.
    """
    if not callable(rate):
        rate = _not_negative(rate, "learning_rate")

    def init(parameters: Tree) -> State:
        return {
            "step": np.zeros((), np.int64),
            **{name: zeros_of(parameters) for name in names},
        }

    @recorded
    def update(gradients: Tree, state: Mapping[str, Any], parameters: Tree) -> tuple[Tree, State]:
        missing = {"step", *names} - set(state)
        if missing:
            raise ArgumentError(
                f"the state has no {sorted(missing)}: it belongs to another optimiser",
                origin=origin(),
            )
        if isinstance(parameters, Packed) and not isinstance(gradients, Packed):
            gradients = parameters.packed_like(gradients)
        arrays, structure = parameters_of(parameters)
        slopes = leaves_like(gradients, "gradients", arrays, structure)
        slots = [leaves_like(state[name], name, arrays, structure) for name in names]
        count = as_lazy(state["step"])
        step = Step(count, rate)
        values: list[LazyArray] = []
        later: list[Sequence[Any]] = []
        for array, slope, *own in zip(arrays, slopes, *slots, strict=True):
            wide = widened(array)
            change, after = rule(slope.astype(wide.dtype), wide, own, step)
            values.append(as_lazy(wide - change).astype(array.dtype))
            later.append(after)
        trees = (rebuild(structure, column) for column in zip(*later, strict=True))
        following = {name: state[name] for name in names}
        if arrays:
            following = dict(zip(names, trees, strict=True))
        # In the order of `init`: to a traced function, another order is another structure.
        return rebuild(structure, values), {"step": count + 1, **following}

    return Optimizer(init, update)


def _number(value: Any, name: str) -> Any:
    """Return a Python number, or a LazyArray without axes.

    Raises
    ------
    ArgumentError
        If the value has axes.
    """
    if isinstance(value, (LazyArray, np.ndarray, np.generic)):
        if value.shape:
            raise ArgumentError(
                f"{name} must be a number, got an array of shape {value.shape}", origin=origin()
            )
        return value if isinstance(value, LazyArray) else value.item()
    return value


def _like(value: Any, like: LazyArray) -> Any:
    """Return a number that takes part in a parameter's dtype."""
    return value.astype(like.dtype) if isinstance(value, LazyArray) else value


def _is_zero(value: Any) -> bool:
    """Return whether a number is known to be zero."""
    return not isinstance(value, LazyArray) and not value


def _not_negative(value: Any, name: str) -> Any:
    """Return a number, which is checked unless it is a LazyArray, whose value may not be known."""
    value = _number(value, name)
    if not isinstance(value, LazyArray) and not value >= 0:
        raise ArgumentError(f"{name} must not be negative, got {value}", origin=origin())
    return value


def _decay(value: Any, name: str) -> Any:
    """Return a number, which is checked unless it is a LazyArray, whose value may not be known."""
    value = _number(value, name)
    if not isinstance(value, LazyArray) and not 0 <= value < 1:
        raise ArgumentError(f"{name} must lie in [0, 1), got {value}", origin=origin())
    return value


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
    factor = _decay(momentum, "momentum")
    penalty = _not_negative(weight_decay, "weight_decay")
    is_plain = _is_zero(factor)
    if nesterov and is_plain:
        raise ArgumentError("nesterov=True needs a positive momentum", origin=origin())

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        slope: Any = g if _is_zero(penalty) else g + _like(penalty, p) * p
        if is_plain:
            return step.rate(p) * slope, ()
        kept = _like(factor, p)
        velocity = kept * slots[0] + slope
        ahead = slope + kept * velocity if nesterov else velocity
        return step.rate(p) * ahead, (velocity,)

    return _optimizer(() if is_plain else ("velocity",), learning_rate, rule)


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
    kept, factor = _decay(decay, "decay"), _decay(momentum, "momentum")
    least = _not_negative(eps, "eps")
    has_momentum = not _is_zero(factor)
    names = ("square", *(("mean",) if centered else ()), *(("velocity",) if has_momentum else ()))

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        known = dict(zip(names, slots, strict=True))
        share = _like(kept, p)
        square = share * known["square"] + (1 - share) * (g * g)
        after = [square]
        spread: Any = square
        if centered:
            mean = share * known["mean"] + (1 - share) * g
            after.append(mean)
            spread = square - mean * mean
        change = g / (FUNCTIONS["sqrt"](spread) + _like(least, p))
        if has_momentum:
            change = _like(factor, p) * known["velocity"] + change
            after.append(change)
        return step.rate(p) * change, after

    return _optimizer(names, learning_rate, rule)


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
    return _adam(learning_rate, beta1, beta2, eps, _not_negative(weight_decay, "weight_decay"), 0)


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
    return _adam(learning_rate, beta1, beta2, eps, 0, _not_negative(weight_decay, "weight_decay"))


def _adam(
    learning_rate: Rate, beta1: Any, beta2: Any, eps: Any, penalty: Any, shrinkage: Any
) -> Optimizer:
    beta1, beta2 = _decay(beta1, "beta1"), _decay(beta2, "beta2")
    least = _not_negative(eps, "eps")

    def rule(
        g: LazyArray, p: LazyArray, slots: Sequence[LazyArray], step: Step
    ) -> tuple[Any, Sequence[Any]]:
        slope: Any = g if _is_zero(penalty) else g + _like(penalty, p) * p
        first, second = _like(beta1, p), _like(beta2, p)
        mean = first * slots[0] + (1 - first) * slope
        square = second * slots[1] + (1 - second) * (slope * slope)
        root = FUNCTIONS["sqrt"](square / step.correction(beta2, p))
        change = mean / step.correction(beta1, p) / (root + _like(least, p))
        if not _is_zero(shrinkage):
            change = change + _like(shrinkage, p) * p
        return step.rate(p) * change, (mean, square)

    return _optimizer(("mean", "square"), learning_rate, rule)
