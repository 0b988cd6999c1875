"""Functions of arrays that are traced once and then run as compiled code."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, overload

import numpy as np

from lazyarr.arrays.evaluation import persist
from lazyarr.arrays.immediate import suspended
from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.arrays.native import new_array
from lazyarr.core import tuning
from lazyarr.core.config import get_config
from lazyarr.core.donation import is_disjoint
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.function_transforms.bound_call import Bound
from lazyarr.function_transforms.call_tables import CallTables, place_key
from lazyarr.function_transforms.donation import DonatedArguments, Donating
from lazyarr.function_transforms.jitted_method import JittedMethod
from lazyarr.function_transforms.nested_calls import UNKNOWN_CALL, NestedCalls, call_key
from lazyarr.function_transforms.retracing import TraceInfo
from lazyarr.function_transforms.specialization import Launch
from lazyarr.function_transforms.specializer import Specializer, invoke
from lazyarr.function_transforms.static_arguments import arguments_named, is_argument, structure_of
from lazyarr.function_transforms.trace_lock import trace_lock
from lazyarr.function_transforms.written_arguments import deliver_written
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Leaf
from lazyarr.random import Generator
from lazyarr.runtime.run_log import listeners
from lazyarr.tracing import Mismatch, Symbol, current, is_differentiating, running, scope
from lazyarr.tracing.pytree import (
    NUMBERS,
    Branch,
    Structure,
    flatten,
)

if TYPE_CHECKING:
    from lazyarr.inspect import Explanation

__all__ = ["Bound", "Jitted", "jit"]

P = ParamSpec("P")
R = TypeVar("R")
_OPEN = NUMBERS | {Symbol, Generator}


class Jitted(Donating, Generic[P, R]):
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
        donate: int | str | Iterable[int | str] = (),
    ) -> None:
        if not callable(function):
            raise ArgumentError(
                f"jit takes a function, got {type(function).__name__}", origin=origin()
            )
        functools.update_wrapper(self, function)
        self._positions, self._names = arguments_named(function, static_argnums, static_argnames)
        self._donate = donate
        self._donated = DonatedArguments(function, donate)
        self._clear()

    def _clear(self) -> None:
        self._tables = CallTables()
        self._nested = NestedCalls()
        self._nested_persists = NestedCalls()
        name = getattr(self, "__name__", "the function")
        self._specializer = Specializer(self.__wrapped__, name)

    def __call__(self, /, *args: P.args, **keywords: P.kwargs) -> R:
        """Return the function's result, with its arrays computed."""
        tables = self._tables
        settings, small = tables.small
        if small and not (keywords or running or listeners()):
            if get_config() is settings and is_disjoint(args):
                for call in small:
                    result = call(*args)
                    if result is not None:
                        return cast("R", result)
        settings, launches = tables.plain
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
                    if not is_disjoint(arrays):
                        break  # an error, which the general way raises
                    try:
                        return cast("R", launch.run(arrays, numbers, generators))
                    except Mismatch:
                        continue
        if self._nested and not keywords and not running:
            nested = self._nested.call(args, get_config(), self._specializer.name)
            if nested is not UNKNOWN_CALL:
                return cast("R", nested)
        return cast("R", self._call(args, keywords))

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else JittedMethod(self, instance)

    def __repr__(self) -> str:
        return f"<jitted {self.__wrapped__!r}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        # What is compiled stays in its process. A decorated function of a module is found there
        # by its name; others, and those of a script, go by value if the pickler can do that.
        module = getattr(self, "__module__", None)
        name = getattr(self, "__qualname__", "")
        if module != "__main__" and _resolve(module, name) is self:
            return name
        static_names = tuple(self._positions), tuple(self._names)
        return Jitted, (self.__wrapped__, *static_names, self._donate)

    def cache_info(self) -> TraceInfo:
        """Return the counts of traces and plans, and why the function was traced again."""
        info: TraceInfo = self._specializer.info()
        return info

    def cache_clear(self) -> None:
        """Forget all traces; the next call traces again."""
        with trace_lock():
            self._clear()

    def persist(self, /, *args: Any, **keywords: Any) -> Any:
        """Return the function's result, with its arrays computed and left where they are.

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
        tables = self._tables
        settings, launches, replays = tables.on_device
        if not keywords and get_config() is settings and not running:
            # The most common case, with as little work as can be: all is where it was.
            place = None
            if replays and tables.missed < tuning.row().misses:
                place = place_key(args)
                known = replays.get(place)
                if known is not None:
                    launch, replay, result_numbers = known
                    computed = replay()
                    if computed is not None:
                        return launch.wrap(computed, result_numbers)
                tables.missed += 1
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
                        tables.remember_place(place or place_key(args), launch, notes, numbers)
                    return result
        if self._nested_persists and not keywords and not running:
            name = self._specializer.name
            nested = self._nested_persists.persist(args, get_config(), name)
            if nested is not UNKNOWN_CALL:
                return nested
        leaves: list[Any] = []
        structure = self._flatten(args, keywords, leaves)
        if scope() is not None:
            return _inlined(self.__wrapped__, structure, leaves)
        for index, leaf in enumerate(leaves):
            if isinstance(leaf, LazyArray) and not isinstance(leaf._node.attr, Leaf):
                leaves[index] = persist(leaf)
        donated = self._donated.leaves(structure) if self._donated else ()
        layout = None if keywords else call_key(leaves)
        returned, launch = self._specializer.run(structure, leaves, Launch.persist, donated)
        if not (keywords or self._positions or self._donated):
            self._tables.remember_on_device(args, launch, get_config())
        with trace_lock():
            self._nested_persists.remember(structure, layout, launch, get_config(), donated)
        return returned

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
            raise ArgumentError("bind cannot be called inside a traced function", origin=origin())
        for index, leaf in enumerate(leaves):
            if isinstance(leaf, LazyArray) and not isinstance(leaf._node.attr, Leaf):
                leaves[index] = persist(leaf)
        self._donated.refuse_bound()
        (results, again), _ = self._specializer.run(structure, leaves, Launch.bind)
        return Bound(results, again)

    def explain(self, /, *args: Any, **keywords: Any) -> Explanation:
        """Return :func:`lazyarr.explain` of the results for these arguments; runs nothing."""
        from lazyarr.inspect import explain
        from lazyarr.inspect.explaining import explain_program

        leaves: list[Any] = []
        structure = self._flatten(args, keywords, leaves)
        if not self._donated or scope() is not None or any(map(_is_lazy, leaves)):
            return explain(*self.lower(*args, **keywords))
        return explain_program(
            self._specializer.analyse(structure, leaves, self._donated.leaves(structure))
        )

    def lower(self, /, *args: Any, **keywords: Any) -> tuple[LazyArray, ...]:
        """Return the arrays among the results for these arguments, not computed.

        They are expressions of the arguments, for :func:`lazyarr.visualize` and the like.
        """
        leaves: list[Any] = []
        structure = self._flatten(args, keywords, leaves)
        if scope() is not None or any(map(_is_lazy, leaves)):
            results: list[Any] = []
            returned = _inlined(self.__wrapped__, structure, leaves)
            flatten(returned, lambda x: isinstance(x, LazyArray), results)
            return tuple(results)
        with suspended():  # of placeholders nothing is computed
            return tuple(map(LazyArray, self._specializer.roots(structure, leaves)))

    # -- calling -----------------------------------------------------------------------------

    def _call(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Call with any arguments."""
        leaves: list[Any] = []
        structure = self._flatten(args, keywords, leaves)
        if scope() is not None or any(map(_is_lazy, leaves)):
            if self._donated and scope() is None and not is_differentiating():
                return self.persist(*args, **keywords)  # what is given away is given away now
            returned = _inlined(self.__wrapped__, structure, leaves)
            if scope() is None:
                self._specializer.note_inlined(returned)
            return returned
        donated = self._donated.leaves(structure) if self._donated else ()
        layout = None if keywords else call_key(leaves)
        returned, launch = self._specializer.run(structure, leaves, Launch.run, donated)
        if not keywords:
            with trace_lock():
                if not (self._positions or self._donated) and all(map(is_argument, args)):
                    self._tables.remember(args, launch, get_config())
                else:
                    settings = get_config()
                    self._nested.remember(structure, layout, launch, settings, donated, leaves)
        return returned

    def _flatten(
        self, args: tuple[Any, ...], keywords: dict[str, Any], leaves: list[Any]
    ) -> Branch:
        """Return the structure of the arguments, and their leaves."""
        items: list[Structure] = []
        called = self._specializer.name
        for index, value in enumerate(args):
            is_static = index in self._positions
            items.append(structure_of(value, is_static, (called, f"number {index}"), leaves))
        names = tuple(sorted(keywords))
        for name in names:
            where = (called, repr(name))
            items.append(structure_of(keywords[name], name in self._names, where, leaves))
        return Branch(tuple, names, tuple(items))


def _inlined(function: Callable[..., Any], structure: Branch, leaves: Sequence[Any]) -> Any:
    """Call the function itself, with LazyArrays."""
    values = [leaf if type(leaf) in _OPEN else _as_argument(leaf) for leaf in leaves]
    before = [value._node if isinstance(value, LazyArray) else None for value in values]
    result = invoke(function, structure, values)
    written = [
        (value, leaf)
        for leaf, value, node in zip(leaves, values, before, strict=True)
        if isinstance(leaf, np.ndarray) and value._node is not node
    ]
    if written:
        deliver_written(written, result)
    return result


def _as_argument(leaf: Any) -> LazyArray:
    """Return an argument as a LazyArray; one of NumPy's integers stays a number, as for indices."""
    return new_array(LazyArray, leaf, None, 0) if isinstance(leaf, np.integer) else as_lazy(leaf)


def _resolve(module: str | None, name: str) -> object:
    """Return the object of a module with a dotted name."""
    value: object = sys.modules.get(module or "")
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def _is_lazy(leaf: Any) -> bool:
    return isinstance(leaf, LazyArray) or type(leaf) is Symbol


@overload
def jit(function: Callable[P, R], /) -> Jitted[P, R]: ...
@overload
def jit(
    *,
    static_argnums: int | Iterable[int] = ...,
    static_argnames: str | Iterable[str] = ...,
    donate: int | str | Iterable[int | str] = ...,
) -> Callable[[Callable[P, R]], Jitted[P, R]]: ...
@overload
def jit(
    function: Callable[P, R],
    /,
    *,
    static_argnums: int | Iterable[int] = ...,
    static_argnames: str | Iterable[str] = ...,
    donate: int | str | Iterable[int | str] = ...,
) -> Jitted[P, R]: ...
def jit(
    function: Callable[P, R] | None = None,
    /,
    *,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
    donate: int | str | Iterable[int | str] = (),
) -> Jitted[P, R] | Callable[[Callable[P, R]], Jitted[P, R]]:
    """Return a function that traces `function` once and runs its compiled plan at each call.

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
    donate : int, str, or sequence of these, optional
        Positions and names of arguments that the caller needs no more. Results of an array's
        shape and dtype lie in its memory where the plan reads it before; lazyarr refuses the
        array afterwards. On a GPU its memory goes back to the pool. Called with LazyArrays, such
        a function computes at once, as its `persist` does.

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
        return lambda decorated: Jitted(decorated, static_argnums, static_argnames, donate)
    return Jitted(function, static_argnums, static_argnames, donate)
