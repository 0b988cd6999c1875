"""Loops that also give values of each iteration, as library functions of several results."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.graph.node import Loop, Node
from lazyarr.ops.library import LIBRARY, Call

__all__ = ["LoopRecord", "loop_body", "record_of"]

Array = np.ndarray[Any, Any]

_PACK = LIBRARY["pack"]


class LoopRecord:
    """A function of a loop's operands whose first results are the last states; it packs them.

    Attributes
    ----------
    loop : Loop
        The loop.
    values : tuple of Node
        Nodes of the body that are recorded.
    is_backward : bool
        Whether the first iteration is recorded last.
    packs : bool
        True: its result is one array of bytes.
    """

    loop: Loop
    values: tuple[Node, ...]
    is_backward: bool
    packs = True
    __name__: str

    def __call__(self, *arrays: Array) -> Array:
        """Run the loop; return the results as one array of bytes.

        Parameters
        ----------
        *arrays : numpy.ndarray
            The number of iterations, the first states and the invariants.
        """
        raise NotImplementedError


def record_of(value: Node) -> LoopRecord | None:
    """Return the function of a node that gives values of a loop's iterations; None of others.

    Parameters
    ----------
    value : Node
        Any node.
    """
    if value.op is not _PACK or not isinstance(value.attr, Call):
        return None
    function = value.attr.args[0]
    return function if isinstance(function, LoopRecord) else None


def loop_body(value: Node) -> tuple[Node, ...] | None:
    """Return the nodes that a library node computes in each iteration; None if it is no loop.

    Parameters
    ----------
    value : Node
        A library node.
    """
    record = record_of(value)
    loop = value.op.loop if record is None else record.loop
    if loop is None:
        return None
    condition = () if loop.condition is None else (loop.condition,)
    return (*loop.updates, *condition, *(() if record is None else record.values))
