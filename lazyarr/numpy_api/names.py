"""The counterpart of each name of NumPy: lazyarr's, NumPy's, computed immediately, or none.

The tests walk NumPy's namespaces through :func:`meaning`, and the documentation's table is made of
it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

__all__ = [
    "FROM_NUMPY",
    "MODULES",
    "NAMESPACES",
    "REFUSED",
    "computed_names",
    "reason_for",
    "table",
]

_SCALARS = (
    "bool bool_ byte bytes_ cdouble character clongdouble complex64 complex128 complexfloating "
    "csingle datetime64 double flexible float16 float32 float64 floating generic half inexact int8 "
    "int16 int32 int64 int_ intc integer intp long longdouble longlong number object_ short "
    "signedinteger single str_ timedelta64 ubyte uint uint8 uint16 uint32 uint64 uintc uintp ulong "
    "ulonglong unsignedinteger ushort void"
)
_CONSTANTS = (
    "False_ ScalarType True_ e euler_gamma inf little_endian nan newaxis pi sctypeDict typecodes"
)
_DTYPES = (
    "can_cast dtype finfo iinfo isdtype issubdtype min_scalar_type mintypecode promote_types "
    "result_type typename"
)
_SETTINGS = (
    "errstate get_printoptions getbufsize geterr geterrcall printoptions set_printoptions "
    "setbufsize seterr seterrcall"
)
_PYTHON = (
    "base_repr binary_repr emath format_float_positional format_float_scientific "
    "index_exp isscalar iterable lib ndenumerate ndim ndindex poly1d s_ shape "
    "size flatiter"
)
#: Of arrays that lazyarr has none of: dates, texts, records, matrices, files in memory. NumPy
#: computes these at once, and operators of them and of LazyArrays are its own.
_OTHER_ARRAYS = (
    "asmatrix busday_count busday_offset busdaycalendar datetime_as_string datetime_data "
    "is_busday matrix memmap recarray record"
)
FROM_NUMPY: tuple[str, ...] = tuple(
    name
    for name in " ".join((_SCALARS, _CONSTANTS, _DTYPES, _SETTINGS, _PYTHON, _OTHER_ARRAYS)).split()
    if name in vars(np)
)
"""NumPy's own: scalar types, constants, questions about dtypes, settings, what takes values, and
arrays of other kinds."""

MODULES: tuple[str, ...] = tuple(
    "char ctypeslib dtypes exceptions ma rec strings testing typing".split()
)
"""NumPy's modules, which it imports when they are first used."""

#: By the names of NumPy's namespaces, functions that return ours of that name. The root enters
#: them: its own functions are made of those of this package.
NAMESPACES: dict[str, Callable[[], ModuleType]] = {}

_INSTALLED = "it describes NumPy's installation: ask numpy itself"
_EXTENDED = "its size depends on the platform, and no kernel computes with it"
REFUSED: dict[str, str] = {
    "chararray": "it is in lazyarr.char",
    "core": "it is private to NumPy",
    "trapz": "it is called trapezoid: NumPy deprecates the old name, and has dropped it since",
    **dict.fromkeys(("complex256", "float96", "float128", "complex192"), _EXTENDED),
    **dict.fromkeys(
        ("f2py", "get_include", "info", "show_config", "show_runtime", "test"), _INSTALLED
    ),
}
"""Names of NumPy's main namespace that are none here, and why."""

_OTHERS: dict[str, dict[str, str]] = {
    "numpy": REFUSED,
    "numpy.linalg": {"test": _INSTALLED, "linalg": "it is private to NumPy"},
    "numpy.fft": {"test": _INSTALLED, "helper": "it is private to NumPy"},
}


@functools.cache
def computed_names() -> tuple[str, ...]:
    """Return NumPy's functions of arrays, by name; those without a lazy form are immediate."""
    # Not through getattr, which would import NumPy's modules.
    return tuple(
        name
        for name, value in sorted(vars(np).items())
        if not name.startswith("_")
        and name not in REFUSED
        and name not in FROM_NUMPY
        and hasattr(value, "_implementation")
    )


def reason_for(namespace: str, name: str) -> str | None:
    """Return the reason why lazyarr has no counterpart of a public name of NumPy's.

    Parameters
    ----------
    namespace : str
        Such as "numpy" or "numpy.linalg".
    name : str
        A public name in it.

    Returns
    -------
    str or None
        A clause for messages; None if the name is not refused.
    """
    return _OTHERS.get(namespace, {}).get(name)


def table(mine: ModuleType, theirs: ModuleType) -> list[tuple[str, str]]:
    """Return each public name of a namespace of NumPy's, and its counterpart here.

    Parameters
    ----------
    mine, theirs : module
        lazyarr's namespace and NumPy's.

    Returns
    -------
    list of (str, str)
        The second is "lazy", "NumPy's own", "computed at once", or why there is no such name.
    """
    return [(name, _meaning(mine, theirs, name)) for name in dir(theirs) if name[0] != "_"]


def _meaning(mine: ModuleType, theirs: ModuleType, name: str) -> str:
    reason = reason_for(theirs.__name__, name)
    if reason is not None:
        return reason
    try:
        own: Any = getattr(mine, name)
    except AttributeError as error:
        return str(error).partition(": ")[2]
    original = getattr(theirs, name)
    if own is original:
        return "NumPy's own"
    if name in vars(mine).get("__all__", ()):
        return "lazy"
    return "computed at once"
