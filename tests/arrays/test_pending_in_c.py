"""Pending arrays whose values are needed: by NumPy's functions, by their plan, and as next values.

Both forms do it, and NumPy says what the values, the layouts and the numbers are.
"""

from __future__ import annotations

import gc
import random
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def small_arrays() -> Iterator[None]:
    """Everything but a few elements is pending."""
    with la.config(immediate=64, implicit="allow", optimize=False):
        yield


def _started(seed: int) -> list[Array]:
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    arrays = []
    for _ in range(3):
        shape = draw.choice([(800,), (40, 20), (20, 40)])
        array: Array = (numbers.standard_normal(shape) * 9).astype(
            draw.choice("f8 f4 i8 u1".split())
        )
        arrays.append(np.asfortranarray(array) if draw.random() < 0.3 else array)
    return arrays


_STATEMENTS = (
    "{d} = {x} * 2 + {y}",
    "{d} = {x} - {y}; {d}[3] = 5",
    "{d} = {x}.copy(); {d}[1:] = {x}[:-1] + 1",
    "{d} = {x} + 1; {d} += {y}; {d} *= 3",
    "{d} = {x} + 0; {d}[1:] += {d}[:-1] * 2",
    "t = {y} + 1; {d} = {x} * 1; {d}[2:] = t[2:]; {d}[:2] = t[:2]",
    "{d} = {x} * 2; {d}[{d} > 3] = 1",
    "{d} = {x} + 1; {d}[1:-1, ::2][{d}[1:-1, ::2] > 0] = 7",
    "{d} = {x} + 1; {d}[1:-1, 2:][{d}[1:-1, 2:] > 0] = {d}[1:-1, 2:][{d}[1:-1, 2:] > 0] * 2",
    "{d} = ({x} * 2).T; seen({d} + 1)",
    "{d} = (2 * {x}) @ {y}",
    "{d} = np.array([{x} + 1, {y}])[1]",
    "{d} = np.concatenate(({x} + 1, {y}))[1:]",
    "seen({x} * {y})",
    "seen(np.flatnonzero({x} > 1))",
    "seen(np.bincount(({x} > 1).ravel() * 1, weights={x}.ravel() * 1.0))",
    "number(({x} * 2).sum())",
    "number(abs({x}).max())",
    "{d} = {x}[:, :1] + {x}[:1, :]",
    "np.maximum({x}, {y} + 1, out={x})",
    "{d} = {x} // 3",
    "{d} = {x} * 1; v = {d}[::-1]; v[1:] += {d}[1:] * 2",
)


def _run(xp: Any, arrays: list[Any], statements: list[str]) -> tuple[list[Any], list[Any]]:
    seen: list[Array] = []
    values: dict[str, Any] = {"np": xp, "seen": lambda x: seen.append(np.array(x, order="K"))}
    values["number"] = lambda x: seen.append(np.asarray(float(x)))
    values |= dict(zip("abc", arrays, strict=True))
    for statement in statements:
        for part in statement.split("; "):  # where one is refused, the others are not
            try:
                exec(part, values)
            except (IndexError, NameError, TypeError, ValueError):
                seen.append(np.zeros(0))
    return seen, [values[name] for name in "abc"]


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_agree_with_numpy(seed: int) -> None:
    draw = random.Random(seed)
    statements = []
    for _ in range(8):
        names = {place: draw.choice("abc") for place in "dxy"}
        statements.append(draw.choice(_STATEMENTS).format(**names))
    text = "; ".join(statements)
    arrays = _started(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, theirs = _run(np, [array.copy("K") for array in arrays], statements)
        got, ours = _run(la, [la.array(array) for array in arrays], statements)
        assert len(got) == len(expected), text
        for mine, numpys in zip(
            [*got, *map(np.asarray, ours)], [*expected, *map(np.asarray, theirs)], strict=True
        ):
            assert (mine.dtype, mine.shape) == (numpys.dtype, numpys.shape), text
            np.testing.assert_allclose(mine, numpys, rtol=1e-5, atol=1e-5, err_msg=text)


def test_a_value_keeps_the_order_of_its_operands() -> None:
    a = np.random.default_rng(0).random((30, 40))
    for change in (lambda x: 2.0 * x.T, lambda x: x.T[1:] + 1, lambda x: x[:, ::-1] * 3):
        expected, x = change(a), change(la.array(a))
        x[0] = expected[0]
        assert x.strides == expected.strides
        np.testing.assert_array_equal(x, expected)


def test_numbers_do_not_change_in_place() -> None:
    x = la.array(np.arange(900.0))
    total = x.sum()
    other = total
    total += 1
    assert float(other) + 1 == float(total)


def test_next_values_are_seen_by_views_only() -> None:
    a = np.arange(900.0)
    x = la.array(a) * 2
    view, before = x[10:], x + 0
    x += la.array(a)
    x -= 1
    np.testing.assert_array_equal(view, (a * 3 - 1)[10:])
    np.testing.assert_array_equal(before, a * 2)


def test_locked_arrays_have_no_next_value() -> None:
    x = la.array(np.arange(900.0)) * 2
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x += 1.0
    with pytest.raises(ValueError, match="read-only"):
        x[3] = 1.0
    np.testing.assert_array_equal(x, np.arange(900.0) * 2)


def test_loops_of_next_values_are_computed() -> None:
    a, x = np.arange(900.0), la.array(np.arange(900.0)) + 0
    expected = a + 0
    for _ in range(40):
        x += 0.5
        expected += 0.5
    np.testing.assert_array_equal(x, expected)


def test_a_value_that_is_stored_for_others_is_written_to_as_a_copy() -> None:
    b = la.array(np.arange(800, dtype="u1").reshape(40, 20))
    c = la.array([b + 1, b])[1]
    np.array(b * c)
    others = c // 3
    d = c + 0  # the value of the other one, which the evaluation stores
    d[1:] += d[:-1] * 2
    np.testing.assert_array_equal(c, b)
    np.testing.assert_array_equal(others, np.asarray(b) // 3)


def test_what_was_lent_never_changes() -> None:
    x = la.array(np.arange(900.0)) + 1
    seen = np.asarray(x)
    before = seen.copy()
    x[5] = 100
    x += 1
    np.testing.assert_array_equal(seen, before)
    assert not seen.flags.writeable


def test_what_warns_stays_an_expression_that_warns() -> None:
    x = la.array(np.arange(900.0))
    y = 1.0 / x
    out = la.zeros(1000)
    out[0] = 1
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        out[:900] = y
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        out[:900] = 2.0 / x
    with np.errstate(divide="ignore"):
        out[:900] = 3.0 / x
    assert np.isinf(float(out[0]))


def _written(x: Any) -> None:
    x[1:] = x[:-1] * 2


def _indexed(x: Any) -> None:
    (x + 1)[3] = 2


def _updated(x: Any) -> None:
    y = x * 2
    y += x
    np.asarray(y)


def _masked(x: Any) -> None:
    x[x * 2 > 5] = 1


def _joined(x: Any) -> None:
    la.array([x + 1, x])


@pytest.mark.skipif(COMPILED is None, reason="reference counts are C's to keep")
@pytest.mark.parametrize("act", [_written, _indexed, _updated, _masked, _joined])
def test_no_reference_is_kept_or_lost(act: Callable[[Any], None]) -> None:
    x = la.array(np.arange(900.0))
    dtype, marker = np.dtype("f8"), (900,)
    for _ in range(10):
        act(x)
    gc.collect()
    counts = (
        sys.getrefcount(x),
        sys.getrefcount(None),
        sys.getrefcount(dtype),
        sys.getrefcount(marker),
    )
    objects = len(gc.get_objects())
    for _ in range(200):
        act(x)
    gc.collect()
    after = (
        sys.getrefcount(x),
        sys.getrefcount(None),
        sys.getrefcount(dtype),
        sys.getrefcount(marker),
    )
    assert all(abs(a - b) < 50 for a, b in zip(after, counts, strict=True))
    assert len(gc.get_objects()) - objects < 100


def test_threads_compute_one_array() -> None:
    a = np.arange(900.0)
    for _ in range(20):
        x = la.array(a) * 2 + 1
        seen: list[Array] = []

        def look(x: Any = x, seen: list[Array] = seen) -> None:
            seen.append(np.asarray(x))

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for value in seen:
            np.testing.assert_array_equal(value, a * 2 + 1)


@pytest.mark.parametrize("seed", range(30))
def test_operands_of_operators_in_place_on_middle_sizes(seed: int) -> None:
    """They are computed for the statement, unless something else is made of a part of them."""
    random = np.random.default_rng(seed)
    size = int(random.integers(34_000, 64_000))
    x, y = random.normal(size=size + 1), random.normal(size=size)
    names = ["__iadd__", "__isub__", "__imul__"]
    choices = random.integers(0, 4, 12)

    def program(xp: Any, x: Any, y: Any) -> Any:
        y, kept = y + 0.0, []
        for step, choice in enumerate(choices):
            write = getattr(type(y), names[step % 3])
            if choice == 0:
                write(y, 0.5 * (x[1:] - x[:-1]))
            elif choice == 1:
                part = x[1:] * 0.25
                write(y, part + x[:-1])
                kept.append(part)
            elif choice == 2:
                kept.append(part := x[:-1] - 0.5)
                write(y, part)
            else:
                write(y, y * 0.125 + x[1:])
        return (y, *[part.sum() for part in kept])

    with la.config(immediate=4096, implicit="allow"):
        before = la.cache.info().work
        got = la.evaluate(*program(la, la.asarray(x), la.array(y)))
        work = la.cache.info().work
    for value, expected in zip(got, program(np, x, y), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-12)
    assert work.computed - before.computed <= 2 * (work.eager - before.eager)


def test_an_operand_in_place_that_is_of_use_to_nothing_else_is_computed_in_c() -> None:
    if COMPILED is None:
        pytest.skip("Python's form has no steps of its own for this")
    with la.config(immediate=4096, implicit="allow"):
        x, y = la.asarray(np.arange(50_001.0)), la.array(np.zeros(50_000))
        y += 0.5 * (x[1:] - x[:-1])
        assert y._array is not None
        part = x[1:] * 2.0
        y += part + 1.0
        assert y._array is None  # what is made of `part` is computed with it
        np.testing.assert_array_equal(np.asarray(part), 2.0 * np.arange(1.0, 50_001.0))
        np.testing.assert_array_equal(np.asarray(y), 1.5 + 2.0 * np.arange(1.0, 50_001.0))
