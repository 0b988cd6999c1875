"""The table of derivatives: for each operation the rule for tangents and cotangents.

A rule is written with lazyarr's own functions, so that what it builds is differentiable again. The
convention for complex numbers is JAX's: a cotangent pairs with a tangent by the real part of their
product, neither conjugated. The gradient of a real function of ``x + iy`` is then
``df/dx - i df/dy``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape
from lazyarr.differentiation.boxes import Box
from lazyarr.differentiation.products import Product
from lazyarr.graph.node import Kind, Node, Op
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = [
    "BY_FUNCTION",
    "BY_NAME",
    "BY_OP",
    "DISCRETE",
    "LOOPS",
    "Application",
    "Cotangent",
    "Member",
    "Rule",
    "fitted",
    "is_complex",
    "refused",
    "spread",
    "summed_to",
    "zeros",
]


@dataclass(frozen=True, slots=True)
class Member:
    """A cotangent of one of several values that one node stands for."""

    position: int
    value: LazyArray


Cotangent = LazyArray | Member | Box | Product | None


class Application:
    """An operation applied to operands, which a rule takes.

    Attributes
    ----------
    node : Node
        The node.
    needed : tuple of bool
        For each source whether a derivative with respect to it is needed.
    """

    __slots__ = ("needed", "node")

    def __init__(self, node: Node, needed: tuple[bool, ...]) -> None:
        self.node = node
        self.needed = needed

    @property
    def out(self) -> LazyArray:
        """The value of the node."""
        return LazyArray(self.node)

    @property
    def operands(self) -> tuple[LazyArray, ...]:
        """The values of its sources."""
        return tuple([LazyArray(source) for source in self.node.src])

    def operand(self, position: int) -> LazyArray:
        """Return the value of one source."""
        return LazyArray(self.node.src[position])


Vjp = Callable[[Application, Any], Sequence[Cotangent]]
Jvp = Callable[[Application, Sequence[Any]], LazyArray | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """The derivatives of one operation.

    One of `vjp` and `jvp` is enough: the other is found by transposing the nodes that it builds.

    Attributes
    ----------
    vjp : callable, optional
        ``vjp(application, cotangent)`` returns a cotangent, or None for zero, for each source.
    jvp : callable, optional
        ``jvp(application, tangents)`` returns the tangent of the result; a tangent that is zero is
        None.
    refusal : str
        Why there is no derivative.
    compose : callable, optional
        Takes the arguments of a library operation, with LazyArrays in the places of its sources;
        returns the same value made of other operations, through which derivatives pass instead.
    """

    vjp: Vjp | None = None
    jvp: Jvp | None = None
    refusal: str = ""
    compose: Callable[..., Any] | None = None


def _no_cotangents(application: Application, cotangent: Any) -> Sequence[Cotangent]:
    return [None] * len(application.node.src)


def _no_tangent(application: Application, tangents: Sequence[Any]) -> None:
    return None


DISCRETE = Rule(_no_cotangents, _no_tangent)
"""The rule of operations that are constant almost everywhere, or give no floating-point numbers."""

BY_OP: dict[Op, Rule] = {}
"""Rules of the rows of the op table."""

BY_NAME: dict[str, Rule] = {}
"""Rules of library operations and of named derived values."""

BY_FUNCTION: dict[Callable[..., Any], Rule] = {}
"""Rules of library functions of several results, which share a block of bytes."""


LOOPS: dict[Kind, Rule] = {}
"""The rule of loops, by the kind of operation that they are."""


def refused(reason: str) -> Rule:
    """Return the rule of an operation that has no derivative."""
    return Rule(refusal=reason)


def zeros(like: Node) -> LazyArray:
    """Return zeros of the shape and dtype of a node."""
    return LazyArray(build.filled(0, like.dtype, like.shape))


def summed_to(value: Node, shape: Shape) -> Node:
    """Return the sum of a value over the axes along which `shape` was broadcast to its shape."""
    if value.shape == shape:
        return value
    extra = value.ndim - len(shape)
    stretched = tuple(
        k for k, n in enumerate(value.shape) if k < extra or (shape[k - extra] == 1 and n != 1)
    )
    if stretched:
        value = build.reduce("sum", (value,), stretched, value.dtype)
    return build.reshape(value, shape)


def fitted(cotangent: LazyArray, like: Node) -> LazyArray:
    """Return a cotangent in the shape and dtype of its node.

    Parameters
    ----------
    cotangent : LazyArray
        Of a shape that `like` broadcasts to.
    like : Node
        The node that the cotangent belongs to.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `like`; the real part if that is real.
    """
    return LazyArray(_converted(summed_to(cotangent._node, like.shape), like))


def spread(tangent: LazyArray, like: Node) -> LazyArray:
    """Return a tangent in the shape and dtype of its node.

    Parameters
    ----------
    tangent : LazyArray
        Of a shape that broadcasts to that of `like`.
    like : Node
        The node that the tangent belongs to.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `like`; the real part if that is real.
    """
    return LazyArray(_converted(build.broadcast_to(tangent._node, like.shape), like))


def _converted(value: Node, like: Node) -> Node:
    if value.dtype == like.dtype:
        return value
    if kind_of(value.dtype) == "c" and kind_of(like.dtype) != "c":
        value = build.elementwise(ELEMENTWISE["real"], (value,))
    return build.cast(value, like.dtype)


def is_complex(value: LazyArray) -> bool:
    """Return whether a value is of a complex dtype."""
    return bool(np.issubdtype(value.dtype, np.complexfloating))
