"""Methods by their names, which histories of arrays remember: to call them again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["named_method"]


class _Method:
    """A method by its name, to call again on another array."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, x: Any, *args: Any, **keywords: Any) -> Any:
        return getattr(x, self.name)(*args, **keywords)


@functools.cache
def named_method(name: str) -> Callable[..., Any]:
    """Return the function that calls a method of its first argument."""
    return _Method(name)
