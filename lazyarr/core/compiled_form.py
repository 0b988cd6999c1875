"""The choice between the C extension beside a module and its form in Python, the reference.

An extension is built when lazyarr is installed, where there is a compiler. It is used if it was
built from the sources that lie beside its module, and unless ``LAZYARR_COMPILED=0`` asks for
Python's form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr.core.config import switch
from lazyarr.core.hashing import sources_digest

__all__ = ["compiled_form"]

_USES_EXTENSIONS = switch("LAZYARR_COMPILED", default=True)


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
