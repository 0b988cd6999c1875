"""The vector math libraries that this process can use.

glibc's libmvec, which is part of the system, and before it Intel's SVML where the package
``intel-cmplr-lib-rt`` (the extra ``svml``) is installed in this environment.
Only what a compiler asks needs llvmlite, so that loading a kernel from disk does not import it.
"""

from __future__ import annotations

import functools
import os
import site
import sys
from collections.abc import Callable

from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cpu.objects.process_symbols import find_symbol, open_libraries

__all__ = ["Library", "Variant", "describe", "identify", "load", "variant"]

# Letter of the x86-64 vector ABI, and its register in bytes.
LEVELS = (("e", 64, "avx512f"), ("d", 32, "avx2"), ("b", 16, "sse2"))
SYSTEM = ("libm.so.6", "libmvec.so.1")
#: In the order in which they need each other.
SVML = ("libintlc.so.5", "libirc.so", "libsvml.so")

#: Symbol of a function, given its arity, the letter of its registers and the lanes.
Naming = Callable[[str, int, str, int], str]


@dataclass(frozen=True, slots=True)
class Library:
    """A library of vector functions.

    Attributes
    ----------
    name : str
        Of the library.
    naming : callable
        From a scalar function to the symbol of its vector form.
    sets_flags : bool
        Whether its functions set the processor's floating-point flags wherever their results call
        for it. glibc's do, all of them; Intel's do in some functions and not in others.
    """

    name: str
    naming: Naming
    sets_flags: bool


@dataclass(frozen=True, slots=True)
class Variant:
    """The vector form of a function.

    Attributes
    ----------
    lanes : int
        How many elements it takes.
    symbol : str
        Its name.
    sets_flags : bool
        Whether it sets floating-point flags wherever its results call for it.
    """

    lanes: int
    symbol: str
    sets_flags: bool


def _libmvec_name(function: str, arity: int, letter: str, lanes: int) -> str:
    return f"_ZGV{letter}N{lanes}{'v' * arity}_{function}"


def _svml_name(function: str, arity: int, letter: str, lanes: int) -> str:
    return f"__svml_{function}{lanes}"


@functools.cache
def load() -> tuple[Library, ...]:
    """Load the libraries into the process; return those that are there, the preferred one first."""
    libraries: list[Library] = []
    folder = _svml_folder()
    if folder is not None and open_libraries(f"{folder}{os.sep}{name}" for name in SVML):
        libraries.append(Library("svml", _svml_name, sets_flags=False))
    if open_libraries(SYSTEM):
        libraries.append(Library("libmvec", _libmvec_name, sets_flags=True))
    return tuple(libraries)


def _svml_folder() -> str | None:
    """Return the folder in which pip puts shared libraries of packages, if SVML is there."""
    roots = [sys.prefix]
    if site.ENABLE_USER_SITE:
        roots.append(site.getuserbase())
    for root in roots:
        folder = f"{root}{os.sep}lib"
        if all(os.access(f"{folder}{os.sep}{name}", os.R_OK) for name in SVML):
            return folder
    return None


@functools.cache
def _levels() -> tuple[tuple[str, int], ...]:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return tuple((letter, size) for letter, size, feature in LEVELS if features.get(feature))


@functools.cache
def has_fused_multiplication() -> bool:
    """Return whether the processor multiplies and adds vectors in one instruction."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return bool(features.get("fma") and features.get("avx2"))


@functools.cache
def has_wide_tables() -> bool:
    """Return whether one instruction looks eight float64 up in a table of sixteen in registers."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return bool(features.get("avx512f") and features.get("avx512dq"))


@functools.cache
def variant(function: str, arity: int, itemsize: int) -> Variant | None:
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
    Variant or None
        None where there is no vector form.
    """
    for library in load():
        for letter, size in _levels():
            lanes = size // itemsize
            symbol = library.naming(function, arity, letter, lanes)
            if find_symbol(symbol):
                return Variant(lanes, symbol, library.sets_flags)
    return None


def identify() -> str:
    """Return the names of the libraries, which with the processor decide on the functions."""
    names = (library.name for library in load())
    return " ".join(name + _version() if name == "libmvec" else name for name in names)


def describe() -> str:
    """Return the names of the libraries that kernels call, for a reader."""
    if variant("exp", 1, 8) is None:
        return "scalar"
    level = _levels()[0][0]
    return " ".join(f"{name}-{level}" for name in identify().split())


def _version() -> str:
    # glibc 2.22 has six functions, 2.35 all of them.
    return "-2.35" if find_symbol(_libmvec_name("erf", 1, "b", 2)) else "-2.22"
