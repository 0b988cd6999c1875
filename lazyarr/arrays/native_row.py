"""The row of a function of NumPy's: the conditions under which it is called immediately."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr.core.frozen import dataclass

__all__ = ["Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """The conditions under which a function of NumPy's is called immediately.

    Attributes
    ----------
    function : callable
        NumPy's.
    rebuild : callable
        Builds the expression of the same arguments.
    bound : str
        One of `BOUNDS`.
    refused : frozenset of str
        Keywords that mean something else here, or write to an argument.
    places : int
        Arguments without a name, at most: the next one would be such a keyword.
    as_is : bool
        Whether numbers among the results stay what NumPy gave.
    creates : bool
        Whether it is also called of numbers alone.
    warns : bool
        Whether NumPy's Python code warns, of the line of its caller: then only the compiled form
        calls it, which has no line.
    writes : bool
        Whether it is a ufunc of one result, which the compiled form lets write to ``out=``.
    cheap : bool
        Whether the compiled form calls it of as many elements as cheap operations: its results are
        no larger than its arguments.
    fills : bool
        Whether it writes to its first argument and returns None, which the compiled form lets it.
    copies : bool
        Whether it computes nothing of the elements that it copies: then the compiled form calls it
        of as many elements as are written and selected at once.
    by_library : bool
        Whether no kernel computes it. The compiled form calls it of as many elements, and computes
        pending arguments for it: what is made of its results waits for nothing then.
    at_any_size : bool
        Whether that is so however large the arguments in memory are: nothing computes it sooner,
        and several evaluations of what is made of it would each call it anew.
    looks_up : bool
        Whether it looks values up in a table, of which a kernel looks up several side by side: the
        compiled form calls it of few.
    slowly_built : bool
        Whether Python builds its expression: then the compiled form calls it of more elements, if
        it is cheap.
    extends : bool
        Whether the compiled form computes a pending argument of one operation for it.
    moves : bool
        Whether it reads elements at other places than those of its result, or several times: then
        the compiled form computes a pending argument with a name for it, too.
    views : bool
        Whether its results are views of its first argument: the compiled form wraps an ndarray.
    quiet : bool
        Whether it meets no floating-point exceptions but in casts that are asked for: then the
        compiled form looks for none, and calls it of arrays without elements, too.
    owns : bool
        Whether its results never show the memory of its arguments, though some are index maps.
    copies_mask : bool
        Whether its expression has a copy of an ndarray of truth values that is the first argument.
    """

    function: Callable[..., Any]
    rebuild: Callable[..., Any]
    bound: str = "bounded"
    refused: frozenset[str] = frozenset()
    places: int = 8
    as_is: bool = False
    creates: bool = False
    warns: bool = False
    writes: bool = False
    cheap: bool = False
    fills: bool = False
    copies: bool = False
    by_library: bool = False
    at_any_size: bool = False
    looks_up: bool = False
    slowly_built: bool = False
    extends: bool = False
    moves: bool = False
    views: bool = False
    quiet: bool = False
    owns: bool = False
    copies_mask: bool = False

    @property
    def is_slowly_built(self) -> bool:
        """Whether the time in which Python builds the expression sets the size limit."""
        return self.cheap and self.slowly_built and not (self.copies or self.by_library)
