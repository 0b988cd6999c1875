"""Static arguments of jitted functions: by position and by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError

__all__ = ["static_arguments"]


def static_arguments(
    function: Callable[..., Any],
    static_argnums: int | Iterable[int],
    static_argnames: str | Iterable[str],
) -> tuple[frozenset[int], frozenset[str]]:
    """Return the positions and the names of static arguments: each has both, if it can.

    Parameters
    ----------
    function : callable
        Whose arguments they are.
    static_argnums, static_argnames
        As of :func:`lazyarr.jit`.
    """
    numbers = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    if not numbers and not names:
        return frozenset(), frozenset()
    parameters = list(inspect.signature(function).parameters.values())
    by_position = [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    any_position = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    any_name = any(p.kind is p.VAR_KEYWORD for p in parameters)
    known = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
    positions: set[int] = set()
    for number in numbers:
        at = number + len(by_position) if number < 0 else number
        if at < 0 or (at >= len(by_position) and not any_position):
            raise ArgumentError(
                f"static_argnums has {number}, but the function takes {len(by_position)} "
                "positional arguments",
                origin=origin(),
            )
        positions.add(at)
    for name in names:
        if name not in known and not any_name:
            raise ArgumentError(
                f"static_argnames has {name!r}, which the function does not take", origin=origin()
            )
        if name in by_position:
            positions.add(by_position.index(name))
    named = {by_position[at] for at in positions if at < len(by_position)}
    return frozenset(positions), frozenset({*names, *named})
