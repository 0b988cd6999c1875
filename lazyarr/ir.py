"""The expression DAG: nodes, operations, interning and the one walker. No op is named here."""

from __future__ import annotations

import enum
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from lazyarr.codegen.builder import Operand, Value
    from lazyarr.ops.complex_numbers import Pair

__all__ = ["Kind", "Leaf", "Node", "Op", "node", "part_dtype", "replace_sources", "walk"]

Origin = tuple[str, int]


class Kind(enum.Enum):
    """What a compiler stage may do with an operation."""

    LEAF = "leaf"  # memory that already exists; attr is a Leaf
    CONSTANT = "constant"  # one value; attr is its bytes, shape is ()
    PARAMETER = "parameter"  # placeholder for a leaf or scalar of a canonical DAG; attr: its key
    GENERATE = "generate"  # a function of an element's position in C order, and of scalar sources
    ELEMENTWISE = "elementwise"  # sources broadcast to shape; one value in, one value out
    REDUCE = "reduce"  # attr is the sorted tuple of reduced axes, which are dropped
    SCAN = "scan"  # attr is the axis along which elements accumulate
    VIEW = "view"  # attr is a shapes.View of the one source
    RESHAPE = "reshape"  # C-order reshape that is not an affine map
    GATHER = "gather"  # attr is an ops.gather.Gathered; the first source lies in memory
    CONCATENATE = "concatenate"  # attr is the axis
    LIBRARY = "library"  # evaluated by NumPy, SciPy or BLAS on whole arrays; attr: its arguments


@dataclass(frozen=True, eq=False, slots=True)
class Op:
    """One operation: a row of the op table.

    Attributes
    ----------
    name : str
        The public name; NumPy's where NumPy has one.
    kind : Kind
        What compiler stages may do with it.
    evaluate : callable
        ``evaluate(node, *arrays) -> ndarray``: the reference semantics, in NumPy.
    ufunc : numpy.ufunc, optional
        Gives arity, dtype rule and documentation of elementwise operations.
    expand : callable, optional
        ``expand(builder, *values)``: the scalar code of a kernel. The values have the
        dtypes of the node's sources; a complex one is a pair of its parts. Returns None for
        dtypes it does not cover; a node without an expansion is evaluated by NumPy as a library
        step. A generator is given the position of the element, an int64, before the values, and
        must have an expansion.
    cost : int
        Rough arithmetic cost of one element, in additions.
    commutative, associative : bool
        Algebraic traits, exact in the strict numerics of each dtype.
    identity : object, optional
        Neutral element of a reduction; None where there is none.
    combine : str, optional
        How kernels accumulate a reduction: the primitive "add", "multiply", "minimum", "maximum",
        "or" or "and", or one of "argminimum", "argmaximum" (value and position) and "deviation"
        (squared distance from the mean that the second operand gives). None: not in kernels.
    writes_out : bool
        Whether `evaluate` of a library operation takes ``out=``, a C-contiguous array.
    converts : bool
        Whether `expand` takes ``dtype=``, the dtype to give: a cast.
    faults : callable, optional
        ``faults(builder, *values)``: of an integer operation, when NumPy warns of it, as
        conditions by their names in ``np.errstate``.
    """

    name: str
    kind: Kind
    evaluate: Callable[..., np.ndarray[Any, Any]]
    ufunc: np.ufunc | None = None
    expand: Callable[..., Operand | Pair | None] | None = None
    cost: int = 1
    commutative: bool = False
    associative: bool = False
    identity: object = None
    combine: str | None = None
    writes_out: bool = False
    converts: bool = False
    faults: Callable[..., dict[str, Value]] | None = None

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


def part_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of a complex number's parts; of another dtype, itself.

    Examples
    --------
    >>> import numpy as np
    >>> part_dtype(np.dtype("complex64")), part_dtype(np.dtype("int8"))
    (dtype('float32'), dtype('int8'))
    """
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


class Leaf:
    """Memory that already exists: an array, and what a launch must know of it.

    Attributes
    ----------
    array : numpy.ndarray
        The array itself; never copied, never written.
    address : int
        Address of its first element.
    strides : tuple of int
        In elements, not bytes.
    """

    __slots__ = ("address", "array", "key", "strides")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array
        self.address: int = array.__array_interface__["data"][0]
        size = array.itemsize
        self.strides = tuple(stride // size for stride in array.strides)
        self.key = (self.address, array.shape, array.strides, array.dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Leaf) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class Node:
    """One value in the expression DAG. Never changed once made; equal nodes are one object.

    Build nodes with :func:`node`, which interns them.

    Attributes
    ----------
    op : Op
        The operation.
    src : tuple of Node
        Its operands.
    dtype : numpy.dtype
        Of the result.
    shape : tuple of int
        Of the result.
    attr : Hashable
        What else the operation needs; its meaning is given by ``op.kind``.
    origin : tuple of (str, int), optional
        File and line that built the node. Not part of its identity.
    """

    __slots__ = ("__weakref__", "attr", "dtype", "op", "origin", "shape", "src")

    op: Op
    src: tuple[Node, ...]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    attr: Hashable
    origin: Origin | None

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        total = 1
        for n in self.shape:
            total *= n
        return total

    @property
    def nbytes(self) -> int:
        """Bytes of the value if it were stored."""
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"<Node {self.op.name} {self.dtype.name}{list(self.shape)}>"


class _Entry(weakref.ref[Node]):
    """A weak reference that knows its key in the interning table."""

    __slots__ = ("key",)
    key: tuple[object, ...]


_interned: dict[tuple[object, ...], _Entry] = {}


def _forget(entry: weakref.ref[Node]) -> None:
    assert isinstance(entry, _Entry)
    if _interned.get(entry.key) is entry:
        _interned.pop(entry.key, None)


def node(
    op: Op,
    src: tuple[Node, ...],
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    attr: Hashable = None,
    origin: Origin | None = None,
) -> Node:
    """Return the one node with this operation, operands, dtype, shape and attribute."""
    # Operands are keyed by identity: they are interned, and outlive the entry of their user.
    key = (op, tuple(map(id, src)), dtype, shape, attr)
    entry = _interned.get(key)
    if entry is not None:
        found = entry()
        if found is not None:
            return found
    made = Node()
    made.op = op
    made.src = src
    made.dtype = dtype
    made.shape = shape
    made.attr = attr
    made.origin = origin
    entry = _Entry(made, _forget)
    entry.key = key
    held = _interned.setdefault(key, entry)
    if held is not entry:
        found = held()
        if found is not None:
            return found
        _interned[key] = entry
    return made


def replace_sources(old: Node, src: tuple[Node, ...]) -> Node:
    """Return `old` with other operands of the same shapes and dtypes."""
    if all(a is b for a, b in zip(old.src, src, strict=True)):
        return old
    return node(old.op, src, old.dtype, old.shape, old.attr, old.origin)


def walk(roots: Iterable[Node], stop: Callable[[Node], bool] | None = None) -> Iterator[Node]:
    """Yield every node under `roots` once, operands before users. Never recurses.

    Parameters
    ----------
    roots : iterable of Node
        Where to start.
    stop : callable, optional
        The operands of a node for which it returns true are not entered.
    """
    seen: set[int] = set()
    stack = [(root, False) for root in reversed(tuple(roots))]
    while stack:
        current, entered = stack.pop()
        if entered:
            yield current
            continue
        if id(current) in seen:
            continue
        seen.add(id(current))
        stack.append((current, True))
        if stop is None or not stop(current):
            stack.extend((source, False) for source in reversed(current.src))
