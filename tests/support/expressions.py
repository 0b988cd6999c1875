"""Expressions that reach every kernel template, written once for lazyarr and for NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["EXPRESSIONS", "Expression", "costly_complex_rows", "costly_rows"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Expression:
    """A function of a namespace and arrays, and the shapes and dtypes of the arrays."""

    name: str
    function: Callable[..., Any]
    operands: tuple[tuple[tuple[int, ...], str], ...]
    exact: bool = False

    def arrays(self, seed: int = 0) -> list[Array]:
        """Return operands: positive floats, small integers, and some zeros among the bools."""
        rng = np.random.default_rng(seed)
        results: list[Array] = []
        for shape, dtype in self.operands:
            kind = np.dtype(dtype).kind
            if kind == "f":
                results.append((rng.random(shape) + 0.5).astype(dtype))
            elif kind == "c":
                results.append((rng.random(shape) - 0.5 + 1j * rng.random(shape)).astype(dtype))
            elif kind == "b":
                results.append(rng.random(shape) > 0.3)
            else:
                low = 0 if kind == "u" else -50
                results.append(rng.integers(low, 50, shape).astype(dtype))
        return results

    def __str__(self) -> str:
        return self.name


def _softmax(xp: Any, m: Any) -> Any:
    e = xp.exp(m - xp.max(m, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def _layernorm(xp: Any, m: Any) -> Any:
    mean = xp.mean(m, axis=-1, keepdims=True)
    variance = xp.mean((m - mean) ** 2, axis=-1, keepdims=True)
    return (m - mean) / xp.sqrt(variance + 1e-5)


def costly_rows(xp: Any, x: Any) -> Any:
    """Compute rows of which two costly values are kept from one pass to the next."""
    one, other = xp.exp(x), xp.sin(x * 3)
    low = xp.min(one * other, axis=-1, keepdims=True)
    return one / xp.sum(one, axis=-1, keepdims=True) + (other - low) / xp.sum(
        other * other, axis=-1, keepdims=True
    )


def costly_complex_rows(xp: Any, x: Any) -> Any:
    """Compute rows of complex numbers with long code."""
    z = xp.arcsin(xp.tanh(x))
    return z / xp.sqrt(xp.sum((z * z.conj()).real, axis=-1, keepdims=True))


def _standardise(xp: Any, m: Any) -> Any:
    return (m - xp.mean(m, axis=-1, keepdims=True)) / xp.std(m, axis=-1, keepdims=True)


def _stencil(xp: Any, m: Any) -> Any:
    return 0.25 * (m[1:-1, :-2] + m[1:-1, 2:] + m[:-2, 1:-1] + m[2:, 1:-1])


def _laplace(xp: Any, m: Any) -> Any:
    inner = m[1:-1, 1:-1, 1:-1]
    return m[2:, 1:-1, 1:-1] + m[:-2, 1:-1, 1:-1] + m[1:-1, 2:, 1:-1] - 3 * inner


def _normal_pair(xp: Any, m: Any) -> Any:
    return xp.mean(m), xp.var(m)


def _poly(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return 2 * a + 3 * b * c - a * b / (c + 1)


def _trans(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return xp.sin(a) ** 2 + xp.cos(b) ** 2 + xp.exp(-c)


def _three(shape: tuple[int, ...], dtype: str) -> tuple[tuple[tuple[int, ...], str], ...]:
    return ((shape, dtype),) * 3


def _turns(xp: Any, n: int, body: Callable[..., Any], state: Any) -> Any:
    if hasattr(xp, "fori_loop"):
        return xp.fori_loop(n, body, state)
    for i in range(n):
        state = body(i, state)
    return state


def _halved(xp: Any, x: Any) -> Any:
    """Return each element halved until it is below one."""
    if hasattr(xp, "while_loop"):
        return xp.while_loop(lambda v: v >= 1, lambda v: v * 0.5, x)
    while (x >= 1).any():
        x = np.where(x >= 1, x * 0.5, x)
    return x


def _step(x: Any) -> Any:
    return x * 2 if x > 0.9 else 0.5


def _stepped(xp: Any, x: Any) -> Any:
    if hasattr(xp, "fori_loop"):
        return xp.vectorize(_step)(x + 0.25) + 1
    return np.where(x + 0.25 > 0.9, (x + 0.25) * 2, 0.5) + 1


def _build() -> list[Expression]:
    created: list[Expression] = []

    def add(
        name: str,
        function: Callable[..., Any],
        *operands: tuple[tuple[int, ...], str],
        exact: bool = False,
    ) -> None:
        created.append(Expression(name, function, operands, exact))

    for dtype in ("f4", "f8", "f2"):
        add(f"poly-{dtype}", _poly, *_three((1000,), dtype), exact=True)
        add(f"poly-odd-{dtype}", _poly, *_three((1001,), dtype), exact=True)
        add(f"softmax-block-{dtype}", _softmax, ((3, 2048), dtype))
        add(f"softmax-warp-{dtype}", _softmax, ((13, 100), dtype))
        add(f"layernorm-{dtype}", _layernorm, ((5, 513), dtype))
        add(f"sum-{dtype}", lambda xp, x: xp.sum(x), ((5000,), dtype))
        add(f"stencil-{dtype}", _stencil, ((70, 131), dtype))
    for shape in ((3, 2048), (2, 2, 2051)):
        add(f"costly-rows-f8-{shape[-1]}", costly_rows, (shape, "f8"))
        add(f"costly-rows-c16-{shape[-1]}", costly_complex_rows, (shape, "c16"))
    for dtype in ("f4", "f8"):
        add(f"trans-{dtype}", _trans, *_three((777,), dtype))
        gauss = ((300, 20), dtype)
        add(
            f"gauss-{dtype}",
            lambda xp, x, y: xp.exp(-xp.sum((x - y) ** 2, axis=1)),
            gauss,
            gauss,
        )
        add(f"columns-{dtype}", lambda xp, m: xp.mean(m * m, axis=0), ((500, 96), dtype))
        add(f"columns-thin-{dtype}", lambda xp, m: xp.sum(m, axis=0), ((3000, 3), dtype))
        add(f"columns-var-{dtype}", lambda xp, m: xp.var(m, axis=0), ((700, 33), dtype))
        add(f"moments-{dtype}", _normal_pair, ((70_001,), dtype))
        add(f"standardise-{dtype}", _standardise, ((6, 900), dtype))
    add("stencil-wide", _stencil, ((35, 600), "f4"))
    add("filter-f4", lambda xp, x: x[2:] - 2 * x[1:-1] + x[:-2], ((2003,), "f4"), exact=True)
    add("laplace", _laplace, ((9, 11, 70), "f8"), exact=True)
    add("broadcast-row", lambda xp, m, r: m * r + 1, ((40, 256), "f4"), ((256,), "f4"), exact=True)
    add("broadcast-short", lambda xp, m, r: m * r + 1, ((90, 20), "f4"), ((20,), "f4"), exact=True)
    column = ((40, 1), "f4")
    add("broadcast-column", lambda xp, m, c: m / c, ((40, 256), "f4"), column, exact=True)
    add("transposed", lambda xp, m, n: m + n.T, ((33, 65), "f8"), ((65, 33), "f8"), exact=True)
    add("reversed", lambda xp, x: x[::-1] - x[::2].sum(), ((999,), "f8"))
    add("offset", lambda xp, x: x[1:] - x[:-1], ((2001,), "f4"), exact=True)
    add("strided", lambda xp, x: x[::3] * 2 + x[1::3], ((999,), "f4"), exact=True)
    add("many", lambda xp, x: (x + 1, x * 2, xp.sqrt(x)), ((513,), "f4"), exact=True)
    add("extremes", lambda xp, m: (m.min(), m.max(), m.sum()), ((70_000,), "f4"))
    add("argmax-rows", lambda xp, m: xp.argmax(m, axis=1), ((20, 300), "i4"), exact=True)
    add("argmin-all", lambda xp, m: xp.argmin(m), ((100_000,), "i2"), exact=True)
    add("argmax-columns", lambda xp, m: xp.argmax(m, axis=0), ((400, 50), "i1"), exact=True)
    add("any-rows", lambda xp, m: xp.any(m > 48, axis=1), ((64, 64), "i8"), exact=True)
    add("all", lambda xp, m: xp.all(m), ((9999,), "b1"), exact=True)
    add("count", lambda xp, m: xp.count_nonzero(m), ((99_999,), "b1"), exact=True)
    add(
        "integers",
        lambda xp, a, b: (a * b - 7) // 3 % 5,
        ((999,), "i4"),
        ((999,), "i4"),
        exact=True,
    )
    add("bytes", lambda xp, a, b: a * b + (a & b), ((1024,), "u1"), ((1024,), "u1"), exact=True)
    add("shorts", lambda xp, a, b: (a * b) >> 1, ((1030,), "u2"), ((1030,), "u2"), exact=True)
    add("sum-ints", lambda xp, m: xp.sum(m, axis=1), ((50, 70), "i2"), exact=True)
    add("prod-rows", lambda xp, m: xp.prod(m, axis=1), ((70, 7), "f8"))
    add(
        "where", lambda xp, a, b: xp.where(a > b, a, -b), ((600,), "f8"), ((600,), "f8"), exact=True
    )
    add(
        "iota",
        lambda xp, m: m * xp.arange(96) + xp.arange(30)[:, None],
        ((30, 96), "f8"),
        exact=True,
    )
    add("sum-middle", lambda xp, m: m.sum(axis=1), ((7, 40, 33), "f8"))
    add("sum-outer-inner", lambda xp, m: m.sum(axis=(0, 2)), ((7, 40, 33), "f8"))
    add("sum-two-inner", lambda xp, m: m[:, :, 1:].sum(axis=(1, 2)), ((9, 40, 33), "f8"))
    add("long-rows", lambda xp, m: xp.exp(m - m.max(axis=1, keepdims=True)), ((2, 70_000), "f4"))
    add("streamed", _softmax, ((4, 40_000), "f8"))
    add("few-long-rows", lambda xp, m: m.sum(axis=1) * 2, ((3, 90_000), "f8"))
    add("map-and-sum", lambda xp, x: (x * 2, (x * 2).sum()), ((66_000,), "f4"))
    add(
        "concatenate",
        lambda xp, a, b: xp.concatenate([a + 1, b * 2]),
        ((100,), "f8"),
        ((77,), "f8"),
    )
    add("cumulative", lambda xp, x: xp.cumsum(x) * 2, ((500,), "f8"))
    add("matmul", lambda xp, a, b: (a + 1) @ b * 2, ((20, 30), "f8"), ((30, 10), "f8"))
    add("scalar", lambda xp, a: a + 1, ((), "f8"), exact=True)
    add("empty", lambda xp, a: a * 2, ((0, 3), "f8"), exact=True)
    add("empty-sum", lambda xp, a: a.sum(axis=0), ((0, 3), "f8"), exact=True)
    add(
        "casts",
        lambda xp, a: a.astype("f4").astype("i4") + a.astype("u1"),
        ((300,), "f8"),
        exact=True,
    )
    add("halves", lambda xp, a: (a * 3).astype("f8").astype("f2"), ((300,), "f2"), exact=True)
    for dtype in ("c8", "c16"):
        add(f"complex-{dtype}", _poly, *_three((1000,), dtype), exact=True)
        add(f"complex-odd-{dtype}", _poly, *_three((1001,), dtype), exact=True)
        add(f"complex-rows-{dtype}", lambda xp, m: m - m.mean(axis=1)[:, None], ((9, 130), dtype))
        add(f"complex-short-{dtype}", lambda xp, m: m.sum(axis=1).real, ((300, 7), dtype))
        add(f"complex-columns-{dtype}", lambda xp, m: (m * m).sum(axis=0), ((500, 24), dtype))
        add(f"complex-sum-{dtype}", lambda xp, m: xp.abs(m.sum()), ((70_001,), dtype))
        add(
            f"complex-norm-{dtype}",
            lambda xp, m: (m * m.conj()).real,
            ((40, 64), dtype),
            exact=True,
        )
    for dtype in ("c8", "c16"):
        add(
            f"complex-waves-{dtype}",
            lambda xp, x: xp.exp(x) + xp.sin(x) * xp.tanh(x),
            ((200,), dtype),
        )
        add(
            f"complex-inverse-{dtype}",
            lambda xp, x: xp.sqrt(x) + xp.log(x) * xp.arcsin(x) - xp.arctanh(x),
            ((200,), dtype),
        )
    for dtype in ("f4", "f8", "i4", "c8", "f2"):
        add(
            f"cumsum-long-{dtype}",
            lambda xp, x: xp.cumsum(x),
            ((20_000 if dtype != "f2" else 900,), dtype),
        )
    add("cumsum-rows", lambda xp, m: xp.cumsum(m * 2, axis=1) + 1, ((600, 100), "f4"))
    add("cumsum-columns", lambda xp, m: xp.cumsum(m, axis=0), ((300, 40), "f8"))
    add("cumprod-few", lambda xp, m: xp.cumprod(m, axis=1), ((3, 50), "f8"))
    for dtype in ("f4", "c16", "i1"):
        add(
            f"gather-{dtype}",
            lambda xp, x, i: x[i % 500] * 2,
            ((500,), dtype),
            ((40, 64), "i8"),
            exact=True,
        )
    rows = ((60,), "i4")
    add("gather-rows", lambda xp, m, i: m[i % 50].sum(axis=1), ((50, 70), "f8"), rows)
    add("gather-columns", lambda xp, m, i: m[:, i % 70] + 1, ((50, 70), "f4"), rows, exact=True)
    add("gather-both", lambda xp, m, i: m.T[i, i % 7], ((50, 70), "f2"), rows, exact=True)
    add(
        "gather-along",
        lambda xp, m, i: xp.take_along_axis(m, i % 33, axis=1),
        ((20, 33), "f8"),
        ((20, 11), "i8"),
        exact=True,
    )

    def logistic(i: Any, x: Any) -> Any:
        return x * x - 0.25

    def pair(i: Any, state: Any) -> Any:
        x, k = state
        return x * 0.5 + i, k + (x > 1)

    def relaxed(i: Any, x: Any) -> Any:
        return (x + x[::-1]) * 0.5 + x.max()

    add("loop-f4", lambda xp, x: _turns(xp, 9, logistic, x * 2), ((1003,), "f4"), exact=True)
    add("loop-f8", lambda xp, x: _turns(xp, 9, logistic, x * 0.5), ((1024,), "f8"), exact=True)
    add("loop-f2", lambda xp, x: _turns(xp, 3, logistic, x * 0.5), ((70,), "f2"), exact=True)
    add("loop-sum", lambda xp, x: _turns(xp, 9, logistic, x * 0.5).sum(), ((70_000,), "f8"))
    add("loop-rows", lambda xp, x: _turns(xp, 9, logistic, x * 0.5).sum(axis=1), ((20, 300), "f8"))
    add(
        "loop-columns",
        lambda xp, x: _turns(xp, 9, logistic, x * 0.5).sum(axis=0),
        ((300, 20), "f8"),
    )
    add(
        "loop-of-two",
        lambda xp, x, k: _turns(xp, 5, pair, (x * 4, k)),
        ((66, 5), "f4"),
        ((66, 5), "i4"),
        exact=True,
    )
    add("while", lambda xp, x: _halved(xp, x * 100), ((999,), "f8"), exact=True)
    add("loop-repeated", lambda xp, x: _turns(xp, 5, relaxed, x), ((90,), "f8"), exact=True)
    add("python", _stepped, ((300,), "f8"), exact=True)
    add("hypot", lambda xp, a, b: xp.hypot(a, b) + xp.arctan2(a, b), ((99,), "f8"), ((99,), "f8"))
    return created


EXPRESSIONS = tuple(_build())
