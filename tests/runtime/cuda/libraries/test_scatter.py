"""Sums at places by kernels of a GPU, which has NumPy's bits: the kernels run on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.ops.mapped_sums import STEPS
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import (
    bucket_rows,
    bucket_sums,
    ordered_sums,
    owned_sums,
    partitioned_sums,
    placed_sums,
    row_maps,
    scanned_sums,
    slotted_sums,
)
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuning_rows import use_row

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def own_texts() -> Iterator[None]:
    """Texts of kernels have numbers of the tuning table, which tests change."""
    values = [
        value
        for module in (
            bucket_rows,
            bucket_sums,
            ordered_sums,
            owned_sums,
            partitioned_sums,
            placed_sums,
            row_maps,
            scanned_sums,
            slotted_sums,
        )
        for value in vars(module).values()
    ]
    texts = [text for text in values if hasattr(text, "cache_clear")]
    for text in texts:
        text.cache_clear()
    yield
    for text in texts:
        text.cache_clear()


def added(start: Array, places: Array, values: Any, xp: Any = la) -> Any:
    if xp is np:
        result = start.copy()
        np.add.at(result, places, values)
        return result
    lazy = la.asarray(start) * 1
    operand = la.asarray(values) if isinstance(values, np.ndarray) else values
    np.add.at(lazy, la.asarray(places), operand)
    return lazy


def check(start: Array, places: Array, values: Any) -> None:
    lazy = added(start, places, values)
    assert not la.explain(lazy).fallbacks
    assert la.evaluate(lazy).tobytes() == added(start, places, values, np).tobytes()


@pytest.mark.parametrize("seed", range(48))
def test_random_sums_have_numpys_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng([seed, 11])
    dtype = np.dtype(str(random.choice(["f4", "f8", "i4", "i8", "u4"])))
    row = [(), (1,), (3,), (2, 8), (150,)][int(random.integers(5))]
    if random.random() < 0.7:  # as many rows are put in order
        use_row(monkeypatch, tuning, places_alone=0)
    linked, most = int(random.choice([0, 0, 2, 9000])), int(random.choice([1, 4, 64]))
    looked, least = int(random.choice([0, 1 << 18])), int(random.choice([1, 5, 64]))
    use_row(monkeypatch, tuning, places_few=0, places_linked=linked, places_of_list=most)
    slots = ((8, 8), (16, 16)) if random.random() < 0.5 else ((9000, int(random.choice([4, 32]))),)
    wide = int(random.choice([1, 3, 200]))
    use_row(monkeypatch, tuning, places_slots=slots, places_wide=wide)
    use_row(monkeypatch, tuning, places_looked=looked, places_least=least, sort_blocks=3)
    if random.random() < 0.5:
        use_row(monkeypatch, tuning, places_of_warp=40, places_stage=256, places_many=0)
    use_row(monkeypatch, tuning, places_brief=int(random.choice([0, 16])))
    use_row(monkeypatch, tuning, scanned_rows=int(random.choice([0, 1 << 16])))
    rows = int(random.integers(1, 9000 if not row else 900))
    count = max(1, rows // int(random.choice([1, 7, 300, 5000])))
    kind = str(random.choice(["i8", "i4", "u2"]))
    places = random.integers(0, count, rows)
    if random.random() < 0.4:
        places.sort()
    if kind[0] == "i":
        places[:: int(random.integers(2, 9))] -= count
    start = (random.random((count, *row)) * 100).astype(dtype)
    values = (random.standard_normal((rows, *row)) * 1e6).astype(dtype)
    check(start, places.astype(kind), values)


@pytest.mark.parametrize("seed", range(12))
def test_rows_in_order_among_many_places(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short and long stretches of places without rows, and one row that is in no order."""
    random = np.random.default_rng([seed, 13])
    use_row(monkeypatch, tuning, places_looked=0, places_alone=0, places_few=0, places_sample=4)
    use_row(monkeypatch, tuning, sort_blocks=int(random.choice([1, 3, 1056])))
    use_row(monkeypatch, tuning, places_wide=int(random.choice([1, 4, 65])), places_of_warp=20)
    row = [(), (3,), (64,)][seed % 3]
    rows = int(random.integers(2, 6000 if not row else 300))
    count = rows * int(random.choice([1, 5, 60]) if not row else 20)
    places = np.sort(random.choice(random.integers(0, count, rows // 2 + 1), rows))
    if seed % 6 > 2:
        at = int(random.integers(1, rows))
        places[at] = max(0, places[at - 1] - 1)
    start = (random.random((count, *row)) * 100).astype("f8")
    check(start, places, (random.standard_normal((rows, *row)) * 1e6).astype("f8"))


@pytest.mark.parametrize("seed", range(24))
def test_rows_of_tiles_of_a_warp(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places that begin in one tile and end in another, and stretches of places without rows."""
    random = np.random.default_rng([seed, 19])
    is_sorted = seed % 3 > 0
    use_row(monkeypatch, tuning, places_looked=0 if is_sorted else 1 << 18, places_linked_rows=0)
    use_row(monkeypatch, tuning, places_brief=9000, places_brief_most=9000, buckets_each=0)
    use_row(monkeypatch, tuning, scanned_rows=0)
    use_row(monkeypatch, tuning, places_alone=0, places_few=0, places_sample=64, buckets_rows=0)
    use_row(monkeypatch, tuning, places_of_lane=int(random.choice([1, 2, 8])))
    use_row(monkeypatch, tuning, places_of_list=int(random.choice([1, 5, 64])))
    use_row(monkeypatch, tuning, places_of_warp=int(random.choice([20, 80])))
    use_row(monkeypatch, tuning, sort_blocks=int(random.choice([1, 7, 1056])))
    row = [(), (1,), (2,), (3,), (7,)][int(random.integers(5))]
    rows = int(random.integers(2, 5000 if not row else 1000))
    lengths = random.geometric(1 / float(random.choice([1.1, 4, 30])), rows)
    steps = 1 + random.geometric(1 / float(random.choice([1, 1.5, 20])), rows) - 1
    steps[random.random(rows) < 0.01] += 600
    places = np.repeat(np.cumsum(steps) - steps[0] * (seed % 2), lengths)[:rows]
    if not is_sorted:
        random.shuffle(places)
    count = int(places.max()) + int(random.choice([1, 700]))
    dtype = str(random.choice(["f4", "f8"]))
    start = (random.random((count, *row)) * 100).astype(dtype)
    values: Any = (random.standard_normal((rows, *row)) * 1e6).astype(dtype)
    if random.random() < 0.2:
        values = np.array(0.1, dtype)
    check(start, places.astype(str(random.choice(["i8", "i4"]))), values)


@pytest.mark.parametrize("seed", range(36))
def test_rows_of_buckets(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buckets of any size, of one chunk of rows or more, with places of any number of rows."""
    random = np.random.default_rng([seed, 17])
    use_row(monkeypatch, tuning, places_looked=0, places_alone=0, places_linked_rows=0)
    use_row(monkeypatch, tuning, places_sample=64)
    use_row(monkeypatch, tuning, sort_blocks=int(random.choice([1, 7, 1056])))
    use_row(monkeypatch, tuning, buckets_chunk=int(random.choice([256, 512, 2048])))
    use_row(monkeypatch, tuning, buckets_chunks=int(random.choice([1, 4])))
    use_row(monkeypatch, tuning, buckets_most=int(random.choice([700, 1 << 17], p=[0.2, 0.8])))
    use_row(monkeypatch, tuning, buckets_short=int(random.choice([1, 16])))
    row = [(), (1,), (3,), (2, 4), (60,)][int(random.integers(5))]
    rows = int(random.integers(2, 9000 if not row else 1500))
    count = max(1, int(rows * random.choice([0.01, 0.1, 1, 5, 20])))
    places = random.integers(0, count, rows)
    if random.random() < 0.5:  # few places have many rows, and a bucket most of them
        places = np.minimum((count * random.random(rows) ** 4).astype(int), count - 1)
    dtype = str(random.choice(["f4", "f8"]))
    start = (random.random((count, *row)) * 100).astype(dtype)
    values: Any = (random.standard_normal((rows, *row)) * 1e6).astype(dtype)
    if random.random() < 0.2:
        values = np.array(0.1, dtype)
    check(start, places.astype(str(random.choice(["i8", "i4"]))), values)


@pytest.mark.parametrize("seed", range(36))
def test_numbers_of_tiles(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buckets of which a tile has few numbers or too many, with places of any number of them."""
    random = np.random.default_rng([seed, 23])
    tile, buckets = int(random.choice([256, 1024])), int(random.choice([16, 64, 512]))
    use_row(monkeypatch, tuning, places_looked=0, places_alone=0, places_sample=64)
    use_row(monkeypatch, tuning, sort_blocks=int(random.choice([1, 7, 1056])))
    use_row(monkeypatch, tuning, partition_rows=1, partition_least=1, partition_units=buckets)
    use_row(monkeypatch, tuning, partition_wide=1, partition_many=1, partition_buckets=1 << 14)
    use_row(monkeypatch, tuning, partition_bytes=int(random.choice([24, 24 << 10])))
    threads = int(random.choice([64, 256]))
    use_row(monkeypatch, tuning, partition_busy=[0.5, 1.1][seed % 2], owned_threads=threads)
    use_row(monkeypatch, tuning, partition_tile=tile, partition_threads=threads)
    use_row(monkeypatch, tuning, rounds_batch=int(random.choice([1, 2])), partition_share=1 << 30)
    use_row(monkeypatch, tuning, rounds_threads=threads, rounds_listed=int(random.choice([1, 3])))
    memory, uneven = int(random.choice([8 << 10, 200 << 10])), float(random.choice([0, 1, 4]))
    use_row(monkeypatch, tuning, owned_each=int(random.choice([1, 4, 8])), owned_memory=memory)
    use_row(monkeypatch, tuning, owned_uneven=uneven, gathered_buckets=buckets)
    use_row(monkeypatch, tuning, gathered_bucket_bytes=int(random.choice([1, 24 << 10])))
    use_row(monkeypatch, tuning, gathered_units=int(random.choice([0, 132, 1 << 20])))
    use_row(monkeypatch, tuning, gathered_batch=int(random.choice([1, 4, 6])))
    use_row(monkeypatch, tuning, partition_steps=int(random.choice([90, 1 << 14], p=[0.2, 0.8])))
    rows = int(random.integers(2, 9000))
    count = max(1, int(rows * random.choice([0.01, 0.1, 1, 5])))
    places = random.integers(0, count, rows)
    if random.random() < 0.3:  # few places have many rows, and a bucket most of them
        places = np.minimum((count * random.random(rows) ** 4).astype(int), count - 1)
    places[:: int(random.integers(2, 9))] -= count
    dtype, row = str(random.choice(["f4", "f8"])), [(), (1,), (3,)][int(random.integers(3))]
    start = (random.random((count, *row)) * 100).astype(dtype)
    values = (random.standard_normal((rows, *row)) * 1e6).astype(random.choice(["f4", dtype, "i2"]))
    check(start, places.astype(str(random.choice(["i8", "i4"]))), values)


@pytest.mark.parametrize("seed", range(36))
def test_wide_rows_of_buckets(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of rows that are full once, often or never, and numbers that do not fill vectors."""
    random = np.random.default_rng([seed, 31])
    use_row(monkeypatch, tuning, places_looked=0, places_alone=0, places_sample=64)
    use_row(monkeypatch, tuning, partition_units=int(random.choice([1, 16, 300])))
    use_row(monkeypatch, tuning, partition_tile=256, partition_threads=64)
    use_row(monkeypatch, tuning, lists_rows=1, lists_width=int(random.choice([2, 5])))
    use_row(monkeypatch, tuning, partition_width=1, partition_buckets=1 << 14)
    use_row(monkeypatch, tuning, lists_mean=int(random.choice([9, 100, 9000])))
    use_row(monkeypatch, tuning, lists_places=int(random.choice([2, 64, 2048])))
    use_row(monkeypatch, tuning, lists_dense=int(random.choice([0, 6])))
    use_row(monkeypatch, tuning, lists_threads=64, lists_each=int(random.choice([1, 3])))
    use_row(monkeypatch, tuning, lists_sums=int(random.choice([1, 2])))
    use_row(monkeypatch, tuning, lists_most=int(random.choice([2, 900], p=[0.2, 0.8])))
    row = [(3,), (5,), (2, 3), (16,), (60,)][int(random.integers(5))]
    rows = int(random.integers(2, 3000 if row[0] < 16 else 900))
    count = max(1, int(rows * random.choice([0.01, 0.1, 1, 5])))
    places = random.integers(0, count, rows)
    if random.random() < 0.3:  # few places have many rows, and a bucket most of them
        places = np.minimum((count * random.random(rows) ** 4).astype(int), count - 1)
    places[:: int(random.integers(2, 9))] -= count
    dtype = str(random.choice(["f4", "f8"]))
    values = (random.standard_normal((rows, *row)) * 1e6).astype(random.choice(["f4", dtype, "i2"]))
    start: Array = (random.random((count, *row)) * 100).astype(dtype)
    if random.random() < 0.5:
        check(start, places.astype(str(random.choice(["i8", "i4"]))), values)
        return
    # Rows that do not begin where vectors may, and zeros that are one number.
    shifted = np.concatenate([values.reshape(-1)[:1], values.reshape(-1)])[1:].reshape(values.shape)
    lazy, kind = la.zeros(start.shape, dtype), str(random.choice(["i8", "i4"]))
    np.add.at(lazy, la.asarray(places.astype(kind)), la.asarray(shifted))
    expected = np.zeros(start.shape, dtype)
    np.add.at(expected, places, shifted)
    assert la.evaluate(lazy).tobytes() == expected.tobytes()


@pytest.mark.parametrize("seed", range(36))
def test_operations_with_numbers_before_sums(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels of rows in order and of buckets compute them; others wait until that is done."""
    random = np.random.default_rng([seed, 37])
    use_row(monkeypatch, tuning, places_looked=0, places_alone=0, places_sample=64)
    least = 1 << 30 * (seed % 4 == 3)
    use_row(monkeypatch, tuning, partition_rows=least, partition_wide=1, partition_many=1)
    use_row(monkeypatch, tuning, partition_tile=256, partition_threads=64, partition_least=1)
    use_row(monkeypatch, tuning, gathered_units=int(random.choice([0, 1 << 20])), lists_rows=least)
    use_row(monkeypatch, tuning, partition_steps=int(random.choice([0, 1 << 14], p=[0.3, 0.7])))
    use_row(monkeypatch, tuning, partition_share=1 << 30, places_brief=16 * (seed % 5 > 1))
    use_row(monkeypatch, tuning, lists_most=int(random.choice([0, 9], p=[0.3, 0.7])), lists_each=1)
    row, rows = [(), (3,), (8,)][seed % 3], int(random.integers(300, 3000))
    places = random.integers(0, max(2, rows // int(random.choice([1, 7, 50]))), rows)
    if random.random() < 0.2 or seed >= 24:
        places.sort()
        places[: seed % 2] = places[-1]  # in no order, which shows only in the end
    dtype = str(random.choice(["f4", "f8"]))
    values = (random.standard_normal((rows, *row)) * 1e6).astype(dtype)
    start: Array = (random.random((places.max() + 1, *row)) * 100).astype(dtype)
    names = random.choice(["multiply", "add", "subtract", "negated"], int(random.integers(1, 4)))
    numbers = [0.3, 7.0, -1.7][: len(names)]

    def function(xp: Any, start: Any, places: Any, values: Any) -> Any:
        for name, number in zip(names, numbers, strict=True):
            values = number - values if name == "negated" else getattr(xp, name)(values, number)
        result = start * 1
        np.add.at(result, places, values)
        return result

    expected = function(np, start, places, values)
    lazy = function(la, *[la.asarray(x) for x in (start, places, values)])
    (step,) = la.explain(lazy).library_calls
    assert step.name.endswith("_mapped_sums")
    assert la.evaluate(lazy).tobytes() == expected.tobytes()
    function = la.jit(partial(function, la))
    for _ in range(3):
        assert np.asarray(function(start, places, values)).tobytes() == expected.tobytes()
    with la.config(numerics="fast"):
        np.testing.assert_allclose(function(start, places, values), expected, 1e-3, 1e3)


@pytest.mark.parametrize("seed", range(24))
def test_rows_that_blocks_look_for(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places of all blocks in turn, one of which has more rows than the list has room for."""
    random = np.random.default_rng([seed, 29])
    use_row(monkeypatch, tuning, places_alone=0, places_linked=0, places_slots=())
    use_row(monkeypatch, tuning, scanned_items=int(random.choice([1, 3])))
    use_row(monkeypatch, tuning, scanned_noted=int(random.choice([32, 128])))
    use_row(monkeypatch, tuning, scanned_blocks=int(random.choice([1, 5, 132])))
    row = [(), (1,), (3,), (5,), (16,)][int(random.integers(5))]
    rows = int(random.integers(200, 9000 if not row else 2500))
    count = max(2, int(rows * random.choice([0.004, 0.01, 0.1])))
    places = random.integers(0, count, rows)
    if random.random() < 0.3:
        places = np.minimum((count * random.random(rows) ** 4).astype(int), count - 1)
    places[:: int(random.integers(2, 9))] -= count
    dtype = str(random.choice(["f4", "f8"]))
    start = (random.random((count, *row)) * 100).astype(dtype)
    values: Any = (random.standard_normal((rows, *row)) * 1e6).astype(random.choice(["f4", dtype]))
    if random.random() < 0.2:
        values = np.array(0.1, dtype)
    check(start, places.astype(str(random.choice(["i8", "i4"]))), values)


@pytest.mark.parametrize("rows", [1 << 18, 1 << 20, 1 << 24, 1 << 29])
@pytest.mark.parametrize("count", [2, 300, 1 << 12, 1 << 20, 1 << 26])
def test_buckets_have_room_for_their_places(rows: int, count: int) -> None:
    low = bucket_sums.bucket_bits(rows, count)
    row = tuning.row()
    assert low >= 1 and 1 << low <= row.buckets_places
    assert low == 1 or (rows << low) / count <= row.buckets_chunk * row.buckets_chunks


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("width", [86, 91, 150, 192])
def test_warps_add_up_rows_of_any_width(
    width: int, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_row(monkeypatch, tuning, places_alone=0)
    random = np.random.default_rng(width)
    start = (random.random((1, width)) * 100).astype(dtype)
    check(start, np.zeros(362, int), (random.standard_normal((362, width)) * 1e6).astype(dtype))


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_one_number_for_all_places(
    dtype: str, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not alone:
        use_row(monkeypatch, tuning, places_alone=0)
    places = np.random.default_rng(2).integers(0, 70, 3000)
    check(np.zeros(70, dtype), places, np.array(0.1 if dtype[0] == "f" else 7, dtype))


def test_a_place_with_many_rows_leaves_links_for_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    places = random.permutation(np.repeat(np.arange(700), [90] + [3] * 699))
    for alone in (0, 1 << 13):
        use_row(monkeypatch, tuning, places_alone=alone)
        check(np.zeros((700, 2)), places, random.random((places.size, 2)))


def test_sums_that_begin_with_a_number_do_not_store_an_array_of_it() -> None:
    places, values = np.arange(900) % 300, np.random.default_rng(6).random(900)

    def halves(xp: Any, places: Any, values: Any) -> Any:
        sums = xp.zeros(300)
        np.add.at(sums, places, values)
        return sums * 0.5

    lazy = halves(la, la.asarray(places), la.asarray(values))
    kernels = la.explain(lazy).kernels
    assert sum(kernel.bytes_written for kernel in kernels) < 2 * lazy.nbytes
    assert np.array_equal(la.evaluate(lazy), halves(np, places, values))


@pytest.mark.parametrize("width", [1, 3, 64])
@pytest.mark.parametrize("each", [1, 7, 100, 2000])
def test_places_in_order_are_not_sorted(
    width: int, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_row(monkeypatch, tuning, places_alone=0, places_looked=0, sort_blocks=2)
    random = np.random.default_rng([each, width])
    rows = 5000 // width + each
    places = np.sort(random.integers(0, max(1, rows // each), rows))
    shape = (rows, width) if width > 1 else (rows,)
    start = random.random((int(places[-1]) + 2, *shape[1:])).astype("f4")
    check(start, places, random.random(shape).astype("f4"))


@pytest.mark.parametrize("kind", ["i1", "i2", "u1"])
def test_places_of_short_dtypes(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_row(monkeypatch, tuning, places_alone=0, places_linked=0)
    random = np.random.default_rng(9)
    info = np.iinfo(kind)
    low, high = max(int(info.min), -190), min(int(info.max), 189)
    places = random.integers(low, high + 1, 3000).astype(kind)
    check(np.zeros((190, 2)), places, random.random((3000, 2)))


def test_one_place_has_most_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    use_row(monkeypatch, tuning, places_alone=0)
    random = np.random.default_rng(3)
    places = np.minimum(random.integers(0, 5000, 6000), 77)
    check(np.zeros((5000, 3)), places, random.random((6000, 3)))


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("dtype", ["f4", "i8"])
@pytest.mark.parametrize("place", [9, -10, 1 << 40])
def test_places_out_of_bounds_are_errors_of_each_run(
    place: int,
    dtype: str,
    alone: bool,
    monkeypatch: pytest.MonkeyPatch,
    emulated_gpu: EmulatedDevice,
) -> None:
    if not alone:
        use_row(monkeypatch, tuning, places_alone=0)
    places = np.zeros(500, np.int64)
    on_device = la.asarray(places, device="cuda")
    values = la.asarray(np.ones(500, dtype), device="cuda")
    function = la.jit(lambda p, v: added_to_zeros(p, v, dtype))
    for _ in range(8):
        assert function.persist(on_device, values).compute()[0] == 500
    assert emulated_gpu.replays
    places[-3] = place
    bad = la.asarray(places, device="cuda")
    for _ in range(2):
        with pytest.raises(IndexError, match=f"index {place} is out of bounds for axis 0"):
            function.persist(bad, values).compute()


def added_to_zeros(places: Any, values: Any, dtype: str) -> Any:
    sums = la.zeros(9, dtype)
    np.add.at(sums, places, values)
    return sums


def test_the_gradient_of_a_gather() -> None:
    random = np.random.default_rng(6)
    table, places = random.random((50, 3)).astype("f4"), random.integers(-50, 50, (40, 5))
    gradient = la.grad(lambda t: (t[la.asarray(places)] ** 2).sum())(la.asarray(table))
    assert not la.explain(gradient).fallbacks
    expected = np.zeros_like(table)
    np.add.at(expected, places.reshape(-1), 2 * table[places.reshape(-1)])
    assert np.array_equal(la.evaluate(gradient), expected)


def test_what_has_no_kernel_is_numpys() -> None:
    random = np.random.default_rng(5)
    places = random.integers(0, 9, 400)
    for start, values in (
        (np.zeros((9, 4)), random.random(4)),
        (np.zeros(9, np.complex128), np.ones(400, np.complex128)),
    ):
        lazy = added(start, places, values)
        assert la.explain(lazy).fallbacks
        assert np.array_equal(la.evaluate(lazy), added(start, places, values, np))


@pytest.mark.parametrize("seed", range(12))
def test_places_of_many_rows_each(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng([seed, 41])
    use_row(monkeypatch, tuning, places_alone=0, places_of_warp=20, places_looked=1 << 30)
    dtype = np.dtype("f4" if seed % 2 else "f8")
    count, width = int(random.integers(1, 9)), int(random.choice([1, 2, 3, 16, 33, 64, 100, 150]))
    rows = count * int(random.integers(20, 400))
    places = random.integers(0, count, rows)
    if seed % 3 == 0:
        places.sort()
    if seed % 4 == 0:
        places[places == count // 2] = 0  # a place without rows
    shape = (rows, width) if width > 1 else (rows,)
    values = random.standard_normal(shape).astype(dtype)
    start = random.standard_normal((count, *shape[1:])).astype(dtype)
    check(start, places, values)


@pytest.mark.parametrize("is_sorted", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_fast_sums_are_atomic(dtype: str, is_sorted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    use_row(monkeypatch, tuning, places_alone=0, places_looked=1000)
    random = np.random.default_rng(43)
    places = random.integers(0, 300, 3000)
    if is_sorted:
        places.sort()
    values, start = random.standard_normal((3000, 3)).astype(dtype), np.ones((300, 3), dtype)
    texts: list[str] = []
    monkeypatch.setattr(
        placed_sums,
        "atomic_source",
        lambda *kinds, plain=placed_sums.atomic_source: texts.append("") or plain(*kinds),
    )
    with la.config(numerics="fast"):
        result = la.evaluate(added(start, places, values))
    expected = added(start, places, values, np)
    np.testing.assert_allclose(result, expected, rtol=1e-4 if dtype == "f4" else 1e-12)
    assert texts


def test_kernels_have_all_operations_with_numbers():
    assert set(row_maps._STEPS) == set(STEPS)
