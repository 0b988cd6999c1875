"""Functions with a data-dependent shape, which NumPy computes immediately."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.numpy_api.computed_forms import form_of
from lazyarr.numpy_api.library_calls import compute_now
from lazyarr.ops.library import DATA_SHAPED

__all__ = ["FUNCTIONS"]

_NAMES = ("argwhere intersect1d setdiff1d setxor1d trim_zeros union1d").split()


def _function(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(np, name)

    def call(*args: Any, **keywords: Any) -> Any:
        form = form_of(name, args, keywords)
        result = NotImplemented if form is None else form(*args, **keywords)
        if result is NotImplemented:
            return compute_now(function, args, keywords, DATA_SHAPED)
        return result

    with contextlib.suppress(ValueError):  # some releases have none
        vars(call)["__signature__"] = inspect.signature(function)
    call.__name__ = call.__qualname__ = name
    call.__module__ = "lazyarr"
    call.__doc__ = (
        f"Return ``numpy.{name}`` of the arguments, computed at once: {DATA_SHAPED}.\n\n"
        "``explain`` lists it for every expression that uses the result.\n"
    )
    return call


FUNCTIONS: dict[str, Callable[..., Any]] = {name: _function(name) for name in _NAMES}
"""The functions of the table."""
