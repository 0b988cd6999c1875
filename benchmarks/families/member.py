"""A member of a family: one computation on inputs of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from benchmarks.cases import Arrays, Case
from benchmarks.families.numexpr_text import NAMES, numexpr_text

Shape = tuple[int, ...]

#: Dtypes that numexpr lacks, or computes as wider ones.
WITHOUT_NUMEXPR = frozenset({"float16", "int16", "complex64", "bool"})


@dataclass(frozen=True, kw_only=True)
class Member(Case):
    """A case whose inputs have shapes and dtypes of their own.

    Attributes
    ----------
    seed : int
        Of the member and of its inputs.
    flops : float
        Additions, multiplications and the like, a function counted as one, of all elements.
    """

    seed: int
    flops: float = 0.0

    def arrays(self, size: int, dtype: np.dtype[Any]) -> Arrays:
        """Return the inputs, the same ones each time."""
        return self.make(np.random.default_rng(self.seed), size)


def uniform(shapes: Sequence[Shape], dtype: str) -> Callable[[np.random.Generator, int], Arrays]:
    """Return the function that makes inputs between 0.5 and 1.5.

    Parameters
    ----------
    shapes : sequence of tuple of int
        Of the inputs.
    dtype : str
        Of all of them.
    """
    return lambda random, size: tuple((random.random(s) + 0.5).astype(dtype) for s in shapes)


def listed(shapes: Sequence[Shape]) -> str:
    """Return the text of shapes, such as ``3×4, 4``."""
    return ", ".join("×".join(map(str, shape)) or "()" for shape in shapes)


class Choice:
    """The random choices of one member, drawn from one seed.

    Parameters
    ----------
    seed : int
        Of the random numbers.
    largest : int
        Elements of the largest operand at most.
    """

    def __init__(self, seed: int, largest: int) -> None:
        self.seed = seed
        self.largest = largest
        self.random = np.random.default_rng([seed, 7])

    def one(self, *values: Any) -> Any:
        """Return one of some values."""
        return values[int(self.random.integers(len(values)))]

    def between(self, low: int, high: int) -> int:
        """Return a whole number of an interval, both ends included."""
        return int(self.random.integers(low, high + 1))

    def real(self, low: float, high: float) -> float:
        """Return a number of two digits of an interval."""
        return round(float(self.random.uniform(low, high)), 2)

    def size(self, low: float = 1e3, high: float | None = None) -> int:
        """Return a number of elements: its logarithm is uniform, odd and even alike."""
        most = min(self.largest, high or self.largest)
        return int(np.exp(self.random.uniform(np.log(low), np.log(max(low + 1, most)))))

    def dtype(self) -> str:
        """Return the name of a floating-point dtype."""
        return str(self.one("float64", "float32"))

    def shape(self, rank: int, size: int) -> Shape:
        """Return a shape of about `size` elements, its lengths as unlike as chance has it."""
        shares = self.random.dirichlet(np.full(rank, 1.5))
        lengths = [max(2, round(size**share)) for share in shares]
        return tuple(lengths)

    def axes(self, rank: int) -> tuple[int, ...]:
        """Return some of the axes of an array, at least one."""
        count = self.between(1, rank)
        return tuple(sorted(int(k) for k in self.random.permutation(rank)[:count]))

    def member(
        self,
        family: str,
        formula: str,
        shapes: list[Shape],
        dtype: str,
        compute: Callable[..., Any],
        *,
        flops: float = 1.0,
        make: Callable[[np.random.Generator, int], Arrays] | None = None,
    ) -> Member:
        """Return the member.

        Parameters
        ----------
        family, formula : str
            What it is called and what it computes.
        shapes : list of tuple of int
            Of its inputs, which are uniform in [0.5, 1.5).
        dtype : str
            Of its inputs.
        compute : callable
            ``compute(xp, *arrays)``.
        flops : float
            For each element of the largest input.
        make : callable, optional
            Returns other inputs.
        """
        return Member(
            name=f"{family}:{self.seed}:{self.largest}",
            formula=f"{formula}; {listed(shapes)} {dtype}",
            make=make or uniform(shapes, dtype),
            compute=compute,
            numexpr=None if dtype in WITHOUT_NUMEXPR else numexpr_text(compute, len(shapes)),
            names=NAMES,
            dtypes=(dtype,),
            seed=self.seed,
            flops=flops * max(prod(shape) for shape in shapes),
        )
