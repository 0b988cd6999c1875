"""The benchmark's cases: one row for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Arrays = tuple[Array, ...]


@dataclass(frozen=True)
class Case:
    """One computation.

    Attributes
    ----------
    name, formula : str
        What it is called and what it computes.
    make : callable
        ``make(random, size) -> arrays``: inputs of about `size` elements in all. Those of float64
        become arrays of the dtype measured, those of integers such of its size.
    compute : callable
        ``compute(xp, *arrays)`` with a NumPy-like namespace `xp`; one result.
    numexpr : str, optional
        The same in numexpr's language, if it has the words for it.
    names : str
        What `numexpr` and the generated sources call the arrays.
    static : callable, optional
        `compute` in the words of peers that need every shape when they compile.
    fixed_size : int, optional
        Size whatever ``--size`` says.
    dtypes : tuple of str
        Its own dtypes, whatever ``--dtype`` says.
    """

    name: str
    formula: str
    make: Callable[[np.random.Generator, int], Arrays]
    compute: Callable[..., Any]
    numexpr: str | None = None
    names: str = "abc"
    static: Callable[..., Any] | None = None
    fixed_size: int | None = None
    tags: frozenset[str] = field(default=frozenset())
    dtypes: tuple[str, ...] = ()

    def arrays(self, size: int, dtype: np.dtype[Any]) -> Arrays:
        """Return the inputs, the same ones each time."""
        random = np.random.default_rng(0)
        value = self.make(random, self.fixed_size or size)
        return tuple(
            np.ascontiguousarray(array, dtype=f"{array.dtype.kind}{dtype.itemsize}")
            for array in value
        )

    def expected(self, arrays: Arrays) -> Any:
        """Return the result that others are compared with: NumPy's."""
        return self.compute(np, *arrays)


def _three(random: np.random.Generator, n: int) -> Arrays:
    return random.random(n) + 0.5, random.random(n) + 0.5, random.random(n)


def _one(random: np.random.Generator, n: int) -> Arrays:
    return (random.random(n),)


def _square(random: np.random.Generator, n: int) -> Arrays:
    side = isqrt(n)
    return (random.random((side, side)),)


def _two_sets_of_rows(random: np.random.Generator, n: int) -> Arrays:
    return random.random((n // 20, 20)), random.random((n // 20, 20))


def _two_squares(random: np.random.Generator, n: int) -> Arrays:
    side = isqrt(n)
    return random.random((side, side)), random.random((side, side))


def _places(random: np.random.Generator, n: int) -> Arrays:
    return random.random(n), random.permutation(n)


def _whole_numbers(random: np.random.Generator, n: int) -> Arrays:
    return random.integers(0, 1000, n), random.integers(0, 1000, n)


def _two_point_sets(random: np.random.Generator, n: int) -> Arrays:
    count = max(2, 2000 * isqrt(n) // isqrt(10_000_000))
    return random.random((count, 16)), random.random((count, 16))


def _layer(random: np.random.Generator, n: int) -> Arrays:
    width = max(8, 4096 * n // 10_000_000)
    return (
        random.standard_normal((512, 784)) / 28,
        random.standard_normal((784, width)),
        random.standard_normal((512, 1)),
    )


def _options(random: np.random.Generator, n: int) -> Arrays:
    return random.uniform(50, 150, n), random.uniform(50, 150, n), random.uniform(0.1, 3, n)


def poly(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return 2 * a + 3 * b * c - a * b / (c + 1)


def trans(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return xp.sin(a) ** 2 + xp.cos(b) ** 2 + xp.exp(-c)


def ssq(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return xp.sum((a - b) ** 2 * c)


def softmax(xp: Any, a: Any) -> Any:
    raised = xp.exp(a - xp.max(a, axis=1, keepdims=True))
    return raised / xp.sum(raised, axis=1, keepdims=True)


def layernorm(xp: Any, a: Any) -> Any:
    centred = a - xp.mean(a, axis=1, keepdims=True)
    return centred / xp.sqrt(xp.mean(centred**2, axis=1, keepdims=True) + 1e-5)


def gauss(xp: Any, a: Any, b: Any) -> Any:
    return xp.exp(-xp.sum((a - b) ** 2, axis=1))


def stencil(xp: Any, a: Any) -> Any:
    return 0.25 * (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])


def var0(xp: Any, a: Any) -> Any:
    return xp.var(a, axis=0)


def standardise(xp: Any, a: Any) -> Any:
    return (a - xp.mean(a, axis=0)) / xp.std(a, axis=0)


def _normal_cdf(xp: Any, x: Any) -> Any:
    """Abramowitz and Stegun, formula 26.2.17."""
    t = 1.0 / (1.0 + 0.2316419 * xp.abs(x))
    series = t * (
        0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
    )
    tail = 0.3989422804014327 * xp.exp(-0.5 * x * x) * series
    return xp.where(x >= 0, 1.0 - tail, tail)


def black_scholes(xp: Any, a: Any, b: Any, c: Any) -> Any:
    spread = 0.3 * xp.sqrt(c)
    d1 = (xp.log(a / b) + 0.065 * c) / spread
    return a * _normal_cdf(xp, d1) - b * xp.exp(-0.02 * c) * _normal_cdf(xp, d1 - spread)


def _black_scholes_text() -> str:
    d1 = "((log(a / b) + 0.065 * c) / (0.3 * sqrt(c)))"
    return f"a * {_cdf_text(d1)} - b * exp(-0.02 * c) * {_cdf_text(f'({d1} - 0.3 * sqrt(c))')}"


def _cdf_text(x: str) -> str:
    t = f"(1.0 / (1.0 + 0.2316419 * abs{x}))"
    series = (
        f"{t} * (0.319381530 + {t} * (-0.356563782 + {t} * (1.781477937"
        f" + {t} * (-1.821255978 + {t} * 1.330274429))))"
    )
    tail = f"(0.3989422804014327 * exp(-0.5 * {x} * {x}) * {series})"
    return f"where({x} >= 0, 1.0 - {tail}, {tail})"


LOGISTIC_STEPS = 20


def logistic(xp: Any, a: Any) -> Any:
    def step(i: Any, a: Any) -> Any:
        return 3.7 * a * (1 - a)

    if hasattr(xp, "fori_loop"):
        return xp.fori_loop(LOGISTIC_STEPS, step, a)
    # Other libraries do better with the steps written out than with a loop of their own.
    for i in range(LOGISTIC_STEPS):
        a = step(i, a)
    return a


def pairwise(xp: Any, a: Any, b: Any) -> Any:
    return xp.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)


def masked_sum(xp: Any, a: Any) -> Any:
    return a[a > 0.3].sum()


def _masked_sum_static(xp: Any, a: Any) -> Any:
    return xp.sum(xp.where(a > 0.3, a, 0 * a))


def sigmoid_layer(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return 1 / (1 + xp.exp(-(a @ b + c)))


def small(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return xp.exp(-((a - b) ** 2) * c) + 2 * a * b - 3 * c / (a + 1)


def strided(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return 2 * a[::2] + b[::2] * c[1::2]


def transposed(xp: Any, a: Any, b: Any) -> Any:
    return 2 * a.T + b


def gather(xp: Any, a: Any, i: Any) -> Any:
    return 2 * a[i] + 1


def integers(xp: Any, a: Any, b: Any) -> Any:
    return xp.where((a & 7) > (b & 7), 3 * a - b, a ^ (b << 1))


def logical(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return ((a > 1) & (b < 1)) | ~(c > 0.5)


_SMALL_TEXT = "exp(-(a - b)**2 * c) + 2 * a * b - 3 * c / (a + 1)"

_ROWS = [
    Case(
        "poly",
        "2*a + 3*b*c - a*b/(c+1)",
        _three,
        poly,
        "2*a + 3*b*c - a*b/(c+1)",
    ),
    Case(
        "trans",
        "sin(a)**2 + cos(b)**2 + exp(-c)",
        _three,
        trans,
        "sin(a)**2 + cos(b)**2 + exp(-c)",
    ),
    Case("ssq", "sum((a-b)**2 * c)", _three, ssq, "sum((a-b)**2 * c)"),
    Case("softmax", "softmax over the last axis, 3162 × 3162", _square, softmax),
    Case("layernorm", "layer norm over the last axis, 3162 × 3162", _square, layernorm),
    Case("gauss", "exp(-sum((A-B)**2, axis=1)), 500,000 × 20", _two_sets_of_rows, gauss),
    Case("stencil", "mean of the four neighbours, 3162 × 3162", _square, stencil),
    Case("var0", "var(A, axis=0), 3162 × 3162", _square, var0),
    Case("standardise", "(A - mean) / std along axis 0, 3162 × 3162", _square, standardise),
    Case(
        "black_scholes",
        "price of a call",
        _options,
        black_scholes,
        _black_scholes_text(),
    ),
    # numexpr has no local names, and the text of the whole map doubles with each step.
    Case("logistic", f"{LOGISTIC_STEPS} steps of 3.7*x*(1-x)", _one, logistic),
    Case(
        "pairwise",
        "squared distances of all pairs, 2000 × 2000 × 16",
        _two_point_sets,
        pairwise,
    ),
    Case(
        "masked_sum",
        "x[x > 0.3].sum()",
        _one,
        masked_sum,
        "sum(where(a > 0.3, a, 0 * a))",
        static=_masked_sum_static,
    ),
    Case(
        "sigmoid_layer",
        "sigmoid(W @ V + b), 512 × 784 by 784 × 4096",
        _layer,
        sigmoid_layer,
    ),
    Case("strided", "2*a[::2] + b[::2]*c[1::2]", _three, strided),
    Case("transposed", "2*A.T + B, 3162 × 3162", _two_squares, transposed),
    Case("gather", "2*a[i] + 1, i a random permutation", _places, gather),
    Case(
        "integers",
        "where((a & 7) > (b & 7), 3*a - b, a ^ (b << 1))",
        _whole_numbers,
        integers,
        "where((a & 7) > (b & 7), 3*a - b, a ^ (b << 1))",
        dtypes=("int64", "int32", "int16"),
    ),
    Case(
        "logical",
        "(a > 1) & (b < 1) | ~(c > 0.5)",
        _three,
        logical,
        "((a > 1) & (b < 1)) | ~(c > 0.5)",
    ),
    Case(
        "half",
        "2*a + 3*b*c - a*b/(c+1)",
        _three,
        poly,
        dtypes=("float16",),
    ),
    *(
        Case(
            f"small_{n}",
            f"{_SMALL_TEXT}, {n:,} element{'s' * (n > 1)}, built and evaluated",
            _three,
            small,
            _SMALL_TEXT,
            fixed_size=n,
            tags=frozenset({"small"}),
        )
        for n in (1, 1_000, 10_000, 100_000)
    ),
]

CASES: dict[str, Case] = {case.name: case for case in _ROWS}


def find_case(name: str) -> Case:
    """Return a case by its name, or a random member of a family by ``family:seed:largest``."""
    if ":" not in name:
        return CASES[name]
    from benchmarks.families.catalogue import member

    return member(name)
