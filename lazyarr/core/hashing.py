"""SHA-256 without the rest of :mod:`hashlib`, and checksums of sources.

The import of :mod:`hashlib` takes as long as loading a kernel; the standard library's own
:mod:`random` takes its digest in the same way.

By a checksum of sources the C extension beside a module is chosen, or its form in Python, which is
the reference. An extension is built when lazyarr is installed, where there is a compiler. It is
used if it was built from the sources that lie beside its module, and unless ``LAZYARR_COMPILED=0``
asks for Python's form.
"""

from __future__ import annotations

import os
from binascii import crc32
from collections.abc import Callable, Iterable
from errno import ENOMEM
from functools import cache
from importlib import import_module
from io import FileIO
from typing import TYPE_CHECKING, Any, Protocol

from lazyarr.core.config import switch

__all__ = ["compiled_form", "files_checksum", "key_of", "sha256", "sources_digest"]

_USES_EXTENSIONS = switch("LAZYARR_COMPILED", default=True)


if TYPE_CHECKING:

    class Digest(Protocol):
        """An incremental digest."""

        def update(self, data: bytes, /) -> None:
            """Add bytes."""

        def digest(self) -> bytes:
            """Return the digest."""

        def hexdigest(self) -> str:
            """Return the digest in hexadecimal."""


@cache
def _function() -> Callable[[bytes], Digest]:
    # From Python 3.12 on, and before; a Python may be built with neither.
    for module in ("_sha2", "_sha256", "hashlib"):
        try:
            function: Callable[[bytes], Digest] = import_module(module).sha256
        except ImportError:
            continue
        return function
    raise ImportError("this Python has no SHA-256")


def sha256(data: bytes) -> Digest:
    """Return the digest of bytes, to which more can be added."""
    return _function()(data)


def key_of(parts: Iterable[str]) -> str:
    """Return a key that differs wherever one of the parts does.

    Parts may have surrogates: variables of the environment, and names of files, that are no UTF-8.

    Examples
    --------
    >>> key_of(("ab", "c")) == key_of(("a", "bc"))
    False
    """
    digest = sha256(b"")
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode(errors="surrogatepass"))
    return digest.hexdigest()


@cache
def sources_digest(module: str) -> str:
    """Return the checksum of the sources of an extension module, which is compiled into it.

    Parameters
    ----------
    module : str
        The file of a module, beside which a folder ``c_source`` has the sources and nothing else.
    """
    folder = f"{module.rpartition(os.sep)[0]}{os.sep}c_source"
    checksum, sizes = _checksum(sorted(entry.path for entry in os.scandir(folder)))
    return f"{checksum:08x}-{sum(sizes)}"


def files_checksum(folder: str, beginnings: tuple[str, ...]) -> str:
    """Return the checksum of files, and the length of each.

    Parameters
    ----------
    folder : str
        Where they are.
    beginnings : tuple of str
        Those of their names.
    """
    try:
        names = [entry.name for entry in os.scandir(folder)]
    except OSError as error:
        if error.errno == ENOMEM:
            raise MemoryError(str(error)) from error
        raise
    paths = [f"{folder}{os.sep}{name}" for name in sorted(names) if name.startswith(beginnings)]
    checksum, sizes = _checksum(paths)
    return f"{checksum:08x}-{'-'.join(map(str, sizes))}"


def _checksum(paths: Iterable[str]) -> tuple[int, list[int]]:
    """Return the checksum of files, one after the other, and the length of each.

    It differs for a changed source; nobody is kept from making two alike. The import
    of lazyarr and the first evaluation of a process compute one, and SHA-256 takes ten times as
    long.
    """
    checksum, sizes = 0, []
    for path in paths:
        with FileIO(path) as file:
            text = file.readall()
        checksum = crc32(text, checksum)
        sizes.append(len(text))
    return checksum, sizes


def compiled_form(load: Callable[[], Any], file: str) -> tuple[Any, str]:
    """Return the extension of a module or None, and the form that runs with the reason.

    Parameters
    ----------
    load : callable
        Imports the extension and returns it.
    file : str
        Of the module, beside which the folder ``c_source`` has the extension's sources.
    """
    if not _USES_EXTENSIONS:
        return None, "Python (LAZYARR_COMPILED=0)"
    try:
        extension = load()
    except ImportError as error:
        return None, f"Python ({error})"
    if sources_digest(file) != extension.SOURCE:
        return None, "Python (the compiled form is one of other sources: install again)"
    return extension, "compiled"
