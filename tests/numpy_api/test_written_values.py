"""Values that are written to arrays: their shapes, and what NumPy says of those that do not fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

WRITES: dict[str, Callable[[Any, Any, Any], object]] = {
    "copyto": lambda m, a, v: m.copyto(a, v),
    "copyto where": lambda m, a, v: m.copyto(a, v, where=m.asarray([[True, False, True]])),
    "put_along_axis": lambda m, a, v: m.put_along_axis(a, m.asarray([[2, 0, 1]] * 2), v, 1),
    "item": lambda m, a, v: a.__setitem__(Ellipsis, v),
    "rows": lambda m, a, v: a.__setitem__([1, 0], v),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    "shape",
    [
        (2, 3),
        (1, 2, 3),
        (1, 1, 1, 3),
        (1, 1, 2, 1),
        (1, 0, 3),
        (2, 2, 3),
        (1, 2, 2, 3),
        (4,),
        (1, 4),
    ],
)
def test_leading_axes_of_one_element_may_be_too_many(write: str, shape: tuple[int, ...]) -> None:
    values = np.arange(float(np.prod(shape))).reshape(shape)
    try:
        expected = np.zeros((2, 3))
        WRITES[write](np, expected, values)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            WRITES[write](la, la.zeros((2, 3)), la.asarray(values))
    else:
        result = la.zeros((2, 3))
        WRITES[write](la, result, la.asarray(values))
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("value", [np.ones(1), [1.0], np.ones((1, 1))], ids=str)
def test_one_element_takes_numbers_only(value: Any) -> None:
    x = la.zeros((2, 3))
    with pytest.raises(ValueError, match=r"^Error setting single item of array"):
        x.flat[4] = value
    with pytest.raises((ValueError, TypeError), match=r"^setting an array element|^fill takes"):
        x.fill(value)
    x.flat[4] = np.ones(())
    x.flat[:1] = value
    np.testing.assert_array_equal(x, [[1, 0, 0], [0, 1, 0]])


def test_the_elements_of_an_iterator_are_copied_as_one_axis() -> None:
    x = la.arange(6).reshape(2, 3)
    elements = x.T.flat
    next(elements)
    copied = elements.copy()
    x[0, 0] = 7
    np.testing.assert_array_equal(copied, [0, 3, 1, 4, 2, 5])


@pytest.mark.parametrize("shape", [(2, 3), (2, 1, 3), (4, 1)])
@pytest.mark.parametrize("order", "CFAK")
def test_copies_of_ndarrays_and_lists_lie_in_the_order_asked_for(
    shape: tuple[int, ...], order: Any
) -> None:
    for source in (np.ones(shape), np.ones(shape[::-1]).T, np.ones(shape).tolist()):
        copied, expected = la.copy(source, order), np.copy(source, order)
        for flag in ("c_contiguous", "f_contiguous"):
            assert getattr(copied.flags, flag) == getattr(expected.flags, flag)


OUTPUTS: dict[str, Callable[[Any, Any], object]] = {
    "dot": lambda m, out: m.dot(m.ones((3, 4)), m.ones((4, 2)), out=out),
    "einsum": lambda m, out: m.einsum("ij,jk", m.ones((3, 4)), m.ones((4, 2)), out=out),
    "einsum of a view": lambda m, out: m.einsum("ij->ji", m.ones((2, 3)), out=out),
}


@pytest.mark.parametrize("call", OUTPUTS)
@pytest.mark.parametrize("shape", [(1, 3, 2), (6,), (1, 2), (3, 1), (1, 1), ()])
def test_outputs_of_other_shapes_are_refused_in_numpys_words(
    call: str, shape: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError) as theirs:
        OUTPUTS[call](np, np.empty(shape))
    with pytest.raises(ValueError, match=re.escape(str(theirs.value))):
        OUTPUTS[call](la, la.empty(shape))


@pytest.mark.parametrize("subscripts", ["", "->", "...", "...->..."])
@pytest.mark.parametrize("number", [2, 2.5, np.float32(3)], ids=repr)
@pytest.mark.parametrize("dtype", ["f2", "f4", "i4", "?", "c8"])
def test_einsum_of_a_number_is_the_number(subscripts: str, number: Any, dtype: str) -> None:
    result, expected = (m.einsum(subscripts, number, dtype=dtype) for m in (la, np))
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert result == expected


@pytest.mark.parametrize("method", ["astype", "copy", "flatten", "ravel", "tobytes"])
def test_no_order_is_the_default(method: str) -> None:
    values = np.arange(6.0).reshape(2, 3).T
    arguments = ("f4",) if method == "astype" else ()
    result = getattr(la.asarray(values) + 0, method)(*arguments, order=None)
    expected = getattr(values, method)(*arguments, order=None)
    assert result.tobytes() == expected.tobytes() if method != "tobytes" else result == expected
    if method != "tobytes":
        assert result.strides == expected.strides


@pytest.mark.parametrize("make", [la.zeros, lambda n: la.array(np.zeros(n))])
def test_an_ndarray_that_was_written_may_change(make: Callable[[int], Any]) -> None:
    size, places = 200_000, np.arange(200_000)
    for write in (
        lambda a, v: a.__setitem__(Ellipsis, v),
        lambda a, v: a.__setitem__(slice(1, None), v[1:]),
        lambda a, v: setattr(a, "flat", v),
        lambda a, v: np.copyto(a, v),
        lambda a, v: np.copyto(a, v, where=v > 0),
        lambda a, v: np.putmask(a, v > 0, v),
        lambda a, v: np.place(a, v > 0, v),
        lambda a, v: np.put(a, places, v),
    ):
        array, values = make(size), np.ones(size)
        write(array, values)
        values[5] = 99
        assert float(array[5]) == 1


#: Scalars of NumPy's that are no numbers; some of them have a value in some dtypes.
OTHER_SCALARS = {
    "date": np.datetime64("2020"),
    "moment": np.datetime64("2020-06-07 12:43", "ms"),
    "no time": np.datetime64("NaT", "s"),
    "duration": np.timedelta64(23, "s"),
    "no duration": np.timedelta64("NaT", "s"),
    "bytes": np.bytes_(b"12"),
    "text": np.str_("12"),
}

SCALAR_WRITES: dict[str, Callable[[Any, Any, Any], object]] = {
    "()": lambda m, a, v: a.__setitem__((), v),
    "...": lambda m, a, v: a.__setitem__(..., v),
    "0": lambda m, a, v: a.__setitem__(0, v),
    "[0]": lambda m, a, v: a.__setitem__([0], v),
    "mask": lambda m, a, v: a.__setitem__(m.ones(a.shape, bool), v),
    "put": lambda m, a, v: m.put(a, [0], v),
    "place": lambda m, a, v: m.place(a, m.ones(a.shape, bool), v),
    "copyto": lambda m, a, v: m.copyto(a, v),
    "fill": lambda m, a, v: a.fill(v),
    "fill_diagonal": lambda m, a, v: m.fill_diagonal(a, v),
}


def written_or_refused(m: Any, write: str, value: Any, dtype: str) -> object:
    array = m.zeros((2, 2), dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            SCALAR_WRITES[write](m, array, value)
        except (TypeError, ValueError):
            return "refused"
        return np.asarray(array).tobytes()


@pytest.mark.parametrize("write", SCALAR_WRITES)
@pytest.mark.parametrize("name", OTHER_SCALARS)
def test_scalars_of_other_dtypes_are_written_where_numpy_converts_them(
    write: str, name: str
) -> None:
    for dtype in "?bhqQefdD":
        expected = written_or_refused(np, write, OTHER_SCALARS[name], dtype)
        assert written_or_refused(la, write, OTHER_SCALARS[name], dtype) == expected, dtype
