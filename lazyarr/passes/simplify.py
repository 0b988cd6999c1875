"""Simplification: rules that keep every bit of the result for every input.

A float rule must hold for NaN, infinities and both zeros. ``x + 0.0`` is no identity
(``-0.0 + 0.0`` is ``0.0``), nor is ``x * 0`` (NaN), so there are no such rules here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import frexp
from typing import Any

import numpy as np

from lazyarr.core.dtypes import finfo, kind_of
from lazyarr.core.shapes import (
    View,
    broadcast_view,
    compose,
    identity_view,
    inserts_axes,
    reshape_view,
)
from lazyarr.graph.node import Kind, Node, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import CONSTANT, VIEW
from lazyarr.passes.rewrite import RuleSet, rewrite

__all__ = ["RULES", "constant", "constant_value", "simplify"]

RULES = RuleSet()

ADD = ELEMENTWISE["add"]
BITWISE_XOR = ELEMENTWISE["bitwise_xor"]
CAST = ELEMENTWISE["cast"]
CLIP = ELEMENTWISE["clip"]
DIVIDE = ELEMENTWISE["divide"]
LOGICAL_NOT = ELEMENTWISE["logical_not"]
MAXIMUM = ELEMENTWISE["maximum"]
MINIMUM = ELEMENTWISE["minimum"]
MULTIPLY = ELEMENTWISE["multiply"]
NEGATIVE = ELEMENTWISE["negative"]
POSITIVE = ELEMENTWISE["positive"]
POWER = ELEMENTWISE["power"]
RECIPROCAL = ELEMENTWISE["reciprocal"]
SQRT = ELEMENTWISE["sqrt"]
SQUARE = ELEMENTWISE["square"]
SUBTRACT = ELEMENTWISE["subtract"]
WHERE = ELEMENTWISE["where"]


def simplify(
    roots: Sequence[Node], final: dict[Node, Node] | None = None, *, keeps_markers: bool = False
) -> tuple[Node, ...]:
    """Return equal values computed with less.

    The result has the same shapes, dtypes and bits; simplifying it again changes nothing.

    Parameters
    ----------
    roots : sequence of Node
        The values.
    final : dict of Node to Node, optional
        Filled with the simplified node of each node under the roots.
    keeps_markers : bool, optional
        Whether markers stay, so that the result can still be differentiated.
    """
    return rewrite(roots, _differentiable() if keeps_markers else RULES, final)


@cache
def _differentiable() -> RuleSet:
    """Return the rules but for the one that drops markers."""
    subset = RuleSet()
    subset.by_op = RULES.by_op
    subset.by_kind = {key: rules for key, rules in RULES.by_kind.items() if key is not Kind.MARKER}
    return subset


def constant_value(value: Node) -> Any:
    """Return the scalar of a constant, also behind a broadcast, or None."""
    while value.op.kind is Kind.VIEW:
        value = value.src[0]
    if value.op.kind is not Kind.CONSTANT or not isinstance(value.attr, bytes):
        return None
    return np.frombuffer(value.attr, value.dtype)[0]


def constant(value: Any, like: Node) -> Node:
    """Return a constant of the dtype and origin of another node.

    Parameters
    ----------
    value : scalar
        The number; it is converted to the dtype.
    like : Node
        The other node.
    """
    scalar = np.asarray(value, like.dtype)
    return node(CONSTANT, (), like.dtype, (), scalar.tobytes(), like.origin)


def _is(value: Node, number: float) -> bool:
    """Whether a node is the constant `number` and no other zero than it."""
    scalar = constant_value(value)
    if scalar is None or scalar != number:
        return False
    return bool(np.signbit(scalar) == np.signbit(number)) if kind_of(scalar.dtype) == "f" else True


def _as(result: Node, source: Node) -> Node | None:
    """Return `source` broadcast to the shape of `result`; None if the dtypes differ."""
    if source.dtype != result.dtype:
        return None
    if source.shape == result.shape:
        return source
    view = broadcast_view(source.shape, result.shape)
    return node(VIEW, (source,), source.dtype, result.shape, view, result.origin)


@RULES.on(Kind.MARKER)
def marker(value: Node) -> Node | None:
    """marker(x, ...) -> x, as only differentiation reads the rest."""
    return value.src[0]


@RULES.on(MULTIPLY)
def multiply_by_one(value: Node) -> Node | None:
    """x * 1 -> x and 1 * x -> x, but for complex: (inf + 0j) * (1 + 0j) is inf + nanj."""
    if kind_of(value.dtype) == "c":
        return None
    left, right = value.src
    if _is(right, 1):
        return _as(value, left)
    if _is(left, 1):
        return _as(value, right)
    return None


@RULES.on(ADD)
def add_nothing(value: Node) -> Node | None:
    """x + -0.0 -> x for floats, x + 0 -> x for integers; and the other way round."""
    if kind_of(value.dtype) not in "iuf":
        return None
    nothing = -0.0 if kind_of(value.dtype) == "f" else 0
    left, right = value.src
    if _is(right, nothing):
        return _as(value, left)
    if _is(left, nothing):
        return _as(value, right)
    return None


@RULES.on(SUBTRACT)
def subtract_nothing(value: Node) -> Node | None:
    """x - 0 -> x; for floats the zero must be positive."""
    kind = kind_of(value.dtype)
    if kind in "iuf" and _is(value.src[1], 0.0 if kind == "f" else 0):
        return _as(value, value.src[0])
    return None


@RULES.on(SUBTRACT, BITWISE_XOR)
def differ_from_itself(value: Node) -> Node | None:
    """x - x -> x * 0 and x ^ x -> x * 0 for integers: one number that no compiler knows.

    What LLVM knows to be 0 it divides by while it compiles, and nobody hears of the exception.
    """
    left, right = value.src
    if left is not right or kind_of(value.dtype) not in "iu":
        return None
    factors = (left, constant(0, value))
    return node(MULTIPLY, factors, value.dtype, value.shape, None, value.origin)


@RULES.on(DIVIDE)
def divide_by_power_of_two(value: Node) -> Node | None:
    """x / 2**k -> x * 2**-k, where both are exactly representable; x / 1 -> x."""
    left, right = value.src
    scalar = constant_value(right)
    if scalar is None or kind_of(value.dtype) != "f" or not np.isfinite(scalar):
        return None
    if scalar == 1:
        return _as(value, left)
    if abs(frexp(float(scalar))[0]) != 0.5:
        return None
    limits = finfo(value.dtype)
    inverse = 1.0 / float(scalar)
    if not float(limits.tiny) <= abs(inverse) <= float(limits.max):
        return None
    factor = constant(inverse, right)
    return node(MULTIPLY, (left, factor), value.dtype, value.shape, None, value.origin)


@RULES.on(POWER)
def power_of_small_constant(value: Node) -> Node | None:
    """x**2 -> square(x), x**1 -> x, x**0.5 -> sqrt(x), x**-1 -> 1/x, as NumPy's ``**`` does.

    x**0 -> 1, which it is of NaN, too. Not of complex numbers: their operator is another operation
    then, and their power has other zeros.
    """
    base, exponent = value.src
    if kind_of(value.dtype) == "c" or base.shape != value.shape or base.dtype != value.dtype:
        return None
    if _is(exponent, 2):
        return node(SQUARE, (base,), value.dtype, value.shape, None, value.origin)
    if _is(exponent, 1):
        return base
    if kind_of(value.dtype) != "f":
        return None
    if constant_value(exponent) == 0:
        return _as(value, constant(1, value))
    if _is(exponent, 0.5) and not exponent.shape:
        # NumPy takes the root for one exponent alone: (-inf)**0.5 differs.
        return node(SQRT, (base,), value.dtype, value.shape, None, value.origin)
    if _is(exponent, -1):
        return node(RECIPROCAL, (base,), value.dtype, value.shape, None, value.origin)
    return None


@RULES.on(CLIP)
def clip_between_numbers(value: Node) -> Node | None:
    """clip(x, a, b) -> minimum(b, maximum(a, x)) for one float each, so that of two zeros x stays.

    NumPy has a loop of its own for that. Between arrays the zero is that of the bound, as of an
    extremum, which is its second operand; float16 always keeps x. An array of one element is a
    number where it is broadcast, and not where the result is no larger.
    """
    x, low, high = value.src
    if value.dtype not in (np.float32, np.float64) or not (_is_number(low) and _is_number(high)):
        return None
    is_whole = all(source.shape in ((), value.shape) for source in value.src)
    if value.size == 1 and is_whole and (low.shape or high.shape):
        return None
    raised = node(MAXIMUM, (low, x), value.dtype, value.shape, None, value.origin)
    return node(MINIMUM, (high, raised), value.dtype, value.shape, None, value.origin)


def _is_number(value: Node) -> bool:
    """Whether a node is one element, also behind a broadcast."""
    while value.op.kind is Kind.VIEW and value.size != 1:
        value = value.src[0]
    return value.size == 1


@RULES.on(NEGATIVE, LOGICAL_NOT)
def undo(value: Node) -> Node | None:
    """-(-x) -> x; not not x -> x for bool x."""
    inner = value.src[0]
    if inner.op is not value.op or inner.src[0].dtype != value.dtype:
        return None
    return _as(value, inner.src[0])


@RULES.on(POSITIVE)
def positive(value: Node) -> Node | None:
    """+x -> x."""
    return _as(value, value.src[0])


@RULES.on(CAST)
def cast_to_same(value: Node) -> Node | None:
    """cast(x, dtype of x) -> x."""
    return _as(value, value.src[0])


@RULES.on(CAST)
def cast_twice(value: Node) -> Node | None:
    """cast(cast(x, wide), narrow) -> cast(x, narrow), where the first cast loses nothing."""
    inner = value.src[0]
    if inner.op is not CAST:
        return None
    first = inner.src[0]
    chain = (kind_of(first.dtype), kind_of(inner.dtype), kind_of(value.dtype))
    # Integers through wider integers, and floats through wider floats to floats.
    if chain not in (("f", "f", "f"), ("i", "i", "i"), ("u", "u", "u"), ("b", "f", "f")):
        return None
    if not np.can_cast(first.dtype, inner.dtype):
        return None
    return node(CAST, (first,), value.dtype, value.shape, None, value.origin)


@RULES.on(WHERE)
def where_known(value: Node) -> Node | None:
    """where(True, x, y) -> x; where(False, x, y) -> y; where(c, x, x) -> x."""
    condition, left, right = value.src
    known = constant_value(condition)
    if known is not None:
        return _as(value, left if known else right)
    if left is right and left.shape == value.shape:
        return left
    return None


@RULES.on(Kind.ELEMENTWISE)
def fold_constants(value: Node) -> Node | None:
    """f(constants) -> constant, computed by NumPy, where nothing is warned of."""
    if value.op.loop is not None or value.op.emits_warning or value.op.selects:
        return None
    if not value.src or any(constant_value(s) is None for s in value.src):
        return None
    if kind_of(value.dtype) not in "biufc":
        return None
    scalars = [np.asarray(constant_value(s)) for s in value.src]
    try:
        with np.errstate(all="raise"):
            folded = np.asarray(value.op.evaluate(value, *scalars), value.dtype)
    except FloatingPointError:
        return None
    return _as(value, constant(folded, value))


@RULES.on(Kind.ELEMENTWISE)
def axes_behind_elementwise(value: Node) -> Node | None:
    """f(x[:, None], y[:, None], c) -> f(x, y, c)[:, None], so that it shares x's and y's loops."""
    if value.op.loop is not None:
        return None
    arrays = [source for source in value.src if source.shape]
    if not arrays or any(source.op.kind is not Kind.VIEW for source in arrays):
        return None
    first = arrays[0]
    assert isinstance(first.attr, View)
    inner = first.src[0].shape
    if not inserts_axes(first.attr, inner, value.shape):
        return None
    if any(s.attr != first.attr or s.src[0].shape != inner for s in arrays[1:]):
        return None
    moved = tuple(source.src[0] if source.shape else source for source in value.src)
    within = node(value.op, moved, value.dtype, inner, value.attr, value.origin)
    return node(VIEW, (within,), value.dtype, value.shape, first.attr, value.origin)


@RULES.on(Kind.VIEW)
def view_of_view(value: Node) -> Node | None:
    """view(view(x)) -> view(x); the identity view vanishes."""
    inner = value.src[0]
    assert isinstance(value.attr, View)
    if inner.shape == value.shape and value.attr == identity_view(value.ndim):
        return inner
    if inner.op.kind is not Kind.VIEW:
        return None
    assert isinstance(inner.attr, View)
    both = compose(inner.attr, value.attr, value.ndim)
    return node(value.op, inner.src, value.dtype, value.shape, both, value.origin)


@RULES.on(Kind.VIEW)
def view_of_reshape(value: Node) -> Node | None:
    """view(reshape(x)) -> reshape(x), where the view is itself a reshape."""
    inner = value.src[0]
    if inner.op.kind is not Kind.RESHAPE or inner.size != value.size:
        return None
    if value.attr != reshape_view(inner.shape, value.shape):
        return None
    source = inner.src[0]
    if source.shape == value.shape:
        return source
    return node(inner.op, (source,), value.dtype, value.shape, None, value.origin)


@RULES.on(Kind.RESHAPE)
def reshape_of_reshape(value: Node) -> Node | None:
    """reshape(reshape(x)) -> reshape(x); one that is an affine map becomes a view."""
    inner = value.src[0]
    if inner.op.kind is Kind.RESHAPE:
        if inner.src[0].shape == value.shape:
            return inner.src[0]
        return node(value.op, inner.src, value.dtype, value.shape, None, value.origin)
    if inner.shape == value.shape:
        return inner
    view = reshape_view(inner.shape, value.shape)
    if view is not None:
        return node(VIEW, (inner,), value.dtype, value.shape, view, value.origin)
    return None


@RULES.on(Kind.RESHAPE)
def reshape_of_repetitions(value: Node) -> Node | None:
    """reshape(view(reshape(view(x)))) -> reshape(view(x)), where both views repeat elements."""
    inner = value.src[0]
    if inner.op is not VIEW or inner.src[0].op is not value.op:
        return None
    middle = inner.src[0]
    source = middle.src[0]
    if source.op is not VIEW or value.size <= middle.size:
        return None
    assert isinstance(inner.attr, View) and isinstance(source.attr, View)
    from lazyarr.core.repeated_axes import repeat_view, repeats  # few expressions repeat twice

    if not repeats(source.attr, source.shape):
        return None
    moved = repeat_view(source.shape, middle.shape, inner.attr, inner.shape)
    if moved is None:
        return None
    view, shape = moved
    both = compose(source.attr, view, len(shape))
    wide = node(VIEW, source.src, value.dtype, shape, both, inner.origin)
    return node(value.op, (wide,), value.dtype, value.shape, None, value.origin)


@RULES.on(Kind.RESHAPE)
def reshape_of_generator(value: Node) -> Node | None:
    """reshape(g) -> g of that shape: a generator knows positions in C order alone."""
    inner = value.src[0]
    if inner.op.kind is not Kind.GENERATE:
        return None
    return node(inner.op, inner.src, value.dtype, value.shape, inner.attr, inner.origin)


@RULES.on(Kind.RESHAPE)
def reshape_before_elementwise(value: Node) -> Node | None:
    """reshape(f(x, c)) -> f(reshape(x), c), where no operand is broadcast along an axis."""
    inner = value.src[0]
    if inner.op.kind is not Kind.ELEMENTWISE or inner.size == 0:
        return None
    if any(s.shape not in ((), inner.shape) for s in inner.src):
        return None
    if not any(s.shape == inner.shape and s.shape for s in inner.src):
        return None
    moved = tuple(
        node(value.op, (s,), s.dtype, value.shape, None, value.origin) if s.shape else s
        for s in inner.src
    )
    return node(inner.op, moved, inner.dtype, value.shape, inner.attr, inner.origin)


@RULES.on(Kind.REDUCE)
def reduce_of_reshape(value: Node) -> Node | None:
    """sum(reshape(x)) over all axes -> sum(x) over all axes, for reductions without positions.

    Axes of length one are not reduced: over them alone a reduction takes in one element.
    """
    inner = value.src[0]
    if len(value.src) != 1:
        return None
    axes = value.attr
    assert isinstance(axes, tuple)
    repeated = _sum_of_constants(value)
    if repeated is not None:
        return repeated
    single = [axis for axis in axes if inner.shape[axis] == 1]
    if single and inner.size:
        return _reduce_of_fewer_axes(value, inner, single)
    if inner.op.kind is not Kind.RESHAPE:
        return None
    reducer = value.op.reducer
    if axes != tuple(range(inner.ndim)) or reducer is None or reducer.ordered:
        return None
    source = inner.src[0]
    return node(
        value.op, (source,), value.dtype, value.shape, tuple(range(source.ndim)), value.origin
    )


def _sum_of_constants(value: Node) -> Node | None:
    """sum(c) -> n * c, where c is an integer and so small that all partial sums are exact."""
    number = constant_value(value.src[0])
    if number is None or value.op.ufunc is not np.add or kind_of(value.dtype) != "f":
        return None
    if value.src[0].dtype != value.dtype or np.signbit(number):
        return None
    assert isinstance(value.attr, tuple)
    count = 1
    for axis in value.attr:
        length = value.src[0].shape[axis]
        if type(length) is not int:  # the length of a form, which has others
            return None
        count *= length
    exact = 2.0 ** (finfo(value.dtype).nmant + 1)
    if number != np.trunc(number) or count * float(number) > exact:
        return None
    return _as(value, constant(count * float(number), value))


def _reduce_of_fewer_axes(value: Node, inner: Node, single: list[int]) -> Node | None:
    """Return a reduction without those of its axes that have one element."""
    assert isinstance(value.attr, tuple)
    remaining = [axis for axis in range(inner.ndim) if axis not in single]
    shape = tuple(inner.shape[axis] for axis in remaining)
    view = reshape_view(inner.shape, shape)
    assert view is not None
    moved = node(VIEW, (inner,), inner.dtype, shape, view, value.origin)
    axes = tuple(k for k, axis in enumerate(remaining) if axis in value.attr)
    if axes:
        return node(value.op, (moved,), value.dtype, value.shape, axes, value.origin)
    ufunc = value.op.ufunc
    if ufunc is None or inner.dtype != value.dtype:
        return None
    if value.op.identity is None:
        return moved
    # A sum begins with 0, and -0 is not it.
    start = constant(value.op.identity, moved)
    combined = ELEMENTWISE[ufunc.__name__]
    return node(combined, (start, moved), value.dtype, value.shape, None, value.origin)
