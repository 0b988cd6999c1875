"""Families of elementwise work: chains, polynomials, broadcasts, layouts, dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.families.member import Choice, Member, Shape

#: Operations that are all but free beside memory, and such that are not, with their texts.
LIGHT: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("{x} + {y}", lambda xp, x, y: x + y),
    ("{x} - {y}", lambda xp, x, y: x - y),
    ("{x}*{y}", lambda xp, x, y: x * y),
    ("max({x}, {y})", lambda xp, x, y: xp.maximum(x, y)),
    ("min({x}, {y})", lambda xp, x, y: xp.minimum(x, y)),
    ("|{x} - {y}|", lambda xp, x, y: xp.abs(x - y)),
    ("where({x} > {y}, {x}, 0.5*{y})", lambda xp, x, y: xp.where(x > y, x, 0.5 * y)),
    ("0.25*{x} + {y}", lambda xp, x, y: 0.25 * x + y),
)
HEAVY: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("{x}/(1 + {y}²)", lambda xp, x, y: x / (1 + y * y)),
    ("exp(-{x}²)*{y}", lambda xp, x, y: xp.exp(-x * x) * y),
    ("log(1.5 + {x}²) + {y}", lambda xp, x, y: xp.log(1.5 + x * x) + y),
    ("tanh({x}) - {y}", lambda xp, x, y: xp.tanh(x) - y),
    ("sin({x})*{y}", lambda xp, x, y: xp.sin(x) * y),
    ("sqrt(1 + {x}²) - {y}", lambda xp, x, y: xp.sqrt(1 + x * x) - y),
    ("{y}/(1 + exp(-{x}))", lambda xp, x, y: y / (1 + xp.exp(-x))),
    ("(0.5 + {x}²)**1.7 - {y}", lambda xp, x, y: (0.5 + x * x) ** 1.7 - y),
    ("0.1*{x}**3 + {y}", lambda xp, x, y: 0.1 * x**3 + y),
)


def _steps(
    choice: Choice, table: tuple[tuple[str, Callable[..., Any]], ...], count: int, inputs: int
) -> tuple[str, Callable[..., Any]]:
    """Return the text and the function of a chain: each step takes the last value and an input."""
    chosen = [
        (choice.between(0, len(table) - 1), choice.between(0, inputs - 1)) for _ in range(count)
    ]
    text = "a"
    for row, operand in chosen:
        # Names keep the text short, where an operation names its operand twice.
        text = table[row][0].format(x="·", y="abcd"[operand]) + (f"[{text}]" if text != "a" else "")

    def compute(xp: Any, *arrays: Any) -> Any:
        value = arrays[0]
        for row, operand in chosen:
            value = table[row][1](xp, value, arrays[operand])
        return value

    return text[:70], compute


def light_chain(choice: Choice) -> Member:
    """Return a chain of cheap operations."""
    inputs, count, size = choice.between(1, 4), choice.between(1, 12), choice.size()
    text, compute = _steps(choice, LIGHT, count, inputs)
    return choice.member(
        "light_chain", text, [(size,)] * inputs, choice.dtype(), compute, flops=1.5 * count
    )


def heavy_chain(choice: Choice) -> Member:
    """Return a chain with divisions and functions."""
    inputs, count, size = choice.between(1, 4), choice.between(1, 8), choice.size()
    text, compute = _steps(choice, HEAVY + LIGHT[:3], count, inputs)
    return choice.member(
        "heavy_chain", text, [(size,)] * inputs, choice.dtype(), compute, flops=4 * count
    )


def polynomial(choice: Choice) -> Member:
    """Return a polynomial by powers, by Horner's rule, or of real exponents."""
    degree, size = choice.between(2, 14), choice.size()
    factors = [choice.real(-1, 1) for _ in range(degree + 1)]
    way = choice.one("powers", "horner", "real exponents")

    def powers(xp: Any, x: Any) -> Any:
        total = factors[0] + factors[1] * x
        for k in range(2, degree + 1):
            total = total + factors[k] * x**k
        return total

    def horner(xp: Any, x: Any) -> Any:
        total = factors[degree] * x + factors[degree - 1]
        for k in range(degree - 2, -1, -1):
            total = total * x + factors[k]
        return total

    def real(xp: Any, x: Any) -> Any:
        total = factors[0] * x**1.3
        for k in range(min(3, degree)):
            total = total + factors[k] * x ** (k + 0.7)
        return total

    compute = {"powers": powers, "horner": horner, "real exponents": real}[way]
    formula = f"polynomial of degree {degree} by {way}"
    return choice.member(
        "polynomial", formula, [(size,)], choice.dtype(), compute, flops=2 * degree
    )


def broadcast(choice: Choice) -> Member:
    """Return an operation on arrays of which each lacks some axes."""
    rank, size = choice.between(2, 4), choice.size()
    whole = choice.shape(rank, size)
    shapes: list[Shape] = [whole]
    for _ in range(choice.between(1, 3)):
        shape = tuple(n if choice.between(0, 1) else 1 for n in whole)
        shapes.append(shape[choice.between(0, rank - 1) :] or (1,))
    text, compute = _steps(choice, HEAVY if choice.between(0, 1) else LIGHT, 4, len(shapes))
    return choice.member("broadcast", text, shapes, choice.dtype(), compute, flops=8)


def transposed(choice: Choice) -> Member:
    """Return an expression of an array and a permutation of another."""
    rank = choice.between(2, 4)
    whole = choice.shape(rank, choice.size())
    order = tuple(int(k) for k in choice.random.permutation(rank))
    source = tuple(whole[order.index(k)] for k in range(rank))
    factor = choice.real(0.5, 2)

    def compute(xp: Any, a: Any, b: Any) -> Any:
        moved = xp.permute_dims(b, order) if hasattr(xp, "permute_dims") else b.transpose(order)
        return factor * moved + a

    return choice.member(
        "transposed", f"{factor}*b.transpose{order} + a", [whole, source], choice.dtype(), compute
    )


def strided(choice: Choice) -> Member:
    """Return an expression of every second or third element, perhaps from the end."""
    step, size = choice.between(2, 4), choice.size()
    reverse = choice.between(0, 1)

    def compute(xp: Any, a: Any, b: Any) -> Any:
        return a[::step] * b[step - 1 :: step] + (xp.flip(a, 0)[::step] if reverse else 1.0)

    size -= size % step
    formula = f"a[::{step}]*b[{step - 1}::{step}]" + (" + reversed a" if reverse else " + 1")
    return choice.member("strided", formula, [(size,)] * 2, choice.dtype(), compute, flops=2)


def gathered(choice: Choice) -> Member:
    """Return an expression of elements at random places."""
    size, dtype = choice.size(), choice.dtype()
    rows = choice.between(0, 1)
    width = choice.one(2, 8, 33) if rows else 1
    count = max(2, size // width)

    def make(random: np.random.Generator, _: int) -> tuple[Any, ...]:
        values = random.random((count, width) if rows else count) + 0.5
        return values.astype(dtype), random.integers(0, count, count)

    def compute(xp: Any, a: Any, places: Any) -> Any:
        return 2 * a[places] + 1

    shapes: list[Shape] = [(count, width) if rows else (count,), (count,)]
    return choice.member("gathered", "2*a[i] + 1", shapes, dtype, compute, make=make)


def other_dtypes(choice: Choice) -> Member:
    """Return an expression of whole numbers, truth values, complex or half-precision numbers."""
    size = choice.size()
    dtype = choice.one("int32", "int64", "int16", "bool", "complex128", "complex64", "float16")

    def make(random: np.random.Generator, _: int) -> tuple[Any, ...]:
        if dtype.startswith("complex"):
            parts = [random.random((2, size)) for _ in range(2)]
            return tuple((p[0] + 1j * p[1]).astype(dtype) for p in parts)
        if dtype == "bool":
            return tuple(random.random(size) > 0.5 for _ in range(2))
        return tuple((random.random(size) * 100).astype(dtype) for _ in range(2))

    def compute(xp: Any, a: Any, b: Any) -> Any:
        if dtype == "bool":
            return (a & ~b) | (b ^ a)
        if dtype.startswith("int"):
            return xp.where((a & 7) > (b & 3), 3 * a - b, a ^ (b << 1))
        return a * b + 2 * a - b

    return choice.member(
        "other_dtypes", "a few operations", [(size,)] * 2, dtype, compute, make=make, flops=5
    )


def small(choice: Choice) -> Member:
    """Return a chain on so few elements that calls dominate."""
    inputs, count, size = choice.between(1, 3), choice.between(1, 12), choice.between(1, 1000)
    text, compute = _steps(choice, LIGHT + HEAVY, count, inputs)
    return choice.member(
        "small", text, [(size,)] * inputs, choice.dtype(), compute, flops=3 * count
    )


FAMILIES = (
    light_chain,
    heavy_chain,
    polynomial,
    broadcast,
    transposed,
    strided,
    gathered,
    other_dtypes,
    small,
)
"""The generators of elementwise members."""
