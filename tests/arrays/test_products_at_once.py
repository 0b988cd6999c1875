"""Products of arrays in memory, and indices that are elements of arrays, against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.fields import COMPILED


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


SHAPES = [
    ((3,), (3,)), ((0,), (0,)), ((4, 0), (0,)), ((0,), (0, 3)), ((2, 0), (0, 5)), ((0, 3), (3, 2)),
    ((7, 5), (5,)), ((5,), (5, 7)), ((7, 5), (5, 3)), ((128, 128), (128,)), ((128,), (128, 128)),
    ((2, 3, 4), (4,)), ((4,), (2, 4, 3)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)), ((1, 3, 4), (6, 4, 2)), ((0, 3, 4), (4, 2)), ((2, 3, 0), (2, 0, 4)),
    ((300, 200), (200,)), ((3, 300), (300, 2)),
]  # fmt: skip


def numbers(shape: tuple[int, ...], dtype: str) -> Any:
    values = np.random.default_rng(7).integers(-8, 9, shape)
    return (values + 1j * values[::-1]).astype(dtype) if dtype == "c16" else values.astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16", "?"])
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_products(left: tuple[int, ...], right: tuple[int, ...], dtype: str) -> None:
    a, b = numbers(left, dtype), numbers(right, dtype)
    x, y = la.array(a), la.array(b)
    with np.errstate(invalid="ignore"):  # OpenBLAS sets that flag by what lies behind small rows
        expected, dot = a @ b, np.dot(a, b) if len(left) < 3 and len(right) < 3 else None
    for ours in (x @ y, x @ b, a @ y):
        assert (ours.shape, ours.dtype) == (np.shape(expected), np.asarray(expected).dtype)
        assert np.array_equal(la.evaluate(ours), expected)
    if dot is not None:
        assert np.array_equal(la.evaluate(np.dot(x, y)), dot)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [90, 300])
def test_products_under_a_bound_of_threads(size: int, threads: int) -> None:
    random = np.random.default_rng(size)
    a, v = random.standard_normal((size, size)), random.standard_normal(size)
    x, y = la.array(a), la.array(v)
    with la.config(threads=threads):
        for _ in range(2):  # the first one looks for BLAS
            products = [x @ y, y @ x, x.T @ y, (x * 2) @ y, x.dot(y), np.dot(x, x)]
            if COMPILED is not None:
                assert all(memory_of(product) is not None for product in products)
    expected = [a @ v, v @ a, a.T @ v, (a * 2) @ v, a.dot(v), np.dot(a, a)]
    for product, numpys in zip(products, expected, strict=True):
        np.testing.assert_allclose(np.asarray(product), numpys, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("size", [5, 40_000])
def test_dot_is_computed_where_blas_has_more_threads(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(size)
    a, b = random.standard_normal(size), random.standard_normal(size)
    x, y = la.array(a), la.array(b)
    if COMPILED is not None:
        COMPILED.install_blas(())  # as before the first product, or where BLAS has no such bound
    with la.config(threads=1):
        for product in (x.dot(y), np.dot(x, y), la.dot(x, b), la.dot(a, y)):
            assert memory_of(product) is not None
            np.testing.assert_allclose(float(product), a.dot(b), rtol=1e-12)
        with pytest.raises(ValueError, match="not aligned"):
            la.dot(x, y[1:])
        np.testing.assert_array_equal(la.dot(x, 2.0), a * 2)


def test_a_product_of_nothing_is_in_memory() -> None:
    x = la.array(np.ones((5, 5)))
    assert memory_of(x[0, :0] @ x[:0, 1]) is not None
    assert memory_of(x[:, :0] @ x[:0, :]) is not None


@pytest.mark.parametrize(
    "shapes", [((3,), (4,)), ((2, 3), (2, 3)), ((2, 3, 4), (3, 4, 2)), ((), (3,))]
)
def test_operands_that_do_not_fit(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = (np.ones(shape) for shape in shapes)
    with pytest.raises(ValueError):
        a @ b
    with pytest.raises(ValueError):
        la.array(a) @ la.array(b)


def test_a_wrapped_factor_is_read_when_the_product_is_asked_for() -> None:
    a = np.arange(40_000.0).reshape(200, 200)
    x = la.asarray(a)
    v = la.array(np.ones(200))
    with la.config(threads=1):
        one = la.evaluate(x @ v)
    assert np.array_equal(one, a @ np.ones(200))
    assert np.array_equal(la.evaluate(x @ v), one)


@pytest.mark.parametrize("size", [5, 80])
def test_an_element_as_an_index_chooses_a_view(size: int) -> None:
    """The view stays where it is, whatever the element that chose it becomes."""
    a = np.arange(size**2, dtype=float).reshape(size, size)
    x, places, n = la.array(a), la.array([3, 1]), np.array([3, 1])
    row, line = x[places[0]], a[n[0]]
    places[0] = n[0] = 2
    row[1:] = 7
    line[1:] = 7
    assert np.array_equal(la.evaluate(x), a)
    x[0, 0] = a[0, 0] = -1
    x[3] += 1
    a[3] += 1
    assert np.array_equal(la.evaluate(row), line)
    assert np.shares_memory(row, x)
    assert np.array_equal(la.evaluate(x[places[1], 1:]), a[n[1], 1:])
    assert float(x[places[1], places[0]]) == a[n[1], n[0]]
    with pytest.raises(IndexError):
        x[la.array([size])[0]]


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_expressions_of_middle_sizes_are_computed_for_products(dtype: str) -> None:
    a, v = numbers((150, 150), dtype), numbers((150,), dtype)
    big, x = la.array(np.tile(a, (2, 2))), la.array(np.tile(v, 2))
    scaled = big - 1
    first, second = scaled @ x, x @ scaled.T
    assert scaled._array is not None and memory_of(first) is not None
    expected = np.tile(a, (2, 2)) - 1
    np.testing.assert_array_equal(first, expected @ np.tile(v, 2))
    np.testing.assert_array_equal(second, np.tile(v, 2) @ expected.T)
    assert first.dtype == second.dtype == np.dtype(dtype)
    row = (big * big)[3]
    np.testing.assert_array_equal((big * big) @ row, (a := np.tile(a, (2, 2))) ** 2 @ a[3] ** 2)


def test_views_of_wrapped_arrays_are_factors() -> None:
    a, v = numbers((300, 200), "f8"), numbers((300,), "f8")
    product = la.asarray(a).T @ la.asarray(v)
    assert memory_of(product) is not None
    np.testing.assert_array_equal(product, a.T @ v)


def test_expressions_stay_where_settings_or_tracing_ask_for_it() -> None:
    a, v = numbers((300, 300), "f8"), numbers((300,), "f8")
    with la.config(implicit="raise"):
        x = la.asarray(a) - 1
        assert memory_of(x @ la.asarray(v)) is None
    with la.config(immediate=0):
        x = la.asarray(a) - 1
        assert memory_of(x @ la.asarray(v)) is None and memory_of(x) is None
    function = la.jit(lambda x, y: (x - 1) @ y)
    np.testing.assert_allclose(function(a, v), (a - 1) @ v)
    gradient = la.grad(lambda x: ((x - 1) @ la.asarray(v)).sum())(la.asarray(a))
    np.testing.assert_allclose(gradient, np.tile(v, (300, 1)))


@pytest.mark.parametrize("function", ["dot", "vdot", "inner", "matmul"])
@pytest.mark.parametrize("step", [1, 3, -2])
def test_products_of_vectors_have_the_bits_of_numpys(function: str, step: int) -> None:
    if COMPILED is None and function == "matmul" and step != 1:
        pytest.skip(
            "Python's form copies vectors of other strides, which BLAS sums in another order"
        )
    a, b = np.random.default_rng(3).standard_normal((2, 700))
    x, y = la.array(a), la.array(b)
    for ours in ((x[::step], y[::step]), (x[::step], b[::step]), (a[::step], y[::step])):
        for module in (np, la):
            result = getattr(module, function)(*ours)
            assert type(result) is la.LazyArray
            assert memory_of(result) == getattr(np, function)(a[::step], b[::step])
    special = np.array([np.inf, np.nan, -0.0]), np.array([0.0, 1.0, -0.0])
    for k in range(3):
        pair = special[0][k : k + 1], special[1][k : k + 1]
        with np.errstate(invalid="ignore"):
            expected = getattr(np, function)(*pair)
            result = getattr(la, function)(*map(la.array, pair))
        np.testing.assert_array_equal(result, expected)
        assert np.signbit(result) == np.signbit(expected)


def test_the_operator_warns_of_products_of_vectors() -> None:
    x = la.array([np.inf, 1.0])
    for a, b in ((x, la.array([0.0, 1.0])), (la.array([1e300, 1.0]), la.array([1e300, 1.0]))):
        with pytest.warns(RuntimeWarning, match="encountered in matmul"):
            a @ b


AXES = [0, 1, 2, ([0], [1]), ([1, 0], [0, 1]), (1, 0), ((), ()), (-1, 0), [[0], [-1]]]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("shapes", [((5, 5), (5, 5)), ((5, 5, 2), (5, 5, 3)), ((40,), (40,))])
def test_tensordot_at_once(shapes: tuple[tuple[int, ...], tuple[int, ...]], axes: Any) -> None:
    a, b = (np.random.default_rng(1).random(shape) for shape in shapes)
    x, y = la.array(a), la.array(b)
    try:
        expected = np.tensordot(a, b, axes=axes)
    except (ValueError, IndexError, TypeError) as error:
        with pytest.raises(type(error)):
            la.evaluate(la.tensordot(x, y, axes=axes))
        return
    for result in (
        la.tensordot(x, y, axes),
        la.tensordot(x, y, axes=axes),
        np.tensordot(x, y, axes),
    ):
        np.testing.assert_array_equal(result, expected)
        assert memory_of(result) is not None


def test_a_large_tensordot_is_no_product_at_once() -> None:
    x = la.array(np.ones(3000))
    assert memory_of(la.tensordot(x, x, axes=1)) == 3000
    assert memory_of(la.tensordot(x, x, axes=0)) is None
