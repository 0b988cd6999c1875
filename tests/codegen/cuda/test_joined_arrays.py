"""Rolled and joined arrays on a GPU: few kernels, vectors, and NumPy's bits."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.device_tilings import RegisterTiling
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.device_sources import cuda_sources


@pytest.fixture
def _emulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compute on the emulated GPU."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    forget_plans()
    with la.config(device="cuda", immediate=0):
        yield
    forget_plans()


def _laplacian(xp: Any, x: Any) -> Any:
    total = -2 * x.ndim * x
    for axis in range(x.ndim):
        total = total + xp.roll(x, 1, axis) + xp.roll(x, -1, axis)
    return total


def test_rolled_arrays_are_read_where_they_lie() -> None:
    x = la.asarray(np.zeros((40, 48, 64), "f4"))
    with la.config(device="cuda"):
        explanation = la.explain(_laplacian(la, x))
    (kernel,) = explanation.kernels
    assert (kernel.bytes_read, kernel.bytes_written) == (x.nbytes, x.nbytes)
    assert not explanation.waits  # no index can be out of bounds
    (text, _) = [source.text for source in cuda_sources([_laplacian(la, x)])]
    # Of each of the planes and lines beside one, and of a line itself the vectors beside one: two
    # rolled arrays read the one in between.
    assert text.count("const f32x4*") == 9
    assert "in0[" not in text


@pytest.mark.parametrize(
    ("build", "kernels"),
    [
        (lambda x: np.roll(x, 3) * 2, 1),
        (lambda x: np.roll(x, 3), 2),  # a result is written in parts
        (lambda x: np.roll(np.exp(x), 3) * 2, 2),  # nothing is stored in between
        (lambda x: np.roll(np.exp(x), 3) * np.roll(np.exp(x), -3), 2),
        (lambda x: np.roll(la.ones(1 << 17), 1) * x, 2),
    ],
)
def test_what_is_rolled_once_is_not_stored(build: Any, kernels: int) -> None:
    x = la.asarray(np.zeros(1 << 17))
    with la.config(device="cuda"):
        assert len(la.explain(build(x)).kernels) == kernels


def random_rolls(random: np.random.Generator, xp: Any, arrays: list[Any]) -> Any:
    """Return a sum of rolled arrays, of slices, views and products of them."""
    shape = arrays[0].shape
    total: Any = arrays[0]
    for _ in range(int(random.integers(1, 6))):
        x, y = (arrays[k] for k in random.integers(len(arrays), size=2))
        axes = [int(axis) for axis in random.integers(len(shape), size=random.integers(1, 4))]
        places = [int(random.choice([-1, 1, 2, -3, 4, 37, -50])) for _ in axes]
        match random.integers(6):
            case 0:
                base = x * y
            case 1:
                base = x[::-1]
            case 2:
                base = x[..., ::-1]
            case 3:
                base = xp.concatenate([x[1:], x[:1]]) + 1
            case _:
                base = x
        part = xp.roll(base, tuple(places), tuple(axes))
        match random.integers(6):
            case 0:
                part = part[::-1]
            case 1:
                part = part[:1] * 2
            case 2:
                part = part[..., ::-1]
            case 3:
                part = xp.where(part > 1, part, y)
            case _:
                pass
        total = total + part
    match random.integers(5):
        case 0:
            return xp.stack([total, xp.roll(total, 1, 0), total * 2], axis=-1)
        case 1:
            return total[1:, ...] * xp.roll(arrays[0], -1, 0)[:-1]
        case 2:
            return xp.concatenate([total, xp.roll(total, 2, -1) + total], axis=0)
        case _:
            return total


@pytest.mark.usefixtures("_emulated")
@pytest.mark.parametrize("seed", range(48))
def test_bits_are_numpys(seed: int) -> None:
    random = np.random.default_rng(seed)
    lengths = [1, 2, 3, 5, 8, 12, 16, 17, 24, 32]
    shape = tuple(int(n) for n in random.choice(lengths, size=random.integers(1, 4)))
    dtype = random.choice(["f4", "f8", "i4", "i1", "c8"], p=[0.4, 0.3, 0.1, 0.1, 0.1])
    arrays = [random.integers(-9, 9, shape).astype(dtype) for _ in range(3)]
    state = random.bit_generator.state
    with np.errstate(all="ignore"):
        expected = random_rolls(random, np, arrays)
        random.bit_generator.state = state
        result = np.asarray(random_rolls(random, la, [la.asarray(x) for x in arrays]))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def _columns(xp: Any, p: Any, q: Any) -> Any:
    a, b, c, d = (x[..., k] for x in (p, q) for k in (0, 1))
    return xp.stack([a * c - b * d, a * d + b * c], axis=-1)


@pytest.mark.parametrize(
    ("dtype", "count"), [("f4", 2), ("f8", 2), ("f4", 3), ("f8", 3), ("f4", 4), ("i8", 4)]
)
def test_columns_go_in_vectors(dtype: str, count: int) -> None:
    p, q = (la.asarray(np.zeros((1 << 20, count), dtype)) for _ in range(2))
    columns = [p[:, k] * q[:, count - 1 - k] for k in range(count)]
    value = np.stack(columns, axis=1)
    with la.config(device="cuda"):
        (kernel,) = la.explain(value).kernels
    assert isinstance(kernel.tiling, RegisterTiling) and kernel.tiling.interleaved
    vectors = kernel.tiling.loads / kernel.tiling.width
    assert vectors <= 2 * count * np.dtype(dtype).itemsize / tuning.row().vector_bytes
    (text, _) = [source.text for source in cuda_sources([value])]
    assert "out0[" not in text.split("} else")[0]


@pytest.mark.usefixtures("_emulated")
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1"])
@pytest.mark.parametrize("count", [3, 5, 9])
def test_joined_columns_are_stored_by_way_of_shared_memory(dtype: str, count: int) -> None:
    for rows in (256, 3001, 4096):  # the last tile is whole, or not
        p, q = (np.random.default_rng(k).integers(-9, 9, rows).astype(dtype) for k in range(2))
        parts = [k * p - q for k in range(count)]
        x, y = la.asarray(p), la.asarray(q)
        value = la.stack([k * x - y for k in range(count)], axis=-1)
        (kernel,) = la.explain(value).kernels
        assert isinstance(kernel.tiling, RegisterTiling)
        assert 0 < kernel.tiling.staged_bytes <= tuning.row().tile_staged_bytes
        np.testing.assert_array_equal(np.asarray(value), np.stack(parts, axis=-1))


@pytest.mark.usefixtures("_emulated")
def test_joined_columns_of_sliced_rows() -> None:
    """What is stored follows one another, although what is loaded does not."""
    whole = np.arange(64 * 130.0).reshape(64, 130)
    for columns in (128, 127):
        p, x = whole[:, :columns], la.asarray(whole)[:, :columns]
        expected = np.stack([p, 2 * p, p - 1], axis=-1)
        np.testing.assert_array_equal(np.asarray(la.stack([x, 2 * x, x - 1], axis=-1)), expected)


def random_columns(random: np.random.Generator, xp: Any, arrays: list[Any]) -> Any:
    """Return columns, or every so many elements, of arrays, combined and joined."""
    count = arrays[0].shape[-1]

    def part() -> Any:
        x, y = (arrays[k] for k in random.integers(len(arrays), size=2))
        j, k = map(int, random.integers(count, size=2))
        match random.integers(4):
            case 0:
                return x[..., j]
            case 1:
                return x[..., j] * y[..., k] + x[..., k]
            case 2:
                return xp.where(x[..., j] > y[..., k], x[..., j], 1)
            case _:
                return x[..., j] - y[..., :1].sum(axis=-1)

    parts = [part() for _ in range(int(random.integers(1, 6)))]
    match random.integers(4):
        case 0:
            return sum(parts)
        case 1:
            return xp.concatenate([xp.stack(parts, -1), arrays[0]], axis=-1)
        case 2:
            step = int(random.integers(1, 4))
            flat = arrays[0].reshape(-1)
            flat = flat[: flat.size // step * step]
            return xp.concatenate([flat[k::step] * (k + 2) for k in range(step)])
        case _:
            return xp.stack(parts, axis=int(random.choice([0, -1])))


@pytest.mark.usefixtures("_emulated")
@pytest.mark.parametrize("seed", range(60))
def test_columns_are_numpys(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = int(random.choice([1, 2, 3, 16, 61, 256, 1000, 1025]))
    shape = (*([int(random.integers(1, 4))] if random.integers(2) else []), rows)
    shape += (int(random.integers(1, 8)),)
    dtype = random.choice(["f4", "f8", "i4", "i1", "c8"], p=[0.4, 0.3, 0.1, 0.1, 0.1])
    arrays = [random.integers(-9, 9, shape).astype(dtype) for _ in range(2)]
    if random.integers(3) == 0:  # rows that begin anywhere in memory
        whole = [random.integers(-9, 9, (*shape[:-1], shape[-1] + 1)) for _ in range(2)]
        arrays = [x.astype(dtype)[..., 1:] for x in whole]
    state = random.bit_generator.state
    expected = random_columns(random, np, arrays)
    random.bit_generator.state = state
    result = np.asarray(random_columns(random, la, [la.asarray(x) for x in arrays]))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.usefixtures("_emulated")
def test_columns_in_memory_that_is_not_aligned() -> None:
    whole = np.arange(4099, dtype="f4") % 89
    kept = la.persist(la.asarray(whole))
    for start in range(4):
        p = whole[start : start + 4000].reshape(-1, 4)
        x = kept[start : start + 4000].reshape(-1, 4)
        result = np.asarray(_columns(la, x, x))
        np.testing.assert_array_equal(result, _columns(np, p, p))
