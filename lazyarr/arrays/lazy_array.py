"""LazyArray: an array whose value is an expression, computed only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from operator import matmul
from typing import Any, cast

import numpy as np

from lazyarr.arrays import coercion, operators
from lazyarr.arrays.aliasing import is_number, keep_in_memory, lay_copy
from lazyarr.arrays.base import ArrayBase
from lazyarr.arrays.coercion import WEAK
from lazyarr.arrays.compiled import install
from lazyarr.arrays.copies import copied
from lazyarr.arrays.immediate import FAULT, SMALL, WRITTEN, Immediate, at_once, limit, small_leaf
from lazyarr.arrays.methods import ArrayMethods, native_method
from lazyarr.arrays.native import called
from lazyarr.arrays.native_methods import matrix_product
from lazyarr.arrays.operators import comparison, declined, defers_to, in_place, operator, unary
from lazyarr.arrays.pending_graph import relieve
from lazyarr.arrays.plain_operands import leaf_in, operand_leaf, read_operands
from lazyarr.arrays.residence import own_memory
from lazyarr.arrays.storing import borrow, lies_in_steps
from lazyarr.builders import build
from lazyarr.core.config import is_host
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import text_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ShapeError
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import ComputedLeaf, Leaf, Node, Op
from lazyarr.graph.pressure import PRESSURE
from lazyarr.graph.storage import lies_as_copied, repeats
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import Symbol, recorded, recording, refusing, running
from lazyarr.tracing.context import REFUSALS, REFUSING, answered
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = ["LazyArray", "apply", "as_lazy", "as_node", "as_operand", "asarray", "wrap"]

#: Leaves whose memory nothing else writes to.
_COMPUTED = (Immediate, ComputedLeaf)
# What an operator returns for Python to ask the other operand.
_DECLINED = cast("LazyArray", NotImplemented)


def _operator(name: str, *, reflected: bool = False) -> Callable[[LazyArray, Any], LazyArray]:
    """Return an operator, with the types that editors read."""
    return operator(name, reflected=reflected)


class LazyArray(ArrayMethods):
    """An array that is computed when it is asked for.

    Shape and dtype are known at once; values are computed by :func:`lazyarr.evaluate`,
    :meth:`compute`, or implicitly by ``float(x)``, ``if x``, ``print(x)``, ``numpy.asarray(x)`` and
    iteration. ``repr`` shows values that are in memory, and computes nothing.
    NumPy's operators, functions and indexing build bigger expressions. What is written, as by
    ``x += 1`` and ``x[0] = 1``, is seen in all views of the same elements, and never in the memory
    given to :func:`lazyarr.asarray`: it stays as it is.

    Make one with :func:`lazyarr.asarray`.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.asarray([1.0, 2.0, 3.0])
    >>> y = 2 * x + 1
    >>> y.shape, y.dtype
    ((3,), dtype('float64'))
    >>> y.compute()
    array([3., 5., 7.])
    """

    __slots__ = ()

    def __init__(
        self,
        node: Any = None,
        dtype: Any = float,
        buffer: Any = None,
        offset: int = 0,
        strides: Any = None,
        order: Any = None,
        *,
        shape: Any = None,
    ) -> None:
        if type(node) is not Node:  # but a shape: the arguments of numpy.ndarray
            size = node if shape is None else shape
            node = leaf_in(size, build.as_dtype(dtype), buffer, offset, strides, order)
        self._alias = None
        small = node.src and (size := prod(node.shape)) <= SMALL and size <= limit()
        value = at_once(node) if small else None
        if value is not None and value is not FAULT:
            self._array = value
            self._history = (node,)
            self._past = 1
            self._view_nodes = None
            return
        self._array = None
        self._current = node
        if type(node.attr) in _COMPUTED:
            keep_in_memory(self)
        elif PRESSURE.high and node.src:
            relieve(self)
        if value is FAULT:
            self._value("a warning or an error of small arrays")

    def __hash__(self) -> int:
        if not is_number(self):  # it may be written to
            raise TypeError(f"unhashable type: {type(self).__name__!r}")
        return hash(self._scalar("hash(x)")[()])

    def __reduce__(self) -> tuple[Any, ...]:
        return asarray, (np.array(self._value("pickle")),)

    # Rebinding: what looks like writing makes this object stand for another value.

    def _assign(self, value: LazyArray, name: str) -> None:
        """Become `value`, cast to this array's dtype by NumPy's rule for outputs."""
        build.check_cast(value.dtype, self.dtype, "same_kind", ufunc=name)
        if value.shape != self.shape:
            raise ShapeError(
                f"non-broadcastable output operand with shape {text_of(self.shape)} doesn't match "
                f"the broadcast shape {text_of(value.shape)} in {name}",
                origin=origin(),
            )
        self._become(build.cast(value._node, self.dtype))

    # Operators.

    __add__ = _operator("add")
    __radd__ = _operator("add", reflected=True)
    __sub__ = _operator("subtract")
    __rsub__ = _operator("subtract", reflected=True)
    __mul__ = _operator("multiply")
    __rmul__ = _operator("multiply", reflected=True)
    __truediv__ = _operator("divide")
    __rtruediv__ = _operator("divide", reflected=True)
    __floordiv__ = _operator("floor_divide")
    __rfloordiv__ = _operator("floor_divide", reflected=True)
    __mod__ = _operator("remainder")
    __rmod__ = _operator("remainder", reflected=True)
    __and__ = _operator("bitwise_and")
    __rand__ = _operator("bitwise_and", reflected=True)
    __or__ = _operator("bitwise_or")
    __ror__ = _operator("bitwise_or", reflected=True)
    __xor__ = _operator("bitwise_xor")
    __rxor__ = _operator("bitwise_xor", reflected=True)
    __lshift__ = _operator("left_shift")
    __rlshift__ = _operator("left_shift", reflected=True)
    __rshift__ = _operator("right_shift")
    __rrshift__ = _operator("right_shift", reflected=True)
    __lt__ = _operator("less")
    __le__ = _operator("less_equal")
    __gt__ = _operator("greater")
    __ge__ = _operator("greater_equal")
    __eq__ = comparison("equal", False)  # type: ignore[assignment]
    __ne__ = comparison("not_equal", True)  # type: ignore[assignment]
    __neg__ = unary("negative")
    __pos__ = unary("positive")
    __abs__ = unary("absolute")
    __invert__ = unary("invert")
    __iadd__ = in_place("add")
    __isub__ = in_place("subtract")
    __imul__ = in_place("multiply")
    __itruediv__ = in_place("divide")
    __ifloordiv__ = in_place("floor_divide")
    __imod__ = in_place("remainder")
    __ipow__ = in_place("power")
    __iand__ = in_place("bitwise_and")
    __ior__ = in_place("bitwise_or")
    __ixor__ = in_place("bitwise_xor")
    __ilshift__ = in_place("left_shift")
    __irshift__ = in_place("right_shift")
    _pow = _operator("power")
    _rpow = _operator("power", reflected=True)

    def __pow__(self, other: Any, modulo: Any = None) -> LazyArray:
        if type(other) is int and other == 2 and self.dtype == np.bool_ and modulo is None:
            return cast("LazyArray", np.square(self))  # of another dtype than other powers
        return _DECLINED if modulo is not None else self._pow(other)

    def __rpow__(self, other: Any, modulo: Any = None) -> LazyArray:
        return _DECLINED if modulo is not None else self._rpow(other)

    @refusing(np.ndarray.__divmod__)
    def __divmod__(self, other: Any) -> tuple[LazyArray, LazyArray]:
        from lazyarr.arrays.quotients import divided  # few programs ask for both

        return cast("tuple[LazyArray, LazyArray]", divided(self, other, False))

    @refusing(np.ndarray.__rdivmod__)
    def __rdivmod__(self, other: Any) -> tuple[LazyArray, LazyArray]:
        from lazyarr.arrays.quotients import divided

        return cast("tuple[LazyArray, LazyArray]", divided(self, other, True))

    def __matmul__(self, other: Any) -> LazyArray:
        if defers_to(other):
            return cast("LazyArray", declined(matmul, self, other))
        return self._product(self, other)

    def __rmatmul__(self, other: Any) -> LazyArray:
        if defers_to(other):
            return cast("LazyArray", declined(matmul, self, other, reflected=True))
        return self._product(other, self)

    @refusing(np.ndarray.__imatmul__)
    def __imatmul__(self, other: Any) -> LazyArray:
        other = operators.data_of(other)
        if defers_to(other):
            return _DECLINED
        self._assign(self._matmul(self, other), "matmul")
        return self

    @staticmethod
    def _product(left: Any, right: Any) -> LazyArray:
        if not running:
            product: LazyArray | None = matrix_product(left, right, LazyArray)
            if product is not None:
                return product
        return LazyArray._matmul(left, right)

    @staticmethod
    @partial(recorded, theirs=np.matmul)
    def _matmul(left: Any, right: Any) -> LazyArray:
        product: LazyArray = FUNCTIONS["matmul"](left, right)
        return product

    @native_method
    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
        *,
        device: object = None,
    ) -> LazyArray:
        """Return the array converted to `dtype`.

        Parameters
        ----------
        dtype : dtype
            Of the result.
        order : {"C", "F", "A", "K"}, optional
            Of the result's elements in memory.
        casting : str, optional
            NumPy's name of the rule that the conversion must obey.
        copy : bool, optional
            False returns the array itself where dtype and order are what is asked for.
        subok, device : optional
            Accepted for NumPy's sake.

        Raises
        ------
        DTypeError
            If lazyarr does not support the dtype, or `casting` forbids the conversion.
        """
        target = build.as_dtype(dtype)
        if casting == "same_value":
            reason = "whether it raises depends on the values"
            arguments = (self, target, order, casting)
            checked: LazyArray = FUNCTIONS["compute_now"](np.ndarray.astype, arguments, {}, reason)
            return checked
        build.check_cast(self.dtype, target, casting)
        build.warn_of_discarding(self.dtype, target)
        coercion.check_order(order)
        if not copy and target == self.dtype and device is None and coercion.lies_in(self, order):
            return self
        converted = LazyArray(build.cast(self._node, target))
        if (target == self.dtype and not lies_as_copied(self._node)) or repeats(self._node):
            lay_copy(converted, self, "K", target.itemsize)  # each element lies apart
        return converted if order in (None, "K") or self.ndim < 2 else converted.copy(order.upper())

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **keywords: Any) -> Any:
        function = FUNCTIONS["function_of"](ufunc)  # the compiled form answers for it from then on
        if method != "__call__" and function is not None:
            computed = function._at_once(method, args, keywords)
            if computed is not NotImplemented:
                return computed
        if not running and not keywords and method == "__call__":
            computed = called(ufunc, args, LazyArray)
            if computed is not None:
                return computed
        answer = FUNCTIONS["array_ufunc"]
        try:
            if running and (trace := recording()) is not None:
                return trace.call(answer, (ufunc, method, args, keywords), {})
            return answer(ufunc, method, args, keywords)
        except REFUSALS as error:
            theirs = ufunc if method == "__call__" else getattr(ufunc, method)
            return answered(error, theirs, args, keywords)


REFUSING.add(LazyArray.__array_ufunc__.__code__)
ArrayBase._new = LazyArray
install(LazyArray)


def _wrapped(leaf: Node) -> LazyArray:
    """Return the array of a leaf of the user's memory: in memory itself, if it is small."""
    array = LazyArray(leaf)
    most = limit() * WRITTEN
    memory = small_leaf(leaf, most) if most else None
    if array._array is None and memory is not None and memory.flags.writeable:
        if memory.flags.forc or lies_in_steps(memory.shape, memory.strides, memory.itemsize):
            borrow(array, memory, leaf)
    return array


def wrap(node: Node) -> LazyArray:
    """Return the array that a node stands for."""
    return LazyArray(node)


def as_node(value: Any) -> Node:
    """Return the node of an array-like; Python scalars get NumPy's default dtype."""
    if type(value) is np.ndarray:
        return operand_leaf(value)
    if isinstance(value, LazyArray):
        return value._node
    if isinstance(value, (list, tuple)) and coercion.holds_kind(value, LazyArray):
        stack = FUNCTIONS["stack"]
        return as_node(stack([as_lazy(item) for item in value]))
    if coercion.is_sequence(value):
        return as_node(coercion.elements_of(value))
    return coercion.node_of(value)


def as_lazy(value: Any, dtype: Any = None) -> LazyArray:
    """Return an argument of a function as a LazyArray of the elements that it has at the call.

    Parameters
    ----------
    value : array_like
        Of an ndarray :func:`asarray` would show the memory.
    dtype : dtype, optional
        Of the result.
    """
    if not running and type(value) is np.ndarray and kind_of(value.dtype) in "biufc":
        value = _wrapped(operand_leaf(value))
    return asarray(value, dtype)


def as_operand(value: Any) -> build.Operand:
    """Return a node, or the Python scalar itself, which stays weak."""
    if type(value) in WEAK or type(value) is Symbol:
        scalar: bool | int | float | complex | Symbol = value
        return scalar
    return as_node(value)


def apply(
    op: Op,
    operands: tuple[Any, ...],
    dtype: np.dtype[Any] | None = None,
    casting: str = "same_kind",
) -> LazyArray:
    """Return an elementwise op of array-likes; a selection where all selections share a mask.

    Parameters
    ----------
    op : Op
        A row of the elementwise table.
    operands : tuple of array_like
        As many as the op takes.
    dtype : numpy.dtype, optional
        Of the result.
    casting : str, optional
        NumPy's name of the rule by which operands may be cast.
    """
    if not running and dtype is None and op.ufunc is not None:
        computed = called(op.ufunc, operands, LazyArray)
        if computed is not None:
            return computed
    nodes: list[build.Operand] = []
    for operand in operands:
        kind = type(operand)
        if kind is LazyArray:
            nodes.append(operand._current if operand._alias is None else operand._node)
        elif kind in WEAK:
            nodes.append(as_node(operand) if len(operands) == 1 else operand)
        elif isinstance(operand, LazyArray):
            if operand._weak is None:
                selected: LazyArray = FUNCTIONS["apply_masked"](op, operands, dtype, casting)
                return selected
            nodes.append(_adapted(operand, operands))
        else:
            nodes.append(as_operand(operand))
    result = LazyArray(build.elementwise(op, tuple(nodes), dtype, casting))
    return read_operands(result, operands)


def _adapted(number: LazyArray, operands: tuple[Any, ...]) -> Node:
    """Return a weak number in the dtype that it takes next to the arrays among the operands."""
    arrays = [
        as_node(x)
        for x in operands
        if type(x) not in WEAK and not (isinstance(x, LazyArray) and x._weak is not None)
    ]
    if not arrays or number._weak is None:
        return number._node
    return build.cast(number._node, build.promote(*arrays, number._weak(0)))


def asarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: object = None,
    copy: bool | None = None,
    like: object = None,
) -> LazyArray:
    """Return `a` as a LazyArray, without copying.

    Parameters
    ----------
    a : array_like
        An ndarray, a LazyArray, a number, (nested) sequences of numbers, or anything with
        ``__array__`` or ``__dlpack__``. An ndarray becomes a leaf: it is read when an
        expression is evaluated, so what is written into it before then is seen.
    dtype : dtype, optional
        Of the result; a lazy cast.
    order : {"C", "F", "A", "K"}, optional
        Of the result's elements in memory; a copy is made where they lie otherwise.
    device : {"cpu", "cuda"}, optional
        Where to hold the value: "cuda" copies it to the GPU now, once for all evaluations.
    copy : bool, optional
        True takes a copy of an ndarray now; False raises where there has to be one: of numbers and
        sequences, and for another dtype or order.
    like : object, optional
        An array of another library, whose class makes the result then (NEP 35).

    Returns
    -------
    LazyArray
        Of the same shape; NumPy's array of a dtype that lazyarr does not compute with.

    Raises
    ------
    DTypeError
        If NumPy would make objects of the values, and `dtype` does not say so; OverflowError if an
        integer of a sequence does not fit it.
    ArgumentError
        If `a` is not array-like.

    Examples
    --------
    >>> import numpy as np, lazyarr as la
    >>> la.asarray(np.arange(3)).dtype
    dtype('int64')
    """
    if running and (trace := recording()) is not None:
        options = {"order": order, "device": device, "copy": copy, "like": like}
        result: LazyArray = trace.call(asarray, (a, dtype), options)
        return result
    coercion.check_order(order)
    copy = coercion.copy_mode(copy)
    if copy is False and (not device or is_host(device)):
        coercion.refuse_copies(a, dtype, order)
    if order is not None and order not in "KkAa":
        ordered = asarray(a, dtype, device=device, copy=copy)
        return ordered if coercion.lies_in(ordered, order) else ordered.copy(order.upper())
    if copy and type(a) is np.ndarray and dtype is None and device is None and a.ndim:
        return own_memory(LazyArray(build.leaf(copied(a))))
    if copy:
        own = isinstance(a, np.ndarray) or type(a) is LazyArray
        a = a.copy("K") if own else coercion.copied(a)
    target = None if dtype is None else build.as_dtype(dtype)
    if type(a) is np.ndarray and target is a.dtype:
        dtype = target = None
    if type(a) is LazyArray:
        value = a._node
    elif target is not None and coercion.holds_scalars(a):
        # Each number is put into the dtype by itself, and has to fit it.
        data = coercion.array_of(a, target)
        value = build.leaf(data) if data.ndim else build.constant(data, data.dtype)
    else:
        value = build.leaf(a) if type(a) is np.ndarray else as_node(a)
        if dtype is None and device is None and value.op is LEAF and type(value.attr) is Leaf:
            return _wrapped(value)
    if target is not None and target != value.dtype:
        build.warn_of_discarding(value.dtype, target)
        value = build.cast(value, target)
    elif type(a) is LazyArray:
        if device is None or device == a.device:
            return a
    if device is not None and not (is_host(device) and not isinstance(value.attr, DeviceLeaf)):
        from lazyarr.interop import exchange

        value = exchange.moved(value, str(device))
    return LazyArray(value)
