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

A kernel is run by `threads` threads a block, and `begin` and `end` do not exist: what a thread
works on follows from its number and its block's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from lazyarr.codegen.builder import Builder
from lazyarr.codegen.kernel import For, Index, Kernel, Operand, Pointer, Statement, Value
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
    "Publish",
    "Shuffle",
    "Ticket",
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

    The operators are + - * / % >> and "min".
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

    def emit(self, statement: DeviceStatement) -> None:
        """Append a statement."""
        # Blocks are typed for the loop IR; only a printer for devices is given these kernels.
        self._append(cast("Statement", statement))

    def builtin(self, name: str) -> Value:
        """Return the number of this "thread" or "block"."""
        found = Value(name, self.index)
        self.emit(Builtin(found, name))
        return found

    def arithmetic(self, operator: str, left: Operand, right: Operand) -> Value:
        """Return ``left operator right`` of indices."""
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
