"""How maps that read neighbours are cut into tiles, and that the tiles compute NumPy's bits."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cuda import elementwise, map_choice, tuning
from lazyarr.codegen.cuda.map_choice import MapCandidate, choose_register_threads
from lazyarr.codegen.device_tilings import GridTiling, RegisterTiling
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuned import tune


@given(st.integers(1, 1 << 16), st.integers(1, 1 << 20))
def test_few_threads_of_a_line_are_idle(vectors: int, groups: int) -> None:
    row = tuning.row()
    for across, high in choose_register_threads(vectors, groups):
        if across:
            assert across * high == row.map_threads
            assert 1 - vectors / (-(-vectors // across) * across) <= row.tile_idle
        else:
            assert high == 0


def _neighbours(offsets: list[tuple[int, ...]]) -> Callable[..., Any]:
    """Return a weighted sum of neighbours, of the arrays in turn."""
    reach = max(abs(step) for offset in offsets for step in offset)

    def compute(xp: Any, *arrays: Any) -> Any:
        total = 0.0
        for k, offset in enumerate(offsets):
            x = arrays[k % len(arrays)]
            where = tuple(
                slice(reach + step, n - reach + step)
                for step, n in zip(offset, x.shape, strict=True)
            )
            total = total + x.dtype.type(0.3 * k - 1) * x[where]
        return total

    return compute


def _star(rank: int) -> list[tuple[int, ...]]:
    return [o for o in product((-1, 0, 1), repeat=rank) if sum(map(abs, o)) <= 1]


def _filter(xp: Any, x: Any) -> Any:
    count = x.shape[0] - 6
    return sum((x[k : k + count] * x.dtype.type(k - 2.5) for k in range(1, 7)), x[:count])


def _tiling(function: Callable[..., Any], *arrays: np.ndarray) -> RegisterTiling | None:
    with la.config(device="cuda"):
        (kernel,) = la.explain(function(la, *map(la.asarray, arrays))).kernels
    assert isinstance(kernel.tiling, RegisterTiling | GridTiling)
    return kernel.tiling if isinstance(kernel.tiling, RegisterTiling) else None


def _tile(*fields: Any) -> RegisterTiling:
    row = tuning.row()
    return RegisterTiling(*fields, threads=row.map_threads, reach=row.tile_reach)


def test_each_element_of_a_filter_is_loaded_once() -> None:
    x = np.zeros(1 << 20, "f4")
    tiling = _tiling(_filter, x)
    # 4 results of 7 taps read 10 elements: 3 vectors of 4.
    assert tiling == _tile(None, 1, 4, 0, 0, 3)
    assert str(tiling) == "1 line of 4 elements a thread, 3 loads for them"
    assert _tiling(_filter, x.astype("f8")) == _tile(None, 1, 2, 0, 0, 4)


def test_planes_of_a_stencil_are_loaded_once_a_thread() -> None:
    x = np.zeros((201, 203, 205), "f4")
    # Rows of odd length have no vectors: 8 lines read a column of 10, and 4 others each.
    assert _tiling(_neighbours(_star(3)), x) == _tile(0, 8, 1, 32, 8, 42)
    # Of even lengths they have two neighbours, which come with one load.
    tiling = _tiling(_neighbours(_star(2)), np.zeros((2000, 2000), "f4"))
    assert tiling is not None and (tiling.lines, tiling.width, tiling.loads) == (2, 2, 8)


def test_few_lines_where_there_is_little_to_do() -> None:
    tiling = _tiling(_neighbours(_star(2)), np.zeros((101, 101)))
    assert tiling is None or tiling.lines == 1


def test_what_shares_nothing_has_no_tile() -> None:
    x = np.zeros((512, 1024), "f4")
    assert _tiling(lambda xp, x: x * 2 + 1, x) is None
    assert _tiling(lambda xp, x, y: x[1:] * y[:-1], x, x) is None
    assert _tiling(lambda xp, x: xp.sin(xp.arange(1 << 20) * 0.5), x) is None


CASES: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...], str]] = {
    "filter": (_filter, ((1003,),), "f4"),
    "filter, whole vectors": (_filter, ((1030,),), "f8"),
    "filter of halves": (_filter, ((999,),), "f2"),
    "filter of bytes": (_filter, ((999,),), "i1"),
    "star, odd": (_neighbours(_star(2)), ((37, 45),), "f4"),
    "star, even": (_neighbours(_star(2)), ((38, 42),), "f8"),
    "box of two arrays": (
        _neighbours(list(product((-1, 0, 1), repeat=2))),
        ((21, 34), (21, 34)),
        "f4",
    ),
    "planes": (_neighbours(_star(3)), ((19, 11, 36),), "f4"),
    "planes, long rows": (_neighbours(_star(3)), ((7, 9, 1026),), "f8"),
    "complex": (_neighbours(_star(2)), ((20, 23),), "c8"),
    "rows of another": (lambda xp, x, y: (x + y) * y, ((33, 64), (64,)), "f4"),
    "columns by rows": (lambda xp, x, y: x[:, None] * y, ((33,), (40,)), "f8"),
    "upside down": (lambda xp, x: x[::-1][1:] - x[::-1][:-1], ((30, 32),), "f4"),
    "two results": (lambda xp, x: (x[1:] - x[:-1], x[1:] + x[:-1]), ((1025,),), "f4"),
}


@pytest.fixture(params=[False, True], ids=["lines", "strips"])
def _emulated(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compute on the emulated GPU, small arrays in tiles of as many lines as there may be."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    tune(monkeypatch, tuning, tile_threads_least=1)
    candidates = elementwise.map_candidates

    def most_lines(*arguments: Any) -> list[MapCandidate]:
        ways = candidates(*arguments)
        return sorted(ways, key=lambda way: -way.tile.tiling.lines if way.tile else 0)

    monkeypatch.setattr(elementwise, "map_candidates", most_lines)
    monkeypatch.setattr(map_choice, "_far_apart", lambda *arguments: request.param)
    forget_plans()
    with la.config(device="cuda"):
        yield
    forget_plans()


@pytest.mark.usefixtures("_emulated")
@pytest.mark.parametrize("name", CASES)
def test_bits_are_numpys(name: str) -> None:
    function, shapes, dtype = CASES[name]
    rng = np.random.default_rng(0)
    arrays = [(rng.random(shape) * 20 - 10).astype(dtype) for shape in shapes]
    expressions = function(la, *map(la.asarray, arrays))
    expected = function(np, *arrays)
    several = isinstance(expected, tuple)
    results = la.evaluate(*expressions) if several else (la.evaluate(expressions),)
    assert all(
        isinstance(kernel.tiling, RegisterTiling)
        for kernel in la.explain(*(expressions if several else (expressions,))).kernels
    )
    for result, exact in zip(results, expected if several else (expected,), strict=True):
        if exact.dtype == np.float16:  # NumPy rounds after each operation, kernels at the end
            np.testing.assert_allclose(np.asarray(result, "f4"), exact, rtol=0.01, atol=0.2)
        else:
            np.testing.assert_array_equal(result, exact)


@pytest.mark.usefixtures("_emulated")
def test_memory_that_is_not_aligned_is_read_element_by_element() -> None:
    whole = np.arange(1030, dtype="f4") ** 2 % 97
    kept = la.persist(la.asarray(whole))
    for start in range(4):
        part = whole[start : start + 1001]
        lazy = la.evaluate(_filter(la, kept[start : start + 1001]))
        np.testing.assert_array_equal(lazy, _filter(np, part))
