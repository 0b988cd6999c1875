"""Generated source text: the one type that code generation and the runtime share."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass

__all__ = ["External", "Parameter", "Source"]


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
class External:
    """A function of numbers that was compiled elsewhere, and that kernels call and inline.

    Attributes
    ----------
    name : str
        Of its definition in `text`: it takes the arguments and returns the result.
    arguments : tuple of numpy.dtype
        Of its arguments.
    result : numpy.dtype
        Of its result.
    text : str
        LLVM IR that holds all of it, whatever it calls and reads included.
    may_raise : bool
        Whether `text` also defines ``name.raised``, which says whether the function raises an
        exception for these arguments.
    """

    name: str
    arguments: tuple[np.dtype[Any], ...]
    result: np.dtype[Any]
    text: str
    may_raise: bool


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
    externals : tuple of External
        Functions that the text calls.
    optimize : bool
        Whether a text in LLVM IR is to be improved before machine code is made of it.
    shared_bytes : int
        Shared memory that a launch gives each block, beyond what the text itself declares.
    tiered : bool
        Whether compiling takes so long that it is done quickly first (the baseline tier), and with
        all optimisations once the function is used again. For CUDA.
    baseline : bool
        Whether it stays as it is compiled quickly. For LLVM IR and Numba.
    """

    language: str
    text: str
    entry: str
    parameters: tuple[Parameter, ...]
    intrinsics: tuple[str, ...] = ()
    externals: tuple[External, ...] = ()
    optimize: bool = True
    shared_bytes: int = 0
    tiered: bool = False
    baseline: bool = False

    def __hash__(self) -> int:
        """Return the hash of the text, which Python computes once; a plan asks for many."""
        return hash(self.text)
