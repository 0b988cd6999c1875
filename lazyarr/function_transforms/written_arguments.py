"""Arguments that a traced function writes to: the caller's arrays have the values afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.evaluation import persist
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core.source_location import Origin
from lazyarr.errors import ArgumentError, TracingError
from lazyarr.tracing.pytree import flatten

__all__ = ["check_written", "deliver_written", "refuse_written", "write_back"]


def check_written(arrays: Sequence[Any], written: Mapping[int, Origin | None]) -> None:
    """Refuse arguments that a function cannot write to as it would untraced.

    Parameters
    ----------
    arrays : sequence of numpy.ndarray
        The array arguments.
    written : mapping of int to Origin
        Positions of those that the function writes to, and the lines that do it.

    Raises
    ------
    ArgumentError
        If one is read-only, or shares memory with another argument.
    """
    for position, where in written.items():
        target = arrays[position]
        if not target.flags.writeable:
            raise ArgumentError("assignment destination is read-only", origin=where)
        for other, array in enumerate(arrays):
            if (
                other != position
                and isinstance(array, np.ndarray)
                and np.may_share_memory(array, target)
                and np.shares_memory(array, target)
            ):
                raise ArgumentError(
                    "a function traced by lazyarr.jit writes to an argument that shares memory "
                    "with another argument",
                    origin=where,
                    hint="pass a copy of one of them",
                )


def refuse_written(call: str, written: Mapping[int, Origin | None]) -> None:
    """Raise TracingError if a function writes to its arguments.

    Parameters
    ----------
    call : str
        The kind of call that cannot do that, for the error.
    written : mapping of int to Origin
        Positions of arguments that the function writes to, and the lines that do it.
    """
    for where in written.values():
        raise TracingError(
            f"{call} does not support a function that writes to its arguments",
            origin=where,
            hint="call the function directly, or write to a copy: x = x.copy()",
        )


def write_back(arrays: Sequence[Any], written: Sequence[int], computed: Sequence[Any]) -> None:
    """Copy the values that a function wrote into its arguments.

    Parameters
    ----------
    arrays : sequence of numpy.ndarray
        The arguments.
    written : sequence of int
        Positions of those that the function writes to.
    computed : sequence of numpy.ndarray
        The results; the values written are the last of them.
    """
    if written:
        for position, value in zip(written, computed[-len(written) :], strict=True):
            np.copyto(arrays[position], value)


def deliver_written(targets: Sequence[tuple[LazyArray, Any]], result: Any) -> None:
    """Write lazy arrays to the ndarrays that they wrapped.

    Parameters
    ----------
    targets : sequence of (LazyArray, numpy.ndarray)
        What was written to, and where it goes.
    result : object
        What the function returned: its arrays are computed before, as they may read the ndarrays.
    """
    leaves: list[Any] = []
    flatten(result, lambda x: isinstance(x, LazyArray), leaves)
    lazy = [x for x in leaves if type(x) is LazyArray]
    persisted = persist(*[array for array, _ in targets], *lazy)
    values = persisted if isinstance(persisted, tuple) else (persisted,)
    for array, value in zip(lazy, values[len(targets) :], strict=True):
        array._node = value._node
    for (_, target), value in zip(targets, values, strict=False):
        if not target.flags.writeable:
            raise ArgumentError("assignment destination is read-only")
        np.copyto(target, np.asarray(value))
