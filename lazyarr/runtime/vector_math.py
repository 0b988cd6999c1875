"""The vector mathematics library (glibc's libmvec): what of it this process can use.

Needs llvmlite alone, so that loading a cached kernel does not import Numba.
"""

from __future__ import annotations

import functools

import llvmlite.binding as llvm

__all__ = ["describe", "load", "variant"]

# Letter of the x86-64 vector ABI, and its register in bytes.
LEVELS = (("e", 64, "avx512f"), ("d", 32, "avx2"), ("b", 16, "sse2"))


@functools.cache
def load() -> bool:
    """Load the mathematics libraries into the process; say whether libmvec is there."""
    for name in ("libm.so.6", "libmvec.so.1"):
        try:
            llvm.load_library_permanently(name)
        except RuntimeError:
            # Not glibc: the C library's own symbols serve, and there is no vector library.
            return False
    return True


@functools.cache
def _levels() -> tuple[tuple[str, int], ...]:
    features = llvm.get_host_cpu_features()
    return tuple((letter, size) for letter, size, feature in LEVELS if features.get(feature))


@functools.cache
def variant(function: str, arity: int, itemsize: int) -> tuple[int, str] | None:
    """Return the widest vector form of a function of the C library that can be called here.

    Parameters
    ----------
    function : str
        The scalar symbol, such as ``exp`` or ``expf``.
    arity : int
        Number of its arguments.
    itemsize : int
        Bytes of one argument.

    Returns
    -------
    tuple of (int, str), or None
        Number of lanes, and symbol; None where there is no vector form.
    """
    if not load():
        return None
    for letter, size in _levels():
        lanes = size // itemsize
        symbol = f"_ZGV{letter}N{lanes}{'v' * arity}_{function}"
        if llvm.address_of_symbol(symbol):
            return lanes, symbol
    return None


def describe() -> str:
    """Return what compiled code depends on here; part of a disk cache's key."""
    if variant("exp", 1, 8) is None:
        return "scalar"
    # glibc 2.22 has six functions, 2.35 all of them.
    extent = "2.22" if variant("erf", 1, 8) is None else "2.35"
    return f"libmvec-{extent}-{_levels()[0][0]}"
