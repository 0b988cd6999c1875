"""Building nodes: dtype and shape rules, casts, views. Knows nothing of LazyArray.

An operand is a node, or a Python scalar, which is weak as NEP 50 says.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from math import prod
from typing import Any, TypeAlias

import numpy as np

from lazyarr.builders.movement import broadcast_to, concatenate, expand_axes, fitting, reshape, view
from lazyarr.builders.values import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT64,
    as_dtype,
    check_size,
    constant,
    device_leaf,
    iota,
    leaf,
    located,
    loop_dtype,
    number_in,
    streamed_leaf,
)
from lazyarr.core import shapes
from lazyarr.core.dtypes import kind_of, result_type
from lazyarr.core.shapes import Shape
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import (
    Kind,
    Node,
    Op,
    WarningText,
    node,
    walk,
)
from lazyarr.ops.elementwise import ELEMENTWISE, resolve
from lazyarr.ops.markers import DERIVED, SELECTED, WARNED
from lazyarr.ops.movement import CONSTANT
from lazyarr.ops.powers import whole_power
from lazyarr.ops.reduce import REDUCE
from lazyarr.tracing import Symbol

__all__ = [
    "BOOL",
    "FLOAT32",
    "FLOAT64",
    "INT64",
    "Operand",
    "as_dtype",
    "broadcast_to",
    "cast",
    "check_size",
    "concatenate",
    "constant",
    "derived",
    "device_leaf",
    "elementwise",
    "expand_axes",
    "filled",
    "fitting",
    "iota",
    "leaf",
    "located",
    "loop_dtype",
    "number_in",
    "promote",
    "reduce",
    "reshape",
    "selected",
    "silent",
    "streamed_leaf",
    "view",
    "warn_of_discarding",
    "warned",
]

DType = np.dtype[Any]
Scalar: TypeAlias = bool | int | float | complex
Operand: TypeAlias = Node | Scalar | Symbol

CAST = ELEMENTWISE["cast"]
_COMPARISONS = frozenset(
    ELEMENTWISE[name]
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
)
_POWER = ELEMENTWISE["power"]

_resolved: dict[tuple[object, ...], tuple[tuple[DType, ...], DType]] = {}


def filled(value: Any, dtype: DType, shape: Shape) -> Node:
    """Return `value` in `dtype`, broadcast to `shape`.

    Parameters
    ----------
    value : object
        As in :func:`constant`.
    dtype : numpy.dtype
        Of the result.
    shape : tuple of int
        Of the result.
    """
    return broadcast_to(constant(value, dtype), shape)


def promote(*operands: Operand) -> DType:
    """Return the dtype that NumPy promotes `operands` to; Python scalars are weak."""
    kinds = [
        operand.dtype if isinstance(operand, Node) else _type(operand)(0) for operand in operands
    ]
    try:
        return as_dtype(result_type(*kinds))
    except TypeError as error:
        raise DTypeError(
            f"{' and '.join(map(_dtype_name, kinds))} have no common dtype",
            origin=origin(),
            hint="convert one of them with .astype(...)",
        ) from error


def _dtype_name(kind: Any) -> str:
    return kind.name if isinstance(kind, np.dtype) else f"a Python {type(kind).__name__}"


def cast(x: Node, dtype: DType) -> Node:
    """Return `x` converted as C does; `x` itself if it has the dtype.

    Parameters
    ----------
    x : Node
        The value.
    dtype : numpy.dtype
        Of the result.
    """
    if x.dtype == dtype:
        return x
    if x.op is CONSTANT:
        return constant(x.op.evaluate(x)[()], dtype)
    return node(CAST, (x,), dtype, x.shape, None, origin())


def check_cast(
    source: DType, target: DType, casting: str, *, ufunc: str | None = None, scalar: bool = False
) -> None:
    """Raise DTypeError, with NumPy's text, unless a `casting` rule lets `source` become `target`.

    Parameters
    ----------
    source, target : numpy.dtype
        Before and after the cast.
    casting : str
        NumPy's name of a rule: "no", "equiv", "safe", "same_kind" or "unsafe".
    ufunc : str, optional
        Name of the ufunc whose output is cast.
    scalar : bool
        Whether what is cast has no axes.
    """
    if not np.can_cast(source, target, casting):  # type: ignore[arg-type]
        value, rule = "scalar" if scalar else "array data", "according to the rule"
        if ufunc is not None:
            value, rule = f"ufunc '{ufunc}' output", "with casting rule"
        raise DTypeError(
            f"Cannot cast {value} from {source!r} to {target!r} {rule} {casting!r}",
            origin=origin(),
            hint="convert explicitly with .astype",
        )


def warn_of_discarding(source: DType, target: DType) -> None:
    """Issue NumPy's warning at the user's line if a cast drops imaginary parts.

    Parameters
    ----------
    source, target : numpy.dtype
        Before and after the cast.
    """
    if kind_of(source) == "c" and kind_of(target) not in "cb":
        text = "Casting complex values to real discards the imaginary part"
        warn_user(text, np.exceptions.ComplexWarning)


def warned(value: Node, condition: Node, text: str) -> Node:
    """Return a value that issues a NumPy warning if a condition holds for any element.

    Parameters
    ----------
    value : Node
        The value.
    condition : Node
        Of a shape that broadcasts to that of the value; converted to bool.
    text : str
        The warning.
    """
    condition = broadcast_to(cast(condition, BOOL), value.shape)
    return node(WARNED, (value, condition), value.dtype, value.shape, WarningText(text), origin())


def selected(value: Node, mask: Node) -> Node:
    """Return a value of which the user selects elements: only these may issue warnings.

    Parameters
    ----------
    value : Node
        The value.
    mask : Node
        True for the selected elements; broadcast with the value, and converted to bool.
    """
    shape = shapes.broadcast_shapes(value.shape, mask.shape)
    return node(SELECTED, (value, cast(mask, BOOL)), value.dtype, shape, None, origin())


def silent(root: Node, inputs: tuple[Node, ...], op: Op | None = None) -> Node:
    """Return an equal value none of whose steps issues a warning.

    Parameters
    ----------
    root : Node
        The value.
    inputs : tuple of Node
        What it is made of, which keeps its warnings.
    op : Op, optional
        Only steps of this operation; by default all.
    """
    replaced: dict[Node, Node] = {}
    for current in walk((root,), lambda value: value in inputs):
        src = tuple([replaced.get(source, source) for source in current.src])
        attr = current.attr
        if current.op.kind is Kind.ELEMENTWISE and op in (None, current.op):
            attr = WarningText(None)
        if current not in inputs and (src != current.src or attr != current.attr):
            replaced[current] = node(
                current.op, src, current.dtype, current.shape, attr, current.origin
            )
    return replaced.get(root, root)


def derived(value: Node, sources: tuple[Node, ...], name: Hashable) -> Node:
    """Return a value whose derivatives with respect to `sources` have a rule of their own.

    Plans and kernels know nothing of this.

    Parameters
    ----------
    value : Node
        The value.
    sources : tuple of Node
        What it is computed from.
    name : str or Derivation
        Of the rule in the table of derivatives, or the call that it computes.
    """
    return node(DERIVED, (value, *sources), value.dtype, value.shape, name, origin())


_broadcast_shapes = lru_cache(4096)(shapes.broadcast_shapes)


def elementwise(
    op: Op, operands: tuple[Operand, ...], dtype: DType | None = None, casting: str = "same_kind"
) -> Node:
    """Return a node of an elementwise op, its operands cast to the loop's dtypes.

    Parameters
    ----------
    op : Op
        A row of the elementwise table.
    operands : tuple of Node, Symbol or Python scalar
        As many as the op takes. Their shapes broadcast; Python scalars are weak (NEP 50).
    dtype : numpy.dtype, optional
        Of the result, as in ``np.add(x, y, dtype=...)``.
    casting : str, optional
        NumPy's name of the rule by which operands may be cast to the loop's dtypes.

    Raises
    ------
    ShapeError
        The operands do not broadcast.
    DTypeError
        NumPy has no loop for the dtypes.
    OverflowError
        A Python integer does not fit the loop's dtype.
    """
    key = (
        op,
        dtype,
        casting,
        *[operand.dtype if type(operand) is Node else _type(operand) for operand in operands],
    )
    dtypes = _resolved.get(key)
    if dtypes is None:
        dtypes = _resolved[key] = _resolve(op, operands, dtype, casting)
    loop, result = dtypes
    where = origin()
    if len(operands) == 1 and isinstance(operands[0], Node) and operands[0].dtype is loop[0]:
        return node(op, operands, result, operands[0].shape, None, where)  # type: ignore[arg-type]
    src: list[Node] = []
    shape: Shape | None = None
    mixed = False
    for operand, target in zip(operands, loop, strict=True):
        if isinstance(operand, Node):
            if operand.dtype is not target and operand.dtype != target:
                operand = cast(operand, target)
            if shape is None:
                shape = operand.shape
            elif operand.shape != shape:
                mixed = True
            src.append(operand)
        else:
            if type(operand) is Symbol and kind_of(target) in "iu":
                # Whether an integer fits, and its sign, may decide what is built.
                if op is _POWER or op in _COMPARISONS:
                    known = tuple([x.known() if type(x) is Symbol else x for x in operands])
                    return elementwise(op, known, dtype, casting)
            if type(operand) is int and target is BOOL and abs(operand) >= 2**63:
                _check_truth(op, operands)
            try:
                src.append(constant(operand, target))
            except OverflowError:
                if op in _COMPARISONS:
                    return _compare_out_of_bounds(op, operands, src)
                raise
    if mixed:
        try:
            shape = _broadcast_shapes(*[x.shape for x in src])
        except ShapeError:
            listed = " ".join(shapes.text_of(x.shape) for x in src)
            raise ShapeError(
                f"operands could not be broadcast together with shapes {listed} in {op.name}",
                origin=where,
                hint="add an axis with x[:, None], or reshape",
            ) from None
        check_size(shape, result)
    elif shape is None:
        shape = ()
    if op is _POWER:
        if kind_of(result) == "i":
            _check_power(operands[1])
        whole = whole_power(result, operands[1])
        if whole is not None and src[0].dtype == result:
            return node(whole, (src[0],), result, shape, None, where)
    return node(op, tuple(src), result, shape, None, where)


def _type(operand: Any) -> type:
    """Return the type of a Python scalar."""
    kind = type(operand)
    return operand.kind if kind is Symbol else kind


def _resolve(
    op: Op, operands: tuple[Operand, ...], dtype: DType | None, casting: str
) -> tuple[tuple[DType, ...], DType]:
    kinds = tuple(
        operand.dtype
        if isinstance(operand, Node)
        else (BOOL if isinstance(operand, bool) else _type(operand))
        for operand in operands
    )
    with located():
        if not any(isinstance(operand, Node) for operand in operands):
            kinds = tuple(np.dtype(g) for g in kinds)
        return resolve(op, kinds, dtype, casting)


def _check_truth(op: Op, operands: tuple[Operand, ...]) -> None:
    """Raise OverflowError where NumPy cannot take a Python integer to a logical function."""
    assert op.ufunc is not None
    op.ufunc(*(np.zeros((), x.dtype) if isinstance(x, Node) else x for x in operands))


def _compare_out_of_bounds(op: Op, operands: tuple[Operand, ...], src: list[Node]) -> Node:
    """Return the comparison with a Python integer that the array's dtype cannot hold.

    It comes out the same for every element, as in NumPy.
    """
    left, right = operands
    assert op.ufunc is not None
    if not isinstance(left, Node) and not isinstance(right, Node):
        return filled(op.ufunc(left, right), BOOL, ())
    if isinstance(left, Node):
        value = op.ufunc(np.zeros((), left.dtype), right)
        return filled(value, BOOL, left.shape)
    assert isinstance(right, Node)
    return filled(op.ufunc(left, np.zeros((), right.dtype)), BOOL, right.shape)


def _check_power(exponent: Operand) -> None:
    if isinstance(exponent, int) and exponent < 0:
        raise ArgumentError(
            "Integers to negative integer powers are not allowed.",
            origin=origin(),
            hint="convert one operand to float",
        )


def reduce(name: str, sources: tuple[Node, ...], axes: tuple[int, ...], dtype: DType) -> Node:
    """Return a reduction of the first source over `axes`, which are dropped.

    Parameters
    ----------
    name : str
        A key of :data:`lazyarr.ops.reduce.REDUCE`.
    sources : tuple of Node
        The elements, and further operands that the reduction takes, such as a mean.
    axes : tuple of int
        The reduced axes in ascending order; they are dropped.
    dtype : numpy.dtype
        Of the result.
    """
    whole = sources[0].shape
    shape: Shape = ()
    if len(axes) < len(whole):
        shape = tuple([n for axis, n in enumerate(whole) if axis not in axes])
    return node(REDUCE[name], sources, dtype, shape, axes, origin())


def size_over(shape: Shape, axes: tuple[int, ...]) -> int:
    """Return the number of elements that a reduction combines into one.

    Parameters
    ----------
    shape : tuple of int
        Of the operand.
    axes : tuple of int
        The reduced axes.
    """
    return prod(shape[axis] for axis in axes)
