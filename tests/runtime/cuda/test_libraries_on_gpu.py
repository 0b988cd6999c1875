"""Library steps against NumPy, on a real device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.execution.cuda.fused_matmul import FusionTrial
from lazyarr.runtime.cuda.libraries.workspace import Work
from tests.support import library_calls
from tests.support.library_calls import Case

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("device")]


CASES = [
    pytest.param(case, dtype, id=f"{case.name}-{dtype}")
    for case in library_calls.CASES
    for dtype in case.dtypes
]


@pytest.mark.parametrize(("case", "dtype"), CASES)
def test_agrees_with_numpy(case: Case, dtype: str) -> None:
    library_calls.check(case, dtype, la)


REPEATED = [
    *library_calls.PRODUCTS,
    *library_calls.EPILOGUES,
    *library_calls.TRANSFORMS,
    *library_calls.ORDERING,
]


@pytest.mark.parametrize("case", REPEATED, ids=str)
def test_repeated_runs_agree(case: Case, device: Any) -> None:
    """From the third run on, what was queued is queued again as one graph."""
    dtype = case.dtypes[-1]
    arrays = case.arrays(np.random.default_rng(0), dtype)
    expected = np.asarray(case.function(np, *arrays))
    lazy = case.function(la, *(la.asarray(a, device="cuda") for a in arrays))
    for _ in range(8):
        result = la.persist(lazy).compute()
        close = 1e-4 if dtype == "f4" else 1e-10
        np.testing.assert_allclose(result, expected, rtol=close, atol=close)


def test_graphs_hold_library_steps(device: Any) -> None:
    before = device.figures().graphs
    host = np.random.default_rng(0).random((50, 50))
    x = la.asarray(host, device="cuda")
    y = la.exp(x @ x) + 1
    z = la.sort(x, axis=0)
    for _ in range(8):
        result = la.persist(y), la.persist(z)
    np.testing.assert_allclose(result[0].compute(), np.exp(host @ host) + 1, rtol=1e-12)
    np.testing.assert_array_equal(result[1].compute(), np.sort(host, axis=0))
    assert device.figures().graphs >= before + 2


def test_float32_is_whole_unless_speed_is_asked_for() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((512, 512)).astype(np.float32) for _ in range(2))
    expected = a.astype(np.float64) @ b.astype(np.float64)
    exact = np.abs(la.evaluate(la.asarray(a) @ la.asarray(b)) - expected).max()
    assert exact < 2e-4
    with la.config(numerics="fast"):
        fast = np.abs(la.evaluate(la.asarray(a) @ la.asarray(b)) - expected).max()
    assert fast < 0.2


def test_large_sorts() -> None:
    x = np.random.default_rng(0).standard_normal(3_000_001).astype(np.float32)
    x[::1000] = np.nan
    np.testing.assert_array_equal(la.evaluate(la.sort(la.asarray(x))), np.sort(x))
    np.testing.assert_array_equal(
        la.evaluate(la.argsort(la.asarray(x), stable=True)), np.argsort(x, stable=True)
    )


def test_failures_are_numpys_errors_with_the_line() -> None:
    calls = (
        (lambda x: la.linalg.inv(x), np.ones((3, 3)), "Singular"),
        (lambda x: la.linalg.solve(x, la.asarray(np.ones(3))), np.zeros((3, 3)), "Singular"),
        (lambda x: la.linalg.cholesky(x), -np.eye(3), "not positive definite"),
    )
    for call, host, message in calls:
        with pytest.raises(np.linalg.LinAlgError, match=message) as caught:
            la.evaluate(call(la.asarray(host)))
        assert "test_libraries_on_gpu.py" in caught.value.__notes__[0]
    assert la.evaluate(la.linalg.det(la.asarray(np.ones((3, 3))))) == 0


def test_many_threads_share_the_handles() -> None:
    import threading

    wrong: list[object] = []
    rng = np.random.default_rng(0)
    hosts = [rng.standard_normal((40, 40)) for _ in range(8)]

    def work(host: Any) -> None:
        with la.config(device="cuda"):
            for _ in range(10):
                x = la.asarray(host)
                result = la.evaluate(la.linalg.inv(x) @ x)
                if not np.allclose(result, np.eye(40), atol=1e-8):
                    wrong.append(result)
                spectrum = la.evaluate(la.fft.fft(x))
                if not np.allclose(spectrum, np.fft.fft(host)):
                    wrong.append(spectrum)

    threads = [threading.Thread(target=work, args=(host,)) for host in hosts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


FUSED: dict[str, Any] = {
    "sigmoid": lambda xp, w, v, c: 1 / (1 + xp.exp(-(w @ v + c))),
    "tanh": lambda xp, w, v, c: xp.tanh(w @ v * 0.01 + c),
    "ramp": lambda xp, w, v, c: xp.maximum(w @ v - c, 0.0),
    "division": lambda xp, w, v, c: (w @ v) / (c + 0.5),
}


@pytest.mark.parametrize("sizes", [(512, 784, 4096), (700, 1000, 1002), (770, 514, 2050)], ids=str)
@pytest.mark.parametrize("name", FUSED)
def test_products_with_what_follows_give_the_bits_of_both(
    name: str, sizes: tuple[int, int, int], device: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one kernel, whichever is faster here."""
    monkeypatch.setattr(device, "multiprocessors", 1)
    created: list[FusionTrial] = []
    plain = FusionTrial.__init__

    def remember(self: FusionTrial, *arguments: Any) -> None:
        plain(self, *arguments)
        created.append(self)

    monkeypatch.setattr(FusionTrial, "__init__", remember)
    monkeypatch.setattr(Work, "alternately", lambda *_: ([1.0], [0.5]))
    forget_plans()
    m, k, n = sizes
    rng = np.random.default_rng(0)
    w, v, c = rng.random((m, k)) - 0.5, rng.random((k, n)) - 0.5, rng.random((m, 1))
    w[3], v[:, 5] = 30.0, np.linspace(-30, 30, k)  # exponentials that overflow and vanish
    w[7, 1], v[1, 2], v[0, 9] = np.nan, np.inf, 1e300
    arrays = [la.asarray(x, device="cuda") for x in (w, v, c)]
    lazy = FUSED[name](la, *arrays)
    known = set(device.kernels._functions.values())
    separate = la.persist(lazy).compute()
    la.persist(lazy)
    (trial,) = created
    trial.wait()
    # They are compared only when what runs apart has all optimisations, too.
    device.kernels.optimize(set(device.kernels._functions.values()) - known)
    la.persist(lazy)
    assert trial.call is not None
    np.testing.assert_array_equal(la.persist(lazy).compute(), separate)
    with np.errstate(all="ignore"):
        expected = FUSED[name](np, w, v, c)
    np.testing.assert_allclose(separate, expected, rtol=1e-9, atol=1e-9)
    forget_plans()
