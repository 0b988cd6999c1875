"""Object code in memory, loaded by :mod:`~lazyarr.runtime.cpu.objects.linker` or llvmlite."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from lazyarr.errors import ContractError
from lazyarr.runtime.cpu import vector_math
from lazyarr.runtime.cpu.host_target import why_not
from lazyarr.runtime.cpu.objects import linker, process_symbols
from lazyarr.runtime.cpu.objects.elf import read_object
from lazyarr.runtime.cpu.objects.linker import Unsupported

__all__ = ["MissingSymbols", "describe", "find_symbol", "has_symbols", "load", "publish"]

#: Why some object code was left to llvmlite, in the order in which that was found.
_left: list[str] = []
#: Addresses of functions that this process has compiled for others to call, and their memory.
_published: dict[str, tuple[int, object]] = {}


class MissingSymbols(Exception):
    """Object code needs functions that this process does not have.

    Attributes
    ----------
    names : list of str
        Their names.
    """

    def __init__(self, names: list[str]) -> None:
        super().__init__(f"no library supplies {', '.join(names)}")
        self.names = names


def load(object_code: bytes, name: str) -> tuple[object, int]:
    """Return the owner of object code in memory, and the address of a function in it.

    Parameters
    ----------
    object_code : bytes
        A relocatable object file.
    name : str
        Of the function.

    Raises
    ------
    MissingSymbols
        If it calls functions that are not in this process.
    ContractError
        If it is damaged, or has no such function.
    """
    file = read_object(object_code)
    missing = [] if file is None else [n for n in file.undefined() if find_symbol(n) is None]
    if missing:
        # LLVM would end the process.
        raise MissingSymbols(missing)
    reason = why_not()
    if not reason:
        try:
            if file is None:
                raise Unsupported("an object format other than ELF")
            image = linker.load(file, find_symbol)
        except (Unsupported, OSError) as error:
            reason = str(error)
            if reason not in _left:
                _left.append(reason)
        else:
            return image, _defined(image.functions.get(name, 0), name)
    from lazyarr.runtime.cpu.objects import mcjit

    owner, address = mcjit.load_object(object_code, name)
    return owner, _defined(address, name)


def _defined(address: int, name: str) -> int:
    if not address:
        raise ContractError(f"{name} is not in the object code")
    return address


def publish(name: str, object_code: bytes) -> None:
    """Load a function for as long as the process runs, and let other object code call it.

    Parameters
    ----------
    name : str
        Its symbol.
    object_code : bytes
        As of :func:`load`.
    """
    owner, address = load(object_code, name)
    _published[name] = address, owner
    if "llvmlite.binding" in sys.modules:  # it loads what the loader here does not
        from lazyarr.runtime.cpu.objects import mcjit

        mcjit.add_symbol(name, address)


def find_symbol(name: str) -> int | None:
    """Return the address that compiled code has for a function or variable, or None."""
    if name in _published:
        return _published[name][0]
    vector_math.load()
    if not why_not():
        address = process_symbols.find_symbol(name)
        if address is not None or "llvmlite.binding" not in sys.modules:
            return address
    from lazyarr.runtime.cpu.objects import mcjit  # it also knows what Numba has introduced there

    return mcjit.find_symbol(name)


def has_symbols(names: Iterable[str]) -> bool:
    """Return whether this process has all these functions for compiled code to call."""
    return all(find_symbol(name) is not None for name in names)


def describe() -> str:
    """Return a description of the loader of object code, for a reader."""
    reason = why_not()
    if reason:
        return f"by llvmlite: {reason}"
    if _left:
        return f"by lazyarr; by llvmlite where it has {'; '.join(_left)}"
    return "by lazyarr"
