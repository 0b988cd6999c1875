"""Ufuncs as objects: operands that answer themselves, signatures, and generalized ufuncs."""

from __future__ import annotations

import array
import inspect
from typing import Any

import numpy as np
import pytest

import lazyarr as la


class Answering:
    """An operand with an answer of its own, by the protocol of NEP 13."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **keywords: Any) -> Any:
        self.calls.append((ufunc, method, args, keywords))
        return self


class Refusing:
    __array_ufunc__ = None


class Convertible:
    """An object whose ``__array__`` makes its values with lazyarr, as after a swapped import."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return la.asarray(np.arange(6).reshape(2, 3)) + 1


CALLS: dict[str, Any] = {
    "binary": lambda xp, x, other: xp.add(x, other),
    "reflected": lambda xp, x, other: xp.subtract(other, x),
    "unary": lambda xp, x, other: xp.negative(other),
    "number": lambda xp, x, other: xp.multiply(2, other),
    "keywords": lambda xp, x, other: xp.add(x, other, dtype="f4", where=[True]),
    "out": lambda xp, x, other: xp.add(x, 1, out=other),
    "positional out": lambda xp, x, other: xp.add(x, 1, other),
    "two outputs": lambda xp, x, other: xp.divmod(x, 2, out=(None, other)),
    "reduce": lambda xp, x, other: xp.add.reduce(other, axis=1),
    "accumulate": lambda xp, x, other: xp.add.accumulate(other),
    "reduceat": lambda xp, x, other: xp.add.reduceat(other, [0, 1]),
    "outer": lambda xp, x, other: xp.add.outer(x, other),
    "at": lambda xp, x, other: xp.add.at(other, [0], 1),
    "matmul": lambda xp, x, other: xp.matmul(x, other),
    "vecdot": lambda xp, x, other: xp.vecdot(other, x, axis=0),
}


@pytest.mark.parametrize("size", [3, 100_000])
@pytest.mark.parametrize("name", CALLS)
def test_operands_answer_as_they_do_to_numpy(name: str, size: int) -> None:
    call, other = CALLS[name], Answering()
    x = np.arange(float(size))
    call(np, x, other)
    call(la, la.asarray(x), other)
    expected, answer = other.calls
    assert answer[:2] == expected[:2]
    assert {*answer[3]} - {"axis"} == {*expected[3]} - {"axis"}
    assert [value is other for value in answer[2]] == [value is other for value in expected[2]]
    if name != "keywords":
        with pytest.raises(TypeError):
            call(la, la.asarray(x), Refusing())


def test_arrays_that_a_method_makes_with_lazyarr_are_operands() -> None:
    values = np.arange(6).reshape(2, 3) + 1
    calls: dict[str, Any] = {
        "ufunc": lambda xp, x: xp.minimum(x, 4),
        "reduction": lambda xp, x: xp.sum(x, axis=0),
        "array": lambda xp, x: xp.asarray(x),
        "list": lambda xp, x: xp.array([x, x]),
        "nested": lambda xp, x: xp.array([[x], [x]], dtype="f4"),
        "at once": lambda xp, x: xp.intersect1d(x, [2, 9]),
        "product": lambda xp, x: xp.matmul(x, x.T if isinstance(x, np.ndarray) else values.T),
    }
    for name, call in calls.items():
        result, expected = call(la, Convertible()), call(np, values)
        np.testing.assert_array_equal(np.asarray(result), expected, err_msg=name, strict=True)


SIGNATURES: list[tuple[Any, dict[str, Any]]] = [
    ("i", {}),
    ("dd->d", {}),
    ("ii->i", {}),
    ("ii->i", {"casting": "unsafe"}),
    ("ii>i", {}),
    ("%^->#", {}),
    (b"ii-i", {}),
    (b"\xff\xff->i", {}),
    (("i4",), {"casting": "unsafe"}),
    (("i4", "i4", "i4"), {"casting": "unsafe"}),
    ((None, None, None), {}),
    ((None, None, "f4"), {}),
    ((None,), {}),
    ((None, "f8"), {}),
    (123.0, {}),
    (np.float64, {}),
]


@pytest.mark.parametrize(("signature", "options"), SIGNATURES)
@pytest.mark.parametrize("keyword", ["sig", "signature"])
@pytest.mark.parametrize("size", [3, 100_000])
def test_signatures_are_taken_and_refused_as_by_numpy(
    signature: Any, options: dict[str, Any], keyword: str, size: int
) -> None:
    x = np.arange(size) / 2
    options = {**options, keyword: signature}
    lazy = la.asarray(x)
    for call in (lambda: la.add(lazy, 0.5, **options), lambda: np.add(lazy, 0.5, **options)):
        try:
            expected = np.add(x, 0.5, **options)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            with pytest.raises(kind):
                call()
        else:
            np.testing.assert_array_equal(np.asarray(call()), expected, strict=True)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_the_number_of_operands_is_checked_as_by_numpy(count: int) -> None:
    with pytest.raises(TypeError) as expected:
        np.hypot(*[1.0] * count)
    with pytest.raises(TypeError) as refused:
        la.hypot(*[1.0] * count)
    assert str(refused.value) == str(expected.value)


@pytest.mark.parametrize("name", ["matmul", "matvec", "vecdot", "vecmat"])
def test_generalized_ufuncs_have_the_attributes_of_ufuncs(name: str) -> None:
    theirs = getattr(np, name, None)
    if theirs is None:
        pytest.skip("this NumPy has none")
    function = getattr(la, name)
    for attribute in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
        assert getattr(function, attribute) == getattr(theirs, attribute)
    dtypes = (np.dtype("f4"), np.dtype("f8"), None)
    assert function.resolve_dtypes(dtypes) == theirs.resolve_dtypes(dtypes)
    assert list(inspect.signature(function).parameters)[:3] == ["x1", "x2", "out"]
    x = np.ones(2)
    for method, args in {"reduce": (x,), "outer": (x, x), "at": (x, [0], x)}.items():
        with pytest.raises((TypeError, RuntimeError)) as expected:
            getattr(theirs, method)(*args)
        with pytest.raises(expected.type):
            getattr(function, method)(*args)


def test_whether_axes_are_kept_is_no_text() -> None:
    with pytest.raises(TypeError):
        la.vecdot(la.ones(3), la.ones(3), keepdims="true")


def test_kept_axes_may_be_left_to_the_end() -> None:
    x, y = np.arange(60.0).reshape(3, 4, 5), np.arange(60.0).reshape(4, 5, 3)
    expected = np.vecdot(x, y, axes=[0, 2], keepdims=True)
    result = la.vecdot(la.asarray(x), la.asarray(y), axes=[0, 2], keepdims=True)
    np.testing.assert_allclose(np.asarray(result), expected, strict=True)


def test_numbers_are_reduced_over_the_axis_that_they_lack() -> None:
    for ufunc, theirs in ((la.power, np.power), (la.hypot, np.hypot), (la.add, np.add)):
        for axis in (0, -1):
            assert ufunc.reduce(la.asarray(3.0), axis=axis).item() == theirs.reduce(3.0, axis=axis)
        with pytest.raises(np.exceptions.AxisError):
            ufunc.reduce(la.asarray(3.0), axis=1)


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        range(1, 4),
        array.array("d", [1, 2, 3]),
        memoryview(b"abc"),
        memoryview(array.array("d", [1, 2, 3])),
    ],
    ids=lambda values: type(values).__name__,
)
def test_whatever_is_an_array_for_numpy_is_an_operand_beside_an_output(values: Any) -> None:
    theirs, mine = np.zeros((4, 3)), la.zeros((4, 3))
    for m, out in ((np, theirs), (la, mine)):
        m.sqrt(values, out=out[0])
        m.add(values, out[0], out[1])
        m.square(values, out=out[2], where=[True, False, True], casting="unsafe")
        m.divmod(values, values, out[3], out[2])
    np.testing.assert_array_equal(np.asarray(mine), theirs)
