"""Derivatives of functions: gradients, products with Jacobians, Jacobians, Hessians."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.differentiation.dense import columns, rows
from lazyarr.differentiation.functions import (
    Inputs,
    Tree,
    name_of,
    positions,
    quiet_trace,
    replaced,
    tree_of,
)
from lazyarr.differentiation.modes import pull_back, push_forward
from lazyarr.differentiation.rules import zeros
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Node

__all__ = ["grad", "hessian", "jacobian", "jvp", "value_and_grad", "vjp"]

Function = Callable[..., Any]


def value_and_grad(
    fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Function:
    """Return a function that computes a scalar function and its gradient.

    The function is called with LazyArrays. Its value is an expression, whose derivative is built
    of ordinary nodes: nothing is computed until values are asked for, and value and gradient that
    are asked for together share what they have in common.

    Parameters
    ----------
    fun : callable
        Returns a real number as a 0-d array; with `has_aux` a pair of it and anything else.
    argnums : int or sequence of int
        With respect to which arguments by position. These are arrays or numbers, or containers of
        them, of floating-point dtypes.
    has_aux : bool
        Whether the function also returns something that is not differentiated.

    Returns
    -------
    callable
        Takes the arguments of `fun`; returns ``(value, gradient)``, with `has_aux`
        ``((value, aux), gradient)``. The gradient has the containers, shapes and dtypes of the
        argument, and is a tuple of such if `argnums` is a sequence. Of complex arguments it is
        ``df/dx - i df/dy``.

    Raises
    ------
    DifferentiationError
        If an operation between argument and value has no derivative.
    ShapeError, DTypeError
        If the value is no real scalar, or an argument is not of a floating-point dtype.

    Examples
    --------
    >>> import lazyarr as la
    >>> def loss(w, x):
    ...     return la.sum((x @ w) ** 2)
    >>> x = la.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> value, gradient = la.value_and_grad(loss)(la.asarray([1.0, -1.0]), x)
    >>> la.evaluate(value, gradient)
    (array(2.), array([ -8., -12.]))
    """
    name = name_of(_function(fun, "value_and_grad"))

    @functools.wraps(fun)
    def differentiated(*args: Any, **keywords: Any) -> Any:
        inputs = Inputs(args, positions(argnums, len(args), name), name)
        result, aux = _pair(inputs.applied(fun, **keywords), name, has_aux)
        with quiet_trace():
            root = _scalar(result, name)
            ones = LazyArray(build.constant(1, root.dtype))
            shares = pull_back([root], inputs.variables, [ones])
            cotangents = _filled(shares, inputs.variables)
            tree = tree_of(aux, f"the auxiliary data of {name}") if has_aux else None
            others = tree.nodes if tree is not None else []
            value, *rest = replaced([root, *cotangents, *others], inputs.originals)
            count = len(cotangents)
            gradients = inputs.arranged([LazyArray(x) for x in rest[:count]])
            gradient = tuple(gradients) if isinstance(argnums, (tuple, list)) else gradients[0]
            if tree is None:
                return LazyArray(value), gradient
            extra = tree.rebuilt([LazyArray(x) for x in rest[count:]])
            return (LazyArray(value), extra), gradient

    return differentiated


def grad(fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of a scalar function.

    Parameters
    ----------
    fun, argnums, has_aux
        As for :func:`lazyarr.value_and_grad`.

    Returns
    -------
    callable
        Takes the arguments of `fun`; returns the gradient, with `has_aux` a pair of the gradient
        and the auxiliary data.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.grad(lambda x: x**3)(2.0).compute()
    array(12.)
    >>> la.grad(la.grad(lambda x: x**3))(2.0).compute()
    array(12.)
    """
    both = value_and_grad(fun, argnums, has_aux)

    @functools.wraps(fun)
    def gradient(*args: Any, **keywords: Any) -> Any:
        value, slope = both(*args, **keywords)
        return (slope, value[1]) if has_aux else slope

    return gradient


def vjp(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return the value of a function, and the function that multiplies its Jacobian from the left.

    Parameters
    ----------
    fun : callable
        Returns arrays, or containers of them; with `has_aux` a pair of them and anything else.
    *primals : array_like or container
        Its arguments, all of floating-point dtypes.
    has_aux : bool
        Whether the function also returns something that is not differentiated.

    Returns
    -------
    value : LazyArray or container
        What the function returns.
    pull : callable
        Takes a cotangent like the value; returns a tuple of one cotangent for each argument.
    aux : object
        Only with `has_aux`.

    Examples
    --------
    >>> import lazyarr as la
    >>> value, pull = la.vjp(lambda x, y: x * y, la.asarray([1.0, 2.0]), la.asarray([3.0, 4.0]))
    >>> la.evaluate(*pull(la.asarray([1.0, 10.0])))
    (array([ 3., 40.]), array([ 1., 20.]))
    """
    name = name_of(_function(fun, "vjp"))
    inputs = Inputs(primals, range(len(primals)), name)
    result, aux = _pair(inputs.applied(fun), name, has_aux)
    with quiet_trace():
        tree = tree_of(result, f"what {name} returns")
        extra = tree_of(aux, f"the auxiliary data of {name}")
        known = inputs.originals
        value = _result(tree, replaced(tree.nodes, known))

    def pull(cotangent: Any) -> tuple[Any, ...]:
        with quiet_trace():
            seeds = _like(cotangent, tree, "cotangent")
            shares = pull_back(tree.nodes, inputs.variables, seeds)
            nodes = replaced(_filled(shares, inputs.variables), known)
            return tuple(inputs.arranged([LazyArray(x) for x in nodes]))

    if has_aux:
        return value, pull, _result(extra, replaced(extra.nodes, known))
    return value, pull


def jvp(fun: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Return the value of a function, and its derivative in a direction.

    Parameters
    ----------
    fun : callable
        Returns arrays, or containers of them.
    primals : sequence
        Its arguments, all of floating-point dtypes.
    tangents : sequence
        The direction: for each argument something like it.

    Returns
    -------
    value, tangent : LazyArray or container
        What the function returns, and how it changes.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.evaluate(*la.jvp(la.sin, (0.0,), (2.0,)))
    (array(0.), array(2.))
    """
    name = name_of(_function(fun, "jvp"))
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise ArgumentError("jvp takes tuples of primals and of tangents", origin=origin())
    if len(primals) != len(tangents):
        raise ArgumentError(
            f"jvp got {len(primals)} primals and {len(tangents)} tangents", origin=origin()
        )
    inputs = Inputs(primals, range(len(primals)), name)
    result = inputs.applied(fun)
    with quiet_trace():
        tree = tree_of(result, f"what {name} returns")
        directions: list[LazyArray | None] = []
        for primal, tangent in zip(primals, tangents, strict=True):
            directions += _like(tangent, tree_of(primal, "a primal"), "tangent")
        results = push_forward(tree.nodes, inputs.variables, directions)
        moved = _filled(results, tree.nodes)
        count = len(tree.nodes)
        nodes = replaced([*tree.nodes, *moved], inputs.originals)
        return _result(tree, nodes[:count]), _result(tree, nodes[count:])


def jacobian(fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the Jacobian of a function.

    All rows of a value are one backward pass, of as many cotangents at once as it has elements;
    if the arguments have fewer elements, their columns are one forward pass for each.

    Parameters
    ----------
    fun : callable
        Returns floating-point arrays, or containers of them; with `has_aux` a pair of them and
        anything else.
    argnums : int or sequence of int
        With respect to which arguments by position: arrays or numbers, or containers of them.
    has_aux : bool
        Whether the function also returns something that is not differentiated.

    Returns
    -------
    callable
        Takes the arguments of `fun`; returns the containers of its value. In the place of each
        array they hold the containers of the argument, a tuple of such if `argnums` is a sequence;
        each array there has the axes of the value followed by those of the argument. With
        `has_aux` a pair of this and the auxiliary data.

    Raises
    ------
    DifferentiationError
        If an operation between argument and value has no derivative.
    DTypeError
        If a value or an argument is not of a floating-point dtype.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.jacobian(lambda x: x**2)(la.asarray([1.0, 2.0])).compute()
    array([[2., 0.],
           [0., 4.]])
    >>> parts = la.jacobian(lambda x: {"sum": la.sum(x), "last": x[-1]})(la.asarray([1.0, 2.0]))
    >>> parts["last"].compute()
    array([0., 1.])
    """
    name = name_of(_function(fun, "jacobian"))

    @functools.wraps(fun)
    def differentiated(*args: Any, **keywords: Any) -> Any:
        inputs = Inputs(args, positions(argnums, len(args), name), name)
        result, aux = _pair(inputs.applied(fun, **keywords), name, has_aux)
        return _whole(result, aux, inputs, argnums, name, has_aux=has_aux)

    return differentiated


def hessian(fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the second derivatives of a scalar function.

    The gradient, by reverse accumulation, is differentiated forward.

    Parameters
    ----------
    fun, argnums, has_aux
        As for :func:`lazyarr.value_and_grad`.

    Returns
    -------
    callable
        Takes the arguments of `fun`; returns what :func:`lazyarr.jacobian` returns of the
        gradient: of one array an array with its axes twice.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.hessian(lambda x: x[0] ** 2 * x[1])(la.asarray([1.0, 2.0])).compute()
    array([[4., 2.],
           [2., 0.]])
    """
    name = name_of(_function(fun, "hessian"))
    gradient = grad(fun, argnums, has_aux)

    @functools.wraps(fun)
    def differentiated(*args: Any, **keywords: Any) -> Any:
        inputs = Inputs(args, positions(argnums, len(args), name), name)
        result = inputs.applied(gradient, **keywords)
        slopes, aux = result if has_aux else (result, None)
        return _whole(slopes, aux, inputs, argnums, name, has_aux=has_aux, forward=True)

    return differentiated


def _whole(
    result: Any,
    aux: Any,
    inputs: Inputs,
    argnums: int | Sequence[int],
    name: str,
    *,
    has_aux: bool,
    forward: bool = False,
) -> Any:
    """Return all derivatives of a result, in its containers, with those of the inputs in them.

    Parameters
    ----------
    result : object
        Floating-point arrays that depend on the inputs, or containers of them.
    aux : object
        What is not differentiated.
    inputs : Inputs
        The arguments.
    argnums : int or sequence of int
        As the user passed it.
    name : str
        The function's name in messages.
    has_aux : bool
        Whether to return a pair with `aux`.
    forward : bool
        Whether to use forward accumulation whatever the sizes.
    """
    with quiet_trace():
        tree = tree_of(result, f"what {name} returns")
        extra = tree_of(aux, f"the auxiliary data of {name}")
        for root in tree.nodes:
            _check_inexact(root, name)
        variables, known = inputs.variables, inputs.originals
        total = sum(variable.size for variable in variables)
        is_long = [forward or total < root.size for root in tree.nodes]
        by_columns = iter(
            columns([x for x, long in zip(tree.nodes, is_long, strict=True) if long], variables)
        )
        leaves = []
        for root, long in zip(tree.nodes, is_long, strict=True):
            parts = next(by_columns) if long else rows(root, variables)
            arrays = inputs.arranged([LazyArray(x) for x in replaced(parts, known)])
            leaves.append(tuple(arrays) if isinstance(argnums, (tuple, list)) else arrays[0])
        whole = tree.rebuilt(leaves)
        return (whole, _result(extra, replaced(extra.nodes, known))) if has_aux else whole


def _check_inexact(root: Node, name: str) -> None:
    if kind_of(root.dtype) not in "fc":
        raise DTypeError(
            f"the derivative of {name} needs floating-point values, but it returns {root.dtype}",
            origin=root.origin or origin(),
            hint="return it as auxiliary data, with has_aux=True",
        )


def _pair(result: Any, name: str, has_aux: bool) -> tuple[Any, Any]:
    """Return the value of a function and its auxiliary data, or None if it has none."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise ArgumentError(
            f"has_aux=True, but {name} does not return a pair of value and auxiliary data",
            origin=origin(),
        )
    return result[0], result[1]


def _function(fun: Any, name: str) -> Function:
    if not callable(fun):
        raise ArgumentError(f"{name} takes a function, got {type(fun).__name__}", origin=origin())
    function: Function = fun
    return function


def _scalar(value: Any, name: str) -> Node:
    """Return the node of a real scalar."""
    (root,) = _one(value, name)
    if root.shape:
        raise ShapeError(
            f"the gradient of {name} needs a scalar, but it returns an array of shape {root.shape}",
            origin=root.origin or origin(),
            hint="sum or average the result, or use lazyarr.jacobian",
        )
    if kind_of(root.dtype) != "f":
        raise DTypeError(
            f"the gradient of {name} needs a real floating-point value, but it returns "
            f"{root.dtype}",
            origin=root.origin or origin(),
            hint="take the real part, or use lazyarr.vjp" if kind_of(root.dtype) == "c" else None,
        )
    return root


def _one(value: Any, name: str) -> list[Node]:
    tree = tree_of(value, f"what {name} returns")
    if len(tree.nodes) != 1:
        raise ArgumentError(
            f"{name} must return one array, got {len(tree.nodes)}",
            origin=origin(),
            hint="use has_aux=True for auxiliary results, lazyarr.jacobian or lazyarr.vjp for "
            "containers",
        )
    return tree.nodes


def _filled(derivatives: Sequence[LazyArray | None], like: Sequence[Node]) -> list[Node]:
    """Return derivatives, with zeros where there are none."""
    return [
        (zeros(node) if value is None else value)._node
        for value, node in zip(derivatives, like, strict=True)
    ]


def _result(tree: Tree, nodes: Sequence[Node]) -> Any:
    return tree.rebuilt([LazyArray(x) for x in nodes])


def _like(value: Any, tree: Tree, what: str) -> list[LazyArray | None]:
    """Return the leaves of a cotangent or tangent, checked against the value that it belongs to."""
    own = tree_of(value, f"the {what}")
    if len(own.nodes) != len(tree.nodes):
        raise ArgumentError(
            f"the {what} has {len(own.nodes)} arrays, expected {len(tree.nodes)}",
            origin=origin(),
        )
    leaves: list[LazyArray | None] = []
    for node, like in zip(own.nodes, tree.nodes, strict=True):
        if kind_of(like.dtype) not in "fc":
            leaves.append(None)
            continue
        if node.shape != like.shape:
            raise ShapeError(
                f"the {what} has shape {node.shape}, expected {like.shape}", origin=origin()
            )
        build.check_cast(node.dtype, like.dtype, "same_kind")
        leaves.append(LazyArray(build.cast(node, like.dtype)))
    return leaves
