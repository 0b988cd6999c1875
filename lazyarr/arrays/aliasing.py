"""Views: what an array shows of another's elements, read again after writes and written through.

The model is functionalization. The array that owns its elements has a node, the value now current;
a write gives it another. A view has the owner, the owner's node from which its own was made, and
the steps that lead from the one to the other: it is out of date once the owner has another node,
and then takes the steps again when it is next read. To write to a view is to make the owner's next
value of its present one. Nodes never change, so what was made of an old value stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from lazyarr.arrays.boxes import write_box
from lazyarr.arrays.immediate import Immediate, at_once, in_order_of
from lazyarr.arrays.pending_writes import MOST_WRITES, computed
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import ComputedLeaf, Node, node
from lazyarr.graph.storage import Layout, layout_of
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import Call, Slot, library_function
from lazyarr.tracing import current, running

__all__ = [
    "Alias",
    "Bits",
    "Keyed",
    "Locked",
    "Part",
    "Reshaped",
    "Step",
    "Storing",
    "Unsettled",
    "as_bits",
    "is_number",
    "is_writeable",
    "layout",
    "make_alias",
    "merged",
    "note_layout",
    "own",
    "owner_of",
    "read_only",
    "refreshed",
    "settle",
    "write_through",
]

DType = np.dtype[Any]


class Storing(Protocol):
    """What an array has to know to be a view, or to be viewed.

    Attributes
    ----------
    _current : Node
        Its value, when it was last looked at.
    _alias : Alias, optional
        What it is a view of; None if it owns its elements.
    """

    _current: Node
    _alias: Alias | None

    @property
    def _node(self) -> Node:
        """The value now current."""

    @property
    def ndim(self) -> int:
        """Number of axes."""


@dataclass(frozen=True, slots=True)
class Locked:
    """A step by an index map to elements that cannot be written to."""

    index_map: View
    shape: Shape


@dataclass(frozen=True, slots=True)
class Reshaped:
    """A step to the same elements, in C order, in another shape."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A step to the elements in another shape: a view, or a copy if they lie in another order.

    Which of both is found out when it matters: who never writes need not know.
    """

    shape: Shape


class Keyed:
    """A step by a basic index, whose index map is found out when it matters.

    Attributes
    ----------
    resolve : callable
        ``resolve(key, shape)``: the index map, and the shape that it gives.
    key : object
        The index.
    shape : tuple of int
        That of the array indexed.
    """

    __slots__ = ("key", "resolve", "shape")

    def __init__(self, resolve: Callable[[Any, Shape], Step], key: Any, shape: Shape) -> None:
        self.resolve = resolve
        self.key = key
        self.shape = shape


@dataclass(frozen=True, slots=True)
class Part:
    """A step to the real or the imaginary parts of complex numbers."""

    name: str


@dataclass(frozen=True, slots=True)
class Bits:
    """A step to the same bytes as elements of another dtype."""

    dtype: DType


#: An index map with the shape that it gives, most often: the pair costs nothing to make.
Step = tuple[View, Shape] | Locked | Reshaped | Unsettled | Keyed | Part | Bits
#: The array that a view shows, its node from which the view's was made, and the steps from there.
Alias = tuple["Storing", Node, tuple[Step, ...]]


def make_alias(view: Storing, parent: Storing, step: Step) -> None:
    """Make a new array a view of another, by one step from it.

    Parameters
    ----------
    view : LazyArray
        The new array, whose node is already that of the view.
    parent : LazyArray
        The array that it shows; an owner or itself a view.
    step : Step
        From the parent to the view.
    """
    settle(parent)
    alias = parent._alias
    if alias is None:
        view._alias = (parent, parent._current, (step,))
    else:
        steps = alias[2]
        # Views of views of views take few steps: their maps become one.
        view._alias = (
            alias[0],
            alias[1],
            merged((*steps, step)) if len(steps) > 7 else (*steps, step),
        )


def settle(view: Storing) -> None:
    """Resolve the last step of a view; one that has to be a copy becomes an owner."""
    alias = view._alias
    if alias is None:
        return
    last = alias[2][-1]
    if type(last) is Keyed:
        view._alias = (alias[0], alias[1], (*alias[2][:-1], last.resolve(last.key, last.shape)))
        return
    if type(last) is not Unsettled:
        return
    owner, seen, before = alias[0], alias[1], alias[2][:-1]
    before_layout = _layout_by(owner, before)
    if before_layout.reshaped(last.shape) is None:
        view._alias = None
    else:
        view._alias = (owner, seen, (*before, Reshaped(last.shape)))


def refreshed(view: Storing) -> Node:
    """Return the node of a view whose owner has been written to."""
    settle(view)
    alias = view._alias
    if alias is None:
        return view._current  # a copy, of what was there when it was made
    owner, seen, steps = alias
    root = owner._node
    if seen.shape != root.shape:
        # The owner was resized: what it had is the view's alone.
        view._alias = None
        return view._current
    value = root
    for step in steps:
        value = _read(value, step)
    view._current = value = at_once(value) if value.src else value
    view._alias = (owner, root, steps)
    return value


def _read(source: Node, step: Step) -> Node:
    if type(step) is tuple:
        return build.view(source, step[0], step[1])
    if type(step) is Reshaped:
        return build.reshape(source, step.shape)
    if type(step) is Locked:
        return build.view(source, step.index_map, step.shape)
    if type(step) is Part:
        return build.elementwise(ELEMENTWISE[step.name], (source,))
    assert type(step) is Bits
    return as_bits(source, step.dtype)


def own(array: Storing, value: Node) -> None:
    """Set the next value of an array that owns its elements.

    Parameters
    ----------
    array : LazyArray
        The owner.
    value : Node
        Of its shape and dtype.

    Raises
    ------
    ArgumentError
        If it is not writeable.
    """
    if not is_writeable(array):
        raise read_only()
    if running:
        _note_write(array)
    if getattr(array, "_layout", None) is None:
        note_layout(array)
    before = array._current
    array._current = value = at_once(value) if value.src else value
    if type(value.attr) is Immediate:
        array._current = in_order_of(value, before)
        return
    writes: int = getattr(array, "_writes", 0) + 1
    if writes == MOST_WRITES:
        writes = 0
        array._current = computed(value)
    array._writes = writes  # type: ignore[attr-defined]


def note_layout(array: Storing) -> None:
    """Store the layout of an owner's elements, which its next node does not determine."""
    array._layout = layout_of(array._node)  # type: ignore[attr-defined]


def _note_write(array: Storing) -> None:
    """Tell the trace of this thread that an array has another value from now on."""
    trace = current()
    if trace is not None:
        trace.wrote(array)


def write_through(view: Storing, value: Node) -> None:
    """Set another value of a view, and with it that of the array that it shows.

    Parameters
    ----------
    view : LazyArray
        A view, or an owner.
    value : Node
        Of its shape and dtype.

    Raises
    ------
    ArgumentError
        If the view, or the array that it shows, is not writeable.
    """
    if not is_writeable(view):
        raise read_only()
    settle(view)
    alias = view._alias
    if alias is None:
        own(view, value)
        return
    owner, _, steps = alias
    root = owner._node
    steps = merged(steps)
    sources = [root]
    for step in steps[:-1]:
        sources.append(_read(sources[-1], step))
    changed = value
    for source, step in zip(reversed(sources), reversed(steps), strict=True):
        changed = _written(source, step, changed)
    own(owner, changed)
    view._current = at_once(value) if value.src else value
    view._alias = (owner, owner._current, steps)


def merged(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return equal steps of which no two index maps follow each other."""
    if len(steps) == 1:
        return steps
    merged: list[Step] = []
    for step in steps:
        last = merged[-1] if merged else None
        if type(step) is tuple and type(last) is tuple:
            index_map = shapes.compose(last[0], step[0], len(step[1]))
            merged[-1] = (index_map, step[1])
        else:
            merged.append(step)
    return tuple(merged)


def _written(source: Node, step: Step, value: Node) -> Node:
    """Return `source` with the elements that a step chooses replaced by `value`."""
    if type(step) is tuple:
        return write_box(source, step[0], value)
    if type(step) is Reshaped:
        return build.reshape(value, source.shape)
    if type(step) is Part:
        op = library_function(f"with_{step.name}", _PARTS[step.name])
        call = Call((Slot(0), Slot(1)))
        return node(op, (source, value), source.dtype, source.shape, call, origin())
    assert type(step) is Bits
    return as_bits(value, source.dtype)


def _with_real(array: Any, value: Any) -> Any:
    result = array.copy()
    result.real = value
    return result


def _with_imag(array: Any, value: Any) -> Any:
    result = array.copy()
    result.imag = value
    return result


_PARTS = {"real": _with_real, "imag": _with_imag}


def as_bits(source: Node, dtype: DType) -> Node:
    """Return the bytes of an array as elements of another dtype, along the last axis.

    Parameters
    ----------
    source : Node
        The array. Another size of elements changes the length of its last axis.
    dtype : numpy.dtype
        Of the result.
    """
    shape = source.shape
    if dtype.itemsize != source.dtype.itemsize:
        shape = (*shape[:-1], shape[-1] * source.dtype.itemsize // dtype.itemsize)
    op = library_function("view", _viewed)
    call = Call((Slot(0),), (("target", dtype),))
    return node(op, (source,), dtype, shape, call, origin())


def _viewed(array: Any, target: Any) -> Any:
    return np.ascontiguousarray(array).reshape(array.shape).view(target)


def layout(array: Storing) -> Layout:
    """Return the layout of an array's elements, were it one of NumPy's."""
    settle(array)
    alias = array._alias
    if alias is None:
        root = array._node
        known: Layout | None = getattr(array, "_layout", None)
        if known is not None and known.shape == root.shape:
            return known
        if root.src and len(root.shape) > 1:
            note_layout(array)
        return layout_of(root)
    return _layout_by(alias[0], alias[2])


def _layout_by(owner: Storing, steps: Sequence[Step]) -> Layout:
    """Return the layout of the elements to which steps lead from an owner."""
    reached = layout(owner)
    for step in steps:
        if type(step) is tuple:
            reached = reached.indexed(*step)
        elif type(step) is Locked:
            reached = reached.indexed(step.index_map, step.shape)
        elif type(step) is Part:
            reached = reached.part(step.name)
        else:
            if type(step) is Reshaped:
                moved = reached.reshaped(step.shape)
            else:
                assert type(step) is Bits
                moved = reached.read_as(step.dtype.itemsize)
            assert moved is not None  # or it would be no view
            reached = moved
    return reached


def owner_of(array: Storing) -> Storing:
    """Return the array whose elements an array shows, which may be itself."""
    settle(array)
    return array if array._alias is None else array._alias[0]


def is_number(array: Storing) -> bool:
    """Return whether an array stands for one of NumPy's numbers, which no operator changes.

    Those are what reductions, operations and full indices give that have no axes.
    """
    if array.ndim or array._alias is not None or hasattr(array, "_layout"):
        return False
    value = array._node
    attr = value.attr
    if type(attr) is Immediate:
        return attr.depth > 0
    return bool(value.src) or isinstance(attr, ComputedLeaf)


def is_writeable(array: Storing) -> bool:
    """Return whether an array may be written to."""
    locked: bool | None = getattr(array, "_locked", None)
    if locked is not None:
        return not locked
    settle(array)
    alias = array._alias
    if alias is None:
        return True
    return not any(type(step) is Locked for step in alias[2]) and is_writeable(alias[0])


def read_only() -> ArgumentError:
    """Return the error of a write to an array that must not be written to."""
    return ArgumentError(
        "assignment destination is read-only", origin=origin(), hint="copy it first: x.copy()"
    )
