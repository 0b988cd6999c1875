"""Numbers that a dtype does not hold are reported where they are written, as in NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

VALUES = [
    float("nan"),
    float("-inf"),
    7e4,
    -1e300,
    2e300j,
    1 + 2j,
    300,
    True,
    np.float64("nan"),
    np.float32("inf"),
    np.float64(7e4),
    np.float16(7),
    np.longdouble("inf"),
    np.longdouble(1e300),
    np.int64(300),
    np.uint8(3),
    np.bool_(True),
]
DTYPES = ["?", "i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "F", "D"]


def _item(module: Any, x: Any, value: Any) -> None:
    x[1] = value


def _slice(module: Any, x: Any, value: Any) -> None:
    x[:2] = value


def _fill(module: Any, x: Any, value: Any) -> None:
    x.fill(value)


def _copy(module: Any, x: Any, value: Any) -> None:
    module.copyto(x, value, casting="unsafe")


def _masked_copy(module: Any, x: Any, value: Any) -> None:
    module.copyto(x, value, casting="unsafe", where=np.arange(x.size) > 0)


def _copies_wrap() -> bool:
    """Return whether `copyto` of this release of NumPy wraps integers of Python's."""
    try:
        np.copyto(np.zeros(1, "i1"), 300, casting="unsafe")
    except OverflowError:
        return False
    return True


COPIES_WRAP = _copies_wrap()


def _outcome(
    write: Callable[[Any, Any, Any], None], module: Any, dtype: str, value: Any, size: int
) -> Any:
    x = module.zeros(size, dtype)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            write(module, x, value)
        except (OverflowError, ValueError, TypeError) as error:
            return next(
                kind for kind in (OverflowError, TypeError, ValueError) if isinstance(error, kind)
            )
    shown = {str(w.message) for w in caught}
    if module is la:
        assert all(w.filename == __file__ for w in caught)
    return np.asarray(x)[[0, 1, -1]].tolist(), shown


@pytest.mark.host
@pytest.mark.parametrize("write", [_item, _slice, _fill, _copy, _masked_copy])
@pytest.mark.parametrize("size", [3, 5000])
def test_what_is_written_and_said_is_numpys(write: Callable[..., None], size: int) -> None:
    for dtype in DTYPES:
        for value in VALUES:
            if write in (_copy, _masked_copy) and (
                isinstance(value, np.longdouble)  # an array of long double, which is refused
                or (repr(value) == "2e+300j" and dtype in ("f2", "f4"))  # NumPy casts both parts
                or (type(value) is int and COPIES_WRAP)
            ):
                continue
            ours, numpys = (_outcome(write, module, dtype, value, size) for module in (la, np))
            np.testing.assert_equal(ours, numpys, err_msg=f"{value!r} in {dtype}")


@pytest.mark.host
@pytest.mark.parametrize("size", [3, 5000])
@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + 70000.0,
        lambda x: 1e30 * x,
        lambda x: x.astype("f4") - 1e300,
        lambda x: np.maximum(x, 10**30),
        lambda x: x < 1e9,
        lambda x: np.where(x > 0, x, 70000.0),
    ],
)
def test_a_number_that_overflows_in_an_operation_is_reported_each_time(
    call: Callable[[Any], Any], size: int
) -> None:
    for _ in range(2):
        for module in (np, la):
            x = module.ones(size, "f2")
            with pytest.warns(RuntimeWarning, match="overflow encountered in cast") as caught:
                result = call(x)
            assert module is np or caught[0].filename == __file__
            with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
                call(x)
            with np.errstate(over="ignore"):
                np.testing.assert_array_equal(np.asarray(result), call(np.ones(size, "f2")))


@pytest.mark.host
def test_settings_of_numpy_are_asked() -> None:
    seen = []
    with np.errstate(over="call", call=lambda kind, bits: seen.append(kind)):
        la.ones(5000, "f2") + 70000.0
    assert seen == ["overflow"]
    with np.errstate(all="raise"):
        # Numbers that are merely rounded, and infinities, are nothing to report.
        x = la.ones(5000, "f4") * 1e-300 + float("inf") + float("nan") + 0.1
    assert np.isnan(x.compute()).all()


TAKEN = [
    lambda m, x, value: m.insert(x, 1, value),
    lambda m, x, value: m.insert(x, [0, 2], [value, value]),
    lambda m, x, value: m.append(x, value),
    lambda m, x, value: m.full(x.shape, value, x.dtype),
    lambda m, x, value: m.full_like(x, value),
    lambda m, x, value: m.where(x == 0, value, x),
    lambda m, x, value: m.where(x == 0, x, value),
    lambda m, x, value: m.flat_item(x, 1, value),
    lambda m, x, value: m.flat_item(x, slice(0, 2), [value, value]),
]
#: Those of them that copy a number to all elements.
FILLS = (3, 4)


class _Module:
    """NumPy or lazyarr, and a write to ``flat``, which is no function of theirs."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)

    @staticmethod
    def flat_item(x: Any, key: Any, value: Any) -> Any:
        x.flat[key] = value
        return x


@pytest.mark.host
@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("call", range(len(TAKEN)))
def test_what_functions_make_of_a_number_is_numpys(call: int, immediate: int) -> None:
    def outcome(module: Any, dtype: str, value: Any) -> Any:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                result = np.asarray(TAKEN[call](_Module(module), module.zeros(3, dtype), value))
            except (OverflowError, ValueError, TypeError) as error:
                return error
        if any("invalid value" in str(w.message) for w in seen):
            return result.dtype, "as the processor has it"
        return result.dtype, repr(result.tolist())

    for dtype in DTYPES:
        for value in [*VALUES, -1, 2**40, -3.0, -0.0]:
            if type(value) is np.longdouble:
                continue  # an array of long double, which is refused
            if COPIES_WRAP and call in FILLS and type(value) is int:
                continue  # an integer that does not fit is refused, as later releases do
            expected = outcome(np, dtype, value)
            with la.config(immediate=immediate):
                ours = outcome(la, dtype, value)
            if isinstance(expected, Exception):
                assert isinstance(ours, type(expected)), (value, dtype, ours)
            else:
                assert ours == expected, (value, dtype)
