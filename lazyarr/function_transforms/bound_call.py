"""Calls with their arguments, to be done again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Bound"]


class Bound:
    """A call of a jitted function with its arguments; made by :meth:`Jitted.bind`.

    Attributes
    ----------
    results : object
        What the function returned, with LazyArrays that hold its arrays. Every call of this
        object computes them again in the same memory.
    """

    __slots__ = ("_again", "results")

    def __init__(self, results: Any, again: Callable[[], object]) -> None:
        self.results = results
        self._again = again

    def __call__(self) -> Any:
        """Compute the results again and return them."""
        self._again()
        return self.results
