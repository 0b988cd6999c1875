"""Donated arrays: later uses raise an error."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import ArgumentError

__all__ = [
    "DONATED",
    "consume",
    "donated_error",
    "is_disjoint",
    "refuse_donated",
]

Array = np.ndarray[Any, Any]

#: By the identities of arrays that were donated: a reference to each, and the call that took it.
DONATED: dict[int, tuple[weakref.ref[Array], str, Origin | None]] = {}


class _Reference(weakref.ref[Array]):
    """A reference to an array that was donated, and its identity."""

    __slots__ = ("identity",)

    identity: int


def consume(array: Array, call: str, where: Origin | None) -> None:
    """Invalidate an array, and make it read-only.

    Parameters
    ----------
    array : numpy.ndarray
        The array that was donated; others that show its memory are not known.
    call : str
        The function that took its memory.
    where : (str, int), optional
        The user's line that called it.
    """
    array.flags.writeable = False
    reference = _Reference(array, _forget)
    reference.identity = identity = id(array)
    DONATED[identity] = reference, call, where


def _forget(reference: weakref.ref[Array]) -> None:
    assert isinstance(reference, _Reference)
    DONATED.pop(reference.identity, None)


def is_disjoint(values: Iterable[object]) -> bool:
    """Return whether none of some values was donated.

    Parameters
    ----------
    values : iterable
        Arguments of a call.
    """
    return not DONATED or DONATED.keys().isdisjoint(map(id, values))


def donated_error(call: str, where: Origin | None) -> ArgumentError:
    """Return the error of a use of an array after its donation.

    Parameters
    ----------
    call : str
        The function that took its memory.
    where : (str, int), optional
        The user's line that called it.
    """
    line = "" if where is None else f" at {where[0]}:{where[1]}"
    return ArgumentError(
        f"this array was donated to {call}{line}: its memory holds a result of that call",
        origin=origin(),
        hint="use the result of the call instead, or donate a copy",
    )


def refuse_donated(array: Array) -> None:
    """Raise ArgumentError if an array was donated."""
    entry = DONATED.get(id(array))
    if entry is not None:
        reference, call, where = entry
        if reference() is array:
            raise donated_error(call, where)
