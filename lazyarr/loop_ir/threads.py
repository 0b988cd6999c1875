"""The statements of threads of a GPU: shared memory, exchanges and barriers.

::

    statement := Builtin(target, axis)                  target = index of this thread or block
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
               | Divisor(target, value)                 target = what DividedBy takes of a divisor
               | DividedBy(target, value, divisor)      target = value / that
               | Intrinsic(targets, name, args, constants)   targets = name(args...)

They are statements of the loop IR like any other (:mod:`lazyarr.loop_ir.kernel`); printers for
processors refuse them.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.values import Index, Operand, Pointer, Value

__all__ = [
    "Arithmetic",
    "Array",
    "Await",
    "Barrier",
    "Builtin",
    "DividedBy",
    "Divisor",
    "Intrinsic",
    "LastBlock",
    "PrefetchL2",
    "Publish",
    "Shuffle",
    "ThreadStatement",
    "Ticket",
    "VectorLoad",
    "VectorStore",
]


@dataclass(frozen=True, slots=True)
class Builtin:
    """``target`` is the index of this thread in its block, or of this block."""

    target: Value
    axis: AxisKind


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
    """Neighbouring elements, loaded as a vector; the address is a multiple of their size.

    If there are only `left` of them, the others are 0.
    """

    targets: tuple[Value, ...]
    pointer: Pointer
    index: Index
    left: Operand | None = None


@dataclass(frozen=True, slots=True)
class VectorStore:
    """Neighbouring elements, stored as a vector; the address is a multiple of their size.

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
    """``target`` is `value` of another lane of the warp.

    The other lane is, by mode, "xor": own number exclusive-or distance; "up": own number minus
    distance; "lane": that of the number. `lanes` neighbours count from 0, and below that "up"
    gives a lane its own value.
    """

    target: Value
    value: Value
    distance: Operand
    mode: str
    lanes: int


@dataclass(frozen=True, slots=True)
class Barrier:
    """No thread of the block goes on before all are here; shared memory is as they left it."""


@dataclass(frozen=True, slots=True)
class LastBlock:
    """``target`` is true in the last of `blocks` blocks to come here: it sees their stores.

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
    """Set the flag ``pointer[index]``; a waiting thread sees all stores of this thread."""

    pointer: Pointer
    index: Index


@dataclass(frozen=True, slots=True)
class Await:
    """Go on when the flag ``pointer[index]`` is set, by a block that has begun already."""

    pointer: Pointer
    index: Index


@dataclass(frozen=True, slots=True)
class Divisor:
    """``target`` has the precomputed form of a float64 divisor."""

    target: Value
    value: Operand


@dataclass(frozen=True, slots=True)
class DividedBy:
    """``target = value / divisor``, rounded as a division is, with a :class:`Divisor`."""

    target: Value
    value: Operand
    divisor: Value


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A call of an algorithm that a target has as a text of its own, by its name.

    ==================  ===========================================================================
    ``philox``          two words (targets) of a block of a draw with a key: Philox4x32-10
    ``position_in``     the positions (targets) of values in a sorted vector. Arguments: its memory,
                        the steps from one element to the next, how many there are, and the values.
                        Constant: the side, as of ``numpy.searchsorted``
    ``quotient_of_index``
                        an index of int32 divided by a number: the upper half of its product with
                        a factor, shifted. Arguments: the index, the factor and the shift
    ``each_or_rare``    ``args[0][k] = primitive(args[1][k], ...)`` for all k, of float64; the
                        last argument, a variable, becomes true if one was left out. Constant: the
                        primitive
    ``product_tile``    shared memory = a tile of ``left @ right`` of float64; all threads meet.
                        Arguments: the matrices; rows, columns and depth; both strides from row to
                        row; the tile's first row and column. Constants: rows, columns and depth of
                        a slice, and how many slices are on their way or in use
    ``small_product``   sums of products of matrices in shared memory: some rows and vectors of
                        columns of a result. Arguments: the left memory and a place in it, the right
                        memory and a place in it, and memory for the sums. Constants: rows; elements
                        from one to the next; vectors, their width, and elements from one to the
                        next; terms; elements from one row of the right memory to the next
    ``tile_pair``       targets = elements ``2 * pair`` and the next of a row of that tile.
                        Arguments: row and pair. Constant: the columns of the tile
    ==================  ===========================================================================

    Attributes
    ----------
    targets : tuple of Value
        What it gives.
    name : str
        Of the algorithm.
    args : tuple of Operand or Pointer
        What it is given when it runs.
    constants : tuple of (int or str)
        What its text is specialised for.
    """

    targets: tuple[Value, ...]
    name: str
    args: tuple[Operand | Pointer, ...]
    constants: tuple[int | str, ...] = ()


ThreadStatement = (
    Builtin
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
    | Divisor
    | DividedBy
    | Intrinsic
)
