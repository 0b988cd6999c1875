"""Writes by selections, and by functions that write to an argument, go to the array's memory."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]

#: Elements that run at once, and more.
SIZES = (90, 50_000)


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _write_by_a_selection_of_integers(np: Any, x: Any) -> Any:
    places = np.arange(x.size)
    places = places[x > 0]
    x[places] = x[places] * 2 - 1
    return x


def _add_to_a_selection_of_integers(np: Any, x: Any) -> Any:
    places = np.arange(x.size)[np.abs(x) < 0.5]
    for _ in range(3):
        x[places] += 1
        places = places[x[places] < 2]
    return x


def _write_a_selection(np: Any, x: Any) -> Any:
    chosen = x[x > 0]
    x[: chosen.size] = chosen
    return x


def _write_a_selection_by_integers(np: Any, x: Any) -> Any:
    chosen = x[x < 0]
    x[np.arange(chosen.size) * 1] = -chosen
    return x


def _write_by_the_mask_itself(np: Any, x: Any) -> Any:
    mask = x > 0.25
    x[mask] = np.sqrt(x[mask])
    x[mask] *= -1
    return x


def _write_under_another_mask(np: Any, x: Any) -> Any:
    x[x > 0] = x[x < np.sort(x)[np.count_nonzero(x > 0)]]
    return x


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "program",
    [
        _write_by_a_selection_of_integers,
        _add_to_a_selection_of_integers,
        _write_a_selection,
        _write_a_selection_by_integers,
        _write_by_the_mask_itself,
        _write_under_another_mask,
    ],
)
def test_writes_of_selections(program: Callable[..., Any], size: int) -> None:
    values = np.random.default_rng(size).normal(size=size)
    x = la.asarray(values)
    shown = x[: size // 2]
    result = program(la, x)
    expected = values.copy()
    program(np, expected)
    np.testing.assert_array_equal(la.evaluate(result), expected)
    np.testing.assert_array_equal(la.evaluate(shown), expected[: size // 2])


def test_a_write_by_a_selection_of_integers_is_one_in_memory() -> None:
    x = la.zeros(50_000) + 1
    x[0] = 5  # in memory from here on
    memory = x._array
    places = la.arange(50_000)
    places = places[places % 3 == 0]
    for _ in range(5):
        x[places] *= 2
    assert x._array is memory
    assert float(x[3]) == 32 and float(x[4]) == 1


WRITES: dict[str, Callable[[Any, Any], None]] = {
    "add.at": lambda np, x: np.add.at(x, (x[:, 0] > 0, 1), 2.5),
    "minimum.at": lambda np, x: np.minimum.at(x, np.arange(20) % x.shape[0], np.zeros(10) - 0.1),
    "subtract.at": lambda np, x: np.subtract.at(x, [0, 1, 0], x[:3]),
    "negative.at": lambda np, x: np.negative.at(x, [1, 1, 2]),
    "fill_diagonal": lambda np, x: np.fill_diagonal(x, np.inf),
    "fill_diagonal of itself": lambda np, x: np.fill_diagonal(x[1:], x[0]),
    "put": lambda np, x: np.put(x, [0, -1, 7], [1, 2]),
    "place": lambda np, x: np.place(x, x > 0, [7.0, 8.0]),
    "put_along_axis": lambda np, x: np.put_along_axis(x, np.argmax(x, 1)[:, None], 9, 1),
    "copyto": lambda np, x: np.copyto(x, x[::-1].copy(), where=x > 0),
}


@pytest.mark.parametrize("name", WRITES)
def test_functions_that_write_to_an_argument(name: str) -> None:
    values = np.random.default_rng(3).normal(size=(12, 10))
    x, expected = la.array(values), values.copy()
    row, memory = x[2], x._array
    before = x + 0
    WRITES[name](la, x)
    WRITES[name](np, expected)
    assert x._array is memory
    np.testing.assert_array_equal(la.evaluate(x), expected)
    np.testing.assert_array_equal(la.evaluate(row), expected[2])
    np.testing.assert_array_equal(la.evaluate(before), values)


def test_what_numpy_refuses_is_refused() -> None:
    x = la.zeros(4)
    with pytest.raises(IndexError):
        la.add.at(x, [0, 1, 9], 1.0)
        la.evaluate(x)


def test_a_write_that_warns_is_made_once_and_names_the_line() -> None:
    x = la.array([1e200, 2.0])
    with pytest.warns(RuntimeWarning, match="overflow encountered") as seen:
        la.multiply.at(x, [0, 1], 1e200)
        assert la.evaluate(x).tolist() == [np.inf, 2e200]
    assert {warning.filename for warning in seen} == {__file__}


def test_a_traced_function_writes_in_its_graph() -> None:
    def written(x: Any) -> Any:
        la.add.at(x, [0, 0], 1.0)
        return x * 2

    assert la.evaluate(la.jit(written)(la.zeros(3))).tolist() == [4, 0, 0]


@pytest.mark.parametrize(
    "key",
    [
        "p",
        "p[:9]",
        "(p, p)",
        "(slice(3), p)",
        "(p, 4)",
        "(p[:4, None], p[:5])",
        "(None, p[:7])",
        "list(range(30))",
        "(p[:50], slice(None, None, -2))",
    ],
)
def test_few_elements_of_a_large_array_are_read_at_once(key: str) -> None:
    values = np.random.default_rng(4).normal(size=(300, 300))
    places = np.random.default_rng(5).integers(-300, 300, 6_000)
    x, p = la.array(values), la.array(places)
    x[0, 0] = values[0, 0] = 3
    index = eval(key, {"p": p})
    expected = values[eval(key, {"p": places})]
    part = x[index]
    assert (part._array is not None) == (expected.size <= 8 * 4096)
    np.testing.assert_array_equal(la.evaluate(part), expected)
    x[...] = 0
    np.testing.assert_array_equal(la.evaluate(part), expected)


def test_many_elements_wait() -> None:
    x = la.array(np.arange(90_000.0))
    p = la.array(np.arange(6_000))
    assert x[p[:, None]]._array is not None
    table = la.array(np.zeros((300, 300)))
    rows = la.array(np.arange(6_000) % 300)
    assert table[rows[:, None], rows[None]]._array is None
    many = la.array(np.arange(600_000.0))
    assert many[many > 4]._array is None


def test_arrays_of_middle_size_are_written_to_at_once() -> None:
    values = np.arange(400_000.0)
    x, mask = la.array(values), la.array(values % 3 == 0)
    x[mask] = -1.0
    x[5:] += 0.5
    assert x._array is not None
    values[values % 3 == 0] = -1.0
    values[5:] += 0.5
    np.testing.assert_array_equal(x, values)


@pytest.mark.parametrize("size", [9, 90])
def test_rows_and_columns_that_are_written_over_are_those_of_before(size: int) -> None:
    table = np.arange(size * size).reshape(size, size) * 7 % size
    expected, x = table.copy(), la.array(table)
    expected[table[0], table[::-1, 1].copy()] = table[2]
    x[x[0], x[::-1, 1]] = x[2]
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("size", [5, 400, 20_000])
@pytest.mark.parametrize("value", [3, 1.5, "part"])
def test_places_that_are_written_over_are_those_of_before(size: int, value: Any) -> None:
    def write(array: Any) -> Any:
        for target, places in (
            (array[2:], array[:-2]),
            (array[::-1], array[1:]),
            (array, array[::-1]),
            (array[: size // 2], array[: size // 2] - 1),
        ):
            if type(array) is np.ndarray:
                places = places.copy()  # NumPy 2.0 is wrong where places overlap the target
            target[places] = places[::-1] if value == "part" else value
        return array

    expected = write(np.arange(size) % (size - 2))
    mine = write(la.array(np.arange(size) % (size - 2)))
    np.testing.assert_array_equal(mine, expected)


_NUMBERS: tuple[Any, ...] = (
    *(1.5, -2, 0.0, float("nan"), float("inf"), True),
    *(np.float64(3), np.int8(4)),
)


def _statement(
    draw: random.Random, size: int, numbers: list[Any]
) -> Callable[[Any, list[Any]], None]:
    """Return a statement on an array that notes what it reads."""
    at, other = draw.randrange(-size, size), draw.randrange(-size, size)
    number = draw.choice(numbers)

    def choose(x: Any, read: list[Any]) -> None:
        read.append(bool(x[at] > x[other]))
        if x[at] <= number:
            x[at] = x[other]

    def add(x: Any, read: list[Any]) -> None:
        x[at] = x[at] * 0.5 - number + x[other]

    def keep(x: Any, read: list[Any]) -> None:
        read.extend((x * 2, x.copy(), x[at:], x[::-1][other], x[at]))

    def write(x: Any, read: list[Any]) -> None:
        x[at] = number

    def write_to_view(x: Any, read: list[Any]) -> None:
        x[::-1][at] = number

    return draw.choice((choose, add, keep, write, write, write_to_view))


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_of_elements(seed: int) -> None:
    draw = random.Random(seed)
    size, dtype = draw.choice((3, 50, 5000)), draw.choice(("f8", "f8", "f4", "i8", "u1"))
    array = np.arange(float(size)).astype(dtype)
    wrapped = array.copy()
    lazy = la.asarray(wrapped) if draw.random() < 0.5 else la.array(wrapped)
    # What of numbers that are not finite integers take, NumPy decides by their types.
    numbers = [value for value in _NUMBERS if dtype[0] == "f" or np.isfinite(value)]
    read: list[Any] = []
    lazily_read: list[Any] = []
    for _ in range(12):
        statement = _statement(draw, size, numbers)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                statement(array, read)
            except (OverflowError, ValueError) as error:
                with pytest.raises(type(error)):
                    statement(lazy, lazily_read)
            else:
                statement(lazy, lazily_read)
    np.testing.assert_array_equal(np.asarray(lazy), array)
    assert len(read) == len(lazily_read)
    for expected, value in zip(read, lazily_read, strict=True):
        np.testing.assert_array_equal(np.asarray(value), np.asarray(expected))
    np.testing.assert_array_equal(wrapped, np.arange(float(size)).astype(dtype))


def test_elements_that_no_write_may_reach() -> None:
    x = la.asarray(np.arange(4.0)) + 0
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[1] = 5.0
    y = la.asarray(np.arange(4.0)) + 0
    for key in (4, -5, (0, 0)):
        with pytest.raises(IndexError):
            y[key] = 5.0
        with pytest.raises(IndexError):
            y[key]
    np.testing.assert_array_equal(np.asarray(y), np.arange(4.0))
