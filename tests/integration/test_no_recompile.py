"""Another shape of the same kind never compiles: sizes, strides and offsets are arguments.

How a computation is split depends on how large it is (``TemplateLimits``,
``nests.FEWEST``, the block of a sum, and the rows that are taken side by side), so a *kind* is a
range of sizes, and whether an axis has length one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la

#: More than one block of a sum, and no more than one thread does in one go.
SIDES = st.tuples(st.integers(20, 200), st.integers(20, 200))


def leaf(*shape: int, order: str = "C") -> la.LazyArray:
    array = np.random.default_rng(0).random(shape)
    return la.asarray(np.asarray(array, order=order))  # type: ignore[call-overload]


def _softmax(x: Any) -> Any:
    raised = np.exp(x - x.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def _distances(x: Any, y: Any) -> Any:
    return ((x[:, None] - y[None]) ** 2).sum(axis=-1)


FAMILIES: dict[str, Callable[[int, int], Any]] = {
    "equal": lambda a, b: leaf(a, b) * 3.3 + leaf(a, b),
    "row": lambda a, b: leaf(a, b) + leaf(b),
    "column": lambda a, b: leaf(a, b) + leaf(a, 1),
    "outer": lambda a, b: leaf(a, 1) + leaf(b),
    "transposed": lambda a, b: leaf(a, b) + leaf(b, a).T,
    "columns first": lambda a, b: leaf(a, b, order="F") * 3.3 + leaf(a, b),
    "flipped": lambda a, b: leaf(a, b)[::-1] + leaf(a, b)[:, ::-1],
    "stepped": lambda a, b: leaf(2 * a, 3 * b)[::2, ::3] * 3.3,
    "cut": lambda a, b: leaf(a + 3, b + 3)[1:-2, 2:-1] * leaf(a, b),
    "stencil": lambda a, b: (
        leaf(a + 2, b + 2)[1:-1, :-2] + leaf(a + 2, b + 2)[:-2, 1:-1] * leaf(a, b)
    ),
    "three axes": lambda a, b: leaf(a, 5, b) + leaf(5, 1) + leaf(a, 1, 1),
    "sum": lambda a, b: leaf(a, b).sum(),
    "sum of rows": lambda a, b: leaf(a, b).sum(axis=1),
    "sum of columns": lambda a, b: leaf(a, b).sum(axis=0),
    "middle": lambda a, b: leaf(a, b, 7).max(axis=1),
    "mean and variance": lambda a, b: leaf(a, b).var(axis=0) / leaf(a, b).mean(axis=0),
    "middle variance": lambda a, b: leaf(a, 10 * b, 3).var(axis=1),
    # Rows of up to so many elements are taken several side by side.
    "softmax of short rows": lambda a, b: _softmax(leaf(a, 16 + b // 5)),
    # A row of so many has blocks of 32 lanes.
    "softmax": lambda a, b: _softmax(leaf(a, 128 + b // 2)),
    "softmax of fewer": lambda a, b: _softmax(leaf(a, 66 + b // 4)),
    # Lanes of positions take rows of at least 32, and of at least 64, in vectors of other widths.
    "positions in short rows": lambda a, b: leaf(a, 20 + b // 20).argmax(axis=1),
    "positions in rows of few vectors": lambda a, b: leaf(a, 32 + b // 7).argmax(axis=1),
    "positions": lambda a, b: leaf(a, 129 + b // 2).argmax(axis=1),
    "distances": lambda a, b: _distances(leaf(a, 50), leaf(b, 50)),
    # Below 16 the points go in a loop of another form.
    "distances of few": lambda a, b: _distances(leaf(a // 10 + 16, 3), leaf(b // 10 + 16, 3)),
    "joined": lambda a, b: np.concatenate([leaf(a, b) * 3.3, leaf(b, b)]),
    "padded": lambda a, b: np.pad(leaf(a, b), 2),
    "edges": lambda a, b: np.pad(leaf(a, b), 2, mode="edge"),
    "tiled": lambda a, b: np.tile(leaf(a, b), (2, 3)),
    "counted": lambda a, b: la.arange(a)[:, None] * la.arange(b) + leaf(a, b),
    "triangle": lambda a, b: np.tril(leaf(a, b)),
    "windows": lambda a, b: np.lib.stride_tricks.sliding_window_view(leaf(a * b), 5).sum(axis=1),
}


def loaded() -> int:
    """Return the number of kernels that this process compiled or took from disk."""
    kernels = la.cache.info().kernels
    return int(kernels.compiled + kernels.disk_hits)


@pytest.mark.lazy
@pytest.mark.parametrize("name", FAMILIES)
def test_another_shape_compiles_nothing(name: str) -> None:
    build = FAMILIES[name]
    la.evaluate(build(31, 57))

    @settings(max_examples=25, deadline=None)
    @given(SIDES)
    def check(sides: tuple[int, int]) -> None:
        before = loaded()
        la.evaluate(build(*sides))
        assert loaded() == before, sides

    check()
