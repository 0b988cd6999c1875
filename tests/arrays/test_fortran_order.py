"""Operations at once on arrays whose elements lie in Fortran's order, or in that of neither."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la

LAYOUTS = {
    "C": lambda x: np.ascontiguousarray(x),
    "Fortran": lambda x: np.asfortranarray(x),
    "neither": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "reversed": lambda x: np.ascontiguousarray(x[::-1])[::-1],
}
SHAPES = [(3, 4), (1, 5), (5, 1), (2, 3, 4), (4, 1, 3), (40, 30)]
UNARY = ["negative", "sqrt", "absolute", "floor", "exp", "isfinite", "square"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "less", "arctan2", "power"]


def _check(result, expected):
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert result.strides == expected.strides
    assert np.asarray(result).tobytes() == expected.tobytes()


def _drawn(seed, count):
    random = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    dtype = ["f8", "f4", "f8", "c16"][seed % 4]
    names = random.choice(list(LAYOUTS), count)
    arrays = [LAYOUTS[name]((random.random(shape) + 0.5).astype(dtype)) for name in names]
    return random, arrays


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("seed", range(12))
def test_operations_of_one_operand(name, seed):
    _, (array,) = _drawn(seed, 1)
    if array.dtype.kind == "c" and name == "floor":
        array = array.real
    with la.config(immediate=4096):
        _check(getattr(la, name)(la.asarray(array)), getattr(np, name)(array))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("seed", range(24))
def test_operations_of_two_operands(name, seed):
    random, (left, right) = _drawn(seed, 2)
    if left.dtype.kind == "c" and name == "arctan2":
        left, right = left.real, right.imag
    if random.random() < 0.3:
        right = 0.73
    lazy = right if isinstance(right, float) else la.asarray(right)
    with la.config(immediate=4096):
        _check(getattr(la, name)(la.asarray(left), lazy), getattr(np, name)(left, right))


@pytest.mark.parametrize("seed", range(36))
def test_operations_in_place(seed):
    """The memory that is written to is that of all views, and keeps its order."""
    random, (target, other) = _drawn(seed, 2)
    operand = [other, other[..., :1], 2.0, target][random.integers(4)]
    expected = target.copy(order="K")
    lazy = la.array(target, order="K")
    view = lazy.T
    for _ in range(2):
        operand_of_lazy = lazy if operand is target else operand
        expected *= expected if operand is target else operand
        with la.config(immediate=4096):
            lazy *= operand_of_lazy
            lazy += 1
        expected += 1
    _check(lazy, expected)
    _check(view, expected.T)
