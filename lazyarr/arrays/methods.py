"""The methods of arrays that are functions of higher packages, or made of these."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Self

from lazyarr.arrays.aliasing import Part, layout
from lazyarr.arrays.function_methods import FunctionMethods
from lazyarr.arrays.hooks import FUNCTIONS
from lazyarr.builders import build
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.graph.storage import Layout
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.tracing import depends, recorded, running

__all__ = ["ArrayMethods"]


@functools.cache
def _indexing() -> ModuleType:
    """Return the module of keys, which is imported when one is first used."""
    from lazyarr.arrays import indexing

    return indexing


class ArrayMethods(FunctionMethods):
    """NumPy's methods of arrays."""

    __slots__ = ()

    @recorded
    def __getitem__(self, key: Any) -> Self:
        part: Self = _indexing().getitem(self, key)
        return part

    @recorded
    def __setitem__(self, key: Any, value: Any) -> None:
        _indexing().setitem(self, key, value)

    def __iter__(self) -> Iterator[Self]:
        if not self.shape:
            raise DTypeError("iteration over a 0-d array", origin=origin())
        if not running or not depends(self._node):
            self._value("iteration")
        return (self[i] for i in range(len(self)))

    @recorded
    def sort(self, axis: int = -1, kind: Any = None, order: Any = None) -> None:
        """Sort the elements along an axis, in place.

        Parameters
        ----------
        axis : int, optional
            The axis.
        kind : object, optional
            A name of NumPy's; equal elements stay in order whatever it is.
        order : object, optional
            Must be None: lazyarr's arrays have no fields.
        """
        self._become(FUNCTIONS["sort"](self, axis=axis, kind=kind, order=order)._node)

    @recorded
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
        self._become(FUNCTIONS["partition"](self, kth, axis=axis, kind=kind)._node)

    @recorded
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

    @recorded
    def fill(self, value: Any) -> None:
        """Write `value` to every element."""
        self[...] = value

    @recorded
    def resize(self, *new_shape: Any, refcheck: bool = True) -> None:
        """Give this array another shape, with zeros after its elements.

        Raises
        ------
        ArgumentError
            If the array is a view. Views of this array keep the elements that they had.
        """
        if self._alias is not None:
            raise ArgumentError(
                "cannot resize this array: it does not own its data", origin=origin()
            )
        target = new_shape[0] if len(new_shape) == 1 else new_shape
        self._current = FUNCTIONS["resized"](self, target)._node

    @recorded
    def view(self, dtype: Any = None) -> Self:
        """Return a view of the same elements, or of their bits as another dtype.

        Parameters
        ----------
        dtype : dtype, optional
            One of another size changes the length of the last axis.

        Examples
        --------
        >>> import numpy as np, lazyarr as la
        >>> la.asarray(np.array([1 + 2j])).view(float).compute()
        array([1., 2.])
        """
        if dtype is None:
            same: Self = self[...]
            return same
        bits: Self = FUNCTIONS["reinterpreted"](self, dtype)
        return bits

    @recorded
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
        target = shape[0] if len(shape) == 1 else shape
        reshaped: Self = FUNCTIONS["reshape"](self, target, order=order, copy=copy)
        return reshaped

    @recorded
    def transpose(self, *axes: Any) -> Self:
        """Return the array with its axes reversed, or in the order given."""
        order = axes[0] if len(axes) == 1 else axes or None
        transposed: Self = FUNCTIONS["transpose"](self, order)
        return transposed

    @property
    @recorded
    def T(self) -> Self:  # noqa: N802 - NumPy's name
        """The array with its axes reversed."""
        return self.transpose()

    @property
    @recorded
    def mT(self) -> Self:  # noqa: N802 - NumPy's name
        """The array with its last two axes exchanged."""
        transposed: Self = FUNCTIONS["matrix_transpose"](self)
        return transposed

    @property
    @recorded
    def real(self) -> Self:
        """The real parts: a view; of a real array, the array itself."""
        return self if self.dtype.kind != "c" else self._part("real")

    @real.setter
    @recorded
    def real(self, value: Any) -> None:
        (self if self.dtype.kind != "c" else self._part("real"))[...] = value

    @property
    @recorded
    def imag(self) -> Self:
        """The imaginary parts: a view; of a real array, zeros that cannot be written to."""
        if self.dtype.kind == "c":
            return self._part("imag")
        zeros: Self = self._new(build.filled(0, self.dtype, self.shape))
        zeros._locked = True
        return zeros

    @imag.setter
    @recorded
    def imag(self, value: Any) -> None:
        if self.dtype.kind != "c":
            raise DTypeError("array does not have imaginary part to set", origin=origin())
        self._part("imag")[...] = value

    def _part(self, name: str) -> Self:
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

    @recorded
    def flatten(self, order: str = "C") -> Self:
        """Return the elements in one axis, in an array of its own."""
        flat: Self = FUNCTIONS["ravel"](self, order).copy()
        return flat

    @recorded
    def copy(self, order: str = "C") -> Self:
        """Return an array of its own with the same elements."""
        value = self._node
        same: Self = self._new(value)
        if len(value.shape) > 1:
            # The node is that of this array, whose elements may lie in another order.
            shape, size = value.shape, value.dtype.itemsize
            plain = order == "C"
            same._layout = Layout.contiguous(shape, size) if plain else layout(self).copied(order)
        return same

    @recorded
    def __copy__(self) -> Self:
        same: Self = self._new(self._node)
        return same

    @recorded
    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        same: Self = self._new(self._node)
        return same

    @recorded
    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        return FUNCTIONS["array_function"](func, types, args, kwargs)
