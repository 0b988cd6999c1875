"""Routines of Fortran's kind for each matrix of a stack: all arguments are addresses."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.text_files import text_file
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler, tuning
from lazyarr.runtime.cpu.blas import LAPACK_NAMES, located
from lazyarr.runtime.cpu.blas_threads import allowed_threads, limited
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.threads.parallel_for import launch

__all__ = ["Fortran"]

_WORD = np.dtype(np.int64)
#: The arguments of every call; a routine does not look at those behind its own.
_COUNT = 12


class Fortran:
    """A routine of NumPy's BLAS and LAPACK.

    Parameters
    ----------
    address : int
        Of the routine.
    integers : numpy.dtype
        That it takes.
    library : object
        The library, which stays loaded.

    Attributes
    ----------
    address, integers
        Of the parameters.
    """

    __slots__ = ("_call", "_library", "address", "integers")

    def __init__(self, address: int, integers: np.dtype[Any], library: object) -> None:
        self.address = address
        self._library = library
        self.integers = integers
        self._call: Callable[..., None] = _TYPE(address)

    @classmethod
    def of(cls, name: str) -> Fortran | None:
        """Return a routine by LAPACK's name for it; None if NumPy has no such library."""
        place = located(name, LAPACK_NAMES)
        if place is None:
            return None
        address, integers, library = place
        return cls(address, np.dtype(np.int32 if integers == "i32" else np.int64), library)

    def repeat(
        self, count: int, arguments: Sequence[tuple[int, int]], work: float, alone: bool = True
    ) -> None:
        """Call the routine for each matrix of a stack.

        Parameters
        ----------
        count : int
            How many matrices.
        arguments : sequence of (int, int)
            For each argument an address, and the bytes to that of the next matrix.
        work : float
            Multiplications of one call. Few of them are done by one thread, and calls side by side
            by several.
        alone : bool, optional
            Whether one thread has the bits that are asked for.
        """
        row, threads = tuning.row(), allowed_threads()
        if threads == 1 or not alone or work >= row.alone_work:
            self._repeat(count, arguments, 1, count)
        else:
            with limited(1):
                self._repeat(count, arguments, threads, 1 + int(row.stack_work / work))

    def _repeat(
        self, count: int, arguments: Sequence[tuple[int, int]], threads: int, chunk: int
    ) -> None:
        """Call the routine for each matrix, for at least `chunk` of them in a thread."""
        unused = [0] * (_COUNT - len(arguments))
        firsts = [first for first, _ in arguments]
        if count == 1:
            self._call(*firsts, *unused)
            return
        table = _Table(*firsts, *unused, *[step for _, step in arguments])
        loop = _loop()
        start = ctypes.addressof(table)
        block = loop.pack(self.address, start, start + _COUNT * _WORD.itemsize)
        launch(loop, block, count, threads, chunk)


#: Addresses of the first arguments, and steps from one to the next.
_Table = ctypes.c_int64 * (2 * _COUNT)
_TYPE = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * _COUNT)


@cache
def _loop() -> Function:
    """Return the native loop over matrices."""
    parameters = tuple(Parameter(name, _WORD, True) for name in ("routine", "arguments", "steps"))
    text = text_file("lazyarr.runtime.cpu", "repeated.ll")
    source = Source("llvm", text, "repeated", parameters, optimize=False)
    return compiler.load_support(source, get_config())
