"""Donated arrays: later uses raise an error."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import ArgumentError

__all__ = ["DONATED", "consume", "donated_error", "refuse_donated"]

Array = np.ndarray[Any, Any]

#: By the identities of arrays that were donated: a reference to each, and the call that took it.
DONATED: dict[int, tuple[weakref.ref[Array], str, Origin | None]] = {}


def consume(array: Array, call: str) -> None:
    """Invalidate an array, and make it read-only.

    Parameters
    ----------
    array : numpy.ndarray
        The array that was donated; others that show its memory are not known.
    call : str
        The function that took its memory.
    """
    identity = id(array)
    array.flags.writeable = False
    DONATED[identity] = weakref.ref(array, _forget(identity)), call, origin()


def _forget(identity: int) -> Callable[[object], None]:
    def forget(_: object) -> None:
        DONATED.pop(identity, None)

    return forget


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
