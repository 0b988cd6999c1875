"""Rules of optimisers: the update of one parameter, applied to all in one kernel for each dtype."""

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

__all__ = [
    "Number",
    "Optimizer",
    "Rate",
    "State",
    "Step",
    "decay_of",
    "in_dtype_of",
    "is_zero",
    "not_negative",
    "optimizer_of",
]

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
        return in_dtype_of(self._rate, like)

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


def optimizer_of(names: Sequence[str], rate: Rate, rule: _Rule) -> Optimizer:
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
        rate = not_negative(rate, "learning_rate")

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


def in_dtype_of(value: Any, like: LazyArray) -> Any:
    """Return a number that takes part in a parameter's dtype.

    Parameters
    ----------
    value : float or LazyArray
        Without axes.
    like : LazyArray
        The parameter.
    """
    return value.astype(like.dtype) if isinstance(value, LazyArray) else value


def is_zero(value: Any) -> bool:
    """Return whether a number is known to be zero."""
    return not isinstance(value, LazyArray) and not value


def not_negative(value: Any, name: str) -> Any:
    """Return a number, which is checked unless it is a LazyArray, whose value may not be known.

    Parameters
    ----------
    value : float or array_like
        Without axes.
    name : str
        The argument's name in messages.

    Raises
    ------
    ArgumentError
        If it has axes, or is negative.
    """
    value = _number(value, name)
    if not isinstance(value, LazyArray) and not value >= 0:
        raise ArgumentError(f"{name} must not be negative, got {value}", origin=origin())
    return value


def decay_of(value: Any, name: str) -> Any:
    """Return a number, which is checked unless it is a LazyArray, whose value may not be known.

    Parameters
    ----------
    value : float or array_like
        Without axes.
    name : str
        The argument's name in messages.

    Raises
    ------
    ArgumentError
        If it has axes, or does not lie in [0, 1).
    """
    value = _number(value, name)
    if not isinstance(value, LazyArray) and not 0 <= value < 1:
        raise ArgumentError(f"{name} must lie in [0, 1), got {value}", origin=origin())
    return value
