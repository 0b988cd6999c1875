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
from typing import NamedTuple

import llvmlite.binding as llvm

__all__ = ["Library", "Variant", "describe", "load", "variant"]

# Letter of the x86-64 vector ABI, and its register in bytes.
LEVELS = (("e", 64, "avx512f"), ("d", 32, "avx2"), ("b", 16, "sse2"))
SYSTEM = ("libm.so.6", "libmvec.so.1")
#: In the order in which they need each other.
SVML = ("libintlc.so.5", "libirc.so", "libsvml.so")

#: Symbol of a function, given its arity, the letter of its registers and the lanes.
Naming = Callable[[str, int, str, int], str]


class Library(NamedTuple):
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


class Variant(NamedTuple):
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
    found: list[Library] = []
    folder = _svml_folder()
    if folder is not None and _load(str(folder / name) for name in SVML):
        found.append(Library("svml", _svml_name, sets_flags=False))
    if _load(SYSTEM):
        found.append(Library("libmvec", _libmvec_name, sets_flags=True))
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
            if llvm.address_of_symbol(symbol):
                return Variant(lanes, symbol, library.sets_flags)
    return None


def describe() -> str:
    """Return what compiled code depends on here; part of a disk cache's key."""
    if variant("exp", 1, 8) is None:
        return "scalar"
    level = _levels()[0][0]
    said = []
    for library in load():
        name = library.name
        if name == "libmvec":
            # glibc 2.22 has six functions, 2.35 all of them.
            last = library.naming("erf", 1, level, _levels()[0][1] // 8)
            name += "-2.35" if llvm.address_of_symbol(last) else "-2.22"
        said.append(f"{name}-{level}")
    return " ".join(said)
