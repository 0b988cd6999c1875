"""Containers of a structure that is known: taken apart and put together by functions made for it.

:func:`lazyarr.tracing.pytree.flatten` builds a description of whatever it meets, which then has to
be hashed. Where a structure is likely to be one seen before, looking is several times quicker.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from lazyarr.tracing.pytree import Branch, Place, Static, Structure, static

__all__ = ["Builder", "Reader", "builder", "reader"]

#: Appends the leaves of a value to a list; returns False if it is of another structure. What the
#: leaves are is for the caller to look at: a container in the place of a leaf is one.
Reader: TypeAlias = Callable[[Any, list[Any]], bool]
#: Returns containers with leaves from an iterator.
Builder: TypeAlias = Callable[[Iterator[Any]], Any]


def reader(structure: Structure) -> Reader:
    """Return the function that takes values of a structure apart.

    Examples
    --------
    >>> from lazyarr.tracing.pytree import flatten
    >>> known = flatten({"a": [1.0, None]}, lambda x: isinstance(x, float), [])
    >>> leaves = []
    >>> reader(known)({"a": [2.0, None]}, leaves), leaves
    (True, [2.0])
    >>> reader(known)({"b": [2.0, None]}, [])
    False
    """
    if isinstance(structure, Place):
        return _read_leaf
    if isinstance(structure, Static):
        return _static_reader(structure)
    kind, count = structure.kind, len(structure.items)
    parts = tuple(map(reader, structure.items))
    if issubclass(kind, tuple) or kind is list:

        def read_sequence(value: Any, leaves: list[Any]) -> bool:
            if type(value) is not kind or len(value) != count:
                return False
            # A loop by hand: a generator for each container would cost as much as the rest.
            for part, item in zip(parts, value, strict=True):  # noqa: SIM110
                if not part(item, leaves):
                    return False
            return True

        return read_sequence
    if issubclass(kind, dict):
        keys = tuple(_static_reader(key) for key in structure.names if isinstance(key, Static))

        def read_dict(value: Any, leaves: list[Any]) -> bool:
            if type(value) is not kind or len(value) != count:
                return False
            for known, part, (key, item) in zip(keys, parts, value.items(), strict=True):
                if not (known(key, leaves) and part(item, leaves)):
                    return False
            return True

        return read_dict
    fields = tuple(map(str, structure.names))

    def read_fields(value: Any, leaves: list[Any]) -> bool:
        if type(value) is not kind:
            return False
        for name, part in zip(fields, parts, strict=True):
            if not part(getattr(value, name), leaves):
                return False
        return True

    return read_fields


def _read_leaf(value: Any, leaves: list[Any]) -> bool:
    leaves.append(value)
    return True


def _static_reader(known: Static) -> Reader:
    constant = known.value

    def read_static(value: Any, leaves: list[Any]) -> bool:
        if value is constant:
            return True
        try:
            return static(value) == known
        except TypeError:  # it cannot be hashed
            return False

    return read_static


def builder(structure: Structure) -> Builder:
    """Return the function that puts leaves into containers of a structure, as ``unflatten`` does.

    Examples
    --------
    >>> from lazyarr.tracing.pytree import flatten
    >>> known = flatten({"a": [1.0, None]}, lambda x: isinstance(x, float), [])
    >>> builder(known)(iter([2.0]))
    {'a': [2.0, None]}
    """
    if isinstance(structure, Place):
        return next
    if isinstance(structure, Static):
        constant = structure.value
        return lambda _: constant
    kind = structure.kind
    parts = tuple(map(builder, structure.items))
    if kind is tuple:
        return lambda leaves: tuple([part(leaves) for part in parts])
    if kind is list:
        return lambda leaves: [part(leaves) for part in parts]
    if issubclass(kind, tuple):
        make = operator.attrgetter("_make")(kind)
        return lambda leaves: make([part(leaves) for part in parts])
    if issubclass(kind, dict):
        keys = [name.value for name in structure.names if isinstance(name, Static)]
        return lambda leaves: kind(zip(keys, [part(leaves) for part in parts], strict=True))
    return _dataclass_builder(structure, parts)


def _dataclass_builder(structure: Branch, parts: tuple[Builder, ...]) -> Builder:
    """Return the function that fills the fields of a dataclass, without its ``__init__``."""
    kind = structure.kind
    fields = tuple((str(name), part) for name, part in zip(structure.names, parts, strict=True))

    def build(leaves: Iterator[Any]) -> Any:
        instance: Any = object.__new__(kind)
        for name, part in fields:
            object.__setattr__(instance, name, part(leaves))
        return instance

    return build
