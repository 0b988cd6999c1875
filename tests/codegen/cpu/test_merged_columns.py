"""Reductions of the innermost axes and of others, with a kept axis between them."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host


def _template(*expressions: la.LazyArray) -> str:
    (kernel,) = la.explain(*expressions).kernels
    return kernel.template


def _shape(random: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return a random shape, and axes of it that are reduced."""
    columns = [int(random.integers(2, 40)), int(random.integers(2, 20))]
    if random.random() < 0.2:
        columns = [int(random.integers(5, 300)), int(random.integers(2, 100))]
    down = [int(random.integers(130, 700))]
    if random.random() < 0.3:
        down = [int(random.integers(2, 9)), int(random.integers(70, 130))]
    front = [int(random.integers(2, 4))] if random.random() < 0.4 else []
    if random.random() < 0.2:
        columns.insert(1, 1)
    shape = (*front, *down, *columns)
    first = len(front)
    return shape, (*range(first, first + len(down)), len(shape) - 1)


@pytest.mark.parametrize("seed", range(24))
def test_random_members(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape, axes = _shape(random)
    dtype = str(random.choice(["float32", "float64", "int32", "bool", "complex64"]))
    data = (4 * random.standard_normal(shape) + 3).astype(dtype)
    x = la.asarray(data)
    names = ["sum", "max", "min", "any", "all", "mean", "var", "prod"]
    if dtype == "complex64":
        names = ["sum", "mean", "any"]
    if dtype == "bool":
        names = ["sum", "max", "any", "all"]
    close = {"float32": 2e-5, "complex64": 1e-4, "float64": 1e-12}.get(dtype, 1e-12)
    with la.config(optimize=False), np.errstate(all="ignore"):
        for name in random.permutation(names)[:3]:
            expected = getattr(np, str(name))(data, axis=axes)
            expression = getattr(la, str(name))(x, axis=axes)
            assert _template(expression) == "columns"
            result = la.evaluate(expression)
            assert result.dtype == expected.dtype
            if name in ("max", "min", "any", "all") or dtype in ("int32", "bool"):
                exact = name != "var" and name != "mean"
                np.testing.assert_allclose(result, expected, rtol=0 if exact else 1e-12)
            elif name != "prod":
                scale = np.abs(data).astype(np.float64).sum(axis=axes).max()
                bound = close * (scale if name == "sum" else 20)
                assert np.abs(result - expected).max() <= bound
            for threads in (1, 2):
                with la.config(threads=threads):
                    assert la.evaluate(expression).tobytes() == result.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(600, 3, 7), (2, 300, 3, 20), (250, 17, 100)])
def test_several_reductions_and_what_follows(shape: tuple[int, ...], dtype: str) -> None:
    """Variances far from zero, functions, a stored value, and an operand of the results."""
    axes = (len(shape) - 3, len(shape) - 1)
    random = np.random.default_rng(len(shape))
    data = (1000 + random.standard_normal(shape)).astype(dtype)
    weights = np.arange(1, shape[-2] + 1).astype(dtype)
    x = la.asarray(data)
    stored = x * 2 - 1
    means = la.exp(x / 1000).mean(axis=axes)
    result = (x.max(axis=axes) - x.mean(axis=axes)) / la.sqrt(x.var(axis=axes)) * weights
    wide = data.astype(np.float64)
    expected = (wide.max(axis=axes) - wide.mean(axis=axes)) / wide.std(axis=axes) * weights
    with la.config(optimize=False):
        got, doubled, mean = la.evaluate(result, stored, means)
    np.testing.assert_allclose(got, expected, rtol=1e-3 if dtype == "float32" else 1e-9)
    np.testing.assert_array_equal(doubled, data * 2 - 1)
    np.testing.assert_allclose(mean, np.exp(wide / 1000).mean(axis=axes), rtol=1e-6)


def test_not_a_number_is_the_largest() -> None:
    data = np.random.default_rng(0).standard_normal((200, 5, 9))
    data[7, 3, 8] = np.nan
    data[150, 1, 0] = -np.inf
    with la.config(optimize=False):
        for name in ("max", "min"):
            result = la.evaluate(getattr(la, name)(la.asarray(data), axis=(0, 2)))
            np.testing.assert_array_equal(result, getattr(data, name)(axis=(0, 2)))


def test_lengths_of_one_form() -> None:
    """Undecorated expressions of other lengths, whose plans are shared where they can be."""
    random = np.random.default_rng(1)
    with la.config(optimize=False):
        for shape in [(200, 4, 7), (300, 4, 7), (301, 6, 7), (150, 6, 9), (64, 200, 9), (99, 5, 2)]:
            data = random.standard_normal(shape)
            for axes in [(0, 2)]:
                result = la.evaluate((la.asarray(data) * 2 + 1).sum(axis=axes))
                np.testing.assert_allclose(result, (data * 2 + 1).sum(axis=axes), rtol=1e-10)


def test_which_groups_merge_columns() -> None:
    x = la.asarray(np.ones((300, 5, 7)))
    weights = la.asarray(np.ones((5, 1)))
    assert _template(x.sum((0, 2))) == "columns"
    assert _template((x * weights).sum((0, 2))) == "rows"  # no line, whose columns differ
    assert _template(la.asarray(np.ones((8, 5, 17))).sum((0, 2))) == "rows"  # few rows
    assert _template(la.asarray(np.ones((300, 5, 700))).sum((0, 2))) != "columns"  # long lines
    mean = x.mean((0, 2), keepdims=True)
    assert _template(x - mean) == "rows"  # the mean is needed for each element


def test_operands_that_are_transposed_stay_rows() -> None:
    data = np.random.default_rng(2).standard_normal((7, 5, 300))
    expression = (la.asarray(data).T * 2).sum((0, 2))
    np.testing.assert_allclose(la.evaluate(expression), (data.T * 2).sum((0, 2)), atol=1e-10)


def test_few_rows_go_down_columns_where_few_of_them_are_one_result() -> None:
    random = np.random.default_rng(3)
    for down, merged in ((3, 6), (7, 3), (10, 20), (14, 2)):
        data = random.standard_normal((down, 60, merged))
        x = la.asarray(data)
        with la.config(optimize=False):
            assert _template(x.sum(axis=(0, 2))) == "columns"
            assert _template(x.min(axis=(0, 2))) == "rows"  # in which signs of zeros count
            for name in ("min", "sum", "var"):
                result = la.evaluate(getattr(x, name)(axis=(0, 2)))
                np.testing.assert_allclose(
                    result, getattr(data, name)(axis=(0, 2)), rtol=1e-12, atol=1e-12
                )
        assert _template(la.asarray(data.repeat(20, 2)).sum(axis=(0, 2))) == "rows"
