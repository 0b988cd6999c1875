"""Counting how often a jitted function is traced."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import lazyarr as la

__all__ = ["counted"]


def counted(function: Callable[..., Any], **options: Any) -> tuple[Any, list[int]]:
    """Return a jitted function, and a list that grows whenever the function itself runs."""
    runs: list[int] = []

    def counting(*args: Any, **keywords: Any) -> Any:
        runs.append(1)
        return function(*args, **keywords)

    counting.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return la.jit(counting, **options), runs
