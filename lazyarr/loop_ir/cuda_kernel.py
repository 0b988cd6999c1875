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
               | Divisor(target, value)                 target = what DividedBy takes of a divisor
               | DividedBy(target, value, divisor)      target = value / that
               | Several(target, primitive, args, rare)   target[k] = primitive(arg[k], ...)
               | RandomWords(targets, block, draw, key)   two words of Philox4x32-10
               | ProductTile(left, right, ...)          shared memory = a tile of left @ right
               | TileLoad(targets, row, pair)           targets = two neighbours of that tile

A kernel is run by `threads` threads a block, and `begin` and `end` do not exist: what a thread
works on follows from its number and its block's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.kernel import Index, Kernel, Operand, Pointer, Statement, Value

__all__ = [
    "Arithmetic",
    "Array",
    "Await",
    "Barrier",
    "Builtin",
    "DeviceKernel",
    "DeviceStatement",
    "DividedBy",
    "Divisor",
    "LastBlock",
    "PrefetchL2",
    "ProductTile",
    "Publish",
    "Quotient",
    "RandomWords",
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
    tiered : bool
        Whether compiling takes so long that it is done in two tiers.
    """

    threads: int = 256
    resident: int = 1
    shared_bytes: int = 0
    tiered: bool = False


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
    """Neighbouring elements, loaded at once; the address is a multiple of their size.

    If there are only `left` of them, the others are 0.
    """

    targets: tuple[Value, ...]
    pointer: Pointer
    index: Index
    left: Operand | None = None


@dataclass(frozen=True, slots=True)
class VectorStore:
    """Neighbouring elements, stored at once; the address is a multiple of their size.

    What is `passing` is not read again soon, and gives room in caches to what is. If there is room
    for `left` of them only, the others are not stored.
    """

    pointer: Pointer
    index: Index
    values: tuple[Operand, ...]
    passing: bool = False
    left: Operand | None = None


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
class Divisor:
    """``target`` holds what is computed once of a float64 that others are divided by."""

    target: Value
    value: Operand


@dataclass(frozen=True, slots=True)
class DividedBy:
    """``target = value / divisor``, rounded as a division is, of what :class:`Divisor` made."""

    target: Value
    value: Operand
    divisor: Value


@dataclass(frozen=True, slots=True)
class Several:
    """``target[k] = primitive(arg[k], ...)`` for all k, of float64, `rare` if one is left out."""

    target: Pointer
    primitive: str
    args: tuple[Pointer | Operand, ...]
    rare: Value


@dataclass(frozen=True, slots=True)
class RandomWords:
    """``targets`` are the two words of a block of a draw, uint64 as all that they are made of."""

    targets: tuple[Value, Value]
    block: Operand
    draw: Operand
    key: Operand


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
    | Divisor
    | DividedBy
    | Several
    | RandomWords
    | ProductTile
    | TileLoad
)
