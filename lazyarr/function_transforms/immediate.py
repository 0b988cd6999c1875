"""Running a program call by call, as NumPy does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from lazyarr.arrays.aliasing import owner_of
from lazyarr.arrays.evaluation import persist
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.ops.markers import stays_expression
from lazyarr.tracing import Scope, Trace, UnknownNumber, current, inside, scope, tracing

__all__ = ["eager"]


class _CallByCall(Trace):
    """Computes the results of each call of a function of lazyarr before the call returns."""

    def __init__(self) -> None:
        super().__init__()
        # Values are known, so that looking at sizes is nothing to note.
        self.is_sized = True
        self.computes_calls = True

    def call(
        self, function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Call a function, and compute the arrays that it returns or has written to."""
        self.is_busy = True
        try:
            result = function(*args, **keywords)
            _compute((result, args))
        finally:
            self.is_busy = False
        return result

    def owns(self, array: object) -> bool:
        """Return False: no array stands for an argument."""
        return False

    def pin(self, symbol: UnknownNumber) -> None:
        """Do nothing: numbers have their values."""


def _arrays(value: Any) -> Iterator[LazyArray]:
    if type(value) is LazyArray:
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)


def _compute(value: Any) -> None:
    """Let arrays stand for their values in memory."""
    for array in _arrays(value):
        # A view computes nothing: what it shows is computed, with all that was written to it.
        owner = cast("LazyArray", owner_of(array))
        # A value in memory depends on nothing: the derivative would be lost.
        if owner._node.src and not stays_expression((owner._node,)):
            owner._node = persist(owner)._node


@contextmanager
def eager() -> Iterator[None]:
    """Compute each call inside a ``with`` block when it is made, in this thread.

    Errors and warnings that depend on values then come where NumPy has them: a ``LinAlgError`` at
    the call of ``linalg.solve``, a RuntimeWarning at the division. This is for programs that catch
    them around a call; nothing fuses from one call to the next.

    Inside a function given to :func:`lazyarr.jit` it has no effect, and what depends on the
    arguments that a function is differentiated by is computed with the derivative.

    Examples
    --------
    >>> import lazyarr as la
    >>> singular = la.zeros((2, 2))
    >>> with la.eager():
    ...     try:
    ...         inverse = la.linalg.inv(singular)
    ...     except la.linalg.LinAlgError:
    ...         inverse = la.linalg.pinv(singular)
    >>> inverse.tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    if current() is not None:
        yield
        return
    outside = scope()
    # Generators belong to the scope outside: their draws are the program's own.
    with tracing(_CallByCall()), inside(cast("Scope", outside)):
        yield
