"""Arrays that come to lie in memory: loops that read and write them, with NumPy's values."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import pipeline
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.addresses import address_of

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the plans that are made."""
    counted: list[int] = []
    build = pipeline._build

    def counting(*args: Any, **keywords: Any) -> Any:
        counted.append(1)
        return build(*args, **keywords)

    monkeypatch.setattr(pipeline, "_build", counting)
    forget_plans()  # other tests have expressions of the same forms
    return counted


def _relax(u: Any) -> None:
    u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


def test_a_loop_that_writes_a_slice_stays_in_its_memory(plans: list[int]) -> None:
    values = np.random.default_rng(1).random((300, 200))  # more than NumPy is to compute
    u = la.array(values)
    _relax(values)
    _relax(u)
    place, compiled = address_of(u._array), len(plans)
    tracemalloc.start()
    try:
        for _ in range(60):
            _relax(values)
            _relax(u)
        arrays = tracemalloc.DomainFilter(True, np.lib.tracemalloc_domain)
        traces = tracemalloc.take_snapshot().filter_traces([arrays]).traces
        assert sum(trace.size for trace in traces) < 300_000
    finally:
        tracemalloc.stop()
    assert address_of(u._array) == place
    assert (compiled, len(plans)) == (1, 1)
    np.testing.assert_array_equal(la.evaluate(u), values)


def _columns(m: Any, image: Any) -> Any:
    y = m.zeros_like(image)
    for j in range(1, image.shape[1]):
        y[:, j] = 0.3 * image[:, j] + 0.7 * y[:, j - 1]
    return y


def _elements(m: Any, image: Any) -> Any:
    x = m.array(image).ravel()
    total = 0.0
    for i in range(1, 300):
        x[i] = x[i - 1] * 0.5 + x[i]
        total += float(x[i])
        if x[i] > 1:
            x[i] = 1.0
    return x * total


def _masks(m: Any, image: Any) -> Any:
    x = m.array(image)
    x[0, 0] = 3
    for k in range(8):
        x[x > k / 10] *= 0.9
        x[x < k / 20] = 0.1 * k
        x[[k, k + 1]] = x[[k + 3, k + 2]]
    return x


def _rows(m: Any, image: Any) -> Any:
    x = m.array(image)
    for row in x:
        row -= row.mean()
    x.T[3] = x[:, 4]
    first, second = x[:2]
    first += second
    np.add(x[1:], 1, out=x[1:])
    x[::-1, 2:4] -= x[:, :2]
    return x


@pytest.mark.parametrize(
    ("program", "most"), [(_columns, 0), (_elements, 0), (_rows, 1), (_masks, 9)]
)
def test_programs_of_elements_rows_and_columns(program: Any, most: int, plans: list[int]) -> None:
    image = np.random.default_rng(2).random((75, 60))
    expected = program(np, image)
    result = program(la, la.asarray(image))
    assert len(plans) <= most
    np.testing.assert_array_equal(la.evaluate(result), expected)


def test_a_small_write_computes_what_is_pending_once(plans: list[int]) -> None:
    a = np.linspace(0, 1, 90_000).reshape(900, 100)
    x = la.asarray(a) * 2 + 1
    reader = x - 1
    x[3] = 0.0
    x[:, 5] = 7.0
    assert x._array is not None and len(plans) == 1
    np.testing.assert_array_equal(la.evaluate(reader), a * 2 + 1 - 1)
    expected = a * 2 + 1
    expected[3] = 0.0
    expected[:, 5] = 7.0
    np.testing.assert_array_equal(la.evaluate(x), expected)


def test_what_is_written_is_computed_once(plans: list[int]) -> None:
    u = la.array(np.ones((3000, 700)))  # more than NumPy is to compute in a pass
    part = u[1:, 1:] * 3
    u[:-1, :-1] = part
    u[1:, 1:] = part
    assert part._array is not None or not part._node.src
    assert len(plans) == 1
    expected = np.ones((3000, 700))
    expected[:-1, :-1] = expected[1:, 1:] = 3
    np.testing.assert_array_equal(la.evaluate(u), expected)


def test_settings_leave_everything_to_the_compiler() -> None:
    values = np.arange(9000.0)
    for settings in ({"immediate": 0}, {"implicit": "raise"}):
        with la.config(**settings):  # type: ignore[arg-type]
            x = la.asarray(values)
            y = x[1:] * 2
            x[4] = 1.0
            assert x._array is None
        assert float(x[4]) == 1.0
        np.testing.assert_array_equal(la.evaluate(y), values[1:] * 2)


def test_a_traced_function_reads_large_arrays_as_they_are() -> None:
    x = la.array(np.arange(9000.0))
    x[0] = 5
    added = la.jit(lambda y: y + x[1:])
    before = np.arange(1.0, 9000.0)
    np.testing.assert_array_equal(added(np.ones(8999)), before + 1)
    y = la.asarray(np.ones(9000))
    gradient = la.grad(lambda z: (z * x).sum())
    np.testing.assert_array_equal(np.asarray(gradient(y))[:2], [5, 1])


def test_errors_are_those_of_expressions() -> None:
    x = la.array(np.ones((80, 90)))
    x[0, 0] = 2
    with pytest.raises(la.errors.ShapeError):
        x[1:] = np.ones((3, 3))
    with pytest.raises(la.errors.IndexingError):
        x[80]
    x.flags.writeable = False
    with pytest.raises(la.errors.ArgumentError):
        x[3] = 1
    assert float(x.sum()) == 80 * 90 + 1


def test_powers_of_selections_gather_nothing(plans: list[int]) -> None:
    z, c = np.zeros((150, 150), complex), np.linspace(-2, 1, 22_500).reshape(150, 150) + 0.5j
    lazy, other = la.array(z), la.array(c)
    counts, expected = la.zeros(z.shape), np.zeros(z.shape)
    for k in range(20):
        for m, x, y, count in ((np, z, c, expected), (la, lazy, other, counts)):
            inside = m.abs(x) < 2
            x[inside] = x[inside] ** 2 + y[inside]
            count[inside] = k
    assert len(plans) <= 8
    np.testing.assert_array_equal(la.evaluate(counts), expected)


@pytest.mark.parametrize("length", [40, 20_000])
def test_selections_are_selected_from_and_written_by(length: int) -> None:
    def program(xp: Any, x: Any) -> Any:
        rows, kept = xp.arange(length), x * 1.0
        out = xp.zeros(length)
        for k in range(3):
            chosen = kept > 0.7 - 0.1 * k
            out[rows[chosen]] = kept[chosen] + k
            rows, kept = rows[~chosen], kept[~chosen]
        return out, rows, kept

    x = np.random.default_rng(3).random(length)
    for mine, expected in zip(program(la, la.asarray(x)), program(np, x), strict=True):
        np.testing.assert_array_equal(np.asarray(mine), expected)
        assert mine.dtype == expected.dtype


def test_few_bytes_are_computed_without_a_plan(plans: list[int]) -> None:
    a = np.random.default_rng(5).random((6000, 3))
    x, out, expected = la.asarray(a), la.zeros((3, 3)), np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            out[i, j] = (np.sqrt(x[:, i]) * x[:, j] + 1).sum()
            expected[i, j] = (np.sqrt(a[:, i]) * a[:, j] + 1).sum()
    assert not plans
    np.testing.assert_array_equal(la.evaluate(out), expected)


def test_no_value_is_computed_more_than_twice(plans: list[int]) -> None:
    a = np.random.default_rng(6).random((6000, 8))
    x = la.asarray(a)
    table = (x - x.mean(axis=0)) / 2
    sums = [float((table[:, i] * table[:, i]).sum()) for i in range(8)]
    assert len(plans) <= 2
    expected = ((a - a.mean(axis=0)) / 2) ** 2
    np.testing.assert_allclose(sums, expected.sum(axis=0), rtol=1e-12)


def test_a_value_that_warns_warns_at_the_users_line() -> None:
    x = la.array(np.zeros((80, 90)))
    x[0, 0] = 1
    with pytest.warns(RuntimeWarning, match="divide by zero") as warned:
        x[1:, 1:] = 1.0 / x[:-1, 1:]
    assert {warning.filename for warning in warned} == {__file__}
    assert np.isinf(la.evaluate(x)[1, 1])


def test_a_row_of_a_pending_array_is_written_in_place(plans: list[int]) -> None:
    x = la.zeros((9, 9000))
    for k in range(20):
        x[k % 9] += k
    assert not plans
    expected = np.zeros((9, 9000))
    for k in range(20):
        expected[k % 9] += k
    np.testing.assert_array_equal(la.evaluate(x), expected)


@pytest.mark.parametrize("limit", [0, 4096])
def test_zeros_that_are_written_to_stay_zeros_of_plans(limit: int) -> None:
    y = np.linspace(0, 1, 40_000).reshape(200, 200)
    with la.config(immediate=limit):
        u = la.zeros((200, 200))
        same = u._node  # as a plan may refer to it
        u[0, :3] = 1
        assert same.op is not None
        for zeros in (abs(la.zeros((200, 200), complex)), la.zeros((200, 200), "i8")):
            np.testing.assert_array_equal(la.evaluate(zeros + la.asarray(y)), y)
        assert float(u.sum()) == 3


def test_a_view_in_memory_whose_owner_became_an_expression_is_evaluated() -> None:
    values = np.linspace(-1.0, 1.0, 2_000_000)
    with la.config(immediate=4096, implicit="allow"):
        x = la.asarray(values)
        part = x[:10]
        x[x * 2 < 0] *= -1
        assert x._array is None
        np.testing.assert_array_equal(la.evaluate(part), -values[:10])


@pytest.mark.parametrize("size", [12, 3000, 60_000, 300_000])
def test_an_array_that_was_copied_to_itself_keeps_its_value(size: int) -> None:
    writes: list[Any] = [
        lambda x: np.put(x, [7, 0], [9, 7]),
        lambda x: np.place(x, x > 5, [1, 2]),
        lambda x: np.fill_diagonal(x.reshape(3, -1), 4),
        lambda x: x.__setitem__(slice(2, 5), 5),
        lambda x: x.sort(),
    ]
    for write in writes:
        expected, x = np.arange(size), la.asarray(np.arange(size))
        expected[None, -3] = 4
        x[None, -3] = 4
        np.copyto(x, x)
        write(expected)
        write(x)
        np.testing.assert_array_equal(np.asarray(x), expected)
