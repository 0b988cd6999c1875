"""The methods of arrays that are functions of higher packages, or made of these."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, ParamSpec, Self, TypeVar, cast

import numpy as np

from lazyarr.arrays.aliasing import (
    is_writeable,
    keep_in_memory,
    lay_copy,
    layout,
    read_only,
)
from lazyarr.arrays.coercion import check_order, element_of
from lazyarr.arrays.compiled import compiled_method
from lazyarr.arrays.copies import copied
from lazyarr.arrays.function_methods import FunctionMethods
from lazyarr.arrays.native_functions import compute_at_once
from lazyarr.arrays.native_items import item, write_item
from lazyarr.arrays.native_methods import attribute, method, reinterpreted_at_once
from lazyarr.arrays.needed_values import may_wait, value_in_memory
from lazyarr.arrays.pending_writes import begin_write
from lazyarr.arrays.residence import (
    adopt,
    adopt_or_compute,
    own_memory,
    wrapped_memory,
)
from lazyarr.arrays.steps import Part
from lazyarr.arrays.storing import become_expression, changing, in_layout, laid
from lazyarr.builders import build
from lazyarr.core.config import gpu_number
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError, UnsupportedDTypeError
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.graph.storage import lies_as_copied
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.markers import stays_expression
from lazyarr.tracing import depends, recorded, running
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = ["ArrayMethods", "native_method"]


P = ParamSpec("P")
R = TypeVar("R")


def _recorded_method(function: Callable[P, R]) -> Callable[P, R]:
    """Let a trace note the calls of a method, which refuses arguments in NumPy's words."""
    return recorded(function, getattr(np.ndarray, function.__name__))


def native_method(function: Callable[P, R]) -> Callable[P, R]:
    """Let a method of an array in memory be NumPy's method of the same name."""
    name = function.__name__
    noted = _recorded_method(function)

    @functools.wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        x: Any = args[0]
        if x._array is not None and not running:
            result: R | None = method(x, name, args[1:], keywords)
            if result is not None:
                return result
        return noted(*args, **keywords)

    return compiled_method(name, call, name)


def _view_at_once(function: Callable[P, R]) -> Callable[P, R]:
    """Let a view that is an attribute of an array in memory be NumPy's."""
    name = function.__name__
    noted = recorded(function)

    @functools.wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        x: Any = args[0]
        if not running and (x._array is not None or adopt(x)):
            view: R | None = attribute(x, name)
            if view is not None:
                return view
        return noted(*args, **keywords)

    return call


def _check_version(version: str | None) -> None:
    from lazyarr.interop.array_api import check_version  # few programs ask for the namespace

    check_version(version)


def _fill_value(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return the number that fills an array; lists are truths for arrays of truths."""
    if isinstance(value, (list, tuple)):
        if kind_of(dtype) != "b":
            raise DTypeError(f"fill takes a number, got {type(value).__name__}", origin=origin())
        return bool(value)
    if getattr(value, "ndim", 0):
        raise ShapeError("setting an array element with a sequence.", origin=origin())
    return element_of(value, dtype)


def _numbers(x: Any) -> Iterator[Any]:
    """Yield the elements of a vector, which is computed when the first one is asked for."""
    yield from x._value("iteration")


class _ValueMethods(FunctionMethods):
    """Methods that give the value as other objects, or write it to files."""

    __slots__ = ()

    def tolist(self) -> Any:
        """Return the value as nested lists of Python scalars; computes."""
        return self._value("x.tolist()").tolist()

    def tobytes(self, order: Any = "C") -> bytes:
        """Return the value's bytes in C or Fortran order; computes."""
        return self._value("x.tobytes()").tobytes(order)

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the value to a file as bytes, or as text between separators; computes."""
        self._value("x.tofile()").tofile(fid, sep, format)

    def dumps(self) -> bytes:
        """Return the value's pickle, that of an ``ndarray``; computes."""
        return self._value("x.dumps()").dumps()

    def dump(self, file: Any) -> None:
        """Write the value's pickle, that of an ``ndarray``, to a file; computes."""
        self._value("x.dump()").dump(file)


class ArrayMethods(_ValueMethods):
    """NumPy's methods of arrays."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Self:
        if not running and (self._array is not None or adopt_or_compute(self)):
            part: Self | None = item(self, key)
            if part is not None:
                return part
        return self._item(key)

    def _read_item(self, key: Any) -> Self:
        part: Self = FUNCTIONS["getitem"](self, key)
        return part

    _item = recorded(_read_item, np.ndarray.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        if running or not (self._array is not None or adopt(self)):
            self._write_item(key, value)
        elif not write_item(self, key, value):
            self._write_item(key, value)

    @functools.partial(recorded, theirs=np.ndarray.__setitem__)
    def _write_item(self, key: Any, value: Any) -> None:
        with changing():
            begin_write(self)
            FUNCTIONS["setitem"](self, key, value)

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise DTypeError("iteration over a 0-d array", origin=origin())
        if not (running and depends(self._node)):
            if len(self.shape) == 1 and not stays_expression((self._node,)):
                # Numbers, as in NumPy: libraries put them into sets, and look keys up by them.
                return iter(self._value("iteration")) if self._array is not None else _numbers(self)
            if not may_wait(self) and value_in_memory(self, "iteration") is None:
                self._value("iteration")
        return (self[i] for i in range(len(self)))

    def __reversed__(self) -> Iterator[Any]:
        return iter([*self][::-1])  # the numbers that iteration gives, as in NumPy

    @_recorded_method
    def sort(
        self,
        axis: int = -1,
        kind: Any = None,
        order: Any = None,
        *,
        stable: bool | None = None,
        descending: bool = False,
    ) -> None:
        """Sort the elements along an axis, in place.

        Parameters
        ----------
        axis, kind, order, stable, descending : object
            As for :func:`lazyarr.sort`.
        """
        options = {"kind": kind, "order": order, "stable": stable, "descending": descending}
        self._become(FUNCTIONS["sort"](self, operator.index(axis), **options)._node)

    @_recorded_method
    def partition(self, kth: Any, axis: int = -1, kind: Any = "introselect") -> None:
        """Partition the elements along an axis, in place; ``lazyarr.partition``.

        Parameters
        ----------
        kth : int or sequence of int
            Positions whose elements are those of the sorted array.
        axis : int, optional
            The axis.
        kind : str, optional
            Accepted for NumPy's sake.
        """
        self._become(FUNCTIONS["partition"](self, kth, operator.index(axis), kind=kind)._node)

    @_recorded_method
    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Replace elements, counted in C order, in place; ``lazyarr.put``.

        Parameters
        ----------
        indices : array_like of int
            Positions in C order.
        values : array_like
            Repeated as often as need be.
        mode : {"raise", "wrap", "clip"}, optional
            What is done about positions out of bounds.
        """
        FUNCTIONS["put"](self, indices, values, mode)

    @_recorded_method
    def fill(self, value: Any) -> None:
        """Write `value` to every element."""
        if not is_writeable(self):
            raise read_only()
        self[...] = _fill_value(value, self.dtype)

    @_recorded_method
    def resize(self, *new_shape: Any, refcheck: bool = True) -> None:
        """Give this array another shape, with zeros after its elements.

        Parameters
        ----------
        *new_shape : int or tuple of int
            The shape, as integers or one tuple.
        refcheck : bool, optional
            Ignored: who refers to the array does not matter.

        Raises
        ------
        ArgumentError
            If the array is a view. Views of this array keep the elements that they had.
        """
        if self._alias is not None:
            raise ArgumentError(
                "cannot resize this array: it does not own its data", origin=origin()
            )
        with changing():
            _take_shape(self, FUNCTIONS["resized"](self, new_shape, refcheck))

    @_recorded_method
    def view(self, dtype: Any = ..., type: Any = ...) -> Self:
        """Return a view of the same elements, or of their bits as another dtype.

        Parameters
        ----------
        dtype : dtype, optional
            One of another size changes the length of the last axis. None means float64.
        type : type, optional
            ``numpy.ndarray`` or `LazyArray`, or a subclass of NumPy's for the values, read-only.

        Examples
        --------
        >>> import numpy as np, lazyarr as la
        >>> la.asarray(np.array([1 + 2j])).view(float).compute()
        array([1., 2.])
        """
        dtype = _dtype_of_view(self, dtype, type)
        if dtype is ...:
            return self[...]
        at_once: Self | None = reinterpreted_at_once(self, dtype)
        return cast("Self", FUNCTIONS["reinterpreted"](self, dtype)) if at_once is None else at_once

    @native_method
    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Self:
        """Return the elements in C order (or Fortran order) in another shape.

        Parameters
        ----------
        *shape : int or tuple of int
            The new shape; one entry may be -1.
        order : {"C", "F", "A"}, optional
            The order in which elements are read and placed.
        copy : bool, optional
            True takes a copy; False forbids one.
        """
        if not shape:
            raise TypeError("reshape() takes exactly 1 argument (0 given)")
        target = shape[0] if len(shape) == 1 else shape
        reshaped: Self = FUNCTIONS["reshape"](self, target, order=order, copy=copy)
        return reshaped

    @native_method
    def transpose(self, *axes: Any) -> Self:
        """Return the array with its axes reversed, or in the order given."""
        order = axes[0] if len(axes) == 1 else axes or None
        return cast("Self", FUNCTIONS["transpose"](self, order))

    @property
    @_view_at_once
    def T(self) -> Self:  # noqa: N802 - NumPy's name
        """The array with its axes reversed."""
        return self.transpose()

    @property
    @_view_at_once
    def mT(self) -> Self:  # noqa: N802 - NumPy's name
        """The array with its last two axes exchanged."""
        if self.ndim < 2:
            raise ShapeError("matrix transpose with ndim < 2 is undefined", origin=origin())
        return cast("Self", FUNCTIONS["matrix_transpose"](self))

    @property
    @recorded
    def real(self) -> Self:
        """The real parts: a view; of a real array, the array itself."""
        if kind_of(self.dtype) != "c":
            return self
        return self._part("real")

    @real.setter
    @recorded
    def real(self, value: Any) -> None:
        (self if kind_of(self.dtype) != "c" else self._part("real"))[...] = value

    @property
    @recorded
    def imag(self) -> Self:
        """The imaginary parts: a view; of a real array, zeros that cannot be written to."""
        if kind_of(self.dtype) == "c":
            return self._part("imag")
        zeros: Self = self._new(build.filled(0, self.dtype, self.shape))
        zeros._locked = True
        return zeros

    @imag.setter
    @recorded
    def imag(self, value: Any) -> None:
        if kind_of(self.dtype) != "c":
            raise DTypeError("array does not have imaginary part to set", origin=origin())
        self._part("imag")[...] = value

    def _part(self, name: str) -> Self:
        in_memory = self._array is not None and not running
        at_once: Self | None = attribute(self, name) if in_memory else None
        if at_once is not None:
            return at_once
        part = build.elementwise(ELEMENTWISE[name], (self._node,))
        view: Self = self._view(part, Part(name))
        return view

    @property
    def flat(self) -> Any:
        """The elements in C order: to index, to assign to, and to iterate over, which computes."""
        return FUNCTIONS["flat"](self)

    @flat.setter
    @recorded
    def flat(self, value: Any) -> None:
        self.flat[...] = value

    @native_method
    def flatten(self, order: str = "C") -> Self:
        """Return the elements in one axis, in an array of its own."""
        flat: Self = FUNCTIONS["ravel"](self, order).copy()
        return flat

    @native_method
    def copy(self, order: Any = "C") -> Self:
        """Return an array of its own with the same elements."""
        check_order(order)
        order = "C" if order is None else order
        memory = wrapped_memory(self)
        if memory is not None:
            own: Self = own_memory(self._new(build.leaf(copied(memory, order))))
            return own
        value = self._node
        same: Self = self._new(value)
        if not lies_as_copied(value):
            lay_copy(same, self, order)
            if same._array is not None:  # computed at once, in an order of its own
                ordered = laid(same._array, same)
                if ordered is not same._array:
                    same = own_memory(self._new(build.leaf(ordered)))
        return same

    def __copy__(self) -> Self:
        return self.copy("K")

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy("K")

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        _check_call(args, kwargs)
        computed = None if running else compute_at_once(func, args, kwargs, self._new)
        return self._array_function(func, types, args, kwargs) if computed is None else computed

    @staticmethod
    @recorded
    def _array_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return FUNCTIONS["array_function"](func, types, args, kwargs)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule of the value; computes. On a GPU, `stream` waits for it."""
        keywords = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
        if is_on_device(self._node):
            return self._on_device().__dlpack__(stream=stream, **keywords)
        from lazyarr.interop import exchange

        return exchange.give(self._exported("__dlpack__"), {"stream": stream, **keywords})

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, gpu_number(self.device)) if is_on_device(self._node) else (1, 0)

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        _check_version(api_version)
        return sys.modules["lazyarr"]


for _name in "fill sort view item tolist tobytes".split():  # which the compiled form has, too
    setattr(ArrayMethods, _name, compiled_method(_name, getattr(ArrayMethods, _name), _name))
for _name in ("put",):  # which writes to its array as NumPy's function of that name
    setattr(ArrayMethods, _name, compiled_method(_name, getattr(ArrayMethods, _name)))


def _check_call(args: Any, kwargs: Any) -> None:
    """Raise DTypeError unless the arguments of a call are a tuple and a dict."""
    for kind, name, value in ((tuple, "args", args), (dict, "kwargs", kwargs)):
        if not isinstance(value, kind):
            raise DTypeError(f"{name} must be a {kind.__name__}", origin=origin())


def _take_shape(array: ArrayMethods, resized: Any) -> None:
    """Let an array that owns its elements be another one of another shape, in its order."""
    lies = layout(resized)
    become_expression(array, in_layout(resized._node, lies), None)
    array._layout = lies
    keep_in_memory(array)


def _dtype_of_view(array: ArrayMethods, dtype: Any, kind: Any) -> Any:
    """Return the dtype that the arguments of ``x.view`` ask for; an ellipsis for that of `array`.

    A class of arrays may stand in the place of the dtype.
    """
    if kind is ... and isinstance(dtype, type) and issubclass(dtype, (np.ndarray, ArrayMethods)):
        dtype, kind = ..., dtype
    arrays = (np.ndarray, ArrayMethods)
    if isinstance(dtype, arrays):
        raise DTypeError("Cannot construct a dtype from an array", origin=origin())
    if kind is not ... and not (isinstance(kind, type) and issubclass(kind, arrays)):
        raise ArgumentError("Type must be a sub-type of ndarray type", origin=origin())
    if kind is not ... and kind is not np.ndarray and not isinstance(array, kind):
        # Of NumPy's subclasses, NumPy makes it, of the values.
        error = UnsupportedDTypeError if issubclass(kind, np.ndarray) else DTypeError
        raise error(f"a view can only have type LazyArray, got type={kind!r}", origin=origin())
    return dtype
