"""What kernels of a GPU have beyond the loop IR: threads, vectors, shared memory, shuffles.

::

    kernel    := DeviceKernel(Kernel, threads)
    statement := those of the loop IR
               | Builtin(target, name)                  target = number of this thread or block
               | Arithmetic(target, operator, args)     target = a + b, of indices: no overflow
               | Array(pointer, size, shared, offset)   registers of a thread, or shared memory
               | VectorLoad(targets, pointer, index)    targets = pointer[index : index + width]
               | VectorStore(pointer, index, values)    pointer[index : index + width] = values
               | PrefetchL2(pointer, index)             the line of pointer[index] will be needed
               | Shuffle(target, value, distance, mode, lanes)   target = value of another lane
               | Barrier()                              all threads of the block meet
               | LastBlock(target, pointer, index, blocks)   whether all others are done already
               | Ticket(target, pointer, index, blocks) how many blocks have started before
               | Publish(pointer, index)                set a flag: other blocks see what is stored
               | Await(pointer, index)                  until another block has set a flag
               | Unroll(count)                          the next loop is written out
               | Quotient(target, left, right)          target = left / right, by a function
               | Several(target, primitive, args, rare)   target[k] = primitive(arg[k], ...)
               | ProductTile(left, right, ...)          shared memory = a tile of left @ right
               | TileLoad(targets, row, pair)           targets = two neighbours of that tile

A kernel is run by `threads` threads a block, and `begin` and `end` do not exist: what a thread
works on follows from its number and its block's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from lazyarr.codegen.builder import Builder
from lazyarr.codegen.kernel import (
    Comment,
    For,
    Index,
    Kernel,
    Let,
    Literal,
    Load,
    Operand,
    Pointer,
    Statement,
    Store,
    Value,
)
from lazyarr.codegen.product_text import WITH_RARE
from lazyarr.values import dataclass

__all__ = [
    "Arithmetic",
    "Array",
    "Await",
    "Barrier",
    "Builtin",
    "DeviceBuilder",
    "DeviceKernel",
    "DeviceStatement",
    "LastBlock",
    "PrefetchL2",
    "ProductTile",
    "Publish",
    "Quotient",
    "Several",
    "Shuffle",
    "Ticket",
    "TileLoad",
    "Unroll",
    "VectorLoad",
    "VectorStore",
]

DType = np.dtype[Any]


@dataclass(frozen=True, slots=True)
class DeviceKernel(Kernel):
    """One function that every thread of every block runs.

    Attributes
    ----------
    threads : int
        Of a block.
    resident : int
        Blocks that one multiprocessor must have room for: bounds the registers of a thread.
    shared_bytes : int
        Shared memory that a launch gives each block.
    """

    threads: int = 256
    resident: int = 1
    shared_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Builtin:
    """``target`` is the number of this "thread" in its block, or of this "block"."""

    target: Value
    name: str


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``target = left operator right`` of indices, which never overflow.

    The operators are + - * / % & << >> and "min".
    """

    target: Value
    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Array:
    """Memory that lives as long as its block of statements.

    With an `offset` it begins so many bytes into the shared memory that the launch gives.
    """

    pointer: Pointer
    size: int
    shared: bool
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class VectorLoad:
    """Neighbouring elements, loaded at once; the address is a multiple of their size."""

    targets: tuple[Value, ...]
    pointer: Pointer
    index: Index


@dataclass(frozen=True, slots=True)
class VectorStore:
    """Neighbouring elements, stored at once; the address is a multiple of their size.

    What is `passing` is not read again soon, and gives room in caches to what is.
    """

    pointer: Pointer
    index: Index
    values: tuple[Operand, ...]
    passing: bool = False


@dataclass(frozen=True, slots=True)
class PrefetchL2:
    """Bring the line that holds ``pointer[index]`` to the L2 cache, to stay until it is read."""

    pointer: Pointer
    index: Index


@dataclass(frozen=True, slots=True)
class Shuffle:
    """``target`` is what another lane of the warp holds in `value`.

    The other lane is, by mode, "xor": own number exclusive-or distance; "up": own number minus
    distance; "lane": that of the number. `lanes` neighbours count from 0, and below that "up"
    gives a lane its own value.
    """

    target: Value
    value: Value
    distance: Operand
    mode: str = "xor"
    lanes: int = 32


@dataclass(frozen=True, slots=True)
class Barrier:
    """No thread of the block goes on before all are here; shared memory is as they left it."""


@dataclass(frozen=True, slots=True)
class LastBlock:
    """``target`` is true in the last of `blocks` blocks to come here: it sees what they stored.

    The counter at `index` is 0 before the first and again after the last.
    """

    target: Value
    pointer: Pointer
    index: Operand
    blocks: Operand


@dataclass(frozen=True, slots=True)
class Ticket:
    """``target`` counts the blocks in the order in which they come here: those before have begun.

    The counter at `index` is 0 before the first of `blocks` blocks and again after the last.
    """

    target: Value
    pointer: Pointer
    index: Operand
    blocks: Operand


@dataclass(frozen=True, slots=True)
class Publish:
    """Set the flag ``pointer[index]``; who awaits it sees all that this thread has stored."""

    pointer: Pointer
    index: Index


@dataclass(frozen=True, slots=True)
class Await:
    """Go on when the flag ``pointer[index]`` is set, by a block that has begun already."""

    pointer: Pointer
    index: Index


@dataclass(frozen=True, slots=True)
class Unroll:
    """The loop that follows is written out, wholly or (count > 0) that many times."""

    count: int = 0


@dataclass(frozen=True, slots=True)
class Quotient:
    """``target = left / right`` of floats, by a function: divisions of float64 are much code."""

    target: Value
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Several:
    """``target[k] = primitive(arg[k], ...)`` for all k, of float64, `rare` if one is left out."""

    target: Pointer
    primitive: str
    args: tuple[Pointer | Operand, ...]
    rare: Value


@dataclass(frozen=True, slots=True)
class ProductTile:
    """A tile of the product of two matrices of float64, left in shared memory; all threads meet.

    Attributes
    ----------
    left, right : Pointer
        The matrices.
    sizes : tuple of Value
        Rows, columns, and how many products are summed.
    strides : tuple of Value
        Elements from row to row of both, int64.
    corner : tuple of Operand
        The tile's first row and column.
    shape : tuple of int
        Rows, columns, and depth of a slice.
    stages : int
        Slices on their way or in use.
    """

    left: Pointer
    right: Pointer
    sizes: tuple[Value, Value, Value]
    strides: tuple[Value, Value]
    corner: tuple[Operand, Operand]
    shape: tuple[int, int, int]
    stages: int


@dataclass(frozen=True, slots=True)
class TileLoad:
    """``targets`` are elements ``2 * pair`` and the next of a row of a tile so many wide."""

    targets: tuple[Value, Value]
    row: Operand
    pair: Operand
    columns: int


DeviceStatement = (
    Statement
    | Builtin
    | Arithmetic
    | Array
    | VectorLoad
    | VectorStore
    | PrefetchL2
    | Shuffle
    | Barrier
    | LastBlock
    | Ticket
    | Publish
    | Await
    | Unroll
    | Quotient
    | Several
    | ProductTile
    | TileLoad
)


def _values(statement: DeviceStatement, used: bool) -> list[Value]:
    """Return the values that a statement uses, or else those that it makes."""
    found: list[Value] = []
    stack: list[Any] = [
        getattr(statement, name)
        for name in type(statement).__dataclass_fields__
        if (name in ("target", "targets")) != used
    ]
    while stack:
        held = stack.pop()
        if isinstance(held, Value):
            found.append(held)
        elif isinstance(held, tuple):
            stack += held[::-1]
        elif isinstance(held, Index):
            stack += [held.constant, held.terms]
    return found


def _has_rare(statement: Let) -> bool:
    """Whether the code of an operation has branches for what is rare, and there is one without."""
    return statement.primitive in WITH_RARE and statement.target.dtype == np.float64


#: Statements that have no others inside, and whose values are assigned once.
_STRAIGHT = (
    Arithmetic,
    Comment,
    Let,
    Load,
    Store,
    TileLoad,
    VectorLoad,
    VectorStore,
)


class DeviceBuilder(Builder):
    """A writer of device kernels.

    Parameters
    ----------
    index : numpy.dtype
        Of all indices: int32 where they fit, else int64.
    """

    def __init__(self, index: DType) -> None:
        super().__init__()
        self.index = index
        self._builtins: set[Operand] = set()
        self._seldom = False
        # Of ``x | literal``: both.
        self._with_bits: dict[Operand, tuple[Operand, int]] = {}

    @contextmanager
    def seldom(self) -> Iterator[None]:
        """Write what a thread does once, or a few times: its divisions share one function."""
        before, self._seldom = self._seldom, True
        try:
            yield
        finally:
            self._seldom = before

    def call(self, primitive: str, *args: Operand, dtype: DType | None = None) -> Value:
        """Return ``primitive(*args)``; `dtype` names the result of conversions."""
        if primitive == "divide" and self._seldom and args[0].dtype.kind == "f":
            found = self.fresh("v", args[0].dtype)
            self.emit(Quotient(found, *args))
            return found
        if args[0] in self._with_bits and primitive in ("convert", "shift_right"):
            return self._beside_bits(primitive, *args, dtype=dtype)
        found = super().call(primitive, *args, dtype=dtype)
        if primitive == "or" and isinstance(args[1], Literal):
            self._with_bits[found] = args[0], int(args[1].value)
        return found

    def _beside_bits(self, primitive: str, *args: Operand, dtype: DType | None) -> Value:
        """Write a conversion of ``x | bits``, or ``(x | bits) >> n`` as ``x >> n | bits >> n``.

        So neighbours share what follows from their counters without the lowest bits.
        """
        x, bits = self._with_bits[args[0]]
        if primitive == "convert":
            found = super().call(primitive, *args, dtype=dtype)
            if found.dtype.kind in "iu":
                self._with_bits[found] = self.call(primitive, x, dtype=dtype), bits
            return found
        distance = args[1]
        if not isinstance(distance, Literal):
            return super().call(primitive, *args)
        found = self.call(primitive, x, distance)
        rest = bits >> int(distance.value)
        return self.call("or", found, self.literal(rest, found.dtype)) if rest else found

    @contextmanager
    def side_by_side(self, prefix: str, count: int, rare: Value) -> Iterator[Value]:
        """Open a loop whose turns are written out and computed beside one another.

        Operations whose code has branches are computed for all turns at once, without what is
        rare: that sets a variable, and then the results are of no use.
        """
        variable = self.fresh(prefix, self.index)
        self._blocks.append(type(self._blocks[0])())
        yield variable
        body = cast("Sequence[DeviceStatement]", self._blocks.pop().statements)
        if all(isinstance(statement, _STRAIGHT) for statement in body):
            self._write_turns(variable, count, body, rare)
        else:
            self._write_loop(variable, count, body)

    def _write_turns(
        self, variable: Value, count: int, body: Sequence[DeviceStatement], rare: Value
    ) -> None:
        """Write the turns of a loop, in pieces between what is computed for all at once."""
        pieces: list[list[DeviceStatement]] = [[]]
        common: list[Let] = []
        for statement in body:
            if isinstance(statement, Let) and _has_rare(statement):
                common.append(statement)
                pieces.append([])
            else:
                pieces[-1].append(statement)
        # What another piece uses, or what is computed for all turns, has registers for each turn.
        born = {v: k for k, piece in enumerate(pieces) for s in piece for v in _values(s, False)}
        used = [{v for s in piece for v in _values(s, True)} for piece in pieces]
        shared = {v for one in common for v in one.args if isinstance(v, Value)}
        shared |= {v for k, found in enumerate(used) for v in found if born.get(v, k) != k}
        kept: dict[Value, Pointer] = {}
        for value in (*born, *(one.target for one in common)):
            if value not in born or value in shared:
                kept[value] = Pointer(f"{value.name}s", value.dtype, True)
                self.emit(Array(kept[value], count, False))
        turn = Index(0, ((1, variable),))
        for k, piece in enumerate(pieces):
            found = [v for v in kept if v in used[k] and born.get(v) != k]
            inner: list[DeviceStatement] = [Load(v, kept[v], turn) for v in found]
            inner += piece
            inner += [Store(kept[v], turn, v) for v in kept if born.get(v) == k]
            if inner:
                self._write_loop(variable, count, inner)
            if k < len(common):
                one = common[k]
                args = tuple(kept.get(a, a) if isinstance(a, Value) else a for a in one.args)
                self.emit(Several(kept[one.target], one.primitive, args, rare))

    def _write_loop(self, variable: Value, count: int, body: Sequence[DeviceStatement]) -> None:
        self.emit(Unroll())
        whole = cast("tuple[Statement, ...]", tuple(body))
        self._append(For(variable, Literal(0, self.index), Literal(count, self.index), whole))

    def emit(self, statement: DeviceStatement) -> None:
        """Append a statement."""
        # Blocks are typed for the loop IR; only a printer for devices is given these kernels.
        self._append(cast("Statement", statement))

    def builtin(self, name: str) -> Value:
        """Return the number of this "thread" or "block"."""
        found = Value(name, self.index)
        self._builtins.add(found)
        self.emit(Builtin(found, name))
        return found

    def arithmetic(self, operator: str, left: Operand, right: Operand) -> Value:
        """Return ``left operator right`` of indices."""
        if operator in "%/" and left in self._builtins and isinstance(right, Literal):
            # Compilers do not see that these are never negative, and write code for that too.
            n = int(right.value)
            if n & (n - 1) == 0:
                operator, n = ("&", n - 1) if operator == "%" else (">>", n.bit_length() - 1)
                right = Literal(n, self.index)
        key = ("arithmetic", operator, left, right, repr(left), repr(right))
        found = self._find(key)
        if found is None:
            found = self.fresh("i", self.index)
            self.emit(Arithmetic(found, operator, left, right))
            self._blocks[-1].known[key] = found
        return found

    def array(
        self, prefix: str, dtype: DType, size: int, shared: bool, offset: int | None = None
    ) -> Pointer:
        """Return new memory of a thread or, if shared, of its block."""
        pointer = Pointer(self.fresh(prefix, dtype).name, dtype, True)
        self.emit(Array(pointer, size, shared, offset))
        return pointer

    def vector(self, pointer: Pointer, index: Index, width: int) -> tuple[Value, ...]:
        """Return `width` neighbouring elements."""
        dtype = np.dtype(np.float32) if pointer.dtype == np.float16 else pointer.dtype
        targets = tuple(self.fresh("v", dtype) for _ in range(width))
        self.emit(VectorLoad(targets, pointer, index))
        return targets

    def shuffle(self, value: Value, distance: Operand, mode: str = "xor", lanes: int = 32) -> Value:
        """Return what another lane holds in `value`."""
        target = self.fresh("v", value.dtype)
        self.emit(Shuffle(target, value, distance, mode, lanes))
        return target

    @contextmanager
    def count(
        self, prefix: str, start: Operand, stop: Operand, unroll: int | None = None
    ) -> Iterator[Value]:
        """Open a loop over indices, written out `unroll` times (0: wholly, None: as may be)."""
        variable = self.fresh(prefix, self.index)
        self._blocks.append(type(self._blocks[0])())
        yield variable
        body = tuple(self._blocks.pop().statements)
        if unroll is not None:
            self.emit(Unroll(unroll))
        self._append(For(variable, start, stop, body))
