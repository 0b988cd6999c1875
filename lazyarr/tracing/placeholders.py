"""Unknown arrays: arguments without memory, and errors for uses that need their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.source_location import origin
from lazyarr.errors import TracingError
from lazyarr.graph.node import Kind, Leaf, Node, Op, node, walk
from lazyarr.tracing.context import Trace, current, running
from lazyarr.tracing.symbols import SYMBOL

__all__ = ["Placeholder", "depends", "placeholder", "refuse_value", "shape_was_read"]


class Placeholder(Leaf):
    """An array that a trace knows the type of and not the memory.

    Attributes
    ----------
    trace : Trace
        The run that the argument belongs to.
    position : int
        Its number among the array arguments.
    is_index : bool
        Whether it is an integer that gives views as an index.
    """

    __slots__ = ("is_index", "position", "trace")
    is_on_host = False

    def __init__(
        self,
        trace: Trace,
        position: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        is_index: bool = False,
    ) -> None:
        self.trace = trace
        self.is_index = is_index
        self.position = position
        self.strides = strides
        self.key = (trace, position, shape, strides)  # type: ignore[assignment]

    @property
    def array(self) -> np.ndarray[Any, Any]:  # type: ignore[override]
        """Nothing: asking for it is an error."""
        raise TracingError(
            "an array inside a function traced by lazyarr.jit has no value yet",
            origin=origin(),
            hint="return it, and use the result of the call",
        )

    @property
    def address(self) -> int:  # type: ignore[override]
        """Nothing either."""
        return int(self.array.ctypes.data)


def _argument(node: Node, *arrays: Any) -> Any:
    assert isinstance(node.attr, Placeholder)
    return node.attr.array


_ARGUMENT = Op("argument", Kind.LEAF, _argument)


def placeholder(
    trace: Trace,
    position: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    is_index: bool = False,
) -> Node:
    """Return the node of an array argument.

    Parameters
    ----------
    trace : Trace
        The run that the argument belongs to.
    position : int
        Its number among the array arguments.
    dtype : numpy.dtype
        Of its elements.
    shape : tuple of int
        Sizes of its axes.
    strides : tuple of int
        In elements.
    is_index : bool, optional
        Whether it is an integer that gives views as an index.

    Returns
    -------
    Node
        A leaf without memory.
    """
    attr = Placeholder(trace, position, shape, strides, is_index)
    return node(_ARGUMENT, (), dtype, shape, attr, origin())


def depends(root: Node, trace: Trace | None = None) -> bool:
    """Return whether a value needs an argument of a trace: of this one, or of any.

    Parameters
    ----------
    root : Node
        Any value.
    trace : Trace, optional
        The trace whose arguments count; default: any.
    """
    return any(
        (isinstance(value.attr, Placeholder) and trace in (None, value.attr.trace))
        or value.op is SYMBOL
        for value in walk((root,))
    )


def shape_was_read(array: object, value: Node) -> None:
    """Note that the user's code looked at a shape; to be called while `running` is not empty.

    That the values need no argument says nothing of the shape: ``zeros_like(x)`` needs none.

    Parameters
    ----------
    array : LazyArray
        The array whose shape was read.
    value : Node
        Its value.
    """
    trace = current()
    if trace is not None:
        if not trace.is_busy:
            trace.is_sized = True
        return
    # It may be a thread that a traced function started.
    for other in running:
        if not other.is_sized and (other.owns(array) or depends(value, other)):
            other.is_sized = True


def refuse_value(value: Node, reason: str) -> None:
    """Raise TracingError if a value depends on an argument of a trace.

    To be called while `running` is not empty.

    Parameters
    ----------
    value : Node
        The value that is asked for.
    reason : str
        The operation that needs it, for the message.

    Raises
    ------
    TracingError
        If the value is not known while the function is traced.
    """
    if depends(value):
        raise TracingError(
            f"{reason} needs the values of an array, which are not available while a function is "
            "traced by lazyarr.jit",
            origin=origin(),
            hint="use lazyarr.where instead of if, loop over a static size, or do this outside "
            "of the function",
        )
