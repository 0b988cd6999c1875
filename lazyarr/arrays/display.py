"""Text and HTML representations of arrays, and attributes that other libraries inspect."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.arrays.immediate import limit
from lazyarr.core.config import is_host
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.core.shapes import View
from lazyarr.graph.device_leaf import DeviceLeaf, device_of
from lazyarr.graph.leaf import Leaf
from lazyarr.graph.node import Kind, Node
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.ops.markers import is_differentiated
from lazyarr.ops.movement import apply_view
from lazyarr.tracing import depends, running, shape_was_read

__all__ = ["Display", "in_memory"]

Array = np.ndarray[Any, Any]
_OPERANDS = 4  # of an operation that repr lists


class NumberAttributes:
    """The attributes of NumPy's numbers, for arrays without axes, which stand for them.

    NumPy's reductions and indices give numbers, such as ``numpy.float64``, which have methods of
    Python's own numbers. Arrays with axes, and numbers of types without them, do not have them:
    asking for one is an AttributeError, so that ``hasattr`` says the same as for NumPy. Calling a
    method computes.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def dtype(self) -> np.dtype[Any]: ...

        @property
        def shape(self) -> tuple[int, ...]: ...

        def _scalar(self, reason: str) -> np.ndarray[Any, Any]: ...

    def _of_number(self, name: str) -> Callable[[], Any]:
        """Return the function that computes the number and returns an attribute of it.

        Raises
        ------
        AttributeError
            If NumPy's numbers of this dtype have none of this name, or the array has axes.
        """
        if self.shape or not hasattr(self.dtype.type, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return lambda: getattr(self._scalar(f"x.{name}")[()], name)

    def __trunc__(self) -> int:
        if self.shape:
            raise TypeError(f"type {type(self).__name__} doesn't define __trunc__ method")
        number: int = math.trunc(self._scalar("math.trunc(x)").item())
        return number

    @property
    def is_integer(self) -> Callable[[], bool]:
        """Of a number: whether it is a whole one."""
        number = self._of_number("is_integer")
        return lambda: number()()

    @property
    def as_integer_ratio(self) -> Callable[[], tuple[int, int]]:
        """Of a floating-point number: the integers whose quotient it is."""
        number = self._of_number("as_integer_ratio")
        return lambda: number()()

    @property
    def bit_count(self) -> Callable[[], int]:
        """Of an integer: the number of ones in its absolute value."""
        number = self._of_number("bit_count")
        return lambda: number()()

    @property
    def hex(self) -> Callable[[], str]:
        """Of a float64: its digits in base 16."""
        number = self._of_number("hex")
        return lambda: number()()

    @property
    def numerator(self) -> Any:
        """Of an integer: itself."""
        return self._of_number("numerator")()

    @property
    def denominator(self) -> Any:
        """Of an integer: 1."""
        return self._of_number("denominator")()


class Display(NumberAttributes):
    """The texts of an array and the protocols of libraries that look at it; a base of ArrayBase.

    ``str``, ``print``, ``format`` and ``round`` ask for output, so they compute. ``repr`` and the
    notebook's HTML show values that are in memory, and else the structure.
    """

    __slots__ = ()

    # Of ArrayBase, which says it all.
    _array: Any

    @property
    def _node(self) -> Node:
        raise NotImplementedError

    def _value(self, reason: str, why: str = "its value was asked for") -> Array:
        raise NotImplementedError

    def _scalar(self, reason: str) -> Array:
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        raise NotImplementedError

    # Texts.

    def _number_in_memory(self) -> Any:
        """Return the number that an array without axes is in memory; None: it is none."""
        number = self._array
        return number if isinstance(number, np.generic) and limit() else None

    def __str__(self) -> str:
        number = self._number_in_memory()
        if number is not None:
            return str(number)
        if running and depends(self._node):
            return repr(self)  # within a function that is traced: there are no values
        return str(self._value("print(x)"))

    def __repr__(self) -> str:
        node = self._node
        if running:
            shape_was_read(self, node)
        values = in_memory(node)
        if values is not None:
            return np.array_repr(values.view(_LazyArray))
        return f"LazyArray({_facts(node)}, {_operation(node)})  # {_hint(node)}"

    def _repr_html_(self) -> str:
        """Return the array for notebooks; computes nothing."""
        # Imported here: notebooks alone ask for it.
        from html import escape

        node = self._node
        values = in_memory(node)
        head = f"<b>LazyArray</b> {escape(_facts(node))}"
        if values is not None:
            return f"<div>{head}<pre>{escape(np.array_str(values))}</pre></div>"
        built = "" if node.origin is None else f", built at {node.origin[0]}:{node.origin[1]}"
        text = f"{_operation(node)}{built}\n{_hint(node)}"
        return f"<div>{head}<pre>{escape(text)}</pre></div>"

    def __format__(self, spec: str) -> str:
        number = self._number_in_memory()
        if number is not None:
            return format(number, spec)
        if not spec or (running and depends(self._node)):
            return str(self)
        return format(self._scalar("format(x)")[()], spec)

    def __round__(self, ndigits: int | None = None) -> Any:
        """One element as the nearest integer; with `ndigits`, the value rounded to these digits.

        Of an array without axes that is a NumPy scalar, of others a LazyArray that holds its
        values. Within traced and differentiated functions it is an expression.
        """
        number = self._number_in_memory()
        if number is not None:
            return round(number) if ndigits is None else round(number, ndigits)
        if ndigits is None:
            return round(self._scalar("round(x)").item())
        array: Any = self
        rounded = array.round(ndigits)
        node = rounded._node
        if (running and depends(node)) or is_differentiated((node,)):
            return rounded
        values = rounded._value("round(x, n)")
        return rounded if values.ndim else values[()]

    # Protocols of libraries.

    def to_numpy(self) -> Array:
        """Return the value as an ``ndarray``, as ``numpy.asarray`` gives it; computes.

        matplotlib and others ask an array of another library for it by this name.
        """
        return self.__array__()

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The value in host memory, read-only, for other libraries to take without a copy."""
        if is_bfloat16(self._node.dtype):
            raise AttributeError("__array_interface__ has no type for bfloat16; use DLPack")
        from lazyarr.interop.array_interface import interface_of  # few programs are asked

        return interface_of(self.__array__())

    @property
    def __array_struct__(self) -> Any:
        """The value of an array in host memory as a capsule, which NumPy asks for first.

        Others have none, but ``__array_interface__``: NumPy keeps whom it gets a capsule from, and
        so a device's memory or what an expression computes of, beside the value.
        """
        if self._array is None:
            raise AttributeError("the value is not in host memory")
        if is_bfloat16(self._node.dtype):
            raise AttributeError("__array_struct__ has no type for bfloat16; use DLPack")
        return self.__array__().__array_struct__

    def __arrow_c_schema__(self) -> Any:
        """Return the Arrow type of the array in a PyCapsule; computes nothing."""
        from lazyarr.interop import arrow

        node = self._node
        return arrow.schema_capsule(node.dtype, node.shape)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        """Return the Arrow type and the value in PyCapsules; computes.

        Axes after the first become lists of fixed size. `requested_schema` is a wish, to which no
        exporter has to keep.
        """
        from lazyarr.interop import arrow

        values = self.__array__()
        return arrow.schema_capsule(values.dtype, values.shape), arrow.array_capsule(values)

    @property
    def _typ(self) -> str:
        """The type tag by which pandas recognises arrays and masks."""
        from lazyarr.interop.callers import is_pandas_asking

        if is_pandas_asking():
            return "extension"
        raise AttributeError("_typ")


class _LazyArray(np.ndarray[Any, Any]):
    """Values whose ``repr`` has the name of a lazy array."""


_LazyArray.__name__ = "LazyArray"


def in_memory(node: Node) -> Array | None:
    """Return the values of a node that reading host memory gives; None where work has to be done.

    A view of such values is no work, and neither is a constant.
    """
    views = []
    while node.op.kind is Kind.VIEW:
        views.append(node)
        (node,) = node.src
    attr = node.attr
    if isinstance(attr, Leaf) and attr.is_on_host and not isinstance(attr, StreamedLeaf):
        values = attr.array
    elif node.op.kind is Kind.CONSTANT and isinstance(attr, bytes):
        values = np.frombuffer(attr, node.dtype, max(1, math.prod(node.shape))).reshape(node.shape)
    else:
        return None
    for view in reversed(views):
        assert isinstance(view.attr, View)
        values = apply_view(view.attr, values, view.shape)
    return values


def _facts(node: Node) -> str:
    device = device_of(node)
    where = "" if is_host(device) else f", device={device!r}"
    return f"shape={node.shape}, dtype={node.dtype}{where}"


def _operation(node: Node) -> str:
    operands = ", ".join(f"{s.op.name}:{s.dtype.name}{list(s.shape)}" for s in node.src[:_OPERANDS])
    more = ", ..." if len(node.src) > _OPERANDS else ""
    return f"{node.op.name}({operands}{more})"


def _hint(node: Node) -> str:
    """Return the advice on seeing values that are not in host memory."""
    if running and depends(node):
        return "traced: it has values when the function runs"
    if isinstance(node.attr, DeviceLeaf):
        return "in the GPU's memory; print(x) shows the values"
    if isinstance(node.attr, StreamedLeaf):
        return (
            f"read from {type(node.attr.source).__name__} piece by piece; print(x[:3]) shows some"
        )
    return "not computed; print(x) shows the values"
