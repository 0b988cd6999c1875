"""Products of float64 and the kernels behind them as one kernel."""

from __future__ import annotations

import shutil
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import DeviceMemoryError
from lazyarr.execution.cuda.fused_matmul import FusionTrial
from lazyarr.execution.cuda.graphs import GraphCache
from lazyarr.runtime.cuda import driver
from lazyarr.runtime.cuda.libraries.workspace import Work
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuned import tune

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice()
    monkeypatch.setattr(driver, "_devices", [emulated])
    tune(monkeypatch, tuning, matmul_products=0)
    forget_plans()
    with la.config(device="cuda", cache_dir="off"):
        yield emulated
    forget_plans()


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch) -> list[FusionTrial]:
    """What was made, in order; a kernel that agrees is taken whatever time it takes here."""
    created: list[FusionTrial] = []
    plain = FusionTrial.__init__

    def remember(self: FusionTrial, *arguments: Any) -> None:
        plain(self, *arguments)
        created.append(self)

    monkeypatch.setattr(FusionTrial, "__init__", remember)
    monkeypatch.setattr(Work, "alternately", lambda *_: ([1.0], [0.5]))
    return created


def whole(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    """Return numbers whose products and sums are exact, so that their order does not matter."""
    return rng.integers(-8, 9, shape).astype(np.float64)


def sigmoid(xp: Any, w: Any, v: Any, c: Any) -> Any:
    return 1 / (1 + xp.exp(-(w @ v + c) / 64))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sigmoid": sigmoid,
    "ramp": lambda xp, w, v, c: xp.maximum(w @ v - c, 0.0),
    "division": lambda xp, w, v, c: (w @ v) / c,
    "below": lambda xp, w, v, c: (w @ v + c) < 3,
    "single": lambda xp, w, v, c: (w @ v * c).astype(np.float32),
    "twice": lambda xp, w, v, c: (w @ v + c) * (w @ v),
}
SIZES = [(128, 16, 128), (130, 34, 258), (2, 2, 4), (100, 70, 64), (258, 18, 2)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_agrees_with_numpy(
    name: str, sizes: tuple[int, int, int], trials: list[FusionTrial]
) -> None:
    m, k, n = sizes
    rng = np.random.default_rng(0)
    arrays = whole(rng, m, k), whole(rng, k, n), whole(rng, m, 1)
    function = FUNCTIONS[name]
    operands = [la.asarray(a, device="cuda") for a in arrays]
    lazy = function(la, *operands)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = function(np, *arrays)
        for _ in range(6):
            result = la.persist(lazy).compute()
            np.testing.assert_allclose(result, expected, rtol=1e-14, atol=0)
            for trial in trials:
                trial.wait()
    assert [trial.call is not None for trial in trials] == [True]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300, -1e300, 5e-324, 0.0, -0.0])
def test_rare_values_come_out_as_of_separate_launches(
    value: float, trials: list[FusionTrial]
) -> None:
    rng = np.random.default_rng(1)
    w, v, c = whole(rng, 128, 16), whole(rng, 16, 128), whole(rng, 128, 1)
    c[3] = value
    lazy = 1 / (1 + la.exp(la.asarray(w, device="cuda") @ v + c)) + 1 / la.asarray(c)
    with np.errstate(all="ignore"):
        expected = 1 / (1 + np.exp(w @ v + c)) + 1 / c
    for _ in range(4):
        np.testing.assert_allclose(la.persist(lazy).compute(), expected, rtol=1e-14)
        trials[0].wait()
    assert trials[0].call is not None


def test_one_launch_stands_for_two_steps(device: EmulatedDevice, trials: list[FusionTrial]) -> None:
    rng = np.random.default_rng(2)
    w, v, c = (la.asarray(whole(rng, *s), device="cuda") for s in ((128, 16), (16, 256), (128, 1)))
    lazy = sigmoid(la, w, v, c)
    la.persist(lazy)
    assert trials[0].call is None, "a first evaluation waits for no other kernel"
    la.persist(lazy)
    trials[0].wait()
    la.persist(lazy)
    before = device.launches
    la.persist(lazy)
    assert device.launches == before + 1
    with la.profile() as timings:
        la.persist(lazy)
    (step,) = timings.runs[0].steps
    assert step.bytes_read == w.nbytes + v.nbytes + c.nbytes
    assert step.bytes_written == lazy.nbytes
    replays = device.replays
    for _ in range(4):
        la.persist(lazy)
    assert device.replays > replays


def test_graphs_made_before_are_made_anew(
    device: EmulatedDevice, trials: list[FusionTrial]
) -> None:
    """Of two kernels, while the one was being compiled."""
    rng = np.random.default_rng(3)
    w, v, c = (la.asarray(whole(rng, *s), device="cuda") for s in ((128, 16), (16, 256), (128, 1)))
    lazy = sigmoid(la, w, v, c)
    go = threading.Event()
    compiled = device.kernels.compile_beside

    def late(*arguments: Any) -> Any:
        assert go.wait(300)
        return compiled(*arguments)

    device.kernels.compile_beside = late  # type: ignore[method-assign]
    for _ in range(6):
        expected = la.persist(lazy).compute()
    assert device.replays
    go.set()
    trials[0].wait()
    np.testing.assert_array_equal(la.persist(lazy).compute(), expected)
    assert trials[0].call is not None
    for _ in range(6):
        before = device.launches, device.replays
        result = la.persist(lazy)
        assert device.launches == before[0] + 1
    assert device.replays == before[1] + 1
    np.testing.assert_array_equal(result.compute(), expected)


def test_graphs_may_be_forgotten_while_a_run_makes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the thread that has compiled the kernel."""
    plain = GraphCache._captured

    def late(self: GraphCache, *arguments: Any) -> Any:
        graph = plain(self, *arguments)
        self.forget()
        return graph

    monkeypatch.setattr(GraphCache, "_captured", late)
    x = la.asarray(np.arange(50.0), device="cuda")
    lazy = x * 2 + 1
    for _ in range(8):
        np.testing.assert_array_equal(la.persist(lazy).compute(), np.arange(50.0) * 2 + 1)


def test_fewer_tiles_than_multiprocessors_stay_apart(
    device: EmulatedDevice, trials: list[FusionTrial]
) -> None:
    """cuBLAS may split the axis that is summed there, to keep all of them at work."""
    device.multiprocessors = 5
    w = la.asarray(np.ones((256, 16)), device="cuda")
    for columns, taken in ((256, False), (384, True)):
        lazy = w @ np.ones((16, columns)) + 1
        for _ in range(4):
            la.persist(lazy)
            trials[-1].wait()
        assert (trials[-1].call is not None) == taken


def test_a_bound_call_has_compared_before(
    device: EmulatedDevice, trials: list[FusionTrial]
) -> None:
    rng = np.random.default_rng(4)
    arrays = [la.asarray(whole(rng, *s), device="cuda") for s in ((128, 16), (16, 256), (128, 1))]
    call = la.jit(lambda w, v, c: sigmoid(la, w, v, c)).bind(*arrays)
    assert trials[0].call is not None
    before = device.launches
    call()
    assert device.launches == before + 1


def test_addresses_of_any_alignment_after_it_was_taken(trials: list[FusionTrial]) -> None:
    """Arrays of other libraries may lie anywhere; then there are two kernels again."""

    class Foreign:
        def __init__(self, host: np.ndarray[Any, Any], shift: int) -> None:
            memory = np.zeros(host.nbytes + 32, np.uint8)
            start = -memory.ctypes.data % 16 + shift
            self.array = memory[start : start + host.nbytes].view(np.float64).reshape(host.shape)
            self.array[...] = host
            address = self.array.ctypes.data
            self.__cuda_array_interface__ = {
                "shape": host.shape,
                "typestr": "<f8",
                "data": (address, False),
                "strides": None,
                "version": 3,
            }

    rng = np.random.default_rng(10)
    for iteration, shifts in enumerate(
        [(0, 0, 0)] * 3 + [(8, 0, 0), (0, 8, 0), (0, 0, 8), (0, 0, 0)]
    ):
        w, v, c = whole(rng, 130, 34), whole(rng, 34, 130), whole(rng, 130, 130)
        arrays = [la.asarray(Foreign(a, s)) for a, s in zip((w, v, c), shifts, strict=True)]
        for _ in range(4):
            result = la.persist(la.maximum(arrays[0] @ arrays[1] - arrays[2], 0.0)).compute()
            np.testing.assert_array_equal(result, np.maximum(w @ v - c, 0.0))
        trials[0].wait()
        assert iteration < 2 or trials[0].call is not None
    assert len(trials) == 1


def test_layers_with_results_of_several_dtypes(trials: list[FusionTrial]) -> None:
    """What dies at a product leaves memory to what follows, which its one kernel must not use."""
    rng = np.random.default_rng(11)
    arrays = whole(rng, 64, 32), whole(rng, 32, 64), whole(rng, 64, 64), whole(rng, 64, 1)

    def layers(xp: Any, w: Any, v: Any, u: Any, c: Any) -> tuple[Any, ...]:
        first = xp.maximum(w @ v - c, 0.0)
        second = xp.minimum(first @ u, 50.0) - first[::-1]
        third = second @ u
        return xp.clip(third, -9, 9) * c, third < 3, xp.clip(third, -99, 99).astype(np.float16)

    operands = [la.asarray(a, device="cuda") for a in arrays]
    for _ in range(8):
        for result, expected in zip(
            la.evaluate(*layers(la, *operands)), layers(np, *arrays), strict=True
        ):
            assert result.dtype == expected.dtype
            np.testing.assert_array_equal(result, expected)
        for trial in trials:
            trial.wait()
    assert [trial.call is not None for trial in trials] == [True] * 3


def test_threads_share_a_plan_while_it_is_compared(trials: list[FusionTrial]) -> None:
    rng = np.random.default_rng(12)
    w, v = whole(rng, 64, 32), whole(rng, 32, 64)
    array = la.asarray(w, device="cuda")
    wrong: list[object] = []

    def work(number: int) -> None:
        with la.config(device="cuda", cache_dir="off"), la.stream():
            for k in range(12):
                result = la.persist(la.maximum(array @ v, 0.0) * number).compute()
                if not np.array_equal(result, np.maximum(w @ v, 0.0) * number):
                    wrong.append((number, k))
                if number == 3 and k % 5 == 1:
                    forget_plans()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert trials


def test_other_bits_are_refused(trials: list[FusionTrial]) -> None:
    """Sums of these depend on their order, and NumPy's is another."""
    rng = np.random.default_rng(5)
    w, v = rng.standard_normal((128, 2048)), rng.standard_normal((2048, 128))
    lazy = la.asarray(w, device="cuda") @ v + 1
    for _ in range(5):
        np.testing.assert_array_equal(la.persist(lazy).compute(), w @ v + 1)
        trials[0].wait()
    assert trials[0].call is None
    assert not trials[0].in_trial


def test_what_is_slower_is_refused(
    trials: list[FusionTrial], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Work, "alternately", lambda *_: ([1.0], [1.04]))
    rng = np.random.default_rng(6)
    w, v = whole(rng, 128, 16), whole(rng, 16, 128)
    lazy = la.asarray(w, device="cuda") @ v + 1
    for _ in range(5):
        np.testing.assert_array_equal(la.persist(lazy).compute(), w @ v + 1)
        trials[0].wait()
    assert trials[0].call is None


def test_what_leaves_no_room_to_compare_in_is_refused(
    trials: list[FusionTrial], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever of it finds no memory, the caller's result is computed all the same."""
    rng = np.random.default_rng(7)
    w, v = whole(rng, 128, 16), whole(rng, 16, 128)
    lazy = la.asarray(w, device="cuda") @ v + 1

    def full(*arguments: Any) -> Any:
        raise DeviceMemoryError("cannot allocate 4 bytes on the device")

    la.persist(lazy)
    la.persist(lazy)
    trials[0].wait()
    monkeypatch.setattr(Work, "zeros", full)
    for _ in range(3):
        np.testing.assert_array_equal(la.persist(lazy).compute(), w @ v + 1)
    assert trials[0].call is None
    assert not trials[0].in_trial


def test_memory_for_comparing_is_given_back(
    device: EmulatedDevice, trials: list[FusionTrial]
) -> None:
    rng = np.random.default_rng(8)
    w, v, c = (la.asarray(whole(rng, *s), device="cuda") for s in ((128, 16), (16, 256), (128, 1)))
    lazy = sigmoid(la, w, v, c)
    in_use = []
    for _ in range(4):
        result = la.persist(lazy)
        in_use.append(device.memory.info().in_use)
        trials[0].wait()
    assert trials[0].call is not None
    del result
    assert len(set(in_use[1:])) == 1


def test_threads_may_wait_for_a_kernel_that_another_asks_for(
    trials: list[FusionTrial], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(9)
    arrays = whole(rng, 128, 16), whole(rng, 16, 128), whole(rng, 128, 1)
    la.persist(sigmoid(la, *(la.asarray(a, device="cuda") for a in arrays)))
    (trial,) = trials
    begun, go = threading.Event(), threading.Event()
    plain = threading.Thread.start

    def late(self: threading.Thread) -> None:
        if self.name == "lazyarr-fusion":
            begun.set()
            assert go.wait(300)
        plain(self)

    failed: list[RuntimeError] = []

    def wait() -> None:
        try:
            trial.wait()
        except RuntimeError as error:
            failed.append(error)

    waiting = [threading.Thread(target=wait) for _ in range(2)]
    monkeypatch.setattr(threading.Thread, "start", late)
    waiting[0].start()
    assert begun.wait(300)
    waiting[1].start()
    waiting[1].join(0.2)
    go.set()
    for thread in waiting:
        thread.join()
    assert not failed
    assert trial.in_trial


def test_no_thread_to_compile_in_is_done_without(
    trials: list[FusionTrial], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end of the process, say, or where a process may have no more of them."""
    plain = threading.Thread.start

    def refuse(self: threading.Thread) -> None:
        if self.name == "lazyarr-fusion":
            raise RuntimeError("can't start new thread")
        plain(self)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    w, v = np.ones((128, 16)), np.ones((16, 128))
    array = la.asarray(w, device="cuda")
    for _ in range(4):
        np.testing.assert_array_equal(la.persist(array @ v + 1).compute(), w @ v + 1)
    call = la.jit(lambda w, v: w @ v + 2).bind(array, la.asarray(v, device="cuda"))
    np.testing.assert_array_equal(call().compute(), w @ v + 2)
    assert len(trials) == 2
    assert all(trial.call is None for trial in trials)


def test_a_kernel_that_cannot_be_compiled_is_shown_and_done_without(
    device: EmulatedDevice, trials: list[FusionTrial], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", lambda what: shown.append(what.exc_value))

    def refuse(*arguments: Any) -> Any:
        raise RuntimeError("no compiler")

    device.kernels.compile_beside = refuse  # type: ignore[method-assign]
    w, v = np.ones((128, 16)), np.ones((16, 128))
    lazy = la.asarray(w, device="cuda") @ v + 1
    for _ in range(5):
        np.testing.assert_array_equal(la.persist(lazy).compute(), w @ v + 1)
        trials[0].wait()
    assert [str(error) for error in shown] == ["no compiler"]
    assert trials[0].call is None


def test_explain_says_what_is_tried() -> None:
    w, v = np.ones((128, 16)), np.ones((16, 128))
    (call,) = la.explain(la.asarray(w) @ v + 1).device_calls
    assert "one of our own" in call.reason
    (call,) = la.explain(la.sum(la.asarray(w) @ v)).device_calls
    assert "one of our own" not in call.reason
    many = la.broadcast_to(la.asarray(np.ones((1, 16))), (1 << 32, 16))
    (call,) = la.explain(many @ la.asarray(np.ones((16, 2))) + 1).device_calls
    assert "one of our own" not in call.reason, "sizes are numbers of 32 bits there"


def _operands() -> tuple[Any, Any]:
    return la.asarray(np.ones((64, 32))), la.asarray(np.ones((32, 64)))


SEPARATE: dict[str, Callable[[], Sequence[Any]]] = {
    "another wants the product": lambda: (lambda p: (p, p + 1))(_operands()[0] @ _operands()[1]),
    "float32": lambda: [_operands()[0].astype("f4") @ _operands()[1].astype("f4") + 1],
    "turned operand": lambda: [_operands()[0] @ la.asarray(np.ones((64, 32))).T + 1],
    "odd rows": lambda: [_operands()[0] @ la.asarray(np.ones((32, 63))) + 1],
    "turned product": lambda: [(_operands()[0] @ _operands()[1]).T + la.asarray(np.ones(64))],
    "a sum": lambda: [la.sum(_operands()[0] @ _operands()[1] + 1)],
    "rows": lambda: [
        (lambda p: p - la.max(p, axis=1, keepdims=True))(_operands()[0] @ _operands()[1])
    ],
    "part of the product": lambda: [(_operands()[0] @ _operands()[1])[1:] + 1],
}


@pytest.mark.parametrize("name", SEPARATE)
def test_what_does_not_fit_stays_separate(name: str, trials: list[FusionTrial]) -> None:
    la.persist(*SEPARATE[name]())
    assert trials == []
