"""Printing kernels in the language of a backend."""

from __future__ import annotations

import numpy as np

from lazyarr.codegen.emit.llvm import emit_llvm
from lazyarr.core.dtypes import name_of
from lazyarr.loop_ir.kernel import Kernel, Pointer
from lazyarr.loop_ir.source import Source

__all__ = ["commented", "emit"]

COMMENT = {"llvm": ";", "numba": "#"}
_INT64 = np.dtype(np.int64)


def emit(kernel: Kernel, backend: str) -> Source:
    """Return the source of a kernel in the language of a backend: "llvm" or "numba".

    Parameters
    ----------
    kernel : Kernel
        For the CPU.
    backend : {"llvm", "numba"}
        Whose language to print.
    """
    if backend == "llvm":
        return emit_llvm(kernel)
    # Imported here: few processes ask for Numba.
    from lazyarr.codegen.emit.numba import emit_numba

    return emit_numba(kernel)


def commented(kernel: Kernel, source: Source) -> str:
    """Return the source with the kernel's comments above it, for a reader.

    Parameters
    ----------
    kernel : Kernel
        With the comments and the parameters' dtypes.
    source : Source
        What :func:`emit` made of it.
    """
    mark = COMMENT[source.language]
    lines = [f"{mark} {line}" for line in (kernel.name, *kernel.comments)]
    signature = []
    for p in kernel.parameters:
        if isinstance(p, Pointer):
            signature.append(f"{p.name}: {name_of(p.dtype)}*")
        elif p.dtype != _INT64:
            signature.append(f"{p.name}: {name_of(p.dtype)}")
    if signature:
        lines.append(f"{mark} {', '.join(signature)}; the other parameters are int64")
    return "\n".join([*lines, source.text])
