"""Values that are needed now, of arrays too large to be computed operation by operation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import needed_values
from lazyarr.arrays.fields import FORM

#: Beyond what runs at once, and below what is written by kernels alone.
SIZES = [5_000, 40_000, 60_000, 140_000]


@pytest.fixture(autouse=True, params=[0, 4096])
def small_arrays(request: pytest.FixtureRequest) -> Any:
    """Operations on small arrays run at once, or not."""
    with la.config(immediate=request.param, implicit="allow"):
        yield


def both(size: int, dtype: str = "f8") -> tuple[np.ndarray[Any, Any], la.LazyArray]:
    array = (np.random.default_rng(size).random(size) * 100).astype(dtype)
    return array, la.array(array)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rounds", [1, 4])
def test_writes_of_temporaries_read_the_values_before(size: int, rounds: int) -> None:
    u, v = both(size)
    kept: list[tuple[Any, Any]] = []
    for step in range(rounds):
        for x in (u, v):
            x[1:-1] += 0.25 * (x[2:] - 2 * x[1:-1] + x[:-2])
            x[: size // 2] = np.float64(0.5) * x[size - size // 2 :] + step
            x[3::2] -= x[2:-1:2] * 0.125
        kept.append((u * 2.0, v * 2.0))
    np.testing.assert_array_equal(v, u)
    for expected, got in kept:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("size", SIZES)
def test_an_expression_of_what_is_written_to_keeps_its_value(size: int) -> None:
    u, v = both(size)
    before, pending = u[1:] * 3.0 - 1, v[1:] * 3.0 - 1
    u[:-1] += u[1:] * 0.5
    v[:-1] += v[1:] * 0.5
    np.testing.assert_array_equal(pending, before)
    np.testing.assert_array_equal(v, u)


@pytest.mark.parametrize("size", SIZES)
def test_a_view_that_is_written_to_itself_stays(size: int) -> None:
    u, v = both(size)
    v[2:9] = v[2:9]
    v[5:] += 1
    u[5:] += 1
    np.testing.assert_array_equal(v, u)


@pytest.mark.parametrize("size", [100, *SIZES])
def test_what_is_locked_is_not_written_to_itself(size: int) -> None:
    locked = la.array(np.arange(float(size)))
    locked[5:] += 1
    locked.flags.writeable = False
    part = locked[1:]
    for x in (locked, part):
        with pytest.raises(ValueError, match="read-only"):
            x[2:9] = x[2:9]


def test_what_is_locked_stays_so_once_its_value_was_seen() -> None:
    u, v = both(5_000)
    v[5:] += 1
    u[5:] += 1
    seen = np.asarray(v)
    v.flags.writeable = False
    for value in (v[2:9], v[3:10], 5.0):
        with pytest.raises(ValueError, match="read-only"):
            v[2:9] = value
    np.testing.assert_array_equal(seen, u)


@pytest.mark.parametrize("size", SIZES)
def test_numbers_are_those_of_expressions_and_others_begin_with_them(size: int) -> None:
    u, v = both(size)
    for dtype in ("f8", "i4"):
        x, y = u.astype(dtype), v.astype(dtype)
        total = ((y - 3) * 2).sum()
        more = total + 1
        assert float(total) == pytest.approx(float(((x - 3) * 2).sum()), rel=1e-12)
        assert float(more) == float(total) + 1
        assert bool((y * 2 > 400).any()) is bool((x * 2 > 400).any())
        assert int((y // 1 % 7).sum()) == int((x // 1 % 7).sum())


@pytest.mark.parametrize("size", SIZES)
def test_outputs_take_expressions_in(size: int) -> None:
    u, v = both(size)
    for _ in range(3):
        np.minimum(u, u[::-1] * 0.75 + 1, out=u)
        la.minimum(v, v[::-1] * 0.75 + 1, out=v)
    np.testing.assert_array_equal(v, u)
    wrapped = la.asarray(u)
    la.add(wrapped, 1.0, out=wrapped)
    np.testing.assert_array_equal(wrapped, u + 1)
    np.testing.assert_array_equal(v, u)  # what was wrapped is never written to


@pytest.mark.parametrize("size", SIZES)
def test_rows_are_unpacked_of_an_expression(size: int) -> None:
    table = np.random.default_rng(1).random((size // 3, 3))
    x, y, z = (la.asarray(table) * 1.5 + 1).T
    a, b, c = (table * 1.5 + 1).T
    np.testing.assert_array_equal(x * y - z, a * b - c)


def test_operands_of_a_large_output_stay_expressions() -> None:
    row, v = both(60_000)
    w = v * 2 + 1
    expected, out = np.zeros((10, 60_000)), la.zeros((10, 60_000))
    np.add(expected, row * 2 + 1, out=expected)
    la.add(out, w, out=out)
    assert w._array is None
    np.testing.assert_array_equal(out, expected)


@pytest.mark.skipif(FORM != "compiled", reason="Python's form builds the expression")
def test_an_interrupt_on_the_way_to_an_output_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(array: Any) -> Any:
        raise KeyboardInterrupt

    _, v = both(5_000)
    out = la.asarray(np.zeros(5_000))
    monkeypatch.setattr(needed_values, "writable_memory", interrupted)
    with la.config(immediate=4096), pytest.raises(KeyboardInterrupt):
        la.add(v, 1.0, out=out)


@pytest.mark.parametrize("size", [12, 1200, *SIZES])
@pytest.mark.parametrize("ask", [np.asarray, la.evaluate, float, None])
def test_parts_of_what_a_library_gave_lie_side_by_side(size: int, ask: Any) -> None:
    values = np.arange(size // 4 * 4) + np.arange(size // 4 * 4) * 2j
    parts: list[Any] = [
        lambda x: x.imag.ravel(),
        lambda x: x.real[::-1].flatten(),
        lambda x: x.view("f8")[:, 0, ::3].ravel(),
        lambda x: x.view("f4")[:, 0, 1::2].copy().ravel(),
        lambda x: np.concatenate([x.imag.ravel()]),
    ]
    for part in parts:
        a = values.reshape(-1, 1, 4)
        x = la.asarray(a)
        x.fill(19 - 3j) if ask is la.evaluate else None
        a = np.full_like(a, 19 - 3j) if ask is la.evaluate else a
        expected, got = part(a), part(x)
        if ask is float:
            assert float(got[-1]) == expected[-1]
        elif ask is not None:
            np.testing.assert_array_equal(ask(got), expected)
        for step in (-2, 3):
            expected[::step] += 88
            got[::step] += 88
            assert got.strides == expected.strides
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("size", [900, 60_000])
def test_values_lie_along_the_axes_as_numpys(size: int) -> None:
    a = np.arange(float(size)).reshape(-1, 10)
    row = np.linspace(0.0, 1.0, size // 10)
    x, y = la.array(a), la.array(row)
    with la.config(immediate=64):
        for expected, got in [
            (a.T * row, x.T * y),
            (
                a.reshape(-1, 5, 2).transpose(2, 0, 1) + 1,
                x.reshape(-1, 5, 2).transpose(2, 0, 1) + 1,
            ),
            (-a[::-1].T[2:] * 2, -x[::-1].T[2:] * 2),
        ]:
            shown = np.asarray(got)
            np.testing.assert_array_equal(shown, expected)
            assert got.strides == expected.strides
            if got._array is not None:
                assert got._array.strides == expected.strides


@pytest.mark.skipif(FORM != "compiled", reason="Python's form computes it for the second one")
def test_what_is_in_use_within_a_value_is_computed_once() -> None:
    a = np.linspace(0.5, 4.0, 5_000)
    with la.config(immediate=64):
        x = la.array(a)
        named = x * 2 + 1
        first = np.asarray(la.sqrt(named) - x)
        assert named._current.stored is not None
        second = np.asarray(x / named)
        np.testing.assert_array_equal(first, np.sqrt(a * 2 + 1) - a)
        np.testing.assert_array_equal(second, a / (a * 2 + 1))
        named[3] = 7.0
        assert first[3] == np.sqrt(a[3] * 2 + 1) - a[3]
        assert named[3] == 7.0


def test_what_is_made_of_memory_of_the_program_is_not_kept() -> None:
    a = np.linspace(0.5, 4.0, 5_000)
    with la.config(immediate=64):
        named = la.asarray(a) * 2 + 1
        np.testing.assert_array_equal(np.asarray(named / 4), (a * 2 + 1) / 4)
        a[:] = 3.0
        np.testing.assert_array_equal(np.asarray(named), np.full(5_000, 7.0))
