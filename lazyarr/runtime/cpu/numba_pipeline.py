"""Numba's compiler with the passes that kernels need.

A kernel is a flat function of numbers, pointers and loops over ranges: it has no closures, no
array expressions, no exceptions and no branches known at compile time, and each of its variables
has one dtype, so that no SSA form is needed to tell its uses apart. Their references are not
counted, so that nothing has to be deleted behind its last use. The passes left out return the same
function for such, and take a quarter of the time.
"""

from __future__ import annotations

from typing import Any

from numba.core import typed_passes, untyped_passes
from numba.core.codegen import AOTCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager

__all__ = ["Library", "Pipeline"]

_PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    typed_passes.NopythonTypeInference,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)


class Pipeline(CompilerBase):  # type: ignore[misc, unused-ignore]
    """The compiler of one function: from bytecode to LLVM IR, in the fewest passes."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the one list of passes that there is."""
        new: Any = PassManager  # its own annotations are too few to check against
        manager = new("kernel")
        for kind in _PASSES:
            manager.add_pass(kind, kind.__name__)
        manager.finalize()
        return [manager]


class Library(AOTCodeLibrary):  # type: ignore[misc, unused-ignore]
    """The LLVM module of one function, which no execution engine makes machine code of.

    It is optimised as a whole, and not function by function before: that took a fifth of the time
    of a compilation, and the code is as long without.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _finalize_final_module(self) -> None:
        self._finalized = True
