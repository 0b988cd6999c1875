"""Generated source text: the one type that code generation and the runtime share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Parameter", "Source"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a compiled function, after ``begin`` and ``end``.

    Attributes
    ----------
    name : str
        As in the source.
    dtype : numpy.dtype
        Of the scalar, or of what the pointer points to.
    pointer : bool
        Whether it is an address.
    """

    name: str
    dtype: np.dtype[Any]
    pointer: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A compilable text.

    Attributes
    ----------
    language : {"numba", "llvm", "cuda"}
        What it is written in.
    text : str
        The source itself.
    entry : str
        The function to call: ``entry(begin, end, *parameters)`` does the work items
        ``begin <= i < end``.
    parameters : tuple of Parameter
        Its arguments, in order.
    intrinsics : tuple of str
        Names that the text uses and the runtime must supply.
    """

    language: str
    text: str
    entry: str
    parameters: tuple[Parameter, ...]
    intrinsics: tuple[str, ...] = ()
