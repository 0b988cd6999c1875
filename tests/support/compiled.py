"""Compile a kernel text with Numba and call it: the shortest way from primitives to numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba.core import compiler, types
from numba.core.registry import cpu_target

from lazyarr.runtime import vector_math
from lazyarr.runtime.numba_intrinsics import namespace, parameter_type

DType = np.dtype[Any]


class Compiled:
    """A function ``(begin, end, *addresses)`` and the assembly that it became."""

    def __init__(self, text: str, dtypes: Sequence[DType], names: Sequence[str]) -> None:
        vector_math.load()
        scope = namespace(names)
        exec(compile(text, "<kernel>", "exec"), scope)
        flags = compiler.Flags()
        flags.no_cpython_wrapper = True
        flags.no_cfunc_wrapper = True
        flags.error_model = "numpy"
        flags.noalias = True
        signature = (types.int64, types.int64, *(parameter_type(d, True) for d in dtypes))
        self._result = compiler.compile_extra(
            cpu_target.typing_context,
            cpu_target.target_context,
            scope["kernel"],
            signature,
            types.void,
            flags,
            {},
        )
        library = self._result.library
        self._code = library._get_compiled_object()
        self._engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(""),
            llvm.Target.from_default_triple().create_target_machine(codemodel="jitdefault"),
        )
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(self._code))
        self._engine.finalize_object()
        address = self._engine.get_function_address(self._result.fndesc.llvm_func_name)
        self._function = ctypes.CFUNCTYPE(
            ctypes.c_int,
            *[ctypes.c_void_p] * 2,
            *[ctypes.c_int64] * 2,
            *[ctypes.c_void_p] * len(dtypes),
        )(address)

    @property
    def assembly(self) -> str:
        """What the processor runs."""
        return str(self._result.library.get_asm_str())

    def __call__(self, begin: int, end: int, *arrays: np.ndarray[Any, Any]) -> None:
        scratch = (ctypes.c_void_p * 8)()
        address = ctypes.addressof(scratch)
        pointers = [array.ctypes.data for array in arrays]
        status = self._function(address, address + 32, begin, end, *pointers)
        assert status == 0
