"""Calls with containers of arrays, or with donated ones, whose launch is found by looking alone.

Such a call has to be taken apart and put together, and that costs more than a small step of
training if it is described and hashed each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core import tuning
from lazyarr.core.config import Config
from lazyarr.core.donation import is_disjoint
from lazyarr.execution.cpu.small_calls import COMPILED, SmallCall
from lazyarr.function_transforms.call_tables import Replays, place_key, put
from lazyarr.function_transforms.donation import FAILED, give_away
from lazyarr.function_transforms.specialization import Launch
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.random import Generator
from lazyarr.runtime.run_log import listeners
from lazyarr.tracing import Mismatch
from lazyarr.tracing.known_structure import reader
from lazyarr.tracing.pytree import NUMBERS, Branch

__all__ = ["UNKNOWN_CALL", "NestedCalls", "call_key"]

#: Whether none of a list's values was donated.
_is_disjoint: Callable[[list[Any]], bool] = (
    is_disjoint if COMPILED is None else COMPILED.is_disjoint
)
#: What is returned for a call that nothing is known of.
UNKNOWN_CALL = object()


class _Sorted:
    """The leaves of a call, by their kind.

    Attributes
    ----------
    arrays : list of (numpy.ndarray or Node)
        The arrays; nodes of those on a GPU.
    numbers : list of number
        The Python numbers.
    generators : list of Generator
        The generators of random numbers.
    key : tuple, optional
        What a launch is made for; None if there is something else among the leaves.
    """

    __slots__ = ("arrays", "generators", "key", "numbers")

    def __init__(self, leaves: list[Any]) -> None:
        self.arrays: list[Any] = []
        self.numbers: list[Any] = []
        self.generators: list[Any] = []
        self.key: tuple[Any, ...] | None = None
        key: list[Any] = []
        for leaf in leaves:
            kind = type(leaf)
            if kind is np.ndarray:
                self.arrays.append(leaf)
                key += leaf.dtype, leaf.shape, leaf.strides
            elif kind is LazyArray and type((node := leaf._node).attr) is DeviceLeaf:
                self.arrays.append(node)
                key += DeviceLeaf, node.dtype, node.shape, node.attr.device_array.strides
            elif kind in NUMBERS:
                self.numbers.append(leaf)
                key.append(kind)
            elif kind is Generator:
                self.generators.append(leaf)
                key.append(kind)
            else:
                return
        self.key = tuple(key)


def call_key(leaves: list[Any]) -> tuple[Any, ...] | None:
    """Return the key of launches for the leaves of a call; None if one has to be copied."""
    for leaf in leaves:
        if isinstance(leaf, np.ndarray) and _is_copied(leaf):
            return None
    return _Sorted(leaves).key


class _Known:
    """One structure of arguments, under one set of settings.

    Attributes
    ----------
    launches : dict
        By layouts of arrays and types of numbers.
    replays : dict
        What runs again for arrays on a GPU that are where they were.
    missed : int
        Calls in vain since something to run again was last found.
    small : tuple of (SmallCall, tuple of int)
        What does calls in C, and the leaves that its results overwrite; the newest first.
    """

    __slots__ = (
        "donated",
        "launches",
        "missed",
        "read",
        "replays",
        "settings",
        "small",
        "structure",
    )

    def __init__(self, structure: Branch, settings: Config, donated: Sequence[int]) -> None:
        self.structure = structure
        self.settings = settings
        self.donated = tuple(donated)
        self.read = reader(Branch(tuple, (), structure.items))
        self.launches: dict[Any, tuple[Launch, ...]] = {}
        self.replays: Replays = {}
        self.missed = 0
        self.small: tuple[tuple[SmallCall, tuple[int, ...]], ...] = ()

    def remember_small(self, leaves: Sequence[Any], launch: Launch) -> None:
        """Let the next such call be done in C, if it can be.

        Parameters
        ----------
        leaves : sequence
            Of a call.
        launch : Launch
            What served it.
        """
        if any(type(leaf) is not np.ndarray for leaf in leaves):
            return
        small = launch.small_call(leaves)
        if small is not None:
            self.small = ((small, tuple(launch.overwritten.values())), *self.small)[
                : tuning.row().small_calls
            ]

    def replay(self, place: Any) -> Any:
        """Return the result of a call that runs again; :data:`UNKNOWN_CALL` if there is none.

        Parameters
        ----------
        place : tuple or None
            Of :func:`place_key`.
        """
        again = self.replays.get(place)
        if again is not None:
            launch, replay, numbers = again
            computed = replay()
            if computed is not None:
                return launch.wrap(computed, numbers)
        self.missed += 1
        return UNKNOWN_CALL

    def remember_place(
        self, place: Any, launch: Launch, notes: dict[object, Any], numbers: list[Any]
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
        numbers : list of number
            Of this call.
        """
        replay = None if place is None else notes.get(place[0])
        if replay is not None:
            self.missed = 0
            if len(self.replays) >= tuning.row().structure_launches:
                self.replays.clear()
            self.replays[place] = launch, replay.here, numbers


class NestedCalls:
    """The launches of one function for calls by position, by structure and layout."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: tuple[_Known, ...] = ()

    def __bool__(self) -> bool:
        return bool(self._known)

    def call(self, args: tuple[Any, ...], settings: Config, name: str) -> Any:
        """Return the function's result for arguments like those of a call before.

        Parameters
        ----------
        args : tuple
            Of the call.
        settings : Config
            In force.
        name : str
            Of the function, for errors about arrays that it takes the memory of.

        Returns
        -------
        object
            :data:`UNKNOWN_CALL` if there was none, or if the arguments have to be looked at again.
        """
        for known in self._known:
            leaves: list[Any] = []
            if known.settings is not settings or not known.read(args, leaves):
                continue
            if not _is_disjoint(leaves):
                return UNKNOWN_CALL  # an error, which the general way raises
            if known.small and not listeners():
                for call, overwritten in known.small:
                    try:
                        result = call(*leaves)
                    except BaseException:
                        if overwritten:
                            give_away([leaves[k] for k in overwritten], FAILED)
                        raise
                    if result is not None:
                        if known.donated:
                            give_away([leaves[k] for k in known.donated], name)
                        return result
            ordered = _Sorted(leaves)
            for launch in known.launches.get(ordered.key, ()):
                try:
                    result = launch.run(ordered.arrays, ordered.numbers, ordered.generators)
                except Mismatch:
                    continue
                if known.donated:
                    give_away([leaves[k] for k in known.donated], name)
                return result
            return UNKNOWN_CALL
        return UNKNOWN_CALL

    def persist(self, args: tuple[Any, ...], settings: Config, name: str) -> Any:
        """Return the function's result as :meth:`call` does, its arrays left where they are.

        Parameters
        ----------
        args, settings, name
            As those of :meth:`call`.
        """
        for known in self._known:
            leaves: list[Any] = []
            if known.settings is not settings or not known.read(args, leaves):
                continue
            place = place_key(leaves) if known.missed < tuning.row().misses else None
            result = known.replay(place) if known.replays and place else UNKNOWN_CALL
            if result is UNKNOWN_CALL:
                result = self._persist(known, leaves, place)
            if known.donated and result is not UNKNOWN_CALL:
                give_away([leaves[k] for k in known.donated], name)
            return result
        return UNKNOWN_CALL

    @staticmethod
    def _persist(known: _Known, leaves: list[Any], place: Any) -> Any:
        """Return the result of a launch for these leaves."""
        ordered = _Sorted(leaves)
        if not is_disjoint(ordered.arrays):
            return UNKNOWN_CALL  # an error, which the general way raises
        for launch in known.launches.get(ordered.key, ()):
            notes: dict[object, Any] = {}
            try:
                result = launch.persist(ordered.arrays, ordered.numbers, ordered.generators, notes)
            except Mismatch:
                continue
            if notes:
                known.remember_place(place, launch, notes, ordered.numbers)
            return result
        return UNKNOWN_CALL

    def remember(
        self,
        structure: Branch,
        key: tuple[Any, ...] | None,
        launch: Launch,
        settings: Config,
        donated: Sequence[int],
        leaves: Sequence[Any] = (),
    ) -> None:
        """Let the next call like this one find its launch; the caller has the lock of traces.

        Parameters
        ----------
        structure : Branch
            Of the arguments, none of them by name.
        key : tuple or None
            Of :func:`call_key`; None: nothing is remembered.
        launch : Launch
            What served them.
        settings : Config
            Under which.
        donated : sequence of int
            Numbers of the leaves that were given away.
        leaves : sequence, optional
            Of the arguments, where the function's results are computed for the host.
        """
        if key is None:
            return
        for known in self._known:
            if known.settings is settings and known.structure == structure:
                break
        else:
            known = _Known(structure, settings, donated)
            self._known = (known, *self._known)[: tuning.row().structures]
        if launch not in known.launches.get(key, ()):
            put(known.launches, key, launch, tuning.row().structure_launches)
            if leaves:
                known.remember_small(leaves, launch)


def _is_copied(array: np.ndarray[Any, Any]) -> bool:
    """Return whether kernels cannot read an array where it lies."""
    size = array.dtype.itemsize
    return not array.dtype.isnative or not size or any(step % size for step in array.strides)
