"""The last bits of float reductions: from shape, axes and dtype, however the operand comes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cuda.summation import widest_granule
from lazyarr.codegen.device_tilings import ColumnTiling, RowTiling, SplitTiling
from lazyarr.codegen.tiling import Tiling
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

Array = np.ndarray[Any, Any]
Lazy = la.LazyArray
Forms = dict[str, Callable[[Array], tuple[Lazy, ...]]]


@pytest.fixture(autouse=True, scope="module")
def device() -> Iterator[None]:
    forget_plans()
    with pytest.MonkeyPatch.context() as patch, la.config(device="cuda"):
        patch.setattr(driver, "_devices", [EmulatedDevice()])
        yield
    forget_plans()


def _wild(generator: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Return numbers of many magnitudes, whose sums have other bits in every other order."""
    values = generator.standard_normal(shape) * np.exp2(generator.integers(-30, 30, shape))
    return (values.astype("f4") / 3).astype(dtype)  # exact in float32, for casts


def _strided(values: Array) -> Array:
    """Return the same values, two elements apart along the last axis."""
    wide = np.zeros((*values.shape[:-1], 2 * values.shape[-1]), values.dtype)
    wide[..., ::2] = values
    return wide[..., ::2]


def _shifted(values: Array) -> Array:
    """Return the same values at an address that no vector may have."""
    flat = np.zeros(values.size + 1, values.dtype)
    flat[1:] = values.ravel()
    return flat[1:].reshape(values.shape)


def _halves(values: Array) -> tuple[Array, Array]:
    """Return two arrays whose sum is exact."""
    part = (values / 2).astype(values.dtype)
    return part, values - part


def _expensive(x: Lazy) -> Lazy:
    """Return x by code so long that a thread loads few elements at once."""
    for _ in range(4):
        x = la.where(np.tan(x) == 2.5, np.exp(np.sin(x)), x)
    return x


#: Ways in which the same values come to a reduction.
FORMS: Forms = {
    "strided": lambda v: (la.asarray(_strided(v)),),
    "shifted": lambda v: (la.asarray(_shifted(v)),),
    "turned": lambda v: (la.asarray(np.asfortranarray(v)),),
    "computed": lambda v: (la.asarray(v) * la.asarray(np.ones_like(v)),),
    "computed from halves": lambda v: (sum(map(la.asarray, _halves(v)), la.zeros((), v.dtype)),),
    "cast": lambda v: (la.asarray(v.astype("f4" if v.dtype == "f8" else "f8")).astype(v.dtype),),
    "expensive": lambda v: (_expensive(la.asarray(v)),),
    "stored too": lambda v: (y := la.asarray(v) * la.asarray(np.ones_like(v)), y),
    "reversed twice": lambda v: (la.asarray(np.ascontiguousarray(v[..., ::-1]))[..., ::-1],),
}

REDUCTIONS: dict[str, Callable[[Lazy, Any], Lazy]] = {
    "sum": lambda x, axis: x.sum(axis),
    "prod": lambda x, axis: (x / 4).prod(axis),
    "var": lambda x, axis: x.var(axis),
    "norm": lambda x, axis: x / np.sqrt((x * x).sum(axis, keepdims=True)),
}


def _bits(reduction: str, operands: tuple[Lazy, ...], axis: Any) -> bytes:
    results = la.evaluate(REDUCTIONS[reduction](operands[0], axis), *operands[1:])
    return np.asarray(results[0] if operands[1:] else results).tobytes()


#: A shape and axes for each template: short rows, rows, long rows, columns, the whole.
PLACES: list[tuple[tuple[int, ...], Any]] = [
    ((300, 3), 1),
    ((70, 60), 1),
    ((9, 64), 1),
    ((12, 2048), 1),
    ((5, 40, 28), (0, 2)),
    ((7, 1001), 1),
    ((70_001,), 0),
    ((2, 70_000), 1),
    ((500, 3), 0),
    ((90, 36), 0),
    ((3, 70, 5, 8), 1),
    ((40, 6, 6), (0, 1)),
]


#: Rows up to this length are added in the order of their axis, wherever they lie.
SHORT = 16


def _follows_memory(shape: Sequence[int], axis: Any) -> bool:
    """Whether transposed rows are added in the order of memory, as NumPy's are."""
    axes = {axis} if isinstance(axis, int) else set(axis)
    long = [k for k, n in enumerate(shape) if n != 1]
    return bool(long) and long[-1] in axes and prod(shape[k] for k in axes) > SHORT


def _in_memory(values: Array, axis: Any) -> tuple[Lazy, Any]:
    """Return the memory of transposed values, and their axes there."""
    last = values.ndim - 1
    axes = last - axis if isinstance(axis, int) else tuple(sorted(last - k for k in axis))
    return la.asarray(np.ascontiguousarray(values.T)), axes


def _differing(
    seed: int, place: tuple[tuple[int, ...], Any], dtype: str, reduction: str, forms: Sequence[str]
) -> list[str]:
    """Return the forms of random values whose reductions have other bits than in memory."""
    shape, axis = place
    values = _wild(np.random.default_rng(seed), shape, dtype)
    with np.errstate(all="ignore"):
        expected = dict.fromkeys(forms, _bits(reduction, (la.asarray(values),), axis))
        if "turned" in forms and _follows_memory(shape, axis):
            memory, axes = _in_memory(values, axis)
            reduced = np.asarray(la.evaluate(REDUCTIONS[reduction](memory, axes)))
            expected["turned"] = reduced.T.tobytes()
        return [f for f in forms if _bits(reduction, FORMS[f](values), axis) != expected[f]]


@pytest.mark.parametrize("place", PLACES[::2], ids=str)
def test_bits_do_not_tell_how_an_operand_came(place: tuple[tuple[int, ...], Any]) -> None:
    number = PLACES.index(place)
    form, reduction = list(FORMS)[number % len(FORMS)], list(REDUCTIONS)[number % len(REDUCTIONS)]
    assert _differing(number, place, "f8", reduction, [form]) == []


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_bits_of_every_form(place: tuple[tuple[int, ...], Any], reduction: str, dtype: str) -> None:
    assert _differing(PLACES.index(place), place, dtype, reduction, list(FORMS)) == []


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("place", [((40, 90, 30), 1), ((6, 500, 9), 1), ((67, 33, 2), 1)], ids=str)
def test_bits_of_columns_whose_first_axis_lies_along_memory(
    place: tuple[tuple[int, ...], Any], dtype: str, reduction: str
) -> None:
    assert _differing(sum(place[0]), place, dtype, reduction, ["turned"]) == []


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("place", [((500, 3), 0), ((900, 36), 0), ((5, 40, 28), (0, 1))], ids=str)
def test_bits_of_columns_whose_rows_lie_side_by_side(
    place: tuple[tuple[int, ...], Any], reduction: str
) -> None:
    assert _differing(sum(place[0]), place, "f8", reduction, ["turned"]) == []


def test_rows_that_lie_side_by_side_are_neighbours() -> None:
    with la.config(device="cuda"):
        (kernel,) = la.explain(la.asarray(np.zeros((300, 200), "f4")).T.sum(0)).kernels
        (plain,) = la.explain(la.asarray(np.zeros((200, 300), "f4")).sum(0)).kernels
    assert isinstance(kernel.tiling, ColumnTiling)
    assert isinstance(plain.tiling, ColumnTiling)
    assert kernel.tiling.by_lines
    assert not plain.tiling.by_lines
    assert "neighbours in lines" in str(kernel.tiling)


def test_columns_that_lie_side_by_side_are_neighbours() -> None:
    x = la.asarray(np.zeros((300, 200, 400), "f4")).transpose(2, 1, 0)
    with la.config(device="cuda"):
        (turned,) = la.explain((x * 2 + 1).sum(1)).kernels
        (plain,) = la.explain((la.zeros((400, 200, 300), "f4") + x[0, 0, 0]).sum(1)).kernels
    assert isinstance(turned.tiling, ColumnTiling)
    assert isinstance(plain.tiling, ColumnTiling)
    assert turned.tiling.across * turned.tiling.width == 100
    assert _order(turned.tiling) == _order(plain.tiling)


def test_bits_beside_other_reductions() -> None:
    """Of more states than the shared memory of a block has room for at once."""
    values = _wild(np.random.default_rng(7), (600, 3), "f8")
    for axis in (0, None):
        x = la.asarray(values)
        alone = np.asarray((la.asarray(values) * 3).sum(axis))
        many = la.evaluate(*((x * n).sum(axis) for n in range(2, 25)), x.astype("f4").sum(axis))
        assert many[1].tobytes() == alone.tobytes()


def _order(tiling: Tiling) -> tuple[int, ...]:
    """Return the part of a tiling that orders its additions."""
    match tiling:
        case RowTiling():
            return tiling.lanes, tiling.granule, tiling.iterations * tiling.width
        case SplitTiling():
            return tiling.granule, tiling.iterations * tiling.width, tiling.chunks
        case ColumnTiling():
            return tiling.lines, tiling.iterations, tiling.chunks, tiling.combining
        case _:
            raise AssertionError(tiling)


@given(
    st.lists(st.sampled_from([2, 3, 8, 33, 64, 100, 1000]), min_size=1, max_size=4),
    st.sampled_from(["f8", "f4"]),
    st.data(),
)
@settings(max_examples=20, deadline=None)
def test_kernels_of_every_form_add_in_one_order(
    sizes: list[int], dtype: str, data: st.DataObject
) -> None:
    assume(prod(sizes) <= 1 << 18)
    axes = tuple(sorted(data.draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1))))
    values = np.ones(sizes, dtype)
    form = data.draw(st.sampled_from(list(FORMS)))
    orders = []
    plain = la.asarray(values).sum(axes)
    if form == "turned" and _follows_memory(sizes, axes):
        memory, moved = _in_memory(values, axes)
        plain = memory.sum(moved)
    operands = FORMS[form](values)
    for results in ((plain,), (operands[0].sum(axes), *operands[1:])):
        with la.config(device="cuda"):
            kernels = la.explain(*results).kernels
        orders += [_order(kernel.tiling) for kernel in kernels if kernel.tiling is not None]
    assert len(set(orders)) == 1


def test_dtypes_that_are_added_in_different_orders_have_kernels_of_their_own() -> None:
    x = la.asarray(np.ones((70, 1001)))
    y = x.astype("f4")
    kernels = la.explain(x.sum(1), y.sum(1), x.max(1), (x > 0).sum(1)).kernels
    assert len(kernels) == 2
    assert len(la.explain(x.sum(1), x.var(1), x.max(1), (x > 0).sum(1)).kernels) == 1


@pytest.mark.parametrize(
    ("run", "itemsize", "ragged", "granule"),
    [
        (64, 4, False, 4),
        (64, 8, False, 2),
        (64, 2, False, 8),
        (62, 4, False, 2),
        (63, 4, False, 1),
        (63, 4, True, 4),
        (7, 4, True, 1),
        (1, 4, True, 1),
        (0, 4, False, 1),
    ],
)
def test_granules(run: int, itemsize: int, ragged: bool, granule: int) -> None:
    assert widest_granule(run, itemsize, ragged) == granule
