"""Values of expressions that are written straight into a slice of an array in memory.

NumPy computes the value into memory of its own and copies it. Here the kernel writes the slice. It
may read the array that is written to, at other indices, and what it meets may become an exception,
in which case NumPy has written nothing. So it writes to the slice of another array, to which what
surrounds the slice is copied; the two change places. Expressions, views and arrays of the user's
that show the old value keep it, and nothing has to be found out about them. Loops alternate between
two blocks of memory. A slice that is a small part of its array is computed and copied: the rest
would be more.

An expression that reads nothing of the array but the elements that it writes, each at its own
place, or none of them (:mod:`lazyarr.arrays.apart_writes`), is written straight into the slice,
unless a warning would raise there.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from sys import getrefcount
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import is_writeable, keep_written, memory_of, writable_memory
from lazyarr.arrays.early_evaluation import WRITE_CAUSE, evaluate_now
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import HOSTED
from lazyarr.arrays.needed_values import (
    elements_before,
    is_one_pass,
    keep_cheap,
    keep_temporary,
)
from lazyarr.arrays.shared_memory import UNSEEN
from lazyarr.arrays.steps import place
from lazyarr.arrays.storing import BORROWED, changing, has_places, known_node, move
from lazyarr.builders.build import cast, elementwise
from lazyarr.core.addresses import address_of, extent
from lazyarr.core.config import get_config, is_gpu
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import is_lent, origin
from lazyarr.errors import DeviceError, MemoryLimitError
from lazyarr.graph import elements
from lazyarr.graph.leaf import Leaf
from lazyarr.graph.node import Kind, Node, Op, fresh_leaf, node
from lazyarr.ops.elementwise import BY_UFUNC
from lazyarr.ops.markers import stays_expression
from lazyarr.ops.movement import LEAF, WRITE
from lazyarr.tracing import scope
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = [
    "ALONE_FACTOR",
    "EXCHANGED_BYTES",
    "OPERATED_FACTOR",
    "STRAIGHT_BYTES",
    "is_used_once",
    "may_raise",
    "write_expression",
    "write_operation",
    "write_over",
]

Array = np.ndarray[Any, Any]

#: A slice of at least this part of an array, as its inverse, is written by the kernel.
_LARGE_PART = tuning.row().exchanged_part
EXCHANGED_BYTES = tuning.row().exchanged_bytes
#: A slice of so many bytes is written straight; nodes of an expression that are looked at for that.
STRAIGHT_BYTES = tuning.row().straight_bytes
OPERATED_FACTOR = tuning.row().operated_factor
ALONE_FACTOR = tuning.row().alone_factor
_LINE_BYTES = tuning.row().line_bytes
_STRAIGHT_NODES = tuning.row().straight_nodes

#: Whether it is plain that an expression reads other memory, in the compiled form; None: there is
#: none.
_OTHERS_NATIVELY: Callable[[Node, Array], bool] | None = (
    COMPILED.reads_others if COMPILED is not None and elements.COMPILED is not None else None
)


def write_expression(x: Any, key: Any, value: Any) -> bool:
    """Write ``x[key] = value`` by the kernel that computes the value; return whether it did.

    Parameters
    ----------
    x : LazyArray
        A large array in memory.
    key : object
        A basic index.
    value : LazyArray
        Of the class of `x`.
    """
    # What has a name may be asked for again: it is computed on its own, once.
    if value._array is not None or getrefcount(value) > _UNNAMED or is_lent(value):
        return False
    root = value._node
    if not _is_computed(root):
        return False
    if _write_straight(x, key, root, None):
        return True
    if not _may_exchange(x, value.nbytes, root):
        keep_temporary(value)
        return False
    if keep_cheap(value):
        return False
    memory = memory_of(x)
    if memory is None:
        return False
    try:
        part = memory[key]
    except IndexError:
        return False
    return type(part) is np.ndarray and _exchange(x, part, root)


def write_operation(op: Op, x: Any, other: Any) -> bool:
    """Write the result of an operation to its first operand, as :func:`write_expression` does.

    Parameters
    ----------
    op : Op
        The operation of an operator in place.
    x : LazyArray
        A large array in memory.
    other : LazyArray
        The second operand, of the class of `x`.
    """
    if other._array is not None or getrefcount(other) > _UNNAMED or is_lent(other):
        return False
    if not _is_computed(other._node):
        return False
    if _write_straight(x, ..., other._node, op):
        return True
    memory, alias = memory_of(x), x._alias
    if memory is None or alias is None:
        return False
    if not _may_exchange(x, memory.nbytes, other._node):
        keep_temporary(other)
        return False
    if memory.size * _LARGE_PART < alias[1].size or keep_cheap(other):
        return False
    value = FUNCTIONS["apply"](op, (x, other))
    if value._array is not None:
        return False
    memory = memory_of(x)
    return memory is not None and _exchange(x, memory, value._node)


def write_over(ufunc: np.ufunc, first: Any, second: Any, target: Array) -> bool:
    """Write the result of a ufunc over an ndarray that is one of its operands, by one kernel.

    Parameters
    ----------
    ufunc : numpy.ufunc
        A ufunc of two operands and one result.
    first, second : LazyArray or numpy.ndarray
        The operands: `target`, and an expression that the statement alone refers to.
    target : numpy.ndarray
        A large array; each of its elements is written after it was read.

    Returns
    -------
    bool
        Whether it was written; False: nothing was.
    """
    operands = first, second
    other = second if first is target else first
    (op,) = BY_UFUNC.get(ufunc, (None,))
    if op is None or getattr(other, "_array", target) is not None or may_raise():
        return False
    root = other._node
    if not _is_computed(root) or root.shape != target.shape or not target.flags.writeable:
        return False
    if target.nbytes < STRAIGHT_BYTES * OPERATED_FACTOR or _refused() or scope() is not None:
        return False
    if not _reads_others(root, target) or stays_expression((root,)):
        return False
    if not has_places(target.shape, target.strides, target.itemsize):
        return False
    leaf = _leaf(target)
    value = elementwise(op, tuple([leaf if x is target else x._node for x in operands]))
    return (value.shape, value.dtype) == (leaf.shape, leaf.dtype) and _is_evaluated(value, leaf)


def is_used_once(value: Any) -> bool:
    """Return whether an expression and all that it computes are of use to one statement alone.

    Parameters
    ----------
    value : LazyArray
        Its value is an expression.
    """
    if getrefcount(value) > _UNNAMED or is_lent(value):
        return False
    order, seen = [value._node], {id(value._node)}
    users: Counter[int] = Counter()
    sources: set[int] = set()
    for current in order:
        if current.stored is not None or not current.src:
            continue
        if id(current.src) not in sources:
            sources.add(id(current.src))
            users.update(map(id, current.src))
        for source in current.src:
            if id(source) not in seen:
                seen.add(id(source))
                order.append(source)
        if len(order) > _STRAIGHT_NODES:
            return False
    del order[0]
    for current in order:
        is_computed = current.src and not (current.op.kind is Kind.VIEW and not current.src[0].src)
        if is_computed and getrefcount(current) > _UNUSED + users[id(current)]:
            return False
    return True


def _is_computed(root: Node) -> bool:
    return root.op.kind is Kind.ELEMENTWISE and root.stored is None


def _write_straight(x: Any, key: Any, root: Node, op: Op | None) -> bool:
    """Let a kernel write an expression to a part of an array that it does not read.

    Parameters
    ----------
    x : LazyArray
        A large array in memory.
    key : object
        A basic index: the part.
    root : Node
        The expression.
    op : Op, optional
        An operation of the part and the expression, whose result is written; None: the expression.

    Returns
    -------
    bool
        Whether it was written; False: nothing was.
    """
    owner = x if (alias := x._alias) is None else alias[0]
    memory, owned = memory_of(x), owner._array
    if memory is None or owned is None or not is_writeable(x) or _refused():
        return False
    try:
        shown = memory[key]
    except IndexError:
        return False
    if type(shown) is not np.ndarray or not has_places(shown.shape, shown.strides, shown.itemsize):
        return False
    least = STRAIGHT_BYTES if op is None else STRAIGHT_BYTES * _factor(root)
    if root.size * _reach(shown, root) < least or scope() is not None or stays_expression((root,)):
        return False
    is_apart = _reads_others(root, owned)
    if (not is_apart and not _reads_apart(root, shown, owner)) or may_raise():
        return False
    if (op is None or root.shape) and root.shape != shown.shape:
        return False
    if op is None and root.dtype != shown.dtype:
        if kind_of(root.dtype) == "c":
            return False  # which warns of what it discards
        root = cast(root, shown.dtype)
    memory = writable_memory(x) if is_apart else memory_of(x)
    if memory is None or not memory.flags.writeable:
        return False
    leaf = _leaf(memory[key])
    value = root if op is None else elementwise(op, (leaf, root))
    if (value.shape, value.dtype) != (leaf.shape, leaf.dtype):
        return False
    if not _is_evaluated(value, leaf):
        return False
    keep_written(x, memory, key)
    owner._writes = 1
    return True


def _factor(root: Node) -> int:
    """Return the factor of bytes for an operator in place whose other operand is an expression."""
    # An outer product reads few elements for those that it gives.
    if 2 * sum([elements_before(source) for source in root.src]) <= root.size:
        return 1
    return ALONE_FACTOR if is_one_pass(root) else OPERATED_FACTOR


def _reach(shown: Array, root: Node) -> int:
    """Return the bytes of memory that are moved for an element of a view."""
    stride = min([abs(step) for step in shown.strides], default=0)
    return max(root.dtype.itemsize, min(stride, _LINE_BYTES))


def _reads_apart(root: Node, shown: Array, owner: Any) -> bool:
    """Return whether an expression, which alone reads an array, reads none of a part of it."""
    from lazyarr.arrays.apart_writes import reads_apart  # few programs write so

    return reads_apart(root, shown, owner, _STRAIGHT_NODES, _UNUSED)


def _refused() -> bool:
    """Return whether the settings in force leave writes to NumPy."""
    settings = get_config()
    return bool(is_gpu(settings.device) or settings.max_memory or settings.debug)


#: Filters of warnings and NumPy's error state that were looked at last, and what they say.
_looked_at: tuple[tuple[Any, ...], object, bool] = ((), None, False)


def may_raise() -> bool:
    """Return whether a floating-point exception may raise, so that nothing is to be written."""
    global _looked_at
    filters, error_state = tuple(warnings.filters), np.geterr()
    known_filters, known_state, answer = _looked_at
    if known_state != error_state or known_filters != filters:
        answer = _raises(error_state)
        _looked_at = filters, error_state, answer
    return answer


def _raises(error_state: Mapping[str, object]) -> bool:
    """Return whether the warning of an exception is an error, or the exception itself."""
    for action, message, category, module, line in warnings.filters:
        if issubclass(RuntimeWarning, category):
            if action == "error":
                return True
            if message is None and module is None and not line:
                break  # it is for all of them
    return any(action not in ("ignore", "warn") for action in error_state.values())


def _reads_others(root: Node, owned: Array) -> bool:
    """Return whether an expression of few nodes reads memory in other places than an array's."""
    if _OTHERS_NATIVELY is not None:
        return _OTHERS_NATIVELY(root, owned)
    low = address_of(owned)
    high = low + owned.nbytes
    stack, seen = [root], {id(root)}
    while stack:
        current = stack.pop()
        if current.stored is not None:
            current = current.stored
        if current.op is LEAF:
            attr = current.attr
            if not isinstance(attr, Leaf) or type(attr) not in HOSTED:
                return False
            begin, end = extent(attr.array.shape, attr.array.strides, attr.array.itemsize)
            if attr.address + begin < high and low < attr.address + end:
                return False
        for source in current.src:
            if id(source) not in seen:
                seen.add(id(source))
                stack.append(source)
        if len(seen) > _STRAIGHT_NODES:
            return False
    return True


def _may_exchange(x: Any, nbytes: int, root: Node) -> bool:
    """Return whether a write of so many bytes of an expression is worth other memory."""
    if nbytes >= EXCHANGED_BYTES:
        return True
    owner = x if (alias := x._alias) is None else alias[0]
    return nbytes >= STRAIGHT_BYTES and _is_kept(owner, root)


def _exchange(x: Any, part: Array, root: Node) -> bool:
    """Give the owner of a view other memory, in which a part of it has the value of a node."""
    owner = x if (alias := x._alias) is None else alias[0]
    owned = owner._array
    if owned is None:
        return False  # another thread has made it an expression
    if part.size * _LARGE_PART < owned.size or not _may_exchange(x, part.nbytes, root):
        return False
    if (root.shape, root.dtype) != (part.shape, part.dtype) or part.dtype != owned.dtype:
        return False
    if _refused() or not is_writeable(x):
        return False
    # Imported here: few programs write much of an array at once.
    from lazyarr.arrays.memory_boxes import box_of, copy_around

    box = box_of(owned, part) if owned.flags.forc else None
    if box is None or scope() is not None or stays_expression((root,)):
        return False
    memory = _like(owned)
    target = place(memory, address_of(part) - address_of(owned), part)
    if not _is_evaluated(root, _leaf(target)):
        return False
    with changing():
        if owner._array is not owned:
            return False  # another thread let it have other memory

        def copied(seen: Array) -> Array:
            copy_around(memory, seen, box)
            return memory

        move(owner, copied)
    owner._writes = 1
    return True


def _is_kept(owner: Any, root: Node) -> bool:
    """Return whether a write copies memory: more than its owner and an expression refer to it."""
    if owner._history is BORROWED:
        return True
    leaf = known_node(owner)
    return leaf is not None and getrefcount(leaf) > UNSEEN + _uses(root, id(leaf))


def _uses(root: Node, name: int) -> int:
    """Return the number of references to a node of some identity within an expression."""
    uses, order = 0, [root]
    seen, sources = {id(root)}, set()
    for current in order:
        if id(current.src) in sources:
            continue
        sources.add(id(current.src))
        for source in current.src:
            uses += id(source) == name
            if id(source) not in seen:
                seen.add(id(source))
                order.append(source)
    return uses


def _like(owned: Array) -> Array:
    """Return memory that lies as other memory does, in C or Fortran order."""
    from lazyarr.runtime.host_memory_pool import pool  # few programs write so

    block = pool.allocate(owned.nbytes)
    if owned.flags.c_contiguous:
        return block.array(owned.shape, owned.dtype)
    return block.array(owned.shape[::-1], owned.dtype).T


def _leaf(target: Array) -> Node:
    """Return a leaf of memory that is written to, which nothing else refers to."""
    shown = target.view()
    shown.flags.writeable = False  # as leaves are
    return fresh_leaf(LEAF, shown.dtype, shown.shape, Leaf(shown), origin())


def _is_evaluated(root: Node, leaf: Node) -> bool:
    """Return whether an expression was evaluated into the memory of a leaf."""
    write = node(WRITE, (root, leaf), root.dtype, root.shape, None, leaf.origin)
    try:
        evaluate_now((write,), *WRITE_CAUSE)
    except (DeviceError, MemoryLimitError):
        return False
    return True


class _Target:
    """Counts the references to a written value, behind as many calls as an array's assignment."""

    references = 0

    def __setitem__(self, key: int, value: object) -> None:
        _Target.references = _passed_on(key, value)


def _passed_on(key: int, value: object) -> int:
    return _references(key, value)


def _references(key: int, value: object) -> int:
    return getrefcount(value) + 0 * key


def _references_of_a_temporary() -> int:
    _Target()[0] = object()
    return _Target.references


def _references_of_a_list() -> int:
    """Return the reference count of an object that only a list and the loop over it refer to."""
    for current in [object()]:
        return getrefcount(current)
    raise AssertionError


#: References to a value that nothing but the statement that writes it refers to, and to a node that
#: nothing but a list of nodes does.
_UNNAMED = _references_of_a_temporary()
_UNUSED = _references_of_a_list()
