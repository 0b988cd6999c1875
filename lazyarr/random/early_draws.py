"""Draws of few numbers, which the compiled form computes when they are called for.

An expression of a few numbers takes longer to build, and to find the plan of, than the numbers take
to compute. They are those that the expression stands for, to the bit, but for the last bits of what
goes through a logarithm or a cosine, which differ from one processor to another anyway. In traced
code, where each run draws anew, all draws stay expressions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import limit
from lazyarr.core.shapes import Shape
from lazyarr.graph.node import Op
from lazyarr.ops.random import BITS, NORMAL, UNIFORM
from lazyarr.tracing import recorded, scope, thread_state

__all__ = [
    "drawn",
    "drawn_by_numpy",
    "drawn_early",
    "early_method",
    "install",
    "install_source",
    "is_early",
    "most_early",
]

F = TypeVar("F", bound=Callable[..., Any])

# As enumerated in c_source.
_DRAWS, _NUMPYS_DRAWS, _HOST_DRAWS = 6, 7, 8
_DISTRIBUTIONS = {
    name: number
    for number, name in enumerate(
        "random standard_normal standard_exponential normal uniform exponential integers "
        "permutation shuffle choice bits".split()
    )
}
_MOST = tuning.row().drawn_elements
_FLOAT64 = np.dtype(np.float64)
_BY_OP: dict[Op, int] = {
    BITS: _DISTRIBUTIONS["bits"],
    UNIFORM[_FLOAT64]: _DISTRIBUTIONS["random"],
    NORMAL[_FLOAT64]: _DISTRIBUTIONS["standard_normal"],
}


def drawn_early(function: F) -> F:
    """Return a method of a generator whose draws of few numbers are computed when it is called.

    Parameters
    ----------
    function : callable
        The method of Python's form, of a name that the compiled form knows; traces note its calls.
    """
    method = recorded(function)
    if COMPILED is None:
        return method  # type: ignore[return-value]
    call = COMPILED.Call(_DRAWS, method, fits=_DISTRIBUTIONS[function.__name__])
    functools.update_wrapper(call, function)
    return call  # type: ignore[no-any-return]


def drawn_by_numpy(function: F) -> F:
    """Return a method whose draws of few numbers NumPy's function of its name makes at the call.

    Parameters
    ----------
    function : callable
        The method of Python's form; traces note its calls.
    """
    method = recorded(function)
    if COMPILED is None:
        return method  # type: ignore[return-value]
    name = function.__name__
    place = function.__code__.co_varnames.index("size") - 1
    call = COMPILED.Call(_HOST_DRAWS, method, name=name, fits=place)
    functools.update_wrapper(call, function)
    return call  # type: ignore[no-any-return]


def drawn(generator: Any, op: Op, shape: Shape) -> Any:
    """Return the next draw of a generator if it is of few numbers, else None.

    Parameters
    ----------
    generator : Generator
        Whose draw.
    op : Op
        The operation of the draw.
    shape : tuple of int
        Its shape.
    """
    distribution = _BY_OP.get(op)
    if COMPILED is None or distribution is None:
        return None
    return COMPILED.drawn(generator, distribution, shape)


def is_early(shape: Shape) -> bool:
    """Return whether a draw of a shape is computed when it is called for.

    Parameters
    ----------
    shape : tuple of int
        Of the draw.
    """
    most = most_early()
    return most > 0 and math.prod(shape) <= most


def most_early() -> int:
    """Return the size of the largest draw that is computed when it is called for, or 0."""
    most = min(limit(), _MOST)
    return most if COMPILED is not None and most > 0 and scope() is None else 0


def early_method(
    function: Callable[..., Any], theirs: Callable[..., Any], name: str
) -> Callable[..., Any]:
    """Return a function that calls a method of one of NumPy's generators where arguments are small.

    Parameters
    ----------
    function : callable
        What is called otherwise.
    theirs : callable
        NumPy's method.
    name : str
        Of it.
    """
    if COMPILED is None or name == "bytes":
        return function
    call = COMPILED.Function(_NUMPYS_DRAWS, function, theirs, fits=int(name == "shuffle"))
    named: Callable[..., Any] = functools.update_wrapper(call, function)
    return named


def install_source(source: object) -> None:
    """Enter the words of the draws of a thread, and NumPy's functions of them.

    Parameters
    ----------
    source : threading.local
        Its attributes are ``words`` and the functions, by their names.
    """
    if COMPILED is not None:
        COMPILED.install_source(source)


def install(finished: Callable[[Callable[..., Any], Any], Any]) -> None:
    """Enter the functions by which the compiled form draws.

    Parameters
    ----------
    finished : callable
        ``finished(function, value)``: the arrays of what a function of NumPy's has drawn.
    """
    if COMPILED is not None:
        COMPILED.install_draws(thread_state, finished, _MOST)
