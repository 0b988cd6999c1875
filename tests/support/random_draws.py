"""Expressions of random draws, to be compared from one target to another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import lazyarr as la

__all__ = ["DRAWS", "Draw"]


@dataclass(frozen=True)
class Draw:
    """An expression of a generator, and whether every target gives the same bits."""

    name: str
    function: Callable[[la.random.Generator], Any]
    exact: bool = True

    def evaluate(self) -> Any:
        """Return its value on the target that the settings name."""
        return la.evaluate(self.function(la.random.default_rng(2024)))

    def __str__(self) -> str:
        return self.name


def _masked_layer(rng: la.random.Generator) -> Any:
    weights = la.asarray(np.linspace(-1, 1, 12 * 8).reshape(12, 8))
    values = weights @ weights.T[:, :12] + la.arange(12.0)[:, None]
    return (values > 0) * (rng.random((12, 12)) > 0.5)


DRAWS = [
    Draw("float64", lambda rng: rng.random(1003)),
    Draw("float64-whole-vectors", lambda rng: rng.random(1024)),
    Draw("float32", lambda rng: rng.random(1003, dtype="f4")),
    Draw("float32-whole-vectors", lambda rng: rng.random(1024, dtype="f4")),
    Draw("number", lambda rng: rng.random()),
    Draw("nothing", lambda rng: rng.random((3, 0))),
    Draw("grid", lambda rng: rng.random((13, 17))),
    Draw("grid-and-column", lambda rng: rng.random((20, 64)) + la.arange(20.0)[:, None]),
    Draw(
        "grid-and-column-float32",
        lambda rng: rng.random((20, 64), dtype="f4") + la.arange(20)[:, None].astype("f4"),
    ),
    Draw("odd-rows", lambda rng: rng.random((20, 31)) + la.arange(20.0)[:, None]),
    Draw("rows-of-bytes", lambda rng: (rng.random((20, 64)) > 0.5) & (la.arange(20) > 4)[:, None]),
    Draw("transposed", lambda rng: rng.random((13, 17)).T + 1),
    Draw("backwards", lambda rng: rng.random(100)[::-1] + rng.random(100)),
    Draw("slice", lambda rng: rng.random((13, 17))[2:11:3, 5:] * 2),
    Draw("neighbours", lambda rng: (lambda x: x[1:] - x[:-1])(rng.random(500, dtype="f4"))),
    Draw("reshaped", lambda rng: rng.random((13, 17)).reshape(17, 13) + 1),
    Draw("stored-and-used", lambda rng: (lambda x: la.concatenate([x, x + 1]))(rng.random(77))),
    Draw("integers", lambda rng: rng.integers(-5, 1000, 999)),
    Draw("bytes", lambda rng: rng.integers(0, 256, (9, 16), dtype="u1")),
    Draw("words", lambda rng: rng.integers(0, 2**64 - 1, 99, dtype="u8", endpoint=True)),
    Draw("ends", lambda rng: rng.integers(la.arange(10), la.arange(10) * 1000 + 1, (5, 10))),
    Draw("largest-of-rows", lambda rng: rng.random((40, 300)).max(axis=1)),
    Draw("largest-of-columns", lambda rng: rng.random((300, 40), dtype="f4").max(axis=0)),
    Draw("count", lambda rng: (rng.random(70_000) < 0.25).sum()),
    Draw("layer", _masked_layer),
    Draw("permutation", lambda rng: rng.permutation(1000)),
    Draw("choice", lambda rng: rng.choice(la.arange(50.0), (4, 6))),
    Draw("normal", lambda rng: rng.standard_normal(1003), exact=False),
    Draw("normal-float32", lambda rng: rng.standard_normal((20, 64), dtype="f4"), exact=False),
    Draw("exponential", lambda rng: rng.exponential(la.arange(1.0, 8.0), (9, 7)), exact=False),
]
"""Every way in which a draw reaches a kernel."""
