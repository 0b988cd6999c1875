"""Arguments of jitted functions that are named by position or by name: static and donated ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.random import Generator
from lazyarr.tracing.pytree import Structure, Unknown, flatten, is_array, static

__all__ = ["arguments_named", "is_argument", "structure_of"]


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
                f"{keywords[1]} has {name!r}, which is not a parameter of the function",
                origin=origin(),
            )
        if name in by_position:
            chosen.add(by_position.index(name))
    named = {by_position[at] for at in chosen if at < len(by_position)}
    return frozenset(chosen), frozenset({*names, *named})


def is_argument(value: Any) -> bool:
    """Return whether something is an argument that a trace is made for: no container."""
    return is_array(value) or type(value) is Generator


def structure_of(
    value: Any, is_static: bool, where: tuple[str, str], leaves: list[Any]
) -> Structure:
    """Return the structure of an argument, and append its leaves to a list.

    Parameters
    ----------
    value : object
        The argument.
    is_static : bool
        Whether it is part of the structure whatever it is.
    where : (str, str)
        The function, and the argument's place, for errors.
    leaves : list
        Gets the leaves.
    """
    called, name = where
    if is_static:
        try:
            return static(value)
        except TypeError:
            raise ArgumentError(
                f"static argument {name} of {called} is not hashable: "
                f"its type is {type(value).__name__}",
                origin=origin(),
                hint="pass a tuple instead of a list, or do not make the argument static",
            ) from None
    try:
        return flatten(value, is_argument, leaves)
    except Unknown as error:
        raise ArgumentError(
            f"argument {name} of {called} is or contains an object of type {error}, which is "
            "not an array, a number or a container",
            origin=origin(),
            hint="name it in static_argnames if it never changes, make its class a "
            "dataclass, or pass the arrays that it contains",
        ) from None
