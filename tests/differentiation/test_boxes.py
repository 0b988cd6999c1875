"""Gradients of slices and windows against sums that NumPy adds in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import lazyarr as la
from lazyarr.differentiation.boxes import Box, summed
from lazyarr.graph.kind import Kind
from lazyarr.graph.node import walk

Key = Callable[[Any], Any]


def random_slice(random: np.random.Generator, size: int) -> slice | int:
    kind = random.integers(6)
    if kind == 0:
        return int(random.integers(-size, size))
    first, last = sorted(random.integers(0, size + 1, 2))
    step = int(random.integers(1, 4))
    if kind == 1:
        return slice(int(last) - 1 if last else None, None, -step)
    if kind == 2:
        return slice(None)
    return slice(int(first), int(last), step if kind == 3 else 1)


def random_view(random: np.random.Generator, shape: tuple[int, ...]) -> Key:
    """Return a function that takes a view of arrays of a shape."""
    key = tuple([random_slice(random, size) for size in shape])
    rank = sum(isinstance(part, slice) for part in key)
    axes = [int(k) for k in random.permutation(rank)]
    return lambda x: x[(*key, ...)].transpose(axes)  # an array, also of one element


def by_numpy(x: np.ndarray, views: list[Key], weights: list[Any]) -> np.ndarray:
    """Return the gradient of the sum of all views, each times its weights."""
    total = np.zeros_like(x)
    for view, weight in zip(views, weights, strict=True):
        view(total)[...] += weight
    return total


@pytest.mark.parametrize("seed", range(60))
def test_random_views_add_to_what_they_read(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(1, 9, random.integers(1, 5)))
    x = random.normal(size=shape)
    views = [random_view(random, shape) for _ in range(random.integers(1, 9))]
    # Some have the same cotangent, times a number.
    weights: list[Any] = []
    for view in views:
        like = [w for w in weights if np.shape(w) == view(x).shape]
        weights.append(
            like[0] if like and random.random() < 0.5 else random.normal(size=view(x).shape)
        )
    numbers = random.choice([-1.0, 1.0, 2.0, 0.0, -0.25], len(views))

    def value(x: la.LazyArray) -> la.LazyArray:
        wrapped = {id(w): la.asarray(w) for w in weights}
        terms = zip(views, weights, numbers, strict=True)
        return sum(((view(x) * c * wrapped[id(w)]).sum() for view, w, c in terms), la.zeros(()))

    scaled = [w * c for w, c in zip(weights, numbers, strict=True)]
    got = np.asarray(la.grad(value)(la.asarray(x)))
    np.testing.assert_allclose(got, by_numpy(x, views, scaled), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_windows_add_to_what_they_read(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(4, 12, random.integers(1, 4)))
    axes = tuple(k for k in range(len(shape)) if random.random() < 0.7) or (0,)
    extent = tuple(int(random.integers(1, shape[k] + 1)) for k in axes)
    step = int(random.integers(1, 4))
    x = random.normal(size=shape)

    def windows(view: Any, x: Any) -> Any:
        return view(x, extent, axes)[::step]

    weight = random.normal(size=windows(sliding_window_view, x).shape)
    total = np.zeros_like(x)
    np.add.at(
        total.reshape(-1), windows(sliding_window_view, np.arange(x.size).reshape(shape)), weight
    )

    def value(x: la.LazyArray) -> la.LazyArray:
        return (windows(la.lib.stride_tricks.sliding_window_view, x) * weight).sum()

    got = np.asarray(la.grad(value)(la.asarray(x)))
    np.testing.assert_allclose(got, total, rtol=1e-12, atol=1e-12)


def test_second_derivatives_pass_through_boxes() -> None:
    def energy(x: la.LazyArray) -> la.LazyArray:
        return ((x[1:] - x[:-1]) ** 2 * x[1:]).sum() + (x[2:] * x[:-2]).sum()

    x = np.random.default_rng(0).normal(size=7)
    got = np.asarray(la.hessian(energy)(la.asarray(x)))
    step = 1e-5
    gradient = la.grad(energy)
    columns = [
        (np.asarray(gradient(la.asarray(x + e))) - np.asarray(gradient(la.asarray(x - e))))
        / 2
        / step
        for e in np.eye(7) * step
    ]
    np.testing.assert_allclose(got, np.transpose(columns), rtol=1e-6, atol=1e-6)


def test_an_infinite_factor_stays_inside_its_box() -> None:
    def value(x: la.LazyArray) -> la.LazyArray:
        return (x[1:] * 3.0).sum() + (x[:-1] * np.inf).sum()

    got = np.asarray(la.grad(value)(la.asarray(np.ones(4))))
    np.testing.assert_array_equal(got, [np.inf, np.inf, np.inf, 3])


def gradient_nodes(value: Callable[[Any], Any], x: np.ndarray) -> list[Any]:
    with la.config(immediate=0):
        return list(walk([la.grad(value)(la.asarray(x))._node]))


def test_rows_that_are_read_one_by_one_are_joined() -> None:
    """The gradient takes memory in proportion to the rows, not to their square."""

    def value(x: la.LazyArray) -> la.LazyArray:
        return sum((la.sin(x[k] * (k + 1)).sum() for k in range(50)), la.zeros(()))

    nodes = gradient_nodes(value, np.ones((50, 6)))
    joined = [node for node in nodes if node.op.kind is Kind.CONCATENATE]
    assert [len(node.src) for node in joined] == [50]


def test_a_stencil_stores_its_cotangent_once() -> None:
    def value(x: la.LazyArray) -> la.LazyArray:
        y = x[1:-1, 2:] + x[1:-1, :-2] + x[2:, 1:-1] + x[:-2, 1:-1] - 4 * x[1:-1, 1:-1]
        return (y * y).sum()

    nodes = gradient_nodes(value, np.ones((20, 20)))
    assert {node.shape for node in nodes if node.op.kind is Kind.CONCATENATE} == {
        (22, 18),
        (22, 22),
    }


def test_frames_that_overlap_are_added_in_layers() -> None:
    frames = [slice(k, k + 8) for k in range(0, 40, 4)]

    def value(x: la.LazyArray) -> la.LazyArray:
        return sum((la.sin(x[frame] * k).sum() for k, frame in enumerate(frames, 1)), la.zeros(()))

    nodes = gradient_nodes(value, np.ones(44))
    joined = [node for node in nodes if node.op.kind is Kind.CONCATENATE]
    assert len(joined) == 2  # even and odd frames
    expected = np.zeros(44)
    for k, frame in enumerate(frames, 1):
        expected[frame] += k * np.cos(k)
    np.testing.assert_allclose(np.asarray(la.grad(value)(la.asarray(np.ones(44)))), expected)


def test_a_pinwheel_is_no_endless_cut() -> None:
    """No straight line sets the five boxes apart."""
    corners = [(0, 0, 1, 2), (0, 2, 2, 1), (2, 1, 1, 2), (1, 0, 2, 1), (1, 1, 1, 1)]
    boxes = [
        Box(la.asarray(np.full((high, wide), k + 1.0))._node, (top, left))
        for k, (top, left, high, wide) in enumerate(corners)
    ]
    got = np.asarray(la.LazyArray(summed(boxes, (3, 3))))
    np.testing.assert_array_equal(got, [[1, 1, 2], [4, 5, 2], [4, 3, 3]])
