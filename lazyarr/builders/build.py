"""Building nodes: dtype and shape rules, casts, views. Knows nothing of LazyArray.

An operand is a node, or a Python scalar, which is weak as NEP 50 says.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from lazyarr.core import shapes
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, LazyarrError, ShapeError
from lazyarr.graph.device_leaf import DeviceLeaf, OnDevice
from lazyarr.graph.node import (
    ComputedLeaf,
    Early,
    Kind,
    Leaf,
    Node,
    Op,
    Says,
    node,
    walk,
)
from lazyarr.ops.elementwise import ELEMENTWISE, resolve
from lazyarr.ops.markers import DERIVED, SELECTED, TOLD
from lazyarr.ops.movement import CONCATENATE, CONSTANT, IOTA, LEAF, RESHAPE, VIEW
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
    "concatenate",
    "constant",
    "derived",
    "elementwise",
    "expand_axes",
    "filled",
    "iota",
    "leaf",
    "located",
    "promote",
    "reduce",
    "reshape",
    "selected",
    "silent",
    "told",
    "view",
    "warn_of_discarding",
]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
Scalar: TypeAlias = bool | int | float | complex
Operand: TypeAlias = Node | Scalar | Symbol

BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
_DOUBLE = struct.Struct("d").pack
SUPPORTED = frozenset(np.dtype(code) for code in "?bBhHiIlLqQefdFD")
#: Of dtypes that are equal, such as C's long and long long, the one that nodes have.
_CANONICAL = {dtype: np.dtype(dtype.str) for dtype in SUPPORTED}

CAST = ELEMENTWISE["cast"]
_COMPARISONS = frozenset(
    ELEMENTWISE[name]
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
)
_POWER = ELEMENTWISE["power"]
_WEAK = frozenset((bool, int, float, complex))

_resolved: dict[tuple[object, ...], tuple[tuple[DType, ...], DType]] = {}
_constants: dict[tuple[object, ...], Node] = {}


class located:  # noqa: N801 - reads as a statement: with located()
    """Add the user's file and line to any lazyarr error raised inside that lacks it."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, LazyarrError) and error.origin is None:
            error.origin = origin()


def as_dtype(dtype: Any) -> DType:
    """Return a dtype that lazyarr supports.

    Raises
    ------
    DTypeError
        If it is not a dtype or not one that lazyarr computes with.
    """
    try:
        found: DType = np.dtype(dtype)
    except TypeError as error:
        raise DTypeError(f"{dtype!r} is not a dtype: {error}", origin=origin()) from None
    canonical = _CANONICAL.get(found)
    if canonical is None:
        canonical = _CANONICAL.get(found.newbyteorder("="))
    if canonical is None:
        raise DTypeError(
            f"dtype {found} is not supported",
            origin=origin(),
            hint="use bool, (u)int8 to 64, float16 to 64, complex64 or complex128; "
            "convert with .astype first",
        )
    return canonical


def leaf(array: Array, early: Early | None = None) -> Node:
    """Return a node for memory that exists. Swapped bytes and bad alignment force a copy.

    `early` says which computation made the array, if one of an expression under construction did.
    """
    dtype = _CANONICAL.get(array.dtype) or as_dtype(array.dtype)
    if dtype is not array.dtype:
        # Equal dtypes differ in name alone; others in the order of their bytes.
        array = array.view(dtype) if dtype == array.dtype else array.astype(dtype)
    size = array.itemsize
    if not array.flags.aligned or any([s % size for s in array.strides]):  # noqa: C419 - faster
        array = array.copy()
    if type(array) is not np.ndarray:
        array = array.view(np.ndarray)
    attr = Leaf(array) if early is None else ComputedLeaf(array, early)
    return node(LEAF, (), array.dtype, array.shape, attr, origin())


def device_leaf(array: OnDevice) -> Node:
    """Return a node for an array in a device's memory."""
    return node(LEAF, (), array.dtype, array.shape, DeviceLeaf(array), origin())


def constant(value: Any, dtype: DType) -> Node:
    """Return a node for one value of `dtype`.

    Raises
    ------
    OverflowError
        A Python integer does not fit an integer dtype.
    """
    kind = type(value)
    if kind in _WEAK:
        # The type tells 1, 1.0 and True apart, the text 0.0 and -0.0.
        key = (kind, value if value and kind is not complex else repr(value), dtype)
        found = _constants.get(key)
        if found is not None:
            return found
        if kind is float and dtype is FLOAT64:
            data = _DOUBLE(value)  # as NumPy has it, in a tenth of the time
        else:
            with np.errstate(all="ignore"):
                data = np.array(value, dtype).tobytes()
        if len(_constants) > 4096:
            _constants.clear()
        found = _constants[key] = node(CONSTANT, (), dtype, (), data)
        return found
    if kind is Symbol:
        constant(value.value, dtype)  # raises if it does not fit
        made: Node = value.node(dtype)
        return made
    with np.errstate(all="ignore"):
        array = np.asarray(value).astype(dtype)
    return node(CONSTANT, (), dtype, (), array.tobytes(), origin())


def filled(value: Any, dtype: DType, shape: Shape) -> Node:
    """Return `value` in `dtype`, broadcast to `shape`."""
    return broadcast_to(constant(value, dtype), shape)


def iota(size: int) -> Node:
    """Return the integers from 0 to ``size - 1``."""
    _check_size((size,), INT64)
    return node(IOTA, (), INT64, (size,), None, origin())


def _check_size(shape: Shape, dtype: DType) -> None:
    with located():
        shapes.check_size(shape, dtype.itemsize)


def promote(*operands: Operand) -> DType:
    """Return the dtype that NumPy promotes `operands` to; Python scalars are weak."""
    given = [
        operand.dtype if isinstance(operand, Node) else _type(operand)(0) for operand in operands
    ]
    return as_dtype(np.result_type(*given))


def cast(x: Node, dtype: DType) -> Node:
    """Return `x` converted as C does; `x` itself if it has the dtype."""
    if x.dtype == dtype:
        return x
    if x.op is CONSTANT:
        with np.errstate(all="ignore"):
            return constant(x.op.evaluate(x)[()], dtype)
    return node(CAST, (x,), dtype, x.shape, None, origin())


def check_cast(source: DType, target: DType, casting: str) -> None:
    """Raise DTypeError unless NumPy's `casting` rule lets `source` become `target`."""
    if not np.can_cast(source, target, casting):  # type: ignore[arg-type]
        raise DTypeError(
            f"cannot cast from {source} to {target} with casting rule {casting!r}",
            origin=origin(),
            hint="use .astype to convert on purpose",
        )


def warn_of_discarding(source: DType, target: DType) -> None:
    """Give NumPy's warning at the user's line if a cast drops imaginary parts."""
    if source.kind == "c" and target.kind not in "cb":
        warnings.warn_explicit(
            "Casting complex values to real discards the imaginary part",
            np.exceptions.ComplexWarning,
            *(origin() or ("<unknown>", 0)),
        )


def told(value: Node, condition: Node, text: str) -> Node:
    """Return `value`, and NumPy's warning `text` if the condition holds for any element of it."""
    condition = broadcast_to(cast(condition, BOOL), value.shape)
    return node(TOLD, (value, condition), value.dtype, value.shape, Says(text), origin())


def selected(value: Node, mask: Node) -> Node:
    """Return `value`, of which the user knows the elements where the mask is true."""
    shape = shapes.broadcast_shapes(value.shape, mask.shape)
    return node(SELECTED, (value, cast(mask, BOOL)), value.dtype, shape, None, origin())


def silent(root: Node, inputs: tuple[Node, ...], op: Op | None = None) -> Node:
    """Return an equal value whose steps warn of nothing.

    Parameters
    ----------
    root : Node
        The value.
    inputs : tuple of Node
        What it is made of, which keeps its warnings.
    op : Op, optional
        Only steps of this operation; by default all.
    """
    made: dict[Node, Node] = {}
    for current in walk((root,), lambda found: found in inputs):
        src = tuple([made.get(source, source) for source in current.src])
        attr = current.attr
        if current.op.kind is Kind.ELEMENTWISE and op in (None, current.op):
            attr = Says(None)
        if current not in inputs and (src != current.src or attr != current.attr):
            made[current] = node(
                current.op, src, current.dtype, current.shape, attr, current.origin
            )
    return made.get(root, root)


def derived(value: Node, sources: tuple[Node, ...], name: str) -> Node:
    """Return a value whose derivatives with respect to `sources` have a rule of their own.

    `name` is that of the rule in the table of derivatives. Plans and kernels know nothing of this.
    """
    return node(DERIVED, (value, *sources), value.dtype, value.shape, name, origin())


def elementwise(
    op: Op, operands: tuple[Operand, ...], dtype: DType | None = None, casting: str = "same_kind"
) -> Node:
    """Return a node of an elementwise op, its operands cast to the loop's dtypes.

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
    found = _resolved.get(key)
    if found is None:
        found = _resolved[key] = _resolve(op, operands, dtype, casting)
    loop, result = found
    where = origin()
    if len(operands) == 1 and isinstance(operands[0], Node) and operands[0].dtype is loop[0]:
        return node(op, operands, result, operands[0].shape, None, where)  # type: ignore[arg-type]
    src: list[Node] = []
    shape: Shape | None = None
    mixed = False
    for operand, wanted in zip(operands, loop, strict=True):
        if isinstance(operand, Node):
            if operand.dtype is not wanted and operand.dtype != wanted:
                operand = cast(operand, wanted)
            if shape is None:
                shape = operand.shape
            elif operand.shape != shape:
                mixed = True
            src.append(operand)
        else:
            if type(operand) is Symbol and wanted.kind in "iu":
                # Whether an integer fits, and its sign, may decide what is built.
                if op is _POWER or op in _COMPARISONS:
                    known = tuple([x.known() if type(x) is Symbol else x for x in operands])
                    return elementwise(op, known, dtype, casting)
            if type(operand) is int and wanted is BOOL and abs(operand) >= 2**63:
                _check_truth(op, operands)
            try:
                src.append(constant(operand, wanted))
            except OverflowError:
                if op in _COMPARISONS:
                    return _compare_out_of_bounds(op, operands, src)
                raise
    if mixed:
        try:
            shape = shapes.broadcast_shapes(*[x.shape for x in src])
        except ShapeError:
            listed = " with ".join(str(x.shape) for x in src)
            raise ShapeError(
                f"cannot broadcast {listed} in {op.name}",
                origin=where,
                hint="add an axis with x[:, None], or reshape",
            ) from None
        _check_size(shape, result)
    elif shape is None:
        shape = ()
    if op is _POWER:
        if result.kind == "i":
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
    given = tuple(
        operand.dtype
        if isinstance(operand, Node)
        else (BOOL if isinstance(operand, bool) else _type(operand))
        for operand in operands
    )
    with located():
        if not any(isinstance(operand, Node) for operand in operands):
            given = tuple(np.dtype(g) for g in given)
        return resolve(op, given, dtype, casting)


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
            hint="make one of them float",
        )


def view(x: Node, index_map: View, shape: Shape) -> Node:
    """Return a view of `x`; a view of a view becomes one view, and the identity `x` itself."""
    if x.op is VIEW:
        inner = x.attr
        assert isinstance(inner, View)
        index_map = shapes.compose(inner, index_map, len(shape))
        x = x.src[0]
    if shape == x.shape and index_map == shapes.identity_view(len(shape)):
        return x
    return node(VIEW, (x,), x.dtype, shape, index_map, origin())


def broadcast_to(x: Node, shape: Shape) -> Node:
    """Return `x` broadcast to `shape`.

    Raises
    ------
    ShapeError
        If it does not broadcast to that shape.
    """
    if x.shape == shape:
        return x
    pad = len(shape) - len(x.shape)
    if pad < 0 or any(old not in (1, new) for old, new in zip(x.shape, shape[pad:], strict=True)):
        raise ShapeError(f"cannot broadcast {x.shape} to {shape}", origin=origin())
    _check_size(shape, x.dtype)
    return view(x, shapes.broadcast_view(x.shape, shape), shape)


def reshape(x: Node, shape: Shape) -> Node:
    """Return `x` in C order with another shape of the same size."""
    if x.shape == shape:
        return x
    index_map = shapes.expand_view(x.shape, shape) or shapes.reshape_view(x.shape, shape)
    if index_map is not None:
        return view(x, index_map, shape)
    if x.op is RESHAPE:
        return reshape(x.src[0], shape)
    return node(RESHAPE, (x,), x.dtype, shape, None, origin())


def expand_axes(x: Node, axes: Sequence[int]) -> Node:
    """Return `x` with axes of length one at the positions `axes` of the result."""
    if not axes:
        return x
    remaining = iter(x.shape)
    shape = tuple(
        1 if axis in axes else next(remaining) for axis in range(len(x.shape) + len(axes))
    )
    return reshape(x, shape)


def reduce(name: str, sources: tuple[Node, ...], axes: tuple[int, ...], dtype: DType) -> Node:
    """Return a reduction of the first source over `axes`, which are dropped."""
    shape = tuple(n for axis, n in enumerate(sources[0].shape) if axis not in axes)
    return node(REDUCE[name], sources, dtype, shape, axes, origin())


def concatenate(sources: Sequence[Node], axis: int) -> Node:
    """Return `sources`, which have one dtype and fit, joined along `axis`; empty ones are left out.

    Raises
    ------
    ShapeError
        Their shapes differ on another axis.
    """
    first = sources[0]
    for at, other in enumerate(sources):
        if len(other.shape) != len(first.shape) or any(
            a != b
            for k, (a, b) in enumerate(zip(first.shape, other.shape, strict=True))
            if k != axis
        ):
            raise ShapeError(
                f"cannot concatenate along axis {axis}: array 0 has shape {first.shape} "
                f"and array {at} has shape {other.shape}",
                origin=origin(),
                hint="all other axes must agree",
            )
    parts = tuple(source for source in sources if source.shape[axis]) or (first,)
    if len(parts) == 1:
        return parts[0]
    total = sum(part.shape[axis] for part in parts)
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    _check_size(shape, first.dtype)
    return node(CONCATENATE, parts, first.dtype, shape, axis, origin())


def size_over(shape: Shape, axes: tuple[int, ...]) -> int:
    """Return how many elements a reduction of `shape` over `axes` combines."""
    return prod(shape[axis] for axis in axes)
