"""The calls that a traced function made, to be made again for arrays of other sizes.

A function that looks at no size does the same whatever the sizes are: it calls the same functions
of lazyarr on the same operands. Those look at sizes, so they are called again; the function itself
is not. What a call gives is checked against what it gave when it was noted: another number of
axes, another dtype, or arrays in other places mean that the function could have gone another way.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import owner_of
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.arrays.masked_selection import MaskedSelection
from lazyarr.arrays.storing import Storing
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import TracingError
from lazyarr.graph.node import Node, set_origin
from lazyarr.ops.movement import LEAF
from lazyarr.random import Generator
from lazyarr.tracing import Draw, Mismatch, Source, Symbol, Trace, UnknownNumber, tracing

__all__ = ["Recorder", "Tape", "fetch"]


#: Arguments that hold no arrays of a trace.
_PLAIN = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    type,
    types.EllipsisType,
    np.ndarray,
    np.generic,
    np.dtype,
    np.ufunc,
    type(np.sum),
    Generator,
)


@dataclass(frozen=True, slots=True)
class _Slot:
    """The place of an array that the trace made or was given."""

    index: int


@dataclass(frozen=True, slots=True)
class _Captured:
    """An array from outside of the function."""

    node: Node


@dataclass(frozen=True, slots=True)
class _Items:
    """A container among the arguments of a call."""

    kind: type
    names: tuple[Any, ...]
    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One call: the function, its arguments, and the slots of its results."""

    function: Callable[..., Any]
    args: Any
    keywords: Any
    result: Any
    kinds: tuple[tuple[np.dtype[Any], int] | None, ...]
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class Tape:
    """The calls of a trace and how many arrays they take and make.

    Attributes
    ----------
    entries : tuple
        The calls.
    slots : int
        How many arrays the function is given and makes.
    drawn : tuple
        The random draws that the calls made: whose they are, and what stands for them.
    """

    entries: tuple[_Entry, ...]
    slots: int
    drawn: tuple[tuple[Source, tuple[Node, Node]], ...] = ()

    def replay(self, arguments: Sequence[LazyArray], trace: Trace) -> list[LazyArray]:
        """Make the calls again for other arguments.

        Parameters
        ----------
        arguments : sequence of LazyArray
            Those of the traced function.
        trace : Trace
            Whose guards the numbers have passed.

        Returns
        -------
        list of LazyArray
            The array of each slot.

        Raises
        ------
        Mismatch
            If the function may have gone another way.
        """
        arrays: list[Any] = [*arguments, *[None] * (self.slots - len(arguments))]
        with tracing(_Replay(trace, self.drawn)):
            for entry in self.entries:
                result = entry.function(*_fill(entry.args, arrays), **_fill(entry.keywords, arrays))
                _take(entry.result, result, arrays)
                for slot, kind in zip(_slots(entry.result), entry.kinds, strict=True):
                    array = arrays[slot]
                    if _kind_of(array) != kind:
                        raise Mismatch
                    if kind is not None and array._node.op.kind.value != "leaf":
                        # Errors name the line of the function, not that of its call.
                        set_origin(array._node, entry.origin)
        return arrays


class _Replay(Trace):
    """A running replay of a tape, during which no further value can be inspected."""

    def __init__(self, traced: Trace, drawn: Sequence[tuple[Source, tuple[Node, Node]]]) -> None:
        super().__init__()
        self.is_busy = True
        self.guards = traced.guards
        self._drawn = iter(drawn)

    def owns(self, array: object) -> bool:
        """Return False: the arrays of a replay are not visible outside."""
        return False

    def pin(self, symbol: UnknownNumber) -> None:
        """Accept the numbers that the guards have compared."""
        if id(symbol) not in self.guards:
            raise Mismatch

    def draw(self, source: Source, count: int) -> tuple[Node, Node]:
        """Return the nodes that stood for the draws when the calls were noted.

        Parameters
        ----------
        source : Source
            Whose draws; it has to be that of the call that was noted.
        count : int
            How many.
        """
        known, nodes = next(self._drawn, (None, None))
        if known is not source or nodes is None:
            raise Mismatch
        return nodes


class Recorder(Trace):
    """A trace that keeps a tape.

    Attributes
    ----------
    draws : list of Draw
        What every call draws at random, in order.
    written : dict of int to Origin
        The arguments that the function writes to, by position, and the line that does it first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.draws: list[Draw] = []
        self._drawn: list[tuple[Source, tuple[Node, Node]]] = []
        self._slots: dict[int, int] = {}
        self._arrays: list[LazyArray] = []  # keeps identities unique
        self._entries: list[_Entry] = []
        self.written: dict[int, Origin | None] = {}
        self._arguments: dict[int, int] = {}
        #: Owners of arrays that calls gave and that the function does not see itself.
        self._inner: dict[int, Storing] = {}
        #: Owners of arrays from outside of the function among the arguments of the present call.
        self._outer: set[int] = set()

    def begin(self, arguments: Sequence[LazyArray]) -> None:
        """Take the arguments of the function."""
        for position, argument in enumerate(arguments):
            self._slot(argument)
            self._arguments[id(argument)] = position

    def call(
        self, function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Call a function of lazyarr, and note the call."""
        where = origin()
        spec = None if self.is_sized else self._encode(args)
        named = None if self.is_sized else self._encode(keywords)
        self._outer = self._outer_owners((*args, *keywords.values()))
        self.is_busy = True
        try:
            result = function(*args, **keywords)
        except BaseException:
            # With other sizes there may be no error, and the function may catch this one.
            self.is_sized = True
            raise
        finally:
            self.is_busy = False
        self._keep_owner(result)
        if result is NotImplemented or self.is_sized:
            return result
        places = self._place(result)
        kinds = tuple([_kind_of(self._arrays[slot]) for slot in _slots(places)])
        self._entries.append(_Entry(function, spec, named, places, kinds, where))
        return result

    def owns(self, array: object) -> bool:
        """Return whether the run was given or made an array."""
        return id(array) in self._slots

    def wrote(self, array: object) -> None:
        """Note a write to an argument; refuse one to an array from outside of the function."""
        position = self._arguments.get(id(array))
        if position is not None:
            self.written.setdefault(position, origin())
        elif id(array) in self._outer:
            raise TracingError(
                "a function traced by lazyarr.jit writes to an array that is not one of its "
                "arguments; later calls would not repeat the write",
                origin=origin(),
                hint="pass the array as an argument",
            )

    def adopt(self, array: object) -> None:
        """Note an array that stands for a value in the run: writes to it reach nothing outside."""
        self._keep_owner(array)

    def _outer_owners(self, values: Sequence[Any]) -> set[int]:
        """Return the identities of the arrays from outside whose elements arguments show."""
        owners: set[int] = set()
        for value in values:
            if isinstance(value, LazyArray):
                owner = id(owner_of(value))
                if owner not in self._slots and owner not in self._inner:
                    owners.add(owner)
            elif type(value) is tuple or type(value) is list:
                owners |= self._outer_owners(value)
        return owners

    def _keep_owner(self, result: Any) -> None:
        """Store the owner of a call's result, unless it is an array from outside."""
        if isinstance(result, LazyArray):
            owner = owner_of(result)
            if id(owner) not in self._slots and id(owner) not in self._outer:
                self._inner[id(owner)] = owner
        elif type(result) is tuple or type(result) is list:
            for item in result:
                self._keep_owner(item)

    def draw(self, source: Source, count: int) -> tuple[Node, Node]:
        """Return the nodes of draws; those of a generator of this run are the same each time.

        Parameters
        ----------
        source : Source
            Whose draws.
        count : int
            How many.
        """
        if source.scope is self:
            nodes = source.constants(count)
        else:
            drawn = Draw(source, count)
            self.draws.append(drawn)
            nodes = drawn.nodes()
        self._drawn.append((source, nodes))
        return nodes

    def tape(self) -> Tape:
        """Return the calls noted."""
        return Tape(tuple(self._entries), len(self._arrays), tuple(self._drawn))

    def close(self) -> None:
        """Let go of the arrays: placeholders know their trace, which would keep them forever."""
        self._slots.clear()
        self._arrays.clear()
        self._inner.clear()
        self._arguments.clear()

    def result(self, value: LazyArray) -> Any:
        """Return the place of an array that the function returns, for :func:`fetch`."""
        return self._encode(value)

    def _slot(self, array: LazyArray) -> int:
        slot = self._slots.get(id(array))
        if slot is None:
            slot = self._slots[id(array)] = len(self._arrays)
            self._arrays.append(array)
        return slot

    def _encode(self, value: Any) -> Any:
        """Return an argument with slots in the places of arrays; containers are copied."""
        if isinstance(value, LazyArray):
            known = self._slots.get(id(value))
            if known is not None:
                return _Slot(known)
            if isinstance(value, MaskedSelection) or value._node.op is not LEAF:
                # It may have been made in a way that is not on the tape.
                self.is_sized = True
                return None
            return _Captured(value._node)
        kind = type(value)
        if kind in (tuple, list):
            return _Items(kind, (), tuple([self._encode(item) for item in value]))
        if kind is dict:
            items = tuple([self._encode(item) for item in value.values()])
            return _Items(dict, tuple(value), items)
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            return _Items(slice, (), tuple([self._encode(part) for part in parts]))
        if kind is not Symbol and not isinstance(value, _PLAIN):
            # It may hold arrays of this trace, as a function does that uses them.
            self.is_sized = True
        return value

    def _place(self, result: Any) -> Any:
        """Return the places of the results of a call."""
        if isinstance(result, LazyArray):
            return _Slot(self._slot(result))
        kind = type(result)
        if kind in (tuple, list):
            return _Items(kind, (), tuple([self._place(item) for item in result]))
        if isinstance(result, tuple) and hasattr(kind, "_make"):
            return _Items(kind, (), tuple([self._place(item) for item in result]))
        if result is not None and not isinstance(result, (np.dtype, type)):
            # A number of lazyarr's making may be a size.
            self.is_sized = True
        return None


def fetch(spec: Any, arrays: Sequence[LazyArray]) -> LazyArray:
    """Return the array of a place.

    Parameters
    ----------
    spec : object
        Of :meth:`Recorder.result`.
    arrays : sequence of LazyArray
        The arrays of all slots.
    """
    array: LazyArray = _fill(spec, arrays)
    return array


def _kind_of(array: LazyArray) -> tuple[np.dtype[Any], int] | None:
    if isinstance(array, MaskedSelection):
        return None
    return array._node.dtype, len(array._node.shape)


def _fill(spec: Any, arrays: Sequence[Any]) -> Any:
    match spec:
        case _Slot(index):
            return arrays[index]
        case _Captured(node):
            return LazyArray(node)
        case _Items(kind, names, items):
            values = [_fill(item, arrays) for item in items]
            if kind is dict:
                return dict(zip(names, values, strict=True))
            if kind is slice:
                return slice(*values)
            return kind(values)
        case _:
            return spec


def _slots(spec: Any) -> list[int]:
    match spec:
        case _Slot(index):
            return [index]
        case _Items(_, _, items):
            return [slot for item in items for slot in _slots(item)]
        case _:
            return []


def _take(spec: Any, result: Any, arrays: list[Any]) -> None:
    """Put the results of a call into their slots."""
    match spec:
        case _Slot(index):
            if not isinstance(result, LazyArray):
                raise Mismatch
            arrays[index] = result
        case _Items(_, _, items):
            if not isinstance(result, (tuple, list)) or len(result) != len(items):
                raise Mismatch
            for item, part in zip(items, result, strict=True):
                _take(item, part, arrays)
        case _:
            if isinstance(result, (LazyArray, tuple, list)):
                raise Mismatch
