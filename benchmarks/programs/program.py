"""A program of the benchmark: its code, sizes and inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Arrays = tuple[Array, ...]

#: Elements of the main array at each size.
SIZES = {"small": 4_096, "middle": 100_000, "large": 1_000_000}


@dataclass(frozen=True)
class Program:
    """A program as people write it for NumPy.

    Attributes
    ----------
    name, description : str
        What it is called and what it computes.
    inputs : callable
        ``inputs(random, elements) -> arrays``: its inputs, the main one of about that many
        elements.
    run : callable
        ``run(xp, *arrays)`` with `xp` the NumPy namespace or one like it; returns an array, a
        number, or a tuple of them.
    functional : callable, optional
        The same without writes and without branches on values, for libraries that trace.
    tolerance : float
        Largest difference from NumPy's result, relative to its largest element.
    most : int, optional
        Elements at most, where a program takes NumPy seconds at a larger size.
    """

    name: str
    description: str
    inputs: Callable[[np.random.Generator, int], Arrays]
    run: Callable[..., Any]
    functional: Callable[..., Any] | None = None
    tolerance: float = 1e-9
    most: int | None = None

    def arrays(self, elements: int) -> Arrays:
        """Return the inputs, the same ones each time."""
        return self.inputs(np.random.default_rng(7), min(elements, self.most or elements))


def side_of(elements: int, dimensions: int) -> int:
    """Return the side of a cube of about that many elements."""
    return max(4, round(elements ** (1 / dimensions)))
