"""Operations on small values in memory, which run immediately in NumPy.

Building an expression of a few small arrays, finding its plan and launching it costs more than
NumPy needs to compute it. So an operation whose operands are all in memory, and small, is computed
when it is written. The array then has memory, an ndarray of NumPy's, and no node; its views are
NumPy's views, and writes go there. :mod:`lazyarr.arrays.native` calls NumPy's functions.

An expression that takes in such an array has a leaf of a copy of its value (an
:class:`Immediate`), since nodes never change. Each array remembers the operation that gave it, so
that ``explain`` and ``visualize`` still show the graph.

Arrays of bfloat16 have no memory in this sense and stay expressions: NumPy's functions round sums
and products of it after each element, and take Python's floats beside it for another dtype.

All stays an expression while a function is traced, and where the settings ask for it:
``config(immediate=0)``, ``debug="nan"``, another device than the CPU, or ``implicit`` other than
"allow".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import numpy as np
from numpy._core import umath

from lazyarr.arrays import tuning
from lazyarr.builders.build import elementwise
from lazyarr.core.config import NAN, Config, get_config, is_gpu
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.errors import FunctionError
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.leaf import SharedLeaf
from lazyarr.graph.node import (
    ComputedLeaf,
    Kind,
    Leaf,
    Node,
    Op,
    leaves_of,
    replace_sources,
)
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import running
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = [
    "BUILT",
    "CAUGHT",
    "CHEAPER",
    "CREATED",
    "ERROR_STATE",
    "FAULT",
    "FREE_COST",
    "HOSTED",
    "ITEM",
    "MOST_NODES",
    "REDUCING",
    "SMALL",
    "WRITTEN",
    "Immediate",
    "at_once",
    "by_numpy",
    "deferred",
    "error_state",
    "handed",
    "is_cheap",
    "limit",
    "limit_of",
    "small_leaf",
    "suspended",
]

Array = np.ndarray[Any, Any]

#: Nodes that one call may have built which are computed together.
MOST_NODES = tuning.row().immediate_nodes

#: What an operation costs, in additions, that takes no longer than to read and write its elements.
FREE_COST = tuning.row().cheap_cost

#: Operations that cost no more than that run at once on this many times as many elements.
CHEAPER = tuning.row().cheap_factor
#: On so many where Python builds the expression, which takes longer than NumPy's loop.
BUILT = tuning.row().built_factor
#: Arrays are joined and compared at once on this many times as many elements, and made and written
#: to on that many.
CREATED = tuning.row().created_factor
WRITTEN = tuning.row().written_factor
#: So do others that NumPy computes as fast on this machine; reductions do on this many times more.
_QUICK = frozenset(tuning.row().quick.split())
REDUCING = tuning.row().reduced_factor

#: In the place of a value that NumPy warns of, or raises instead of.
FAULT = object()

#: Exceptions of NumPy's after which a value is that of an expression.
CAUGHT = (ArithmeticError, FunctionError, IndexError, TypeError, ValueError)

#: No operation on more elements than this is ever tried: what is large pays nothing.
SMALL = tuning.row().immediate_elements

#: Kinds that are left to the compiler: what has no value of its own, or is drawn at random.
_DEFERRED = frozenset((Kind.MARKER, Kind.PARAMETER, Kind.GENERATE))

#: NumPy's error state of this thread. It is set through what numpy.errstate is made of, which
#: takes a tenth of the time; where NumPy has no such thing, nothing runs at once.
_HAS_ERROR_STATE = hasattr(umath, "_make_extobj") and hasattr(umath, "_extobj_contextvar")
if _HAS_ERROR_STATE:
    error_state = umath._extobj_contextvar
    #: In which an operation raises where it meets a floating-point exception.
    ERROR_STATE = umath._make_extobj(over="raise", divide="raise", invalid="raise", under="ignore")

#: What the history of an array begins with that an index gave; the array and the key follow.
ITEM = "item"

#: Threads in which every operation stays an expression.
SUSPENDED: dict[int, int] = {}


class Immediate(Leaf):
    """A copy of the value of an array in memory, for expressions that take it in.

    Attributes
    ----------
    history : tuple, optional
        The operation that gave the value: an op and its operands, or a function, its arguments
        and keywords. None if it is forgotten.
    """

    __slots__ = ("history",)

    def __init__(self, array: Array, history: tuple[Any, ...] | None = None) -> None:
        self.array = array
        self.history = history

    def __getattr__(self, name: str) -> Any:
        # What a launch must know of memory is computed when there is one.
        if name in ("address", "strides", "key"):
            super().__init__(self.array)
            return getattr(self, name)
        raise AttributeError(name)


#: Leaves in the host's memory whose arrays are known.
HOSTED = frozenset((Immediate, Leaf, ComputedLeaf, SharedLeaf))


@contextmanager
def suspended() -> Iterator[None]:
    """Let every operation of this thread stay an expression inside a ``with`` block."""
    thread = get_ident()
    SUSPENDED[thread] = SUSPENDED.get(thread, 0) + 1
    try:
        yield
    finally:
        SUSPENDED[thread] -= 1
        if not SUSPENDED[thread]:
            del SUSPENDED[thread]


#: Settings that were asked for last, and the elements up to which operations run at once there.
_last: tuple[Config | None, int] = (None, 0)


def handed() -> int:
    """Return on how many times as many elements operations of ndarrays of the program run at once.

    Their results are computed at the call, so that no other operation fuses with them.
    """
    from lazyarr.runtime.cpu_count import default_threads  # small programs need not know

    row = tuning.row()
    threads = get_config().threads or default_threads()
    return row.handed_alone if threads == 1 else row.handed_beside


def limit() -> int:
    """Return the largest number of elements of immediate operations here; 0 if there are none."""
    global _last
    if running or (SUSPENDED and get_ident() in SUSPENDED):
        return 0
    settings = get_config()
    known, most = _last
    if known is settings:
        return most
    if (
        not _HAS_ERROR_STATE
        or settings.implicit != "allow"
        or settings.debug == NAN  # which checks the results of evaluations
        or is_gpu(settings.device)
    ):
        most = 0
    else:
        most = min(settings.immediate, SMALL)
    _last = settings, most
    return most


def limit_of(op: Op) -> int:
    """Return the elements up to which an operation is computed immediately; 0 if it is never."""
    return limit() * CHEAPER if is_cheap(op) else limit()


def is_cheap(op: Op) -> bool:
    """Return whether the limit of an operation's immediate computation is that of a sum."""
    return op.cost <= FREE_COST or op.name in _QUICK


def small_leaf(value: Node, most: int) -> Array | None:
    """Return the array of a leaf in the host's memory; None of a larger one and of other nodes.

    Parameters
    ----------
    value : Node
        Any node.
    most : int
        Elements of the array at most.
    """
    attr = value.attr
    if not isinstance(attr, Leaf) or type(attr) not in HOSTED or is_bfloat16(value.dtype):
        return None
    return attr.array if attr.array.size <= most else None


def at_once(value: Node) -> Any:
    """Return the value of a node that was just built, if that may be computed now.

    Parameters
    ----------
    value : Node
        Any node.

    Returns
    -------
    numpy.ndarray or numpy.generic or None
        The value in memory of its own, a number if it has no axes. None if the operands are not
        in memory or not small, and FAULT if NumPy warns or raises: then the expression is to be
        evaluated now, which warns or raises as lazyarr does, where NumPy does.
    """
    if value.op is LEAF or value.op.selects or _waits(value.op) or is_bfloat16(value.dtype):
        return None  # of what is selected, the operation on it says which elements warn
    most = limit()
    if not most or value.size > most or not _computable(value, most):
        return None
    if value.op.kind is Kind.LIBRARY and not all(source.size for source in value.src):
        return FAULT  # of no elements, NumPy's functions warn, and would again as an expression
    from lazyarr.graph.reference import evaluate_reference  # few programs need it to begin with

    return by_numpy(value, lambda: evaluate_reference((value,))[0])


def by_numpy(value: Node, evaluate: Callable[[], Array]) -> Any:
    """Return the value of a node in memory of its own; FAULT where NumPy warns or raises.

    Parameters
    ----------
    value : Node
        Any node.
    evaluate : callable
        Returns its value.
    """
    token = error_state.set(ERROR_STATE)
    try:
        array = evaluate()
    except FunctionError:
        return None  # the user's function raised: it is called when values are asked for
    except CAUGHT:
        return FAULT  # as an expression it warns or raises at the line that built it
    finally:
        error_state.reset(token)
    if not array.shape:
        return array[()]
    if array.base is not None or not array.flags.owndata or not array.flags.writeable:
        array = array.copy(order="K")
    return array


def _waits(op: Op) -> bool:
    """Return whether an operation is left to the compiler."""
    return op.emits_warning or op.kind in _DEFERRED


def _computable(value: Node, most: int) -> bool:
    """Return whether all that a node is made of is small and in memory."""
    stack = list(value.src)
    seen = 0
    while stack:
        current = stack.pop()
        if type(current.attr) is Immediate or current.op.kind is Kind.CONSTANT:
            continue
        if current.op is LEAF:
            if isinstance(current.attr, DeviceLeaf) or small_leaf(current, most) is None:
                return False
            continue
        seen += 1
        if seen > MOST_NODES or current.size > most or _waits(current.op):
            return False
        stack += current.src
    return True


def deferred(root: Node) -> Node:
    """Return the expression of an immediately computed value, as far as its history goes."""
    if all(type(leaf.attr) is not Immediate for leaf in leaves_of(root)):
        return root
    built: dict[int, Node] = {}
    entered_values: list[Any] = []  # keeps identities unique
    stack: list[tuple[Any, bool]] = [(root, False)]
    with suspended():
        while stack:
            current, entered = stack.pop()
            if id(current) in built:
                continue
            if type(current) is not Node:
                history = current._history if current._array is not None else None
            else:
                attr = current.attr
                history = attr.history if type(attr) is Immediate else None
            operands: Sequence[Any] = _arrays_in(history) if type(history) is tuple else ()
            if type(current) is Node and type(history) is not tuple:
                operands = current.src
            if not entered:
                entered_values.append(current)
                stack.append((current, True))
                stack += [(operand, False) for operand in operands]
            elif type(history) is tuple:
                built[id(current)] = _rebuilt(history, built)
            elif type(current) is Node:
                src = tuple([built[id(source)] for source in current.src])
                built[id(current)] = replace_sources(current, src)
            else:
                built[id(current)] = current._node
    return built[id(root)]


def _arrays_in(value: Any) -> list[Any]:
    """Return the arrays and nodes in (nested) arguments."""
    if isinstance(value, (tuple, list)):
        return [array for item in value for array in _arrays_in(item)]
    if isinstance(value, dict):
        return _arrays_in(tuple(value.values()))
    return [value] if type(value) is Node or hasattr(type(value), "_weak") else []


def _rebuilt(history: tuple[Any, ...], built: dict[int, Node]) -> Node:
    """Return the node of an operation on operands that are nodes again."""
    first = history[0]
    if type(first) is Node:
        return built[id(first)]
    if type(first) is Op:
        as_operand = FUNCTIONS["as_operand"]
        return elementwise(first, tuple([built.get(id(x)) or as_operand(x) for x in history[1:]]))
    if first is ITEM:
        part: Node = _filled(history[1], built)[_filled(history[2], built)]._node
        return part
    function, args, keywords = history
    args, keywords = _filled(args, built), _filled(keywords, built)
    if not _arrays_in((args, keywords)):
        function = _counterpart(function)
    result: Node = function(*args, **keywords)._node
    return result


def _counterpart(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the builder of expressions for a function of NumPy's, which computes ndarrays."""
    if isinstance(function, functools.partial):
        args = [_counterpart(value) if callable(value) else value for value in function.args]
        return functools.partial(function.func, *args, **function.keywords)
    return FUNCTIONS["counterpart"](function) or function


def _filled(value: Any, built: dict[int, Node]) -> Any:
    """Return (nested) arguments with lazy arrays again in the places of those of `built`."""
    if isinstance(value, (tuple, list)):
        return type(value)([_filled(item, built) for item in value])
    if isinstance(value, dict):
        return {name: _filled(item, built) for name, item in value.items()}
    node = built.get(id(value)) if hasattr(type(value), "_weak") else None
    return value if node is None else FUNCTIONS["wrap"](node)
