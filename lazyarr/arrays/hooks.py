"""Functions of higher packages that arrays have as methods, or answer NumPy with.

They make arrays, so arrays cannot import them:
:func:`lazyarr.numpy_api.methods.install` enters what finds them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["FUNCTIONS"]


class _Functions(dict[str, Callable[..., Any]]):
    """Functions by their names, each of which is found when it is first asked for."""

    __slots__ = ("find",)
    find: Callable[[str], Callable[..., Any]]

    def __missing__(self, name: str) -> Callable[..., Any]:
        function = self[name] = self.find(name)
        return function


FUNCTIONS = _Functions()
