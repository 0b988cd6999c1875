"""Calls with containers, or with donated arrays, that come again find their launch by looking."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError
from lazyarr.execution.cpu import small_calls
from lazyarr.function_transforms.function import Jitted
from lazyarr.function_transforms.specialization import Launch
from lazyarr.tracing.pytree import flatten, is_array


@pytest.fixture
def general(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that gets the name of each function that is called the general way."""
    calls: list[str] = []
    call = Jitted._call

    def noted(self: Any, args: Any, keywords: Any) -> Any:
        calls.append(self.__name__)
        return call(self, args, keywords)

    monkeypatch.setattr(Jitted, "_call", noted)
    return calls


def total(tree: Any, scale: float) -> Any:
    return {"sum": tree["a"].sum() * scale, "list": [x + scale for x in tree["list"]]}


def test_the_second_call_only_looks(general: list[str]) -> None:
    fast = la.jit(total)
    tree = {"a": np.ones(3), "list": [np.zeros(2), 1.5]}
    for scale in (1.0, 2.0, 3.0):
        result = fast(tree, scale)
        assert result["sum"] == 3 * scale
        np.testing.assert_array_equal(result["list"][0], np.full(2, scale))
        assert result["list"][1] == 1.5 + scale
    assert general == ["total"]


def test_what_differs_is_looked_at_again(general: list[str]) -> None:
    fast = la.jit(lambda tree, names=(): sum(tree.values()) + len(names))
    calls: list[tuple[Any, ...]] = [
        ({"a": np.ones(3)},),
        ({"a": np.ones(4)},),
        ({"a": np.ones(3, np.float32)},),
        ({"b": np.ones(3)},),
        ({"a": np.ones(6)[::2]},),
        ({"a": np.ones(3), "b": np.ones(3)},),
        ({"a": np.ones(3)}, ("x", "y")),
        ({"a": la.ones(3)},),
    ]
    for _ in range(2):
        for args in calls:
            expected = sum(np.asarray(x) for x in args[0].values()) + len(args[1:] and args[1])
            np.testing.assert_array_equal(np.asarray(fast(*args)), expected)
    # A LazyArray is inlined; everything else is known the second time.
    assert len(general) == len(calls) + 1
    np.testing.assert_array_equal(fast(tree={"a": np.ones(3)}), np.ones(3))


def test_settings_and_clearing(general: list[str]) -> None:
    fast = la.jit(total)
    tree = {"a": np.ones(3), "list": []}
    fast(tree, 1.0)
    with la.config(threads=1):
        fast(tree, 1.0)
        fast(tree, 1.0)
    fast(tree, 1.0)
    assert len(general) == 2
    fast.cache_clear()
    fast(tree, 1.0)
    assert len(general) == 3 and fast.cache_info().traced == 1


def test_a_number_that_was_looked_at(general: list[str]) -> None:
    fast = la.jit(lambda pair, n: pair[0] * 2 if n > 1 else pair[1])
    pair = (np.ones(2), np.zeros(2))
    for n in (1, 2, 1, 2):
        np.testing.assert_array_equal(fast(pair, n), np.full(2, 2.0 * (n > 1)))
    assert fast.cache_info().traced == 2 and len(general) == 2


def test_donated_arrays_are_refused_afterwards(general: list[str]) -> None:
    step = la.jit(lambda state, x: {"p": state["p"] + x}, donate=0)
    state = {"p": np.zeros(4)}
    for _ in range(3):
        before, state = state, step(state, np.ones(4))
        with pytest.raises(ArgumentError, match="donated to"):
            step(before, np.ones(4))
    np.testing.assert_array_equal(state["p"], np.full(4, 3.0))
    assert len(general) == 4  # the first one, and those that are refused


def test_inside_of_another_function() -> None:
    inner = la.jit(total)
    tree = {"a": np.ones(3), "list": []}
    inner(tree, 1.0)
    outer = la.jit(lambda x: inner({"a": x, "list": []}, 2.0)["sum"])
    assert outer(np.ones(3)) == 6.0


class Point(NamedTuple):
    a: Any
    b: Any


@pytest.mark.skipif(small_calls.COMPILED is None, reason="short calls in C")
@pytest.mark.parametrize("make", [list, tuple, Point._make, lambda x: dict(enumerate(x))])
def test_donating_steps_are_calls_in_c(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    captured = np.full(3, 0.5)

    def step(state: Any, x: Any) -> Any:
        arrays = _leaves_of(state)
        return make([p * captured + x for p in arrays]), [x * 2]

    donating, plain = la.jit(step, donate=0), la.jit(step)
    x = np.array([1.0, 2.0, 3.0])

    def state() -> Any:
        return make([np.arange(6.0).reshape(2, 3), np.ones(3)])

    mine, other = donating(state(), x)[0], plain(state(), x)[0]
    launches: list[int] = []
    run = Launch.run
    monkeypatch.setattr(Launch, "run", lambda *of: launches.append(1) or run(*of))
    places = [leaf.ctypes.data for leaf in _leaves_of(mine)]
    for _ in range(5):
        before = _leaves_of(mine)
        mine, sums = donating(mine, x)
        other, expected = plain(other, x)
        for one, two in zip(_leaves_of((mine, sums)), _leaves_of((other, expected)), strict=True):
            np.testing.assert_array_equal(one, two, strict=True)
            assert one.flags.carray
        assert [leaf.ctypes.data for leaf in _leaves_of(mine)] == places
        assert not any(leaf.flags.writeable for leaf in before)
    assert not launches
    with pytest.raises(ArgumentError, match=r"donated to step at .*test_nested_calls\.py"):
        donating(make(before), x)
    first, second = _leaves_of(mine)
    for operand in (second, second[::-1], first[0]):
        with pytest.raises(ArgumentError, match="shares memory"):
            donating(mine, operand)
    frozen = [np.copy(leaf) for leaf in (first, second)]
    frozen[1].flags.writeable = False
    with pytest.raises(ArgumentError, match="read-only"):
        donating(make(frozen), x)
    donating(mine, x)  # nothing was given away


def test_captured_arrays_are_not_donated() -> None:
    captured = np.arange(4.0)
    step = la.jit(lambda s: {"p": s["p"] + captured}, donate=0)
    for _ in range(3):
        step({"p": np.ones(4)})
    with pytest.raises(ArgumentError, match="shares memory"):
        step({"p": captured})
    np.testing.assert_array_equal(captured, np.arange(4.0))


def test_donating_calls_that_fail_take_their_arrays() -> None:
    step = la.jit(lambda s, i: {"p": s["p"] + s["p"][i]}, donate=0)
    good, bad = np.zeros(4, np.int64), np.full(4, 4)
    state = {"p": np.ones(4)}
    for _ in range(3):
        state = step(state, good)
    gone = state["p"]
    with pytest.raises(la.errors.IndexingError, match="out of bounds"):
        step(state, bad)
    if not gone.flags.writeable:  # results are in its memory
        with pytest.raises(ArgumentError, match="donated to a call that failed"):
            step(state, good)


def test_training_steps_are_calls_in_c() -> None:
    """Many arrays in containers, products that wake threads of BLAS, and a sum of rows."""
    random = np.random.default_rng(0)
    parameters = {
        f"layer {k}": {
            "w": random.standard_normal((96, 96)).astype(np.float32) / 10,
            "b": np.zeros(96, np.float32),
        }
        for k in range(12)
    }
    positions = np.arange(128) % 96

    def loss(p: Any, x: Any) -> Any:
        for layer in p.values():
            x = la.tanh(x @ layer["w"] + layer["b"])
        return la.mean(x[:, positions] ** 2)

    def step(p: Any, state: Any, x: Any) -> Any:
        value, gradients = la.value_and_grad(loss)(p, x)
        return value, *descent.update(gradients, state, p)

    descent = la.optim.adam(1e-3)
    jitted = la.jit(step)
    x = random.standard_normal((128, 96)).astype(np.float32)
    first = jitted(parameters, descent.init(parameters), x)
    if small_calls.COMPILED is None:
        return
    (((small, overwritten),),) = [known.small for known in jitted._nested._known]  # type: ignore[attr-defined]
    assert not overwritten
    leaves = _leaves_of((parameters, descent.init(parameters), x))
    again = small(*map(np.asarray, leaves))
    for one, other in zip(_leaves_of(first), _leaves_of(again), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
    # Another layout is no such call, and has the same numbers.
    other_way = jitted(parameters, descent.init(parameters), np.asfortranarray(x))
    np.testing.assert_allclose(other_way[0], first[0], rtol=1e-5)


def _leaves_of(tree: Any) -> list[Any]:
    leaves: list[Any] = []
    flatten(tree, is_array, leaves)
    return leaves
