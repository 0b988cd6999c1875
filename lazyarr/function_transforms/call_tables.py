"""Tables from the arguments of a jitted function's calls to their launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core import tuning
from lazyarr.core.config import Config
from lazyarr.execution.cpu.small_calls import SmallCall
from lazyarr.function_transforms.specialization import Launch
from lazyarr.function_transforms.trace_lock import trace_lock
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.random import Generator
from lazyarr.tracing.pytree import NUMBERS

__all__ = ["CallTables", "Replays", "place_key", "put"]


#: By the places of arrays and by numbers: the launch, what replays its graph, and the numbers.
Replays: TypeAlias = dict[Any, tuple[Launch, Callable[[], Sequence[Any] | None], list[Any]]]


class CallTables:
    """The launches of one function, by the layouts of arrays and the types of numbers.

    Attributes
    ----------
    plain : (Config, dict)
        Those for NumPy arrays under the settings last used; both are read in one step.
    on_device : (Config, dict, dict)
        Those for arrays on a GPU, and what runs again for arrays that are where they were.
    missed : int
        Calls in vain since something to run again was last found.
    small : (Config, tuple of SmallCall)
        What does short calls in C, under the settings last used; the newest first.
    """

    __slots__ = ("_small", "_tables", "missed", "on_device", "plain", "small")

    def __init__(self) -> None:
        self._tables: dict[Config, dict[Any, tuple[Launch, ...]]] = {}
        self.plain: tuple[Config | None, dict[Any, tuple[Launch, ...]]] = (None, {})
        self.on_device: tuple[Config | None, dict[Any, tuple[Launch, ...]], Replays]
        self.on_device = (None, {}, {})
        self.missed = 0
        self._small: dict[Config, tuple[SmallCall, ...]] = {}
        self.small: tuple[Config | None, tuple[SmallCall, ...]] = (None, ())

    def remember(self, args: tuple[Any, ...], launch: Launch, settings: Config) -> None:
        """Store the launch for the next call with arrays and numbers like these.

        Parameters
        ----------
        args : tuple
            Of this call.
        launch : Launch
            What served it.
        settings : Config
            Under which.
        """
        key: list[Any] = []
        for value in args:
            kind = type(value)
            if kind is np.ndarray:
                dtype = value.dtype
                if not dtype.isnative or any(step % dtype.itemsize for step in value.strides):
                    return  # every call has to make a copy
                key += dtype, value.shape, value.strides
            elif kind in NUMBERS or kind is Generator:
                key.append(kind)
            else:
                return
        with trace_lock():
            launches = self._tables.setdefault(settings, {})
            if launch not in launches.get(tuple(key), ()):
                put(launches, tuple(key), launch, tuning.row().launches)
                self._remember_small(args, launch, settings)
            self.plain = (settings, launches)
            self.small = (settings, self._small.get(settings, ()))

    def _remember_small(self, args: tuple[Any, ...], launch: Launch, settings: Config) -> None:
        """Let the next such call be done in C, if it is short."""
        if not args or any(type(value) is not np.ndarray for value in args):
            return
        small = launch.small_call(args)
        if small is not None:
            self._small[settings] = (small, *self._small.get(settings, ()))[
                : tuning.row().small_calls
            ]

    def remember_on_device(self, args: tuple[Any, ...], launch: Launch, settings: Config) -> None:
        """Store the launch for the next call with arrays on a GPU like these.

        Parameters
        ----------
        args : tuple
            Of this call.
        launch : Launch
            What served it.
        settings : Config
            Under which.
        """
        for value in args:
            memory = value._node.attr if type(value) is LazyArray else None
            if (
                type(memory) is not DeviceLeaf
                and type(value) not in NUMBERS
                and type(value) is not Generator
            ):
                return
        with trace_lock():
            known, launches, again = self.on_device
            if known is not settings:
                launches, again = {}, {}
            key = layout_key(args)
            if launch not in launches.get(key, ()):
                put(launches, key, launch, tuning.row().launches)
            self.on_device = (settings, launches, again)

    def remember_place(
        self, place: Any, launch: Launch, notes: dict[object, Any], numbers: Sequence[Any]
    ) -> None:
        """Let the next call with arrays at these places and these numbers replay its graph.

        Parameters
        ----------
        place : tuple or None
            Of :func:`place_key`.
        launch : Launch
            What served this call.
        notes : dict
            By the stream, what replays the graph.
        numbers : sequence of number
            Of this call.
        """
        self.missed = 0
        if place is None or place[0] is None:
            return
        replay = notes.get(place[0])
        if replay is not None:
            replays = self.on_device[2]
            if len(replays) >= tuning.row().launches:
                replays.clear()
            replays[place] = launch, replay.here, list(numbers)


def place_key(args: Sequence[Any]) -> Any:
    """Return the key of a recorded graph: places of arrays on one stream of a GPU, and numbers.

    None if there are others: an array of another stream, or a number that is equal to another
    without being the same (0.0 and -0.0).
    """
    key: list[Any] = [None]
    stream = None
    for value in args:
        kind = type(value)
        if kind is LazyArray:
            leaf = value._node.attr
            if type(leaf) is not DeviceLeaf:
                return None
            array: Any = leaf.device_array
            queue = array.queue
            if queue is not stream:
                if stream is not None:
                    return None
                stream = key[0] = queue
            key += (array.address, array.dtype, array.shape, array.strides)
        elif (kind is float or kind is int) and value:
            key += (kind, value)
        else:
            return None
    return tuple(key)


def layout_key(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the key of a launch: layouts of arrays on a GPU, and types of numbers."""
    key: list[Any] = []
    for value in args:
        if type(value) is LazyArray:
            node: Any = value._node
            key += (node.dtype, node.shape, node.attr.device_array.strides)
        else:
            key.append(type(value))
    return tuple(key)


def put(table: dict[Any, tuple[Any, ...]], key: Any, value: Any, limit: int) -> None:
    """Add a value before the others of its key; beyond `limit` values the oldest keys go.

    Parameters
    ----------
    table : dict
        Values by key, the newest first.
    key, value : object
        What to add.
    limit : int
        How many values the table may have.
    """
    table[key] = (value, *table.get(key, ()))[:limit]
    while sum(map(len, table.values())) > limit:
        oldest = next(iter(table))
        if oldest == key:
            table[key] = table.pop(key)  # it is in use: the others go first
        else:
            del table[oldest]
