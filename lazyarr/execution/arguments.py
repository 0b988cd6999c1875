"""Arguments of kernels: symbolic in a plan, bound to the addresses and scalars of one run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from lazyarr.codegen.launch import Number, Scalar
from lazyarr.core import tuning
from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import Origin
from lazyarr.graph.node import Kind, Leaf, Node, part_dtype
from lazyarr.passes.canonicalize import Bindings

__all__ = [
    "ArgumentTemplate",
    "Bases",
    "ScalarValue",
    "UserLines",
    "bind",
    "bind_scalars",
    "constant_of",
    "converter",
    "is_leaf",
    "make_template",
    "memory_of",
    "position_of",
    "scalar_of",
]

Array = np.ndarray[Any, Any]
#: A scalar of a run: a Python number; of a complex one, its real and its imaginary part.
ScalarValue: TypeAlias = Any
#: The symbolic arguments of a target.
ArgumentT = TypeVar("ArgumentT")


@dataclass(frozen=True, eq=False, slots=True)
class ArgumentTemplate:
    """The arguments of one launch, as far as they are the same in every run.

    Attributes
    ----------
    values : list
        One a parameter; 0 where a run puts an address or a scalar.
    addresses : tuple of (int, int, int)
        Position of an argument, the base that it points into, and an offset in bytes.
    scalars : tuple of (int, int)
        Position of an argument, and which scalar it is.
    parts : tuple of (int, int, int)
        Position of an argument, which complex scalar it is of, and which part of that.
    """

    values: list[Any]
    addresses: tuple[tuple[int, int, int], ...]
    scalars: tuple[tuple[int, int], ...]
    parts: tuple[tuple[int, int, int], ...]


def bind(
    template: ArgumentTemplate,
    addresses: Sequence[Any] | Mapping[int, Any],
    scalars: Sequence[ScalarValue],
) -> list[Any]:
    """Return the arguments of a launch for one run.

    Parameters
    ----------
    template : ArgumentTemplate
        Of the launch.
    addresses : sequence or mapping
        Where each base lies: integers, or whatever an offset can be added to.
    scalars : sequence
        The values of the scalars.
    """
    arguments = bind_scalars(template, scalars)
    for position, base, offset in template.addresses:
        arguments[position] = addresses[base] + offset
    return arguments


def bind_scalars(template: ArgumentTemplate, scalars: Sequence[ScalarValue]) -> list[Any]:
    """Return the arguments of a launch, with 0 for each address.

    Parameters
    ----------
    template : ArgumentTemplate
        Of the launch.
    scalars : sequence
        The values of the scalars.
    """
    arguments = template.values.copy()
    for position, index in template.scalars:
        arguments[position] = scalars[index]
    for position, index, part in template.parts:
        arguments[position] = scalars[index][part]
    return arguments


def make_template(
    arguments: Sequence[ArgumentT], place: Callable[[ArgumentT], tuple[int, int]]
) -> ArgumentTemplate:
    """Return the template of a launch.

    Parameters
    ----------
    arguments : sequence of Argument
        As lowering made them.
    place : callable
        Returns the base and the offset in bytes of an argument that is an address.
    """
    values: list[Any] = []
    addresses: list[tuple[int, int, int]] = []
    scalars: list[tuple[int, int]] = []
    parts: list[tuple[int, int, int]] = []
    for position, argument in enumerate(arguments):
        values.append(0)
        match argument:
            case Number(value):
                values[position] = value
            case Scalar(node, part) if kind_of(node.dtype) == "c":
                parts.append((position, position_of(node), part))
            case Scalar(node):
                scalars.append((position, position_of(node)))
            case _:
                addresses.append((position, *place(argument)))
    return ArgumentTemplate(values, tuple(addresses), tuple(scalars), tuple(parts))


class Bases:
    """The numbers of the addresses that a run binds.

    First come the leaves, then the plan's buffers, its scratch memory, the memory for what kernels
    report, and counters that are 0.

    Parameters
    ----------
    leaf_count : int
        How many leaves the user's expression has.
    buffer_count : int
        How many buffers the plan has.
    home : mapping of Node to int
        Which buffer a stored value lies in.
    """

    __slots__ = ("counters", "home", "leaf_count", "scratch", "status")

    def __init__(self, leaf_count: int, buffer_count: int, home: Mapping[Node, int]) -> None:
        self.leaf_count = leaf_count
        self.home = home
        self.scratch = leaf_count + buffer_count
        self.status = self.scratch + 1
        self.counters = self.scratch + 2

    def of(self, owner: Node) -> int:
        """Return the number of the memory of a leaf or of a stored value."""
        if is_leaf(owner):
            return position_of(owner)
        return self.leaf_count + self.home[owner]


class UserLines:
    """The user's lines that built the nodes of a plan.

    Parameters
    ----------
    positions : mapping of Node to int
        Which of the user's nodes, by position, a placeholder stands for.
    """

    __slots__ = ("positions",)

    def __init__(self, positions: Mapping[Node, int]) -> None:
        self.positions = positions

    def of(self, bindings: Bindings, node: Node) -> Origin | None:
        """Return the line that built a node of the plan, in the expression that is evaluated.

        Parameters
        ----------
        bindings : Bindings
            Those of the evaluation, whose expression has the lines.
        node : Node
            A node of the plan.

        Returns
        -------
        tuple of (str, int) or None
            File and line.
        """
        position = self.positions.get(node)
        return node.origin if position is None else bindings.origin(position)


def is_leaf(node: Node) -> bool:
    """Return whether a node stands for one of the user's arrays."""
    return (
        node.op.kind is Kind.PARAMETER and isinstance(node.attr, tuple) and (node.attr[0] == "leaf")
    )


def position_of(node: Node) -> int:
    """Return the position of the leaf or scalar that a parameter stands for."""
    assert isinstance(node.attr, tuple)
    position: int = node.attr[1]
    return position


def memory_of(leaf: Node) -> Leaf:
    """Return the array of a leaf."""
    assert isinstance(leaf.attr, Leaf)
    return leaf.attr


_scalars: dict[tuple[object, object], ScalarValue] = {}


def scalar_of(node: Node) -> ScalarValue:
    """Return a constant's value as a Python number; of a complex one, both parts."""
    key = (node.dtype, node.attr)
    value = _scalars.get(key)
    if value is None:
        assert isinstance(node.attr, bytes)
        if len(_scalars) >= tuning.OF_MACHINE.constants:
            _scalars.clear()
        parts = np.frombuffer(node.attr, part_dtype(node.dtype)).tolist()
        value = _scalars[key] = tuple(parts) if kind_of(node.dtype) == "c" else parts[0]
    return value


def constant_of(bindings: Bindings, node: Node) -> Array:
    """Return the value of a constant, or of the scalar that a parameter stands for.

    Parameters
    ----------
    bindings : Bindings
        Those of the evaluation.
    node : Node
        A constant, or a parameter for a scalar.

    Returns
    -------
    numpy.ndarray
        Of shape ().
    """
    if node.op.kind is Kind.PARAMETER:
        node = bindings.scalars[position_of(node)]
    assert isinstance(node.attr, bytes) and not isinstance(node.attr, Leaf)
    return np.frombuffer(node.attr, node.dtype).reshape(())


#: From here on numbers round to infinity in single precision.
_SINGLE_LIMIT = float(np.finfo(np.float32).max) + 2.0**103


def _single(value: Any) -> float:
    """Return a number that single precision can represent, infinite if it overflows."""
    number = float(value)
    if -_SINGLE_LIMIT < number < _SINGLE_LIMIT or number != number:
        return number
    return math.copysign(math.inf, number)


def converter(kind: type, dtype: np.dtype[Any]) -> Callable[[Any], Any] | None:
    """Return the conversion of a Python number to a kernel's scalar argument; None: there is none.

    Parameters
    ----------
    kind : type
        bool, int or float.
    dtype : numpy.dtype
        Of the scalar parameter.
    """
    if kind is complex or kind_of(dtype) not in "biuf" or is_narrow(dtype):
        return None
    if kind_of(dtype) == "b":
        return bool if kind is bool else None
    if kind_of(dtype) == "f":
        return float if dtype.itemsize == 8 else _single
    if kind is float:
        return None
    limits = np.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)

    def fit(value: int) -> int:
        if low <= value <= high:
            return int(value)
        raise OverflowError(f"Python integer {value} out of bounds for {dtype}")

    return fit
