"""Derivatives that the user gives or withholds: stop_gradient, custom_vjp."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.differentiation import markers
from lazyarr.differentiation.functions import Tree, name_of, positions, tree_of
from lazyarr.differentiation.rules import Application, Cotangent, fitted, zeros
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.tracing.pytree import flatten, is_array

__all__ = ["custom_vjp", "stop_gradient"]

Function = Callable[..., Any]


def stop_gradient(x: Any) -> Any:
    """Return a value that counts as a constant in derivatives.

    Parameters
    ----------
    x : array_like or container
        Any values.

    Returns
    -------
    LazyArray or container
        The same values.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.grad(lambda x: x * la.stop_gradient(x))(3.0).compute()
    array(3.)
    """
    tree = tree_of(x, "the argument of stop_gradient")
    return tree.rebuilt([LazyArray(markers.stopped(value)) for value in tree.nodes])


class custom_vjp:  # noqa: N801 - a decorator
    """A function whose derivative the user gives.

    Parameters
    ----------
    fun : callable
        Takes arrays or containers of arrays by position, and returns them.
    nondiff_argnums : sequence of int
        Positions of arguments that are passed on as they are: functions, names, sizes. The
        derivative gets them first.

    Examples
    --------
    >>> import lazyarr as la
    >>> @la.custom_vjp
    ... def clipped(x):
    ...     return la.clip(x, 0.0, 1.0)
    >>> def forward(x):
    ...     return clipped(x), None
    >>> def backward(saved, cotangent):
    ...     return (cotangent,)
    >>> clipped.defvjp(forward, backward)
    >>> la.grad(lambda x: clipped(x).sum())(la.asarray([-1.0, 0.5])).compute()
    array([1., 1.])
    """

    def __init__(self, fun: Function, nondiff_argnums: Sequence[int] = ()) -> None:
        if not callable(fun):
            raise ArgumentError(
                f"custom_vjp takes a function, got {type(fun).__name__}", origin=origin()
            )
        self.fun = fun
        self._nondiff = tuple(nondiff_argnums)
        self._forward: Function | None = None
        self._backward: Function | None = None
        functools.update_wrapper(self, fun)

    def defvjp(self, forward: Function, backward: Function) -> None:
        """Give the derivative.

        Parameters
        ----------
        forward : callable
            Takes the arguments of the function; returns the function's result, and the data that
            the derivative needs of the computation.
        backward : callable
            Takes the `nondiff_argnums` arguments, the data from `forward`, and a cotangent like
            the function's result. Returns a tuple of one cotangent for each other argument; None
            stands for zero.
        """
        self._forward, self._backward = forward, backward

    def __repr__(self) -> str:
        return f"<custom_vjp {name_of(self.fun)}>"

    def __call__(self, *args: Any) -> Any:
        """Return the function of the arguments."""
        name = name_of(self.fun)
        if self._backward is None or self._forward is None:
            raise ArgumentError(
                f"the derivative of {name} is not defined",
                origin=origin(),
                hint=f"call {name}.defvjp(forward, backward) first",
            )
        fixed = positions(self._nondiff, len(args), name) if self._nondiff else ()
        moving = [k for k in range(len(args)) if k not in fixed]
        tree = tree_of([args[k] for k in moving], f"an argument of {name}")
        leaves: list[Any] = []
        flatten([args[k] for k in moving], is_array, leaves)
        lazy = [as_lazy(leaf) for leaf in leaves]
        result = self.fun(*_arguments(args, moving, tree.rebuilt(lazy)))
        values = tree_of(result, f"what {name} returns")
        if not values.nodes:
            return result
        call = _Call(self._forward, self._backward, args, moving, tree, values, name)
        rule = markers.GroupRule(call.vjp, len(values.nodes))
        marked = markers.with_rule(values.nodes, tree.nodes, rule)
        return values.rebuilt([LazyArray(value) for value in marked])


def _arguments(args: Sequence[Any], moving: Sequence[int], values: Sequence[Any]) -> list[Any]:
    arguments = list(args)
    for position, value in zip(moving, values, strict=True):
        arguments[position] = value
    return arguments


class _Call:
    """One call of a function with a derivative of its own."""

    def __init__(
        self,
        forward: Function,
        backward: Function,
        args: Sequence[Any],
        moving: Sequence[int],
        arguments: Tree,
        values: Tree,
        name: str,
    ) -> None:
        self._forward = forward
        self._backward = backward
        self._fixed = [None if k in moving else value for k, value in enumerate(args)]
        self._moving = moving
        # The structures alone: the nodes would keep what the call was made of alive.
        self._inputs = Tree([], arguments.structure)
        self._values = Tree([], values.structure)
        self._name = name

    def vjp(self, at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
        """Return the cotangents of the arguments.

        Parameters
        ----------
        at : Application
            The group that stands for the call.
        cotangents : sequence of LazyArray or None
            Of the function's results; None where one is zero.

        Returns
        -------
        sequence of LazyArray or None
            One for each array among the arguments that are differentiated.

        Raises
        ------
        ArgumentError, ShapeError
            If the user's function returns other cotangents than the arguments need.
        """
        count = len(cotangents)
        sources = at.node.src[count:]
        values = self._inputs.rebuilt([LazyArray(source) for source in sources])
        _, saved = self._forward(*_arguments(self._fixed, self._moving, values))
        filled = [
            zeros(value) if cotangent is None else cotangent
            for value, cotangent in zip(at.node.src[:count], cotangents, strict=True)
        ]
        others = [value for k, value in enumerate(self._fixed) if k not in self._moving]
        shares = self._backward(*others, saved, self._values.rebuilt(filled))
        if not isinstance(shares, (tuple, list)) or len(shares) != len(self._moving):
            raise ArgumentError(
                f"the derivative of {self._name} must return a tuple of {len(self._moving)} "
                f"cotangents, got {type(shares).__name__}"
                + (f" of {len(shares)}" if isinstance(shares, (tuple, list)) else ""),
                origin=at.node.origin,
            )
        return self._fitted(shares, values, sources)

    def _fitted(
        self, returned: Sequence[Any], values: Sequence[Any], sources: Sequence[Node]
    ) -> list[Cotangent]:
        shares: list[Cotangent] = []
        for share, value in zip(returned, values, strict=True):
            count = len(tree_of(value, "an argument").nodes)
            if share is None:
                shares += [None] * count
                continue
            tree = tree_of(share, f"a cotangent of {self._name}")
            if len(tree.nodes) != count:
                raise ArgumentError(
                    f"the derivative of {self._name} returns {len(tree.nodes)} arrays for an "
                    f"argument of {count}",
                    origin=origin(),
                )
            shares += [LazyArray(leaf) for leaf in tree.nodes]
        return [
            None if share is None else self._checked(share, source)
            for share, source in zip(shares, sources, strict=True)
        ]

    def _checked(self, share: Any, source: Node) -> Cotangent:
        if kind_of(source.dtype) not in "fc":
            return None
        if share._node.shape != source.shape:
            raise ShapeError(
                f"the derivative of {self._name} returns a cotangent of shape {share._node.shape} "
                f"for an argument of shape {source.shape}",
                origin=origin(),
            )
        return fitted(share, source)
