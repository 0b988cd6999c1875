"""Modes of positions that are out of bounds, by the names and numbers that NumPy takes."""

from __future__ import annotations

from typing import Any

from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError

__all__ = ["index_mode", "overlap_mode"]

#: What is done with positions out of bounds, in the order of NumPy's numbers.
_MODES = ("clip", "wrap", "raise")


def index_mode(mode: Any) -> str:
    """Return the name of a mode of positions that are out of bounds.

    Parameters
    ----------
    mode : str, int or None
        The user's argument: a name, or NumPy's number of it; None for "raise".

    Returns
    -------
    str
        "raise", "wrap" or "clip".

    Raises
    ------
    ArgumentError
        If there is no such mode.
    """
    if isinstance(mode, str):
        if mode in _MODES:
            return mode
        what = f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})"
    elif mode is None or (type(mode) is int and 0 <= mode < len(_MODES)):
        return "raise" if mode is None else _MODES[mode]
    else:
        what = "integer clipmode must be RAISE, WRAP, or CLIP from 'numpy._core.multiarray'"
        what = what if type(mode) is int else f"clipmode not understood: {mode!r}"
    raise ArgumentError(what, origin=origin())


def overlap_mode(mode: Any) -> str:
    """Return the name of a mode of convolutions.

    Parameters
    ----------
    mode : str or int
        The name, or its place among "valid", "same" and "full".

    Raises
    ------
    ArgumentError
        If there is no such mode.
    """
    modes = ("valid", "same", "full")
    if isinstance(mode, int) and 0 <= mode < 3:
        return modes[mode]
    if mode in modes:
        return str(mode)
    text = "convolve/correlate mode not understood"
    if isinstance(mode, int):
        text = "integer convolve/correlate mode must be 0, 1, or 2"
    elif isinstance(mode, str) and mode[:1].lower() in ("v", "s", "f"):
        text = "Use one of 'valid', 'same', or 'full' for convolve/correlate mode"
    elif isinstance(mode, str):
        text = f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})"
    raise ArgumentError(text, origin=origin())
