"""Containers of arrays, flattened to leaves and a structure, and rebuilt from these."""

from __future__ import annotations

import dataclasses
import enum
import itertools
import types
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.tracing import Symbol, exact

__all__ = [
    "LEAF",
    "NUMBERS",
    "Branch",
    "Constant",
    "Place",
    "Static",
    "Structure",
    "Unknown",
    "arranged",
    "describe",
    "flatten",
    "flatten_arrays",
    "is_array",
    "static",
    "unflatten",
]


class Unknown(Exception):
    """A type that is neither leaf nor container."""


@dataclass(frozen=True, slots=True)
class Place:
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


Structure = Place | Branch | Static
LEAF = Place()


class Constant:
    """Base of immutable, hashable classes that are part of the structure."""

    __slots__ = ()


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
    Constant,
)


NUMBERS = frozenset((bool, int, float, complex))
_ARRAY_PROTOCOLS = (
    "__array__",
    "__array_interface__",
    "__cuda_array_interface__",
    "__dlpack__",
)


def is_array(value: Any) -> bool:
    """Return whether something is an array or a number, of NumPy or any other library."""
    kind = type(value)
    if kind in NUMBERS or kind is Symbol:
        return True
    return not isinstance(value, type) and any(hasattr(kind, name) for name in _ARRAY_PROTOCOLS)


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
    """Return the structure of containers, and append their leaves to a list.

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
        keys = tuple([Static(name, key) for name, key in zip(value, names, strict=True)])
        return Branch(
            kind, keys, tuple([flatten(item, is_leaf, leaves) for item in value.values()])
        )
    if isinstance(value, _IMMUTABLE) or (kind is slice):
        return static(value)
    if dataclasses.is_dataclass(value):
        fields = tuple(field.name for field in dataclasses.fields(value))
        items = [flatten(getattr(value, name), is_leaf, leaves) for name in fields]
        return Branch(kind, fields, tuple(items))
    raise Unknown(kind.__name__)


def flatten_arrays(value: Any, what: str) -> tuple[list[Any], Structure]:
    """Return the arrays and numbers in containers, in order, and the structure of these.

    Parameters
    ----------
    value : object
        An array, a number, or containers of them.
    what : str
        A noun for the value, for the message.

    Raises
    ------
    ArgumentError
        It holds something that is neither array, number nor container.
    """
    leaves: list[Any] = []
    try:
        return leaves, flatten(value, is_array, leaves)
    except Unknown as error:
        raise ArgumentError(
            f"{what} is or contains an object of type {error}, which is not an array, a number or "
            "a container",
            origin=origin(),
            hint="use tuples, lists, dictionaries, named tuples or dataclasses of arrays",
        ) from None


def arranged(target: Structure, source: Structure, leaves: Iterator[Any]) -> Iterator[Any]:
    """Yield the leaves of one structure in the order of another, equal but for dictionaries' order.

    Parameters
    ----------
    target : Structure
        The order to yield leaves in.
    source : Structure
        The order of `leaves`.
    leaves : iterator
        One for each leaf of `source`.

    Yields
    ------
    object
        The leaves.

    Raises
    ------
    Unknown
        If they are not equal.

    Examples
    --------
    >>> leaves = []
    >>> source = flatten({"b": 1, "a": 2}, lambda x: x in (1, 2), leaves)
    >>> target = flatten({"a": 0, "b": 0}, lambda x: x == 0, [])
    >>> list(arranged(target, source, iter(leaves)))
    [2, 1]
    """
    if isinstance(target, Place) and isinstance(source, Place):
        yield next(leaves)
    elif isinstance(target, Branch) and isinstance(source, Branch) and target.kind is source.kind:
        children = [
            (name, part, list(itertools.islice(leaves, _count(part))))
            for name, part in zip(
                source.names or range(len(source.items)), source.items, strict=True
            )
        ]
        if target.kind is dict:
            known = {name: (name, part, own) for name, part, own in children}
            children = [known[name] for name in target.names if name in known]
        names = target.names or tuple(range(len(target.items)))
        if len(source.items) != len(names) or tuple(name for name, _, _ in children) != names:
            raise Unknown
        for part, (_, other, own) in zip(target.items, children, strict=True):
            yield from arranged(part, other, iter(own))
    elif target != source:
        raise Unknown


def _count(structure: Structure) -> int:
    """Return the number of leaves of a structure."""
    match structure:
        case Branch(_, _, items):
            return sum(map(_count, items))
        case _:
            return int(isinstance(structure, Place))


def describe(structure: Structure) -> str:
    """Return a structure as text.

    Examples
    --------
    >>> describe(flatten(({"a": 1.0}, [2.0, None]), lambda x: isinstance(x, float), []))
    "({'a': *}, [*, None])"
    """
    match structure:
        case Place():
            return "*"
        case Static():
            return repr(structure.value)
        case Branch(kind, names, items):
            texts = [describe(item) for item in items]
            keys = [repr(x.value) if isinstance(x, Static) else f"{x}=" for x in names]
            if kind is dict:
                pairs = zip(keys, texts, strict=True)
                return "{" + ", ".join(f"{key}: {text}" for key, text in pairs) + "}"
            if kind is list:
                return f"[{', '.join(texts)}]"
            name = "" if kind is tuple else kind.__name__
            if keys:
                texts = [key + text for key, text in zip(keys, texts, strict=True)]
            return f"{name}({', '.join(texts)}{',' if len(texts) == 1 and not name else ''})"


def unflatten(structure: Structure, leaves: Iterator[Any]) -> Any:
    """Return containers of a structure with new leaves.

    Parameters
    ----------
    structure : Structure
        From :func:`flatten`.
    leaves : iterator
        One for each leaf of the structure, in its order.

    Returns
    -------
    object
        Of the types that the structure names; a dataclass is built without its ``__init__``.
    """
    match structure:
        case Place():
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
            instance = object.__new__(kind)
            for name, item in zip(names, values, strict=True):
                object.__setattr__(instance, str(name), item)
            return instance
