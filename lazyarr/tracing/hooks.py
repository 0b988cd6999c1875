"""Functions of higher packages that symbolic numbers call.

They make arrays, so tracing cannot import them:
:func:`lazyarr.numpy_api.methods.install` enters them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["FUNCTIONS"]

FUNCTIONS: dict[str, Callable[..., Any]] = {}
