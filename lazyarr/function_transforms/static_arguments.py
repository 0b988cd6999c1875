"""Arguments of jitted functions that are named by position or by name: static and donated ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError

__all__ = ["arguments_named"]


def arguments_named(
    function: Callable[..., Any],
    positions: int | Iterable[int],
    names: str | Iterable[str],
    keywords: tuple[str, str] = ("static_argnums", "static_argnames"),
) -> tuple[frozenset[int], frozenset[str]]:
    """Return the positions and the names of some arguments: each has both, if it can.

    Parameters
    ----------
    function : callable
        Whose arguments they are.
    positions : int or iterable of int
        Of arguments that are passed by position; negative ones count from the end.
    names : str or iterable of str
        Of arguments that are passed by name.
    keywords : (str, str)
        The keywords of :func:`lazyarr.jit` that named them, for errors.

    Raises
    ------
    ArgumentError
        If the function has no such argument.
    """
    numbers = (positions,) if isinstance(positions, int) else tuple(positions)
    names = (names,) if isinstance(names, str) else tuple(names)
    if not numbers and not names:
        return frozenset(), frozenset()
    parameters = list(inspect.signature(function).parameters.values())
    by_position = [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    any_position = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    any_name = any(p.kind is p.VAR_KEYWORD for p in parameters)
    known = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
    chosen: set[int] = set()
    for number in numbers:
        at = number + len(by_position) if number < 0 else number
        if at < 0 or (at >= len(by_position) and not any_position):
            raise ArgumentError(
                f"{keywords[0]} has {number}, but the function takes {len(by_position)} "
                "positional arguments",
                origin=origin(),
            )
        chosen.add(at)
    for name in names:
        if name not in known and not any_name:
            raise ArgumentError(
                f"{keywords[1]} has {name!r}, which the function does not take", origin=origin()
            )
        if name in by_position:
            chosen.add(by_position.index(name))
    named = {by_position[at] for at in chosen if at < len(by_position)}
    return frozenset(chosen), frozenset({*names, *named})
