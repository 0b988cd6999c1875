"""Operations on small values in memory, which run at once in NumPy.

Building an expression of a few small arrays, finding its plan and launching it costs more than
NumPy needs to compute it. So an operation whose operands are all in memory, and small, is computed
when it is written, by the reference semantics of its op: NumPy's function. The result is a leaf
that remembers the operation, so that ``explain`` and ``visualize`` still show the graph.

An operation stays an expression where NumPy would warn of a floating-point exception, so that the
warning comes as for other expressions; while a function is traced or differentiated; and where the
settings ask for it: ``config(immediate=0)``, another device than the CPU, or ``implicit`` other
than "allow".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import numpy as np
from numpy._core import umath

from lazyarr.arrays.hooks import FUNCTIONS
from lazyarr.builders.build import elementwise
from lazyarr.core.config import CUDA, get_config
from lazyarr.errors import FunctionError
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Kind, Leaf, Node, Op, fresh_leaf, replace_sources, walk
from lazyarr.graph.reference import evaluate_reference
from lazyarr.ops.elementwise import BY_UFUNC
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import running

__all__ = [
    "SMALL",
    "Immediate",
    "at_once",
    "called",
    "computed",
    "computed_of",
    "computed_with",
    "deferred",
    "in_memory",
    "in_order_of",
    "limit",
    "method",
    "read",
    "suspended",
    "wrapped",
    "written",
]

Array = np.ndarray[Any, Any]
#: What builds the node of an operation again, of a detail and the sources.
Rebuild = Callable[[Any, tuple[Any, ...]], Node]

#: Operations that a leaf remembers behind each other, and bytes of their operands. A leaf of more
#: forgets its own, so that old values do not outlive their users for long.
_HISTORY = 32
_HISTORY_BYTES = 1 << 18
#: Nodes that one call may have built which are computed together.
_MOST_NODES = 24

#: No operation on more elements than this is ever tried: what is large pays nothing.
SMALL = 1 << 16

#: Python numbers, which are weak operands, and what basic indices are made of.
_NUMBERS = frozenset((bool, int, float, complex))
_PLAIN = frozenset((bool, int, float, type(None), tuple))
_BASIC = frozenset((int, slice, type(None), type(Ellipsis)))

#: Kinds that are left to the compiler: what has no value of its own, or is drawn at random.
_DEFERRED = frozenset((Kind.MARKER, Kind.PARAMETER, Kind.GENERATE))

#: NumPy's error state in which an operation tells of a floating-point exception by raising.
#: It is set through what numpy.errstate is made of, which takes a tenth of the time; where NumPy
#: has no such thing, nothing runs at once.
_HAS_ERROR_STATE = hasattr(umath, "_make_extobj") and hasattr(umath, "_extobj_contextvar")
if _HAS_ERROR_STATE:
    _RAISE = umath._make_extobj(over="raise", divide="raise", invalid="raise", under="ignore")
    _error_state = umath._extobj_contextvar

#: Threads in which every operation stays an expression.
_suspended: dict[int, int] = {}


class Immediate(Leaf):
    """Memory that holds the outcome of an operation that ran when it was written.

    Attributes
    ----------
    history : tuple, optional
        ``build, detail, sources``: ``build(detail, sources)`` is the node of the operation. None
        once it is forgotten.
    weight : int
        Bytes of the values that are remembered.
    depth : int
        How many operations led here, forgotten ones left out; 0 of memory that was given or
        written to.
    """

    __slots__ = ("depth", "history", "weight")

    def __init__(
        self,
        array: Array,
        history: tuple[Any, ...] | None = None,
        depth: int = 0,
        weight: int = 0,
    ) -> None:
        self.array = array
        self.history = history
        self.depth = depth
        self.weight = weight

    def __getattr__(self, name: str) -> Any:
        # What a launch must know of memory is found out when there is one.
        if name in ("address", "strides", "key"):
            super().__init__(self.array)
            return getattr(self, name)
        raise AttributeError(name)


@contextmanager
def suspended() -> Iterator[None]:
    """Let every operation of this thread stay an expression inside a ``with`` block."""
    thread = get_ident()
    _suspended[thread] = _suspended.get(thread, 0) + 1
    try:
        yield
    finally:
        _suspended[thread] -= 1
        if not _suspended[thread]:
            del _suspended[thread]


def limit() -> int:
    """Return the elements up to which operations run at once here; 0 if none does."""
    if not _HAS_ERROR_STATE or running or (_suspended and get_ident() in _suspended):
        return 0
    settings = get_config()
    if settings.implicit != "allow" or settings.device == CUDA:
        return 0
    return settings.immediate


def _array(leaf: Node) -> Array:
    """Return the array of a leaf that was computed at once."""
    array: Array = leaf.attr.array  # type: ignore[attr-defined]
    return array


def in_memory(value: Node, most: int) -> Array | None:
    """Return the array of a leaf of at most that many elements; None of any other node."""
    attr = value.attr
    if isinstance(attr, Leaf) and not isinstance(attr, DeviceLeaf):
        return attr.array if attr.array.size <= most else None
    return None


def leaf_of(array: Array, rebuild: Rebuild, detail: Any, src: tuple[Any, ...]) -> Node:
    """Return the leaf of an array that an operation has given.

    Parameters
    ----------
    array : numpy.ndarray
        The value.
    rebuild : callable
        ``rebuild(detail, sources)`` builds the node of the operation.
    detail : object
        What `rebuild` needs besides the sources.
    src : tuple of Node or number
        The operands.
    """
    depth, weight = 1, array.nbytes
    for source in src:
        held = source.attr if type(source) is Node else None
        if type(held) is Immediate:
            weight += held.weight
            if held.depth >= depth:
                depth = held.depth + 1
    if depth > _HISTORY or weight > _HISTORY_BYTES:
        return fresh_leaf(LEAF, array.dtype, array.shape, Immediate(array, None, 1), None)
    attr = Immediate(array, (rebuild, detail, src), depth, weight)
    return fresh_leaf(LEAF, array.dtype, array.shape, attr, None)


def computed(op: Op, left: Node, right: Node) -> Node | None:
    """Return the leaf of an op of two leaves computed at once; None if it is to be built."""
    most = limit()
    return _called(op, (_array(left), _array(right)), (left, right), most) if most else None


def computed_with(op: Op, array: Node, number: Any, reflected: bool) -> Node | None:
    """Return the leaf of an op of a leaf and a Python number; None if it is to be built."""
    most = limit()
    if not most:
        return None
    value = _array(array)
    operands = (number, value) if reflected else (value, number)
    return _called(op, operands, (number, array) if reflected else (array, number), most)


def computed_of(op: Op, operands: Sequence[Any]) -> Node | None:
    """Return the leaf of an op of leaves and numbers computed at once; None if it is built."""
    most = limit()
    if not most:
        return None
    values = []
    for operand in operands:
        if type(operand) is Node:
            if type(operand.attr) is not Immediate:
                return None
            values.append(_array(operand))
        elif type(operand) in _NUMBERS:
            values.append(operand)
        else:
            return None
    return _called(op, tuple(values), tuple(operands), most)


def method(base: Node, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Node | None:
    """Return the leaf of a method of NumPy's called on a leaf; None if it is to be built.

    Parameters
    ----------
    base : Node
        A leaf computed at once.
    name : str
        Of the method, which gives one array and changes nothing.
    args, keywords : tuple and dict
        Its arguments. Arrays among them are left to the method of lazy arrays.
    """
    array = _array(base)
    if not limit() or not array.size:
        return None
    for value in (*args, *keywords.values()):
        if type(value) not in _PLAIN:
            return None
    token = _error_state.set(_RAISE)
    try:
        result = np.asarray(getattr(array, name)(*args, **keywords))
    except (FloatingPointError, TypeError, ValueError, OverflowError):
        return None  # built as any other, it is refused or warns as any other
    finally:
        _error_state.reset(token)
    return leaf_of(result, _rebuild_method, (name, args, keywords), (base,))


def _rebuild_method(detail: Any, src: tuple[Node, ...]) -> Node:
    name, args, keywords = detail
    with suspended():
        rebuilt: Node = FUNCTIONS[name](FUNCTIONS["wrap"](src[0]), *args, **keywords)._node
    return rebuilt


def called(function: np.ufunc, args: tuple[Any, ...], kind: type[Any]) -> Node | None:
    """Return the leaf of a ufunc of arrays computed at once; None if it is to be built.

    Parameters
    ----------
    function : numpy.ufunc
        Of one output.
    args : tuple
        Its operands, arrays of class `kind` in memory and numbers.
    kind : type
        The class of lazy arrays.
    """
    ops = BY_UFUNC.get(function)
    if ops is None or len(ops) != 1 or len(args) != function.nin:
        return None
    return computed_of(ops[0], [value._node if type(value) is kind else value for value in args])


def wrapped(made: Node) -> Node:
    """Return a leaf that operations run on at once, of a wrapped array; itself if it is large."""
    attr = made.attr
    if type(attr) is not Leaf or attr.array.size > SMALL or attr.array.size > limit():
        return made
    return fresh_leaf(LEAF, made.dtype, made.shape, Immediate(attr.array), made.origin)


def read(base: Node, key: Any, rebuild: Rebuild) -> Node | None:
    """Return the leaf of a basic index into a leaf computed at once; None if it is to be built.

    ``rebuild(key, (base,))`` builds the node.
    """
    if not _is_basic(key) or not limit():
        return None
    try:
        part = _array(base)[key]
    except IndexError:
        return None  # refused as any other, at the user's line
    if type(part) is not np.ndarray:
        part = np.asarray(part)
    return leaf_of(part, rebuild, key, (base,))


def written(base: Node, key: Any, value: Any) -> Node | None:
    """Return the leaf of an array after ``base[key] = value``; None if it is to be built.

    Parameters
    ----------
    base : Node
        A leaf computed at once.
    key : object
        A basic index.
    value : ndarray or number
        What to write.
    """
    if not _is_basic(key) or not limit():
        return None
    array = np.array(_array(base))
    array[key] = value
    return fresh_leaf(LEAF, base.dtype, base.shape, Immediate(array), None)


def in_order_of(value: Node, before: Node) -> Node:
    """Return a leaf of the value, its elements in memory in the order of an array's last value.

    A write changes no order in NumPy, and what is computed of the array takes on its order.
    """
    array = _array(value)
    if array.ndim < 2 or not isinstance(before.attr, Leaf) or isinstance(before.attr, DeviceLeaf):
        return value
    last = before.attr.array
    if last.shape != array.shape or last.strides == array.strides:
        return value
    ordered = np.empty_like(last, dtype=array.dtype)
    ordered[...] = array
    return fresh_leaf(LEAF, value.dtype, value.shape, Immediate(ordered), None)


def _is_basic(key: Any) -> bool:
    if type(key) is tuple:
        return _BASIC.issuperset(map(type, key))
    return type(key) in _BASIC


def _called(op: Op, operands: tuple[Any, ...], src: tuple[Any, ...], most: int) -> Node | None:
    function = op.ufunc
    if function is None or op.operator_varies or function.nout != 1:
        return None
    token = _error_state.set(_RAISE)
    try:
        # Operands that are small may have a result that is not: then nothing is computed here.
        if len(operands) > 1 and np.broadcast(*operands).size > most:
            return None
        array = function(*operands)
    except (FloatingPointError, TypeError, ValueError, OverflowError):
        return None  # built as any other, it is refused or warns as any other
    finally:
        _error_state.reset(token)
    if type(array) is not np.ndarray:
        array = np.asarray(array)
    return leaf_of(array, elementwise, op, src)


def at_once(made: Node) -> Node:
    """Return a leaf that holds the value of a node just built, if that may be computed now.

    Parameters
    ----------
    made : Node
        Any node.

    Returns
    -------
    Node
        The leaf; the node itself if its operands are not in memory or not small.
    """
    if made.op is LEAF or made.op.kind in _DEFERRED:
        return made
    most = limit()
    if not most or made.size > most or not _computable(made, most):
        return made
    token = _error_state.set(_RAISE)
    try:
        (array,) = evaluate_reference((made,))
    except (FloatingPointError, FunctionError):
        return made
    finally:
        _error_state.reset(token)
    if 0 in array.strides and array.size:
        array = np.array(array)  # of a value that is broadcast, memory of its own
    return leaf_of(array, replace_sources, made, made.src)


def _computable(made: Node, most: int) -> bool:
    """Return whether all that a node is made of is small and in memory."""
    stack = list(made.src)
    seen = 0
    while stack:
        current = stack.pop()
        if type(current.attr) is Immediate or current.op.kind is Kind.CONSTANT:
            continue
        if current.op is LEAF:
            if in_memory(current, most) is None:
                return False
            continue
        seen += 1
        if seen > _MOST_NODES or current.op.kind in _DEFERRED or current.size > most:
            return False
        stack += current.src
    return True


def deferred(root: Node) -> Node:
    """Return the expression that a value computed at once stands for, as far as remembered."""
    if all(type(current.attr) is not Immediate for current in walk((root,))):
        return root
    made: dict[int, Node] = {}
    stack = [(root, False)]
    while stack:
        current, entered = stack.pop()
        if id(current) in made:
            continue
        attr = current.attr
        history = attr.history if type(attr) is Immediate else None
        rebuild, detail, src = history or (replace_sources, current, current.src)
        if not entered:
            stack.append((current, True))
            stack += [(source, False) for source in src if type(source) is Node]
        elif src:
            operands = tuple([made.get(id(source), source) for source in src])
            made[id(current)] = rebuild(detail, operands)
        else:
            made[id(current)] = current
    return made[id(root)]
