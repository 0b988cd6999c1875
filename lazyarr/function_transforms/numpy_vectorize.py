"""Functions that ``numpy.vectorize`` calls: of whole arrays, and those that return no numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.numpy_api.library_calls import compute_now

__all__ = ["called_by_numpy"]


def called_by_numpy(
    function: Callable[..., Any] | None,
    otypes: Any,
    doc: str | None,
    excluded: Any,
    signature: str | None,
) -> Callable[..., Any]:
    """Return a function that NumPy calls immediately, for each element or for whole arrays.

    Parameters
    ----------
    function : callable, optional
        The user's; None for a decorator.
    otypes, doc, excluded, signature : optional
        As those of ``numpy.vectorize``.
    """
    if function is None:
        return lambda decorated: called_by_numpy(decorated, otypes, doc, excluded, signature)
    options: dict[str, Any] = {"otypes": otypes, "excluded": excluded, "signature": signature}
    theirs = np.vectorize(function, **options)
    reason = "its function takes whole arrays" if signature else "its results are no numbers"

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        return compute_now(theirs, args, keywords, reason)

    if doc is not None:
        call.__doc__ = doc
    return call
