"""Matrix products of NumPy's BLAS, called as kernels are: with packed arguments, without the GIL.

``numpy.matmul`` costs some microseconds beside the product: arrays are viewed, types resolved and
an iterator prepared. A plan knows all of that beforehand, so it calls the same routine with the
same arguments.

BLAS computes each block on one thread (:func:`~lazyarr.runtime.cpu.blas_threads.limited`), and the
pool hands the blocks out. Threads of BLAS's own would spin for the next product on the processors
where the pool's work, and a product waits for all of them, though one does not run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.text_files import filled_in, text_file
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.blas_threads import folder_of, numpy_libraries
from lazyarr.runtime.cpu.fp_flags import bits, mask_of
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.host_target import architecture
from lazyarr.runtime.cpu.objects.machine_code import has_symbols

__all__ = ["LAPACK_NAMES", "NO_TRANSPOSE", "TRANSPOSE", "Grains", "Routine", "located", "routine"]

Grains: TypeAlias = tuple[tuple[int, int], ...]

#: What CBLAS calls an operand whose rows lie one after the other, and one whose columns do.
NO_TRANSPOSE, TRANSPOSE = 111, 112

_ENTRY = "product"
#: By dtype: the letter in the name of BLAS's routine, and the type in LLVM IR.
_TYPES = {np.dtype(np.float32): ("s", "float"), np.dtype(np.float64): ("d", "double")}
#: How builds of OpenBLAS name a routine, for NumPy and for others, and the integers that it takes.
_NAMES = (
    ("scipy_cblas_{}64_", "i64"),
    ("cblas_{}64_", "i64"),
    ("scipy_cblas_{}", "i32"),
    ("cblas_{}", "i32"),
)
#: The same of LAPACK's routines, which Fortran calls.
LAPACK_NAMES = (("scipy_{}_64_", "i64"), ("{}_64_", "i64"), ("scipy_{}_", "i32"), ("{}_", "i32"))
#: Grains, see :class:`Routine`, by the name of OpenBLAS's kernels and the letter in the routine's:
#: notes, "Blocks that have the bits of the whole".
_GRAINS = {
    ("SkylakeX", "s"): ((24, 48), (4, 16)),
    ("SkylakeX", "d"): ((12, 192),),
    ("Haswell", "s"): ((12, 0),),
    ("Haswell", "d"): ((4, 16),),
}
_OTHER_GRAINS = ((24, 0),)
_POINTERS = ("routine", "a", "b", "c", "flags")
_NUMBERS = (
    *("m", "n", "k", "transpose_a", "transpose_b", "lda", "ldb", "ldc"),
    *("step_a", "step_b", "step_c"),
    *("row_blocks", "row_strip", "column_blocks", "column_strip"),
    *("row_a", "row_c", "column_b", "column_c"),
)
_FENV = ("fetestexcept", "feclearexcept", "feraiseexcept")


class Routine:
    """A product of matrices, or of stacks of them: work item i is block i of all products.

    Attributes
    ----------
    function : Function
        Takes the addresses of BLAS's routine, of the operands, of the result and of a word for
        floating-point flags, and then numbers: rows, columns and inner size; whether an operand
        is transposed, of each; three leading dimensions; the bytes from one matrix of a
        stack to the next, three times; blocks of rows and the rows of a strip, of which they
        consist, and the same of columns; the bytes from one row to the next of the first operand
        and of the result, and from one column to the next of the second and of the result.
    address : int
        Of BLAS's routine.
    grains : tuple of (int, int)
        Rows and columns of which blocks that are no small products are multiples, so that they have
        the bits of the whole product; columns 0: of no number of columns. Several from coarse to
        fine: of coarser ones OpenBLAS has kernels.
    """

    __slots__ = ("_library", "address", "function", "grains")

    def __init__(self, function: Function, address: int, library: object, grains: Grains) -> None:
        self.function = function
        self.address = address
        self.grains = grains
        self._library = library  # stays loaded


@cache
def routine(dtype: np.dtype[Any]) -> Routine | None:
    """Return the routine of NumPy's BLAS for a dtype; None where there is none that is known.

    Parameters
    ----------
    dtype : numpy.dtype
        Of operands and result.
    """
    if dtype not in _TYPES or ctypes.sizeof(ctypes.c_void_p) != 8 or not bits():
        return None
    letter, scalar = _TYPES[dtype]
    place = located(f"{letter}gemm")
    x86 = architecture() == "x86_64"
    if place is None or not (x86 or has_symbols(_FENV)):
        return None
    address, integer, library = place
    values = {
        "x86": x86,
        "short": integer == "i32",
        "integer": integer,
        "scalar": scalar,
        "mask": mask_of(bits()),
    }
    text = filled_in(text_file("lazyarr.runtime.cpu", "product.ll"), values)
    parameters = (
        *(Parameter(name, dtype, True) for name in _POINTERS),
        *(Parameter(name, np.dtype(np.int64), False) for name in _NUMBERS),
    )
    # It is as short as it can be, and the optimiser's module is not loaded for it.
    source = Source("llvm", text, _ENTRY, parameters, optimize=False)
    function = compiler.load_support(source, get_config())
    return Routine(function, address, library, _grains_of(letter))


def _grains_of(letter: str) -> Grains:
    """Return the grains of a routine's products, by the letter in its name."""
    names = [str(getattr(each, "architecture", "")) for each in numpy_libraries()]
    return _GRAINS.get((names[0], letter), _OTHER_GRAINS) if len(names) == 1 else _OTHER_GRAINS


def located(
    name: str, patterns: Sequence[tuple[str, str]] = _NAMES
) -> tuple[int, str, object] | None:
    """Return the address of a routine of NumPy's BLAS, its integers, and the library.

    Parameters
    ----------
    name : str
        Without what CBLAS and builds of it put around the name: ``"dgemm"``.
    patterns : sequence of (str, str)
        How builds name it, and the integers that it takes.
    """
    for controller in numpy_libraries():
        # One of SciPy's says nothing of NumPy's, which may be another.
        if controller.internal_api != "openblas" or "scipy" in folder_of(controller):
            continue
        for pattern, integer in patterns:
            function = getattr(controller.dynlib, pattern.format(name), None)
            if function is not None:
                address = ctypes.cast(function, ctypes.c_void_p).value
                assert address is not None
                return address, integer, controller.dynlib
    return None
