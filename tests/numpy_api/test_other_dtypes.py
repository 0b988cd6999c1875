"""Texts, times, records, long doubles and objects: NumPy computes with them, and keeps them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]
Call = Callable[[Any, dict[str, Any]], Any]


def _values(kind: str, seed: int) -> dict[str, Array]:
    """Return arrays of a dtype and some of numbers beside them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    numbers = rng.integers(0, 50, n)
    x: Array
    match kind:
        case "objects":
            x = np.array([Fraction(int(number), 3) for number in numbers], dtype=object)
        case "records":
            x = np.array([(int(i), i / 2) for i in numbers], dtype=[("a", "i4"), ("b", "f8")])
        case _:
            x = numbers.astype(kind)
    return {
        "x": x,
        "other": rng.permutation(x),
        "integers": rng.integers(0, 5, n),
        "places": rng.integers(0, n, 3),
        "mask": rng.random(n) > 0.5,
    }


#: Those of arrays of any dtype, by name.
MOVES: dict[str, Call] = {
    "array": lambda m, v: m.array(v["x"].tolist(), dtype=v["x"].dtype),
    "astype": lambda m, v: m.asarray(v["integers"]).astype("M8[D]"),
    "copy": lambda m, v: m.copy(v["x"]),
    "zeros": lambda m, v: m.zeros((2, 3), v["x"].dtype),
    "empty_like": lambda m, v: m.empty_like(m.asarray(v["integers"]), dtype=v["x"].dtype).shape,
    "full": lambda m, v: m.full(3, v["x"][0], dtype=v["x"].dtype),
    "concatenate": lambda m, v: m.concatenate([v["x"], v["other"]]),
    "stack": lambda m, v: m.stack([v["x"], v["other"]], axis=1),
    "repeat": lambda m, v: m.repeat(v["x"], m.asarray(v["integers"])),
    "tile": lambda m, v: m.tile(v["x"], 2),
    "take": lambda m, v: m.take(v["x"], m.asarray(v["places"])),
    "index": lambda m, v: m.asarray(v["x"])[m.asarray(v["places"])],
    "mask": lambda m, v: m.asarray(v["x"])[m.asarray(v["mask"])],
    "where": lambda m, v: m.where(m.asarray(v["mask"]), v["x"], v["other"]),
    "roll": lambda m, v: m.roll(v["x"], 1),
    "flip": lambda m, v: m.flip(v["x"]),
    "reshape": lambda m, v: m.reshape(v["x"], (-1, 1)),
    "broadcast_to": lambda m, v: m.broadcast_to(v["x"], (2, len(v["x"]))),
    "append": lambda m, v: m.append(v["x"], v["other"]),
    "delete": lambda m, v: m.delete(v["x"], 0),
    "compress": lambda m, v: m.compress(m.asarray(v["mask"]), v["x"]),
    "split": lambda m, v: m.array_split(v["x"], 2),
    "meshgrid": lambda m, v: m.meshgrid(v["x"], m.asarray(v["integers"])),
    "c_": lambda m, v: m.c_[v["x"], v["other"]],
}
#: Those of values that have an order.
ORDERS: dict[str, Call] = {
    "sort": lambda m, v: m.sort(v["x"]),
    "argsort": lambda m, v: m.argsort(v["x"], kind="stable"),
    "unique": lambda m, v: m.unique(v["x"], return_inverse=True, return_counts=True),
    "isin": lambda m, v: m.isin(v["x"], v["other"][:1]),
    "searchsorted": lambda m, v: m.searchsorted(m.sort(v["x"]), v["other"]),
    "less": lambda m, v: m.less(v["x"], v["other"]),
    "compared": lambda m, v: m.asarray(v["x"]) >= m.asarray(v["other"]),
    "array_equal": lambda m, v: m.array_equal(v["x"], v["other"]),
}
#: Those of values that can be added to integers.
SUMS: dict[str, Call] = {
    "add": lambda m, v: m.add(v["x"], m.asarray(v["integers"])),
    "radd": lambda m, v: m.asarray(v["integers"]) + v["x"],
    "rmul": lambda m, v: m.asarray(v["integers"]) * v["x"],
    "ufunc": lambda m, v: np.add(m.asarray(v["integers"]), v["x"]),
    "outer": lambda m, v: m.multiply.outer(v["x"], m.asarray(v["integers"])),
    "accumulate": lambda m, v: m.add.accumulate(v["x"]),
    "reduce": lambda m, v: m.add.reduce(v["x"]),
    "sum": lambda m, v: m.sum(v["x"]),
    "cumsum": lambda m, v: m.cumsum(v["x"]),
    "diff": lambda m, v: m.diff(v["x"]),
    "maximum": lambda m, v: m.maximum(v["x"], v["other"]),
    "max": lambda m, v: m.max(v["x"]),
    "argmax": lambda m, v: m.argmax(v["x"]),
    "method": lambda m, v: m.asarray(v["integers"]).astype(v["x"].dtype).sum(),
}
PRODUCTS: dict[str, Call] = {
    "dot": lambda m, v: m.dot(v["x"], m.asarray(v["integers"])),
    "matmul": lambda m, v: m.asarray(v["integers"]) @ v["x"],
    "polyval": lambda m, v: m.polyval(v["x"], 2),
    "trapezoid": lambda m, v: m.trapezoid(v["x"]),
}
_ALL = {"move": MOVES, "order": ORDERS, "sum": SUMS, "product": PRODUCTS}
_KINDS = {
    "U2": ("move", "order"),
    "S2": ("move", "order"),
    "M8[D]": ("move", "order"),
    "m8[s]": ("move", "order", "sum"),
    "g": ("move", "order", "sum", "product"),
    "objects": ("move", "order", "sum", "product"),
    "records": ("move",),
}
CASES = [
    (kind, name, group)
    for kind, groups in _KINDS.items()
    for group in groups
    for name in _ALL[group]
]


def _assert_same(mine: Any, theirs: Any) -> None:
    """Assert that results have the same values, and those of NumPy's dtypes its types."""
    if isinstance(theirs, (list, tuple)):
        assert len(mine) == len(theirs)
        for pair in zip(mine, theirs, strict=True):
            _assert_same(*pair)
        return
    if isinstance(theirs, np.ndarray) and theirs.dtype.char in "?bhilqBHILQefdFD":
        assert isinstance(mine, (la.LazyArray, np.ndarray))
    else:
        assert type(mine) is type(theirs)
    mine = np.asarray(mine)
    assert mine.dtype == np.asarray(theirs).dtype
    assert mine.shape == np.shape(theirs) and mine.tolist() == np.asarray(theirs).tolist()


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize(("kind", "name", "group"), CASES)
def test_numpy_computes(kind: str, name: str, group: str, immediate: int) -> None:
    call = _ALL[group][name]
    for seed in range(3):
        values = _values(kind, seed)
        with la.config(immediate=immediate):
            _assert_same(call(la, values), call(np, values))


@pytest.mark.parametrize("write", ["copyto", "put", "place", "fill", "item", "sort", "out"])
@pytest.mark.parametrize("kind", ["U2", "M8[D]", "objects"])
def test_numpys_arrays_are_written_to(kind: str, write: str) -> None:
    def written(m: Any) -> Any:
        values = _values(kind, 0)
        x, other = m.asarray(values["x"]), values["other"]
        match write:
            case "copyto":
                m.copyto(x, other, where=m.asarray(values["mask"]))
            case "put":
                m.put(x, m.asarray(values["places"]), other)
            case "place":
                m.place(x, m.asarray(values["mask"]), other)
            case "fill":
                x.fill(other[0])
            case "item":
                x[m.asarray(values["places"])] = other[0]
            case "sort":
                x.sort()
            case "out":
                assert m.take(other, m.asarray([0] * len(x)), out=x) is x
        return x

    _assert_same(written(la), written(np))


#: Calls whose results are arrays of objects, or are computed from them.
OF_OBJECTS: dict[str, Callable[[Any], Any]] = {
    "list": lambda m: m.array([1, None]),
    "nested": lambda m: m.asarray([[1, None], [2, "a"]]),
    "fractions": lambda m: m.array([Fraction(1, 2)]) * 2,
    "large integers": lambda m: m.sum([2**70, 1]),
    "none": lambda m: m.array(None),
    "set": lambda m: m.asarray({1}),
    "dict": lambda m: m.asanyarray({}),
    "time": lambda m: m.array(timedelta(days=1)),
    "cast": lambda m: m.array(None).astype("f4"),
    "full": lambda m: m.full((2, 2), None),
    "full_like": lambda m: m.full_like(m.ones(2), None, dtype=object),
    "where": lambda m: m.where(m.asarray([True, False]), None, 1),
    "append": lambda m: m.append(m.asarray([1, 2]), [None]),
    "atleast_2d": lambda m: m.atleast_2d(None),
    "tile": lambda m: m.tile({}, 2),
    "any": lambda m: bool(m.any([None, 0])),
    "all": lambda m: bool(m.all({})),
    "array_equal": lambda m: bool(m.array_equal([1, None], [1, None])),
    "equal": lambda m: m.equal([1, None], None),
}


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("name", OF_OBJECTS)
def test_arrays_of_objects_are_made_where_numpy_makes_them(name: str, eager: bool) -> None:
    with la.eager() if eager else nullcontext():
        mine = OF_OBJECTS[name](la)
    theirs = OF_OBJECTS[name](np)
    np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs), strict=True)


def test_functions_of_objects_are_refused_as_in_numpy() -> None:
    calls: list[Callable[[Any], Any]] = [
        lambda m: m.sin([None]),
        lambda m: m.mean([None]),
        lambda m: m.zeros(2) + np.array([None]),
        lambda m: m.sort(["a", None]),
        lambda m: m.isnan(None),
        lambda m: m.sum([1, None]),
        lambda m: m.max(["b", "a"]),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call(np)
        for context in (nullcontext, la.eager):
            with context(), pytest.raises(TypeError):
                call(la)


@pytest.mark.parametrize("kind", _KINDS)
def test_numpy_computes_call_by_call(kind: str) -> None:
    for group in _KINDS[kind]:
        for call in _ALL[group].values():
            values = _values(kind, 1)
            with la.eager():
                mine = call(la, values)
            _assert_same(mine, call(np, values))


#: Functions that write to an array of numbers, and return it or None.
WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "out": lambda m, x: m.add(np.array([1, 2, 3], object), m.ones(3), out=x, casting="unsafe"),
    "long": lambda m, x: m.multiply(np.longdouble(2), m.ones(3), out=x),
    "outs": lambda m, x: m.divmod(np.array([5, 6, 7], "g"), 4, out=(x, None))[0],
    "ufunc": lambda m, x: np.add(np.array([1, 2, 3], "g"), m.ones(3), out=x),
    "reduce": lambda m, x: m.sum(np.ones((2, 3), "g"), axis=0, out=x),
    "copyto": lambda m, x: m.copyto(x, np.array(["1", "2", "3"]), casting="unsafe"),
    "put": lambda m, x: m.put(x, [0, 2], np.array([1, 2], object)),
    "put method": lambda m, x: x.put([0, 2], np.array([1, 2], "g")),
    "putmask": lambda m, x: m.putmask(x, [1, 0, 1], np.array([1, 2, 3], ">f8")),
    "place": lambda m, x: m.place(x, np.array([1, 0, 1], object), [3, 4]),
    "fill": lambda m, x: x.fill(Fraction(1, 2)),
    "at": lambda m, x: m.add.at(x, [0, 0], np.array([1, 2], object)),
    "items": lambda m, x: x.__setitem__(slice(1, 3), np.array(["3", "4"])),
    "times": lambda m, x: x.__setitem__(slice(1, 3), np.array([3, 4], "m8[s]")),
    "places": lambda m, x: x.__setitem__([0, 2], np.array([Fraction(1, 2), 3], object)),
    "mask": lambda m, x: x.__setitem__(x > 0, np.array([5, 6, 7], "g")),
    "texts": lambda m, x: x.__setitem__(slice(1, 3), ["3", "4"]),
    "flat": lambda m, x: x.flat.__setitem__(slice(None), np.array([3, 4, 5], "g")),
    "flat texts": lambda m, x: x.flat.__setitem__([0, 2], np.array(["3", "4"])),
}


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("name", WRITES)
def test_lazy_arrays_are_written_to(name: str, immediate: int) -> None:
    with la.config(immediate=immediate):
        mine, theirs = la.zeros(3) + 1, np.ones(3)
        view = mine[:2]
        results = [WRITES[name](m, x) for m, x in ((la, mine), (np, theirs))]
        assert results[0] is results[1] is None or (results[0] is mine and results[1] is theirs)
        assert mine.tolist() == theirs.tolist() and view.tolist() == theirs[:2].tolist()


#: Operators that write to their left operand; those of bits refuse floats.
IN_PLACE = [getattr(operator, f"i{name}") for name in ("add", "sub", "mul", "pow", "mod", "or")]
#: Their right operands.
OPERANDS: list[Any] = [
    np.longdouble(2),
    np.array([1, 2, 3], "g"),
    np.array([1, 2, 3], object),
    np.array(["a", "b", "c"]),
    np.array([1, 2, 3], "m8[s]"),
    np.timedelta64(3, "s"),
    np.clongdouble(1 + 2j),
    np.ones((2, 3), "g"),
    np.array([(1, 2)] * 3, "i4,i4"),
    np.array(None),
]


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize("immediate", [0, 4096])
def test_operators_in_place_write_or_refuse(dtype: str, number: bool, immediate: int) -> None:
    def outcome(m: Any, apply: Callable[[Any, Any], Any], operand: Any) -> Any:
        base = m.asarray(np.array([5, 6, 7], dtype)) + 0
        target = base[0] if number else base
        try:
            result = apply(target, operand)
        except (TypeError, ValueError) as error:
            return isinstance(error, TypeError), np.asarray(base).tolist()
        return result is target, repr(np.asarray(result)), np.asarray(base).tolist()

    with la.config(immediate=immediate):
        for apply in IN_PLACE:
            for operand in OPERANDS:
                assert outcome(la, apply, operand) == outcome(np, apply, operand), (apply, operand)


@pytest.mark.parametrize("immediate", [0, 4096])
def test_refused_writes_leave_lazy_arrays_as_they_are(immediate: int) -> None:
    with la.config(immediate=immediate):
        x, locked = la.zeros(2) + 0, la.zeros(2) + 0
        locked.flags.writeable = False
        for call in (
            lambda: la.add(np.array([1, 2], "m8[s]"), 1, out=x),
            lambda: la.copyto(x, np.array(["1", "2"])),
            lambda: la.add.at(x, [0], np.timedelta64(1, "s")),
            lambda: la.add(np.array([1, 2], "g"), 1, out=locked),
        ):
            with pytest.raises((TypeError, ValueError)):
                call()
        assert x.tolist() == locked.tolist() == [0.0, 0.0]


def test_traces_and_derivatives_refuse_them() -> None:
    long = np.longdouble(2)
    for call in (
        lambda: la.jit(lambda x: x * long)(np.ones(2)),
        lambda: la.jit(lambda x: x.astype("M8[D]"))(np.ones(2)),
        lambda: la.grad(lambda x: (x * long).sum())(la.ones(2)),
        lambda: la.grad(lambda x: la.sum(x, dtype=np.longdouble))(la.ones(2)),
    ):
        with pytest.raises(la.errors.DTypeError, match="is not supported"):
            call()


@pytest.mark.lazy
def test_they_are_hidden_evaluations() -> None:
    with la.config(implicit="raise", immediate=0):
        x = la.ones(2) + 1
        with pytest.raises(la.errors.ImplicitEvaluationError):
            x * np.longdouble(2)


def test_warnings_name_the_line_of_the_program() -> None:
    with pytest.warns(RuntimeWarning, match="divide by zero") as caught:
        la.asarray([1.0]) / np.longdouble(0)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("eager", [False, True])
def test_errors_of_values_are_numpys(eager: bool) -> None:
    large = np.longdouble("1e4000")
    calls: list[Callable[[Any], Any]] = [
        lambda m: m.copyto(m.zeros(3, "f4"), large, casting="unsafe"),
        lambda m: m.array([large]).astype("f4"),
        lambda m: m.add(m.ones(2, "f4"), np.array([large]), out=m.ones(2, "f4"), casting="unsafe"),
    ]
    for call in calls:
        for m in (np, la):
            context = la.eager() if eager else nullcontext()
            with context, np.errstate(all="raise"), pytest.raises(FloatingPointError):
                call(m)


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("kind", ["f4", "c16", "i8", "?"])
def test_scalars_of_other_dtypes_are_written_as_in_numpy(kind: str, immediate: int) -> None:
    scalars: list[Any] = [
        np.longdouble(2),
        np.clongdouble(2 + 0j),
        np.datetime64("2000-01-01"),
        np.timedelta64(3, "s"),
        np.str_("4"),
        np.bytes_(b"5"),
        np.str_("text"),
    ]
    for scalar in scalars:
        for key in ((), 1, slice(1, 3)):
            outcomes = []
            for m in (la, np):
                with la.config(immediate=immediate):
                    x = m.ones(3 if key != () else (), kind) + m.ones((), kind)
                    x = m.asarray(x)
                    try:
                        x[key] = scalar
                    except (TypeError, ValueError) as error:
                        outcomes.append(
                            (isinstance(error, TypeError), isinstance(error, ValueError))
                        )
                    else:
                        outcomes.append(np.asarray(x).tolist())
            mine, theirs = outcomes
            if isinstance(theirs, tuple):
                assert any(map(all, zip(mine, theirs, strict=True))), (scalar, key, outcomes)
            else:
                assert mine == theirs, (scalar, key)


class Length:
    """A number with a unit, of which NumPy knows nothing."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __add__(self, other: Any) -> Any:
        return Length(self.value + (other.value if isinstance(other, Length) else other))

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Length) and other.value == self.value

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("immediate", [0, 4096])
def test_operators_of_objects_compute_for_each_element(immediate: int) -> None:
    calls: list[Callable[[Any], Any]] = [
        lambda x: x + Length(2.0),
        lambda x: Length(2.0) + x,
        lambda x: x.astype(int) * Decimal(2),
        lambda x: Decimal(2) * x.astype(int),
        lambda x: x.astype(int).sum() * Decimal(2),
        lambda x: Decimal(3) / x.astype(int)[1:],
        lambda x: x.astype(int) // Fraction(1, 2),
        lambda x: x.astype(int) ** Fraction(2),
        lambda x: Fraction(1, 2) < x,
        lambda x: x >= Fraction(1, 2),
        lambda x: x == Fraction(1, 1),
    ]
    with la.config(immediate=immediate):
        for call in calls:
            mine, theirs = (call(m.arange(4.0) + m.zeros(())) for m in (la, np))
            if isinstance(theirs, Length):  # which asks for the whole
                assert np.asarray(mine.value).tolist() == theirs.value.tolist()
            else:
                assert np.asarray(mine).dtype == np.asarray(theirs).dtype
                assert np.asarray(mine).tolist() == np.asarray(theirs).tolist()
        for operand in (object(), None, "a", {}):
            for m in (la, np):
                with pytest.raises(TypeError):
                    m.ones(2) + operand
                with pytest.raises(TypeError):
                    operand - m.ones(2)


def test_ndarrays_of_numpys_dtypes_are_its_own() -> None:
    for dtype in ("g", "S3", "M8[s]", object, [("a", "i4")]):
        array = la.ndarray((2, 3), dtype)
        assert type(array) is np.ndarray and array.dtype == dtype and array.shape == (2, 3)
    bits = la.ndarray(2, "M8[s]", la.arange(2))
    assert bits.tolist() == np.arange(2).view("M8[s]").tolist()


def test_dtypes_without_a_common_one() -> None:
    for m in (la, np):
        with pytest.raises(np.exceptions.DTypePromotionError):
            m.logspace("a", 2)


def test_what_is_never_equal_still_has_to_broadcast() -> None:
    for other in (np.ones(3, "M8[s]"), np.ones(3, "m8[s]"), np.array(["a", "b", "c"])):
        for compare in (operator.eq, operator.ne):
            for m in (np, la):
                with pytest.raises(ValueError, match=r"cannot be broadcast|not be broadcast"):
                    compare(other, m.ones(2))
            expected = compare(other, np.ones((2, 1)))
            np.testing.assert_array_equal(compare(other, la.ones((2, 1))), expected)


def test_elements_of_arrays_of_objects_are_the_objects() -> None:
    number, text, table = [1, 2], ["a"], {"a": 1}
    for array in (
        la.array([[number, table], [3, table]], dtype=object),
        la.asarray([[number, table], [text, table]], order="F", dtype=object),
        la.array([[number, table], [None, table]], dtype=object, copy=True),
    ):
        assert array[0, 0] is number
        assert array[0, 1] is table and array[1, 1] is table
    assert la.array([[0, table], [1, table]])[0, 1] is table
