"""Arrays to which another thread gives other memory or an expression, wherever it may come in.

Python switches between threads at calls. Here what the other thread does is done at one of these
places of an operation, and at the next one when the operation runs again, until there are no more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import aliasing, storing

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]
#: Where the state of arrays is read, and whose functions call for their operands' memory.
FILES = tuple(str(Path(m.__file__ or "").parent) for m in (aliasing, np))
VALUES = 1.0 + np.arange(24.0).reshape(3, 8) / 64

READS: dict[str, Callable[[Any], Any]] = {
    "row": lambda x: x[1],
    "part": lambda x: x[1:, ::2],
    "element": lambda x: x[1, 2],
    "rows": lambda x: x[[2, 0]],
    "transposed": lambda x: x.T,
    "iteration": lambda x: list(x),
    "reshaped": lambda x: x.reshape(-1),
    "raveled": lambda x: x.ravel(),
    "bits": lambda x: x.view(np.int64),
    "diagonal": lambda x: x.diagonal(),
    "rolled axis": lambda x: np.rollaxis(x, 1),
    "turned": lambda x: np.rot90(x),
    "split": lambda x: np.split(x, 2, axis=1),
    "of three axes": lambda x: np.atleast_3d(x),
    "sum": lambda x: x + x,
    "remainder": lambda x: divmod(x, 2.0)[1],
    "ufunc": lambda x: np.abs(x),
    "reduction": lambda x: x.max(axis=0),
    "function": lambda x: np.median(x, axis=0),
    "joined": lambda x: np.concatenate([x, x]),
    "strides": lambda x: x.strides,
    "copy": lambda x: np.array(x),
}


def _in_place(x: Any) -> None:
    x *= 2.0


def _row_in_place(x: Any) -> None:
    x[1] += 1.0


def _under_mask(x: Any) -> None:
    x[VALUES > 1.2] = 9.0


def _at_indices(x: Any) -> None:
    x[[0, 2]] = 7.0


def _part(x: Any) -> None:
    x[1:, ::2] = np.arange(8.0).reshape(2, 4)


def _rows_exchanged(x: Any) -> None:
    x[0], x[1] = x[1].copy(), x[0].copy()


WRITES: dict[str, Callable[[Any], Any]] = {
    "in place": _in_place,
    "row in place": _row_in_place,
    "mask": _under_mask,
    "indices": _at_indices,
    "part": _part,
    "rows exchanged": _rows_exchanged,
    "fill": lambda x: x.fill(3.0),
    "sort": lambda x: x[::-1].sort(axis=0),
    "output": lambda x: np.multiply(x, 2.0, out=x),
    "put": lambda x: x.put([1, 2], [5.0, 6.0]),
}


def _of_its_own() -> Any:
    x = la.array(VALUES)
    x[0, 0] = VALUES[0, 0]
    return x


def _view() -> Any:
    x = la.array(np.vstack([VALUES, VALUES]))
    x[0, 0] = VALUES[0, 0]
    return x[3:]


def _wrapped() -> Any:
    return la.asarray(VALUES.copy())


ARRAYS = {"own": _of_its_own, "view": _view, "wrapped": _wrapped}


def _make_expression(x: Any) -> None:
    aliasing.leave_memory(x)
    aliasing.leave_memory(aliasing.owner_of(x))


def _move(x: Any) -> None:
    """Let an array have other memory, as an expression sees what it has."""
    _move.seen = x + 1.0  # type: ignore[attr-defined]
    x[...] = VALUES


def _see(x: Any) -> None:
    _move.seen = aliasing.owner_of(x) + 1.0  # type: ignore[attr-defined]


CHANGES = {"expression": _make_expression, "other memory": _move}


def _with_switch(
    run: Callable[[], Any], change: Callable[[], None], place: int
) -> tuple[Any, bool]:
    """Call a function, with a change at one of the places where Python calls or returns.

    Parameters
    ----------
    run : callable
        The function.
    change : callable
        What another thread does, if it need not wait for this one there.
    place : int
        The number of the place.

    Returns
    -------
    tuple of object and bool
        The result of the function, and whether there is such a place.
    """
    left = place

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(FILES):
            return None
        frame.f_trace_lines = False
        if event == "exception":
            return trace
        left -= 1
        if left == -1 and not storing.changing()._is_owned():  # type: ignore[attr-defined]
            sys.settrace(None)
            change()
            return None
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        result = run()
    finally:
        sys.settrace(before)
    return result, left < 0


def _values(result: Any) -> list[Array]:
    return [np.array(r) for r in result] if isinstance(result, list) else [np.array(result)]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_what_is_read_is_of_the_array_and_stays_a_view_of_it(
    read: Callable[[Any], Any], array: Callable[[], Any], change: Callable[[Any], None]
) -> None:
    values = VALUES.copy()
    result = read(values)
    expected = _values(result)
    values[...] = 50.0
    expected += _values(result)
    place, there_is = 0, True
    with la.config(implicit="allow", immediate=4000):
        while there_is:
            x = array()
            result, there_is = _with_switch(lambda x=x: read(x), lambda x=x: change(x), place)
            seen = _values(result)
            x[...] = 50.0
            for one, other in zip(seen + _values(result), expected, strict=True):
                np.testing.assert_array_equal(one, other, strict=True)
            place += 1


@pytest.mark.parametrize("change", [_make_expression, _see], ids=["expression", "expression sees"])
@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_what_is_written_is_seen(
    write: Callable[[Any], Any], array: Callable[[], Any], change: Callable[[Any], None]
) -> None:
    expected = VALUES.copy()
    write(expected)
    place, there_is = 0, True
    with la.config(implicit="allow", immediate=4000):
        while there_is:
            x = array()
            _, there_is = _with_switch(lambda x=x: write(x), lambda x=x: change(x), place)
            np.testing.assert_array_equal(np.array(x), expected)
            np.testing.assert_array_equal(np.array(aliasing.owner_of(x))[-3:], expected)
            place += 1
