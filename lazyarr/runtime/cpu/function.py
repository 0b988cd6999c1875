"""Compiled functions that are loaded, and references to their code on disk."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.loop_ir.source import Parameter
from lazyarr.runtime.cpu.calling_convention import FAILED, block_layout

if TYPE_CHECKING:
    from lazyarr.runtime.cpu.objects.trampolines import Trampolines

__all__ = ["CodeReference", "Function"]

#: Of every kernel; see :mod:`lazyarr.runtime.cpu.calling_convention`. ctypes passes bytes by their
#: address.
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_char_p)


@dataclass(frozen=True, slots=True)
class CodeReference:
    """The reference to machine code on disk.

    Attributes
    ----------
    entry : str
        The name of the function in the source.
    parameters : tuple of Parameter
        Its parameters.
    key : str
        Of the disk cache: the digest of all that determines the machine code; "" of code that is
        not there.
    """

    entry: str
    parameters: tuple[Parameter, ...]
    key: str = ""


class Function:
    """A compiled function that is loaded: ``function(begin, end, *args)``.

    The GIL is released during a call. Pointers are passed as integers, scalars as Python numbers.

    Attributes
    ----------
    reference : CodeReference
        Its name and parameters, and the key of its code on disk.
    nbytes : int
        Of the block of its arguments.
    address : int
        Of the machine code of its packed entry.
    pack : callable
        ``pack(*args)`` returns the arguments as the block of bytes that `run` takes.
    run : callable
        ``run(begin, end, block)`` does the work items ``begin <= i < end`` and returns what
        happened, as bits.
    """

    __slots__ = (
        "__weakref__",
        "_owner",
        "_way",
        "address",
        "nbytes",
        "pack",
        "reference",
        "run",
    )

    def __init__(
        self,
        reference: CodeReference,
        address: int,
        owner: object,
        way: tuple[Trampolines, int] | None = None,
    ):
        self.reference = reference
        self.address = address
        self._owner = owner  # of the memory that the code is in
        self._way = way
        layout = block_layout(reference.parameters)
        self.nbytes = layout.size
        self.pack: Callable[..., bytes] = layout.pack
        self.run: Callable[[int, int, bytes], int] = _ENTRY(address)

    def __call__(self, begin: int, end: int, *args: float) -> int:
        """Run the work items ``begin <= i < end``, and return the status flags."""
        return self.check(self.run(begin, end, self.pack(*args)))

    def check(self, result: int) -> int:
        """Return the bits of a run; raise ContractError for a status, which no kernel returns."""
        if result & FAILED:
            raise ContractError(f"kernel {self.reference.entry} returned a status")
        return result

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters behind ``begin`` and ``end``."""
        return self.reference.parameters

    def go_on_with(self, address: int, owner: object) -> None:
        """Have all calls from now on run other code.

        Parameters
        ----------
        address : int
            Of that code.
        owner : object
            Of the memory that it is in.
        """
        if self._way is None:
            raise ContractError(f"kernel {self.reference.entry} has a fixed address")
        jumps, index = self._way
        # Calls that have begun, in other threads, are still in the code before.
        self._owner = (self._owner, owner)
        jumps.set(index, address)

    def __repr__(self) -> str:
        return f"<Function {self.reference.entry} at {self.address:#x}>"
