"""The bounds that hold for every program: on work, on plans and on the time of planning."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

SIZE = 1000


def computed() -> int:
    return la.cache.info().work.computed


def loaded() -> tuple[int, int]:
    """Return the numbers of kernels and of plans that there were so far."""
    info = la.cache.info()
    return info.kernels.compiled + info.kernels.disk_hits, info.plans.misses


def start(module: Any, kind: str) -> Any:
    """Return a first array, of memory or of what is generated."""
    if kind == "memory":
        values = np.linspace(0, 1, SIZE)
        return module.asarray(values) if module is la else values
    return module.arange(SIZE) * 0.001


OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - 0.5 * y,
    lambda x, y: np.minimum(x, y),
    lambda x, y: np.abs(x),
    lambda x, y: x[::-1] * 0.25,
    lambda x, y: x - y.mean(),
    lambda x, y: np.where(x > y, x, y * 0.5),
]


def run_random_program(module: Any, kind: str, seed: int, ask: Callable[[Any], Any]) -> list[Any]:
    """Build arrays of earlier ones, ask for some in any order, and drop others."""
    draw = random.Random(seed)
    arrays, answers = [start(module, kind)], []
    for _ in range(30):
        arrays.append(draw.choice(OPERATIONS)(draw.choice(arrays), draw.choice(arrays)))
        if draw.random() < 0.3:
            answers.append(ask(draw.choice(arrays)))
        if draw.random() < 0.3 and len(arrays) > 3:
            del arrays[draw.randrange(1, len(arrays))]
    draw.shuffle(arrays)
    return answers + [ask(array) for array in arrays]


@pytest.mark.parametrize("kind", ["memory", "generated"])
@pytest.mark.parametrize("seed", range(6))
def test_no_value_is_computed_more_than_twice_in_any_order(kind: str, seed: int) -> None:
    expected = run_random_program(np, kind, seed, np.copy)
    with la.config(immediate=0):
        before = la.cache.info().work
        answers = run_random_program(la, kind, seed, np.asarray)
        after = la.cache.info().work
    for mine, theirs in zip(answers, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    assert after.computed - before.computed <= 2 * (after.eager - before.eager)
    # An operation of this program computes at most five arrays, a mean and a cast among them.
    assert after.eager - before.eager <= 30 * 5 * SIZE


def test_what_is_generated_is_stored_as_what_is_made_of_arrays() -> None:
    expected = np.sin(np.arange(SIZE) * 0.25)
    with la.config(immediate=0):
        for _ in range(2):  # a plan that is there does not hold the values of another run
            x = np.sin(la.arange(SIZE) * 0.25)
            before = computed()
            for k in range(12):
                np.testing.assert_allclose(
                    np.asarray(x[k : k + 500] + k), expected[k : k + 500] + k
                )
            # Twice a cast, a product and a sine, and each time a sum of half as many.
            assert computed() - before <= 2 * 3 * SIZE + 12 * 500


def test_a_plan_keeps_no_value_of_what_is_generated() -> None:
    def values() -> int:
        return sum(1 for value in live() if value.stored is not None)

    from lazyarr.graph.node import live_nodes as live

    with la.config(immediate=0):
        before = values()
        x = np.sqrt(la.arange(SIZE) + 3)
        for k in range(4):
            float((x * k).sum())
        assert values() > before
        del x
        assert values() == before


def test_a_matrix_product_counts_what_it_multiplies_and_adds() -> None:
    a, b = np.ones((40, 30)), np.ones((30, 20))
    for factors in ((a, b), (a[:, :2], b[:2]), (a, b[:, 0])):  # by a library, by kernels
        before = la.cache.info().work
        la.evaluate(la.asarray(factors[0]) @ la.asarray(factors[1]))
        after = la.cache.info().work
        products = 2 * (factors[0] @ factors[1]).size * factors[1].shape[0]
        assert after.eager - before.eager == products
        assert products / 2 <= after.computed - before.computed <= products


def test_a_complex_number_is_one_element() -> None:
    z = la.asarray(np.linspace(0, 1, 5000) * (1 + 2j))
    before = computed()
    la.evaluate(z * z + 1)
    assert computed() - before == 2 * 5000


# Forms: what changes from one iteration to the next is a parameter of plans.

X = np.random.default_rng(0).random((60, 200))
VARYING: dict[str, Callable[[Any, int], Any]] = {
    "integer index": lambda x, k: x[k % 60] * 2 + 1,
    "element": lambda x, k: x[k % 60, 3 * k % 200] * 2 + x[5, k % 200],
    "negative index": lambda x, k: x[-1 - k % 50] + x[k % 50],
    "slice bounds": lambda x, k: x[k % 20 : k % 20 + 30, 1:-1] * 3,
    "length": lambda x, k: (x[:, : 20 + k % 100] + 1).sum(axis=1),
    "length of a reduction": lambda x, k: (x[3 : 25 + k % 30] * 2).sum(),
    "step and length": lambda x, k: x[:, k % 9 :: 2] + 1,
    "scalar": lambda x, k: x * (k + 0.37) + 1.5 * k,
    "integer counter": lambda x, k: (x * (k + 3)) ** 2 - (k + 5),
    "count of a mask": lambda x, k: x[x > 0.1 + 0.015 * (k % 50)].sum(),
    "selection": lambda x, k: x[x > 0.1 + 0.015 * (k % 50)] * 2,
    "power of a counter": lambda x, k: x / 1.5 ** (k + 3),
    "row from below": lambda x, k: x[k % 58 + 1 :] - x[k % 58, 0],
}


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("name", VARYING)
def test_what_changes_in_a_loop_compiles_nothing(name: str, limit: int) -> None:
    program = VARYING[name]
    with la.config(immediate=limit):
        x = la.asarray(X)
        before = loaded()
        for k in range(120):
            if k == 70:
                kernels, plans = loaded()
                assert kernels - before[0] <= 6
                assert plans - before[1] <= 10
            np.testing.assert_allclose(np.asarray(program(x, k)), program(X, k), rtol=1e-12)
        assert loaded() == (kernels, plans)


WRITES: dict[str, Callable[[Any, int], None]] = {
    "row": lambda u, k: u.__setitem__(k, k),
    "element": lambda u, k: u.__setitem__((k, 2 * k + 3), k),
    "slice": lambda u, k: u.__setitem__((slice(k, k + 30), slice(1, -1)), u[:30, 2:] + k),
    "added slice": lambda u, k: u[k : k + 20].__iadd__(k),
    "mask": lambda u, k: u.__setitem__(u > 0.3 + 0.01 * k, 0.5),
    "column": lambda u, k: u[:, k].__imul__(0.5),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("limit", [0, 4096])
def test_writes_that_change_place_are_of_few_forms(name: str, limit: int) -> None:
    write = WRITES[name]
    values = np.tile(X, (2, 1))
    with la.config(immediate=limit):
        begun = before = loaded()
        u, expected = la.array(values), values.copy()
        for k in range(72):
            if k == 24:
                before = loaded()
            write(u, k)
            write(expected, k)
            if k % 4 == 0:
                np.testing.assert_allclose(float(u.sum()), expected.sum(), rtol=1e-9)
        np.testing.assert_allclose(np.asarray(u), expected, rtol=1e-12)
    if limit:
        assert loaded() == before
    # Expressions of up to eight writes, whose parts have lengths of a few kinds.
    assert loaded()[0] - begun[0] <= 20
    assert loaded()[1] - begun[1] <= 24


# The time of planning.


def chain(x: Any, operations: int) -> Any:
    y = x
    for k in range(operations // 3):
        y = np.sqrt(np.abs(y - (k + 3.5)) * x)
    return y


def seconds(function: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    begun = time.thread_time()
    function()
    return time.thread_time() - begun


def growth(few: Callable[[], object], many: Callable[[], object], pairs: int) -> float:
    """Return the ratio of the times of a longer call and a shorter one.

    The clock of a processor that others share changes from one moment to the next by a factor
    of two and more, so that each time is compared with that beside it, and the median counts.
    """
    return statistics.median(seconds(many) / seconds(few) for _ in range(pairs))


def planning(operations: int) -> Callable[[], object]:
    """Return the stages before machine code for a new expression."""
    from lazyarr.compiler.compilation import analyse

    x = la.asarray(np.ones(50_000))
    roots = (chain(x, operations)._node,)
    return lambda: analyse(roots)


def test_planning_takes_time_in_proportion_to_nodes() -> None:
    planning(30)()  # imports
    # A busy machine, checked mode; 0.05 s on an idle one.
    assert min(seconds(planning(600)) for _ in range(3)) < 0.3 * 4
    assert growth(planning(300), planning(900), 5) < 3 * 2


def test_building_and_finding_takes_time_in_proportion_to_nodes() -> None:
    x = la.asarray(np.ones(50_000))
    for operations in (90, 270):  # not timed: both forms are known
        la.evaluate(chain(x, operations))
    assert growth(lambda: chain(x, 90), lambda: chain(x, 270), 41) < 3 * 2


# What is asked for together.


def evaluations(function: Callable[[], object]) -> int:
    with la.profile() as profile:
        function()
    return len(profile.runs)


@pytest.fixture
def big() -> la.LazyArray:
    return la.asarray(np.linspace(0, 1, 50_000))


JOINT: dict[str, Callable[[Any], object]] = {
    "array": lambda x: np.asarray(la.array([x.sum(), x.max(), x.min()])),
    "nested array": lambda x: np.asarray(la.array([[x.sum(), x.std()], [x.min(), x.max()]])),
    "stack": lambda x: np.asarray(np.stack([x.sum(), x.max(), x.min()])),
    "hstack": lambda x: np.asarray(np.hstack([x.sum(), x.max()])),
    "comparison": lambda x: bool(x.max() > x.mean()),
    "chain of operations": lambda x: bool(abs(x - x.mean()).max() < 1e-3 * x.max()),
    "unpacking": lambda x: [float(v) for v in np.stack([x.sum(), x.max(), x.min()])],
    "iteration": lambda x: list(la.array([x.sum(), x.max()])),
    "tuple of numbers": lambda x: la.evaluate(x.sum(), x.max()),
    "list": lambda x: np.stack([x.sum(), x.max()]).tolist(),
}


@pytest.mark.parametrize("name", JOINT)
def test_numbers_are_computed_jointly(name: str, big: la.LazyArray) -> None:
    assert evaluations(lambda: JOINT[name](np.sqrt(big))) <= 1


def test_a_list_of_numbers_computes_what_they_share_twice_at_most(big: la.LazyArray) -> None:
    roots = np.sqrt(big)
    before = computed()
    np.array([roots.sum(), roots.max(), roots.min(), roots.std(), roots.mean()])
    assert computed() - before <= 2 * 50_000 + 6 * 50_000 + 10


def test_rows_are_unpacked_with_what_they_share(big: la.LazyArray) -> None:
    before = computed()
    a, b, c = np.stack([big * 2, big - 1, abs(big)])
    values = float(a[3]), float(b[4]), float(c[5])
    np.testing.assert_allclose(values, (6 / 49_999, 4 / 49_999 - 1, 5 / 49_999))
    assert computed() - before <= 2 * 2 * 3 * 50_000
