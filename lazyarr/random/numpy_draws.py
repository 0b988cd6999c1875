"""Draws with NumPy's numbers: one of NumPy's generators makes them on the host when it is called.

Each takes as many words of the generator's bits as it happens to need, so that draws have an order
and cannot wait for an evaluation. Code that runs once for many times (a jitted function, the body
of a loop) cannot draw so: there a draw is one of lazyarr's, under a key of the generator's words.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.numpy_api.library_calls import compute_now
from lazyarr.random.counters import SPAN, UINT64, Stream, refused
from lazyarr.random.early_draws import early_method, install
from lazyarr.tracing import scope

__all__ = ["NumpyGenerator", "NumpyStream", "host_methods"]

NumpyGenerator = np.random.Generator | np.random.RandomState

_REASON = "each draw begins where the one before ended"
#: Methods that draw nothing.
_OTHERS = frozenset(("get_state", "seed", "set_state", "spawn"))
#: By function, the place of ``out=`` among its arguments.
_OUTPUTS = {
    **dict.fromkeys(("random", "standard_normal"), 2),
    **dict.fromkeys(("standard_exponential", "standard_gamma"), 3),
}


class NumpyStream(Stream):
    """Keys and numbers of lazyarr's draws, which are words of one of NumPy's generators.

    Parameters
    ----------
    source : numpy.random.Generator or numpy.random.RandomState
        Goes on by two words with each take.
    """

    def __init__(self, source: NumpyGenerator) -> None:
        self.scope = scope()
        self.source = source

    def take(self, count: int) -> tuple[int, int]:
        """Take the next draws; return the number of the first, and the key."""
        is_new = isinstance(self.source, np.random.Generator)
        integers = getattr(self.source, "integers" if is_new else "randint")
        number, key = integers(0, SPAN, 2, dtype=UINT64)
        return int(number), int(key)

    def spawn(self, count: int) -> list[Any]:
        """Return NumPy's generators that are independent of this one."""
        if scope() is not self.scope:
            raise refused("spawned from", "spawn outside, and pass the generators as arguments")
        return list(self.source.spawn(count))  # type: ignore[union-attr]


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, np.number, np.bool_))


def _shuffle(source: NumpyGenerator, x: LazyArray, *args: Any, **keywords: Any) -> None:
    values = x.compute().copy()
    source.shuffle(values, *args, **keywords)
    x[...] = values


def _like(out: LazyArray) -> np.ndarray[Any, Any]:
    """Return memory of the layout of an array; NumPy refuses to draw to some."""
    flags = out.flags
    if flags.forc:
        like = np.empty(out.shape, out.dtype, order="F" if flags.fnc else "C")
    else:
        like = np.empty((*out.shape, 2), out.dtype)[..., 0]
    like.flags.writeable = flags.writeable
    return like


def _fill(draw: Callable[..., Any], out: LazyArray, args: Any, keywords: Any) -> LazyArray:
    buffer = _like(out)

    @functools.wraps(draw)
    def call(*args: Any, **keywords: Any) -> Any:
        return draw(*args, **keywords, out=buffer)

    others = {name: value for name, value in keywords.items() if name != "out"}
    compute_now(call, args, others, _REASON)
    out[...] = buffer
    return out


def _draw(source: NumpyGenerator, lazy: Any, name: str, *args: Any, **keywords: Any) -> Any:
    """Return a draw of NumPy's generator; inside code that is traced, one of `lazy`."""
    if scope() is not None:
        return getattr(lazy, name)(*args, **keywords)
    if name == "shuffle" and "x" in keywords and not args:
        args, keywords = (keywords["x"],), {k: v for k, v in keywords.items() if k != "x"}
    if name == "shuffle" and args and isinstance(args[0], LazyArray):
        return _shuffle(source, *args, **keywords)
    draw = getattr(source, name)
    place = _OUTPUTS.get(name)
    if place is not None and len(args) == place + 1:
        args, keywords = args[:place], {**keywords, "out": args[place]}
    out = keywords.get("out")
    if isinstance(out, LazyArray):
        return _fill(draw, out, args, keywords)
    if out is not None or name == "shuffle":
        return draw(*args, **keywords)
    drawn = compute_now(draw, args, keywords, _REASON)
    return as_lazy(drawn) if _is_number(drawn) else drawn


def _finished(draw: Callable[..., Any], drawn: Any) -> Any:
    """Return the draws of NumPy's function as arrays."""

    @functools.wraps(draw)
    def value() -> Any:
        return drawn

    return as_lazy(drawn) if _is_number(drawn) else compute_now(value, (), {}, _REASON)


install(_finished)


def host_methods(
    source: NumpyGenerator, lazy: Any, names: Iterable[str] | None = None
) -> dict[str, Callable[..., Any]]:
    """Return functions by name that draw from a generator of NumPy's.

    Parameters
    ----------
    source : numpy.random.Generator or numpy.random.RandomState
        Makes the draws.
    lazy : object
        Has functions of the same names, for code that is traced.
    names : iterable of str, optional
        Of methods; default: all. Those that draw nothing are left out.
    """
    if names is None:
        names = (name for name in dir(type(source)) if not name.startswith("_"))
    return {
        name: _method(source, lazy, name)
        for name in names
        if name not in _OTHERS and callable(getattr(type(source), name))
    }


def _method(source: NumpyGenerator, lazy: Any, name: str) -> Callable[..., Any]:
    @functools.wraps(getattr(type(source), name))
    def call(source: NumpyGenerator, *args: Any, **keywords: Any) -> Any:
        return _draw(source, lazy, name, *args, **keywords)

    # A bound method is one also as the attribute of a class.
    return early_method(types.MethodType(call, source), getattr(source, name), name)
