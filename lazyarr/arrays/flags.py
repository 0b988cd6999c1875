"""``x.flags``: the memory layout of an array, and whether it may be written to."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import is_writeable, layout, memory_of, settle
from lazyarr.arrays.storing import Storing
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError

__all__ = ["Flags"]


class Flags:
    """The flags of an array, as ``ndarray.flags`` has them.

    Parameters
    ----------
    array : LazyArray
        The array; ``writeable`` can be set.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.zeros((2, 3))
    >>> x.T.flags.f_contiguous, x.T.flags["OWNDATA"], x.diagonal().flags.writeable
    (True, False, False)
    """

    __slots__ = ("_array",)

    def __init__(self, array: Storing) -> None:
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements lie one after another in C order."""
        return layout(self._array).c_contiguous

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements lie one after another in Fortran order."""
        return layout(self._array).f_contiguous

    fortran = f_contiguous

    @property
    def fnc(self) -> bool:
        """Whether they lie in Fortran order and not in C order."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """Whether they lie in one of both orders."""
        return self.f_contiguous or self.c_contiguous

    @property
    def owndata(self) -> bool:
        """Whether the array is no view of another."""
        settle(self._array)
        return self._array._alias is None

    @property
    def aligned(self) -> bool:
        """True: elements always are."""
        return True

    @property
    def writebackifcopy(self) -> bool:
        """False: there are no such copies."""
        return False

    @property
    def writeable(self) -> bool:
        """Whether the elements can be written to."""
        return is_writeable(self._array)

    @writeable.setter
    def writeable(self, value: bool) -> None:
        alias = self._array._alias
        if value and alias is not None and not is_writeable(alias[0]):
            raise ArgumentError("cannot set WRITEABLE flag to True of this array", origin=origin())
        memory = memory_of(self._array)
        if isinstance(memory, np.ndarray):
            memory.flags.writeable = value
        self._array._locked = not value  # type: ignore[attr-defined]

    @property
    def behaved(self) -> bool:
        """Whether elements are aligned and can be written to."""
        return self.writeable

    @property
    def carray(self) -> bool:
        """Whether they can be written to and lie in C order."""
        return self.writeable and self.c_contiguous

    @property
    def farray(self) -> bool:
        """Whether they can be written to and lie in Fortran order, not in C order."""
        return self.writeable and self.fnc

    @property
    def num(self) -> int:
        """The flags as bits of a number, those of NumPy's C interface."""
        return sum(bit for name, bit in _BITS.items() if self[name])

    def __getitem__(self, name: str) -> bool:
        if name not in _NAMES:
            raise KeyError("Unknown flag")
        value: bool = getattr(self, _NAMES[name])
        return value

    def __setitem__(self, name: str, value: bool) -> None:
        if _NAMES.get(name) != "writeable":
            raise KeyError("Unknown flag")
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Flags, type(np.empty(0).flags))):
            return NotImplemented
        theirs: Any = other
        return all(self[name] == theirs[name] for name in _LISTED)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "\n".join(f"  {name} : {self[name]}" for name in _LISTED)


_LISTED = "C_CONTIGUOUS F_CONTIGUOUS OWNDATA WRITEABLE ALIGNED WRITEBACKIFCOPY".split()

_NAMES = {
    "C": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "F": "f_contiguous",
    "FORTRAN": "f_contiguous",
    "O": "owndata",
    "W": "writeable",
    "A": "aligned",
    "X": "writebackifcopy",
    "B": "behaved",
    "CA": "carray",
    "FA": "farray",
}
_NAMES |= {name.upper(): name for name in dir(Flags) if not name.startswith("_") and name != "num"}
#: Of ``NPY_ARRAY_FLAGS``.
_BITS = {"C": 0x1, "F": 0x2, "O": 0x4, "A": 0x100, "W": 0x400, "X": 0x2000}
