"""Sources of draws: a key and a counter, or their placeholders while code is traced."""

from __future__ import annotations

import functools
import os
import threading
from typing import Any, cast

import numpy as np

from lazyarr.arrays.fields import COMPILED
from lazyarr.builders.build import constant
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, TracingError
from lazyarr.graph.node import Node
from lazyarr.tracing import Number, Symbol, Trace, scope

__all__ = [
    "ArgumentStream",
    "Stream",
    "SymbolSeededStream",
    "UnseededStream",
    "refused",
    "stream_of",
]

UINT64 = np.dtype(np.uint64)
SPAN = 2**64

#: Locked while a draw is counted, and while seeds are spawned.
_lock = threading.Lock()


def _renew_lock() -> None:
    # The lock may be held by a thread that the child of a fork does not have.
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


class PythonNumbers:
    """The draws of one generator: a key, and numbers that count on.

    Parameters
    ----------
    key : int
        The key.
    first : int
        The number of the first draw.
    """

    def __init__(self, key: int, first: int) -> None:
        self._key = key
        self._next = first

    def take(self, count: int) -> tuple[int, int]:
        """Take the next draws; return the number of the first, and the key."""
        with _lock:
            number = self._next
            self._next = (number + count) % SPAN
        return number, self._key

    def take_if(self, number: int) -> bool:
        """Take the next draw if it has this number; return whether it has."""
        with _lock:
            is_next = self._next == number
            self._next = (number + is_next) % SPAN if is_next else self._next
        return is_next

    def state(self) -> tuple[int, int]:
        """Return the key, and the number of the next draw."""
        return self._key, self._next


#: The compiled form draws itself, too.
Numbers: Any = PythonNumbers if COMPILED is None else COMPILED.Numbers


class Stream:
    """The source of the draws of one generator.

    Parameters
    ----------
    seed : numpy.random.SeedSequence
        Gives the key and the number of the first draw.

    Attributes
    ----------
    numbers : Numbers
        Key and numbers of the draws.
    """

    def __init__(self, seed: np.random.SeedSequence) -> None:
        key, first = seed.generate_state(2, np.uint64)
        self.scope = scope()
        self._seed = seed
        self.numbers = Numbers(int(key), int(first))

    def __getstate__(self) -> dict[str, Any]:
        if scope() is not self.scope:
            raise refused("copied or pickled", "copy it outside")
        state = {**vars(self), "scope": None}
        if "numbers" in state:
            state["numbers"] = self.numbers.state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        numbers = state.pop("numbers", None)
        vars(self).update(state)
        if numbers is not None:
            self.numbers = Numbers(*numbers)

    def draw(self, count: int = 1) -> tuple[Node, Node]:
        """Return number and key of the next draw, or of the first of several, as scalar nodes."""
        here = scope()
        return self.constants(count) if here is None else here.draw(self, count)

    def take(self, count: int) -> tuple[int, int]:
        """Take the next draws; return the number of the first, and the key."""
        taken: tuple[int, int] = self.numbers.take(count)
        return taken

    def constants(self, count: int) -> tuple[Node, Node]:
        """Take the next draws; return number and key as nodes that are the same at each run."""
        number, key = self.take(count)
        return constant(np.uint64(number), UINT64), constant(np.uint64(key), UINT64)

    def spawn(self, count: int) -> list[np.random.SeedSequence]:
        """Return seeds of independent streams."""
        if scope() is not self.scope:
            raise refused("spawned from", "spawn outside, and pass the generators as arguments")
        with _lock:
            if not hasattr(self._seed, "spawn"):
                raise TypeError("The underlying SeedSequence does not implement spawning.")
            return self._seed.spawn(count)


class _UnknownStream(Stream):
    """A stream whose key and counter are not known while code is traced."""

    def __init__(self) -> None:
        self.scope = None

    def __getstate__(self) -> dict[str, Any]:
        raise refused("copied or pickled", "copy it outside")

    def take(self, count: int) -> tuple[int, int]:
        """Refuse: the trace that this stands for knows no draws."""
        raise TracingError(
            "a generator of a function traced by lazyarr.jit is used outside of its call",
            origin=origin(),
            hint="pass every generator that the function needs as an argument",
        )

    def spawn(self, count: int) -> list[np.random.SeedSequence]:
        """Refuse: the seed is not known."""
        raise refused("spawned from", "spawn outside, and pass the generators as arguments")


class ArgumentStream(_UnknownStream):
    """The stream of a generator among the arguments of a traced function.

    Attributes
    ----------
    position : int
        Which of the generators it is.
    """

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position


class UnseededStream(_UnknownStream):
    """The stream of a generator that a traced function makes without a seed."""

    def take(self, count: int) -> tuple[int, int]:
        """Return draws under a key that comes from the system, another one each time."""
        key, first = np.random.SeedSequence().generate_state(2, np.uint64)
        return int(first), int(key)


class SymbolSeededStream(_UnknownStream):
    """The stream of a generator whose seed is a number among a traced function's arguments.

    Parameters
    ----------
    seed : Symbol
        The number.
    """

    def __init__(self, seed: Symbol) -> None:
        super().__init__()
        self.scope = scope()
        self._seed_number = seed
        self._key_number = seed.apply(lambda seed: _state(seed)[0])
        self._drawn = 0

    def constants(self, count: int) -> tuple[Node, Node]:
        """Take the next draws; return number and key as nodes that the seed alone decides."""
        drawn = self._drawn
        self._drawn += count
        number = self._seed_number.apply(lambda seed: (_state(seed)[1] + drawn) % SPAN)
        return constant(number, UINT64), constant(self._key_number, UINT64)


@functools.lru_cache(64)
def _state(seed: Number) -> tuple[int, int]:
    """Return the key and the first number of a seed."""
    key, first = np.random.SeedSequence(cast("int", seed)).generate_state(2, np.uint64)
    return int(key), int(first)


def _entropy_of(seed: Any) -> Any:
    """Return a seed for NumPy: other arrays as ndarrays or numbers, all else as it is.

    NumPy reads elements of elements without end, until the process crashes: those of matrices, as
    their rows are matrices, and those of a list within itself, which is a RecursionError here.
    """
    if isinstance(seed, (list, tuple)):
        return [_entropy_of(item) for item in seed]
    if not hasattr(seed, "__array__") or isinstance(seed, np.generic) or type(seed) is np.ndarray:
        return seed
    return np.asarray(seed)[()]


def stream_of(seed: Any) -> Stream:
    """Return the stream of a seed.

    Raises
    ------
    ArgumentError
        If it is none.
    """
    here = scope()
    if here is not None and seed is None:
        if isinstance(here, Trace):
            return UnseededStream()
        raise ArgumentError(
            "a generator without a seed cannot be created in the body of a loop",
            origin=origin(),
            hint="create it before the loop; each iteration then draws new numbers",
        )
    if isinstance(seed, np.random.bit_generator.ISeedSequence):
        return Stream(cast("np.random.SeedSequence", seed))
    try:
        if type(seed) is Symbol and seed.kind is int:
            return SymbolSeededStream(seed)
        return Stream(np.random.SeedSequence(_entropy_of(seed)))
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(
            f"{error}: {seed!r} is not a seed",
            origin=origin(),
            hint="pass a non-negative integer, a sequence of them, or None",
        ) from None


def refused(what: str, hint: str) -> TracingError:
    """Return the error for an unsupported operation on a generator from outside of traced code.

    Parameters
    ----------
    what : str
        What is done, as a participle.
    hint : str
        What to do instead.
    """
    return TracingError(
        f"a generator from outside cannot be {what} in a traced function or loop body",
        origin=origin(),
        hint=hint,
    )
