"""The graph executor by hand: placeholders, feeds, shapes, memory plans, one node after another.

Thin over the expression graph, for teaching and for other front ends. An expression is built of
placeholders with lazyarr's or NumPy's functions, differentiated as a graph, and run with values
for its placeholders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import contiguous_strides
from lazyarr.core.source_location import Origin, origin
from lazyarr.differentiation.functions import replaced
from lazyarr.differentiation.modes import pull_back
from lazyarr.differentiation.rules import zeros
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.function_transforms import jit
from lazyarr.graph.node import Leaf, Node, fresh_leaf, walk
from lazyarr.inspect.program import analyse
from lazyarr.ops.markers import awaited, unmarked
from lazyarr.ops.movement import LEAF

__all__ = [
    "Executor",
    "MemoryPlan",
    "Value",
    "executor",
    "gradients",
    "infer_shape",
    "placeholder",
    "plan_memory",
    "step_through",
]

Array = np.ndarray[Any, Any]
Outputs = LazyArray | Sequence[LazyArray]
Feed = Mapping[str, Any] | Sequence[tuple[LazyArray, Any]]


class _Fed(Leaf):
    """Memory that is named and not there yet."""

    __slots__ = ("name",)
    is_on_host = False

    def __init__(self, name: str, shape: tuple[int, ...]) -> None:
        self.name = name
        self.strides = contiguous_strides(shape)
        self.key = (self, shape)  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @property
    def array(self) -> Array:  # type: ignore[override]
        """Nothing: asking for it is an error."""
        raise ArgumentError(
            f"the placeholder {self.name!r} has no value",
            origin=origin(),
            hint="run the expression with lazyarr.executor.executor(outputs, feed_dict)",
        )

    @property
    def address(self) -> int:  # type: ignore[override]
        """Nothing either."""
        return int(self.array.ctypes.data)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a graph.

    Attributes
    ----------
    name : str
        Its operation, or the name of a placeholder.
    shape : tuple of int
        Sizes of its axes.
    dtype : numpy.dtype
        Type of its elements.
    nbytes : int
        Bytes if it is stored.
    origin : tuple of (str, int), optional
        File and line that built it.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    nbytes: int
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The memory that the stored values of an expression share.

    Attributes
    ----------
    peak_bytes : int
        The largest amount in use at one time, results included and placeholders not.
    unshared_bytes : int
        The sum of the stored values' sizes: the memory of a plan in which none shares any.
    every_value_bytes : int
        The sum of the sizes of all values of the graph: the memory of a plan that stores each.
    buffers : tuple of (str, int, tuple of str)
        Name and bytes of each buffer, and the operations whose values it holds in turn.
    """

    peak_bytes: int
    unshared_bytes: int
    every_value_bytes: int
    buffers: tuple[tuple[str, int, tuple[str, ...]], ...]


def placeholder(name: str, shape: int | Sequence[int], dtype: Any = np.float64) -> LazyArray:
    """Return an array that gets its value when the executor runs.

    Parameters
    ----------
    name : str
        The key of its value in a feed.
    shape : int or sequence of int
        Sizes of its axes.
    dtype : dtype
        Type of its elements.

    Returns
    -------
    LazyArray
        To build expressions of.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.executor.placeholder("x", 3)
    >>> y = (x * x).sum()
    >>> (dx,) = la.executor.gradients(y, [x])
    >>> la.executor.executor([y, dx], {"x": [1.0, 2.0, 3.0]})
    (array(14.), array([2., 4., 6.]))
    """
    if not isinstance(name, str) or not name:
        raise ArgumentError(f"a placeholder needs a name, got {name!r}", origin=origin())
    axes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not all(isinstance(n, (int, np.integer)) and n >= 0 for n in axes):
        raise ShapeError(f"{shape!r} is not a shape", origin=origin())
    sizes = tuple(int(n) for n in axes)
    leaf = fresh_leaf(LEAF, build.as_dtype(dtype), sizes, _Fed(name, sizes), origin())
    return LazyArray(awaited(leaf))


class Executor:
    """Computes outputs of a graph for values of its placeholders, again and again.

    The plan is made in the first run; further runs bind values to it and launch.

    Parameters
    ----------
    outputs : LazyArray or sequence of LazyArray
        What to compute.

    Attributes
    ----------
    names : tuple of str
        The placeholders that the outputs need.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.executor.placeholder("x", (2,))
    >>> run = la.executor.Executor(2 * x)
    >>> run({"x": [1.0, 2.0]}), run({"x": [3.0, 4.0]})
    (array([2., 4.]), array([6., 8.]))
    """

    def __init__(self, outputs: Outputs) -> None:
        self._roots = _roots(outputs)
        self._single = isinstance(outputs, LazyArray)
        self._places = _placeholders(self._roots)
        self._run = jit(self._replaced)

    @property
    def names(self) -> tuple[str, ...]:
        """The placeholders that the outputs need."""
        return tuple(self._places)

    def _replaced(self, values: list[Any]) -> tuple[LazyArray, ...]:
        known = {
            place: as_lazy(value)._node
            for place, value in zip(self._places.values(), values, strict=True)
        }
        return tuple(LazyArray(root) for root in replaced(self._roots, known))

    def __call__(self, feed_dict: Feed) -> Any:
        """Return the outputs as NumPy arrays: one for one output, else a tuple.

        Parameters
        ----------
        feed_dict : mapping or sequence of pairs
            A value for each placeholder, by its name or beside the placeholder itself.

        Raises
        ------
        ArgumentError, ShapeError, DTypeError
            If a value is missing, names no placeholder, or does not fit it.
        """
        results = self._run(_fed(self._places, feed_dict))
        return results[0] if self._single else tuple(results)


def executor(outputs: Outputs, feed_dict: Feed | None = None) -> Any:
    """Return the values of outputs; without a feed, an :class:`Executor` of them.

    Parameters
    ----------
    outputs : LazyArray or sequence of LazyArray
        What to compute.
    feed_dict : mapping or sequence of pairs, optional
        A value for each placeholder.

    Returns
    -------
    numpy.ndarray, tuple of numpy.ndarray, or Executor
        The values; without `feed_dict` an :class:`Executor`.
    """
    program = Executor(outputs)
    return program if feed_dict is None else program(feed_dict)


def gradients(
    output: LazyArray, inputs: Sequence[LazyArray], cotangent: Any = None
) -> tuple[LazyArray, ...]:
    """Return the derivatives of an output, as expressions of the same placeholders.

    Parameters
    ----------
    output : LazyArray
        What to differentiate. Without `cotangent` it is a real scalar.
    inputs : sequence of LazyArray
        With respect to what: placeholders, or any values in between.
    cotangent : array_like, optional
        Like the output: the weights of its elements.

    Returns
    -------
    tuple of LazyArray
        One for each input, of its shape and dtype.
    """
    (root,) = _roots(output)
    if cotangent is None:
        if root.shape or kind_of(root.dtype) != "f":
            raise ShapeError(
                f"gradients needs a real scalar, got {root.dtype} of shape {root.shape}",
                origin=origin(),
                hint="sum the output, or pass cotangent=",
            )
        weight = LazyArray(build.constant(1, root.dtype))
    else:
        seed = as_lazy(cotangent)._node
        if seed.shape != root.shape:
            raise ShapeError(
                f"cotangent= has shape {seed.shape}, the output {root.shape}", origin=origin()
            )
        weight = LazyArray(build.cast(seed, root.dtype))
    places = list(_roots(inputs)) if inputs else []
    for place in places:
        if kind_of(place.dtype) not in "fc":
            raise DTypeError(
                f"gradients needs floating-point inputs, got dtype {place.dtype}",
                origin=place.origin or origin(),
            )
    derivatives = pull_back([root], places, [weight])
    nodes = [
        (zeros(place) if value is None else value)._node
        for value, place in zip(derivatives, places, strict=True)
    ]
    return tuple(LazyArray(node) for node in replaced(nodes, {}))


def infer_shape(outputs: Outputs) -> tuple[Value, ...]:
    """Return shape, dtype and origin of each value of a graph, operands first; computes nothing.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.executor.placeholder("x", (4, 3))
    >>> [(value.name, value.shape) for value in la.executor.infer_shape(la.exp(x).sum(axis=0))]
    [('x', (4, 3)), ('exp', (4, 3)), ('sum', (3,))]
    """
    return tuple(_described(node) for node in walk(_roots(outputs)))


def plan_memory(outputs: Outputs) -> MemoryPlan:
    """Return the memory plan of an expression: the buffers that its stored values share in turn.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.executor.placeholder("x", (1000,))
    >>> plan = la.executor.plan_memory(la.sqrt(la.exp(x) + 1))
    >>> plan.peak_bytes, plan.every_value_bytes
    (8000, 24000)
    """
    roots = _roots(outputs)
    plan = analyse(roots).plan
    computed = [node for node in walk(roots) if node.src and unmarked(node) is node]
    buffers = tuple(
        (buffer.name, buffer.nbytes, tuple(value.op.name for value in buffer.values))
        for buffer in plan.buffers
    )
    return MemoryPlan(
        plan.peak_bytes,
        sum(value.nbytes for buffer in plan.buffers for value in buffer.values),
        sum(node.nbytes for node in computed),
        buffers,
    )


def step_through(outputs: Outputs, feed_dict: Feed) -> Iterator[tuple[Value, Array]]:
    """Yield each value of a graph as NumPy computes it, operands first: for debugging.

    Parameters
    ----------
    outputs : LazyArray or sequence of LazyArray
        What to compute.
    feed_dict : mapping or sequence of pairs
        A value for each placeholder.

    Yields
    ------
    Value
        What is computed.
    numpy.ndarray
        Its elements.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.executor.placeholder("x", (2,))
    >>> for value, array in la.executor.step_through(x * x + x, {"x": [1.0, 2.0]}):
    ...     print(value.name, array)
    x [1. 2.]
    multiply [1. 4.]
    add [2. 6.]
    """
    roots = _roots(outputs)
    places = _placeholders(roots)
    feeds = dict(zip(places.values(), _fed(places, feed_dict), strict=True))
    values: dict[Node, Array] = {}
    for node in walk(roots):
        fed = feeds.get(node)
        array = fed
        if array is None:
            array = node.op.evaluate(node, *[values[source] for source in node.src])
        values[node] = array
        yield _described(node), array


def _roots(outputs: Outputs) -> tuple[Node, ...]:
    listed = [outputs] if isinstance(outputs, LazyArray) else list(outputs)
    for output in listed:
        if not isinstance(output, LazyArray):
            raise ArgumentError(
                f"expected LazyArrays, got {type(output).__name__}", origin=origin()
            )
    if not listed:
        raise ArgumentError("expected at least one output", origin=origin())
    return tuple(output._node for output in listed)


def _placeholders(roots: Sequence[Node]) -> dict[str, Node]:
    places: dict[str, Node] = {}
    for node in walk(roots):
        if isinstance(node.attr, _Fed):
            name = node.attr.name
            if places.setdefault(name, node) is not node:
                raise ArgumentError(
                    f"two placeholders are named {name!r}", origin=node.origin or origin()
                )
    return places


def _fed(places: Mapping[str, Node], feed_dict: Feed) -> list[Array]:
    """Return the values of placeholders in their order, checked."""
    values: dict[str, Any] = {}
    for key, value in feed_dict.items() if isinstance(feed_dict, Mapping) else feed_dict:
        attr = key._node.attr if isinstance(key, LazyArray) else None
        name = attr.name if isinstance(attr, _Fed) else key
        if not isinstance(name, str):
            raise ArgumentError(
                "the keys of a feed must be placeholders or their names, got "
                f"{type(name).__name__}",
                origin=origin(),
            )
        values[name] = value
    unknown = values.keys() - places.keys()
    missing = places.keys() - values.keys()
    if missing or unknown:
        text = ", ".join(sorted(missing or unknown))
        what = (
            "the feed has no value for"
            if missing
            else "the outputs do not depend on a placeholder named"
        )
        raise ArgumentError(f"{what} {text}", origin=origin())
    return [_fitting(name, place, values[name]) for name, place in places.items()]


def _fitting(name: str, place: Node, value: Any) -> Array:
    array = np.asarray(value)
    if array.shape != place.shape:
        raise ShapeError(
            f"the placeholder {name!r} has shape {place.shape}, its value {array.shape}",
            origin=origin(),
        )
    build.check_cast(array.dtype, place.dtype, "same_kind")
    return np.asarray(array, place.dtype)


def _described(node: Node) -> Value:
    name = node.attr.name if isinstance(node.attr, _Fed) else node.op.name
    return Value(name, node.shape, node.dtype, node.nbytes, node.origin)


def __dir__() -> list[str]:
    return sorted(__all__)
