"""Arrays of the user's memory: what the compiled form wraps is as Python's form wraps it."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.lazy_array import asarray as in_python
from lazyarr.arrays.storing import BORROWED

N = 60


def _unaligned() -> Any:
    return np.zeros(8 * N + 1, np.uint8)[1:].view(np.float64)


def _readonly() -> Any:
    array = np.arange(N * 1.0)
    array.flags.writeable = False
    return array


class Marked(np.ndarray):
    """A subclass that leaves everything to ndarray."""


ARRAYS: dict[str, Callable[[], Any]] = {
    **{f"of {code}": lambda code=code: np.arange(N).astype(code) for code in "?bBhHiIlLqQefdFD"},
    "of another order of bytes": lambda: np.arange(N, dtype=">i4"),
    "of columns": lambda: np.asfortranarray(np.arange(N * 1.0).reshape(6, 10)),
    "of rows": lambda: np.arange(N).reshape(2, 3, 10),
    "strided": lambda: np.arange(2 * N)[::2],
    "a column": lambda: np.arange(5.0 * N).reshape(N, 5)[:, 2],
    "a block in steps": lambda: np.arange(8.0 * N).reshape(4, N, 2)[1::2, ::3],
    "of wide rows": lambda: np.zeros((3, 200_000))[:, :2],
    "backwards": lambda: np.arange(N)[::-1],
    "transposed": lambda: np.arange(N).reshape(2, 3, 10).transpose(1, 2, 0),
    "a part": lambda: np.arange(2.0 * N)[5:-7],
    "without axes": lambda: np.array(2.5),
    "without elements": lambda: np.zeros((0, 3)),
    "of a subclass": lambda: np.arange(N).view(Marked),
    "not aligned": _unaligned,
    "read-only": _readonly,
    "large": lambda: np.arange(3_000_000.0),
    "with metadata": lambda: np.zeros(N, np.dtype("f8", metadata={"unit": "m"})),
}
#: Other arguments of asarray.
ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((float,), {}),
    ((np.float64,), {}),
    ((), {"dtype": "float64"}),
    ((), {"dtype": np.dtype("int64")}),
    ((None,), {}),
    ((), {"dtype": "f4"}),
    ((), {"dtype": bool}),
    ((float, "C"), {}),
    ((), {"copy": True}),
]


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_arrays_are_wrapped_as_in_python_s_form(name: str, arguments: Any) -> None:
    args, keywords = arguments
    array = ARRAYS[name]()
    ours, reference = la.asarray(array, *args, **keywords), in_python(array, *args, **keywords)
    expected = np.asarray(array, *args, **{k: v for k, v in keywords.items() if k != "copy"})
    assert (ours.dtype, ours.shape) == (reference.dtype, reference.shape)
    assert ours.dtype == expected.dtype.newbyteorder("=")
    if name != "large" or not la.get_config().immediate:  # else the compiled form converts at once
        assert (ours._array is None) == (reference._array is None)
        assert ours._past == reference._past
    assert (ours._history is BORROWED) == (reference._history is BORROWED)
    np.testing.assert_array_equal(np.asarray(ours), expected)
    np.testing.assert_array_equal(np.asarray(ours + 1), expected + 1)
    assert ours.flags.c_contiguous == reference.flags.c_contiguous
    assert ours.strides == reference.strides


@pytest.mark.lazy
@pytest.mark.parametrize("convert", [la.asarray, in_python], ids=["compiled", "python"])
@pytest.mark.parametrize("name", ["of d", "of columns", "of rows", "a part", "of ?", "large"])
def test_the_user_s_memory_is_seen_and_never_written_to(
    convert: Callable[..., Any], name: str
) -> None:
    array = ARRAYS[name]()
    before = array.copy(order="K")
    x = convert(array)
    views = [x[:1], x.T, x[..., 2:5]]
    pending = x[:1] * 2
    array.reshape(-1, order="A")[0] = 1
    np.testing.assert_array_equal(np.asarray(x), array)
    np.testing.assert_array_equal(np.asarray(pending), array[:1] * 2)
    array[...] = before
    views[0][...] = 1
    x[-1:] = 0
    np.testing.assert_array_equal(array, before)
    expected = before.copy()
    expected[:1], expected[-1:] = 1, 0
    np.testing.assert_array_equal(np.asarray(x), expected)
    for view, theirs in zip(views, [expected[:1], expected.T, expected[..., 2:5]], strict=True):
        np.testing.assert_array_equal(np.asarray(view), theirs)
    array[...] = 0
    np.testing.assert_array_equal(np.asarray(x), expected)


@pytest.mark.parametrize("convert", [la.asarray, in_python], ids=["compiled", "python"])
@pytest.mark.parametrize("name", ["strided", "backwards", "a column", "a block in steps"])
def test_arrays_with_gaps_lie_as_before_when_they_were_written_to(
    convert: Callable[..., Any], name: str
) -> None:
    """NumPy's `ravel` of them is a copy, and their views lie in them as before."""
    array = ARRAYS[name]()
    before, expected = array.copy(), ARRAYS[name]()
    x = convert(array)
    views = [x[1:], x[..., ::-1], x.T]
    for y in (x, expected):
        y[0] = 7
        y.ravel()[...] = 1
        y[..., -1] += 2
    np.testing.assert_array_equal(np.asarray(x), expected)
    assert x.strides == expected.strides
    for view, theirs in zip(views, [expected[1:], expected[..., ::-1], expected.T], strict=True):
        np.testing.assert_array_equal(np.asarray(view), theirs)
        assert view.strides == theirs.strides
    np.testing.assert_array_equal(array, before)


def test_views_know_their_base() -> None:
    array = np.arange(N * 1.0)
    x = la.asarray(array)
    assert x.base is None
    assert x[1:].base is x and x[1:][2:].base is x
    assert np.shares_memory(x, x[3:]) and np.may_share_memory(x, x[3:])
    assert la.asarray(x) is x and la.asarray(x, float) is x and la.asarray(x, dtype="f8") is x
    assert la.asarray(x, np.float32) is not x and la.asarray(x[1:], float).base is x


def test_random_arrays_with_random_writes() -> None:
    """Differential: the same writes to wrapped arrays of both forms, and to NumPy's."""
    own = np.random.default_rng(3)
    for _ in range(150):
        shape = tuple(own.integers(1, 6, int(own.integers(1, 4))))
        array = own.integers(-9, 9, shape).astype(own.choice(list("bhilfdD")))
        if own.random() < 0.4:
            array = np.asfortranarray(array)
        theirs = array.copy(order="K")
        wrapped = [la.asarray(array), in_python(array)]
        views = [(x[:1], x) for x in wrapped]
        for _ in range(int(own.integers(1, 5))):
            place = tuple(int(own.integers(n)) for n in shape)
            value = int(own.integers(-9, 9))
            match int(own.integers(4)):
                case 0:
                    theirs[place] = value
                    for x in wrapped:
                        x[place] = value
                case 1:
                    theirs[:1] += value
                    for view, _x in views:
                        view += value
                case 2:
                    theirs *= 2
                    for x in wrapped:
                        x *= 2
                case 3:
                    for x in wrapped:
                        np.testing.assert_array_equal(np.asarray(x + value), theirs + value)
        for x, (view, _x) in zip(wrapped, views, strict=True):
            np.testing.assert_array_equal(np.asarray(x), theirs)
            np.testing.assert_array_equal(np.asarray(view), theirs[:1])


def test_nothing_is_leaked() -> None:
    array = np.arange(N * 1.0)
    references = sys.getrefcount(array)
    for _ in range(5):
        x = la.asarray(array, dtype=float)
        x[1:] + 1
    array.flags.writeable = False
    la.asarray(array)
    with pytest.raises(TypeError):
        la.asarray(array, no_such_argument=1)
    del x
    gc.collect()
    assert sys.getrefcount(array) == references
    reference = weakref.ref(array)
    wrapped = la.asarray(array)
    del array
    assert wrapped[0] == 0
    del wrapped
    gc.collect()
    assert reference() is None


def test_in_a_trace_and_under_settings_it_is_an_expression() -> None:
    array = np.arange(N * 1.0)
    with la.config(immediate=0):
        assert la.asarray(array)._array is None
    traced = la.jit(lambda x: la.asarray(x, dtype=float) + la.asarray(array))
    np.testing.assert_array_equal(np.asarray(traced(la.asarray(array))), array + array)
    with pytest.raises(la.errors.DTypeError):
        la.asarray(array, dtype="no dtype")


@pytest.mark.parametrize("shape", [(171, 167), (12, 30, 80)])
@pytest.mark.parametrize("back", [(0,), (0, -1)])
def test_views_of_reversed_memory_are_written_one_after_another(
    shape: tuple[int, ...], back: tuple[int, ...]
) -> None:
    x = np.flip(np.arange(float(np.prod(shape))).reshape(shape), back)
    before, expected = x.copy(), np.flip(x, back).copy()
    y = la.asarray(x)
    view = y[::-1][..., :: -1 if len(back) > 1 else 1]
    expected.flat[:2] = 3
    view.flat[:2] = 3
    assert np.array_equal(np.asarray(view), expected)
    assert np.array_equal(np.asarray(y), np.flip(expected, back))
    assert np.array_equal(x, before)


@pytest.mark.parametrize("lies", ["rows", "columns", "numbers", "windows", "rows of rows"])
@pytest.mark.parametrize("immediate", [0, 4096, 1 << 20])
def test_elements_in_the_same_place_are_written_apart(lies: str, immediate: int) -> None:
    """Of broadcast arrays and windows, as each element of an array has a value of its own."""
    a = np.random.default_rng(6).normal(size=(80, 90))
    windows = np.lib.stride_tricks.sliding_window_view(a.ravel()[:169], 90)
    shapes = {"rows": a[:1], "columns": a[:, :1], "numbers": a[:1, :1], "windows": windows}
    x = np.broadcast_to(shapes.get(lies, a[:1]), (80, 90))
    x = np.broadcast_to(x[:1, None], (4, 20, 90)) if lies == "rows of rows" else x
    other = np.arange(float(x.size)).reshape(x.shape)
    writes: list[Callable[[Any, Any], Any]] = [
        lambda y, v: y.__isub__(v),
        lambda y, v: y.__setitem__(Ellipsis, v),
        lambda y, v: y.T.__setitem__([0, 1], v.T[[2, 3]]),
        lambda y, v: y[1:].__imul__(v[1:]),
    ]
    with la.config(immediate=immediate):
        for write in writes:
            y, expected = la.asarray(x), x.copy()
            view, column = y[1:], expected[1:]
            write(y, la.asarray(other))
            write(expected, other)
            order = la.argmax(y, axis=0)  # computed with it
            for _ in range(2):
                np.testing.assert_array_equal(np.array(view), column)
                np.testing.assert_array_equal(np.array(y), expected)
            np.testing.assert_array_equal(order, expected.argmax(axis=0))
            assert len(set(y.strides)) == y.ndim and 0 not in y.strides
