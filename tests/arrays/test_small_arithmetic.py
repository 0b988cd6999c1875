"""Arithmetic of small arrays and of numbers is NumPy's: bits, layouts, dtypes and warnings."""

from __future__ import annotations

import gc
import operator
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays.lazy_array import LazyArray

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


BINARY = {
    name: getattr(operator, name)
    for name in "add sub mul truediv lt le eq ne gt ge pow floordiv mod".split()
}
BINARY |= {f"np.{name}": getattr(np, name) for name in "add multiply divide less".split()}
IN_PLACE = {name: getattr(operator, f"i{name}") for name in "add sub mul truediv mod".split()}
UNARY = {name: getattr(operator, name) for name in "neg pos abs".split()}

_TINY = {"f8": 5e-324, "f4": 1e-45}
_LARGE = {"f8": 1.7e308, "f4": 3e38}


def _special(dtype: str) -> Array:
    negative = np.array([np.inf], dtype) - np.array([np.inf], dtype)  # of another sign than nan
    tiny, large = _TINY[dtype], _LARGE[dtype]
    values = np.array([0, -0.0, 1, -1, 0.5, 3, tiny, -tiny, large, -large, np.inf, -np.inf], dtype)
    return np.concatenate([values, np.array([np.nan], dtype), negative])


with np.errstate(invalid="ignore"):
    SPECIAL = {dtype: _special(dtype) for dtype in ("f8", "f4")}

LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "whole": lambda x: x,
    "rows": lambda x: x[1:],
    "columns": lambda x: x[:, 1:],
    "inner": lambda x: x[1:-1, 1:-1],
    "steps": lambda x: x[::2, ::2],
    "backwards": lambda x: x[::-1],
    "transposed": lambda x: x.T,
    "row": lambda x: x[1],
    "column": lambda x: x[:, 1],
    "one row": lambda x: x[1:2],
    "one column": lambda x: x[:, 1:2],
    "new axis": lambda x: x[:, None],
    "none": lambda x: x[:0],
}


@st.composite
def _grids(draw: st.DrawFn) -> Array:
    """Return an array of few rows and columns, ordinary numbers or special ones."""
    dtype = draw(st.sampled_from(["f8", "f8", "f4", "i8"]))
    shape = draw(st.sampled_from([(4, 4), (3, 5), (5, 3), (4, 20)]))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    if dtype == "i8" or draw(st.booleans()):
        return (random.random(shape) * 8 - 3).astype(dtype)
    return random.choice(SPECIAL[dtype], shape)


NUMBERS: list[Any] = [0, 1, -3, 2, 2**60, 0.0, -0.0, 0.1, 2.0, np.inf]
NUMBERS += [np.nan, True, 1j, np.float64(0.3), np.float32(0.3), np.int64(3)]
#: Of those, NumPy warns next to float32 that it casts them.
OF_DOUBLES: list[Any] = [1e300, 1e-300, 5e-324, 10**30]


def _numbers_for(dtype: np.dtype[Any]) -> list[Any]:
    return [*NUMBERS, *OF_DOUBLES] if dtype == np.float64 else NUMBERS


def _functions_for(table: dict[str, Any], dtype: np.dtype[Any]) -> list[str]:
    """Return the names of operators; powers of integers raise when they are computed."""
    return sorted(name for name in table if name != "pow" or dtype.kind != "i")


def _bits(value: Any) -> tuple[Any, ...]:
    value = np.asarray(value)
    return value.dtype, value.shape, value.tobytes()


def _outcome(compute: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return the result or the kind of exception, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result: Any = compute()
            np.asarray(result)  # an expression raises here
        except (TypeError, ValueError, OverflowError, ArithmeticError) as error:
            result = type(error).__name__ if isinstance(error, ArithmeticError) else "refused"
    assert all(one.filename == __file__ for one in caught)
    # NumPy calls an operation on numbers "scalar" unless it has them converted.
    return result, sorted({str(one.message).replace(" scalar", "") for one in caught})


def _check(mine: Any, theirs: Any, of: Any) -> None:
    (result, my_warnings), (expected, their_warnings) = mine, theirs
    assert my_warnings == their_warnings, of
    if isinstance(expected, str):
        assert isinstance(result, str), of
        assert result == expected, of
        return
    assert type(result) is LazyArray
    assert _bits(result) == _bits(expected), of
    if result._array is not None and isinstance(expected, np.ndarray) and expected.size:
        assert result._array.strides == expected.strides, of


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_operators_of_views_are_numpys(data: st.DataObject) -> None:
    a = data.draw(_grids())
    x = la.asarray(a) + a.dtype.type(0)
    a = np.asarray(x).copy()
    one = data.draw(st.sampled_from(sorted(LAYOUTS)))
    name = data.draw(st.sampled_from(_functions_for(BINARY, a.dtype)))
    left, mine = LAYOUTS[one](a), LAYOUTS[one](x)
    other: Any
    if data.draw(st.booleans()):
        other = data.draw(st.sampled_from(_numbers_for(a.dtype)))
        right, theirs = other, other
    else:
        other = data.draw(st.sampled_from(sorted(LAYOUTS)))
        b = data.draw(_grids()) if data.draw(st.booleans()) else a
        y = x if b is a else la.asarray(b) + b.dtype.type(0)
        right, theirs = LAYOUTS[other](y), LAYOUTS[other](np.asarray(y).copy())
    if data.draw(st.booleans()):
        mine, right, left, theirs = right, mine, theirs, left
    function = BINARY[name]
    with np.errstate(**dict.fromkeys(("divide", "over", "under", "invalid"), "warn")):
        _check(
            _outcome(lambda: function(mine, right)),
            _outcome(lambda: function(left, theirs)),
            (name, one, other, left, theirs),
        )


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_operators_in_place_are_numpys(data: st.DataObject) -> None:
    a = data.draw(_grids())
    x = la.asarray(a) + a.dtype.type(0)
    a = np.asarray(x).copy()
    one = data.draw(st.sampled_from(sorted(LAYOUTS)))
    other = data.draw(st.sampled_from([*_numbers_for(a.dtype), *sorted(LAYOUTS)]))
    right, theirs = other, other
    if isinstance(other, str):
        right, theirs = LAYOUTS[other](x), LAYOUTS[other](a)
    function = IN_PLACE[data.draw(st.sampled_from(_functions_for(IN_PLACE, a.dtype)))]
    mine = _outcome(lambda: function(LAYOUTS[one](x), right))
    expected = _outcome(lambda: function(LAYOUTS[one](a), theirs))
    assert isinstance(mine[0], str) == isinstance(expected[0], str)
    if not isinstance(expected[0], str):
        assert mine[1] == expected[1]
    assert _bits(x) == _bits(a)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_elements_are_numpys(data: st.DataObject) -> None:
    a = data.draw(_grids())
    x = la.asarray(a) + a.dtype.type(0)
    a = np.asarray(x).copy()
    index = data.draw(st.tuples(st.integers(-3, 2), st.integers(-3, 2)))
    mine, theirs = x[index], a[index]
    assert _bits(mine) == _bits(theirs)
    assert _bits(x[index[0]][index[1]]) == _bits(theirs)
    if data.draw(st.booleans()):
        name = data.draw(st.sampled_from(sorted(UNARY)))
        _check(
            _outcome(lambda: UNARY[name](mine)),
            _outcome(lambda: UNARY[name](theirs)),
            (name, theirs),
        )
    place = data.draw(st.tuples(st.integers(-3, 2), st.integers(-3, 2)))
    other = data.draw(st.sampled_from([*_numbers_for(a.dtype), None]))
    right = x[place] if other is None else other
    number = a[place] if other is None else other
    if isinstance(number, int) and abs(number) > 2**63:
        return  # NumPy computes with objects
    name = data.draw(st.sampled_from(_functions_for(BINARY, a.dtype)))
    function = BINARY[name]
    with np.errstate(**dict.fromkeys(("divide", "over", "under", "invalid"), "warn")):
        _check(
            _outcome(lambda: function(mine, right)),
            _outcome(lambda: function(theirs, number)),
            (name, theirs, number),
        )
    mine = _outcome(lambda: operator.setitem(x, place, right))
    expected = _outcome(lambda: operator.setitem(a, place, number))
    assert mine[1] == expected[1]
    assert isinstance(mine[0], str) == isinstance(expected[0], str)
    assert _bits(x) == _bits(a)


def test_numbers_are_numbers_of_numpys() -> None:
    x = la.asarray(np.arange(4.0)) + 0
    number = x[1] * 3 - x[2]
    assert type(number) is LazyArray
    assert type(number._array) is np.float64
    assert number.shape == ()
    assert number.dtype == np.float64
    assert float(number) == 1.0
    assert int(number) == 1
    assert bool(number)
    assert number == 1
    assert repr(number) == repr(la.asarray(np.float64(1.0)))
    assert f"{number:.2f}" == "1.00"
    number += 1
    assert float(number) == 2
    assert [float(item) for item in np.sqrt(x[[1, 1]])] == [1.0, 1.0]
    assert "multiply" in str(la.explain(x[1] * 3))


def test_elements_of_large_arrays_are_read_and_written() -> None:
    a = np.arange(100_000.0)
    x = la.asarray(a) + 0
    x.persist()
    x[7] = 3.5
    a[7] = 3.5
    x[-1] = x[7] * 2
    a[-1] = a[7] * 2
    assert _bits(x[7]) == _bits(a[7])
    assert _bits(x) == _bits(a)
    with pytest.raises(IndexError):
        x[100_000]
    with pytest.raises(IndexError):
        x[100_000] = 1.0


def _churn(x: Any, count: int) -> None:
    for _ in range(count):
        y = (x[1:-1] + x[2:]) * 0.5 - x[0]
        y += y
        y[0] = x[1] * 2 + 1
        x[1:-1] = y * 0.25
        x[1] < 0.5  # noqa: B015
        -x
        x = x * x[0] + 1e-3
        del y


def test_arithmetic_leaks_nothing() -> None:
    x = la.asarray(np.linspace(0, 1, 50)) + 0
    _churn(x, 300)
    gc.collect()
    tracemalloc.start()
    try:
        _churn(x, 50)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        _churn(x, 500)
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after - before < 4096
    arrays = sum(type(thing) is LazyArray for thing in gc.get_objects())
    _churn(x, 100)
    gc.collect()
    assert sum(type(thing) is LazyArray for thing in gc.get_objects()) <= arrays + 2


@pytest.mark.parametrize("shapes", [((5,), (5,)), ((4, 3), (3,)), ((3,), (3, 6)), ((2, 7), (7, 3))])
def test_the_method_dot_is_numpys_at_once(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = (np.random.default_rng(k).standard_normal(shape) for k, shape in enumerate(shapes))
    for result in (la.asarray(a).dot(la.asarray(b)), la.asarray(a).dot(b)):
        assert isinstance(result, la.LazyArray)
        assert result._array is not None
        np.testing.assert_array_equal(result, a.dot(b))
    out = la.zeros(a.dot(b).shape)
    la.asarray(a).dot(la.asarray(b), out)
    np.testing.assert_array_equal(out, a.dot(b))


def test_a_large_product_of_small_arrays_waits() -> None:
    a, b = np.ones((3000, 1)), np.ones((1, 3000))
    result = la.asarray(a).dot(la.asarray(b))
    assert result._array is None
    np.testing.assert_array_equal(result[0], np.ones(3000))


def _warned(function: Callable[..., Any], *operands: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*operands)
    return [str(warning.message).splitlines()[0] for warning in caught]


def test_powers_and_numbers_warn_by_the_names_that_the_installed_numpy_has() -> None:
    # NumPy takes some powers for squares, square roots and reciprocals: which, its version decides.
    random = np.random.default_rng(32)
    exponents = [2, 2.0, 0.5, -1, -1.0, 3, 2.5, -2, True, 2 + 0j]
    exponents += [np.float64(2), np.float32(0.5), np.array(2.0), np.int64(-1), np.array([2.0])]
    functions = {"pow": operator.pow, "mul": operator.mul, "ufunc": np.power}
    met = 0
    for _ in range(300):
        dtype = random.choice(list("efdFD"))
        shape = ((), (1,), (3,), (2, 3))[random.integers(4)]
        value = random.choice([np.finfo(dtype).max, -1, 0])
        exponent = exponents[random.integers(len(exponents))]
        x = np.full(shape, value, dtype)
        name = random.choice(list(functions))
        function = functions[name]
        expected = _warned(function, x, exponent)
        assert _warned(function, la.asarray(x), exponent) == expected, (x, exponent, name)
        met += bool(expected)
        result = np.result_type(x, exponent)
        if shape and np.can_cast(result, x.dtype, "same_kind"):
            y = la.asarray(x.copy())
            expected = _warned(operator.ipow, x, exponent)
            assert _warned(operator.ipow, y, exponent) == expected, (x, exponent)
    assert met > 20


_NUMBERS = [np.float64(2.5), np.float64(-0.0), np.float64(np.inf), np.int64(7), np.int64(-3)]
_NUMBERS += [np.int64(0), np.int64(2**53 + 1), np.int64(-(2**63)), np.True_, np.False_]
_NUMBERS += [np.float64(-np.inf), np.float64(1.5e308), np.float64(5e-324)]
_PLAIN_NUMBERS = [2.5, -0.0, 3, 0, -2, 2**53 + 1, True, np.inf, -np.inf, -1.5e308]


@pytest.mark.parametrize("name", [*BINARY, "and_", "or_", "xor"])
def test_operators_of_numbers_of_several_kinds(name: str) -> None:
    function = BINARY.get(name) or getattr(operator, name)
    for left in (*_NUMBERS, *_PLAIN_NUMBERS):
        for right in (*_NUMBERS, *_PLAIN_NUMBERS):
            if not isinstance(left, np.generic) and not isinstance(right, np.generic):
                continue
            pair = [la.array([x])[0] if isinstance(x, np.generic) else x for x in (left, right)]
            results = []
            for operands in ((left, right), pair):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    try:
                        value = la.evaluate(la.asarray(function(*operands)))
                    except (TypeError, ValueError) as error:
                        results.append((type(error),))
                        continue
                texts = [str(w.message) for w in caught if w.category is RuntimeWarning]
                texts = [text.partition("\n")[0] for text in texts]
                results.append((value.dtype, value.tobytes(), texts))
            if results[0][0] in (TypeError, ValueError):
                assert issubclass(results[1][0], results[0][0])
            else:
                assert results[0] == results[1], (left, right)


def _answer(function: Callable[..., Any], left: Any, right: Any) -> Any:
    """Return dtypes and bits of a result, and the warnings; the error where there is one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            values = function(left, right)
        except (OverflowError, TypeError, ValueError) as error:
            return error
    parts = values if isinstance(values, tuple) else (values,)
    texts = [str(w.message).partition("\n")[0] for w in caught if w.category is RuntimeWarning]
    texts = [text.replace("scalar divmod", "divmod") for text in texts]
    return [(np.asarray(part).dtype, np.asarray(part).tobytes()) for part in parts], texts


@pytest.mark.parametrize("name", [*BINARY, "and_", "or_", "xor", "divmod"])
def test_operators_of_integers_of_any_width(name: str) -> None:
    """The ends of all types beside each other, and beside numbers of Python's."""
    function = divmod if name == "divmod" else BINARY.get(name) or getattr(operator, name)
    random = np.random.default_rng(len(name))
    numbers: list[Any] = [0, 1, -1, 200, 2**40, -(2**63), 2**64 - 1, 2.5, True]
    for code in "?bBhHiIlLqQ":
        ends = (0, 1) if code == "?" else (np.iinfo(code).min, 0, 3, np.iinfo(code).max)
        numbers += [np.array(end, code)[()] for end in ends]
    for _ in range(400):
        left, right = (numbers[random.integers(len(numbers))] for _ in "ab")
        if not isinstance(left, np.generic) and not isinstance(right, np.generic):
            continue
        if name == "pow" and max(abs(float(left)), abs(float(right))) > 1e3:
            continue
        pair = [la.array([x])[0] if isinstance(x, np.generic) else x for x in (left, right)]
        answer, expected = _answer(function, *pair), _answer(function, left, right)
        if isinstance(expected, Exception):
            assert isinstance(answer, type(expected)), (left, right)
        else:
            assert answer == expected, (left, right)


def test_numbers_that_are_made_again_are_other_objects() -> None:
    """What a program took of an element keeps its value when later elements are computed."""
    x = la.arange(50)
    taken = [np.asarray(x[i] + 1)[()] for i in range(50)]
    views = [memoryview(np.asarray(x[i] * 2)) for i in range(50)]
    for _ in range(3):
        later = [x[i] - 7 for i in range(50)]
    assert taken == [*range(1, 51)]
    assert [view.tolist() for view in views] == [2 * i for i in range(50)]
    assert [int(value) for value in later] == [i - 7 for i in range(50)]
