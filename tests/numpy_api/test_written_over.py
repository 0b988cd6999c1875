"""Ufuncs that write over an ndarray which is an operand, too, beside arrays of lazyarr."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from tests.support.comparison import bits

Array = np.ndarray[Any, Any]

_UFUNCS = [np.add, np.subtract, np.multiply, np.minimum, np.maximum, np.true_divide, np.bitwise_xor]
_SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e308, -1e308, 5e-324, 1.5]
#: Views of an array of 12 x 10 elements, of 6 x 5 each, some of which overlap.
_VIEWS: list[Callable[[Any], Any]] = [
    lambda x: x[:6, :5],
    lambda x: x[1:7, 2:7],
    lambda x: x[::2, ::2],
    lambda x: x[11:5:-1, 9:4:-1],
    lambda x: x.T[:6, :5],
    lambda x: x.reshape(10, 12)[:6, 1:6],
]
#: What a program makes of an array beside the ndarray.
_OPERANDS: list[Callable[[Any], Any]] = [
    lambda x: x,
    lambda x: x * 2,
    lambda x: x[::-1] + x,
    lambda x: -x,
    lambda x: x[:1],
    lambda x: x.sum(axis=0, dtype=x.dtype),
]


def _values(draw: random.Random, dtype: str, shape: tuple[int, ...]) -> Array:
    rng = np.random.default_rng(draw.getrandbits(32))
    values = rng.integers(0, 100, shape).astype(dtype)
    if dtype[0] == "f":
        some = rng.random(shape) < 0.2
        with np.errstate(all="ignore"):
            values[some] = rng.choice(_SPECIAL, shape).astype(dtype)[some]
    return values


def _outcome(program: Callable[[], Any]) -> tuple[Any, list[tuple[Any, str, str]]]:
    """Return the class of NumPy's error, or None, and the warnings of a program."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        error = None
        try:
            program()
        except (TypeError, ValueError, FloatingPointError) as raised:
            error = next(
                kind
                for kind in (FloatingPointError, TypeError, ValueError)
                if isinstance(raised, kind)
            )
    return error, sorted((w.category, str(w.message), w.filename) for w in caught)


@pytest.mark.parametrize("seed", range(3))
def test_random_members_are_written_as_by_numpy(seed: int) -> None:
    draw = random.Random(seed)
    with la.config(immediate=1, implicit="allow"):
        for _ in range(12):
            ufunc, view, operand = (draw.choice(some) for some in (_UFUNCS, _VIEWS, _OPERANDS))
            target, other = draw.choice(["f8", "f4", "i8", "i2"]), draw.choice(["f8", "i8", "f4"])
            ours = _values(draw, target, (12, 10))
            theirs = ours.copy()
            source = _values(draw, other, (6, 5))
            if draw.random() < 0.3:  # made of the memory that is written to
                lazy, plain = la.asarray(view(ours)), view(theirs)
            else:
                lazy, plain = la.asarray(source.copy()), source
            swapped, action = draw.random() < 0.3, draw.choice(["warn", "warn", "raise"])

            def written(x: Array, value: Any) -> None:
                part = view(x)  # noqa: B023
                pair = (value, part) if swapped else (part, value)  # noqa: B023
                assert ufunc(*pair, out=part) is part  # noqa: B023

            with np.errstate(over=action, divide=action, invalid=action):
                expected = _outcome(lambda: written(theirs, operand(plain)))  # noqa: B023
                got = _outcome(lambda: written(ours, operand(lazy)))  # noqa: B023
            # Without C, casts are refused before what waits is computed, and meets exceptions.
            assert got[0] == expected[0] or (COMPILED is None and got[0] and expected[0])
            if not got[0]:
                assert bits(ours) == bits(theirs)
                assert {w[:2] for w in got[1]} == {w[:2] for w in expected[1]}


def test_the_operand_is_computed_once() -> None:
    target = np.zeros(3000)
    with la.config(immediate=8, implicit="allow"):
        value = la.asarray(np.ones(3000)) * 3 + 1
        before = la.cache.info().work.computed
        target += value
        target -= value
        np.multiply(value, target, out=target)
        computed = la.cache.info().work.computed - before
        assert (target == 0).all() and (np.asarray(value) == 4).all()
    assert COMPILED is None or computed <= 2 * 3000  # two operations, and no copy of the target


@pytest.mark.skipif(COMPILED is None, reason="arrays have no buffer in the form without C")
def test_every_buffer_of_a_small_array_is_its_own() -> None:
    with la.config(immediate=4096, implicit="allow"):
        for dtype in "?bhilqefdFD":
            expected = np.arange(24).reshape(4, 6).astype(dtype)
            x = la.array(expected)
            first, second = memoryview(x), memoryview(x)
            x[...] = 1
            third = np.asarray(memoryview(x))
            assert bits(np.asarray(first)) == bits(np.asarray(second)) == bits(expected)
            assert (third == 1).all() and first.readonly
            assert first.strides == expected.strides and first.shape == (4, 6)
            del first
            taken = np.asarray(second)
            del second, x
            assert bits(taken) == bits(expected)


@pytest.mark.parametrize("immediate", [0, 4096])
def test_a_cast_is_refused_before_anything_is_computed(immediate: int) -> None:
    zeros = np.zeros(5)
    with la.config(immediate=immediate), np.errstate(all="raise"):
        lazy = la.array(zeros)
        for out in (np.zeros(5, "i8"), la.zeros(5, dtype="i8")):
            for operands in ((lazy, lazy), (lazy, 0), ([1, 2, 3, 4, 5], lazy)):
                with pytest.raises(TypeError, match="Cannot cast ufunc 'divide' output"):
                    la.divide(*operands, out=out)
        with pytest.raises(TypeError, match="Cannot cast ufunc 'divide' output"):
            la.divide(lazy, 0, out=np.zeros(4, "i8"), dtype="f4")


@pytest.mark.parametrize("immediate", [0, 4096])
def test_what_meets_an_error_midway_is_not_computed_again(immediate: int) -> None:
    # NumPy leaves anything at all in the output then: an operand, which is read no more.
    for target in (np.array([1, -2, 3, 0] * 16).reshape(2, 32).T, np.array([1, -2, 3, 0])):
        with la.config(immediate=immediate):
            base = la.array((np.arange(target.size) % 2 == 1).reshape(target.shape))
            for power in (np.power, la.power):
                own = target.copy(order="K")
                with pytest.raises(ValueError, match="negative integer powers"):
                    power(base, own, out=own)
