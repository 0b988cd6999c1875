"""LazyArray: an array whose value is an expression, computed only when it is asked for."""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, cast

import numpy as np

from lazyarr.arrays import coercion as operands
from lazyarr.arrays.coercion import WEAK, is_no_number
from lazyarr.arrays.hooks import FUNCTIONS
from lazyarr.builders import nodes as build
from lazyarr.compiler.reuse import watch, watched, watches
from lazyarr.core.source_location import origin
from lazyarr.errors import (
    ArgumentError,
    DTypeError,
    ShapeError,
)
from lazyarr.graph.device_leaf import DeviceLeaf, device_of
from lazyarr.graph.node import Leaf, Node, Op, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import (
    Symbol,
    depends,
    recorded,
    recording,
    running,
    shape_was_read,
)

__all__ = [
    "LazyArray",
    "apply",
    "as_node",
    "as_operand",
    "asarray",
    "is_foreign",
    "wrap",
]

Array = np.ndarray[Any, Any]
# What an operator returns for Python to ask the other operand.
_DECLINED = cast("LazyArray", NotImplemented)
_DECLINED_PAIR = cast("tuple[LazyArray, LazyArray]", NotImplemented)


@functools.cache
def _indexing() -> ModuleType:
    """Return the module of keys, which is imported when one is first used."""
    from lazyarr.arrays import indexing

    return indexing


def _function(name: str) -> Callable[..., LazyArray]:
    """Return a function of a higher package, which arrays have as a method."""
    return FUNCTIONS[name]


def _method(name: str) -> Callable[..., Any]:
    """Return a method that calls the function of that name with self in front."""

    @recorded
    def method(self: LazyArray, *args: Any, **keywords: Any) -> Any:
        return FUNCTIONS[name](self, *args, **keywords)

    method.__name__ = name
    method.__qualname__ = f"LazyArray.{name}"
    method.__doc__ = f"Return ``lazyarr.{name}`` of this array; see there."
    return method


def _operator(name: str, *, reflected: bool = False) -> Callable[[LazyArray, Any], LazyArray]:
    op = ELEMENTWISE[name]
    # Dtypes of operands that need no cast -> dtype of the result; with a Python scalar, also
    # the dtype that it takes. Building an expression is on every script's path.
    direct: dict[tuple[object, object], Any] = {}
    weak: dict[tuple[object, object], tuple[Any, Any]] = {}

    def method(self: LazyArray, other: Any) -> LazyArray:
        if running and (trace := recording()) is not None:
            found: LazyArray = trace.call(method, (self, other), {})
            return found
        kind = type(other)
        if kind is LazyArray and type(self) is LazyArray:
            left, right = (other._node, self._node) if reflected else (self._node, other._node)
            if left.shape == right.shape:
                key = (left.dtype, right.dtype)
                dtype = direct.get(key)
                if dtype is not None:
                    return LazyArray(node(op, (left, right), dtype, left.shape, None, origin()))
                made = build.elementwise(op, (left, right))
                if made.op is op and made.src == (left, right):
                    direct[key] = made.dtype
                return LazyArray(made)
        elif kind in WEAK and type(self) is LazyArray:
            array = self._node
            dtypes = weak.get((array.dtype, kind))
            if dtypes is not None:
                scalar = build.constant(other, dtypes[0])
                src = (scalar, array) if reflected else (array, scalar)
                return LazyArray(node(op, src, dtypes[1], array.shape, None, origin()))
            made = build.elementwise(op, (other, array) if reflected else (array, other))
            # Integers may not fit, which comparisons and powers treat on their own.
            if array in made.src and (kind is not int or array.dtype.kind in "fc"):
                scalar = made.src[0 if reflected else 1]
                weak[array.dtype, kind] = (scalar.dtype, made.dtype)
            return LazyArray(made)
        if is_foreign(other):
            return _DECLINED
        return apply(op, (other, self) if reflected else (self, other))

    return method


def _comparison(name: str, answer: bool) -> Callable[[LazyArray, Any], LazyArray]:
    """Return ``==`` or ``!=``, which has an answer for what is no number, too."""
    compare = _operator(name)

    @recorded
    def unlike(self: LazyArray) -> LazyArray:
        return LazyArray(build.filled(answer, np.dtype(np.bool_), self.shape))

    def method(self: LazyArray, other: Any) -> LazyArray:
        if type(other) is not LazyArray and is_no_number(other):
            return unlike(self)
        return compare(self, other)

    return method


def _in_place(name: str) -> Callable[[LazyArray, Any], LazyArray]:
    op = ELEMENTWISE[name]

    @recorded
    def method(self: LazyArray, other: Any) -> LazyArray:
        if is_foreign(other):
            return _DECLINED
        self._assign(apply(op, (self, other)), op.name)
        return self

    return method


def _unary(name: str) -> Callable[[LazyArray], LazyArray]:
    op = ELEMENTWISE[name]

    @recorded
    def method(self: LazyArray) -> LazyArray:
        return apply(op, (self,))

    return method


@watches
class LazyArray:
    """An array that is computed when it is asked for.

    Shape and dtype are known at once; values are computed by :func:`lazyarr.evaluate`,
    :meth:`compute`, or implicitly by ``float(x)``, ``if x``, ``numpy.asarray(x)`` and iteration.
    NumPy's operators, functions and indexing build bigger expressions. Nothing is ever written
    in place: ``x += 1`` and ``x[0] = 1`` make this object stand for a new value, and neither
    views taken before nor the memory given to :func:`lazyarr.asarray` change.

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

    __slots__ = ("__weakref__", "_node")
    #: Of a number that is not known yet: the Python type as which it takes part in promotion.
    _weak: type | None = None
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    _node: Node

    def __init__(self, node: Node) -> None:
        self._node = node
        if watched:
            watch(self)

    # What is known without computing.

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        if running:
            shape_was_read(self, self._node)
        return self._node.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return self._node.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._node.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        if running:
            shape_was_read(self, self._node)
        return self._node.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of the value once computed."""
        if running:
            shape_was_read(self, self._node)
        return self._node.nbytes

    @property
    def device(self) -> str:
        """Where the value is or will be: "cpu" or "cuda"."""
        return device_of(self._node)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The value in a GPU's memory, for other libraries to take without a copy; computes."""
        if self.device != "cuda":
            raise AttributeError("this array is not on a GPU")
        found: dict[str, Any] = self._on_device().__cuda_array_interface__
        return found

    def _on_device(self) -> Any:
        """Compute, remember and return the value in a GPU's memory."""
        if not isinstance(self._node.attr, DeviceLeaf):
            from lazyarr.interop import exchange as interop

            self._node = interop.moved(self._node, "cuda")
        held = self._node.attr
        assert isinstance(held, DeviceLeaf)
        return held.device_array

    def to_device(self, device: str, /, *, stream: object = None) -> LazyArray:
        """Return the value held on "cpu" or "cuda": computed there, or copied there (Array API)."""
        if device == self.device:
            return self
        from lazyarr.interop import exchange as interop

        return LazyArray(interop.moved(self._node, device))

    def __repr__(self) -> str:
        made = self._node
        if running:
            shape_was_read(self, made)
        operands = ", ".join(f"{s.op.name}:{s.dtype.name}{list(s.shape)}" for s in made.src[:4])
        more = ", ..." if len(made.src) > 4 else ""
        return (
            f"LazyArray(shape={made.shape}, dtype={made.dtype}, {made.op.name}({operands}{more}))"
        )

    def __len__(self) -> int:
        if not self.shape:
            raise ArgumentError("len() of unsized object", origin=origin())
        return self.shape[0]

    # Asking for the value.

    def compute(self) -> Array:
        """Return the value as a fresh ndarray; ``lazyarr.evaluate(self)``."""
        from lazyarr.arrays.evaluation import evaluate

        return evaluate(self)

    def persist(self) -> LazyArray:
        """Return an array that holds the computed value; ``lazyarr.persist(self)``."""
        from lazyarr.arrays.evaluation import persist

        held: LazyArray = persist(self)
        return held

    def _value(self, reason: str, why: str = "its value was asked for") -> Array:
        """Compute, remember and return the value: read-only, as other expressions share it.

        `reason` names what asks, and `why` tells for ``explain`` why it could not wait.
        """
        if self._node.op is not LEAF:
            from lazyarr.arrays.evaluation import computed_early

            self._node = computed_early(self._node, reason, why)
        held = self._node.attr
        assert isinstance(held, Leaf)
        return held.current() if isinstance(held, DeviceLeaf) else held.array

    @property
    def _preview(self) -> Node:
        """The node to show to who wants nothing computed."""
        return self._node

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        value = self._value("numpy.asarray(x)")
        wanted = value.dtype if dtype is None else np.dtype(dtype)
        if copy is False and wanted != value.dtype:
            raise ArgumentError(
                f"cannot give {value.dtype} as {wanted} without a copy", origin=origin()
            )
        return value.astype(wanted, copy=bool(copy))

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
        if self.device == "cuda":
            return self._on_device().__dlpack__(stream=stream, **keywords)
        from lazyarr.interop import exchange as interop

        return interop.give(self._value("__dlpack__"), keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0) if self.device == "cuda" else (1, 0)

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        return importlib.import_module("lazyarr")

    def _scalar(self, reason: str) -> Array:
        """Return the value if it has one element; else the array of NumPy's error."""
        if self.size != 1:
            return np.empty(self.shape, self.dtype)
        return self._value(reason)

    def __bool__(self) -> bool:
        return bool(self._scalar("bool(x)"))

    def __int__(self) -> int:
        return int(self._scalar("int(x)"))

    def __float__(self) -> float:
        return float(self._scalar("float(x)"))

    def __round__(self, ndigits: int | None = None) -> Any:
        """Return one element as the nearest integer; with `ndigits`, each element rounded."""
        if ndigits is None:
            return round(self._scalar("round(x)").item())
        return self.round(ndigits)

    def __complex__(self) -> complex:
        return complex(self._scalar("complex(x)"))

    def __index__(self) -> int:
        if self.dtype.kind not in "iu" or self.shape:
            raise DTypeError(
                "only integer scalar arrays can be converted to a scalar index", origin=origin()
            )
        return operator.index(self._value("an index"))

    def __format__(self, spec: str) -> str:
        if not spec:
            return repr(self)
        return format(self._scalar("format(x)")[()], spec)

    def item(self, *args: Any) -> Any:
        """Return one element as a Python scalar; computes."""
        return self._value("x.item()").item(*args)

    def tolist(self) -> Any:
        """Return the value as nested lists of Python scalars; computes."""
        return self._value("x.tolist()").tolist()

    def tobytes(self) -> bytes:
        """Return the value's bytes in C order; computes."""
        return self._value("x.tobytes()").tobytes()

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the value to a file as bytes, or as text between separators; computes."""
        self._value("x.tofile()").tofile(fid, sep, format)

    def dumps(self) -> bytes:
        """Return the value's pickle, that of an ``ndarray``; computes."""
        return self._value("x.dumps()").dumps()

    def dump(self, file: Any) -> None:
        """Write the value's pickle, that of an ``ndarray``, to a file; computes."""
        self._value("x.dump()").dump(file)

    def __iter__(self) -> Iterator[LazyArray]:
        if not self.shape:
            raise DTypeError("iteration over a 0-d array", origin=origin())
        if not running or not depends(self._node):
            self._value("iteration")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    @recorded
    def __copy__(self) -> LazyArray:
        return LazyArray(self._node)

    @recorded
    def __deepcopy__(self, memo: dict[int, Any]) -> LazyArray:
        return LazyArray(self._node)

    def __reduce__(self) -> tuple[Any, ...]:
        return asarray, (np.array(self._value("pickle")),)

    # Rebinding: what looks like writing makes this object stand for another value.

    def _assign(self, value: LazyArray, name: str) -> None:
        """Become `value`, cast to this array's dtype by NumPy's rule for outputs."""
        build.check_cast(value.dtype, self.dtype, "same_kind")
        if value.shape != self.shape:
            raise ShapeError(
                f"non-broadcastable output operand with shape {self.shape} doesn't match the "
                f"broadcast shape {value.shape} in {name}",
                origin=origin(),
            )
        self._node = build.cast(value._node, self.dtype)

    @recorded
    def __getitem__(self, key: Any) -> LazyArray:
        found: LazyArray = _indexing().getitem(self, key)
        return found

    @recorded
    def __setitem__(self, key: Any, value: Any) -> None:
        from lazyarr.arrays.indexing import setitem

        setitem(self, key, value)

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
    __eq__ = _comparison("equal", False)  # type: ignore[assignment]
    __ne__ = _comparison("not_equal", True)  # type: ignore[assignment]
    __neg__ = _unary("negative")
    __pos__ = _unary("positive")
    __abs__ = _unary("absolute")
    __invert__ = _unary("invert")
    __iadd__ = _in_place("add")
    __isub__ = _in_place("subtract")
    __imul__ = _in_place("multiply")
    __itruediv__ = _in_place("divide")
    __ifloordiv__ = _in_place("floor_divide")
    __imod__ = _in_place("remainder")
    __ipow__ = _in_place("power")
    __iand__ = _in_place("bitwise_and")
    __ior__ = _in_place("bitwise_or")
    __ixor__ = _in_place("bitwise_xor")
    __ilshift__ = _in_place("left_shift")
    __irshift__ = _in_place("right_shift")
    _pow = _operator("power")
    _rpow = _operator("power", reflected=True)

    def __pow__(self, other: Any, modulo: Any = None) -> LazyArray:
        return _DECLINED if modulo is not None else self._pow(other)

    def __rpow__(self, other: Any, modulo: Any = None) -> LazyArray:
        return _DECLINED if modulo is not None else self._rpow(other)

    def __divmod__(self, other: Any) -> tuple[LazyArray, LazyArray]:
        if is_foreign(other):
            return _DECLINED_PAIR
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[LazyArray, LazyArray]:
        if is_foreign(other):
            return _DECLINED_PAIR
        return other // self, other % self

    def __matmul__(self, other: Any) -> LazyArray:
        return _DECLINED if is_foreign(other) else self._matmul(self, other)

    def __rmatmul__(self, other: Any) -> LazyArray:
        return _DECLINED if is_foreign(other) else self._matmul(other, self)

    def __imatmul__(self, other: Any) -> LazyArray:
        if is_foreign(other):
            return _DECLINED
        self._assign(self._matmul(self, other), "matmul")
        return self

    @staticmethod
    @recorded
    def _matmul(left: Any, right: Any) -> LazyArray:
        matmul = _function("matmul")

        product: LazyArray = matmul(left, right)
        return product

    # NumPy's protocols.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **keywords: Any) -> Any:
        answer = FUNCTIONS["array_ufunc"]
        if running and (trace := recording()) is not None:
            return trace.call(answer, (ufunc, method, args, keywords), {})
        return answer(ufunc, method, args, keywords)

    @recorded
    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        return FUNCTIONS["array_function"](func, types, args, kwargs)

    # Methods that are functions of the same name.

    sum = _method("sum")
    prod = _method("prod")
    min = _method("min")
    max = _method("max")
    mean = _method("mean")
    var = _method("var")
    std = _method("std")
    any = _method("any")
    all = _method("all")
    argmin = _method("argmin")
    argmax = _method("argmax")
    cumsum = _method("cumsum")
    cumprod = _method("cumprod")
    clip = _method("clip")
    round = _method("round")
    compress = _method("_compress_method")
    choose = _method("choose")
    squeeze = _method("squeeze")
    swapaxes = _method("swapaxes")
    repeat = _method("repeat")
    take = _method("take")
    diagonal = _method("diagonal")
    ravel = _method("ravel")
    flatten = _method("ravel")
    nonzero = _method("nonzero")
    argsort = _method("argsort")
    argpartition = _method("argpartition")
    searchsorted = _method("searchsorted")
    dot = _method("dot")
    trace = _method("trace")
    conj = _unary("conjugate")
    conjugate = conj

    @recorded
    def sort(self, axis: int = -1, kind: Any = None, order: Any = None) -> None:
        """Make this object stand for its sorted value; as ndarray.sort, return None."""
        sort = _function("sort")

        self._node = as_node(sort(self, axis=axis, kind=kind, order=order))

    @recorded
    def partition(self, kth: Any, axis: int = -1, kind: Any = "introselect") -> None:
        """Make this object stand for its partitioned value; as ndarray.partition, return None."""
        partition = _function("partition")

        self._node = as_node(partition(self, kth, axis=axis, kind=kind))

    @recorded
    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Make this object stand for its value with elements replaced; ``lazyarr.put``."""
        put = _function("put")

        put(self, indices, values, mode)

    @recorded
    def fill(self, value: Any) -> None:
        """Make this object stand for `value` in every place."""
        self[...] = value

    @recorded
    def resize(self, *new_shape: Any, refcheck: bool = True) -> None:
        """Make this object stand for its elements in another shape, with zeros for what lacks."""
        resized = _function("resized")

        given = new_shape[0] if len(new_shape) == 1 else new_shape
        self._node = resized(self, given)._node

    @recorded
    def view(self, dtype: Any = None) -> LazyArray:
        """Return the bits of the elements, read as another dtype.

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
        reinterpreted = _function("reinterpreted")

        return LazyArray(self._node) if dtype is None else reinterpreted(self, dtype)

    @recorded
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

        Raises
        ------
        DTypeError
            If lazyarr does not support the dtype, or `casting` forbids the conversion.
        """
        wanted = build.as_dtype(dtype)
        build.check_cast(self.dtype, wanted, casting)
        build.warn_of_discarding(self.dtype, wanted)
        return LazyArray(build.cast(self._node, wanted))

    @recorded
    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> LazyArray:
        """Return the elements in C order (or Fortran order) in another shape."""
        reshape = _function("reshape")

        given = shape[0] if len(shape) == 1 else shape
        return reshape(self, given, order=order)

    @recorded
    def transpose(self, *axes: Any) -> LazyArray:
        """Return the array with its axes reversed, or in the order given."""
        transpose = _function("transpose")

        return transpose(self, axes[0] if len(axes) == 1 else axes or None)

    @property
    @recorded
    def T(self) -> LazyArray:  # noqa: N802 - NumPy's name
        """The array with its axes reversed."""
        return self.transpose()

    @property
    @recorded
    def mT(self) -> LazyArray:  # noqa: N802 - NumPy's name
        """The array with its last two axes exchanged."""
        matrix_transpose = _function("matrix_transpose")

        return matrix_transpose(self)

    @property
    @recorded
    def real(self) -> LazyArray:
        """The real parts."""
        return apply(ELEMENTWISE["real"], (self,)) if self.dtype.kind == "c" else self

    @real.setter
    @recorded
    def real(self, value: Any) -> None:
        self[...] = self.imag * 1j + value if self.dtype.kind == "c" else value

    @property
    @recorded
    def imag(self) -> LazyArray:
        """The imaginary parts."""
        if self.dtype.kind == "c":
            return apply(ELEMENTWISE["imag"], (self,))
        return LazyArray(build.filled(0, self.dtype, self.shape))

    @property
    def flat(self) -> Any:
        """The elements in C order: to index, to assign to, and to iterate over, which computes."""
        return FUNCTIONS["flat"](self)

    @flat.setter
    @recorded
    def flat(self, value: Any) -> None:
        self.flat[...] = value

    @recorded
    def copy(self, order: str = "C") -> LazyArray:
        """Return another object of the same value; as values never change, nothing is copied."""
        return LazyArray(self._node)


def wrap(node: Node) -> LazyArray:
    """Return the array that a node stands for."""
    return LazyArray(node)


def is_foreign(value: Any) -> bool:
    """Return whether an operator has to leave `value` to its own type."""
    kind = type(value)
    if kind is LazyArray or kind in WEAK or kind is np.ndarray:
        return False
    return not isinstance(value, LazyArray) and operands.is_foreign(value)


def as_node(value: Any) -> Node:
    """Return the node of an array-like; Python scalars get NumPy's default dtype."""
    if type(value) is np.ndarray:
        return build.leaf(value)
    if isinstance(value, LazyArray):
        return value._node
    if isinstance(value, (list, tuple)) and any(isinstance(item, LazyArray) for item in value):
        stack = _function("stack")

        return as_node(stack([asarray(item) for item in value]))
    return operands.node_of(value)


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
    """Return an elementwise op of array-likes, staying masked where they are masked alike."""
    nodes: list[build.Operand] = []
    for operand in operands:
        kind = type(operand)
        if kind is LazyArray:
            nodes.append(operand._node)
        elif kind in WEAK:
            nodes.append(operand)
        elif isinstance(operand, LazyArray):
            if operand._weak is None:
                from lazyarr.arrays.masked_selection import apply_masked

                return apply_masked(op, operands, dtype, casting)
            nodes.append(_adapted(operand, operands))
        else:
            nodes.append(as_operand(operand))
    return LazyArray(build.elementwise(op, tuple(nodes), dtype, casting))


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
    obj: Any,
    /,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: object = None,
    copy: bool | None = None,
    like: object = None,
) -> LazyArray:
    """Return `obj` as a LazyArray, without copying.

    Parameters
    ----------
    obj : array_like
        An ndarray, a LazyArray, a number, (nested) sequences of numbers, or anything with
        ``__array__`` or ``__dlpack__``. An ndarray becomes a leaf: it is read when an
        expression is evaluated, so what is written into it before then is seen.
    dtype : dtype, optional
        Wanted dtype; a lazy cast.
    order : str, optional
        Accepted for NumPy's sake; lazyarr chooses the memory order.
    device : {"cpu", "cuda"}, optional
        Where to hold the value: "cuda" copies it to the GPU now, once for all evaluations.
    copy : bool, optional
        True takes a copy of an ndarray now; False forbids one.

    Returns
    -------
    LazyArray
        Of the same shape.

    Raises
    ------
    DTypeError
        If the dtype is not supported (object, datetime, str, longdouble).
    ArgumentError
        If `obj` is not array-like.

    Examples
    --------
    >>> import numpy as np, lazyarr as la
    >>> la.asarray(np.arange(3)).dtype
    dtype('int64')
    """
    if running and (trace := recording()) is not None:
        options = {"order": order, "device": device, "copy": copy, "like": like}
        found: LazyArray = trace.call(asarray, (obj, dtype), options)
        return found
    if copy and isinstance(obj, np.ndarray):
        obj = obj.copy()
    if type(obj) is LazyArray:
        made = obj._node
    else:
        made = as_node(obj)
    if dtype is not None:
        made = build.cast(made, build.as_dtype(dtype))
    elif type(obj) is LazyArray and not copy:
        if device is None or device == obj.device:
            return obj
    if device is not None and not (device == "cpu" and not isinstance(made.attr, DeviceLeaf)):
        from lazyarr.interop import exchange as interop

        made = interop.moved(made, str(device))
    return LazyArray(made)
