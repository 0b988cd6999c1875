"""Families in which elements move: rolled and joined arrays, orders, tables, long loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.families.member import Choice, Member, Shape


def rolled(choice: Choice) -> Member:
    """Return a sum of an array and of itself rolled along some axes, as a periodic stencil is."""
    rank = choice.between(1, 3)
    shape = choice.shape(rank, choice.size())
    count = choice.between(2, 6)
    shifts = [
        (choice.one(1, -1, 2, -3, 17), choice.between(0, rank - 1), choice.real(-1, 1))
        for _ in range(count)
    ]

    def compute(xp: Any, a: Any) -> Any:
        total = 0.5 * a
        for shift, axis, factor in shifts:
            total = total + factor * xp.roll(a, shift, axis)
        return total

    text = " + ".join(f"{f}*roll(a, {n}, {axis})" for n, axis, f in shifts)
    return choice.member("rolled", text, [shape], choice.dtype(), compute, flops=2 * count)


def joined(choice: Choice) -> Member:
    """Return expressions of the same operands that are joined along a new axis or one of theirs."""
    rank = choice.between(1, 3)
    shape = choice.shape(rank, choice.size(high=choice.largest // 4))
    parts = choice.between(2, 5)
    along = choice.one("stack", "concatenate", "repeat")
    axis = choice.between(0, rank if along == "stack" else rank - 1)
    factors = [choice.real(0.5, 2) for _ in range(parts)]

    def compute(xp: Any, a: Any, b: Any) -> Any:
        if along == "repeat":
            return xp.repeat(factors[0] * a + b, parts, axis=axis)
        values = [factor * a - b * a for factor in factors[::2]]
        values += [a / (b + factor) for factor in factors[1::2]]
        return getattr(xp, along)(values, axis=axis)

    text = f"{along} of {parts} along axis {axis}"
    return choice.member("joined", text, [shape, shape], choice.dtype(), compute, flops=3 * parts)


def ordered(choice: Choice) -> Member:
    """Return rows in order, or the middle of each."""
    length = choice.one(5, 16, 33, 64, 100, 255, 1000, 3001)
    rows = max(2, choice.size(high=choice.largest // 4) // length)
    form = choice.one("sort", "argsort", "median")

    def compute(xp: Any, a: Any) -> Any:
        value = 2 * a - 1
        if form == "argsort":
            return xp.take_along_axis(value, xp.argsort(value, axis=1), axis=1)
        return getattr(xp, form)(value, axis=1)

    return choice.member("ordered", f"{form}(2a - 1, 1)", [(rows, length)], choice.dtype(), compute)


def looked_up(choice: Choice) -> Member:
    """Return the places of numbers in a table in order, or what lies between its values there."""
    size, dtype = choice.size(high=choice.largest // 2), choice.dtype()
    length = choice.one(5, 100, 1000, 30_000)
    form = choice.one("places", "values")

    def make(random: np.random.Generator, _: int) -> tuple[Any, ...]:
        steps = random.random(length) + 0.1  # no two numbers of the table are equal
        table = (0.5 + np.cumsum(steps) / steps.sum()).astype(dtype)
        return (random.random(size) + 0.5).astype(dtype), table, random.random(length).astype(dtype)

    def compute(xp: Any, a: Any, table: Any, values: Any) -> Any:
        if form == "values":
            return xp.interp(a, table, values)
        return table[xp.minimum(xp.searchsorted(table, a), length - 1)] - a

    shapes: list[Shape] = [(size,), (length,), (length,)]
    return choice.member("looked_up", f"{form} of a table", shapes, dtype, compute, make=make)


def iterated(choice: Choice) -> Member:
    """Return the state of a loop that is written out: some arrays, many iterations."""
    shape = choice.shape(choice.between(1, 2), choice.size(high=choice.largest // 4))
    iterations = choice.one(5, 12, 25, 40)
    form = choice.one("square", "map", "oscillator")

    def compute(xp: Any, a: Any, b: Any) -> Any:
        x, y, count = a - 1, b - 1, 0 * a
        for _ in range(iterations):
            if form == "square":
                x, y = 0.5 * (x * x - y * y) + 0.2 * a, x * y + 0.1 * b
                count = count + xp.where(x * x + y * y < 4, 1.0, 0.0 * x)
            elif form == "map":
                x = 0.9 * xp.abs(x) * (1 - xp.abs(x)) + 0.01 * y
            else:
                x, y = x + 0.1 * y, y - 0.1 * (x + 0.2 * x * x * x)
        return count + xp.minimum(x, y)

    flops = {"square": 14, "map": 5, "oscillator": 8}[form] * iterations
    text = f"{iterations} iterations of a {form}"
    return choice.member("iterated", text, [shape, shape], choice.dtype(), compute, flops=flops)


def turned_reduction(choice: Choice) -> Member:
    """Return sums and extrema of an array whose axes are in another order than in memory."""
    rank = choice.between(2, 4)
    shape = choice.shape(rank, choice.size())
    order = tuple(int(k) for k in choice.random.permutation(rank))
    axes = choice.axes(rank)
    name = choice.one("sum", "mean", "max", "var")

    def compute(xp: Any, a: Any) -> Any:
        return getattr(xp, name)(2 * xp.permute_dims(a, order) - 1, axis=axes)

    text = f"{name}(2*a.transpose{order} - 1, {axes})"
    return choice.member("turned_reduction", text, [shape], choice.dtype(), compute, flops=3)


FAMILIES = (rolled, joined, ordered, looked_up, iterated, turned_reduction)
"""The generators of members in which elements move."""
