"""Compile a kernel and call it: the shortest way from the loop IR to numbers."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from lazyarr.codegen.emit.cpu import emit
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Kernel, Pointer, Value
from lazyarr.runtime.cpu import compiler, llvm_compiler, numba_compiler
from lazyarr.runtime.host_memory_pool import address_of

BACKENDS = ["llvm", "numba"]
INT64 = np.dtype(np.int64)
BEGIN, END = Value("begin", INT64), Value("end", INT64)


class Compiled:
    """A kernel ``(begin, end, *arguments)`` and the assembly that it became.

    It is compiled anew each time: a test may have changed what the host can do.
    """

    def __init__(self, kernel: Kernel, backend: str) -> None:
        self.source = emit(kernel, backend)
        self._function = compiler._load(self.source, compiler._compile(self.source, "test" * 16))

    @cached_property
    def assembly(self) -> str:
        """What the processor runs."""
        compilers = {"llvm": llvm_compiler.assembly, "numba": numba_compiler.assembly}
        return compilers[self.source.language](self.source)

    def __call__(self, begin: int, end: int, *arguments: Any) -> None:
        operands = [address_of(a) if isinstance(a, np.ndarray) else a for a in arguments]
        self._function(begin, end, *operands)


def kernel(builder: Builder, *parameters: Pointer | Value) -> Kernel:
    """Return the kernel of what a builder holds."""
    return Kernel("test", parameters, builder.finish())
