"""Containers of arrays: taking them apart and putting them together again."""

from __future__ import annotations

import dataclasses
import enum
import types
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from lazyarr.tracing import exact
from lazyarr.values import dataclass

__all__ = [
    "LEAF",
    "Branch",
    "Leaf",
    "Static",
    "Structure",
    "Unknown",
    "flatten",
    "static",
    "unflatten",
]


class Unknown(Exception):
    """A type that is neither leaf nor container."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """The place of a leaf."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A container.

    Attributes
    ----------
    kind : type
        Its type.
    names : tuple
        Keys of a dictionary, fields of a dataclass; empty for sequences.
    items : tuple of Structure
        What it holds.
    """

    kind: type
    names: tuple[Hashable, ...]
    items: tuple[Structure, ...]


class Static:
    """A value that is part of the structure: equal structures hold equal ones."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any, key: Hashable) -> None:
        self.value = value
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


Structure = Leaf | Branch | Static
LEAF = Leaf()

#: What never changes and holds no arrays, so that two equal ones may stand for each other.
_IMMUTABLE = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type,
    np.dtype,
    np.ufunc,
    enum.Enum,
    range,
    types.EllipsisType,
    types.FunctionType,
    types.BuiltinFunctionType,
)


def static(value: Any) -> Static:
    """Return a value as part of a structure.

    Raises
    ------
    TypeError
        If it cannot be hashed.
    """
    return Static(value, _key(value))


def _key(value: Any) -> Hashable:
    if type(value) in (tuple, frozenset):
        return type(value), type(value)(map(_key, value))
    if isinstance(value, slice):
        return slice, _key((value.start, value.stop, value.step))
    hash(value)
    key: Hashable = exact(value)
    return key


def flatten(value: Any, is_leaf: Callable[[Any], bool], leaves: list[Any]) -> Structure:
    """Take containers apart.

    Parameters
    ----------
    value : object
        Tuples, lists, dictionaries, named tuples and dataclasses of leaves, nested in any way.
    is_leaf : callable
        Whether something is a leaf.
    leaves : list
        Gets the leaves, in order.

    Raises
    ------
    Unknown
        If there is something else among them; names its type.
    """
    if is_leaf(value):
        leaves.append(value)
        return LEAF
    kind = type(value)
    if kind in (tuple, list) or (isinstance(value, tuple) and hasattr(kind, "_make")):
        return Branch(kind, (), tuple([flatten(item, is_leaf, leaves) for item in value]))
    if kind in (dict, OrderedDict):
        names = tuple([_key(name) for name in value])
        # The keys themselves are needed too: equal ones may be of different types.
        held = tuple([Static(name, key) for name, key in zip(value, names, strict=True)])
        return Branch(
            kind, held, tuple([flatten(item, is_leaf, leaves) for item in value.values()])
        )
    if isinstance(value, _IMMUTABLE) or (kind is slice):
        return static(value)
    if dataclasses.is_dataclass(value):
        fields = tuple(field.name for field in dataclasses.fields(value))
        items = [flatten(getattr(value, name), is_leaf, leaves) for name in fields]
        return Branch(kind, fields, tuple(items))
    raise Unknown(kind.__name__)


def unflatten(structure: Structure, leaves: Iterator[Any]) -> Any:
    """Put containers together, of new leaves."""
    match structure:
        case Leaf():
            return next(leaves)
        case Static():
            return structure.value
        case Branch(kind, names, items):
            values = [unflatten(item, leaves) for item in items]
            if kind in (tuple, list):
                return kind(values)
            if issubclass(kind, tuple):
                return kind._make(values)  # type: ignore[attr-defined]
            if issubclass(kind, dict):
                keys = [name.value for name in names if isinstance(name, Static)]
                return kind(zip(keys, values, strict=True))
            made = object.__new__(kind)
            for name, item in zip(names, values, strict=True):
                object.__setattr__(made, str(name), item)
            return made
