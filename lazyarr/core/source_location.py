"""The user's source location: the first frame outside lazyarr and NumPy."""

from __future__ import annotations

import builtins
import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from types import FrameType, FunctionType
from typing import Any

import numpy as np

__all__ = [
    "BackwardOrigin",
    "Origin",
    "RecomputedOrigin",
    "TangentOrigin",
    "attributed",
    "attributing",
    "called_at",
    "depth",
    "is_lent",
    "is_ours",
    "is_variable",
    "module_at",
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


#: From Python 3.14 on the stack borrows references of a function's variables: while an operation
#: runs, the references to such a value are as many as those to one without a name.
_BORROWS = sys.version_info >= (3, 14)


def is_lent(value: object) -> bool:
    """Return whether a value may have a name that its references do not show."""
    return _BORROWS and is_variable(value)


def is_variable(value: object) -> bool:
    """Return whether a value is a variable of the innermost function outside lazyarr and NumPy.

    Names of modules and classes are none: the stack does not borrow their references.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return False
    return any(variable is value for variable in frame.f_locals.values())


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


_names: dict[str, str] = {}  # of modules, by their files
_registries: dict[str, dict[Any, Any]] = {}  # of code that no module holds


def module_at(filename: str) -> tuple[str, dict[Any, Any]]:
    """Return the name of the module of a file, and its registry of warnings that were shown.

    Parameters
    ----------
    filename : str
        The file.
    """
    known = sys.modules.get(_names.get(filename, ""))
    for module in (known, *(() if known is not None else list(sys.modules.values()))):
        space = getattr(module, "__dict__", {})
        if space.get("__file__") == filename:
            name = _names[filename] = str(space.get("__name__"))
            return name, space.setdefault("__warningregistry__", {})
    # A name of None would silence it.
    return filename.removesuffix(".py"), _registries.setdefault(filename, {})


def _call(function: Callable[..., Any], args: Any, keywords: Any) -> Any:
    return function(*args, **keywords)


def called_at(
    line: Origin | None, function: Callable[..., Any], args: Any, keywords: dict[str, Any]
) -> Any:
    """Return the result of a function, whose warnings name a line as that of its caller.

    Parameters
    ----------
    line : tuple of str and int, or None
        File and line; None for the code that calls this function.
    function : callable
        Of Python, which may warn of the line that calls it.
    args, keywords : sequence, dict
        Its arguments.
    """
    caller = _call if line is None else _caller(*line)
    return caller(function, args, keywords)


@functools.lru_cache(maxsize=256)
def _caller(filename: str, line: int) -> Callable[..., Any]:
    """Return a function that calls another one from a line of another file."""
    name, registry = module_at(filename)
    # The call is in the line after the first one of that code.
    code = _call.__code__.replace(co_filename=filename, co_firstlineno=line - 1)
    space = {"__name__": name, "__warningregistry__": registry, "__builtins__": builtins}
    return FunctionType(code, space)
