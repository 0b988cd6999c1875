"""The fields of arrays, and in which form operations on small arrays in memory run.

The compiled form is a C extension that is built when lazyarr is installed, where there is a
compiler. It is used if it was built from the sources that lie beside this file, and unless
``LAZYARR_COMPILED=0`` asks for Python's form, which is the reference: both give the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lazyarr.core.hashing import compiled_form

__all__ = ["COMPILED", "FORM", "Elementwise", "Fields", "PythonFields"]


class PythonFields:
    """The slots of an array; see :class:`lazyarr.arrays.base.ArrayBase`."""

    # The last four have no value most of the time: who never writes pays nothing.
    __slots__ = (
        "__weakref__",
        "_alias",
        "_array",
        "_current",
        "_history",
        "_layout",
        "_locked",
        "_past",
        "_view_nodes",
        "_writes",
    )

    @property
    def _known(self) -> Any:
        """The node that an array has, without making one."""
        try:
            return _current(self)
        except AttributeError:
            return None


_current: Callable[[Any], Any] = vars(PythonFields)["_current"].__get__


def _extension() -> Any:
    from lazyarr.arrays import _compiled

    return _compiled


#: The extension module; None if Python's form runs.
COMPILED, FORM = compiled_form(_extension, __file__)

if TYPE_CHECKING:
    from lazyarr.arrays import _compiled

    Fields = PythonFields
    Elementwise = _compiled.Elementwise
elif COMPILED is None:
    Fields, Elementwise = PythonFields, object
else:
    Fields, Elementwise = COMPILED.Fields, COMPILED.Elementwise
