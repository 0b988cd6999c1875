"""The autotuning policy in force."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lazyarr.autotuning.tuning import Policy

__all__ = ["current", "using"]

_current = Policy()


def current() -> Policy:
    """Return the policy in force in this process."""
    return _current


@contextmanager
def using(policy: Policy) -> Iterator[None]:
    """Let another policy be in force in the whole process."""
    global _current
    before, _current = _current, policy
    try:
        yield
    finally:
        _current = before
