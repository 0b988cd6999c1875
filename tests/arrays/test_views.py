"""Views are views: statements of NumPy programs, and what they leave in every array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

WINDOWS = np.lib.stride_tricks.sliding_window_view


def _grid(m: Any) -> Any:
    return m.asarray(np.arange(16.0).reshape(4, 4))


def _slice(u: Any) -> Any:
    v = u[1:-1, 1:-1]
    v += 1
    return v


def _row(u: Any) -> Any:
    row = u[0]
    row[:] = 7
    return row


def _rows(u: Any) -> Any:
    for row in u:
        row[:] = 3


def _unpacked(u: Any) -> Any:
    x, _, _, y = u.T
    x += 5
    y[1:] -= 2
    return x, y


def _starred(u: Any) -> Any:
    _, *rest = u
    rest[0] *= 3
    return rest[0]


def _function(u: Any) -> None:
    def increment(a: Any) -> None:
        a += 1

    increment(u[2])


def _split(u: Any) -> Any:
    np.split(u, 2)[0][...] = 1
    np.vsplit(u, 2)[1][0] = 2
    np.hsplit(u, 2)[1][...] *= 2


def _flat_of_a_view(u: Any) -> None:
    u.reshape(2, 2, 4)[1, :, :].flat[::3] += 7


def _names(u: Any) -> Any:
    other = u
    other += 1
    return other


def _expressions_keep_values(u: Any) -> Any:
    y = u + 1
    u[0] = 5
    return y


def _copies(u: Any) -> Any:
    rows, masked, copied, flat = u[[1, 2]], u[u > 3], u.copy(), u.flatten()
    for x in (rows, masked, copied, flat):
        x += 100
    return rows, masked, copied, flat


def _numbers_are_no_views(u: Any) -> Any:
    s, total = u[1, 1], u.sum()
    other = total
    s += 100
    total += 1
    return s, other


def _a_view_of_a_copy(u: Any) -> Any:
    column = u.T.ravel()
    column[:3] = -1
    return column


def _windows(u: Any) -> Any:
    WINDOWS(u.ravel(), 3, writeable=True)[1] = [1, 2, 3]


def _exchange(u: Any) -> None:
    u[0], u[1] = u[1].copy(), u[0].copy()


def _statement(text: str) -> Callable[[Any], None]:
    code = compile(text, "<statement>", "exec")
    return lambda u: exec(code, {"u": u, "np": np})


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "a slice": _slice,
    "a row": _row,
    "iteration": _rows,
    "unpacking": _unpacked,
    "starred unpacking": _starred,
    "a function": _function,
    "split": _split,
    "flat of a view": _flat_of_a_view,
    "names": _names,
    "expressions": _expressions_keep_values,
    "copies": _copies,
    "numbers": _numbers_are_no_views,
    "a copy": _a_view_of_a_copy,
    "windows": _windows,
    "exchange": _exchange,
} | {
    text: _statement(text)
    for text in (
        "u[1][2] = 4",
        "u.T[0] = 2",
        "u.ravel()[:3] = 9",
        "np.add(u[1:], 1, out=u[1:])",
        "np.add(u[1:], u[:-1], out=u[1:])",
        "u[2:5].fill(3)",
        "u[1:] = u[:-1]",
        "u[::-1] = u",
        "u[:, ::-1][:, 1:] -= u[:, :-1]",
        "u[::2][1:] = 4",
        "u[:, None, 1][...] = 0.5",
        "u[0, ...][1] = 6",
        "u[2, 2, ...] += 100",
        "u.swapaxes(0, 1)[1, 2] = -1",
        "np.moveaxis(u, 0, 1)[0, 3] = -2",
        "np.rot90(u)[0] = 8",
        "np.flip(u)[0] = 8",
        "u.reshape(2, 8)[:, 1] = 8",
        "u.reshape(2, 8, order='F')[:, 1] = 8",
        "u[:1].squeeze()[1] = 3",
        "np.expand_dims(u, 1)[2] = 3",
        "np.atleast_3d(u)[2] = 3",
        "u.view('i8')[1, 1:] = 0",
        "u.view('u1')[0, :8] = 0",
        "u[2:, 1:][u[2:, 1:] > 10] = 0",
        "u[1:3][[0, 1], [1, 2]] = -4",
        "u[1:].sort(axis=0)",
        "u[0, ::-1].sort()",
        "u[:, 0].partition(2)",
        "u[2].put([0, -1], [8, 9])",
        "np.copyto(u[3], 55.0)",
        "np.copyto(u[3], 55.0, where=[True, False, True, False])",
        "np.putmask(u[1], u[0] > 1, -1)",
        "np.place(u[1:], u[1:] > 9, [1, 2])",
        "np.fill_diagonal(u[1:], 4)",
        "np.put_along_axis(u[1:], u[1:].argmax(axis=1)[:, None], 9, 1)",
        "np.add.at(u[1], [0, 0, 2], 1)",
        "u[1:3] += u[0:2]; u[1:3] *= 2",
        "u.real[1] = 3",
    )
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    array = np.arange(16.0).reshape(4, 4)
    operand = array.copy()
    lazy = la.asarray(operand)
    expected, result = PROGRAMS[name](array), PROGRAMS[name](lazy)
    np.testing.assert_array_equal(lazy.compute(), array)
    np.testing.assert_array_equal(operand, np.arange(16.0).reshape(4, 4))
    if expected is not None:
        for mine, numpys in zip(_parts(result), _parts(expected), strict=True):
            np.testing.assert_array_equal(np.asarray(mine), numpys)


def _parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def test_parts_of_complex_numbers() -> None:
    for m in (np, la):
        x = m.zeros(4, dtype=complex)
        x.imag = 3
        x.real[1:] = [1, 2, np.inf]
        x[::2].imag[...] -= 1
        np.testing.assert_array_equal(np.asarray(x), [2j, 1 + 3j, 2 + 2j, complex(np.inf, 3)])
    real = la.zeros(3)
    assert real.real is real
    with pytest.raises(TypeError, match="imaginary part"):
        real.imag = 1
    with pytest.raises(ValueError, match="read-only"):
        real.imag[0] = 1


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.diagonal(),
        lambda x: np.broadcast_to(x, (2, 3, 3)),
        lambda x: np.broadcast_arrays(x, np.zeros((2, 3, 3)))[0],
        lambda x: WINDOWS(x, 2, 0),
        lambda x: x.diagonal()[1:],
    ],
)
def test_what_is_read_only(view: Any) -> None:
    x = la.zeros((3, 3))
    shown = view(x)
    assert not shown.flags.writeable
    with pytest.raises(la.errors.ArgumentError, match="read-only") as error:
        shown[...] = 1
    assert error.value.origin is not None
    assert error.value.origin[0] == __file__
    x[...] = 2
    assert shown.compute().min() == 2


def test_flags_that_are_set() -> None:
    x = la.zeros(3)
    view = x[1:]
    x.flags.writeable = False
    for array in (x, view):
        with pytest.raises(ValueError, match="read-only"):
            array += 1
    x.setflags(write=True)
    view += 1
    np.testing.assert_array_equal(x.compute(), [0, 1, 1])


VIEWS: list[Any] = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[1:, ::2],
    lambda a: a[:, None, 3],
    lambda a: a[::-1],
    lambda a: a.reshape(2, 2, 6),
    # The copy of a small array is its own memory here, and a view of a copy in NumPy.
    pytest.param(lambda a: a.reshape(3, 8, order="F"), marks=pytest.mark.lazy),
    lambda a: a.ravel(),
    lambda a: a.T.ravel(),
    lambda a: a.ravel(order="F"),
    lambda a: a.T.ravel(order="A"),
    lambda a: a[:, ::2].ravel(),
    lambda a: a.flatten(),
    lambda a: a.diagonal(),
    lambda a: np.broadcast_to(a[0], (3, 6)),
    lambda a: a + 1,
    lambda a: a.T * 2,
    lambda a: (a.T + a.T)[1:],
    lambda a: a.T.copy(),
    lambda a: np.copy(a.T),
    lambda a: a.squeeze(),
    lambda a: a[:1].squeeze(),
    lambda a: a.astype("c16").real,
    lambda a: a.astype("c16").imag[1:],
    lambda a: a.view("i8"),
    lambda a: np.split(a, 2)[1],
    lambda a: a.swapaxes(0, 1)[2:],
    lambda a: np.tile(a, 1),
    lambda a: a[[1, 2]],
    lambda a: a.sum(axis=0),
    lambda a: np.asarray(a.T, like=a) if isinstance(a, la.LazyArray) else np.asarray(a.T),
]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("order", "CF")
def test_attributes_are_those_of_an_ndarray(view: Any, order: str) -> None:
    array = np.array(np.arange(24.0).reshape(4, 6), order=order)  # type: ignore[call-overload]
    lazy = la.asarray(array.copy("K"))
    expected, result = view(array), view(lazy)
    assert result.strides == expected.strides
    for name in ("c_contiguous", "f_contiguous", "owndata", "writeable", "fnc", "forc"):
        assert getattr(result.flags, name) == getattr(expected.flags, name), name
        if name != "forc":
            assert result.flags[name.upper()] == expected.flags[name.upper()]
    assert result.flags.num == expected.flags.num
    assert np.shares_memory(result, lazy) == np.shares_memory(expected, array)
    assert np.may_share_memory(result, lazy) == np.may_share_memory(expected, array)
    assert (result.base is None) == (expected.base is None)
    if expected.base is array:
        assert result.base is lazy


def test_bits_of_another_size_need_a_contiguous_axis() -> None:
    for x in (np.zeros((4, 6)), la.zeros((4, 6))):
        assert x.view("u1").shape == (4, 48)
        with pytest.raises(ValueError, match="last axis must be contiguous"):
            x[:, ::2].view("u1")


def test_memory_is_shared_until_the_first_write() -> None:
    array = np.zeros(4)
    lazy = la.asarray(array)
    assert la.shares_memory(lazy[1:], array)
    assert not la.shares_memory(lazy[:2], array[2:])
    lazy[0] = 1
    assert not la.shares_memory(lazy, array)
    assert array[0] == 0


def test_resized_arrays_leave_their_views() -> None:
    x = la.arange(4)
    view = x[1:]
    x.resize(2, 3)
    x[0] = 9
    np.testing.assert_array_equal(view.compute(), [1, 2, 3])
    np.testing.assert_array_equal(x.compute(), [[9, 9, 9], [3, 0, 0]])
    with pytest.raises(ValueError, match="does not own"):
        x[0].resize(9)


def test_deleted_owners_live_on_in_views() -> None:
    x = la.zeros(4)
    first, second = x[:3], x[1:]
    del x
    first += 1
    np.testing.assert_array_equal(second.compute(), [1, 1, 0])


@pytest.mark.lazy
def test_views_in_a_loop_keep_nothing_alive() -> None:
    x = la.arange(100)
    for _ in range(90):
        x = x[1:]
    assert x._alias is not None
    assert len(x._alias[2]) <= 8
    x += 1
    np.testing.assert_array_equal(x.compute(), np.arange(91, 101))


def test_operators_of_a_view_whose_owner_is_an_expression_since() -> None:
    values = np.arange(130.0 * 97).reshape(130, 97)
    with la.config(immediate=64, implicit="allow"):
        x = la.array(values)
        x[0, 0] = values[0, 0]
        view, waiting = x[:, :], x * 2
        x -= 1
        value = values - 1
        np.testing.assert_array_equal((view * view).compute(), value * value)
        np.testing.assert_array_equal((view - x).compute(), value - value)
        np.testing.assert_array_equal(waiting.compute(), values * 2)
