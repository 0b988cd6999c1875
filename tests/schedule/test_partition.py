"""Parts of concatenations that read the same elements have one kernel, and NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la

Function = Any


@pytest.fixture(autouse=True)
def lazily() -> Any:
    """Evaluate small arrays as expressions."""
    la.cache.clear()
    with la.config(immediate=0):
        yield
    la.cache.clear()


def kernels(value: Any) -> int:
    return len(la.explain(value).kernels)


def _columns(xp: Any, p: Any, q: Any) -> Any:
    a, b = p[:, 0], p[:, 1]
    c, d = q[:, 0], q[:, 1]
    return xp.stack([a * c - b * d, a * d + b * c], axis=1)


def _halves(xp: Any, p: Any, q: Any) -> Any:
    return xp.concatenate([p * q - 1, p + q], axis=-1)


def _rows(xp: Any, p: Any, q: Any) -> Any:
    return xp.stack([p, q, p + q, p * 2])


@pytest.mark.parametrize(
    ("function", "shape"), [(_columns, (50, 2)), (_halves, (7, 9)), (_rows, (30,))]
)
def test_parts_that_read_the_same_are_one_kernel(function: Function, shape: Any) -> None:
    random = np.random.default_rng(0)
    p, q = random.normal(size=(2, *shape))
    value = function(la, la.asarray(p), la.asarray(q))
    assert kernels(value) == (2 if function is _rows else 1)  # `q` alone reads nothing of `p`
    np.testing.assert_array_equal(value, function(np, p, q))


def test_parts_that_read_other_elements_have_kernels_of_their_own() -> None:
    x = la.asarray(np.arange(20.0))
    assert kernels(np.concatenate([x[10:] * 2, x[:10] * 3])) == 2


def test_an_update_of_what_another_reads_comes_after_it() -> None:
    a, b = np.arange(12.0), np.arange(12.0) ** 2
    x, y = la.asarray(a.copy()), la.asarray(b.copy())
    x[1:], y[:] = x[:-1] + y[1:], x * y
    before = a.copy(), b.copy()
    before[0][1:], before[1][:] = before[0][:-1] + before[1][1:], before[0] * before[1]
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(y, before[1])


def random_parts(random: np.random.Generator, xp: Any, arrays: list[Any]) -> Any:
    """Return arrays of one shape joined: operations on them, slices, and whole ones."""
    count, axis = int(random.integers(1, 6)), int(random.integers(arrays[0].ndim))
    parts = []
    for _ in range(count):
        x, y = (arrays[k] for k in random.integers(len(arrays), size=2))
        match random.integers(6):
            case 0:
                part = x
            case 1:
                part = x * y + 1
            case 2:
                part = xp.where(x > 0.2, y, x)
            case 3:
                part = x - y[:, :1]
            case 4:
                part = x[::-1] + y
            case _:
                start, stop = sorted(random.integers(x.shape[axis] + 1, size=2))
                where = [slice(None)] * x.ndim
                where[axis] = slice(int(start), int(stop))
                parts.append((x + y)[tuple(where)])
                continue
        parts.append(part)
    if all(part.shape == parts[0].shape for part in parts) and random.integers(2):
        whole = xp.stack(parts, axis=int(random.integers(-1, parts[0].ndim)))
    else:
        whole = xp.concatenate(parts, axis=axis)
    match random.integers(3):
        case 0:
            return whole * 2
        case 1:
            return xp.concatenate([whole, whole + 1], axis=0)
        case _:
            return whole


@pytest.mark.parametrize("seed", range(60))
def test_bits_are_numpys(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = tuple(map(int, random.integers(1, 9, size=random.integers(2, 4))))
    dtypes = random.choice(["f8", "f4", "i8"], size=3)
    arrays = [(random.random(shape) * 4 - 2).astype(dtype) for dtype in dtypes]
    state = random.bit_generator.state
    result = np.asarray(random_parts(random, la, [la.asarray(x) for x in arrays]))
    random.bit_generator.state = state
    expected = random_parts(random, np, arrays)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
