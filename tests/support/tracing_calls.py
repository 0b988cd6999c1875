"""Which functions of lazyarr a call runs, in order."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

__all__ = ["Entry", "entries", "hops"]


@dataclass(frozen=True)
class Entry:
    """A call of a function: where it is, and the functions of lazyarr that it was called from."""

    module: str
    function: str
    callers: tuple[str, ...]

    @property
    def package(self) -> str:
        """The package, or the module, right below ``lazyarr``."""
        return package_of(self.module)


def package_of(module: str) -> str:
    """Return the package right below ``lazyarr`` that a module is in."""
    return ([*module.split("."), ""])[1]


def _callers(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("lazyarr"):
            yield name
        frame = frame.f_back


def entries(call: Callable[[], Any], *, callers: bool = False) -> list[Entry]:
    """Return the calls of lazyarr's functions that `call` makes, in order."""
    results: list[Entry] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            module = frame.f_globals.get("__name__", "")
            if module.startswith("lazyarr"):
                above = tuple(_callers(frame.f_back)) if callers else ()
                results.append(Entry(module, frame.f_code.co_qualname, above))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return results


def hops(calls: list[Entry]) -> int:
    """Return the number of calls of another module than the call before."""
    return sum(a.module != b.module for a, b in itertools.pairwise(calls))
