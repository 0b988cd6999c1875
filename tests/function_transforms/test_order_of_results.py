"""The memory order of what functions return: that of NumPy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import pipeline

JITTED: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: x * 2 + 1,
    "of a float": lambda x: np.sqrt(abs(x)),
    "as it is": lambda x: x,
    "a copy": lambda x: x.copy("K"),
    "cast": lambda x: (x * 2).astype("f4"),
    "of rows": lambda x: x - x.mean(axis=-1, keepdims=True),
    "of a vector": lambda x: x * np.arange(x.shape[-1]),
    "several": lambda x: (x * 2, x.sum(), [x + 1.0]),
    "by name": lambda x: {"a": x * x, "b": x.T * 2},
    "scan": lambda x: np.cumsum(x, axis=0),
    "extrema": lambda x: x.max(axis=0),
    "extrema in the middle": lambda x: (2 * x - 1).min(axis=1),
    "moved axes": lambda x: x.max(axis=-1).T,
    "moved axes of a scan": lambda x: np.cumsum(x, axis=0).T,
    "two orders": lambda x: x + np.ones(x.shape),
}
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "axes exchanged": lambda x: np.ascontiguousarray(x.swapaxes(0, -1)).swapaxes(0, -1),
    "with gaps": lambda x: np.asfortranarray(np.repeat(x, 2, axis=0))[::2],
}


def _leaves(result: Any) -> list[Any]:
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in _leaves(item)]
    return [result]


@pytest.mark.host
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (70, 80)])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", JITTED)
def test_results_lie_in_memory_as_numpys(name: str, layout: str, shape: tuple[int, ...]) -> None:
    x = LAYOUTS[layout](np.arange(float(math.prod(shape))).reshape(shape))
    if layout == "with gaps" and name == "as it is":
        pytest.skip("the argument itself, with its gaps")
    function = JITTED[name]
    jitted = la.jit(function)
    for _ in range(3):  # by the first call, by the prepared one, in C
        for mine, theirs in zip(_leaves(jitted(x)), _leaves(function(x)), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-6)
            assert np.ndim(theirs) == 0 or mine.strides == theirs.strides
    for mine, theirs in zip(_leaves(jitted.persist(x)), _leaves(function(x)), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: la.max(2 * la.permute_dims(x, (2, 1, 0)), axis=1),
        lambda x: la.permute_dims(la.max(2 * x, axis=1), (1, 0)),
        lambda x: la.sum(la.permute_dims(x, (1, 0, 2)) * 2, axis=2),
        lambda x: la.permute_dims(la.cumsum(x, axis=1), (2, 0, 1)),
    ],
)
def test_moved_axes_are_no_part_of_the_plan(
    function: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels store such results as a whole, so that nothing else is run around them."""
    executors: list[Any] = []
    prepare = pipeline.prepare

    def prepared(*arguments: Any) -> Any:
        executor, bindings = prepare(*arguments)
        executors.append(executor)
        return executor, bindings

    monkeypatch.setattr(pipeline, "prepare", prepared)
    x = np.random.default_rng(0).random((5, 24, 33))
    np.testing.assert_allclose(la.jit(function)(x), np.asarray(function(la.asarray(x))))
    assert [executor.by_address is not None for executor in executors] == [True]


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("seed", range(6))
def test_results_of_vectorize_lie_in_memory_as_numpys(seed: int, immediate: int) -> None:
    function = lambda x, y: x * 2.0 + y  # noqa: E731
    theirs, mine = np.vectorize(function), la.vectorize(function)
    generator = np.random.default_rng(seed)
    layouts: list[Any] = [
        lambda x: x,
        np.asfortranarray,
        lambda x: np.ascontiguousarray(x.swapaxes(0, -1)).swapaxes(0, -1),
        lambda x: np.asfortranarray(np.repeat(x, 2, axis=0))[::2],
        lambda x: np.ascontiguousarray(x[::-1])[::-1],
    ]
    for shape in ((3, 4), (2, 3, 4), (1, 4), (3, 1), (2, 0, 3)):
        for other in (shape, shape[-1:], ()):
            x, y = (
                layouts[generator.integers(5)](generator.normal(size=size))
                if len(size) > 1
                else generator.normal(size=size)
                for size in (shape, other)
            )
            expected = theirs(x, y) if x.size else x * 2.0 + y
            with la.config(immediate=immediate):
                result = mine(la.asarray(x), la.asarray(y))
                np.testing.assert_array_equal(result, expected)
                steps = zip(result.strides, expected.strides, expected.shape, strict=True)
                assert all(a == b for a, b, size in steps if size > 1) or not x.size
