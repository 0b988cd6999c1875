"""Library steps against NumPy, with NVIDIA's libraries emulated on the CPU."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import DeviceError, DeviceMemoryError
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries import cublas
from lazyarr.runtime.cuda.libraries.workspace import Work
from tests.support import emulated_streams, library_calls, library_memory
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.library_calls import Case
from tests.support.tuning_rows import use_row

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(autouse=True)
def device(emulated_gpu: EmulatedDevice) -> EmulatedDevice:
    return emulated_gpu


CASES = [
    pytest.param(case, dtype, id=f"{case.name}-{dtype}")
    for case in library_calls.CASES
    for dtype in case.dtypes
]


@pytest.mark.parametrize(("case", "dtype"), CASES)
def test_agrees_with_numpy(case: Case, dtype: str) -> None:
    lazy = case.function(la, *(la.asarray(a) for a in case.arrays(np.random.default_rng(0), dtype)))
    steps = la.explain(*lazy if isinstance(lazy, tuple) else (lazy,)).fallbacks
    steps = tuple(step for step in steps if step.when == "evaluated")
    assert all("no kernel code" in step.reason for step in steps), steps
    library_calls.check(case, dtype, la)


REPEATED = [
    *library_calls.PRODUCTS,
    *library_calls.EPILOGUES,
    *library_calls.TRANSFORMS,
    *library_calls.ORDERING,
]


@pytest.mark.parametrize("case", REPEATED, ids=str)
def test_repeated_runs_agree(case: Case, device: EmulatedDevice) -> None:
    """From the third run on, what was queued is queued again as one graph."""
    dtype = case.dtypes[-1]
    arrays = case.arrays(np.random.default_rng(0), dtype)
    expected = case.function(np, *arrays)
    operands = [la.asarray(a, device="cuda") for a in arrays]
    lazy = case.function(la, *operands)
    if isinstance(lazy, tuple) or np.asarray(expected).dtype.kind == "c":
        return
    lazy = lazy * 1
    for _ in range(8):
        result = la.persist(lazy).compute()
        close = 1e-4 if dtype == "f4" else 1e-10
        np.testing.assert_allclose(result, expected, rtol=close, atol=close)
    if not la.explain(lazy).fallbacks and lazy.size:
        assert device.replays


def test_what_no_graph_can_hold_runs_anyway(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def refuse(queue: object) -> None:
        tries.append(1)
        raise DeviceError("this work cannot be part of a CUDA graph")

    monkeypatch.setattr(device.main, "capture", refuse)
    host = np.arange(16.0).reshape(4, 4)
    lazy = la.asarray(host, device="cuda") @ la.asarray(host.T, device="cuda")
    for _ in range(8):
        np.testing.assert_array_equal(np.asarray(la.persist(lazy)), host @ host.T)
    assert len(tries) == 1


def lt_calls(device: EmulatedDevice) -> list[tuple[int, int]]:
    return list(device.libraries.module("cublasLt").calls)


def timed(seconds: dict[int | None, Any]) -> Callable[[Any, Any], list[float]]:
    """Return a clock of products: the times of each proposal, and of the default (None)."""

    def time_it(queue: Any) -> float:
        queue()
        result = seconds[queue.args[0] if len(queue.args) == 2 else None]
        return float(result.pop(0) if isinstance(result, list) else result)

    return lambda work, series: [time_it(queue) for queue in series]


def test_a_layer_is_one_call(device: EmulatedDevice) -> None:
    rng = np.random.default_rng(0)
    a, b, c = (rng.standard_normal(shape, np.float32) for shape in ((9, 7), (7, 5), (5,)))
    x, w, v = (la.asarray(host) for host in (a, b, c))
    layers: list[tuple[Callable[[], la.LazyArray], int, str]] = [
        (lambda: la.maximum(x @ w + v, 0), 6, "bias and relu"),
        (lambda: x @ w + v, 4, "bias"),
        (lambda: la.maximum(x @ w, 0), 2, "relu"),
    ]
    for build, number, applied in layers:
        lazy = build()  # one at a time: a product that is in use elsewhere would be stored
        report = la.explain(lazy)
        assert not report.kernels
        (step,) = report.library_calls
        assert step.reason == f"cuBLASLt, {applied} in its epilogue"
        lazy.compute()
        assert lt_calls(device)[-1] == (number, 0)


def test_what_a_kernel_does_anyway_is_left_to_it() -> None:
    a = la.asarray(np.ones((9, 9), np.float32))
    row = la.asarray(np.ones(9, np.float32))
    product = a @ a
    for lazy in (
        la.exp(a @ a + row),  # the exponential reads the product anyway
        (la.maximum(a @ a, 0)).sum(),
        a @ a + la.asarray(np.ones((9, 1), np.float32)),  # a column
        la.maximum(a @ a, 1),
        a.astype(np.float64) @ a + row,
    ):
        assert len(la.explain(lazy).kernels) >= 1
        assert not any("cuBLASLt" in step.reason for step in la.explain(lazy).library_calls)
    # Somebody else reads the product.
    assert la.explain(product + row, product).kernels


def test_without_an_algorithm_a_kernel_follows(device: EmulatedDevice) -> None:
    device.libraries.module("cublasLt").algorithms = 0
    rng = np.random.default_rng(0)
    a, b, c = (rng.standard_normal(shape, np.float32) for shape in ((9, 7), (7, 5), (5,)))
    a[0, 0] = np.nan
    lazy = la.maximum(la.asarray(a) @ la.asarray(b) + la.asarray(c), 0)
    np.testing.assert_allclose(lazy.compute(), np.maximum(a @ b + c, 0), rtol=1e-5)


def test_a_long_product_takes_the_fastest_algorithm_of_equal_bits(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_row(monkeypatch, tuning, race_products=1000)
    # The default takes a second; both proposals are faster, the one of other bits most of all.
    monkeypatch.setattr(Work, "seconds", timed({None: 1.0, 0: 0.2, 1: 0.4}))
    use_row(monkeypatch, tuning, race_seconds=100.0, race_wait_seconds=100.0)
    rng = np.random.default_rng(0)
    # Sums of small numbers behind large ones depend on the order.
    host = (rng.standard_normal((40, 40)) * 3.0 ** np.arange(40)).astype(np.float32)
    bindings = device.libraries.module("cublas")

    def in_order(*args: object) -> None:
        _, _, m, n, k, _, a, _, lda, b, ldb, _, c, ldc, _ = args
        left = library_memory.columns(a, m, k, lda, "f4")
        right = library_memory.columns(b, k, n, ldb, "f4")
        result = np.add.reduce([left[:, j : j + 1] * right[j : j + 1] for j in range(k)])
        library_memory.columns(c, m, n, ldc, "f4")[...] = result

    monkeypatch.setattr(bindings, "_gemm", in_order)
    x = la.asarray(host, device="cuda")
    first = la.persist(x @ x).compute()
    assert lt_calls(device) == []  # what runs once is not worth a race
    np.testing.assert_array_equal(la.persist(x @ x).compute(), first)
    assert [number for _, number in lt_calls(device)] == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    for _ in range(5):
        np.testing.assert_array_equal(la.persist(x @ x).compute(), first)
    assert {number for _, number in lt_calls(device)[9:]} == {1}


def test_one_slow_moment_decides_no_race(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The GPU's clock goes down meanwhile; the second algorithm takes 0.95 of the default."""
    use_row(monkeypatch, tuning, race_products=1000)
    seconds = {
        None: [1.0, 1.0, 1.1, 9.0, 1.3, 1.2],
        0: [9.0, 1.05],
        1: [9.0, 1.12, 1.25, 1.04],
    }
    monkeypatch.setattr(Work, "seconds", timed(seconds))
    use_row(monkeypatch, tuning, race_seconds=100.0, race_wait_seconds=100.0)
    x = la.asarray(np.eye(40, dtype=np.float32), device="cuda")
    la.jit(np.matmul).bind(x, x)  # runs it once more for that
    assert [number for _, number in lt_calls(device)[:7]] == [0, 0, 1, 1, 1, 1, 1]
    assert {number for _, number in lt_calls(device)[7:]} == {1}


def test_a_product_that_takes_long_is_not_raced(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_row(monkeypatch, tuning, race_products=1000)
    monkeypatch.setattr(Work, "seconds", timed({None: 1.0, 0: 0.5, 1: 0.4}))
    x = la.asarray(np.eye(40, dtype=np.float32), device="cuda")
    la.persist(x @ x)
    la.persist(x @ x)
    assert lt_calls(device) == []
    # Once for a first result, once to load, once to see how long it takes, once for the result.
    assert len(device.libraries.module("cublas").calls) == 4


def test_what_was_chosen_once_stays_chosen(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also where the other would be faster now, or the library no longer proposes it."""
    use_row(monkeypatch, tuning, race_products=1000)
    seconds: dict[int | None, Any] = {None: 1.0, 0: 2.0, 1: 0.4}
    monkeypatch.setattr(Work, "seconds", timed(seconds))
    use_row(monkeypatch, tuning, race_seconds=100.0, race_wait_seconds=100.0)
    x = la.asarray(np.eye(40, dtype=np.float32), device="cuda")

    def product() -> list[int]:
        """Multiply twice as a new process does, and return by which proposals."""
        device.libraries.matmuls.fastest.clear()
        forget_plans()
        before = len(lt_calls(device))
        for _ in range(2):
            np.testing.assert_array_equal(la.persist(x @ x).compute(), np.eye(40))
        return [number for _, number in lt_calls(device)[before:]]

    with la.config(cache_dir=str(tmp_path)):
        assert product() == [0, 0, 1, 1, 1, 1, 1]
        assert product() == [1, 1]  # nothing is tried again
        monkeypatch.setattr(type(device), "identity", "another GPU")
        seconds[1] = 2.0
        assert product() == [0, 0, 1, 1]  # cuBLAS's own choice is the best here
        assert product() == []
        device.libraries.module("cublasLt").algorithms = 1
        device.libraries.matmuls.close()
        monkeypatch.setattr(type(device), "identity", "emulated")
        assert product() == [0, 0]
    with la.config(cache_dir="off"):
        assert product() == [0, 0]


def test_loading_is_no_part_of_the_race(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first product of a process loads for longer than the race may take."""
    use_row(monkeypatch, tuning, race_products=1000)
    now = [0.0]
    monkeypatch.setattr(cublas.time, "perf_counter", lambda: now[0])
    x = la.asarray(np.eye(40, dtype=np.float32), device="cuda")
    ask = type(device.libraries.matmuls).proposals
    # The default's first call from here on, in which cuBLAS may load kernels.
    slow = iter([0.08])

    def asked(matmuls: object, problem: object) -> int:
        now[0] += 0.03
        return ask(matmuls, problem)  # type: ignore[arg-type]

    def gemm(*args: object) -> None:
        now[0] += next(slow, 0.002)
        multiply(*args)

    def seconds(work: object, series: Any) -> list[float]:
        results = []
        for queue in series:
            begun = now[0]
            queue()
            results.append(now[0] - begun)
        return results

    monkeypatch.setattr(type(device.libraries.matmuls), "proposals", asked)
    monkeypatch.setattr(Work, "seconds", seconds)
    bindings = device.libraries.module("cublas")
    multiply = bindings._gemm
    la.persist(x @ x)
    monkeypatch.setattr(bindings, "_gemm", gemm)
    la.persist(x @ x)
    assert [number for _, number in lt_calls(device)] == [0, 0, 0, 0, 1, 1, 1, 1, 0]


def test_what_is_timed_is_timed_by_the_device(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[float] = []
    now = [0.0]
    # The emulated device's clock, which goes on where something rests.
    clock = SimpleNamespace(perf_counter=lambda: now[0], monotonic=time.monotonic, sleep=time.sleep)
    monkeypatch.setattr(emulated_streams, "time", clock)

    def rest(seconds: float) -> None:
        now[0] += seconds
        calls.append(seconds)

    times = device.main.seconds([partial(rest, 0.25), partial(rest, 0.5)])
    assert calls == [0.25, 0.5]
    assert times == [0.25, 0.5]


def test_tiny_products_load_what_the_first_ones_need(device: EmulatedDevice) -> None:
    before = device.memory.info()
    cublas.warm_up(device.libraries)
    bindings = device.libraries.module("cublas")
    assert bindings.calls == [("gemm", (16, 16, 16))] * 2
    after = device.memory.info()
    assert (after.in_use, after.held) == (before.in_use, before.held + (1 << 20))
    cublas.warm_up(device.libraries)
    assert len(bindings.calls) == 2  # who has multiplied before need not be warmed up
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(la.evaluate(la.asarray(x) @ la.asarray(x.T)), x @ x.T)
    assert device.memory.info().in_use >= 32 << 20  # the work space of products


def test_libraries_are_opened_while_kernels_compile(
    monkeypatch: pytest.MonkeyPatch, device: EmulatedDevice
) -> None:
    """What is wrong with one is said where it is needed, not in the thread that opened it."""
    x = la.asarray(np.eye(5), device="cuda")
    opened = threading.Event()
    load = device.libraries._load

    def late(name: str) -> object:
        opened.set()
        return load(name)

    def compile_all(sources: object, settings: object) -> dict[object, object]:
        assert opened.wait(300)
        return compile_them(sources, settings)  # type: ignore[arg-type]

    compile_them = device.kernels.compile_all
    monkeypatch.setattr(device.libraries, "_load", late)
    monkeypatch.setattr(device.kernels, "compile_all", compile_all)
    np.testing.assert_array_equal(la.evaluate(x @ x + 1), np.eye(5) + 1)

    def missing(name: str) -> object:
        raise OSError("no such library")

    monkeypatch.setattr(device.libraries, "_load", missing)
    with pytest.raises(DeviceError, match="no such library"):
        la.evaluate(np.linalg.inv(x) + 1)


def test_what_products_work_with_is_within_the_limit(device: EmulatedDevice) -> None:
    """Also where the library was opened in another thread, which has not this one's settings."""
    x = la.asarray(np.eye(5), device="cuda")
    with la.config(memory_limit=1 << 20), pytest.raises(DeviceMemoryError) as caught:
        la.persist(x @ x)
    assert "33,554,432 bytes on the device: memory_limit is 1,048,576 bytes" in str(caught.value)
    assert Path(__file__).name in str(caught.value)
    assert device.memory.info().held <= 1 << 20
    with la.config(memory_limit=40 << 20):
        np.testing.assert_array_equal(la.evaluate(x @ x), np.eye(5))
    assert device.memory.info().held >= 32 << 20


def test_elements_are_selected_where_no_others_of_an_order_are_read() -> None:
    x = la.asarray(np.random.default_rng(0).random((4, 600)))
    for ordered in (np.partition(x, 7, axis=1)[:, :8], np.argsort(x * 2, axis=1)[:, -3:] + 1):
        steps = [step.name for step in la.explain(ordered).library_calls]
        assert [name.partition("_")[2] for name in steps] == ["sorted_part"]
    (step,) = la.explain(np.sort(x)[:, :300]).library_calls
    assert step.name.partition("_")[2] == "sort"
