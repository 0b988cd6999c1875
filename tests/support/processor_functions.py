"""Functions of this process's processor, as compiled code calls them."""

from __future__ import annotations

from lazyarr.runtime.cpu import llvm_definitions, vector_math


def forget_functions() -> None:
    """Look for them again, and write their definitions again, when they are next asked for."""
    vector_math.variant.cache_clear()
    llvm_definitions._definition.cache_clear()
