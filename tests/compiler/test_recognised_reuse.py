"""Recognised evaluations that store values, or call libraries, do what Python's form does."""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import recognition
from lazyarr.execution.cpu.known_plans import COMPILED

pytestmark = pytest.mark.skipif(COMPILED is None, reason="known plans are of the compiled form")

#: Enough for values to be stored with the first evaluation.
N = 6_000
#: How often a program runs: the first time it is planned, the second time it is entered.
ITERATIONS = 5


@pytest.fixture(autouse=True)
def plain() -> Iterator[None]:
    """Leave small arrays expressions, too."""
    with la.config(immediate=0, tune=False, hints=False):
        yield


@pytest.fixture
def recognised(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each evaluation that is recognised adds its number of results."""
    counted: list[int] = []
    known = recognition.recognised

    def counting(*args: Any) -> Any:
        answer = known(*args)
        if isinstance(answer, list):
            counted.append(len(answer))
        return answer

    monkeypatch.setattr("lazyarr.compiler.pipeline.recognised", counting)
    return counted


def work() -> tuple[int, int]:
    """Return the elements that evaluations have computed, and that eager NumPy would have."""
    counters = la.cache.info().work
    return counters.computed, counters.eager


def is_stored(array: Any) -> bool:
    node = array._node
    return not node.src or node.stored is not None


OPERATIONS: list[Callable[..., Any]] = [
    lambda a, b: a + b * 1.25,
    lambda a, b: np.maximum(a, b) - 0.25,
    lambda a, b: np.sqrt(np.abs(a)) * b,
    lambda a, b: np.where(a > b, a, b * 0.5),
    lambda a, b: a[::-1] + b,
    lambda a, b: a - b.mean(),
    lambda a, b: np.cumsum(a) / (np.arange(a.shape[0]) + 1.5) + b,
    lambda a, b: np.sort(a) + b,
    lambda a, b: np.exp(-(a**2)) * np.sin(b),
    lambda a, b: (np.cos(a) * b).sum() + a,
    lambda a, b: np.fft.irfft(np.fft.rfft(a), a.shape[0]) - b,
    lambda a, b: a[np.argsort(b)],
    lambda a, b: np.dot(a.reshape(-1, 10), b[:100].reshape(10, 10)).reshape(-1),
]


class Program:
    """Random steps, after each of which arrays may be asked for, or dropped."""

    def __init__(self, own: np.random.Generator) -> None:
        self.steps: list[tuple[int, int, int]] = []
        self.asked: list[list[int]] = []
        self.dropped: list[int | None] = []
        for k in range(int(own.integers(2, 9))):
            left, right = (int(own.integers(0, 2 + k)) for _ in range(2))
            self.steps.append((int(own.integers(len(OPERATIONS))), left, right))
            count = int(own.choice([0, 1, 1, 2]))
            self.asked.append([int(own.integers(2, 3 + k)) for _ in range(count)])
            self.dropped.append(int(own.integers(2, 3 + k)) if own.random() < 0.3 else None)

    def run(
        self, leaves: list[Any], look: Callable[[list[Any]], list[Any]]
    ) -> tuple[list[Any], list[Any]]:
        """Return the values that `look` gives, and which arrays are stored after each step."""
        arrays: list[Any] = list(leaves)
        values: list[Any] = []
        stored: list[Any] = []
        for step, asked, dropped in zip(self.steps, self.asked, self.dropped, strict=True):
            operation, left, right = step
            operands = [leaves[0] if arrays[k] is None else arrays[k] for k in (left, right)]
            arrays.append(OPERATIONS[operation](*operands))
            del operands
            chosen = [arrays[k] for k in asked if arrays[k] is not None]
            if chosen:
                values += look(chosen)
            del chosen
            if dropped is not None:
                arrays[dropped] = None
            if isinstance(leaves[0], la.LazyArray):
                stored.append([x is not None and is_stored(x) for x in arrays])
        return values, stored


def evaluated(arrays: list[Any]) -> list[Any]:
    """Return values, of several arrays together with a sum of the first."""
    if len(arrays) == 1:
        return [la.evaluate(arrays[0] + 0.125)]
    return list(la.evaluate(*[x * 2 for x in arrays], arrays[0].sum()))


def asked(arrays: list[Any]) -> list[Any]:
    """Return the values of :func:`evaluated`, asked for as NumPy programs do."""
    if len(arrays) == 1:
        return [np.asarray(arrays[0] + 0.125)]
    return [*[np.asarray(x * 2) for x in arrays], np.asarray(arrays[0].sum())]


def asked_alone(arrays: list[Any]) -> list[Any]:
    """Return the values of arrays, each of which may be part of what was asked for before."""
    return [la.evaluate(x) for x in arrays]


def copied(arrays: list[Any]) -> list[Any]:
    """Return the values of :func:`asked_alone`, by NumPy."""
    return [np.array(x) for x in arrays]


def computed(arrays: list[Any]) -> list[Any]:
    """Return the values of :func:`evaluated`, by NumPy."""
    if len(arrays) == 1:
        return [arrays[0] + 0.125]
    return [*[x * 2 for x in arrays], arrays[0].sum()]


def leaves_of(seed: int) -> list[Any]:
    own = np.random.default_rng(seed)
    return [own.random(N) - 0.5 for _ in range(2)]


def run_often(
    program: Program, seed: int, look: Callable[[list[Any]], list[Any]] = evaluated
) -> list[tuple[list[Any], list[Any], int, int]]:
    """Return values, stored arrays and work of a program that runs for several leaves."""
    rows = []
    for iteration in range(ITERATIONS):
        lazy = [la.asarray(leaf) + 0.0 for leaf in leaves_of(seed + iteration)]
        before = work()
        values, stored = program.run(lazy, look)
        after = work()
        rows.append((values, stored, after[0] - before[0], after[1] - before[1]))
    return rows


@pytest.mark.parametrize("look", [evaluated, asked])
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_store_and_compute_what_python_s_form_does(
    seed: int,
    look: Callable[[list[Any]], list[Any]],
    recognised: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = Program(np.random.default_rng(seed))
    ours = run_often(program, seed, look)
    counted = len(recognised)
    monkeypatch.setattr("lazyarr.compiler.pipeline.recognised", lambda *args: None)
    reference = run_often(program, seed, look)
    for iteration, (row, expected) in enumerate(zip(ours, reference, strict=True)):
        assert row[1:] == expected[1:], iteration
        theirs, _ = program.run(leaves_of(seed + iteration), computed)
        for value, other, numpys in zip(row[0], expected[0], theirs, strict=True):
            np.testing.assert_array_equal(value, other)
            np.testing.assert_allclose(value, numpys, rtol=1e-9, atol=1e-9)
    assert counted or not ours[0][0]


@pytest.mark.parametrize("seed", range(40))
def test_random_parts_of_results_are_computed_as_python_s_form_does(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Program(np.random.default_rng(seed))
    ours = run_often(program, seed, asked_alone)
    monkeypatch.setattr("lazyarr.compiler.pipeline.recognised", lambda *args: None)
    reference = run_often(program, seed, asked_alone)
    for iteration, (row, expected) in enumerate(zip(ours, reference, strict=True)):
        assert row[1] == expected[1], iteration
        # A request that Python's form keeps does not begin with what was stored since.
        assert row[2] <= expected[2], iteration
        theirs, _ = program.run(leaves_of(seed + iteration), copied)
        for value, other, numpys in zip(row[0], expected[0], theirs, strict=True):
            np.testing.assert_array_equal(value, other)
            np.testing.assert_allclose(value, numpys, rtol=1e-9, atol=1e-9)


def state(x: Any) -> Any:
    """Evaluate a state once an iteration, that goes on as an expression."""
    for k in range(6):
        x = np.sqrt(x * 1.5 + k)
        float(x.max())
    return x


def spectrum(x: Any) -> Any:
    return np.abs(np.fft.rfft(x * 2.5)) ** 2


def ordered(x: Any) -> Any:
    return x[np.argsort(x * -1.5)][:10]


def solved(x: Any) -> Any:
    matrix = x[:900].reshape(30, 30) + 30 * np.eye(30)
    return np.linalg.solve(matrix, x[:30])


def test_what_was_part_of_another_result_is_recognised(recognised: list[int]) -> None:
    for iteration in range(5):
        x, y = (la.asarray(leaf) for leaf in leaves_of(iteration))
        counted = len(recognised)
        moved = np.maximum(x, y) * 0.25
        la.evaluate(x - moved)
        np.testing.assert_array_equal(la.evaluate(moved), np.maximum(*leaves_of(iteration)) * 0.25)
        assert not is_stored(moved)
    assert len(recognised) - counted == 2


def product_of_expressions(x: Any) -> Any:
    return np.tanh((x * 2).reshape(60, 100) @ (x * 3).reshape(100, 60)) + 1


def test_many_forms_in_one_loop_are_all_recognised(recognised: list[int]) -> None:
    forms = [la.asarray(np.ones(N)[k:]) for k in range(200)]
    for _ in range(4):
        before = len(recognised)
        for x in forms:
            assert la.evaluate(x + 1.5)[-1] == 2.5
    assert len(recognised) - before == len(forms)


@pytest.mark.parametrize("form", [state, spectrum, ordered, solved, product_of_expressions])
def test_loops_and_library_calls_are_recognised(
    form: Callable[[Any], Any], recognised: list[int]
) -> None:
    for iteration in range(6):
        x = leaves_of(iteration)[0] + 1
        counted = len(recognised)
        np.testing.assert_allclose(la.evaluate(form(la.asarray(x))), form(x), rtol=1e-12)
    assert len(recognised) > counted


def test_what_a_library_returns_is_stored_unless_its_operands_may_change(
    recognised: list[int],
) -> None:
    for iteration in range(6):
        users = leaves_of(iteration)[0]
        for x, may_change in (
            (la.asarray(users), True),
            (la.asarray(users.copy()), False),
        ):
            spectrum = np.fft.rfft(x * 1.5)
            la.evaluate(np.abs(spectrum).sum())
            assert is_stored(spectrum) is not may_change
        kept = la.asarray(users)
        least = np.sort(kept * 2.0)
        assert la.evaluate(least[0] + 0.0) == users.min() * 2
    assert len(recognised) > 6


@pytest.mark.parametrize("users", [False, True])
def test_a_mask_is_stored_with_the_first_evaluation_and_what_is_behind_it_is_not(
    recognised: list[int], users: bool
) -> None:
    lines = np.linspace(0.0, 4.0, 48_000)
    for iteration in range(5):
        values = lines - iteration
        x = la.asarray(values if users else values.copy())
        inner = (x > -1) & (x * x < 2)
        mask = inner | (x == 0.5)
        right = (values > -1) & (values * values < 2) | (values == 0.5)
        assert int(mask.sum()) == right.sum()
        assert (is_stored(mask), is_stored(inner)) == (not users, False)
        np.testing.assert_array_equal(mask, right)
    assert len(recognised) > 2


def test_errors_and_warnings_of_a_library_name_the_line_of_this_evaluation(
    recognised: list[int],
) -> None:
    for iteration in range(6):
        ones = la.asarray(np.full((30, 30), iteration + 1.0)) * 2.0
        regular = la.asarray(np.eye(30) * (iteration + 1)) * 2.0
        right = la.asarray(np.ones(30)) * 3.0
        np.testing.assert_allclose(
            la.evaluate(np.linalg.solve(regular, right)), 1.5 / (iteration + 1)
        )
        with pytest.raises(np.linalg.LinAlgError, match=r"built at .*test_recognised_reuse.py:"):
            la.evaluate(np.linalg.solve(ones, right))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            la.evaluate(np.linalg.solve(regular, right) / (right * 0.0))
        assert [str(w.message)[:6] for w in caught] == ["divide"]
        assert caught[0].filename == __file__
    assert len(recognised) > 6


def test_an_error_stores_nothing(recognised: list[int]) -> None:
    for iteration in range(6):
        x = la.asarray(leaves_of(iteration)[0]) + 1.5
        root = np.sqrt(x)
        la.evaluate(root.max())
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            la.evaluate(root / (x * 0.0))
        assert not is_stored(root)
        la.evaluate(root.min())
        assert is_stored(root)
    assert len(recognised) > 6


def test_stored_values_are_read_only_and_live_as_long_as_their_nodes() -> None:
    nodes: list[Any] = []
    for iteration in range(5):
        x = la.asarray(leaves_of(iteration)[0]) * 1.25
        root, order = np.sqrt(np.abs(x)), np.argsort(x * 2.0)
        for look in (root.max(), root.min(), root[order].sum()):
            la.evaluate(look)
        (memory,) = {id(y): y._node.stored.attr for y in (root,)}.values()
        assert not memory.array.flags.writeable
        nodes += [weakref.ref(y._node) for y in (x, root, order)]
        nodes.append(weakref.ref(root._node.stored))
        del x, root, order, look, memory
    gc.collect()
    assert [node() for node in nodes] == [None] * len(nodes)


def test_many_threads_at_once() -> None:
    def run(seed: int) -> bool:
        with la.config(immediate=0, tune=False, hints=False):
            for iteration in range(25):
                x = leaves_of(seed * 100 + iteration)[0]
                lazy = la.asarray(x) + 0.0
                doubled = lazy * 2.0
                ends = [la.evaluate(doubled.max()), la.evaluate(doubled.min())]
                order = la.evaluate(np.sort(doubled)[:5])
                if ends != [x.max() * 2, x.min() * 2] or (order != np.sort(x * 2)[:5]).any():
                    return False
        return True

    with ThreadPoolExecutor(4) as executor:
        assert all(executor.map(run, range(8)))


def test_threads_that_share_an_expression_get_its_values() -> None:
    def look(array: Any) -> float:
        with la.config(immediate=0, tune=False, hints=False):
            return float(la.evaluate(array.sum()))

    with ThreadPoolExecutor(4) as executor:
        for iteration in range(40):
            x = leaves_of(iteration)[0]
            shared = np.sort(la.asarray(x) * 2.0) + 1
            values = list(executor.map(look, [shared] * 6))
            np.testing.assert_allclose(values, (np.sort(x * 2) + 1).sum(), rtol=1e-12)
