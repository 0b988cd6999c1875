"""Numba's compiler with the passes that kernels need.

A kernel is a flat function of numbers, pointers and loops over ranges: it has no closures, no
array expressions, no exceptions and no branches known at compile time, and each of its variables
has one dtype, so that no SSA form is needed to tell its uses apart. Their references are not
counted, so that nothing has to be deleted behind its last use. The passes left out return the same
function for such, and take a quarter of the time.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import AOTCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager

__all__ = ["BaselineLibrary", "Library", "Pipeline"]

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

    @property
    def machine(self) -> Any:
        """The target machine that makes machine code of the module."""
        return self._codegen._tm

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _finalize_final_module(self) -> None:
        self._finalized = True


class BaselineLibrary(Library):
    """The LLVM module of one function that is compiled quickly, to the same bits.

    Numba has each variable in memory; that they are in registers takes LLVM less time than to make
    machine code of their loads and stores.
    """

    @property
    def machine(self) -> Any:
        """The target machine that makes machine code of the module."""
        return _baseline_machine(self._codegen)

    def _optimize_final_module(self) -> None:
        codegen: Any = self._codegen
        builder = codegen._pass_builder(opt=0, loop_vectorize=False, slp_vectorize=False)
        passes = llvm.create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.run(self._final_module, builder)


@cache
def _baseline_machine(codegen: Any) -> Any:
    """Return the target machine of Numba's that optimises nothing."""
    options = {"opt": 0}
    codegen._customize_tm_options(options)
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(**options)
