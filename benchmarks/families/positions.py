"""Families in which values decide positions: nearest points, scatters, sums of segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.families.member import Choice, Member, Shape


def nearest(choice: Choice) -> Member:
    """Return the distances of points to their nearest ones among others."""
    width = choice.one(2, 3, 8, 33, 128)
    most = max(32, int(choice.largest**0.5))
    rows, columns = choice.between(8, most), choice.between(32, most)
    count = choice.between(1, 16)

    def compute(xp: Any, a: Any, b: Any) -> Any:
        squares = xp.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=2)
        return xp.sqrt(_smallest(xp, squares, count))

    shapes: list[Shape] = [(rows, width), (columns, width)]
    flops = 3.0 * rows * columns * width / max(rows * width, columns * width)
    return choice.member(
        "nearest", f"{count} nearest", shapes, choice.dtype(), compute, flops=flops
    )


def _smallest(xp: Any, x: Any, count: int) -> Any:
    """Return the smallest numbers of each row in order, as each library is asked for them."""
    if hasattr(xp, "smallest"):
        return xp.smallest(x, count)
    if xp.__name__ == "jax.numpy":
        from jax.lax import top_k

        return -top_k(-x, count)[0]
    return xp.sort(xp.partition(x, count - 1, axis=1)[:, :count], axis=1)


def scattered(choice: Choice) -> Member:
    """Return sums of what falls on the same place, of places in no order."""
    return _sums(choice, "scattered", ordered=False)


def segments(choice: Choice) -> Member:
    """Return sums of segments: places in order, some of them empty."""
    return _sums(choice, "segments", ordered=True)


def _sums(choice: Choice, family: str, *, ordered: bool) -> Member:
    size, dtype = choice.size(), choice.dtype()
    width = choice.one(1, 1, 3, 16)
    rows = max(2, size // width)
    count = max(1, rows // choice.one(1, 7, 100, 10_000))
    shape: Shape = (rows, width) if width > 1 else (rows,)

    def make(random: np.random.Generator, _: int) -> tuple[Any, ...]:
        places = random.integers(0, count, rows)
        values = (random.random(shape) + 0.5).astype(dtype)
        return values, np.sort(places) if ordered else places

    def compute(xp: Any, values: Any, places: Any) -> Any:
        return _added(xp, 2 * values - 1, places, count) * 0.5

    formula = f"zeros({count})[i] += 2*a - 1"
    return choice.member(family, formula, [shape, (rows,)], dtype, compute, flops=3, make=make)


def _added(xp: Any, values: Any, places: Any, count: int) -> Any:
    """Return zeros to which values are added at places, as each library is asked for it."""
    if hasattr(xp, "index_add"):
        return xp.index_add(values, places, count)
    sums = xp.zeros((count, *values.shape[1:]), values.dtype)
    if hasattr(sums, "at"):
        return sums.at[places].add(values)
    xp.add.at(sums, places, values)
    return sums


FAMILIES = (nearest, scattered, segments)
"""The generators of members in which values decide positions."""
