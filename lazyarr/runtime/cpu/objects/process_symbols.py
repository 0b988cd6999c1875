"""Functions of the libraries in this process, by name; through the system's own loader."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from functools import cache

__all__ = ["find_symbol", "open_libraries", "opened"]

#: Names of the libraries that were opened, in order.
opened: list[str] = []


def open_libraries(names: Iterable[str]) -> bool:
    """Load libraries for all of the process, and return whether that went well.

    Parameters
    ----------
    names : iterable of str
        Their files, or the names under which the system finds them; those after one that is not
        there are not loaded.
    """
    mode = getattr(ctypes, "RTLD_GLOBAL", 0)
    for name in names:
        try:
            ctypes.CDLL(name, mode)
        except OSError:
            # Not glibc, or another system's file: what is there serves.
            return False
        if name not in opened:
            opened.append(name)
    return True


@cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def find_symbol(name: str) -> int | None:
    """Return the address of a function or variable in the process, or None.

    Examples
    --------
    >>> import sys
    >>> sys.platform != "linux" or find_symbol("memcpy") is not None
    True
    >>> find_symbol("no_such_function")
    """
    try:
        return ctypes.addressof(ctypes.c_char.in_dll(_process(), name))
    except ValueError:
        return None
