"""The lock under which functions are traced, one at a time."""

from __future__ import annotations

import os
import threading

__all__ = ["trace_lock"]

#: Re-entrant, because a traced function may call another.
_lock = threading.RLock()


def trace_lock() -> threading.RLock:
    """Return the lock of this process."""
    return _lock


def _renew_lock() -> None:
    # The lock may be held by a thread that the child of a fork does not have.
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
