"""The base class of arrays: shape, dtype, layout, and conversion to Python and other libraries."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from lazyarr.arrays.aliasing import (
    layout,
    leave_memory,
    make_alias,
    memory_of,
    refreshed,
    settle,
    snapshot,
)
from lazyarr.arrays.display import Display
from lazyarr.arrays.early_evaluation import computed_early
from lazyarr.arrays.fields import Fields
from lazyarr.arrays.needed_values import keep_cheap, number_in_memory
from lazyarr.arrays.pending_writes import write_through
from lazyarr.arrays.residence import handed_out, keep_computed
from lazyarr.arrays.shared_memory import lent_memory
from lazyarr.arrays.steps import Step
from lazyarr.arrays.storing import Alias, changing
from lazyarr.core.config import is_host
from lazyarr.core.dtypes import is_bfloat16, kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.graph.device_leaf import DeviceLeaf, device_of, is_on_device
from lazyarr.graph.node import Leaf, Node
from lazyarr.graph.storage import Layout
from lazyarr.ops.markers import is_differentiated, refuse_differentiated
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import running, shape_was_read
from lazyarr.tracing.hooks import FUNCTIONS

if TYPE_CHECKING:
    from lazyarr.arrays.flags import Flags

__all__ = ["ArrayBase"]

Array = np.ndarray[Any, Any]


#: Values of slots that are unset.
_UNSET: dict[str, Any] = {"_array": None, "_history": None, "_view_nodes": None, "_past": 0}


class ArrayBase(Fields, Display):
    """The state of an array, its attributes, and the conversions that ask for its value.

    The base class of :class:`lazyarr.LazyArray`, which has the operators and the methods.
    """

    __slots__ = ()
    #: Of a number that is not known yet: the Python type as which it takes part in promotion.
    _weak: type | None = None
    #: Operators leave operands of a higher one to these.
    __array_priority__ = 1000.0

    #: Of an array in memory, that; see :mod:`lazyarr.arrays.immediate`. None of an expression.
    _array: Any
    #: The value when it was last looked at: of a view it may be out of date.
    _current: Node
    #: Of a view, what it shows; see :mod:`lazyarr.arrays.aliasing`.
    _alias: Alias | None
    #: Of an array in memory, the operation that gave it, and how much is remembered behind it.
    _history: Any
    _past: int
    #: Of an array in memory that owns its elements, copies of it and of its views for expressions.
    _view_nodes: dict[int, tuple[Any, Node]] | None
    #: Of an array that was written to, where its elements lie.
    _layout: Layout
    #: What ``flags.writeable`` was set to, the other way round.
    _locked: bool
    #: How often it was written to since its value was computed.
    _writes: int
    #: The class of arrays, which methods make.
    _new: ClassVar[type[Any]]

    @property
    def _node(self) -> Node:
        """The value now current."""
        if memory_of(self) is not None:
            return snapshot(self)
        alias = self._alias
        if alias is None or alias[0]._current is alias[1]:
            return self._current
        return refreshed(self) or snapshot(self)

    @_node.setter
    def _node(self, value: Node) -> None:
        # The same value in another form; `_become` is for others.
        with changing():
            leave_memory(self)
            self._current = value

    if not TYPE_CHECKING:  # to whom each attribute would exist

        def __getattr__(self, name: str) -> Any:
            # Only what is unset comes here: most slots are, most of the time.
            if name == "_current":
                with changing():  # not while another thread lets it have another value
                    known = self._known if memory_of(self) is None else snapshot(self)
                if known is not None:
                    return known
            if name in _UNSET:
                return _UNSET[name]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _become(self, value: Node) -> None:
        """Take on another value, of the same shape and dtype, and with it all that shares it."""
        with changing():
            write_through(self, value)

    def _view(self, node: Node, step: Step) -> Any:
        """Return the array of a node that is this array's by one step: a view of its elements."""
        view = self._new(node)
        make_alias(view, self, step)
        return view

    # What is known without computing.

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        if running:
            shape_was_read(self, self._current)
        memory = self._array
        return self._current.shape if memory is None else memory.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        memory = self._array
        return self._current.dtype if memory is None else memory.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        memory = self._array
        return len(self._current.shape) if memory is None else memory.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        if running:
            shape_was_read(self, self._current)
        memory = self._array
        return self._current.size if memory is None else int(memory.size)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of the value once computed."""
        if running:
            shape_was_read(self, self._current)
        memory = self._array
        return self._current.nbytes if memory is None else int(memory.nbytes)

    @property
    def base(self) -> Any:
        """The array whose elements this one shows; None if it owns them."""
        settle(self)
        alias = self._alias
        return None if alias is None else alias[0]

    @property
    def strides(self) -> tuple[int, ...]:
        """Steps along the axes in bytes, as an ndarray of the same history has them."""
        if running:
            shape_was_read(self, self._current)
        return layout(self).strides

    @property
    def flags(self) -> Flags:
        """The memory layout and writeability flags, as of an ndarray."""
        from lazyarr.arrays.flags import Flags

        return Flags(self)

    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """Set whether the elements may be written to."""
        if write is not None:
            self.flags.writeable = bool(write)

    @property
    def device(self) -> str:
        """The device of the value, or of its evaluation: "cpu", "cuda", "cuda:1" …."""
        return device_of(self._node)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The value in a GPU's memory, for other libraries to take without a copy; computes."""
        if not is_on_device(self._node):
            raise AttributeError("__cuda_array_interface__ exists only for arrays on a GPU")
        if is_bfloat16(self._node.dtype):
            raise AttributeError("__cuda_array_interface__ has no type for bfloat16; use DLPack")
        interface: dict[str, Any] = self._on_device().__cuda_array_interface__
        return interface

    def _on_device(self) -> Any:
        """Compute, remember and return the value in a GPU's memory."""
        if not isinstance(self._node.attr, DeviceLeaf):
            from lazyarr.interop import exchange

            self._node = exchange.moved(self._node, self.device)
        memory = self._node.attr
        assert isinstance(memory, DeviceLeaf)
        return memory.device_array

    def __len__(self) -> int:
        if not self.shape:
            raise ArgumentError("len() of unsized object", origin=origin())
        return self.shape[0]

    def to_device(self, device: str, /, *, stream: object = None) -> Self:
        """Return the array on another device: computed there, or copied there (Array API).

        Parameters
        ----------
        device : {"cpu", "cuda", "cuda:1", ...}
            Where the value is to be.
        stream : object, optional
            Accepted for GPUs, for the Array API's sake; lazyarr orders its own work.
        """
        if device == self.device and _takes_stream(device, stream):
            return self
        from lazyarr.interop import exchange

        moved: Self = self._new(exchange.moved(self._node, device))
        return moved

    def compute(self) -> Array:
        """Return the value as a fresh ndarray; ``lazyarr.evaluate(self)``."""
        value: Array = FUNCTIONS["evaluate"](self)
        return value

    def persist(self) -> Self:
        """Return an array that holds the computed value; ``lazyarr.persist(self)``."""
        computed: Self = FUNCTIONS["persist"](self)
        return computed

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    # Asking for the value.

    def _value(self, reason: str, why: str = "its value was asked for") -> Array:
        """Compute, remember and return the value: read-only, as other expressions share it.

        `reason` names what asks, and `why` is the reason that ``explain`` gives.
        """
        shown = handed_out(self)
        if shown is not None:
            return shown
        node = self._node
        if node.op is not LEAF:
            if type(self) is self._new and keep_cheap(self):
                shown = handed_out(self)
                if shown is not None:  # else another thread has written to it meanwhile
                    return shown
            computed = computed_early(node, reason, why)
            if is_differentiated((node,)):
                # What is done with the array later has to depend on what it is made of.
                assert isinstance(computed.attr, Leaf)
                return computed.attr.array
            if keep_computed(self, node, computed):
                assert isinstance(computed.attr, Leaf)
                return computed.attr.array
            node = computed
        memory = node.attr
        assert isinstance(memory, Leaf)
        return memory.current() if isinstance(memory, DeviceLeaf) else lent_memory(memory)

    def _exported(self, reason: str) -> Array:
        """Compute and return the value for other libraries, with the strides of the array."""
        from lazyarr.arrays.exports import exported

        return exported(self, lambda array: array._value(reason))

    @property
    def _preview(self) -> Node:
        """The node for displays that compute nothing."""
        return self._node

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if self._array is None and self._node.src:
            refuse_differentiated((self._node,), "numpy.asarray(x)")
        value = self._exported("numpy.asarray(x)")
        if dtype is None and not copy:
            return value
        target = value.dtype if dtype is None else np.dtype(dtype)
        if copy is False and target != value.dtype:
            raise ArgumentError(
                f"cannot convert {value.dtype} to {target} without a copy", origin=origin()
            )
        return value.astype(target, copy=bool(copy))

    def _scalar(self, reason: str) -> Array:
        """Return the value if it has one element; else the array of NumPy's error."""
        if self.size != 1:
            return np.empty(self.shape, self.dtype)
        if self._array is None and type(self) is self._new:
            number: Array | None = number_in_memory(self, reason)
            if number is not None:
                return number
        return self._value(reason)

    def __bool__(self) -> bool:
        memory = memory_of(self)
        value = self._scalar("bool(x)") if memory is None else memory
        if value.size == 1:
            return bool(value)
        from lazyarr.interop.callers import raise_unless_equal  # others get an error

        equal = raise_unless_equal()
        return bool(value) if equal is None else equal

    def __int__(self) -> int:
        memory = memory_of(self)
        return int(self._scalar("int(x)") if memory is None else memory)

    def __float__(self) -> float:
        memory = memory_of(self)
        return float(self._scalar("float(x)") if memory is None else memory)

    def __complex__(self) -> complex:
        return complex(self._scalar("complex(x)"))

    def __index__(self) -> int:
        if kind_of(self.dtype) not in "iu" or self.shape:
            raise DTypeError(
                "only integer scalar arrays can be converted to a scalar index", origin=origin()
            )
        return operator.index(self._value("an index"))

    def __bytes__(self) -> bytes:
        return bytes(np.asarray(self))

    def item(self, *args: Any) -> Any:
        """Return one element as a Python scalar; computes."""
        memory = memory_of(self)
        return (self._value("x.item()") if memory is None else memory).item(*args)


def _takes_stream(device: str, stream: object) -> bool:
    """Return True, or refuse a stream for the processor as NumPy does."""
    if stream is not None and is_host(device):
        text = "The stream argument in to_device() is not supported"
        raise ArgumentError(text, origin=origin())
    return True
