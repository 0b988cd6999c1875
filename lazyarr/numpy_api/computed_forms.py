"""The choice between NumPy and operations of arrays, for functions that NumPy computes at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.ops.markers import is_differentiated
from lazyarr.tracing import running

__all__ = ["form_of"]


def form_of(
    name: str, args: tuple[Any, ...], keywords: dict[str, Any]
) -> Callable[..., Any] | None:
    """Return the operations that stand for a function which NumPy computes at once.

    Parameters
    ----------
    name : str
        The function's, in NumPy's main namespace.
    args, keywords : tuple, dict
        Its arguments.

    Returns
    -------
    callable, optional
        Takes the arguments; it returns NotImplemented for those that are left to NumPy. None where
        NumPy computes: of arrays in memory, outside of jitted functions.
    """
    if not running and not any(map(_is_on_gpu, (*args, *keywords.values()))):
        return None
    # Imported here: most programs have neither.
    from lazyarr.numpy_api.device_forms import ON_DEVICE, TRACED

    return TRACED.get(name) or (None if running else ON_DEVICE.get(name))


def _is_on_gpu(value: Any) -> bool:
    """Whether an argument is, or holds, an array on a GPU through which no derivative passes."""
    if isinstance(value, LazyArray):
        return is_on_device(value._node) and not is_differentiated((value._node,))
    return type(value) in (list, tuple) and any(map(_is_on_gpu, value))
