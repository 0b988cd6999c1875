"""The keywords of NumPy's generalized ufuncs: which axes are core axes, dtypes and casts."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import check_order, has_override
from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, as_node, wrap
from lazyarr.arrays.plain_operands import read_operands
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT32
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.core.frozen import dataclass
from lazyarr.core.numpy_releases import FIRST_OF_NOTHING_IS_WEAK
from lazyarr.core.shapes import text_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, AxisError, DTypeError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.library_calls import call_library
from lazyarr.numpy_api.movement import axis_of, moveaxis
from lazyarr.numpy_api.ufunc_arguments import store_into
from lazyarr.numpy_api.ufunc_signatures import output_dtype
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.markers import is_differentiated

__all__ = [
    "GeneralizedUfunc",
    "call_product",
    "check_aligned",
    "check_core_axes",
    "check_core_sizes",
    "loop_nodes",
    "nodes_of_product",
    "scaled",
    "widened",
]

DType = np.dtype[Any]
Compute = Callable[[Node, Node], LazyArray]
_NOTHING: Any = getattr(np, "_NoValue", None)


def loop_nodes(
    name: str, ufunc: np.ufunc, operands: Sequence[Any], dtype: Any, casting: str
) -> list[Node]:
    """Return the operands in the dtypes of the ufunc's loop.

    Parameters
    ----------
    name : str
        The function's name in messages.
    ufunc : numpy.ufunc
        NumPy's function.
    operands : sequence of array_like
        Its operands.
    dtype : dtype, optional
        Of the result; default: by NumPy's rule.
    casting : str
        Rule for conversions.

    Returns
    -------
    list of Node
        One for each operand.

    Raises
    ------
    DTypeError
        If NumPy has no loop for them, or `casting` forbids a conversion.
    """
    arrays = [as_lazy(x)._node for x in operands]
    options: dict[str, Any] = {"casting": casting}
    if dtype is not None:
        options["signature"] = (None,) * ufunc.nin + (build.loop_dtype(dtype),)
    resolve: Callable[..., tuple[DType, ...]] = ufunc.resolve_dtypes
    try:
        dtypes = resolve((*(x.dtype for x in arrays), None), **options)
    except TypeError as error:
        raise DTypeError(str(error), origin=origin()) from None
    except ValueError as error:
        raise ArgumentError(str(error), origin=origin()) from None
    return [build.cast(x, build.as_dtype(loop)) for x, loop in zip(arrays, dtypes, strict=False)]


def widened(factors: Sequence[Node]) -> tuple[list[Node], DType | None]:
    """Return factors as sums of their products take them, and the dtype that the sums are cast to.

    Products of bfloat16 are exact in float32. They are summed there, and the sum is rounded once.

    Parameters
    ----------
    factors : sequence of Node
        The factors, of any dtypes.

    Returns
    -------
    factors : list of Node
        In float32, if their common dtype is bfloat16; else as they are.
    dtype : numpy.dtype or None
        bfloat16; None if the sums stay as they are.
    """
    narrow = [x.dtype for x in factors if is_bfloat16(x.dtype)]
    if not narrow or not all(np.can_cast(x.dtype, narrow[0]) for x in factors):
        return list(factors), None
    return [build.cast(x, FLOAT32) for x in factors], narrow[0]


def call_product(
    name: str,
    function: Callable[..., Any],
    factors: Sequence[Node],
    shape: tuple[int, ...],
    **keywords: Any,
) -> LazyArray:
    """Return a lazy call of a function that sums products, rounded once to their dtype.

    Parameters
    ----------
    name : str
        The operation's name, in plans and messages.
    function : callable
        NumPy's.
    factors : sequence of Node
        Of one dtype.
    shape : tuple of int
        Of its result.
    **keywords : object
        Its keywords.
    """
    factors, dtype = widened(factors)
    result = call_library(name, function, factors, shape, factors[0].dtype, **keywords)
    return result if dtype is None else wrap(build.cast(result._node, dtype))


def check_aligned(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    """Raise NumPy's error unless the axes have one size that a product of arrays sums over.

    Parameters
    ----------
    left, right : tuple of int
        Shapes of at least one axis: the last one of `left`, the last but one of `right`.

    Raises
    ------
    ShapeError
        If the sizes differ.
    """
    last, axis = len(left) - 1, max(len(right) - 2, 0)
    if left[last] != right[axis]:
        raise ShapeError(
            f"shapes {text_of(left)} and {text_of(right)} not aligned: {left[last]} (dim {last}) "
            f"!= {right[axis]} (dim {axis})",
            origin=origin(),
        )


@functools.cache
def _core(signature: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of the core axes of each operand of a generalized ufunc."""
    operands = signature.partition("->")[0].removeprefix("(").removesuffix(")").split("),(")
    return tuple(tuple(filter(None, names.split(","))) for names in operands)


@functools.lru_cache(4096)
def check_core_axes(name: str, signature: str, *operands: tuple[int, ...]) -> None:
    """Raise NumPy's error unless operands have the core axes of a generalized ufunc.

    Parameters
    ----------
    name : str
        The function's, in messages.
    signature : str
        Its signature; axes whose names end in "?" may lack.
    *operands : tuple of int
        Shapes.

    Raises
    ------
    ShapeError
        If there are too few axes.
    """
    for position, (shape, names) in enumerate(zip(operands, _core(signature), strict=True)):
        required = sum(not axis.endswith("?") for axis in names)
        if len(shape) < required:
            raise ShapeError(
                f"{name}: Input operand {position} does not have enough dimensions (has "
                f"{len(shape)}, gufunc core with signature {signature} requires {required})",
                origin=origin(),
                hint="use * to scale by a number",
            )


@functools.lru_cache(4096)
def check_core_sizes(name: str, signature: str, *operands: tuple[int, ...]) -> None:
    """Raise NumPy's error unless core axes of one name have one size.

    Parameters
    ----------
    name : str
        The function's, in messages.
    signature : str
        Of a generalized ufunc; axes whose names end in "?" may lack.
    *operands : tuple of int
        Shapes with the core axes last, which have the axes that may not lack.

    Raises
    ------
    ShapeError
        If sizes differ.
    """
    sizes: dict[str, int] = {}
    for position, (shape, names) in enumerate(zip(operands, _core(signature), strict=True)):
        if len(shape) < len(names):
            names = tuple(axis for axis in names if not axis.endswith("?"))
        for place, axis in enumerate(names):
            size = shape[len(shape) - len(names) + place]
            known = sizes.setdefault(axis, size)
            if known != size:
                raise ShapeError(
                    f"{name}: Input operand {position} has a mismatch in its core dimension "
                    f"{place}, with gufunc signature {signature} (size {size} is different from "
                    f"{known})",
                    origin=origin(),
                )


@dataclass(frozen=True, slots=True)
class GeneralizedUfunc:
    """A function of core axes, the last ones of each operand.

    Attributes
    ----------
    name : str
        As NumPy calls it.
    core : tuple of int
        How many core axes each of two operands has, and the result.
    compute : callable
        Takes nodes of the loop's dtype with the core axes last.
    """

    name: str
    core: tuple[int, int, int]
    compute: Compute

    @property
    def ufunc(self) -> np.ufunc:
        """NumPy's function, which lacks in old releases."""
        function = getattr(np, self.name, None)
        if function is None:
            raise ArgumentError(f"the installed NumPy has no {self.name}", origin=origin())
        ufunc: np.ufunc = function
        return ufunc

    @property
    def _signature(self) -> str:
        return str(self.ufunc.signature)

    def __call__(
        self,
        x1: Any,
        x2: Any,
        out: Any = None,
        *,
        axes: Any = _NOTHING,
        axis: Any = _NOTHING,
        keepdims: bool = False,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
        signature: Any = None,
    ) -> Any:
        """Return the result of NumPy's function for these arguments."""
        outputs = out if isinstance(out, tuple) else (out,)
        if any(map(has_override, (x1, x2, *outputs))):
            options: dict[str, Any] = {"axes": axes, "axis": axis, "keepdims": keepdims}
            options |= {"out": out, "casting": casting, "order": order, "subok": subok}
            options |= {"dtype": dtype} if signature is None else {"signature": signature}
            plain = {"axes": _NOTHING, "axis": _NOTHING, "keepdims": False, "out": None}
            plain |= {"casting": "same_kind", "order": "K", "subok": True, "dtype": None}
            passed = {k: v for k, v in options.items() if k not in plain or v is not plain[k]}
            return self.ufunc(x1, x2, **passed)
        check_order(order)
        if not isinstance(keepdims, bool):
            raise ArgumentError("'keepdims' must be a boolean", origin=origin())
        if signature is not None:
            dtype = output_dtype(signature, self.ufunc)
        factors, narrow = [as_lazy(x)._node for x in (x1, x2)], None
        if dtype is None or is_bfloat16(build.as_dtype(dtype)):
            factors, narrow = widened(factors)
            dtype = dtype if narrow is None else None
        left, right = loop_nodes(self.name, self.ufunc, list(map(wrap, factors)), dtype, casting)
        check_core_axes(self.name, self._signature, left.shape, right.shape)
        shared = self.core == (1, 1, 0)
        if axis is not _NOTHING:
            if axes is not _NOTHING:
                raise ArgumentError("cannot specify both 'axis' and 'axes'", origin=origin())
            if not shared:
                raise ArgumentError(
                    f"{self.name}: axis can only be used with a single shared core dimension, not "
                    f"with the ones implied by signature {self.ufunc.signature}.",
                    origin=origin(),
                )
            if isinstance(axis, bool):
                raise ArgumentError("an integer is required for the axis", origin=origin())
            axes = [(axis,), (axis,), (axis,) if keepdims else ()]
        if keepdims and not shared:
            raise ArgumentError(
                f"{self.name} does not support keepdims: its signature {self.ufunc.signature} "
                "requires that the operands have different core dimensions",
                origin=origin(),
            )
        count = min(self.core[2], (left.ndim > 1) + (right.ndim > 1))
        place = (-1,) if keepdims else tuple(range(-count, 0))
        if axes is not _NOTHING:
            counts = [min(n, x.ndim) for n, x in zip(self.core[:2], (left, right), strict=True)]
            first, second, place = self._places(axes, [*counts, len(place)])
            left, right = _to_the_end(left, first), _to_the_end(right, second)
        result = self._rounded(left, right, narrow)
        if keepdims:
            result = wrap(build.expand_axes(result._node, (result.ndim,)))
        self._check_output(result.shape[result.ndim - len(place) :], place, outputs)
        result = _of_as_many_axes(_from_the_end(result, place), outputs)
        return store_into(read_operands(result, (x1, x2)), out, casting, self.name)

    def _check_output(
        self, sizes: tuple[int, ...], places: tuple[int, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Raise NumPy's error unless an output has the core axes of the result."""
        target = outputs[0] if len(outputs) == 1 else None
        if not isinstance(target, (LazyArray, np.ndarray)):
            return
        if target.ndim < len(sizes):
            raise ShapeError(
                f"{self.name}: Output operand 0 does not have enough dimensions (has "
                f"{target.ndim}, gufunc core with signature {self._signature} requires "
                f"{len(sizes)})",
                origin=origin(),
            )
        for position, (size, place) in enumerate(zip(sizes, places, strict=True)):
            length = target.shape[axis_of(place, target.ndim)]
            if length != size:
                raise ShapeError(
                    f"{self.name}: Output operand 0 has a mismatch in its core dimension "
                    f"{position}, with gufunc signature {self._signature} (size {length} is "
                    f"different from {size})",
                    origin=origin(),
                )

    def _rounded(self, left: Node, right: Node, dtype: DType | None) -> LazyArray:
        """Return the result for operands in order, cast to a dtype unless that is None."""
        check_core_sizes(self.name, self._signature, left.shape, right.shape)
        result = self.compute(left, right)
        return result if dtype is None else wrap(build.cast(result._node, dtype))

    def _places(self, axes: Any, counts: list[int]) -> list[tuple[int, ...]]:
        """Return the core axes of operands and result, so many, that ``axes=`` names."""
        if not isinstance(axes, (list, tuple)) or isinstance(axes, tuple):
            raise ArgumentError("axes should be a list.", origin=origin())
        entries = list(axes)
        if len(entries) == 2 and not self.core[2]:
            entries.append((-1,) * counts[2])
        if len(entries) != 3:
            raise ArgumentError(
                "axes should be a list with an entry for all 3 inputs and outputs; entries for "
                "outputs can only be omitted if none of them has core axes.",
                origin=origin(),
            )
        places = []
        for k, (entry, count) in enumerate(zip(entries, counts, strict=True)):
            named = entry if isinstance(entry, tuple) else (entry,)
            if len(named) != count and (isinstance(entry, tuple) or hasattr(entry, "__index__")):
                what = f"{len(named)} dimensions are specified by axes tuple."
                if not isinstance(entry, tuple):
                    what = "the axes item is a single integer."
                raise AxisError(
                    f"{self.name}: operand {k} has {count} core dimensions, but {what}",
                    origin=origin(),
                )
            try:
                places.append(tuple(operator.index(axis) for axis in named))
            except TypeError as error:
                raise ArgumentError(f"axes: {error}", origin=origin()) from None
        return places


def _to_the_end(x: Node, places: tuple[int, ...]) -> Node:
    axes = [axis_of(place, x.ndim) for place in places]
    return moveaxis(wrap(x), axes, range(-len(axes), 0))._node if axes else x


def _of_as_many_axes(result: LazyArray, outputs: tuple[Any, ...]) -> LazyArray:
    """Return a result without the leading axes of length one that an output lacks."""
    target = outputs[0] if len(outputs) == 1 else None
    if not isinstance(target, (LazyArray, np.ndarray)) or target.ndim >= result.ndim:
        return result
    missing = result.ndim - target.ndim
    if any(length != 1 for length in result.shape[:missing]):
        raise ShapeError(
            "output operand requires a reduction along dimension -1, but the reduction is not "
            "enabled. The dimension size of 1 does not match the expected output shape.",
            origin=origin(),
        )
    return result[(0,) * missing]


def _from_the_end(result: LazyArray, places: tuple[int, ...]) -> LazyArray:
    axes = [axis_of(place, result.ndim) for place in places]
    return moveaxis(result, range(-len(axes), 0), axes) if axes else result


def scaled(x: Node, y: Node) -> LazyArray:
    """Return an array times a number, which BLAS adds to zeros for vectors and matrices.

    So no element is -0, and all are 0 if the number is, infinities and NaN as well.

    Parameters
    ----------
    x, y : Node
        Of which one at least has no axes.
    """
    product = apply(ELEMENTWISE["multiply"], (wrap(x), wrap(y)))
    number, array = (y, x) if x.shape else (x, y)
    dtype = product.dtype
    if dtype.char not in "fdFD" or array.ndim not in (1, 2) or array.size == 1:
        return product
    zero = build.constant(0, dtype)
    total = build.elementwise(ELEMENTWISE["add"], (product._node, zero))
    if is_differentiated((x, y)):  # the slope at a number of 0 is that of the product
        return wrap(total)
    is_counted = build.elementwise(ELEMENTWISE["not_equal"], (number, 0))
    seen = build.selected(total, is_counted)
    return wrap(build.elementwise(ELEMENTWISE["where"], (is_counted, seen, zero)))


def nodes_of_product(a: Any, b: Any) -> tuple[Node, Node]:
    """Return both operands of a product; one of no numbers has the dtype of the other.

    Parameters
    ----------
    a, b : array_like
        Operands.
    """
    x, y = as_node(a), as_node(b)
    if _has_no_dtype(b):
        return x, build.cast(y, x.dtype)
    if FIRST_OF_NOTHING_IS_WEAK and _has_no_dtype(a):
        return build.cast(x, y.dtype), y
    return x, y


def _has_no_dtype(value: Any) -> bool:
    """Return whether there are lists, and nothing in them."""
    return type(value) in (list, tuple) and all(map(_has_no_dtype, value))
