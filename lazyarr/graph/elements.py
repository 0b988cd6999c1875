"""Nodes and operations, and which form of nodes is in use.

The compiled form is a C extension that is built when lazyarr is installed, where there is a
compiler. It is used if it was built from the sources that lie beside this file, and unless
``LAZYARR_COMPILED=0`` asks for Python's form, which is the reference: both give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.hashing import compiled_form
from lazyarr.core.source_location import Origin
from lazyarr.errors import ContractError
from lazyarr.graph.kind import Kind

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Operand, Value
    from lazyarr.loop_ir.pair import Pair
    from lazyarr.loop_ir.reducer import Reducer

__all__ = ["COMPILED", "FORM", "Loop", "Node", "NodeFields", "Op", "leaves_of", "walk"]

T = TypeVar("T")


def _extension() -> Any:
    from lazyarr.graph import _nodes

    return _nodes


#: The extension module; None if Python's form runs.
COMPILED, FORM = compiled_form(_extension, __file__)


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
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
        NumPy's result of a reduction of no elements; None where that is an error.
    reducer : Reducer, optional
        How kernels accumulate a reduction or a scan. None: they do not.
    supports_out : bool
        Whether `evaluate` of a library operation takes ``out=``, a C-contiguous array.
    converts : bool
        Whether `expand` takes ``dtype=``, the dtype to give: a cast.
    of_half : callable, optional
        As `expand`, of float16, where NumPy's results are not those of float32 rounded.
    calls : callable, optional
        The function that a library operation calls; a device finds its own way to compute it by
        this.
    faults : callable, optional
        ``faults(builder, result, *values)``: when NumPy warns of the operation, as conditions by
        their names in ``np.errstate``; those that cannot be met are left out.
    is_select : bool
        Whether the result is one of the operands, so that the others need not be computed.
    operator_varies : bool
        Whether NumPy's operator takes another ufunc for some operands: a power is a square.
    raises : callable, optional
        ``raises(builder, *values)``: whether an element is an error, on processors.
    error : callable, optional
        ``error()``: the exception of that. Default: that a Python function raised one.
    raises_no_flag : bool
        Whether its code for complex numbers may choose an infinity or NaN, that no flag reports.
    approximate : bool
        Whether its code for complex numbers may be more than 4 ulp from NumPy's.
    emits_warning : bool
        Whether the second operand says where the warning of the node's :class:`WarningText`
        applies; the value is the first operand.
    selects : bool
        Whether the second operand says which elements the user selected: of what is computed of the
        others NumPy does not know. The value is the first operand.
    cpu_only : bool
        Whether `expand` calls what was compiled for the CPU alone.
    loop : Loop, optional
        Of an operation that repeats others: what one iteration does. It has no `expand`.
    output : int
        Which state of the loop the operation gives.
    allows_fma : bool
        Whether kernels may round it together with the addition that takes it in.
    exchanges : bool
        Whether all devices of a step compute it together: each waits for the others' values.
    spares : callable, optional
        The function of other library operations that need not compute again, of the same first
        source, what this one gives.
    fills_out : bool
        Whether the function of a library operation takes ``out=``, memory of the result's own.
    nonnegative : bool
        Whether results that are real numbers are never below 0, nor -0.
    known_as : callable, optional
        ``known_as(attr)``: the function of NumPy's of which a library operation is a step, in
        reports. Default: the name.
    code_size : int, optional
        How long its code is, in additions, where a quarter of `cost` is no measure: of reductions,
        and of floating-point numbers.
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
    reducer: Reducer | None = None
    supports_out: bool = False
    converts: bool = False
    of_half: Callable[..., Operand | Pair | None] | None = None
    calls: Callable[..., object] | None = None
    faults: Callable[..., dict[str, Value]] | None = None
    is_select: bool = False
    operator_varies: bool = False
    raises: Callable[..., Value] | None = None
    error: Callable[[], Exception] | None = None
    raises_no_flag: bool = False
    approximate: bool = False
    emits_warning: bool = False
    selects: bool = False
    cpu_only: bool = False
    loop: Loop | None = None
    output: int = 0
    allows_fma: bool = False
    exchanges: bool = False
    spares: Callable[..., object] | None = None
    fills_out: bool = False
    nonnegative: bool = False
    code_size: int | None = None
    known_as: Callable[[Any], str] | None = None

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


class NodeFields:
    """The slots of a node while it is being built."""

    __slots__ = ("__weakref__", "attr", "dtype", "memo", "op", "origin", "shape", "src", "stored")

    op: Op
    src: tuple[Node, ...]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    attr: Hashable
    origin: Origin | None
    memo: object
    stored: Node | None


class Node(NodeFields):
    """One value in the expression DAG. It is frozen, and equal nodes are one object.

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
        File and line that built the node.
    memo : object
        What the compiler remembers of evaluations of the node.
    stored : Node, optional
        A leaf that holds the value, once an evaluation has stored it: new nodes are built of that.

    Notes
    -----
    The last three are caches that lie in the node's slots, but not in its value: they take no part
    in its identity, and :func:`set_origin`, :func:`set_memo` and :func:`set_stored` alone write
    them.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a node is frozen; its {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a node is frozen; its {name} cannot be deleted")

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the value if it were stored."""
        return prod(self.shape) * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"<Node {self.op.name} {self.dtype.name}{list(self.shape)}>"


if COMPILED is not None and not TYPE_CHECKING:
    Node = COMPILED.Node


def walk(roots: Iterable[Node], stop: Callable[[Node], bool] | None = None) -> Iterator[Node]:
    """Yield every node under `roots` once, operands before users. Never recurses.

    Parameters
    ----------
    roots : iterable of Node
        Where to start.
    stop : callable, optional
        The operands of a node for which it returns true are not entered.
    """
    if stop is None and COMPILED is not None:
        nodes: list[Node] = COMPILED.nodes_of(tuple(roots))
        return iter(nodes)
    return _walk(roots, stop)


def _walk(roots: Iterable[Node], stop: Callable[[Node], bool] | None) -> Iterator[Node]:
    seen: set[int] = set()
    # A node whose operands come first waits in a tuple of its own.
    stack: list[Node | tuple[Node]] = [*roots]
    stack.reverse()
    while stack:
        current = stack.pop()
        if isinstance(current, tuple):
            yield current[0]
            continue
        if id(current) in seen:
            continue
        seen.add(id(current))
        if not current.src or (stop is not None and stop(current)):
            yield current
            continue
        stack.append((current,))
        stack.extend(current.src[::-1])


def leaves_of(root: Node) -> list[Node]:
    """Return the nodes without operands under a node, each once, in no order."""
    if COMPILED is not None:
        leaves: list[Node] = COMPILED.leaves_of(root)
        return leaves
    return [visited for visited in walk((root,)) if not visited.src]


@dataclass(frozen=True, slots=True)
class Loop:
    """The body of a loop: the expressions of one iteration.

    Attributes
    ----------
    states, invariants : tuple of Node
        Placeholders of what changes from iteration to iteration, and of what does not.
    index : Node or None
        Placeholder of the number of the iteration, from 0; None in a loop that is not counted.
    updates : tuple of Node
        The next states.
    condition : Node or None
        Of the present states: whether there is another iteration. None in a counted loop.
    """

    states: tuple[Node, ...]
    invariants: tuple[Node, ...]
    index: Node | None
    updates: tuple[Node, ...]
    condition: Node | None = None

    @property
    def counted(self) -> bool:
        """Whether the number of iterations is the first operand."""
        return self.condition is None

    @property
    def steps(self) -> tuple[Node, ...]:
        """Everything that an iteration computes, operands first; placeholders are left out."""
        roots = self.updates if self.condition is None else (*self.updates, self.condition)
        return tuple(n for n in walk(roots) if n.op.kind is not Kind.PARAMETER)

    @property
    def operand_count(self) -> int:
        """The number of operands of its ops."""
        return self.counted + len(self.states) + len(self.invariants)

    def split(self, operands: Sequence[T]) -> tuple[T | None, tuple[T, ...], tuple[T, ...]]:
        """Return the number of iterations, the initial states and the invariants among operands."""
        if len(operands) != self.operand_count:
            raise ContractError(f"a loop of {self.operand_count} operands got {len(operands)}")
        first = int(self.counted)
        middle = first + len(self.states)
        count = operands[0] if self.counted else None
        return count, tuple(operands[first:middle]), tuple(operands[middle:])
