"""Library calls that order elements, find distinct ones or select by masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.support.library_case import Case, draw


def special(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    """Few distinct values, with the ends of the dtype, NaN and both zeros."""

    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        kind = np.dtype(dtype)
        if kind.kind == "b":
            return (rng.random(shape) < 0.5,)
        array = rng.integers(0, 100, shape).astype(dtype)
        if kind.kind == "i":
            array -= 50
        if kind.kind in "iu":
            array.flat[::7] = np.iinfo(kind).max
            array.flat[3::11] = np.iinfo(kind).min
            return (array,)
        array = array - kind.type(50)
        for start, value in enumerate((np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0)):
            array.flat[start::13] = value
        return (array,)

    return make


def spread(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    """Any bits that an element may have."""

    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        data = rng.integers(0, 256, (*shape[:-1], shape[-1] * np.dtype(dtype).itemsize), np.uint8)
        return (data.view(dtype),)

    return make


def among(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
    return np.sort(special(700)(rng, dtype)[0]), special(20, 9)(rng, dtype)[0]


def repeating(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
    """Each thread of a block has many of the least elements, or none."""
    return (np.tile(rng.permutation(256), 30)[None, :7000].repeat(2, 0).astype(dtype),)


EVERY = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
ORDERING = [
    Case("sort", lambda xp, a: xp.sort(a), special(3, 50), EVERY),
    Case(
        "sort-long",
        lambda xp, a: xp.sort(a),
        special(40001),
        ("?", "i1", "u2", "i4", "i8", "f2", "f4", "f8"),
    ),
    Case(
        "sort-spread",
        lambda xp, a: xp.sort(a),
        spread(2, 20001),
        ("u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8"),
    ),
    Case(
        "argsort-spread",
        lambda xp, a: xp.argsort(a, stable=True),
        spread(2, 20001),
        ("u1", "i2", "u4", "i8", "f2", "f4", "f8"),
    ),
    Case("sort-short", lambda xp, a: xp.sort(a), special(400, 10), EVERY),
    Case("sort-middling", lambda xp, a: xp.sort(a), special(21, 200), ("i4", "f4", "f8")),
    Case("sort-merged", lambda xp, a: xp.sort(a), special(2, 4000), ("i4", "f4", "f8")),
    Case("sort-axis", lambda xp, a: xp.sort(a, axis=0), special(2100, 3), ("i4", "f8")),
    Case("argsort", lambda xp, a: xp.argsort(a, stable=True), special(4, 70), EVERY),
    Case(
        "argsort-long",
        lambda xp, a: xp.argsort(a, axis=0, stable=True),
        special(17000, 2),
        ("i4", "u8", "f4", "f8"),
    ),
    Case("first", lambda xp, a: xp.sort(xp.partition(a, 4)[..., :5]), special(3, 600), EVERY),
    Case("first-places", lambda xp, a: xp.argsort(a, stable=True)[:, :7], special(2, 600), EVERY),
    Case("last", lambda xp, a: xp.sort(a, axis=0)[-9:, ::-1], special(700, 3), EVERY),
    Case(
        "last-places",
        lambda xp, a: xp.argsort(a, axis=0, stable=True)[::-1][:8],
        special(1000, 2),
        EVERY,
    ),
    Case("one-of-all", lambda xp, a: xp.partition(a, 20)[..., 20], special(3, 600), ("i4", "f8")),
    Case("first-of-pieces", lambda xp, a: xp.sort(a)[:, :100], spread(2, 20001), EVERY),
    Case(
        "last-places-of-pieces",
        lambda xp, a: xp.argsort(a, stable=True)[:, -128:],
        special(2, 20001),
        ("u1", "i4", "f4", "f8"),
    ),
    Case("first-repeating", lambda xp, a: xp.sort(a)[:, :128], repeating, ("i4", "f4", "f8")),
    Case(
        "first-places-repeating",
        lambda xp, a: xp.argsort(a, stable=True)[:, :128],
        repeating,
        ("i4", "f8"),
    ),
    Case("partition", lambda xp, a: xp.partition(a, 11)[..., 11], special(3, 50), EVERY),
    Case("searchsorted", lambda xp, a, v: xp.searchsorted(a, v), among, EVERY),
    Case(
        "searchsorted-right", lambda xp, a, v: xp.searchsorted(a, v.T, side="right"), among, EVERY
    ),
]


def mask_and_values(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        return draw(rng, dtype, *shape), rng.random(shape) < 0.4

    return make


def _every_part(xp: Any, a: Any) -> Any:
    return tuple(xp.unique(a, return_index=True, return_inverse=True, return_counts=True))


# What computes as it is built, or looks at positions, is no single graph.
DISTINCT = [
    Case(
        "argpartition",
        lambda xp, a: xp.take_along_axis(a, xp.argpartition(a, (3, 9), axis=0), 0)[3:10:6],
        special(50, 3),
        ("i4", "f8"),
    ),
    Case("unique", lambda xp, a: xp.unique(a), special(3, 500), EVERY),
    Case("unique-parts", _every_part, special(3, 500), EVERY),
    Case("unique-long", _every_part, special(30001), ("i4", "f4")),
    Case("unique-alike", _every_part, lambda rng, dtype: (np.zeros(700, dtype),), ("i4", "f8")),
    Case("unique-one", _every_part, lambda rng, dtype: (np.ones(1, dtype),), ("i4", "f8")),
    Case(
        "unique-nan",
        lambda xp, a: tuple(xp.unique(a, True, True, equal_nan=False)),
        special(3, 50),
        ("f4", "f8"),
    ),
    Case("unique-all", lambda xp, a: tuple(xp.unique_all(a)), special(4, 50), ("i4", "f8")),
    Case("unique-counts", lambda xp, a: tuple(xp.unique_counts(a)), special(4, 50), ("i4", "f8")),
    Case("unique-inverse", lambda xp, a: tuple(xp.unique_inverse(a)), special(4, 50), ("i4", "u1")),
    Case("nonzero", lambda xp, a: tuple(xp.nonzero(a)), special(7, 11, 13), ("i4", "f8", "?")),
    Case("nonzero-flat", lambda xp, a: xp.flatnonzero(a), special(70, 130), ("i4", "f8", "?")),
    Case("nonzero-none", lambda xp, a: xp.flatnonzero(a > 1000), special(70), ("f8",)),
    Case("mask", lambda xp, a, m: a[m], mask_and_values(70, 133), ("f2", "f4", "f8", "c8", "c16")),
    Case("mask-rows", lambda xp, a, m: a[m[:, 0]], mask_and_values(9001, 3), ("f4", "c16")),
    Case("mask-turned", lambda xp, a, m: a.T[m.T], mask_and_values(30, 40), ("f4", "f8")),
    Case("mask-max", lambda xp, a, m: a[m].max(), mask_and_values(30, 40), ("f4", "f8")),
]
