"""Functions of arrays that are traced once and then run as compiled code."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, overload

import numpy as np

from lazyarr.arrays.evaluation import persist
from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.compiler import pipeline
from lazyarr.core.config import Config, config, get_config
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, LazyarrError
from lazyarr.function_transforms.specialization import Launch
from lazyarr.function_transforms.trace import Arguments as _Arguments
from lazyarr.function_transforms.trace import Lazy, Traced, trace
from lazyarr.graph.device_leaf import DeviceLeaf, placed
from lazyarr.graph.node import Leaf as MemoryLeaf
from lazyarr.graph.node import Node
from lazyarr.random import Generator
from lazyarr.tracing import Mismatch, Symbol, current, running, scope
from lazyarr.tracing.pytree import (
    NUMBERS,
    Branch,
    Structure,
    Unknown,
    flatten,
    is_array,
    static,
    unflatten,
)

if TYPE_CHECKING:
    from lazyarr.inspect import Explanation

__all__ = ["Bound", "Jitted", "TraceInfo", "jit"]

P = ParamSpec("P")
R = TypeVar("R")
#: Traces and launches kept of one function; the oldest go first.
MAX_TRACES = 64
MAX_LAUNCHES = 256

#: Calls whose arrays or numbers are never what they were, after which nobody looks beforehand.
_MISSES = 16

#: By the places of arrays and by numbers: the launch, what replays its graph, and the numbers.
_Again = dict[Any, tuple[Launch, Callable[[], Sequence[Any] | None], list[Any]]]

_OPEN = NUMBERS | {Symbol, Generator}
#: One trace at a time. Re-entrant, because a traced function may call another.
_lock = threading.RLock()


def _renew_lock() -> None:
    # The lock may be held by a thread that the child of a fork does not have.
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """What a jitted function keeps, and what it has done.

    Attributes
    ----------
    traces : int
        Traces kept: one for each structure and combination of types, and for each size or number
        that the function looked at.
    launches : int
        Plans kept: one for each combination of shapes and strides.
    traced : int
        How often the function itself has run.
    planned : int
        How often a plan was made.
    """

    traces: int
    launches: int
    traced: int
    planned: int


class Jitted(Generic[P, R]):
    """A function that runs as compiled code; made by :func:`jit`.

    Calls return what the function returns, with NumPy arrays where it returns LazyArrays. Called
    with a LazyArray, or inside another traced function, it returns LazyArrays.

    Safe to call from many threads at once.
    """

    __wrapped__: Callable[P, R]

    def __init__(
        self,
        function: Callable[P, R],
        static_argnums: int | Iterable[int] = (),
        static_argnames: str | Iterable[str] = (),
    ) -> None:
        if not callable(function):
            raise ArgumentError(
                f"jit takes a function, got {type(function).__name__}", origin=origin()
            )
        functools.update_wrapper(self, function)
        self._positions, self._names = _static_arguments(function, static_argnums, static_argnames)
        self._clear()

    def _clear(self) -> None:
        self._traces: dict[Any, tuple[Traced, ...]] = {}
        self._launches: dict[Any, tuple[Launch, ...]] = {}
        self._tables: dict[Config, dict[Any, tuple[Launch, ...]]] = {}
        # Those of the settings last used; settings and table are read in one step.
        self._plain: tuple[Config | None, dict[Any, tuple[Launch, ...]]] = (None, {})
        # The same for arrays on a GPU, and what runs again for those that are where they were.
        self._on_device: tuple[Config | None, dict[Any, tuple[Launch, ...]], _Again]
        self._on_device = (None, {}, {})
        #: Calls in vain since something to run again was last found.
        self._missed = 0
        self._traced = 0
        self._planned = 0

    def __call__(self, /, *args: P.args, **keywords: P.kwargs) -> R:
        """Return what the function returns, with its arrays computed."""
        settings, launches = self._plain
        if not keywords and get_config() is settings:
            # The common case, with as little work as can be: arrays and numbers, seen before.
            arrays: list[Any] = []
            numbers: list[Any] = []
            generators: list[Generator] = []
            key: list[Any] = []
            for value in args:
                kind = type(value)
                if kind is np.ndarray:
                    arrays.append(value)
                    key += value.dtype, value.shape, value.strides  # type: ignore[attr-defined]
                elif kind in NUMBERS:
                    numbers.append(value)
                    key.append(kind)
                elif kind is Generator:
                    generators.append(cast("Generator", value))
                    key.append(kind)
                else:
                    break
            else:
                for launch in launches.get(tuple(key), ()):
                    if running and current() is not None:
                        break
                    try:
                        found: R = launch.run(arrays, numbers, generators)
                    except Mismatch:
                        continue
                    return found
        result: R = self._call(args, keywords)
        return result

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else _Method(self, instance)

    def __repr__(self) -> str:
        return f"<jitted {self.__wrapped__!r}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        # What is compiled stays in its process. A decorated function of a module is found there
        # by its name; others, and those of a script, go by value if the pickler can do that.
        module = getattr(self, "__module__", None)
        name = getattr(self, "__qualname__", "")
        if module != "__main__" and _found(module, name) is self:
            return name
        return Jitted, (self.__wrapped__, tuple(self._positions), tuple(self._names))

    def cache_info(self) -> TraceInfo:
        """Return how many traces and plans are kept, and how many were made."""
        with _lock:
            return TraceInfo(
                sum(map(len, self._traces.values())),
                sum(map(len, self._launches.values())),
                self._traced,
                self._planned,
            )

    def cache_clear(self) -> None:
        """Forget all traces; the next call traces again."""
        with _lock:
            self._clear()

    def persist(self, /, *args: Any, **keywords: Any) -> Any:
        """Return what the function returns, with its arrays computed and left where they are.

        What :func:`lazyarr.persist` is to :func:`lazyarr.evaluate`: on a GPU the work is queued,
        and the results are LazyArrays that hold its memory, to be passed to the next call.
        LazyArrays among the arguments are computed first, unless they hold values already.

        Examples
        --------
        >>> import numpy as np, lazyarr as la
        >>> step = la.jit(lambda x: 0.5 * (x + 2 / x))
        >>> x = la.asarray(np.array([1.0, 2.0]))
        >>> for _ in range(5):
        ...     x = step.persist(x)
        >>> x.compute()
        array([1.41421356, 1.41421356])
        """
        settings, launches, again = self._on_device
        if not keywords and get_config() is settings and not running:
            # The most common case, with as little work as can be: all is where it was.
            place = None
            if again and self._missed < _MISSES:
                place = _place_key(args)
                known = again.get(place)
                if known is not None:
                    launch, replay, held_numbers = known
                    computed = replay()
                    if computed is not None:
                        return launch.held(computed, held_numbers)
                self._missed += 1
            # Arrays on a GPU, and numbers.
            arrays: list[Any] = []
            numbers: list[Any] = []
            generators: list[Any] = []
            key: list[Any] = []
            for value in args:
                kind = type(value)
                if kind is LazyArray and type((node := value._node).attr) is DeviceLeaf:
                    arrays.append(node)
                    key += (node.dtype, node.shape, node.attr.device_array.strides)
                    continue
                key.append(kind)
                if kind in NUMBERS:
                    numbers.append(value)
                elif kind is Generator:
                    generators.append(value)
                else:
                    break
            else:
                for launch in launches.get(tuple(key), ()):
                    notes: dict[object, Any] = {}
                    try:
                        result = launch.persist(arrays, numbers, generators, notes)
                    except Mismatch:
                        continue
                    if notes:
                        self._missed = 0
                        _remember_place(again, place or _place_key(args), launch, notes, numbers)
                    return result
        leaves: list[Any] = []
        structure = self._flatten(args, keywords, leaves)
        if scope() is not None:
            return self._inline(structure, leaves)
        for index, leaf in enumerate(leaves):
            if isinstance(leaf, LazyArray) and not isinstance(leaf._node.attr, MemoryLeaf):
                leaves[index] = persist(leaf)
        found, launch = self._run(structure, leaves, Launch.persist)
        if not keywords and not self._positions:
            self._remember_on_device(args, launch, get_config())
        return found

    def bind(self, /, *args: Any, **keywords: Any) -> Bound:
        """Return a call with these arguments that can be done again at the cost of a launch.

        On a GPU, all that the function does becomes one CUDA graph that works in memory of its
        own, as a ``torch.cuda.CUDAGraph`` is. Calling it queues the graph, and the results are
        where they were: they are computed again from what the arguments' memory holds then.

        Parameters
        ----------
        *args, **keywords
            What the function takes. Arrays have to be where it runs: on a GPU LazyArrays that
            hold values there. Those that do not yet are computed first.

        Returns
        -------
        Bound
            With the results, which every call overwrites.

        Raises
        ------
        ArgumentError
            If the function draws random numbers, or on a GPU reads an array of the host's.

        Examples
        --------
        >>> import numpy as np, lazyarr as la
        >>> x = np.array([1.0, 2.0])
        >>> double = la.jit(lambda x: 2 * x).bind(x)
        >>> double.results.compute()
        array([2., 4.])
        >>> x[:] = 5.0
        >>> double().compute()
        array([10., 10.])
        """
        leaves: list[Any] = []
        structure = self._flatten(args, keywords, leaves)
        if scope() is not None:
            raise ArgumentError("bind is of no use inside a traced function", origin=origin())
        for index, leaf in enumerate(leaves):
            if isinstance(leaf, LazyArray) and not isinstance(leaf._node.attr, MemoryLeaf):
                leaves[index] = persist(leaf)
        (results, again), _ = self._run(structure, leaves, Launch.bind)
        return Bound(results, again)

    def _remember_on_device(self, args: tuple[Any, ...], launch: Launch, settings: Config) -> None:
        """Let the next call with arrays on a GPU like these find its launch at once."""
        for value in args:
            held = value._node.attr if type(value) is LazyArray else None
            if (
                type(held) is not DeviceLeaf
                and type(value) not in NUMBERS
                and type(value) is not Generator
            ):
                return
        with _lock:
            known, launches, again = self._on_device
            if known is not settings:
                launches, again = {}, {}
            key = _layout_key(args)
            if launch not in launches.get(key, ()):
                _put(launches, key, launch, MAX_LAUNCHES)
            self._on_device = (settings, launches, again)

    def explain(self, /, *args: Any, **keywords: Any) -> Explanation:
        """Return :func:`lazyarr.explain` of the results for these arguments; runs nothing."""
        from lazyarr.inspect import explain

        return explain(*self.lower(*args, **keywords))

    def lower(self, /, *args: Any, **keywords: Any) -> tuple[LazyArray, ...]:
        """Return the arrays among the results for these arguments, not computed.

        They are expressions of the arguments, for :func:`lazyarr.visualize` and the like.
        """
        leaves: list[Any] = []
        structure = self._flatten(args, keywords, leaves)
        if scope() is not None or any(map(_is_lazy, leaves)):
            found: list[Any] = []
            flatten(self._inline(structure, leaves), lambda x: isinstance(x, LazyArray), found)
            return tuple(found)
        given = _Arguments(leaves)
        kinds = (get_config().device, structure, given.types)
        with _lock, _where(given):
            _, roots = self._find_trace(kinds, given)
        return tuple(map(LazyArray, roots))

    # -- calling -----------------------------------------------------------------------------

    def _call(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Call with any arguments."""
        leaves: list[Any] = []
        structure = self._flatten(args, keywords, leaves)
        if scope() is not None or any(map(_is_lazy, leaves)):
            return self._inline(structure, leaves)
        found, launch = self._run(structure, leaves, Launch.run)
        if not keywords and not self._positions:
            self._remember(args, launch, get_config())
        return found

    def _run(
        self, structure: Branch, leaves: Sequence[Any], how: Callable[..., Any]
    ) -> tuple[Any, Launch]:
        """Run a launch for these leaves, prepared now if there is none; return it too."""
        given = _Arguments(leaves)
        settings = get_config()
        kinds = (settings.device, structure, given.types)
        key = (settings, structure, given.types, given.layout)
        for launch in self._launches.get(key, ()):
            try:
                return how(launch, given.arrays, given.numbers, given.generators), launch
            except Mismatch:
                continue
        with _lock:
            launch = self._prepare(kinds, key, given)
            if not launch.holds(given.numbers):
                # A number that is made of the arguments fits no more, or does not exist.
                launch = self._prepare(kinds, key, given, anew=True)
        return how(launch, given.arrays, given.numbers, given.generators), launch

    def _remember(self, args: tuple[Any, ...], launch: Launch, settings: Config) -> None:
        """Let the next call with arrays and numbers like these find its launch at once."""
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
        with _lock:
            launches = self._tables.setdefault(settings, {})
            if launch not in launches.get(tuple(key), ()):
                _put(launches, tuple(key), launch, MAX_LAUNCHES)
            self._plain = (settings, launches)

    def _flatten(
        self, args: tuple[Any, ...], keywords: dict[str, Any], leaves: list[Any]
    ) -> Branch:
        """Return the structure of the arguments, and their leaves."""
        items: list[Structure] = []
        for index, value in enumerate(args):
            is_static = index in self._positions
            items.append(self._argument(value, is_static, f"number {index}", leaves))
        names = tuple(sorted(keywords))
        items += [
            self._argument(keywords[name], name in self._names, repr(name), leaves)
            for name in names
        ]
        return Branch(tuple, names, tuple(items))

    def _argument(self, value: Any, is_static: bool, name: str, leaves: list[Any]) -> Structure:
        called = getattr(self, "__name__", "the function")
        if is_static:
            try:
                return static(value)
            except TypeError:
                raise ArgumentError(
                    f"static argument {name} of {called} cannot be hashed: "
                    f"it is of type {type(value).__name__}",
                    origin=origin(),
                    hint="pass a tuple for a list, or let it be traced",
                ) from None
        try:
            return flatten(value, _is_argument, leaves)
        except Unknown as error:
            raise ArgumentError(
                f"argument {name} of {called} is or holds an object of type {error}, which is "
                "neither array, number nor container",
                origin=origin(),
                hint="name it in static_argnames if it never changes, make its class a "
                "dataclass, or pass the arrays that it holds",
            ) from None

    def _inline(self, structure: Branch, leaves: Sequence[Any]) -> Any:
        """Call the function itself, with LazyArrays."""
        return self._invoke(
            structure,
            [leaf if type(leaf) in _OPEN else asarray(leaf) for leaf in leaves],
        )

    def _invoke(self, structure: Branch, leaves: Sequence[Any]) -> Any:
        values = iter(leaves)
        items = [unflatten(item, values) for item in structure.items]
        count = len(items) - len(structure.names)
        names: Any = structure.names
        keywords = dict(zip(names, items[count:], strict=True))
        return self.__wrapped__(*items[:count], **keywords)

    # -- preparing ---------------------------------------------------------------------------

    def _prepare(
        self,
        kinds: tuple[Any, ...],
        key: tuple[Any, ...],
        given: _Arguments,
        anew: bool = False,
    ) -> Launch:
        """Return a launch for these arguments: of a trace that holds for them, or of a new one."""
        for launch in self._launches.get(key, ()):
            # Another thread was here first.
            if launch.holds(given.numbers):
                return launch
        with _where(given) as settings:
            found, roots = self._find_trace(kinds, given, anew)
        executable = shell = None
        if roots:
            executable, shell = pipeline.prepare(roots, settings)
        computed = itertools.count()
        results = [next(computed) if type(x) is Lazy else x for x in found.results]
        launch = Launch(found.trace, executable, shell, found.structure, results)
        self._planned += 1
        _put(self._launches, key, launch, MAX_LAUNCHES)
        return launch

    def _find_trace(
        self, kinds: tuple[Any, ...], given: _Arguments, anew: bool = False
    ) -> tuple[Traced, tuple[Node, ...]]:
        """Return a trace and the roots of its results for these arguments."""
        for traced in self._traces.get(kinds, ()):
            if not anew and traced.holds(given):
                try:
                    return traced, traced.roots_for(given)
                except Mismatch:
                    continue
                except LazyarrError:
                    # The function raises it too, where the user can see why.
                    break
        called = getattr(self, "__name__", "the function")
        traced = trace(functools.partial(self._invoke, kinds[1]), given, called)
        self._traced += 1
        _put(self._traces, kinds, traced, MAX_TRACES)
        return traced, traced.roots


class Bound:
    """A call of a jitted function with its arguments; made by :meth:`Jitted.bind`.

    Attributes
    ----------
    results : object
        What the function returned, with LazyArrays that hold its arrays. Every call of this
        object computes them again in the same memory.
    """

    __slots__ = ("_again", "results")

    def __init__(self, results: Any, again: Callable[[], object]) -> None:
        self.results = results
        self._again = again

    def __call__(self) -> Any:
        """Compute the results again and return them."""
        self._again()
        return self.results


class _Method:
    """A jitted function as a method of an instance."""

    def __init__(self, function: Jitted[Any, Any], instance: object) -> None:
        self.__func__ = function
        self.__self__ = instance

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        return self.__func__(self.__self__, *args, **keywords)

    def explain(self, /, *args: Any, **keywords: Any) -> Explanation:
        """Return the explanation of a call."""
        return self.__func__.explain(self.__self__, *args, **keywords)

    def persist(self, /, *args: Any, **keywords: Any) -> Any:
        """Return the results of a call, left where they were computed."""
        return self.__func__.persist(self.__self__, *args, **keywords)

    def bind(self, /, *args: Any, **keywords: Any) -> Bound:
        """Return a call that can be done again."""
        return self.__func__.bind(self.__self__, *args, **keywords)

    def lower(self, /, *args: Any, **keywords: Any) -> tuple[LazyArray, ...]:
        """Return the results of a call, not computed."""
        return self.__func__.lower(self.__self__, *args, **keywords)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__func__, name)


def _found(module: str | None, name: str) -> object:
    """Return what a module has under a dotted name."""
    found: object = sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _place_key(args: tuple[Any, ...]) -> Any:
    """Return what a graph depends on, of arrays of one stream of a GPU and numbers.

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


def _remember_place(
    again: _Again, place: Any, launch: Launch, notes: dict[object, Any], numbers: Sequence[Any]
) -> None:
    """Let the next call with arrays at these places and these numbers replay its graph."""
    if place is None or place[0] is None:
        return
    replay = notes.get(place[0])
    if replay is not None:
        if len(again) >= MAX_LAUNCHES:
            again.clear()
        again[place] = launch, replay.here, list(numbers)


def _layout_key(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what a launch depends on, of arguments that are arrays on a GPU and numbers."""
    key: list[Any] = []
    for value in args:
        if type(value) is LazyArray:
            node: Any = value._node
            key += (node.dtype, node.shape, node.attr.device_array.strides)
        else:
            key.append(type(value))
    return tuple(key)


def _is_argument(value: Any) -> bool:
    return is_array(value) or type(value) is Generator


def _where(given: _Arguments) -> AbstractContextManager[Config]:
    """Return what lets things run where arguments are while others stand for them."""
    changes = {"device": "cuda"} if placed(given.nodes, get_config()) == "cuda" else {}
    return config(**changes)


def _is_lazy(leaf: Any) -> bool:
    return isinstance(leaf, LazyArray) or type(leaf) is Symbol


def _put(table: dict[Any, tuple[Any, ...]], key: Any, value: Any, limit: int) -> None:
    """Add a value before the others of its key; beyond `limit` values the oldest keys go."""
    table[key] = (value, *table.get(key, ()))[:limit]
    while sum(map(len, table.values())) > limit:
        oldest = next(iter(table))
        if oldest == key:
            table[key] = table.pop(key)  # it is in use: the others go first
        else:
            del table[oldest]


def _static_arguments(
    function: Callable[..., Any],
    static_argnums: int | Iterable[int],
    static_argnames: str | Iterable[str],
) -> tuple[frozenset[int], frozenset[str]]:
    """Return the positions and the names of static arguments: each has both, if it can."""
    numbers = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    if not numbers and not names:
        return frozenset(), frozenset()
    parameters = list(inspect.signature(function).parameters.values())
    by_position = [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    any_position = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    any_name = any(p.kind is p.VAR_KEYWORD for p in parameters)
    known = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
    positions: set[int] = set()
    for number in numbers:
        at = number + len(by_position) if number < 0 else number
        if at < 0 or (at >= len(by_position) and not any_position):
            raise ArgumentError(
                f"static_argnums has {number}, but the function takes {len(by_position)} "
                "positional arguments",
                origin=origin(),
            )
        positions.add(at)
    for name in names:
        if name not in known and not any_name:
            raise ArgumentError(
                f"static_argnames has {name!r}, which the function does not take", origin=origin()
            )
        if name in by_position:
            positions.add(by_position.index(name))
    named = {by_position[at] for at in positions if at < len(by_position)}
    return frozenset(positions), frozenset({*names, *named})


@overload
def jit(function: Callable[P, R], /) -> Jitted[P, R]: ...
@overload
def jit(
    *,
    static_argnums: int | Iterable[int] = ...,
    static_argnames: str | Iterable[str] = ...,
) -> Callable[[Callable[P, R]], Jitted[P, R]]: ...
@overload
def jit(
    function: Callable[P, R],
    /,
    *,
    static_argnums: int | Iterable[int] = ...,
    static_argnames: str | Iterable[str] = ...,
) -> Jitted[P, R]: ...
def jit(
    function: Callable[P, R] | None = None,
    /,
    *,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
) -> Jitted[P, R] | Callable[[Callable[P, R]], Jitted[P, R]]:
    """Return a function that computes what `function` does, without building it anew each call.

    The first call runs `function` on LazyArrays without values and keeps the expression that it
    returns, with its machine code. Later calls with arguments of the same structure and types
    run that code; the sizes of arrays and the values of Python numbers may change. The function
    runs again for another structure, another dtype or another number of axes, and where it looks
    at a size (``x.shape``) or at a number (``if n > 2``), for another size or number.

    Parameters
    ----------
    function : callable
        Takes and returns arrays and Python numbers, and tuples, lists, dictionaries, named
        tuples and dataclasses of them, nested in any way. It must depend on its arguments alone:
        what else it reads is taken as it is when it runs (the contents of arrays it captures, as
        they are at each call), and what else it does is done only then.
    static_argnums : int or sequence of int, optional
        Positions of arguments that are passed on as they are, and may be any hashable object.
        The function runs once for each value of them.
    static_argnames : str or sequence of str, optional
        The same by name.

    Returns
    -------
    Jitted
        With ``explain(*args)``, ``lower(*args)``, ``cache_info()`` and ``cache_clear()``. It
        returns NumPy arrays, fresh at every call. Called with LazyArrays, or by another jitted
        function, it returns LazyArrays.

    Raises
    ------
    TracingError
        From a call, if `function` asks for the values of an array: ``if x.sum() > 0``.
    ArgumentError
        From a call, if an argument is neither array, number nor container of such.

    Examples
    --------
    >>> import numpy as np, lazyarr as la
    >>> @la.jit
    ... def scaled(x, factor):
    ...     return {"values": factor * x, "mean": np.mean(x)}
    >>> scaled(np.arange(3.0), 2.0)
    {'values': array([0., 2., 4.]), 'mean': array(1.)}
    >>> scaled(np.arange(5.0), 0.5)["values"]
    array([0. , 0.5, 1. , 1.5, 2. ])
    >>> scaled.cache_info().traced
    1
    """
    if function is None:
        return lambda given: Jitted(given, static_argnums, static_argnames)
    return Jitted(function, static_argnums, static_argnames)
