"""The argument ``like=`` of functions that make arrays (NEP 35)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from lazyarr.arrays.fields import Fields

__all__ = ["with_like"]

P = ParamSpec("P")
R = TypeVar("R")


def with_like(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that lets the class of another library's ``like=`` make the array.

    Parameters
    ----------
    function : callable
        Of the name of one of NumPy's, which hands the call to that class, and refuses what is no
        array.
    """

    @functools.wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        if keywords and "like" in keywords:
            options: dict[str, Any] = dict(keywords)
            like = options.pop("like")
            if like is not None and not _is_plain(like):
                theirs: Callable[..., Any] = getattr(np, function.__name__)
                return cast("R", theirs(*args, like=like, **options))
            return cast("Callable[..., R]", function)(*args, **options)
        return function(*args, **keywords)

    return call


def _is_plain(like: Any) -> bool:
    """Return whether arrays like a value are those of lazyarr."""
    answer = getattr(type(like), "__array_function__", None)
    return isinstance(like, Fields) or answer is np.ndarray.__array_function__
