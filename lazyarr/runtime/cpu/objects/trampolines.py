"""Fixed addresses of functions whose machine code is exchanged while they are in use.

A trampoline is one jump through a word of memory. Whoever was given its address, such as the bound
arguments of a plan's launches, calls other code as soon as the word is written.
"""

from __future__ import annotations

import ctypes

from lazyarr.runtime.cpu.objects.executable_memory import EXECUTABLE, PAGE, Pages

__all__ = ["Trampolines"]

#: Bytes from one jump to the next.
_PITCH = 16
#: jmp qword ptr [rip + distance], and a trap after it.
_JUMP = bytes.fromhex("ff25")
_LENGTH = len(_JUMP) + 4
_TRAP = b"\xcc"
_WORD = 8


class Trampolines:
    """Jumps for x86-64, each to an address that may be changed.

    Parameters
    ----------
    targets : list of int
        The addresses to which they jump at first.

    Raises
    ------
    OSError
        If the system refuses memory for machine code.
    """

    __slots__ = ("_pages", "_words")

    def __init__(self, targets: list[int]) -> None:
        self._words = -(-len(targets) * _PITCH // PAGE) * PAGE
        self._pages = Pages(self._words + len(targets) * _WORD)
        for index, target in enumerate(targets):
            distance = self._words + index * _WORD - (index * _PITCH + _LENGTH)
            code = (_JUMP + distance.to_bytes(4, "little")).ljust(_PITCH, _TRAP)
            self._pages.write(index * _PITCH, code)
            self.set(index, target)
        self._pages.protect(0, self._words, EXECUTABLE)

    def address(self, index: int) -> int:
        """Return the address of a jump."""
        return self._pages.address + index * _PITCH

    def set(self, index: int, target: int) -> None:
        """Let a jump go to another address.

        Parameters
        ----------
        index : int
            Which jump.
        target : int
            The address. It is written by one instruction, so a call in another thread has the one
            or the other.
        """
        word = ctypes.c_void_p.from_address(self._pages.address + self._words + index * _WORD)
        word.value = target
