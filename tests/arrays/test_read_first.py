"""Pending arrays that are computed before an operation that then runs at once, as NumPy's."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED

Array = np.ndarray[Any, Any]

pytestmark = pytest.mark.host
compiled = pytest.mark.skipif(COMPILED is None, reason="Python's form builds expressions")


@pytest.fixture(autouse=True)
def small_arrays() -> Iterator[None]:
    """Arrays of more than 512 elements are pending, those of more than 2,048 stay so."""
    with la.config(immediate=64, implicit="allow", optimize=False):
        yield


def _numbers(shape: Any, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def _lies(array: Any) -> bool:
    return array._array is not None


@compiled
def test_what_is_made_of_a_small_reduction_runs_at_once() -> None:
    x = la.sin(la.asarray(_numbers((40, 50))))  # one in memory is reduced at once
    sums = x.sum(axis=1)
    assert not _lies(sums)
    roots = la.sqrt(abs(sums)) + 1
    assert _lies(roots)
    assert _lies(sums)
    weights = x.mean(axis=0)
    weights -= 1
    assert _lies(weights)
    assert _lies(x.max(axis=1)[3:] * 2)
    assert _lies(la.where(x.min(axis=1) > 0, 1.0, x.min(axis=1)))


def test_what_larger_arrays_read_waits_for_them() -> None:
    x = la.sin(la.asarray(_numbers((40, 50))))  # one in memory is reduced at once
    sums = x.sum(axis=1, keepdims=True)
    assert not _lies(x / sums)
    assert not _lies(sums)  # one kernel computes both
    long = la.asarray(_numbers((400, 50)))
    assert not _lies(la.sqrt(abs(long.sum(axis=1))))
    assert not _lies(x.sum() * 2 + x.max())  # numbers are computed together


@compiled
def test_functions_and_indices_compute_what_they_read() -> None:
    x = la.asarray(_numbers(400))
    pending = la.sin(la.exp(x) + 1)
    assert not _lies(pending)
    part = pending[3:]
    assert _lies(pending)
    assert _lies(part)
    other = la.sin(x)
    chosen = la.where(x > 0, other, 0.0)
    assert _lies(chosen)
    assert _lies(la.zeros_like(la.cos(x)))
    assert _lies(la.sin(x).T)


@compiled
def test_bytes_beside_a_number_of_pythons_run_at_once() -> None:
    few = la.asarray(np.arange(1500).astype("int8"))  # as many bytes as 188 numbers
    assert _lies(0 + few)
    assert _lies(few * 2)
    assert not _lies(la.asarray(np.ones(1500)) * 2)
    assert not _lies(0.5 * few)
    truths = few > 3
    for ours, theirs in ((0 + truths, 0 + np.asarray(truths)), (3 - few, 3 - np.asarray(few))):
        np.testing.assert_array_equal(np.asarray(ours), theirs)
        assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "?", "c16", "f2"])
def test_squares_of_expressions(dtype: str) -> None:
    x = (_numbers(3000) * 9).astype(dtype)
    for _ in range(3):
        pending = la.asarray(x) + la.asarray(x)
        square = pending**2
        np.testing.assert_array_equal(np.asarray(square), (x + x) ** 2)
        assert square.dtype == ((x + x) ** 2).dtype


_CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "dot": lambda m, a, x: m.dot(a, x),
    "dot of matrices": lambda m, a, x: m.dot(a, a.T),
    "method dot": lambda m, a, x: a.dot(x),
    "matmul": lambda m, a, x: m.matmul(a.T, m.sin(a)),
    "operator": lambda m, a, x: (a * 2 + 1).T @ a,
    "joined factor": lambda m, a, x: m.stack([x, 2 * x, m.cos(x)], axis=1).T @ x,
    "chain": lambda m, a, x: (a.T @ a) @ (a.sum(axis=0) / 3),
    "inner": lambda m, a, x: m.inner(a, x),
    "inner of vectors": lambda m, a, x: m.inner(x, x),
    "einsum": lambda m, a, x: m.einsum("ij,j->i", a, x),
    "einsum of rows": lambda m, a, x: m.einsum("ij, ij -> i", a, a),
    "einsum trace": lambda m, a, x: m.einsum("ii", a),
    "diag": lambda m, a, x: m.diag(a) + 0,
    "trace": lambda m, a, x: m.trace(a),
    "take": lambda m, a, x: m.take(a, [1, 3], axis=1),
    "qr": lambda m, a, x: abs(m.linalg.qr(a[:, :3])[1]),
    "svd": lambda m, a, x: m.linalg.svd(a[:, :3], full_matrices=False)[1],
    "cov": lambda m, a, x: m.cov(a[:, :3], rowvar=False),
    "r_": lambda m, a, x: m.r_[True, x > 0, x[:3] < 1],
    "r_ of numbers": lambda m, a, x: m.r_[0.5, x * 3, 1:4, x.sum()],
    "c_": lambda m, a, x: m.c_[x, m.sin(x)],
    "percentile": lambda m, a, x: m.percentile(m.sin(a), [5, 95]),
    "reduceat": lambda m, a, x: m.add.reduceat(x, [0, 3, 9]),
    "argsort": lambda m, a, x: m.argsort(m.sin(x), kind="stable"),
    "std": lambda m, a, x: (a * 1).std(axis=0),
    "std of integers": lambda m, a, x: (a * 9).astype(int).std(axis=1),
    "reshape": lambda m, a, x: m.sin(a).reshape(-1, 5) * a.T.reshape(-1, 5),
}


@pytest.mark.parametrize("name", _CALLS)
@pytest.mark.parametrize("side", [10, 20, 50])
def test_calls_have_numpys_values(name: str, side: int) -> None:
    a, x = _numbers((side, side)), _numbers(side, 1)
    expected = _CALLS[name](np, a, x)
    shown = _CALLS[name](la, la.asarray(a.copy()), la.asarray(x.copy()))
    value = np.asarray(shown)
    assert value.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(value, expected, rtol=1e-11, atol=1e-12)
    assert value.shape == np.shape(expected)


_FILLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "fill_diagonal": lambda m, a, x: m.fill_diagonal(a, 7.5),
    "copyto": lambda m, a, x: m.copyto(a, x),
    "copyto under a mask": lambda m, a, x: m.copyto(a, 2.0, where=a > 0),
    "put": lambda m, a, x: m.put(a, [1, 5], [3.0, 4.0]),
    "place": lambda m, a, x: m.place(a, a > 1, [9.0, 8.0]),
    "putmask": lambda m, a, x: m.putmask(a, a < 0, a * a),
    "put_along_axis": lambda m, a, x: m.put_along_axis(a, m.argmax(a, axis=1)[:, None], 0.0, 1),
}


@pytest.mark.parametrize("name", _FILLS)
@pytest.mark.parametrize("side", [5, 21])
@pytest.mark.parametrize("pending", [False, True])
def test_functions_that_write_to_an_argument(name: str, side: int, pending: bool) -> None:
    a, x = _numbers((side, side)), _numbers(side, 1)
    results = []
    for module, own, other in ((np, a.copy(), x), (la, la.asarray(a.copy()), la.asarray(x))):
        target = module.sin(own) if pending else own + 0
        view, before = target[1:, ::2], target * 2
        assert _FILLS[name](module, target, other) is None
        view[0] = 5
        results.append([np.asarray(value) for value in (target, view, before)])
    for value, expected in zip(*results, strict=True):
        np.testing.assert_allclose(expected, value, rtol=1e-14)


def test_functions_that_write_refuse_as_numpys_do() -> None:
    a = la.asarray(np.arange(9).reshape(3, 3))
    kept = a + 0
    with pytest.raises(TypeError):
        la.copyto(kept, 1.5)
    np.testing.assert_array_equal(np.asarray(kept), np.arange(9).reshape(3, 3))


_STATEMENTS = (
    "s = {x}.sum(axis=0)",
    "s = {x}.mean(axis=1)",
    "s = s * 2 - 1",
    "s -= s.max()",
    "s = np.sqrt(abs(s)) + {x}.max(axis=0)[: len(s)].sum()",
    "{x} = {x} - s[:20]",
    "{x} = np.where({x} > 0, {x}, np.sin({y}))",
    "{x} = {x} * s[:20] + {y}",
    "{x}[1:] = np.clip({y}, -1, 1)[:-1]",
    "{y} = np.roll(np.cos({x}), 1, 0)",
    "{y}[{y} > 0.5] = 0.25",
    "np.fill_diagonal({y}, s[0])",
    "s = np.r_[s[:10], {x}[0, 10:]]",
    "s = ({x}.T @ {y}).sum(axis=1)",
    "s = np.sort(s)[::-1] + np.cumsum({x}.min(axis=0))",
    "v = {y}.T; v[2:] += 1",
    "s = np.percentile({x}, [5, 50, 95]).sum() + s",
)


@pytest.mark.parametrize("seed", range(12))
def test_programs_have_numpys_values(seed: int) -> None:
    draw = random.Random(seed)
    lines = [
        draw.choice(_STATEMENTS).format(x=draw.choice("xy"), y=draw.choice("xy")) for _ in range(9)
    ]
    results = []
    for module in (np, la):
        names: dict[str, Any] = {"np": module, "s": module.asarray(_numbers(20, 2))}
        for name, number in (("x", 3), ("y", 4)):
            names[name] = module.asarray(_numbers((20, 20), number))
        for line in lines:
            exec(line, names)
        results.append([np.asarray(names[name]) for name in "xys"])
    for expected, value in zip(*results, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-10, err_msg="\n".join(lines))


@compiled
def test_a_value_of_a_derivative_that_stays_leaves_others_as_they_are() -> None:
    kept: list[la.LazyArray] = []

    def raising(x: la.LazyArray) -> la.LazyArray:
        kept.append(la.exp(x))
        raise ValueError

    x = la.asarray(_numbers(400))
    with pytest.raises(ValueError):
        la.grad(raising)(x)
    pending = la.sin(la.exp(x) + 1)
    part = pending[3:]
    assert _lies(pending)
    assert _lies(part)
    assert not _lies(la.sin(kept[0] + 1)[3:])


_MOVING: dict[str, Callable[..., Any]] = {
    "append": lambda np, x: np.append(x, x[:1]),
    "cov": lambda np, x: np.cov(x),
    "delete": lambda np, x: np.delete(x, 3),
    "diff": lambda np, x: np.diff(x),
    "gradient": lambda np, x: np.gradient(x),
    "insert": lambda np, x: np.insert(x, 2, 1.0),
    "pad": lambda np, x: np.pad(x, 2, mode="edge"),
    "roll": lambda np, x: np.roll(x, 5),
}


@pytest.mark.parametrize("name", sorted(_MOVING))
@pytest.mark.parametrize("size", [300, 1_500, 9_000])
def test_functions_that_read_elements_at_other_places(name: str, size: int) -> None:
    """An argument with a name is computed once, for what else reads it."""
    x = _numbers((size,))
    pending = la.sin(la.asarray(x)) * 2 - 1
    expected = np.sin(x) * 2 - 1
    moved = _MOVING[name](la, pending)
    if COMPILED is not None and size == 1_500:
        assert _lies(pending)
    np.testing.assert_allclose(
        np.asarray(moved), _MOVING[name](np, expected), 1e-12, 1e-13, err_msg=name
    )
    np.testing.assert_allclose(np.asarray(pending), expected, 1e-12, 1e-13)


@compiled
def test_functions_of_single_elements_and_of_repeated_ones_leave_their_argument_pending() -> None:
    for function in (lambda x: la.clip(x, 0, 1), lambda x: la.tile(x, 3), lambda x: la.round(x, 2)):
        pending = la.sin(la.asarray(_numbers((1_500,)))) * 2 - 1
        function(pending)
        assert not _lies(pending)


@pytest.mark.parametrize("seed", range(12))
def test_pending_indices(seed: int) -> None:
    random = np.random.default_rng(seed)
    size, length = int(random.integers(100, 3_000)), int(random.integers(20, 3_000))
    x, places = random.standard_normal(length), random.integers(0, length, size)
    lazy, index = la.array(x), la.asarray(places)
    chosen = lazy[index * 3 % length - 1]
    np.testing.assert_array_equal(np.asarray(chosen), x[places * 3 % length - 1])
    if COMPILED is not None and 64 < size <= 512:
        assert _lies(chosen)
    lazy[index * 7 % length] = 1.5
    x[places * 7 % length] = 1.5
    np.testing.assert_array_equal(np.asarray(lazy), x)
    table, y = random.standard_normal((9, length)), la.asarray(random.integers(0, 9, size))
    np.testing.assert_array_equal(
        np.asarray(la.asarray(table)[y * 2 % 9, index % length]),
        table[np.asarray(y) * 2 % 9, places % length],
    )


@pytest.mark.parametrize("seed", range(8))
def test_products_of_parts_of_an_expression(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(600, 4_000))
    x = random.standard_normal(size)
    lazy = la.asarray(x) * 2
    expected = x * 2
    products = [la.dot(lazy[: size - k], lazy[k:]) for k in range(5)]
    assert COMPILED is None or _lies(lazy)
    theirs = [np.dot(expected[: size - k], expected[k:]) for k in range(5)]
    np.testing.assert_allclose([float(p) for p in products], theirs, 1e-12, 1e-12)
    matrix = la.asarray(x[:600].reshape(30, 20)) - 1
    product = matrix[:, 2:] @ matrix[:, 2:].T
    np.testing.assert_allclose(
        np.asarray(product),
        (x[:600].reshape(30, 20) - 1)[:, 2:] @ (x[:600].reshape(30, 20) - 1)[:, 2:].T,
        1e-12,
        1e-12,
    )


@compiled
def test_small_parts_leave_an_expression_pending() -> None:
    lazy = la.asarray(_numbers((9_000,))) * 2 - 1
    la.dot(lazy[10:2_500], lazy[20:2_510])
    assert not _lies(lazy)


@pytest.mark.parametrize("seed", range(6))
def test_comparisons_of_what_is_written_next(seed: int) -> None:
    """The best values so far, and where they came from, as of a knapsack."""
    random = np.random.default_rng(seed)
    size = int(random.integers(800, 9_000))

    def filled(np: Any, best: Any) -> Any:
        taken = np.zeros((6, size), dtype=bool)
        for i, weight in enumerate((3, 1, 40, 7, 2, 700)):
            candidates = best[:-weight] + weight * 0.75
            taken[i, weight:] = candidates > best[weight:]
            best[weight:] = np.maximum(best[weight:], candidates)
        return best, taken

    start = random.integers(0, 9, size).astype(float)
    expected = filled(np, start.copy())
    for mine, theirs in zip(filled(la, la.array(start)), expected, strict=True):
        np.testing.assert_array_equal(np.asarray(mine), theirs)


@compiled
def test_a_compared_operand_with_a_name_is_computed_once() -> None:
    x, y = (la.asarray(_numbers((4_000,), seed)) for seed in range(2))
    total = x + y
    below = total < x
    assert _lies(total)
    assert _lies(below)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(300,), (20, 25), (50, 60)])
def test_operators_in_place_with_parts_that_have_names(shape: Any, order: Any) -> None:
    x = np.asarray(_numbers(shape), order=order)
    values, marked = la.asarray(x), la.zeros(shape, dtype=bool)
    kinds = la.floor(la.arctan2(values, 1 - values) * 4).astype(int) % 4
    expected = np.floor(np.arctan2(x, 1 - x) * 4).astype(int) % 4
    seen = np.zeros(shape, dtype=bool)
    for k in range(4):
        part = kinds == k
        part &= values >= 0.1 * k
        marked |= part
        marked |= (kinds == k) & (values >= 0.5)
        theirs = expected == k
        theirs &= x >= 0.1 * k
        seen |= theirs
        seen |= (expected == k) & (x >= 0.5)
        assert part.strides == theirs.strides
        np.testing.assert_array_equal(np.asarray(part), theirs)
    assert marked.strides == seen.strides
    np.testing.assert_array_equal(np.asarray(marked), seen)


@compiled
def test_few_elements_are_written_in_place_whatever_else_reads_the_operand() -> None:
    x = la.asarray(_numbers((300,)))
    kinds = la.arctan2(x, 1 - x)
    marked = la.zeros(300, dtype=bool)
    marked |= (kinds > 0) & (x > 0)
    assert _lies(marked)
