"""The user's source location: the first frame outside lazyarr and NumPy."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from types import FrameType

import numpy as np

__all__ = [
    "BackwardOrigin",
    "Origin",
    "RecomputedOrigin",
    "TangentOrigin",
    "attributed",
    "attributing",
    "depth",
    "is_ours",
    "origin",
    "warn_user",
]

#: A file of the user's and a line of it.
Origin = tuple[str, int]


class BackwardOrigin(tuple[str, int]):
    """The line of a value whose cotangent a node helps to compute."""


class RecomputedOrigin(tuple[str, int]):
    """The line of a value that is computed a second time, for the backward pass."""


class TangentOrigin(tuple[str, int]):
    """The line of a value whose tangent a node helps to compute."""


#: By thread, the line to which nodes are attributed whatever code builds them.
ATTRIBUTED: dict[int, Origin | None] = {}


@contextmanager
def attributing() -> Iterator[Callable[[Origin | None], None]]:
    """Yield a function that sets the line which :func:`origin` returns in this thread."""
    thread = get_ident()
    missing = thread not in ATTRIBUTED
    outer = ATTRIBUTED.get(thread)

    def attribute(line: Origin | None) -> None:
        ATTRIBUTED[thread] = line

    try:
        yield attribute
    finally:
        if missing:
            ATTRIBUTED.pop(thread, None)
        else:
            ATTRIBUTED[thread] = outer


@contextmanager
def attributed(line: Origin | None) -> Iterator[None]:
    """Let :func:`origin` return `line` in this thread inside a ``with`` block."""
    with attributing() as attribute:
        attribute(line)
        yield


#: The folders of lazyarr and NumPy.
_OURS = (f"{__file__.rsplit(os.sep, 2)[0]}{os.sep}", f"{np.__path__[0]}{os.sep}")
_ours: dict[str, bool] = {}


def is_ours(name: str) -> bool:
    """Return whether a file is of lazyarr or NumPy."""
    ours = _ours.get(name)
    if ours is None:
        if len(_ours) > 10_000:
            _ours.clear()
        ours = _ours[name] = name.startswith(_OURS)
    return ours


def origin(inner: int = 0, /) -> Origin | None:
    """Return file and line of the first frame outside lazyarr and NumPy.

    Files are looked up in a table, because this runs once for every node built; by name, as the
    hash of a code object takes all its constants. `inner` is how many frames are known to be ours,
    the caller's not counted.
    """
    if ATTRIBUTED and (thread := get_ident()) in ATTRIBUTED:
        return ATTRIBUTED[thread]
    frame: FrameType | None
    try:
        frame = sys._getframe(1 + inner)
    except ValueError:
        return None  # there is nothing outside
    while frame is not None:
        name = frame.f_code.co_filename
        ours = _ours.get(name)
        if not (is_ours(name) if ours is None else ours):
            return name, frame.f_lineno
        frame = frame.f_back
    return None


def warn_user(text: str, category: type[Warning] = RuntimeWarning) -> None:
    """Issue a warning at the line that :func:`origin` names.

    Parameters
    ----------
    text : str
        The message.
    category : type, optional
        Of the warning; default: NumPy's of numbers.
    """
    file, line = origin() or ("<unknown>", 0)
    warnings.warn_explicit(text, category, file, line)


def depth() -> int:
    """Return the ``stacklevel`` with which the caller warns about that frame's line."""
    frame = sys._getframe(1)
    level = 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
        level += 1
    return level
