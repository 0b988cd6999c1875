"""Elementwise operations on joined arrays: the same numbers, and nothing joined in between."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core import tuning
from lazyarr.graph.kind import Kind
from lazyarr.graph.node import Node, walk
from lazyarr.passes.joined_operands import compute_in_parts
from tests.support.tuned import tune

SIZE = 12


@pytest.fixture(autouse=True)
def lazily(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Take small arrays in parts, too."""
    tune(monkeypatch, tuning, joined_elements=1, joined_elements_on_gpu=1)
    la.cache.clear()
    with la.config(immediate=0):
        yield
    la.cache.clear()


def in_parts(*values: Any, least: int = 1) -> list[Node]:
    roots = compute_in_parts(tuple(value._node for value in values), {}, least)
    return list(walk(roots))


def joined(nodes: list[Node]) -> list[tuple[int, ...]]:
    return sorted(node.shape for node in nodes if node.op.kind is Kind.CONCATENATE)


def leaf(*shape: int) -> Any:
    return la.asarray(np.random.default_rng(len(shape)).normal(size=shape))


def random_join(random: np.random.Generator, xp: Any, values: list[Any]) -> Any:
    """Return a value of the shape of all others, joined of parts of some."""
    x, y = (values[k] for k in random.integers(len(values), size=2))
    axis = int(random.integers(x.ndim))
    at = int(random.integers(1, SIZE))

    def part(value: Any, start: int | None, stop: int | None) -> Any:
        return value[(slice(None),) * axis + (slice(start, stop),)]

    match random.integers(5):
        case 0:
            return xp.roll(x, at, axis)
        case 1:
            return xp.concatenate([part(x, at, None), part(y, 0, at)], axis)
        case 2:
            return xp.concatenate([part(x, 0, at), xp.abs(part(y, at, None))], axis)
        case 3:
            widths = [(0, 0)] * x.ndim
            widths[axis] = (1, 0)
            return part(xp.pad(x, widths, constant_values=0.5), 0, SIZE)
        case _:
            wide = xp.pad(x, 1)
            return wide[(slice(0, SIZE),) * x.ndim] + wide[(slice(2, None),) * x.ndim]


def random_program(seed: int, xp: Any, leaves: list[Any]) -> list[Any]:
    random = np.random.default_rng(seed)
    values = [*leaves]
    for _ in range(random.integers(2, 7)):
        x, y = (values[k] for k in random.integers(len(values), size=2))
        match random.integers(6):
            case 0 | 1 | 2:
                values.append(random_join(random, xp, values))
            case 3:
                values.append(x * y - 0.5)
            case 4:
                values.append(xp.where(x > y, xp.sqrt(xp.abs(x)), y))
            case _:
                values.append(x + y.sum(axis=int(random.integers(y.ndim)), keepdims=True))
    return [values[-1], *values[len(leaves) : -1 : 3]]


RUNS = [(seed, ("llvm", "numba")[seed % 2]) for seed in range(100)]
RUNS += [(seed, "cuda") for seed in range(100, 112)]


@pytest.mark.parametrize(("seed", "target"), RUNS, indirect=["target"])
def test_random_programs_have_numpys_numbers(seed: int, target: str) -> None:
    random = np.random.default_rng(seed + 1000)
    shape = (SIZE,) * int(random.integers(1, 4))
    leaves = [random.normal(size=shape) for _ in range(3)]
    expected = random_program(seed, np, leaves)
    with la.config(optimize=False):
        got = la.evaluate(*random_program(seed, la, [la.asarray(x) for x in leaves]))
    for one, other in zip(got if isinstance(got, tuple) else [got], expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def random_windows(seed: int, xp: Any, leaves: list[Any]) -> Any:
    """Return a sum of slices of joined arrays, of which some are one of the parts."""
    random = np.random.default_rng(seed)
    axis = int(random.integers(leaves[0].ndim))
    front = (slice(None),) * axis
    parts = []
    for x in leaves:
        start = int(random.integers(SIZE))
        value = x if random.integers(2) else x[(*front, slice(start, start + random.integers(3)))]
        parts.append(value * 2.0 if random.integers(4) == 0 else value)
    parts[int(random.integers(len(parts)))] = leaves[0] if random.integers(2) else leaves[1] - 1.0
    wide = xp.concatenate(parts, axis=axis)
    starts = [int(start) for start in random.integers(wide.shape[axis] - SIZE + 1, size=3)]
    if random.integers(2):
        starts[0] = 0
    windows = [wide[(*front, slice(start, start + SIZE))] for start in starts]
    total = windows[0]
    for window in windows[1:]:
        total = xp.abs(window - total) + (window if random.integers(2) else 0.5)
    return total


@pytest.mark.parametrize("seed", range(120))
def test_slices_that_are_a_part_are_cut_as_it_is(seed: int) -> None:
    random = np.random.default_rng(seed + 2000)
    shape = (SIZE,) * int(random.integers(1, 4))
    leaves = [random.normal(size=shape) for _ in range(3)]
    expected = random_windows(seed, np, leaves)
    with la.config(optimize=False):
        got = la.evaluate(random_windows(seed, la, [la.asarray(x) for x in leaves]))
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("axis", [0, 1])
def test_differences_to_what_is_put_before_or_after(axis: int) -> None:
    x = np.random.default_rng(5).normal(size=(SIZE, SIZE))
    first, last = x.take([0], axis), x.take([-1], axis)
    for ends in ({"append": last}, {"prepend": first}, {"append": last, "prepend": first}):
        got = la.diff(la.asarray(x), axis=axis, **{k: la.asarray(v) for k, v in ends.items()})
        np.testing.assert_array_equal(np.asarray(got), np.diff(x, axis=axis, **ends))


def test_lengths_of_parts_are_parameters_of_plans() -> None:
    """Places that are cut fall together for some lengths, and come in another order for others."""
    random = np.random.default_rng(3)
    x, y = random.normal(size=(2, 30))
    compiled = []
    for _ in range(60):
        first, second = (int(k) for k in random.integers(1, 29, 2))

        def value(xp: Any, x: Any, y: Any, first: int = first, second: int = second) -> Any:
            one = xp.concatenate([x[:first], y[first:]])
            other = xp.concatenate([y[:second], x[second:]])
            return (one * other - one)[1:-1] + xp.concatenate([x[:1], x[:1], x[2:-2]])[:28]

        with la.profile() as profile:
            got = la.evaluate(value(la, la.asarray(x), la.asarray(y)))
        np.testing.assert_allclose(got, value(np, x, y), rtol=1e-12)
        compiled.append(profile.compiled)
    assert sum(compiled[20:]) <= sum(compiled[:20])


WARNED = [
    lambda xp, x, y: xp.sqrt(xp.concatenate([x, y]) - 2.0),
    lambda xp, x, y: (xp.concatenate([x, y * 1e200]) * 1e180) ** 2,
    lambda xp, x, y: xp.concatenate([x, y]) / xp.concatenate([y * 0, x * 0]),
    lambda xp, x, y: xp.log(xp.pad(x, 1)) + xp.log(xp.pad(y, 1)),
    lambda xp, x, y: xp.exp(xp.roll(x, 3) * 1e3) * xp.exp(y * 1e3),
    lambda xp, x, y: xp.concatenate([x, y])[3:-3] % xp.concatenate([x * 0, y])[:-6],
]


@pytest.mark.parametrize("number", range(len(WARNED)))
def test_each_operation_warns_once(number: int) -> None:
    x, y = np.linspace(0.1, 1, 8), np.linspace(1, 0.1, 8)

    def messages(xp: Any, *arrays: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            np.asarray(WARNED[number](xp, *arrays))
        return [str(warning.message) for warning in seen]

    expected = messages(np, x, y)
    assert expected
    assert messages(la, la.asarray(x), la.asarray(y)) == expected


def test_operations_are_applied_to_the_parts() -> None:
    x, y, z = leaf(3, 5), leaf(4, 5), leaf(7, 5)
    nodes = in_parts(la.exp(la.concatenate([x, y * 2])) * z + 1)
    (whole,) = [node for node in nodes if node.op.kind is Kind.CONCATENATE]
    assert [part.op.name for part in whole.src] == ["add", "add"]


def test_gradients_of_a_concatenation_read_its_parts() -> None:
    x, y = leaf(6, 3), leaf(6, 4)

    def value(x: Any, y: Any) -> Any:
        return (la.concatenate([x, y * 2], axis=1) ** 2).sum()

    assert joined(in_parts(*la.grad(value, (0, 1))(x, y))) == []


def test_shifts_beside_one_another_are_three_parts() -> None:
    x = leaf(9)

    def value(x: Any) -> Any:
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    nodes = in_parts(la.grad(value)(x))
    assert [len(node.src) for node in nodes if node.op.kind is Kind.CONCATENATE] == [3]


def test_what_is_read_whole_is_stored_once() -> None:
    x, y = leaf(3, 5), leaf(4, 5)
    both = la.concatenate([x, y])
    assert joined(in_parts(both * 2 - both.max())) == [(7, 5)]
    assert joined(in_parts(both, both * 2)) == [(7, 5)]


def test_two_sums_of_one_concatenation_do_not_store_two_arrays() -> None:
    both = la.concatenate([leaf(3, 5), leaf(4, 5)])
    nodes = in_parts(la.exp(both).sum(0), la.sin(both).sum(1))
    (whole,) = [node for node in nodes if node.op.kind is Kind.CONCATENATE]
    assert all(part.op.kind is Kind.LEAF for part in whole.src)


def test_what_is_computed_into_its_part_stays_there() -> None:
    """A product has memory of its own unless it is written into the concatenation."""
    x, y = leaf(3, 5), leaf(5, 5)
    assert joined(in_parts(la.concatenate([x @ y, y]) * 2)) == [(8, 5)]
    nodes = in_parts(la.concatenate([x @ y, y]) * 2)
    assert next(node for node in nodes if node.shape == (8, 5)).op.kind is Kind.CONCATENATE


def test_many_parts_stay_joined() -> None:
    rows = [leaf(2, 3) for _ in range(tuning.row().joined_pieces + 1)]
    nodes = in_parts(la.concatenate(rows) * 2)
    (whole,) = [node for node in nodes if node.op.kind is Kind.CONCATENATE]
    assert all(part.op.kind is Kind.LEAF for part in whole.src)


def test_small_arrays_stay_joined() -> None:
    nodes = in_parts(la.concatenate([leaf(3), leaf(4)]) * 2, least=8)
    assert nodes[-1].op.kind is Kind.ELEMENTWISE


def test_long_chains_do_not_recurse() -> None:
    x, y = leaf(9), leaf(9)
    for _ in range(3000):
        y = la.sin(y)
    nodes = in_parts(la.concatenate([x[:4], x[4:]]) * y)
    assert nodes[-1].op.kind is Kind.CONCATENATE


@pytest.mark.each_device
@pytest.mark.parametrize("several", [False, True])
def test_parts_of_what_is_joined_are_results(several: bool) -> None:
    """A part that is an array itself becomes a result of its own memory, beside others or alone."""
    middle = np.random.default_rng(1).random((SIZE, SIZE))
    joined_ = la.zeros((SIZE + 2, SIZE + 2))
    joined_[1:-1, 1:-1] = la.asarray(middle)
    part = joined_[1:-1, 1:-1]
    values = la.evaluate(part, part * 2, la.sort(part + 1)) if several else (la.evaluate(part),)
    expected = (middle, middle * 2, np.sort(middle + 1))
    for value, theirs in zip(values, expected, strict=False):
        np.testing.assert_array_equal(value, theirs)
        assert not np.shares_memory(value, middle)


def test_cuts_along_several_axes_leave_nothing_stored_between() -> None:
    x = leaf(20, 30)
    value = 2 * la.roll(x, 3, 0) - la.roll(x, 1, 1)
    value = value + la.roll(x, 5, 1) * la.roll(x, -4, 0)
    nodes = in_parts(la.sqrt(la.abs(value)) - la.roll(x, 3, 0))
    assert nodes[-1].op.kind is Kind.CONCATENATE
    views = [node for node in nodes if node.op.kind is Kind.VIEW]
    assert views and all(view.src[0].op.kind is Kind.LEAF for view in views)


@pytest.mark.parametrize("readers", [2, 3, 5])
def test_what_several_read_in_parts_of_their_own_is_computed_at_most_twice(readers: int) -> None:
    x = leaf(20, 30)
    shared = la.exp(la.roll(x, 3, 0) * 2)
    total = shared
    for k in range(1, readers + 1):
        total = total + shared * la.roll(x, k, 1)
    nodes = in_parts(total)
    assert sum(node.size for node in nodes if node.op.name == "exp") <= 2 * x.size


def test_long_chains_of_parts_do_not_recurse() -> None:
    x = leaf(9, 9)
    y = la.roll(x, 1, 0)
    for _ in range(2000):
        y = la.sin(y)
    nodes = in_parts(y + la.roll(x, 2, 1))
    assert sum(node.size for node in nodes if node.op.name == "sin") <= 2 * 2000 * x.size


@pytest.mark.parametrize(
    "index", [np.s_[1:-1, 1:-1], np.s_[:, 2:2], np.s_[SIZE:], np.s_[3:3, 1:1]], ids=str
)
@pytest.mark.parametrize("axis", [0, 1])
def test_slices_of_no_elements(index: Any, axis: int) -> None:
    def compute(xp: Any, x: Any) -> Any:
        rolled = xp.roll(x * 2 - xp.sort(x, axis=0), 1, axis=axis)
        both = xp.concatenate([x + 1, rolled], axis=axis)
        return rolled[index] * 3, both[index], both[index].sum(axis=0)

    x = np.random.default_rng(1).normal(size=(SIZE, 2))
    mine = la.jit(lambda x: compute(la, x))(x)
    for one, other in zip(mine, compute(np, x), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
