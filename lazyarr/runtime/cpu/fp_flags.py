"""The processor's floating-point flags: their bits, and memory for those of kernels.

A flag is set by any operation that IEEE 754 calls an overflow, an underflow, a division by zero or
invalid, also in a lane whose value is thrown away. So no flag is proof that nothing happened, and a
flag is a reason to look.
"""

from __future__ import annotations

import ctypes
import platform
from collections import deque
from functools import cache

__all__ = ["SignalPool", "Signals", "bits", "mask_of"]

# Of the registers MXCSR, FPSR and fcsr, which are those of the C library's FE_ constants there.
_BITS: dict[str, dict[str, int]] = {
    "x86_64": {"invalid": 1, "divide": 4, "over": 8, "under": 16},
    "aarch64": {"invalid": 1, "divide": 2, "over": 4, "under": 8},
    "riscv64": {"under": 2, "over": 4, "divide": 8, "invalid": 16},
}
_ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}


@cache
def bits() -> dict[str, int]:
    """Return the bit of each fault, by its name in ``np.errstate``; empty where it is not known.

    Examples
    --------
    >>> set(bits()) <= {"invalid", "divide", "over", "under"}
    True
    """
    machine = platform.machine().lower()
    return _BITS.get(_ALIASES.get(machine, machine), {})


def mask_of(faults: dict[str, int]) -> int:
    """Return the mask of all bits."""
    return sum(faults.values())


class Signals:
    """The report memory of one evaluation's kernels, at one address.

    Attributes
    ----------
    data : bytearray
        What they write.
    address : int
        Where.
    """

    __slots__ = ("_view", "address", "data")

    def __init__(self, nbytes: int) -> None:
        self.data = bytearray(nbytes)
        # It pins the memory, too.
        self._view = (ctypes.c_char * nbytes).from_buffer(self.data)
        self.address = ctypes.addressof(self._view)


class SignalPool:
    """Zeroed memory for signals, used again; safe from many threads."""

    def __init__(self, nbytes: int) -> None:
        self.quiet = bytes(nbytes)
        self._free: deque[Signals] = deque(maxlen=64)
        #: Takes back memory that is zero again, and that nobody writes any more.
        self.give = self._free.append

    def take(self) -> Signals:
        """Return memory that is zero."""
        try:
            return self._free.pop()
        except IndexError:
            return Signals(len(self.quiet))
