"""The draws themselves: words, uniform and normal numbers of a shape, as nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, wrap
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT64, INT64
from lazyarr.core.shapes import Shape
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Op, node
from lazyarr.numpy_api.creation import as_shape
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.ops.random import BITS, UNIFORM
from lazyarr.random.arguments import UINT64, shape_of
from lazyarr.random.counters import Stream
from lazyarr.random.early_draws import drawn
from lazyarr.tracing import Symbol, running

__all__ = ["EXPONENT", "Draws", "are_usual", "function", "silent", "size_with"]

DType = np.dtype[Any]
#: Products of a parameter of this size, or its reciprocal, with a number drawn are normal numbers.
WIDEST = 2.0**900
#: So are exponentials and powers whose exponents are a parameter times what is drawn.
EXPONENT = 16.0


class Draws:
    """The draws of a stream, from which the functions of a generator are built."""

    #: Where the draws come from.
    stream: Stream

    def _draw(self, op: Op, dtype: DType, shape: Shape) -> LazyArray:
        """Return the next draw."""
        early = drawn(self, op, shape)
        if early is not None:
            return cast("LazyArray", early)
        build.check_size(shape, dtype)
        sources = self.stream.draw()
        return wrap(node(op, sources, dtype, shape, None, origin()))

    def _standard(
        self, rows: dict[DType, Op], name: str, size: Any, dtype: Any, out: Any
    ) -> tuple[LazyArray, Any]:
        """Return the next draw of a function that takes dtype= and out=."""
        float_dtype = build.as_dtype(dtype)
        if float_dtype not in rows:
            raise DTypeError(
                f"Unsupported dtype {float_dtype!r} for {name}: it must be float64 or float32",
                origin=origin(),
                hint="draw float32 and use .astype",
            )
        size = size_with(out, size, float_dtype)
        return self._draw(rows[float_dtype], float_dtype, shape_of(size)), out

    def _over(self, rows: dict[DType, Op], size: Any, *parameters: Any) -> LazyArray:
        """Return a draw of float64 of the shape that `size` and the parameters give."""
        return self._draw(rows[FLOAT64], FLOAT64, shape_of(size, *parameters))

    def _uniform(self, size: Any, start: Any, spread: Any) -> LazyArray:
        """Return ``start + spread * u`` of uniform numbers `u`."""
        drawn: LazyArray = start + spread * self._over(UNIFORM, size, start, spread)
        return drawn

    def _log_rest(self, size: Any, *parameters: Any) -> LazyArray:
        """Return ``log(1 - u)``; ``1 - u`` is exact and never zero."""
        return function("log", 1 - self._over(UNIFORM, size, *parameters))

    def _between(self, size: Any, *parameters: Any) -> LazyArray:
        """Return numbers in (0, 1), the ends left out: the middles of 2**52 intervals."""
        bits = self._draw(BITS, UINT64, shape_of(size, *parameters))
        count: LazyArray = (bits >> np.uint64(12)).astype(INT64).astype(FLOAT64)
        return (count + 0.5) * 2.0**-52


def size_with(out: Any, size: Any, dtype: DType, in_c_order: bool = False) -> Any:
    """Return the size of a draw that goes to an output, or without one the size itself.

    Parameters
    ----------
    out : ndarray or LazyArray, optional
        The user's output.
    size : int, tuple of int or None
        The user's size.
    dtype : numpy.dtype
        Of the draw.
    in_c_order : bool, optional
        Whether the output has to lie in C order; Fortran order will do otherwise.

    Raises
    ------
    ArgumentError, DTypeError, ShapeError
        If the output is no array, has gaps, is read-only, or is another dtype's, or of another
        shape than `size`.
    """
    if out is None:
        return size
    if not isinstance(out, (np.ndarray, LazyArray)):
        raise ArgumentError(
            f"return arrays must be of ArrayType, got {type(out).__name__}", origin=origin()
        )
    if not running:  # in a trace, arrays have no memory
        flags: Any = out.flags
        is_packed = flags.c_contiguous or (flags.f_contiguous and not in_c_order)
        if not (is_packed and flags.writeable):
            order = "C-contiguous" if in_c_order else "contiguous"
            raise ArgumentError(
                f"Supplied output array must be {order}, writable, aligned, and in machine "
                "byte-order.",
                origin=origin(),
            )
    if out.dtype != dtype:
        raise DTypeError(
            f"Supplied output array has the wrong type. Expected {dtype}, got {out.dtype}",
            origin=origin(),
        )
    if size is not None and as_shape(size) != out.shape:
        raise ShapeError(
            f"size must match out.shape when used together: {as_shape(size)} and {out.shape}",
            origin=origin(),
        )
    return out.shape


def silent(formula: Callable[[], Any], *parameters: Any, most: float = WIDEST) -> LazyArray:
    """Return numbers whose steps warn of nothing, as those of NumPy's generators do.

    Parameters
    ----------
    formula : callable
        Takes nothing and returns the numbers, a LazyArray.
    *parameters : object
        Of the distribution; LazyArrays among them keep their warnings.
    most : float
        No step meets an exception whose parameters are zero, or at most this in magnitude and at
        least its reciprocal.
    """
    inputs = tuple([x._node for x in parameters if isinstance(x, LazyArray)])
    if not inputs and not any(_is_extreme(x, most) for x in parameters):
        return cast("LazyArray", formula())
    with np.errstate(all="ignore"):  # of small numbers, which are computed at once
        drawn = formula()
    return wrap(build.silent(drawn._node, inputs))


def are_usual(most: float, *parameters: Any) -> bool:
    """Return whether parameters are numbers, not negative, with which no step meets an exception.

    Parameters
    ----------
    most : float
        As of :func:`silent`.
    *parameters : object
        Of the distribution.
    """
    return all(
        type(x) in (int, float) and (x == 0 or 1 / most <= x <= most) and math.copysign(1, x) > 0
        for x in parameters
    )


def _is_extreme(x: Any, most: float) -> bool:
    """Return whether a known parameter is neither zero nor between a number and its reciprocal."""
    if type(x) is float:
        return not (x == 0 or 1 / most <= abs(x) <= most)
    if type(x) is Symbol:
        return True
    size = np.abs(x)
    return not bool(np.all((size == 0) | ((1 / most <= size) & (size <= most))))


def function(name: str, x: Any) -> LazyArray:
    """Return an elementwise function of `x`.

    Parameters
    ----------
    name : str
        Of a row of :mod:`lazyarr.ops.elementwise`.
    x : LazyArray or float
        The argument.
    """
    value: LazyArray = FUNCTIONS[name](x)
    return value
