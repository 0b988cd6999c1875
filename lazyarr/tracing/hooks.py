"""Functions of higher modules that symbolic numbers call, and that arrays have as methods.

They make arrays, so neither tracing nor the modules that arrays are made of can import them:
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
