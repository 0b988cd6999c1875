"""Donated arguments: results reuse their memory, and later uses are refused."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.lib.array_utils import byte_bounds

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core.addresses import address_of
from lazyarr.core.donation import DONATED, consume, donated_error
from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import ArgumentError, ContractError
from lazyarr.execution.cpu.small_calls import COMPILED
from lazyarr.function_transforms.static_arguments import arguments_named
from lazyarr.graph.device_leaf import DeviceLeaf, OnDevice
from lazyarr.graph.node import Leaf, Node
from lazyarr.tracing import Mismatch
from lazyarr.tracing.pytree import Branch, Place, Structure

__all__ = ["FAILED", "DonatedArguments", "give_away", "memory_for_results", "span"]

Array = np.ndarray[Any, Any]
#: What took the memory of an array where no result is of it.
FAILED = "a call that failed"


class DonatedArguments:
    """The donated arguments of a function.

    Parameters
    ----------
    function : callable
        Whose arguments they are.
    donate : int, str, or iterable of these
        Positions and names.
    """

    __slots__ = ("_known", "_names", "_positions")

    def __init__(self, function: Callable[..., Any], donate: Any) -> None:
        entries = (donate,) if isinstance(donate, (int, str)) else tuple(donate)
        positions = [entry for entry in entries if not isinstance(entry, str)]
        names = [entry for entry in entries if isinstance(entry, str)]
        self._positions, self._names = arguments_named(
            function, positions, names, ("donate", "donate")
        )
        self._known: dict[Structure, tuple[int, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._positions or self._names)

    def refuse_bound(self) -> None:
        """Raise ArgumentError if any argument is donated: a bound call reads it again."""
        if self:
            raise ArgumentError(
                "a function with donated arguments cannot be bound: a bound call reads its "
                "arguments again",
                origin=origin(),
            )

    def leaves(self, structure: Branch) -> tuple[int, ...]:
        """Return the numbers of the donated leaves among those of a call's arguments."""
        known = self._known.get(structure)
        if known is None:
            donated: list[int] = []
            count = 0
            first_name = len(structure.items) - len(structure.names)
            for index, item in enumerate(structure.items):
                after = count + _leaf_count(item)
                name = structure.names[index - first_name] if index >= first_name else None
                if (index in self._positions) if name is None else (name in self._names):
                    donated += range(count, after)
                count = after
            known = self._known[structure] = tuple(donated)
        return known


def _leaf_count(structure: Structure) -> int:
    if isinstance(structure, Branch):
        return sum(map(_leaf_count, structure.items))
    return int(isinstance(structure, Place))


class _Taken:
    """Memory of a donated array, for NumPy to make another array of; keeps its owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, array: Array) -> None:
        base: object = array.base
        below: object = getattr(base, "base", None)
        if type(below) is _Taken:
            base = below  # a result of this: else each step's would keep that of the one before
        self.owner: object = base.owner if type(base) is _Taken else array if base is None else base
        self.__array_interface__ = {
            "data": (address_of(array), False),
            "shape": array.shape,
            "typestr": array.dtype.str,
            "version": 3,
        }


if COMPILED is not None:
    COMPILED.install_donation(_Taken, DONATED, ContractError)


def memory_for_results(
    arrays: Sequence[Array | Node], positions: Mapping[int, int], captured: Sequence[Node]
) -> dict[int, Array]:
    """Return writable arrays in the memory of donated arguments.

    Parameters
    ----------
    arrays : sequence of (numpy.ndarray or Node)
        The array arguments of a call.
    positions : mapping of int to int
        For each leaf of the plan that results overwrite the position of the argument.
    captured : sequence of Node
        Leaves that the function captured.

    Returns
    -------
    dict of int to numpy.ndarray
        By leaf, C-contiguous.

    Raises
    ------
    ArgumentError
        If an argument is read-only, or shares memory with another argument or a captured array.
    """
    chosen = set(positions.values())
    spans = [(*span(array), k in chosen) for k, array in enumerate(arrays)]
    spans += [(*span(leaf), False) for leaf in captured]
    spans.sort()
    end = end_donated = 0
    for start, stop, is_donated in spans:
        if start < end_donated or (is_donated and start < end):
            raise ArgumentError(
                "a donated array shares memory with another array of the call",
                origin=origin(),
                hint="pass a copy of one of them",
            )
        if stop > start:
            end = max(end, stop)
            end_donated = max(end_donated, stop) if is_donated else end_donated
    return {leaf: _writable(arrays[position]) for leaf, position in positions.items()}


def _writable(array: Any) -> Array:
    base: object = array.base
    behind = isinstance(base, np.ndarray) and base.flags.writeable
    if not (array.flags.writeable or behind or type(base) is _Taken):
        raise ArgumentError("a donated array is read-only", origin=origin())
    return np.asarray(_Taken(array)).view(array.dtype)


def span(array: Array | Node) -> tuple[int, int]:
    """Return the addresses between which an array of the host lies.

    Parameters
    ----------
    array : numpy.ndarray or Node
        The array, or a leaf of one; (0, 0) for one on a GPU.
    """
    if isinstance(array, Node):
        if type(array.attr) is DeviceLeaf:
            return 0, 0
        assert isinstance(array.attr, Leaf)
        array = array.attr.array
    if array.flags.c_contiguous:
        start = address_of(array)
        return start, start + array.nbytes
    low, high = byte_bounds(array)
    return int(low), int(high)


@contextmanager
def losing(arrays: Sequence[Array | Node], positions: Mapping[int, int]) -> Iterator[None]:
    """Refuse the arrays that a run overwrites if it fails inside of the block.

    Parameters
    ----------
    arrays : sequence of (numpy.ndarray or Node)
        The array arguments of a call.
    positions : mapping of int to int
        As of :func:`memory_for_results`.
    """
    try:
        yield
    except Mismatch:
        raise  # nothing has run
    except BaseException:
        give_away([arrays[position] for position in positions.values()], FAILED)
        raise


def give_away(values: Iterable[Any], call: str) -> None:
    """Refuse arrays from now on.

    Parameters
    ----------
    values : iterable
        Arrays of NumPy and LazyArrays in memory; other objects are left as they are.
    call : str
        The function that took their memory.

    Raises
    ------
    IndexError
        An index was out of bounds on a GPU: then nothing is given away.
    """
    values = list(values)
    where = origin()
    if COMPILED is not None and COMPILED.consume_all(values, call, where):
        return
    for value in values:
        if isinstance(value, LazyArray) and type(value._node.attr) is DeviceLeaf:
            array: Any = value._node.attr.device_array
            array.queue.wait_for_reports()
    for value in values:
        if isinstance(value, np.ndarray):
            consume(value, call, where)
        elif isinstance(value, LazyArray) and isinstance(value._node.attr, Leaf):
            _consume_leaf(value._node.attr, call, where)


class Donating:
    """The donated arguments of a function that is compiled; a base of :class:`Jitted`."""

    _positions: frozenset[int]
    _names: frozenset[str]
    _donated: DonatedArguments
    _specializer: Any
    __wrapped__: Any
    _flatten: Any

    @property
    def donates(self) -> bool:
        """Whether results may take the memory of some arguments."""
        return bool(self._donated)

    def keeping(self) -> Self:
        """Return the same function, which takes no argument's memory."""
        copy: Any = type(self)
        return copy(self.__wrapped__, tuple(self._positions), tuple(self._names))  # type: ignore[no-any-return]

    def give_away(self, call: tuple[tuple[Any, ...], dict[str, Any]]) -> list[Any]:
        """Invalidate and return the arrays that a call donates by its arguments and keywords."""
        leaves: list[Any] = []
        structure = self._flatten(*call, leaves)
        gone = [leaves[k] for k in self._donated.leaves(structure)]
        give_away(gone, self._specializer.name)
        return gone


class _Gone:
    """A device array whose memory has been donated."""

    __slots__ = ("address", "dtype", "error", "shape", "strides")

    def __init__(self, array: OnDevice, call: str, where: Origin | None) -> None:
        self.address, self.shape = array.address, array.shape
        self.strides, self.dtype = array.strides, array.dtype
        self.error = call, where

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__cuda_array_interface__":
            raise AttributeError(name)
        raise donated_error(*self.error)


def _consume_leaf(leaf: Leaf, call: str, where: Origin | None) -> None:
    """Release a leaf's memory, and refuse later reads of it."""
    if hasattr(type(leaf), "donated_to"):
        return
    if isinstance(leaf, DeviceLeaf):
        leaf.device_array = _Gone(leaf.device_array, call, where)
        leaf._host = None
    else:
        consume(leaf.array, call, where)
    leaf.__class__ = _refusing(type(leaf), call, where)  # type: ignore[arg-type]


@functools.cache
def _refusing(kind: type[Leaf], call: str, where: Origin | None) -> Any:
    """Return a class of leaves without memory."""

    def refuse(_: object) -> Any:
        raise donated_error(call, where)

    members: dict[str, Any] = {name: property(refuse) for name in ("array", "address")}
    # Equal to none, so that a result in its memory is another leaf; found again by its hash.
    members |= {"__eq__": lambda one, other: one is other, "__hash__": kind.__hash__}
    return type(kind.__name__, (kind,), {"__slots__": (), "donated_to": call, **members})
