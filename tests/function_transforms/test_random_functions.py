"""Random functions: jitted ones return what NumPy computes, for whatever sizes and layouts follow.

A function is a list of steps, drawn once. It is then called several times, with arrays of other
sizes, strides and alignment, the same array twice, views that overlap, and other numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import lazyarr as la

pytestmark = pytest.mark.each_device

Array = np.ndarray[Any, Any]
Choose = Callable[[int], int]
DTYPES = [np.dtype(code) for code in "dddffilbhB?"]


def _added(x: Any, value: Any) -> Any:
    y = x.copy()
    y += value
    return y


def _placed(x: Any, value: Any) -> Any:
    y = x.copy()
    y[0] = value
    y[..., -1:] = 1
    return y


def _of_first_size(x: Any, y: Any) -> Any:
    return x * y if x.shape[0] > 4 else x - y


def _of_number(x: Any, s: Any) -> Any:
    return x + 1 if s > 1 else x * 2


#: (operands: "x" an array, "v" one of at least one axis, "f" a floating one, "s" a number)
STEPS: list[tuple[str, Callable[..., Any]]] = [
    ("xx", lambda x, y: x + y),
    ("xx", lambda x, y: x * y),
    ("xx", lambda x, y: np.maximum(x, y)),
    ("xx", lambda x, y: np.where(x > y, x, y)),
    ("xx", lambda x, y: (x == y) | (x != x)),
    ("xs", lambda x, s: x * s),
    ("xs", lambda x, s: s + x),
    ("fs", lambda x, s: x - (s + 1) * 2),
    ("fs", lambda x, s: np.minimum(x, s / 2)),
    ("fs", lambda x, s: np.clip(x, -s, s)),
    ("xs", lambda x, s: x >= s),
    ("xs", _of_number),
    ("fs", lambda x, s: np.where(x > 0, x, s)),
    ("f", lambda x: np.abs(x) / 4),
    ("f", np.sqrt),
    ("f", lambda x: np.exp(-np.abs(x))),
    ("x", lambda x: x.astype(np.float64)),
    ("x", lambda x: x.astype(np.int32) if x.dtype.kind != "f" else x),
    ("v", lambda x: x.sum(axis=0)),
    ("v", lambda x: np.sum(x, axis=-1, keepdims=True)),
    ("v", lambda x: np.cumsum(x, axis=0)),
    ("v", lambda x: x.max(axis=-1, initial=0) if x.dtype.kind != "b" else x),
    ("v", lambda x: np.mean(x, axis=0)),
    ("v", lambda x: la.mean(x) if isinstance(x, la.LazyArray) else np.mean(x)),
    ("v", lambda x: x[::-1]),
    ("v", lambda x: x[1:]),
    ("v", lambda x: x[..., ::2]),
    ("v", lambda x: x[0]),
    ("v", lambda x: x[-1]),
    ("v", lambda x: np.squeeze(x)),
    ("v", lambda x: x.T),
    ("v", lambda x: x.reshape(-1)),
    ("v", lambda x: np.concatenate([x, x[::-1]])),
    ("x", lambda x: np.stack([x, x])),
    ("v", lambda x: np.sort(x, axis=-1)),
    ("v", lambda x: x / x.shape[0]),
    ("v", lambda x: x * len(x)),
    ("x", lambda x: x + x.size),
    ("xx", lambda x, y: _of_first_size(x, y) if x.ndim else x - y.astype(x.dtype)),
    ("v", lambda x: x - x.astype(np.float64).mean(axis=-1, keepdims=True)),
    ("xs", lambda x, s: _added(x.astype(np.float64), s)),
    ("vs", lambda x, s: _placed(x.astype(np.float64), s)),
    ("v", lambda x: x[..., None] * np.arange(3)),
    ("s", lambda s: np.float64(2) * s),
    ("s", lambda s: np.zeros(3) + s),
]


class Unfit(Exception):
    """A step does not apply here."""


def _pick(values: Sequence[Any], kind: str, at: int) -> Any:
    fits = [
        x
        for x in values
        if kind == "x" or (kind == "v" and x.ndim) or (kind == "f" and x.dtype.kind == "f")
    ]
    if not fits:
        raise Unfit
    return fits[-1 - at % len(fits)]


def _program(choose: Choose, length: int) -> Callable[..., Any]:
    drawn = [(choose(len(STEPS)), choose(8), choose(8)) for _ in range(length)]
    swaps = choose(2)

    def program(*args: Any) -> Any:
        arrays = [x for x in args if hasattr(x, "ndim")]
        numbers = [x for x in args if not hasattr(x, "ndim")]
        values = list(arrays)
        for step, first, second in drawn:
            kinds, function = STEPS[step]
            try:
                operands = [
                    numbers[at % len(numbers)] if kind == "s" else _pick(values, kind, at)
                    for kind, at in zip(kinds, (first, second), strict=False)
                ]
            except Unfit:
                continue
            values.append(function(*operands))
        last = values[-3:]
        return {"a": tuple(last), "b": [numbers[0] * 2]} if swaps else (last, -numbers[0])

    return program


def _data(choose: Choose, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    generator = np.random.default_rng(choose(1 << 16))
    if dtype.kind == "b":
        return np.asarray(generator.random(shape) < 0.5)
    low, high = (0, 5) if dtype.kind == "u" else (-4, 5)
    return np.asarray(generator.integers(low, high, shape)).astype(dtype)


def _layout(choose: Choose, x: Array) -> Array:
    """Return the same values, in memory that is laid out in some other way."""
    match choose(9):
        case 1 if x.ndim:
            return x[..., ::-1].copy()[..., ::-1]
        case 2 if x.ndim:
            spread = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
            spread[..., ::2] = x
            return spread[..., ::2]
        case 3:
            return np.asfortranarray(x)
        case 4 if x.ndim:
            return np.broadcast_to(x[:1], x.shape)
        case 5:
            raw = np.zeros(x.nbytes + 1, np.uint8)[1:]
            there = raw.view(x.dtype).reshape(x.shape)
            there[...] = x
            return there
        case 6:
            frozen = x.copy()
            frozen.flags.writeable = False
            return frozen
        case 7:
            return x.astype(x.dtype.newbyteorder(">"))
        case 8:
            record = np.zeros(x.shape, [("a", "i1"), ("b", x.dtype)])
            record["b"] = x
            return record["b"]
        case _:
            return x


def _arguments(
    choose: Choose, dtypes: Sequence[np.dtype[Any]], ndim: int, kinds: Sequence[type]
) -> list[Any]:
    shape = tuple((1, 2, 3, 5, 8)[choose(5)] for _ in range(ndim))
    created: list[Any] = []
    for dtype in dtypes:
        thin = tuple(1 if choose(6) == 0 else n for n in shape)
        created.append(_layout(choose, _data(choose, dtype, thin)))
    if len(created) > 1 and created[0].dtype == created[1].dtype:
        match choose(5):
            case 0:
                created[1] = created[0]
            case 1 if ndim:
                base = _data(choose, dtypes[0], (shape[0] + 1, *shape[1:]))
                created[:2] = base[1:], base[:-1]
    numbers = [(2, 3, 0, -1, 1)[choose(5)] for _ in kinds]
    return created + [kind(number) for kind, number in zip(kinds, numbers, strict=True)]


def _compare(got: Any, expected: Any, tolerance: float, note: str) -> None:
    if isinstance(expected, (tuple, list)):
        assert type(got) is type(expected), note
        for a, b in zip(got, expected, strict=True):
            _compare(a, b, tolerance, note)
    elif isinstance(expected, dict):
        assert list(got) == list(expected), note
        for key, value in expected.items():
            _compare(got[key], value, tolerance, note)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert isinstance(got, np.ndarray), note
        assert (got.dtype, got.shape) == (expected.dtype.newbyteorder("="), expected.shape), note
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(got, expected, tolerance, tolerance, err_msg=note)
        else:
            np.testing.assert_array_equal(got, expected, err_msg=note)
        assert got.flags.writeable, note
    else:
        assert type(got) is type(expected) and got == expected, note


def check_jitted(choose: Choose, length: int, calls: int) -> None:
    """Check one function."""
    ndim = (1, 2, 1, 2, 3, 0)[choose(6)]
    dtypes = [DTYPES[choose(len(DTYPES))] for _ in range(1 + choose(3))]
    if choose(2):
        dtypes = [dtypes[0]] * len(dtypes)
    kinds = [(float, int, float, bool)[choose(4)] for _ in range(1 + choose(2))]
    tolerance = 1e-4 if np.dtype("f4") in dtypes else 1e-11
    function = _program(choose, length)
    jitted = la.jit(function)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(calls):
            args = _arguments(choose, dtypes, ndim, kinds)
            before = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
            note = f"{args!r} {jitted.cache_info()}"
            try:
                expected = function(*args)
            except Exception as error:  # noqa: BLE001
                with pytest.raises((type(error), TypeError, ValueError)):
                    jitted(*args)
                continue
            for _ in range(2):  # the second time by the way that the first one prepared
                _compare(jitted(*args), expected, tolerance, note)
            for x, old in zip(args, before, strict=True):
                np.testing.assert_array_equal(x, old)


def _run(part: int, examples: int, length: int, calls: int) -> None:
    @seed(part)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def run(data: Any) -> None:
        def choose(limit: int) -> int:
            drawn: int = data.draw(st.integers(0, limit - 1))
            return drawn

        check_jitted(choose, length, calls)

    run()


@pytest.mark.parametrize(("part", "length"), [(0, 2), (1, 4), (2, 7)])
def test_jitted_functions_return_what_numpy_computes(part: int, length: int) -> None:
    _run(part, 30, length, 4)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10, 20))
def test_many_jitted_functions(part: int) -> None:
    _run(part, 150, part - 7, 6)
