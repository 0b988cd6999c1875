"""The type of a library call that is compared with NumPy, and its random arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """One call. `exact` results are compared as they are, others by what they stand for."""

    name: str
    function: Callable[..., Any]
    arrays: Callable[[np.random.Generator, str], tuple[Any, ...]]
    dtypes: tuple[str, ...] = ("f4", "f8", "c8", "c16")
    #: From results to what does not depend on signs and phases.
    invariant: Callable[..., Any] | None = None

    def __str__(self) -> str:
        return self.name


def draw(rng: np.random.Generator, dtype: str, *shape: int) -> Any:
    value = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        value = value + 1j * rng.standard_normal(shape)
    return value.astype(dtype)


def shapes(*expected: tuple[int, ...]) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    return lambda rng, dtype: tuple(draw(rng, dtype, *shape) for shape in expected)


def positive(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        x = draw(rng, dtype, *shape)
        return (x @ np.conj(np.swapaxes(x, -1, -2)) + shape[-1] * np.eye(shape[-1], dtype=dtype),)

    return make


def hermitian(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        x = draw(rng, dtype, *shape)
        return (x + np.conj(np.swapaxes(x, -1, -2)),)

    return make
