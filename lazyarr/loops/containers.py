"""Containers of arrays: taking a loop's state apart and putting it together again."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

__all__ = ["Structure", "describe", "flatten", "unflatten"]

#: How a container is built: its type, what else its making needs, and its parts; None for a leaf.
Structure = tuple[type, tuple[Hashable, ...], tuple["Structure | None", ...]]


def flatten(value: Any) -> tuple[list[Any], Structure | None]:
    """Return the leaves of tuples, lists, named tuples and dicts, and how they were held.

    Examples
    --------
    >>> leaves, structure = flatten({"b": (1, 2), "a": 3})
    >>> leaves
    [3, 1, 2]
    >>> unflatten(structure, [4, 5, 6])
    {'a': 4, 'b': (5, 6)}
    """
    leaves: list[Any] = []
    structure = _flatten(value, leaves)
    return leaves, structure


def _flatten(value: Any, leaves: list[Any]) -> Structure | None:
    kind = type(value)
    if kind is dict:
        keys = tuple(sorted(value))
        return kind, keys, tuple(_flatten(value[key], leaves) for key in keys)
    if kind in (tuple, list) or (isinstance(value, tuple) and hasattr(kind, "_fields")):
        return kind, (), tuple(_flatten(part, leaves) for part in value)
    leaves.append(value)
    return None


def unflatten(structure: Structure | None, leaves: Sequence[Any]) -> Any:
    """Return the containers again, with other leaves."""
    return _unflatten(structure, iter(leaves))


def _unflatten(structure: Structure | None, leaves: Iterator[Any]) -> Any:
    if structure is None:
        return next(leaves)
    kind, keys, parts = structure
    values = [_unflatten(part, leaves) for part in parts]
    if kind is dict:
        return dict(zip(keys, values, strict=True))
    return kind(*values) if hasattr(kind, "_fields") else kind(values)


def describe(structure: Structure | None) -> str:
    """Return a structure as text: ``(*, [*, *])``."""
    if structure is None:
        return "*"
    kind, keys, parts = structure
    texts = [describe(part) for part in parts]
    if kind is dict:
        pairs = zip(keys, texts, strict=True)
        return "{" + ", ".join(f"{key!r}: {text}" for key, text in pairs) + "}"
    if kind is list:
        return f"[{', '.join(texts)}]"
    name = kind.__name__ if kind is not tuple else ""
    return f"{name}({', '.join(texts)}{',' if len(texts) == 1 and not name else ''})"
