"""Elementwise functions as objects: called like NumPy's ufuncs, and with their methods."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.arrays.coercion import NO_VALUE, has_override
from lazyarr.arrays.compiled import (
    ELEMENTWISE_CALL,
    LOOPS,
    PYTHON_CALL,
    allow_ufunc,
    compiled_call,
)
from lazyarr.arrays.fields import COMPILED, Elementwise
from lazyarr.arrays.lazy_array import LazyArray, apply
from lazyarr.arrays.native import called
from lazyarr.arrays.native_calls import call_at_once
from lazyarr.arrays.native_rows import ufunc_row
from lazyarr.arrays.operators import building
from lazyarr.arrays.plain_operands import read_operands
from lazyarr.core.numpy_releases import DEPRECATES_EXTREMA_OF_THREE
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Op
from lazyarr.tracing import hooks, recorded, recording, refusing_method, running

__all__ = ["ufunc", "unary"]

DType = np.dtype[Any]
_OF_THREE = (
    "Passing more than 2 positional arguments to np.maximum and np.minimum is deprecated. If you "
    "meant to use the third argument as an output, use the `out` keyword argument instead. If you "
    "hoped to work with more than 2 inputs, combine them into a single array and get the extrema "
    "for the relevant axis."
)
#: Types of operands that have no answer of their own to NumPy's ufuncs.
_CONVERTED = frozenset((LazyArray, np.ndarray, bool, int, float, complex))


def unary(
    x: Any,
    /,
    out: Any = None,
    *,
    where: Any = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any:
    """Show the parameters of a ufunc of one operand; only the signature is used.

    Parameters
    ----------
    x : array_like
        The operand.
    out : ndarray, LazyArray or tuple of one, optional
        Takes the result on.
    where : array_like of bool
        Elements where it is false keep what `out` held.
    casting : str
        Rule for conversions.
    order : {"C", "F", "A", "K"}
        Of the result in memory.
    subok : object
        Accepted for NumPy's sake.
    dtype : dtype, optional
        To compute in.
    signature : str or tuple, optional
        Names `dtype` in NumPy's other way.
    """


def _binary(
    x1: Any,
    x2: Any,
    /,
    out: Any = None,
    *,
    where: Any = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any: ...


def _unary_pair(
    x: Any,
    /,
    out: Any = (None, None),
    *,
    where: Any = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any: ...


def _binary_pair(
    x1: Any,
    x2: Any,
    /,
    out: Any = (None, None),
    *,
    where: Any = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any: ...


@functools.cache
def _signed(operands: int, outputs: int) -> inspect.Signature:
    """Return the signature of the function of a ufunc."""
    shown: dict[tuple[int, int], Callable[..., Any]]
    shown = {(1, 1): unary, (2, 1): _binary, (1, 2): _unary_pair, (2, 2): _binary_pair}
    if (operands, outputs) not in shown:
        raise AttributeError("__signature__")
    return inspect.signature(shown[operands, outputs])


def _function(theirs: np.ufunc, ops: tuple[Op, ...]) -> Callable[..., Any]:
    plain = ops[0]
    arity = theirs.nin
    single = len(ops) == 1

    def function(
        *operands: Any,
        out: Any = None,
        where: Any = True,
        dtype: Any = None,
        casting: str = "same_kind",
        **keywords: Any,
    ) -> Any:
        if out is not None or not _CONVERTED.issuperset(map(type, operands)):
            if any(map(has_override, (*operands, *(out if isinstance(out, tuple) else (out,))))):
                options = {"out": out, "where": where, "dtype": dtype, "casting": casting}
                return theirs(*operands, **_passed(options), **keywords)
        if (
            len(operands) == arity
            and out is None
            and where is True
            and dtype is None
            and casting == "same_kind"
            and single
            and not keywords
        ):
            return apply(plain, operands)
        # Imported here: most calls have operands and nothing else.
        from lazyarr.numpy_api.memory_order import in_order
        from lazyarr.numpy_api.ufunc_calls import call_ufunc, ufunc_options
        from lazyarr.numpy_api.ufunc_signatures import check_casting, signed_dtype

        if keywords:
            named = [name for name in ("signature", "sig") if name in keywords]
            if len(named) > 1 or (named and dtype is not None):
                other = "'sig' and 'signature'" if len(named) > 1 else "'signature' and 'dtype'"
                raise ArgumentError(f"cannot specify both {other}", origin=origin())
            for name in named:
                first = operands[:arity]
                keywords[name] = signed_dtype(keywords[name], theirs, first, casting)
            dtype = ufunc_options(theirs.__name__, keywords).get("dtype", dtype)
        if (
            len(operands) == arity
            and out is None
            and where is True
            and dtype is None
            and casting == "same_kind"
            and single
        ):
            return in_order(apply(plain, operands), keywords.get("order"), operands)
        if not arity <= len(operands) <= theirs.nargs:
            count = f"from {arity} to {theirs.nargs} positional arguments but {len(operands)}"
            were = "was" if len(operands) == 1 else "were"
            raise TypeError(f"{theirs.__name__}() takes {count} {were} given")
        if len(operands) > arity:
            if out is not None:
                raise ArgumentError(
                    "cannot specify 'out' as both a positional and keyword argument",
                    origin=origin(),
                )
            operands, outputs = operands[:arity], operands[arity:]
            if any(output is Ellipsis for output in outputs):
                raise ArgumentError(
                    "out=... is only allowed as a keyword argument.", origin=origin()
                )
            if DEPRECATES_EXTREMA_OF_THREE and theirs in (np.maximum, np.minimum):
                warn_user(_OF_THREE, DeprecationWarning)
            # Outputs that are not passed are new arrays.
            out = (*outputs, *(None,) * (theirs.nargs - arity - len(outputs)))
        check_casting(theirs, operands, dtype, casting)
        result = call_ufunc(ops, operands, out=out, where=where, dtype=dtype, casting=casting)
        return result if out is not None else in_order(result, keywords.get("order"), operands)

    function.__name__ = function.__qualname__ = theirs.__name__
    function.__module__ = "lazyarr"
    return function


def _call(self: ufunc, *operands: Any, **keywords: Any) -> Any:
    if not running and not keywords:
        if self._build is not None and len(operands) == 1 and type(operands[0]) is LazyArray:
            if operands[0]._array is None:
                return self._build(operands[0])
        computed = called(self._theirs, operands, LazyArray)
        if computed is not None:
            return computed
    if self._theirs.nout > 1 and keywords.get("out", Ellipsis) is None:
        raise ArgumentError("'out' must be a tuple of arrays", origin=origin())
    return self._recorded(*operands, **keywords)


_DEFAULTS = {
    "dtype": None,
    "out": None,
    "keepdims": False,
    "initial": NO_VALUE,
    "where": True,
    "casting": "same_kind",
}


def _passed(keywords: dict[str, Any]) -> dict[str, Any]:
    """Return keywords without those that are as if they were not passed."""
    return {
        name: value
        for name, value in keywords.items()
        if name not in _DEFAULTS or value is not _DEFAULTS[name]
    }


def _not_at_once(*args: Any, **keywords: Any) -> Any:
    return NotImplemented


@functools.cache
def _method_call(function: ufunc, method: str) -> Callable[..., Any]:
    """Return a function that calls a method of NumPy's ufunc where all is small and in memory.

    It returns NotImplemented elsewhere. The compiled form asks it from then on.
    """
    theirs, ours = getattr(function._theirs, method), getattr(function, method)
    row = ufunc_row(theirs, ours, "bounded" if method == "outer" else "total")
    if COMPILED is not None:
        vars(function)[method] = compiled_call(ours, row, theirs)  # in place of the method
        return compiled_call(_not_at_once, row, theirs)
    if row.fills:
        return _not_at_once

    def call(*args: Any, **keywords: Any) -> Any:
        result = call_at_once(row, args, keywords, LazyArray)
        return NotImplemented if result is None else result

    return call


class ufunc(Elementwise):  # noqa: N801 - NumPy's name
    """An elementwise function of NumPy's on lazy arrays.

    Called, it takes the operands, ``out``, ``where``, ``dtype`` and ``casting`` of NumPy's function
    of the same name, and gives a LazyArray. Its methods are those of NumPy's, also lazy.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.add.reduce([[1, 2], [3, 4]], axis=0).compute()
    array([4, 6])
    >>> la.multiply.outer([1, 2], [3, 4]).compute()
    array([[3, 4],
           [6, 8]])
    >>> isinstance(la.sin, la.ufunc), la.sin.nin
    (True, 1)
    """

    def __init__(self, theirs: np.ufunc, ops: tuple[Op, ...]) -> None:
        if COMPILED is not None:
            kind, op = (ELEMENTWISE_CALL, ops[0]) if len(ops) == 1 else (PYTHON_CALL, None)
            number = LOOPS.get(theirs, -1)
            super().__init__(kind, MethodType(_call, self), theirs, op=op, loop=number)
            allow_ufunc(self, theirs)
        self._theirs = theirs
        self._recorded = recorded(_function(theirs, ops), theirs)
        self._build = building(ops[0]) if theirs.nin == 1 and len(ops) == 1 else None
        self.__name__ = self.__qualname__ = theirs.__name__
        self.__module__ = "lazyarr"
        summary = (theirs.__doc__ or "").split("\n\n")
        first = summary[1].strip() if len(summary) > 1 else theirs.__name__
        self.__doc__ = (
            f"{first}\n\nLazy :data:`numpy.{theirs.__name__}`: the same operands, ``out``, "
            "``where``, ``dtype``\nand ``casting``; gives a LazyArray.\n"
        )

    if COMPILED is None or TYPE_CHECKING:

        def __call__(self, *operands: Any, **keywords: Any) -> Any:
            """Return the function of each element; see the class."""
            return _call(self, *operands, **keywords)

    def __repr__(self) -> str:
        return f"<lazyarr ufunc '{self.__name__}'>"

    def __reduce__(self) -> str:
        return self.__name__

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters, as :mod:`inspect` shows them."""
        return _signed(self.nin, self.nout)

    @property
    def nin(self) -> int:
        """Number of operands."""
        return self._theirs.nin

    @property
    def nout(self) -> int:
        """Number of outputs."""
        return self._theirs.nout

    @property
    def nargs(self) -> int:
        """Number of operands and outputs."""
        return self._theirs.nargs

    @property
    def ntypes(self) -> int:
        """Number of NumPy's loops."""
        return self._theirs.ntypes

    @property
    def types(self) -> list[str]:
        """NumPy's loops, as type codes."""
        return self._theirs.types

    @property
    def identity(self) -> Any:
        """The result of a reduction over no elements; None if there is no such value."""
        return self._theirs.identity

    @property
    def signature(self) -> str | None:
        """The core axes of a generalized ufunc; None for elementwise functions."""
        return self._theirs.signature

    def resolve_dtypes(self, *args: Any, **keywords: Any) -> tuple[DType, ...]:
        """Return the dtypes that NumPy's loop for operands has."""
        resolve: Callable[..., tuple[DType, ...]] = self._theirs.resolve_dtypes
        return resolve(*args, **keywords)

    def _at_once(self, method: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Return the result of a method by NumPy's; NotImplemented if there is none."""
        if running:
            return NotImplemented
        return _method_call(self, method)(*args, **_passed(keywords))

    def _answer(self, method: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        computed = self._at_once(method, args, keywords)
        if computed is not NotImplemented:
            return computed
        answer = hooks.FUNCTIONS["array_ufunc"]
        arguments = self._theirs, method, args, keywords
        if running and (trace := recording()) is not None:
            result = trace.call(answer, arguments, {})
        else:
            result = answer(*arguments)
        if result is NotImplemented:  # an operand of another library has an answer of its own
            return getattr(self._theirs, method)(*args, **_passed(keywords))
        return read_operands(result, args)

    @refusing_method
    def reduce(
        self,
        array: Any,
        /,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = NO_VALUE,
        where: Any = True,
    ) -> Any:
        """Return an array combined over axes.

        Parameters
        ----------
        array : array_like
            Input.
        axis : int, tuple of int or None
            Axes to combine over; None for all.
        dtype : dtype, optional
            To combine in.
        out : ndarray or LazyArray, optional
            Takes the result on.
        keepdims : bool
            Keep the axes, with length one.
        initial : number, optional
            The value to begin with; None for the first element.
        where : array_like of bool
            Which elements count.
        """
        keywords = {"dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial}
        return self._answer("reduce", (array, axis), {**keywords, "where": where})

    @refusing_method
    def accumulate(self, array: Any, /, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Return all partial results of combining an array along an axis.

        Parameters
        ----------
        array : array_like
            Input.
        axis : int
            The axis to combine along.
        dtype : dtype, optional
            To combine in.
        out : ndarray or LazyArray, optional
            Takes the result on.

        Returns
        -------
        LazyArray
            Of the shape of `array`.
        """
        return self._answer("accumulate", (array, axis), {"dtype": dtype, "out": out})

    @refusing_method
    def reduceat(
        self, array: Any, /, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        """Return reductions over the slices that begin at `indices` along an axis.

        Parameters
        ----------
        array : array_like
            Input.
        indices : array_like of int
            A vector. The slice k is ``array[indices[k] : indices[k + 1]]``, or one element if
            that is empty; the last one reaches to the end.
        axis : int
            The axis of the slices.
        dtype : dtype, optional
            To combine in.
        out : ndarray or LazyArray, optional
            Takes the result on.

        Returns
        -------
        LazyArray
            As long as `indices` along the axis.
        """
        return self._answer("reduceat", (array, indices, axis), {"dtype": dtype, "out": out})

    @refusing_method
    def outer(self, A: Any, B: Any, /, **keywords: Any) -> Any:  # noqa: N803 - NumPy's names
        """Return the function of each pair of elements of two arrays.

        Parameters
        ----------
        A, B : array_like
            Operands.
        **keywords : object
            Those of the function itself.

        Returns
        -------
        LazyArray
            Of shape ``A.shape + B.shape``.
        """
        return self._answer("outer", (A, B), keywords)

    @refusing_method
    def at(self, a: Any, indices: Any, b: Any = None, /) -> None:
        """Apply the function to the elements at `indices`, one after the other, in place.

        Parameters
        ----------
        a : LazyArray or ndarray
            The array to change.
        indices : int, array_like of int, slice or tuple
            An index of `a`; an element that it names twice is changed twice.
        b : array_like, optional
            The second operand of a function of two; broadcasts to ``a[indices]``.
        """
        self._answer("at", (a, indices) if b is None else (a, indices, b), {})
