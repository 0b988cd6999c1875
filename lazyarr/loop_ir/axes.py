"""The kinds of axes along which a kernel goes."""

from __future__ import annotations

import enum

__all__ = ["AxisKind"]


class AxisKind(enum.Enum):
    """The kind of an axis: a loop, or an index given by the launch."""

    PARALLEL = enum.auto()
    """Work items: threads of a pool take ranges of them, and go through a range one by one."""
    SERIAL = enum.auto()
    """One iteration after the other; compilers may find vectors in it."""
    SCALAR = enum.auto()
    """As it stands: there is nothing to gain from vectors."""
    SHORT = enum.auto()
    """Vectors, one at a time, since there will not be many."""
    INTERLEAVED = enum.auto()
    """Vectors, several at a time, each operation of all of them before the next one."""
    PAIRED = enum.auto()
    """The same, two at a time: with more of them the registers would not hold all values."""
    INDEPENDENT = enum.auto()
    """Independent iterations, a literal number: vector instructions, if the body has them."""
    LANES = enum.auto()
    """Iterations that are independent and few, a literal number: meant for vectors in registers."""
    VECTOR = enum.auto()
    """Lanes whose body is vector instructions, see :mod:`lazyarr.loop_ir.vector_form`."""
    UNROLLED = enum.auto()
    """Written out, wholly or as often as the loop's `unroll` says."""
    BLOCK = enum.auto()
    """No loop: a launch on a GPU runs a block of threads for each index."""
    THREAD = enum.auto()
    """No loop: each thread of a block has an index."""

    @property
    def is_launched(self) -> bool:
        """Whether a launch gives the index, and no loop."""
        return self in (AxisKind.BLOCK, AxisKind.THREAD)
