"""``fori_loop`` and ``while_loop``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.builders import build
from lazyarr.control_flow import replayed_loop
from lazyarr.control_flow.body_trace import Traced, trace
from lazyarr.control_flow.fused_loop import kernel_loops
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import replace
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Node, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import ARGUMENT

__all__ = ["fori_loop", "iteration_count", "last_state", "while_loop"]

INT64 = np.dtype(np.int64)

_Array: TypeAlias = LazyArray | np.ndarray[Any, Any] | complex | np.generic
_State = TypeVar("_State")


@overload
def fori_loop(n: Any, body: Callable[..., Any], init: _Array) -> LazyArray: ...
@overload
def fori_loop(n: Any, body: Callable[..., Any], init: _State) -> _State: ...
@overload
def fori_loop(lower: Any, upper: Any, body: Callable[..., Any], init: _Array, /) -> LazyArray: ...
@overload
def fori_loop(lower: Any, upper: Any, body: Callable[..., Any], init: _State, /) -> _State: ...
def fori_loop(n: Any, body: Any, init: Any, *rest: Any) -> Any:
    """Return the state after `n` iterations: ``for i in range(n): state = body(i, state)``.

    Also called as ``fori_loop(lower, upper, body, init)``, for ``i in range(lower, upper)``.

    `body` is called once, to see what it does. Where that is elementwise arithmetic on the states,
    the whole loop runs inside one kernel: each element's state stays in registers, and what is
    done before and after the loop is part of the same pass. Other bodies (stencils, reductions,
    matrix products) become one plan that is run `n` times between two sets of buffers. Neither
    takes longer to compile for a larger `n`, and another `n` compiles nothing.

    Parameters
    ----------
    n : int or 0-d integer array
        The number of iterations. A lazy `n` below 0 counts as 0.
    body : callable
        ``body(i, state)`` returns the next state: the same containers, shapes and dtypes. `i` is
        a number from 0; next to an array it takes the array's dtype, as Python's numbers do. The
        function may use arrays from outside. It must not depend on values: ``if`` on an array is
        an error, :func:`lazyarr.where` does it.
    init : array_like, or tuple, list, dict or named tuple of them
        The first state.
    *rest : array_like, or tuple, list, dict or named tuple of them
        The first state, where the limits of `i` are the first two arguments.

    Returns
    -------
    LazyArray, or containers of LazyArrays as in `init`
        The last state.

    Raises
    ------
    ArgumentError
        If `n` is negative or no integer, or `body` returns other containers than it was given.
    ShapeError, DTypeError
        If an iteration changes a state's shape or dtype.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.asarray([0.0, 0.25, 0.5])
    >>> la.fori_loop(3, lambda i, x: x * x - 0.25, x).compute()
    array([-0.21484375, -0.20384216, -0.1875    ])
    >>> la.fori_loop(5, lambda i, total: total + i * x, la.zeros(3)).compute()
    array([0. , 2.5, 5. ])
    """
    if rest:
        if len(rest) != 1:
            raise TypeError("fori_loop takes (n, body, init) or (lower, upper, body, init)")
        lower, upper, body, init = n, body, init, rest[0]
        return _counted(lower, upper, body, init)
    return _counted(0, n, body, init)


def _counted(lower: Any, upper: Any, body: Callable[..., Any], init: Any) -> Any:
    if not callable(body):
        raise ArgumentError(
            f"the body of a loop must be a function, got {type(body).__name__}", origin=origin()
        )
    start = _whole(lower, "lower limit")
    stop = _whole(upper, "number of iterations")
    if isinstance(start, int) and isinstance(stop, int):
        count: int | LazyArray = stop - start
        if not start and stop < 0:
            raise ArgumentError(
                f"the number of iterations must not be negative, got {stop}", origin=origin()
            )
    else:
        count = stop - start

    def step(i: LazyArray, state: Any) -> Any:
        return body(i if isinstance(start, int) and start == 0 else i + start, state)

    traced = trace(init, step, None, max(count, 0) if isinstance(count, int) else None)
    return last_state(traced, iteration_count(count))


@overload
def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], init: _Array, limit: int | None = None
) -> LazyArray: ...
@overload
def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], init: _State, limit: int | None = None
) -> _State: ...
def while_loop(cond: Any, body: Any, init: Any, limit: int | None = None) -> Any:
    """Return the state after ``while cond(state): state = body(state)``.

    A condition with one value, such as ``(error > 1e-6).any()``, is that of the whole loop: all
    elements take the same number of iterations, as in JAX. A condition with a value for each
    element is an extension: each element is iterated until its own condition fails, and keeps its
    state from then on. Body and condition must then be elementwise, and the loop runs inside one
    kernel.

    Parameters
    ----------
    cond : callable
        ``cond(state)`` returns a bool array: of shape (), or of the shape that every state has.
    body : callable
        ``body(state)`` returns the next state: the same containers, shapes and dtypes.
    init : array_like, or tuple, list, dict or named tuple of them
        The first state.
    limit : int, optional
        The most iterations; the states are then those after so many, whether the condition holds or
        not. A loop with a limit is differentiated backward too, and takes as long as `limit`
        iterations: the body is also computed of states that are kept, which may warn, and an
        infinite derivative there makes the gradient NaN.

    Returns
    -------
    LazyArray, or containers of LazyArrays as in `init`
        The last state.

    Raises
    ------
    ArgumentError
        If `body` returns other containers than it was given, a condition with a value for each
        element comes with a body that is not elementwise, or `limit` is no number of iterations.
    ShapeError, DTypeError
        If an iteration changes a state's shape or dtype, or the condition is no bool array that
        fits.

    Examples
    --------
    How often numbers can be halved before they are below one:

    >>> import lazyarr as la
    >>> x = la.asarray([0.5, 3.0, 1000.0])
    >>> _, iterations = la.while_loop(
    ...     lambda s: s[0] >= 1, lambda s: (s[0] / 2, s[1] + 1), (x, la.zeros(3, dtype=int))
    ... )
    >>> iterations.compute()
    array([ 0,  2, 10])

    The derivative of Newton's iteration for a square root, of at most 20 steps:

    >>> def root(a):
    ...     step = lambda x: (x + a / x) / 2
    ...     return la.while_loop(lambda x: abs(x * x - a) > 1e-12, step, a, limit=20)
    >>> la.grad(root)(4.0).round(12).compute()
    array(0.25)
    """
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 0):
        raise ArgumentError(f"limit must be a non-negative integer, got {limit!r}", origin=origin())
    for function in (cond, body):
        if not callable(function):
            raise ArgumentError(
                f"condition and body must be functions, got {type(function).__name__}",
                origin=origin(),
            )
    traced = trace(init, lambda i, state: body(state), cond, limit)
    condition = traced.condition
    assert condition is not None
    if condition.dtype != np.bool_:
        raise DTypeError(
            f"the condition of a loop must be bool, got {condition.dtype}",
            origin=condition.origin or origin(),
            hint="compare it with a number, such as x != 0",
        )
    if condition.shape and any(s.shape != condition.shape for s in traced.initial):
        shapes = ", ".join(str(s.shape) for s in traced.initial)
        raise ShapeError(
            f"the condition has shape {condition.shape}, the states {shapes}",
            origin=condition.origin or origin(),
            hint="reduce it with .any() or .all(), or broadcast every state to its shape",
        )
    if limit is not None:
        return last_state(_kept_where_done(traced, condition), iteration_count(limit))
    return last_state(traced, None)


def _kept_where_done(traced: Traced, condition: Node) -> Traced:
    """Return a loop without a condition, which keeps the states for which that does not hold."""
    where = ELEMENTWISE["where"]
    updates = tuple(
        build.elementwise(where, (condition, new, state))
        for new, state in zip(traced.updates, traced.states, strict=True)
    )
    return replace(traced, updates=updates, condition=None)


def last_state(traced: Traced, count: Node | None) -> Any:
    """Return the last state of a traced loop.

    Parameters
    ----------
    traced : Traced
        The loop.
    count : Node or None
        The number of iterations; None of a loop with a condition.
    """
    where = origin()
    results = kernel_loops(traced, count, where)
    if results is None:
        if traced.condition is not None and traced.condition.shape:
            raise ArgumentError(
                "an elementwise condition needs an elementwise body",
                origin=where,
                hint="reduce the condition with .any() or .all() to one value for the whole loop",
            )
        results = replayed_loop.results(traced, count, where)
    return traced.rebuild([LazyArray(result) for result in results])


def _whole(value: Any, what: str) -> int | LazyArray:
    """Return an integer, or a 0-d lazy one."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (LazyArray, np.ndarray)):
        number = value if isinstance(value, LazyArray) else LazyArray(as_node(value))
        if kind_of(number.dtype) in "iu" and not number.shape:
            return number
        got = f"{number.dtype}{list(number.shape)}"
    else:
        got = f"{value!r}"
    raise ArgumentError(f"the {what} of a loop must be an integer, got {got}", origin=origin())


def iteration_count(count: int | LazyArray) -> Node:
    """Return the number of iterations as a node; no plan depends on its value.

    Parameters
    ----------
    count : int or LazyArray
        The number.
    """
    if isinstance(count, LazyArray):
        return build.cast(count._node, INT64)
    data = np.asarray(max(count, 0), INT64)
    return node(ARGUMENT, (), INT64, (), data.tobytes())
