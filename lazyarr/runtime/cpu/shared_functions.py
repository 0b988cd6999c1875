"""Functions of the mathematics library that the baseline tier's kernels share.

An exponential takes LLVM's instruction selection half as long as the kernel that calls it. Kernels
of the baseline tier, which are for this process alone, call functions that are compiled once in it;
the optimised kernels that replace them have their own, inlined. Both have the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu.objects.machine_code import publish

__all__ = ["share"]

_shared: set[str] = set()


def share(sources: Iterable[Source]) -> None:
    """Compile and load the functions that some sources call, unless that was done before.

    Parameters
    ----------
    sources : iterable of Source
        In the language "llvm".
    """
    intrinsics = dict.fromkeys([name for source in sources for name in source.intrinsics])
    if not intrinsics:
        return
    # Imported here: most plans have no kernels of the baseline tier.
    from lazyarr.runtime.cpu.llvm_compiler import compile_quickly
    from lazyarr.runtime.cpu.llvm_definitions import library_modules

    for name, text in library_modules(intrinsics).items():
        if name not in _shared:
            publish(name, compile_quickly(text))
            _shared.add(name)
