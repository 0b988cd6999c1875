"""The vector mathematics libraries: what of them this process can use.

glibc's libmvec, which is part of the system, and before it Intel's SVML where the package
``intel-cmplr-lib-rt`` (the extra ``svml``) is installed in this environment.
Needs llvmlite alone, so that loading a cached kernel does not import Numba.
"""

from __future__ import annotations

import functools
import site
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import llvmlite.binding as llvm

__all__ = ["describe", "load", "variant"]

# Letter of the x86-64 vector ABI, and its register in bytes.
LEVELS = (("e", 64, "avx512f"), ("d", 32, "avx2"), ("b", 16, "sse2"))
SYSTEM = ("libm.so.6", "libmvec.so.1")
#: In the order in which they need each other.
SVML = ("libintlc.so.5", "libirc.so", "libsvml.so")

#: Symbol of a function, given its arity, the letter of its registers and the lanes.
Naming = Callable[[str, int, str, int], str]


def _libmvec_name(function: str, arity: int, letter: str, lanes: int) -> str:
    return f"_ZGV{letter}N{lanes}{'v' * arity}_{function}"


def _svml_name(function: str, arity: int, letter: str, lanes: int) -> str:
    return f"__svml_{function}{lanes}"


@functools.cache
def load() -> tuple[tuple[str, Naming], ...]:
    """Load the libraries into the process; return name and naming of those that are there."""
    found: list[tuple[str, Naming]] = []
    folder = _svml_folder()
    if folder is not None and _load(str(folder / name) for name in SVML):
        found.append(("svml", _svml_name))
    if _load(SYSTEM):
        found.append(("libmvec", _libmvec_name))
    return tuple(found)


def _load(names: Iterable[str]) -> bool:
    for name in names:
        try:
            llvm.load_library_permanently(name)
        except RuntimeError:
            # Not glibc, or another system's file: what is there serves.
            return False
    return True


def _svml_folder() -> Path | None:
    """Return where pip puts the shared libraries of packages, if SVML is there."""
    roots = [sys.prefix]
    if site.ENABLE_USER_SITE:
        roots.append(site.getuserbase())
    for root in roots:
        folder = Path(root, "lib")
        if all((folder / name).is_file() for name in SVML):
            return folder
    return None


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
    for _, name in load():
        for letter, size in _levels():
            lanes = size // itemsize
            symbol = name(function, arity, letter, lanes)
            if llvm.address_of_symbol(symbol):
                return lanes, symbol
    return None


def describe() -> str:
    """Return what compiled code depends on here; part of a disk cache's key."""
    if variant("exp", 1, 8) is None:
        return "scalar"
    level = _levels()[0][0]
    said = []
    for library, name in load():
        if library == "libmvec":
            # glibc 2.22 has six functions, 2.35 all of them.
            all_of_them = llvm.address_of_symbol(name("erf", 1, level, _levels()[0][1] // 8))
            library += "-2.35" if all_of_them else "-2.22"
        said.append(f"{library}-{level}")
    return " ".join(said)
