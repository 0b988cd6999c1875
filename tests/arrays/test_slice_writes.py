"""Expressions that kernels write straight into slices of arrays in memory."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays import slice_writes
from lazyarr.arrays.compiled import install_values
from lazyarr.arrays.fields import COMPILED
from tests.support.view_programs import run_program

Array = np.ndarray[Any, Any]


@contextmanager
def _looked_at_from(nbytes: int) -> Iterator[None]:
    """Let kernels write to slices of so many bytes."""
    if COMPILED is not None:
        install_values(nbytes, nbytes)
    try:
        yield
    finally:
        if COMPILED is not None:
            install_values()


@pytest.fixture
def exchanges(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """What became of each attempt to write by the kernel, of arrays of any size."""
    outcomes: list[bool] = []
    exchange = slice_writes._exchange

    def noted(*arguments: Any) -> bool:
        outcomes.append(exchange(*arguments))
        return outcomes[-1]

    monkeypatch.setattr(slice_writes, "_exchange", noted)
    monkeypatch.setattr(slice_writes, "keep_cheap", lambda value: False)
    monkeypatch.setattr(slice_writes, "EXCHANGED_BYTES", 1)
    with la.config(immediate=1), _looked_at_from(0):
        yield outcomes


def _square(rows: int = 9, columns: int = 8) -> Array:
    return np.random.default_rng(rows).random((rows, columns))


def _both(program: Callable[[Any, Any], Any], *arrays: Array) -> None:
    """Check that a program leaves in its arrays what it leaves in NumPy's."""
    ours, theirs = [la.array(a) for a in arrays], [a.copy() for a in arrays]
    program(la, ours)
    program(np, theirs)
    for mine, expected in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(np.asarray(mine), expected)


def _stencil(xp: Any, arrays: list[Any]) -> None:
    (u,) = arrays
    for _ in range(4):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def _updates(xp: Any, arrays: list[Any]) -> None:
    u, w = arrays
    for _ in range(3):
        u[1:] -= 0.5 * (w[1:] - w[:-1])
        w[:, 1:] *= 1 + u[:, 1:] * 0.1


def _views(xp: Any, arrays: list[Any]) -> None:
    u, w = arrays
    turned, backward, rows = u.T, u[::-1, ::-1], u[1:]
    for _ in range(3):
        turned[1:, :-1] = w.T[1:, :-1] + turned[:-1, 1:]
        backward[1:, 1:] = backward[:-1, :-1] * w[1:, 1:]
        rows[:, 2:] = rows[:, :-2] - w[1:, 1:-1]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("program", [_stencil, _updates, _views])
def test_programs_agree_with_numpy(
    program: Callable[[Any, Any], Any], order: Any, exchanges: list[bool]
) -> None:
    arrays = [np.array(_square(), order=order), _square()]
    _both(program, *arrays[: 1 if program is _stencil else 2])
    assert all(exchanges) and len(exchanges) >= 4


def test_middle_sizes_are_written_by_kernels() -> None:
    _both(_stencil, _square(500, 400))
    _both(_updates, _square(500, 400), _square(500, 400))


def test_old_values_stay_as_they_are(exchanges: list[bool]) -> None:
    x = _square()
    u = la.array(x)
    shown = np.asarray(u)
    view, pending = u[2:5], u[1:] * 3
    u[1:-1] = u[:-2] + u[2:]
    expected = x.copy()
    expected[1:-1] = x[:-2] + x[2:]
    assert exchanges == [True]
    np.testing.assert_array_equal(shown, x)
    np.testing.assert_array_equal(pending.compute(), x[1:] * 3)
    np.testing.assert_array_equal(np.asarray(view), expected[2:5])
    view += 1
    expected[2:5] += 1
    np.testing.assert_array_equal(np.asarray(u), expected)


def test_a_wrapped_array_is_not_written_to(exchanges: list[bool]) -> None:
    x = _square()
    before = x.copy()
    u = la.asarray(x)
    u[1:] = u[:-1] * 2
    assert exchanges == [True]
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(np.asarray(u)[1:], before[:-1] * 2)


def test_a_read_only_array_stays(exchanges: list[bool]) -> None:
    u = la.array(_square())
    u.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        u[1:] = u[:-1] * 2
    assert not any(exchanges)
    np.testing.assert_array_equal(np.asarray(u), _square())


@pytest.mark.parametrize("through", ["raise", "error"])
def test_exceptions_leave_the_array_as_it_was(through: str, exchanges: list[bool]) -> None:
    x = _square()
    x[3, 3] = 0
    u = la.array(x)
    rows = u[2:]
    with warnings.catch_warnings(), np.errstate(divide="raise" if through == "raise" else "warn"):
        warnings.simplefilter("error")
        with pytest.raises((FloatingPointError, RuntimeWarning), match="divide by zero"):
            u[1:] = 1 / u[:-1]
        with pytest.raises((FloatingPointError, RuntimeWarning), match="divide by zero"):
            rows[:, 1:] -= 1 / rows[:, :-1]
    np.testing.assert_array_equal(np.asarray(u), x)
    np.testing.assert_array_equal(np.asarray(rows), x[2:])


def test_a_loop_alternates_between_few_blocks(exchanges: list[bool]) -> None:
    u = la.array(np.random.default_rng(1).random(200_000))
    places = set()
    for iteration in range(30):
        u[1:-1] = (u[:-2] + u[1:-1] + u[2:]) / 3
        places.add(u._array.__array_interface__["data"][0])
        if iteration == 3:
            before = la.cache.info()
    after = la.cache.info()
    assert all(exchanges) and len(places) <= 3
    assert after.kernels.compiled == before.kernels.compiled
    assert after.plans.misses == before.plans.misses


def test_what_has_a_name_is_computed_on_its_own(exchanges: list[bool]) -> None:
    u, w = la.array(_square()), la.array(_square())
    change = w[1:] * 2
    u[1:] += change
    u[1:] = change
    assert not exchanges
    assert change._array is not None


def test_small_parts_and_other_dtypes_are_copied(exchanges: list[bool]) -> None:
    x = _square(20, 20)
    u, n = la.array(x), la.array(np.zeros((20, 20), np.int64))
    u[1::2, ::2] = u[:-1:2, ::2] * 2
    u[3, :] = u[4, :] * 2
    n[1:] = u[:-1] * 100
    u[1:] = n[0] + u[0] * 2
    assert not any(exchanges)
    expected = x.copy()
    expected[1::2, ::2] = expected[:-1:2, ::2] * 2
    expected[3, :] = expected[4, :] * 2
    np.testing.assert_array_equal(np.asarray(n)[1:], (expected[:-1] * 100).astype(np.int64))
    expected[1:] = expected[0] * 2
    np.testing.assert_array_equal(np.asarray(u), expected)


def test_runs_are_profiled_and_tuned_ones_agree(exchanges: list[bool]) -> None:
    u = la.array(_square())
    with la.profile() as report:
        u[1:] = u[:-1] * 2
    assert exchanges == [True]
    assert len(report.runs) == 1


#: How a random program makes the value of a slice: of few forms, so that few are compiled.
_VALUES: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: a + b,
    lambda a, b: (a - b) * 0.5,
    lambda a, b: a * 0.5,
)


def _box(draw: random.Random, length: int) -> tuple[slice, slice]:
    """Return two slices of the same length, one of which may be reversed."""
    first, second = draw.randrange(3), draw.randrange(3)
    count = length - 2
    one, other = slice(first, first + count), slice(second, second + count)
    if draw.random() < 0.25:
        other = slice(second + count - 1, second - 1 if second else None, -1)
    return one, other


def _run(seed: int) -> list[str]:
    draw = random.Random(seed)
    start = np.random.default_rng(seed).random((9, 8))
    order: Any = draw.choice("CF")
    ours: dict[str, Any] = {"u": la.array(start, order=order), "w": la.array(start[::-1].copy())}
    theirs: dict[str, Any] = {
        "u": np.array(start, order=order),
        "w": start[::-1].copy(),
    }
    shown: list[tuple[Array, Array]] = []
    for step in range(draw.randrange(4, 9)):
        name, other = draw.choice(list(ours)), draw.choice(list(ours))
        rows, columns = theirs[name].shape
        action = draw.randrange(7)
        if theirs[other].shape != (rows, columns):
            other = name
        (row, row_read), (column, column_read) = _box(draw, rows), _box(draw, columns)
        value = draw.choice(_VALUES)
        for arrays in (ours, theirs):
            u, w = arrays[name], arrays[other]
            if action < 3:
                u[row, column] = value(w[row_read, column_read], u[row, column_read])
            elif action == 3:
                u[row] -= value(w[row_read], u[row])
            elif action == 4:
                arrays[f"v{step}"] = u[row, ::-1] if seed % 2 else u.T
            elif action == 5:
                arrays[f"p{step}"] = value(u, w)
            elif arrays is ours:
                shown.append((np.asarray(u), theirs[name].copy()))
        if draw.random() < 0.2 and len(ours) > 2:
            gone = draw.choice(list(ours)[2:])
            del ours[gone], theirs[gone]
        wrong = [n for n in ours if not np.array_equal(np.asarray(ours[n]), theirs[n])]
        wrong += ["shown" for one, as_it_was in shown if not np.array_equal(one, as_it_was)]
        if wrong:
            return [f"step {step}, action {action} on {name}", *wrong]
    return []


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_programs_agree_with_numpy(first: int, exchanges: list[bool]) -> None:
    failures = {seed: wrong for seed in range(first, first + 50) if (wrong := _run(seed))}
    assert not failures
    assert exchanges.count(True) > 40


def test_an_index_out_of_bounds_is_an_error(exchanges: list[bool]) -> None:
    u = la.array(_square())
    with pytest.raises(IndexError, match="out of bounds"):
        u[99, 1:] = u[0, 1:] * 2
    assert not exchanges
    np.testing.assert_array_equal(np.asarray(u), _square())


@pytest.fixture
def straight(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """What became of each attempt to write straight into a slice, of arrays of any size."""
    outcomes: list[bool] = []
    write = slice_writes._write_straight

    def noted(*arguments: Any) -> bool:
        outcomes.append(write(*arguments))
        return outcomes[-1]

    monkeypatch.setattr(slice_writes, "_write_straight", noted)
    monkeypatch.setattr(slice_writes, "STRAIGHT_BYTES", 1)
    with la.config(immediate=1), _looked_at_from(1), warnings.catch_warnings():
        warnings.simplefilter("default")  # where they raise, nothing is written straight
        yield outcomes


def _others(xp: Any, arrays: list[Any]) -> None:
    u, w = arrays
    for k in range(3):
        u[1:] -= 0.5 * (w[1:] - w[:-1])
        u[::2, ::-3] = w[::2, ::-3] * w[::2, ::-3] + k
        u.T[2:] *= 1 - w.T[2:] / (k + 1)
        w[k, 1:-1] = u[k, 2:] + u[k, :-2]
        u[1:-1][:, 3] += w[:-2, 2] + w[2:, 2]


@pytest.mark.parametrize("order", ["C", "F"])
def test_slices_of_other_arrays_are_written_straight(order: Any, straight: list[bool]) -> None:
    _both(_others, np.array(_square(), order=order), _square())
    assert all(straight) and len(straight) >= 9


def test_who_reads_other_elements_is_not_written_straight(straight: list[bool]) -> None:
    _both(_stencil, _square())
    _both(_views, _square(), _square())
    assert straight and not any(straight)


def test_readers_keep_what_was_before_a_straight_write(straight: list[bool]) -> None:
    x, y = _square(), np.ones((9, 8))
    u, w = la.array(x), la.array(y)
    u[0, 0] = x[0, 0]
    w[0, 0] = 1
    pending, view, copy = u * 2, u[3:], u.copy()
    shown = np.asarray(u)
    u[1:] += w[1:] * 3 + w[:-1]
    u[:, 2:] = w[:, 2:] + w[:, :-2]
    expected = x.copy()
    expected[1:] += 4
    expected[:, 2:] = 2
    assert straight == [True, True]
    np.testing.assert_array_equal(pending.compute(), x * 2)
    np.testing.assert_array_equal(shown, x)
    np.testing.assert_array_equal(copy.compute(), x)
    np.testing.assert_array_equal(view.compute(), expected[3:])
    np.testing.assert_array_equal(u.compute(), expected)


@pytest.mark.parametrize("through", ["raise", "error", "warn"])
def test_what_warns_is_written_where_it_does_not_raise(through: str, straight: list[bool]) -> None:
    x, y = _square(), np.zeros((9, 8))
    u, w = la.array(x), la.array(y)
    w[1, 1] = 0
    with warnings.catch_warnings(), np.errstate(divide="raise" if through == "raise" else "warn"):
        warnings.simplefilter("default" if through == "warn" else "error")
        if through == "warn":
            with pytest.warns(RuntimeWarning, match="divide by zero"):
                u[1:] = 1 / w[:-1] + w[1:]
            x[1:] = np.inf
        else:
            with pytest.raises((FloatingPointError, RuntimeWarning), match="divide by zero"):
                u[1:] = 1 / w[:-1] + w[1:]
    assert straight == [through == "warn"]
    np.testing.assert_array_equal(u.compute(), x)


@pytest.mark.parametrize("source", ["f4", "i2", "f8"])
@pytest.mark.parametrize("target", ["f8", "f4", "i8", "i4", "u1", "c16"])
def test_the_kernel_casts_what_is_written_straight(
    source: str, target: str, straight: list[bool]
) -> None:
    x, y = _square().astype(target), np.full((9, 8), 2.75).astype(source)
    u, w = la.array(x), la.array(y)
    u[1:] = w[1:] + w[:-1]
    x[1:] = y[1:] + y[:-1]
    np.testing.assert_array_equal(u.compute(), x)
    assert straight == [True]


def test_complex_values_of_reals_and_read_only_arrays_are_not_written_straight(
    straight: list[bool],
) -> None:
    u, w = la.array(_square()), la.array(np.ones((9, 8), complex))
    with pytest.warns(np.exceptions.ComplexWarning, match="discards the imaginary part"):
        u[1:] = w[1:] + w[:-1]
    u[1:] *= la.array(np.ones((9, 8), np.float32))[1:] * 2
    np.testing.assert_array_equal(u.compute()[1:], np.full((8, 8), 4.0))
    assert straight == [False, True]
    u.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        u[1:] = 2.0 * la.array(_square())[1:]
    assert not straight[-1]


@settings(max_examples=10, deadline=None, database=None)
@given(seed=st.integers(0, 9))
def test_random_programs_with_straight_writes(seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch, la.config(immediate=5), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(slice_writes, "STRAIGHT_BYTES", 1)
        with _looked_at_from(1):
            run_program(seed, 6, lambda arrays: [np.asarray(x) for x in arrays], small=True)


def _in_place(name: str, x: Any, y: Any) -> None:
    """Write to most rows of an array; the operand, which has no name, meets no fault of its own."""
    if name == "add":
        x[1:] += -y[1:]
    elif name == "subtract":
        x[1:] -= abs(y[:-1])
    elif name == "multiply":
        x[:-1] *= -y[1:]
    else:
        x[1:] /= abs(y[1:])


_SPECIAL = [0.0, -0.0, 1.0, 3.0, np.inf, -np.inf, np.nan, 1e308, -1e308, 1e-200]


@pytest.mark.parametrize("seed", range(4))
def test_operators_in_place_warn_as_in_numpy(seed: int, straight: list[bool]) -> None:
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    for _ in range(15):
        x, y = rng.choice(_SPECIAL[2:4], (2, 9, 8))
        for some in (x, y):
            places = rng.random(some.shape) < 0.05
            some[places] = rng.choice(_SPECIAL, np.count_nonzero(places))
        name = draw.choice(["add", "subtract", "multiply", "divide"])
        outcomes = []
        for target, other in ((x.copy(), y), (la.array(x), la.array(y))):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                _in_place(name, target, other)
            outcomes.append((np.asarray(target), {str(w.message) for w in caught}))
        np.testing.assert_array_equal(outcomes[1][0], outcomes[0][0])
        assert outcomes[1][1] == outcomes[0][1]
    assert straight.count(True) >= 15


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.filterwarnings("default")
def test_kernels_write_over_arrays_of_numpy(stride: int) -> None:
    source = np.random.default_rng(stride).random(140_001)
    states = []
    for x in (source, la.asarray(source.copy())):
        memory = np.ones(280_000)
        target = memory[: stride * 140_000 : stride]
        target += 0.5 * (x[1:] - x[:-1])
        np.subtract(1.0 - x[1:], target, target)
        named = x[1:] * 2.0
        target *= named  # computed on its own, for the next
        target -= named + 1.0
        shown = target if x is source else la.asarray(target)
        np.add(target, 0.25 * shown[::-1], out=target)  # read at other places
        states.append(memory)
    assert np.array_equal(*states)


@pytest.mark.filterwarnings("default")
def test_a_kernel_writes_over_an_array_unless_it_reads_other_elements() -> None:
    target, other = np.ones(140_000), np.arange(140_000.0)
    assert slice_writes.write_over(np.subtract, la.asarray(other) * 2.0, target, target)
    assert np.array_equal(target, other * 2.0 - 1.0)
    turned = la.asarray(target)[::-1] * 2.0
    assert not slice_writes.write_over(np.add, target, turned, target)
    with np.errstate(divide="raise"):  # NumPy writes before it raises, a kernel does not
        assert not slice_writes.write_over(np.add, target, 1.0 / la.asarray(other), target)
    assert np.array_equal(target, other * 2.0 - 1.0)
