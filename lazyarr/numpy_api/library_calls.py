"""Calls of library functions: lazy ones as nodes, and immediate ones."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import lazy_values
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, wrap
from lazyarr.arrays.native_rows import quicker
from lazyarr.arrays.small_operands import in_memory
from lazyarr.builders import build
from lazyarr.core.dtypes import is_supported
from lazyarr.core.source_location import called_at, origin
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.graph.node import Early, Node, Op, node
from lazyarr.graph.storage import Layout, note_layout
from lazyarr.numpy_api.ufunc_arguments import store_into
from lazyarr.ops.library import (
    LIBRARY,
    Call,
    freeze,
    library_function,
    packed_starts,
)
from lazyarr.ops.markers import Derivation, is_differentiated, refuse_differentiated

__all__ = [
    "NO_LAZY_FORM",
    "call_library",
    "compute_now",
    "device_library",
    "library_node",
    "packed",
    "tiny",
]


NO_LAZY_FORM = "it has no lazy form"

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
Shape = tuple[int, ...]


def library_node(
    op: Op,
    args: Iterable[Any],
    keywords: dict[str, Any],
    shape: Shape,
    dtype: DType,
    outputs: tuple[tuple[Shape, DType], ...] = (),
) -> Node:
    """Return the node of a library call.

    Parameters
    ----------
    op : Op
        From :func:`lazyarr.ops.library.library_function` or its table.
    args : iterable
        Arguments of the function; nodes and arrays, also within lists and tuples, become sources.
    keywords : dict
        Keywords of the function, treated alike.
    shape : tuple of int
        Of the result.
    dtype : numpy.dtype
        Of the result.
    outputs : tuple of (tuple of int, numpy.dtype)
        For a function of several results that are packed into one block of bytes: shape and dtype
        of each.

    Returns
    -------
    Node
        Of a library operation; all other arguments are its attribute.
    """
    sources: list[Node] = []

    def slot(value: Any) -> int | None:
        if isinstance(value, Node):
            sources.append(value)
        elif isinstance(value, (LazyArray, np.ndarray)):
            sources.append(as_node(value))
        else:
            return None
        return len(sources) - 1

    frozen = tuple(freeze(argument, slot) for argument in args)
    named = tuple((key, freeze(value, slot)) for key, value in keywords.items())
    operands = tuple(in_memory(sources))
    return node(op, operands, dtype, shape, Call(frozen, named, outputs), origin())


def call_library(
    name: str,
    function: Callable[..., Any],
    args: Iterable[Any],
    shape: Shape,
    dtype: Any,
    **keywords: Any,
) -> LazyArray:
    """Return a lazy call of a NumPy or SciPy function.

    Parameters
    ----------
    name : str
        The operation's name, in plans and messages.
    function : callable
        Takes and returns ndarrays.
    args : iterable
        Its arguments; arrays may be lazy.
    shape : tuple of int
        Of its result.
    dtype : dtype
        Of its result.
    **keywords : object
        Its keywords.

    Returns
    -------
    LazyArray
        Computed when it is evaluated, by NumPy or by a library of the device that covers the
        operation.
    """
    op = library_function(name, function)
    return wrap(library_node(op, args, keywords, shape, build.as_dtype(dtype)))


def packed(
    function: Callable[..., Any],
    args: Iterable[Any],
    outputs: list[tuple[Shape, DType]],
    **keywords: Any,
) -> tuple[LazyArray, ...]:
    """Return the lazy results of a library function that returns several arrays; it is called once.

    Parameters
    ----------
    function : callable
        Takes ndarrays and returns a sequence of them.
    args : iterable
        Its arguments; arrays may be lazy.
    outputs : list of (tuple of int, numpy.dtype)
        Shape and dtype of each result.
    **keywords : object
        Its keywords.

    Returns
    -------
    tuple of LazyArray
        Parts of one block of bytes.
    """
    sizes = [prod(shape) * dtype.itemsize for shape, dtype in outputs]
    starts, total = packed_starts(sizes)
    whole = library_node(
        LIBRARY["pack"], (function, *args), keywords, (total,), np.dtype(np.uint8), tuple(outputs)
    )
    return tuple(
        wrap(library_node(LIBRARY["unpack"], (whole, start, shape, dtype), {}, shape, dtype))
        for start, (shape, dtype) in zip(starts, outputs, strict=True)
    )


def device_library(device: str, value: Node) -> tuple[bool, str]:
    """Return whether a library of a device computes a step, and which one, or why none does.

    Parameters
    ----------
    device : str
        A device other than the host.
    value : Node
        The step.
    """
    from lazyarr.compiler.targets import target_named  # most processes see no other device

    library = target_named(device).library_of(value)
    assert library is not None
    return library


def compute_now(
    function: Callable[..., Any], args: Any, keywords: Any, reason: str = NO_LAZY_FORM
) -> Any:
    """Return the result of a function that is called immediately.

    The results remember that they were computed while the expression was built, and for which
    `reason`; ``explain`` lists them.

    Parameters
    ----------
    function : callable
        Of NumPy, or one that takes and returns ndarrays.
    args : sequence
        Its arguments; LazyArrays among them are evaluated, and are read-only to it.
    keywords : dict
        Its keywords; ``out`` takes the result on.
    reason : str
        A clause that says why it has no lazy form, for ``explain``.

    Returns
    -------
    object
        The function's result, with LazyArrays in the places of ndarrays.
    """
    module = getattr(function, "__module__", None) or "numpy"
    call = _CallAtOnce(f"{module}.{getattr(function, '__name__', repr(function))}", reason)
    out = keywords.get("out")
    options = {key: value for key, value in keywords.items() if key != "out"}
    args = tuple(args)
    call.compute((args, tuple(options.values())))
    line = origin()
    values = call.concrete(args)
    function = quicker(function, values)
    try:
        value = called_at(line, function, values, call.concrete(options))
    except ValueError as error:
        if "__array__" not in str(error):
            raise
        args, any_lazy = lazy_values(args)  # NumPy takes no LazyArrays from that method
        if not any_lazy:
            raise
        value = called_at(line, function, call.concrete(args), call.concrete(options))
    if value is None:  # it wrote to an ndarray, which knows nothing of derivatives
        call.refuse_differentiated()
    result = call.wrap(value, args, options)
    return result if out is None else store_into(as_lazy(result), out)


def derived_call(
    arrays: Iterable[Node], args: tuple[Any, ...], keywords: dict[str, Any], sources: list[Node]
) -> Call:
    """Return the arguments of a function that was called at once, for its derivative.

    Parameters
    ----------
    arrays : iterable of Node
        The arrays among the arguments.
    args, keywords : tuple, dict
        The arguments. If one of them cannot be an attribute, the call has none, and its
        derivative is refused.
    sources : list of Node
        Takes the arrays on, which the slots of the call refer to: 1 is the first, as the value
        itself comes before them.
    """

    def slot(value: Any) -> int | None:
        if not isinstance(value, (LazyArray, np.ndarray)):
            return None
        sources.append(as_node(value))
        return len(sources)

    try:
        positional = tuple([freeze(argument, slot) for argument in args])
        named = tuple([(key, freeze(value, slot)) for key, value in keywords.items()])
    except (ArgumentError, DTypeError):
        sources[:] = arrays
        return Call()
    return Call(positional, named)


class _CallAtOnce:
    """The arguments and results of a function that is called while the expression is built.

    Parameters
    ----------
    name : str
        The function's, with its module.
    reason : str
        A clause that says why it has no lazy form.
    """

    # Methods, not functions that name themselves: those would be a reference cycle, which keeps the
    # arguments until the garbage collector comes by.

    def __init__(self, name: str, reason: str) -> None:
        self._name = name
        self._reason = reason
        self._bytes_read = 0
        self._arguments: list[Node] = []
        self._results = 0

    def compute(self, value: Any) -> None:
        """Let the arrays of an argument lie in memory, before any other memory is referred to.

        The evaluations see by references whose memory the user may write to.
        """
        if isinstance(value, LazyArray):
            value._value(self._name, self._reason)
        elif type(value) in (list, tuple):
            for item in value:
                self.compute(item)

    def concrete(self, value: Any) -> Any:
        """Return an argument with read-only ndarrays in the places of LazyArrays.

        Lists and dicts without any are the same objects: they may become elements of an array.
        """
        if isinstance(value, LazyArray):
            self._arguments.append(value._node)
            array = value._value(self._name, self._reason)
            self._bytes_read += array.nbytes
            # It may be the user's: what writes into it is refused.
            array = array.view()
            array.flags.writeable = False
            return array
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            items = [*map(self.concrete, value)]
            is_changed = any(map(operator.is_not, items, value))
            return type(value)(items) if is_changed else value
        if type(value) is dict:
            named = {key: self.concrete(item) for key, item in value.items()}
            is_changed = any(map(operator.is_not, named.values(), value.values()))
            return named if is_changed else value
        return value

    def refuse_differentiated(self) -> None:
        """Raise DifferentiationError if a derivative under construction depends on the values."""
        refuse_differentiated(self._arguments, self._name)

    def wrap(self, value: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Return a result with LazyArrays in the places of ndarrays.

        Parameters
        ----------
        value : object
            The result.
        args, keywords : tuple, dict
            The arguments of the call, which derivatives refer to.
        """
        sources: list[Node] = []
        call = None
        if is_differentiated(self._arguments):
            call = derived_call(self._arguments, args, keywords, sources)
        return self._wrap(value, call, tuple(sources))

    def _wrap(self, value: Any, call: Call | None, sources: tuple[Node, ...]) -> Any:
        is_number = call is not None and isinstance(value, np.inexact)
        if is_number or (isinstance(value, np.ndarray) and type(value) is np.ndarray):
            if not is_supported(value.dtype):
                return value
            array = np.asarray(value)
            leaf = build.leaf(array, Early(self._name, self._reason, self._bytes_read))
            if not array.flags.c_contiguous and array.ndim > 1:
                lies = Layout(0, array.shape, array.strides, array.itemsize)
                note_layout(leaf, lies)
            if call is not None:
                # So that its derivative is known, or refused, and not silently zero.
                derivation = Derivation(self._name, self._results, call)
                leaf = build.derived(leaf, sources, derivation)
            self._results += 1
            return wrap(leaf)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self._wrap(part, call, sources) for part in value))
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(self._wrap(part, call, sources) for part in value)
        return value


def tiny(dtype: DType, *shape: int) -> Array:
    """Return a small array to learn a function's result dtype from: ones, or an identity.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    *shape : int
        Lengths of the axes; two equal ones give an identity.
    """
    if len(shape) == 2 and shape[0] == shape[1]:
        return np.eye(shape[0], dtype=dtype)
    return np.ones(shape, dtype)
