"""Forks of a process while other threads work.

A child has the thread alone that forked. A lock of another thread stays locked in the child, and
what that thread was at is half done. So a fork waits for what is entered here, as compilations are.

It also waits for imports. A module that another thread was importing is locked in the child: who
imports it there waits for ever. lazyarr imports most of its modules where they are first used, in
whichever thread that is. So a fork waits until no thread imports one of these, or of the packages
that they import. Of other packages nobody knows how long their imports take: a whole program may
run in one. Nor does a fork wait for long: an import may wait for the thread that forks, for example
for the lock of :mod:`logging`, which Python takes before it forks. No lock of imports is taken for
the same reason: an import that begins between this and the fork is one that the child waits for.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from importlib import _bootstrap
from threading import Lock, get_ident
from typing import Any

from lazyarr.core import tuning
from lazyarr.core.frozen import dataclass

__all__ = ["at_fork"]

_PACKAGES = sys.stdlib_module_names | frozenset(
    "cuda lazyarr llvmlite ml_dtypes networkx numba numpy nvidia nvmath pycuda scipy threadpoolctl"
    .split()
)  # fmt: skip
_PATIENCE = tuning.OF_MACHINE.fork_seconds
#: References to the locks of modules by their names; a lock has an owner while one is imported.
_locks: dict[str, Any] = getattr(_bootstrap, "_module_locks", {})


@dataclass(frozen=True, eq=False, slots=True)
class _Hook:
    before: Callable[[], object]
    after_in_parent: Callable[[], object]
    after_in_child: Callable[[], object]


_hooks: list[_Hook] = []
#: Of the fork under way, what was called before it, the last one first. One thread forks at a time.
_entered: list[_Hook] = []
_forking = Lock()


def at_fork(
    before: Callable[[], object],
    after_in_parent: Callable[[], object],
    after_in_child: Callable[[], object],
) -> None:
    """Have functions called at each fork; those after it only where `before` was called.

    Another thread may import the module that calls this while a fork waits for it.

    Parameters
    ----------
    before : callable
        Waits for other threads. It is called before those that were entered earlier.
    after_in_parent, after_in_child : callable
        Let other threads go on.
    """
    _hooks.append(_Hook(before, after_in_parent, after_in_child))


def _before() -> None:
    _forking.acquire()
    end = time.monotonic() + _PATIENCE
    while True:
        hooks = tuple(_hooks)
        for hook in reversed(hooks):
            hook.before()
            _entered.append(hook)
        waits = _others_import() and time.monotonic() < end
        if len(_hooks) == len(hooks) and not waits:
            return
        while _entered:  # begin again: locks are taken in one order, and imports may need them
            _entered.pop().after_in_parent()
        time.sleep(0)


def _after_in_parent() -> None:
    while _entered:
        _entered.pop().after_in_parent()
    _forking.release()


def _after_in_child() -> None:
    while _entered:
        _entered.pop().after_in_child()
    _forking.release()


def _others_import() -> bool:
    """Return whether other threads import one of the packages, and cannot wait for this thread."""
    thread, waits = get_ident(), False
    for name, reference in tuple(_locks.items()):
        owner = getattr(reference(), "owner", None)
        if owner == thread:
            return False  # an import that forks: others may wait for its end
        waits |= owner is not None and name.partition(".")[0] in _PACKAGES
    return waits


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child
    )
