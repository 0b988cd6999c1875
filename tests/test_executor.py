"""The executor by hand: feeds, plans, shapes, gradients, single steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, LazyarrError, ShapeError
from lazyarr.executor import (
    Executor,
    executor,
    gradients,
    infer_shape,
    placeholder,
    plan_memory,
    step_through,
)


def _network() -> tuple[list[la.LazyArray], la.LazyArray, dict[str, Any]]:
    x, w, b = placeholder("x", (5, 3)), placeholder("w", (3, 4)), placeholder("b", 4)
    loss = (np.tanh(x @ w + b) ** 2).sum()
    rng = np.random.default_rng(0)
    feed = {name: rng.normal(size=p.shape) for name, p in (("x", x), ("w", w), ("b", b))}
    return [x, w, b], loss, feed


def test_outputs_and_gradients_agree_with_differences() -> None:
    places, loss, feed = _network()
    run = Executor([loss, *gradients(loss, places)])
    value, *result = run(feed)
    step = 1e-6
    for name, gradient in zip(("x", "w", "b"), result, strict=True):
        direction = np.random.default_rng(1).normal(size=gradient.shape)
        sides = [executor(loss, feed | {name: feed[name] + s * step * direction}) for s in (1, -1)]
        np.testing.assert_allclose(
            (gradient * direction).sum(), (sides[0] - sides[1]) / (2 * step), rtol=1e-6
        )
    np.testing.assert_allclose(value, (np.tanh(feed["x"] @ feed["w"] + feed["b"]) ** 2).sum())


def test_gradients_with_respect_to_values_in_between() -> None:
    x = placeholder("x", 3)
    y = x * x
    z = np.sin(y)
    (result,) = gradients(z, [y], cotangent=np.array([1.0, 2.0, 3.0]))
    point = np.array([0.1, 0.2, 0.3])
    np.testing.assert_allclose(
        executor(result, {"x": point}), np.cos(point**2) * np.array([1.0, 2.0, 3.0])
    )
    (second,) = gradients(gradients(z.sum(), [x])[0].sum(), [x])
    expected = 2 * np.cos(point**2) - 4 * point**2 * np.sin(point**2)
    np.testing.assert_allclose(executor(second, {"x": point}), expected)


def test_one_plan_serves_all_runs() -> None:
    places, loss, feed = _network()
    run = executor([loss, *gradients(loss, places)])
    assert isinstance(run, Executor)
    first = run(feed)
    before = run._run.cache_info()
    for scale in (0.5, 2.0):
        run({name: value * scale for name, value in feed.items()})
    again = run([(places[0], feed["x"]), (places[1], feed["w"]), (places[2], feed["b"])])
    assert run._run.cache_info() == before
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_single_steps_give_the_values_of_the_whole() -> None:
    places, loss, feed = _network()
    results = [loss, *gradients(loss, places)]
    last: Any = None
    names = []
    for value, array in step_through(results, feed):
        assert array.shape == value.shape
        assert array.dtype == value.dtype
        names.append(value.name)
        last = array
    np.testing.assert_allclose(last, executor(results[-1], feed), rtol=1e-12)
    assert names[:2] == ["x", "w"]


def test_plans_share_memory() -> None:
    x = placeholder("x", (256, 256))
    y = x
    for _ in range(6):
        y = (np.tanh(y) + 1) @ x
    plan = plan_memory(y)
    assert plan.peak_bytes < plan.unshared_bytes < plan.every_value_bytes
    assert sum(len(values) for _, _, values in plan.buffers) >= 6
    assert {value.shape for value in infer_shape(y) if value.shape} == {(256, 256)}


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x, y: executor(y, {}), ArgumentError),
        (lambda x, y: executor(y, {"x": np.ones(3), "z": 1.0}), ArgumentError),
        (lambda x, y: executor(y, {"x": np.ones(4)}), ShapeError),
        (lambda x, y: executor(y, {"x": np.ones(3) * 1j}), DTypeError),
        (lambda x, y: executor(y, {3: np.ones(3)}), ArgumentError),
        (lambda x, y: executor([], {}), ArgumentError),
        (lambda x, y: executor(3, {}), TypeError),
        (lambda x, y: executor([3], {}), ArgumentError),
        (lambda x, y: gradients(y, [x]), ShapeError),
        (lambda x, y: gradients(y, [x], cotangent=np.ones(2)), ShapeError),
        (lambda x, y: gradients(y.sum(), [placeholder("k", 2, np.int64)]), DTypeError),
        (lambda x, y: placeholder("", 3), ArgumentError),
        (lambda x, y: placeholder("q", (3, -1)), ShapeError),
        (lambda x, y: placeholder("q", 3, "datetime64[s]"), DTypeError),
        (lambda x, y: executor(y + placeholder("x", 3), {"x": np.ones(3)}), ArgumentError),
        (lambda x, y: y.compute(), ArgumentError),
        (lambda x, y: bool(y.sum() > 0), ArgumentError),
    ],
)
def test_bad_input(call: Any, error: type[Exception]) -> None:
    x = placeholder("x", 3)
    with pytest.raises(error) as caught:
        call(x, x * 2)
    if isinstance(caught.value, LazyarrError):
        assert caught.value.origin is not None
        assert caught.value.origin[0] == __file__


@pytest.mark.parametrize(
    "build",
    [
        lambda x, w: la.tanh(x @ w) ** 2,
        lambda x, w: np.maximum(x @ w, 0) * 2,
        lambda x, w: (x @ w)[0] + (x @ w)[1],
        lambda x, w: la.sum(x, axis=0) + 1,
        lambda x, w: la.concatenate([la.sort(x[0]), la.cumsum(w[0])]) * 2,
        lambda x, w: la.where(x[0] > 0, x[0], la.mean(x, axis=0)).reshape(3, 1) * w,
        lambda x, w: np.take(x @ w, [0, 1], axis=0).T @ (x @ w)[:2],
        lambda x, w: la.linalg.solve(x.T @ x + la.eye(3), w) + 1,
    ],
)
def test_small_values_of_placeholders_wait_for_their_values(build: Any) -> None:
    random = np.random.default_rng(0)
    arrays = {"x": random.standard_normal((4, 3)), "w": random.standard_normal((3, 2))}
    x, w = placeholder("x", (4, 3)), placeholder("w", (3, 2))
    expected = build(*(la.asarray(array) for array in arrays.values())).compute()
    run = executor(build(x, w))
    result = run({name: arrays[name] for name in run.names})
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_a_placeholder_expression_may_be_written_to() -> None:
    x = placeholder("x", 3)
    doubled = x * 2
    doubled[1:] += la.sum(x)
    with la.eager():
        result = doubled + x
    np.testing.assert_array_equal(executor(result, {"x": np.arange(3.0)}), [0, 6, 9])


@pytest.mark.parametrize(
    "build",
    [
        lambda x, k: x[k],
        lambda x, k: x[k, k - 4],
        lambda x, k: np.take(x, k, axis=1),
        lambda x, k: np.take_along_axis(x, k[:, None], 1),
        lambda x, k: nn.cross_entropy(x, k),
        lambda x, k: nn.one_hot(k, 4) @ x,
        lambda x, k: nn.embedding(k, x),
        lambda x, k: nn.ctc_loss(
            nn.log_softmax(x[:, None] * np.ones((4, 9, 1))), k[:, None] % 3 + 1
        ),
        lambda x, k: np.cov(x, aweights=x[k[0]]),
        lambda x, k: la.cov(x, aweights=k + 1),
        lambda x, k: np.average(x, axis=1, weights=k + 1),
        lambda x, k: np.isclose(x, 0, rtol=k, atol=x),
    ],
    ids="rows pairs take take_along labels one_hot embedding ctc cov weights average close".split(),
)
def test_values_that_are_looked_at_early_may_be_placeholders(build: Any) -> None:
    """Indices, labels and weights in memory are checked at once; a placeholder's are not there."""
    rng = np.random.default_rng(3)
    feed = {"x": rng.uniform(0.1, 1, (4, 4)), "k": np.array([2, 0, 3, 3])}
    output = build(placeholder("x", (4, 4)), placeholder("k", 4, np.int64))
    expected = build(*(la.asarray(value) for value in feed.values()))
    np.testing.assert_allclose(executor(output, feed), expected.compute(), rtol=1e-12)


def test_a_label_of_a_feed_that_is_out_of_range() -> None:
    x, labels = placeholder("x", (3, 2)), placeholder("labels", 3, np.int64)
    loss = nn.cross_entropy(x, labels)
    run = Executor([loss, *gradients(loss, [x])])
    for wrong in (2, -1):
        with pytest.raises(IndexingError, match=str(wrong)):
            run({"x": np.ones((3, 2)), "labels": [0, wrong, 1]})
