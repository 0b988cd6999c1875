"""Signals that come while a kernel is compiled."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator
from types import FrameType

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cpu import llvm_compiler
from lazyarr.runtime.cpu.delayed_interrupts import delayed_interrupts

pytestmark = [
    pytest.mark.host,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers"),
]


class TooLong(Exception):
    """What a program raises when its time is over."""


def _raise(number: int, frame: FrameType | None) -> None:
    raise TooLong(number)


@pytest.fixture(params=["SIGALRM", "SIGTERM", "SIGUSR1"])
def number(request: pytest.FixtureRequest) -> Iterator[int]:
    number = getattr(signal, request.param)
    before = signal.signal(number, _raise)
    yield number
    signal.signal(number, before)


def test_a_handler_runs_at_the_end(number: int) -> None:
    steps = []
    with pytest.raises(TooLong):
        with delayed_interrupts():
            signal.raise_signal(number)
            steps.append("compiled")
    assert steps == ["compiled"]
    assert signal.getsignal(number) is _raise


def test_all_handlers_run_in_the_order_of_the_signals(number: int) -> None:
    seen = []
    before = signal.signal(signal.SIGUSR2, lambda *_: seen.append("second"))
    try:
        with pytest.raises(TooLong):
            with delayed_interrupts():
                signal.raise_signal(number)
                signal.raise_signal(signal.SIGUSR2)
                assert not seen
        with pytest.raises(TooLong):
            with delayed_interrupts():
                signal.raise_signal(signal.SIGUSR2)
                signal.raise_signal(number)
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert seen == ["second", "second"]


def test_handlers_are_as_before_whenever_a_signal_comes() -> None:
    """Between the first and the last of them that is replaced or restored, too."""
    own = {n: signal.signal(n, _raise) for n in (signal.SIGALRM, signal.SIGUSR2)}
    expected = {n: signal.getsignal(n) for n in signal.valid_signals()}
    came = 0
    gc.disable()  # what is raised in a finaliser of other tests' garbage, Python ignores
    try:
        for step in range(3000):
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 1e-6 * (step % 100 + 1))
                    for _ in range(20):
                        with delayed_interrupts():
                            pass
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except TooLong:
                came += 1
            assert expected == {n: signal.getsignal(n) for n in signal.valid_signals()}
    finally:
        gc.enable()
        for number, handler in own.items():
            signal.signal(number, handler)
    assert came > 10


def test_a_timeout_while_kernels_are_compiled_is_the_programs_own_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At many moments; afterwards the same expressions are right."""
    # What is raised in a finaliser of llvmlite's, between two kernels, Python ignores and shows.
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    before = signal.signal(signal.SIGALRM, _raise)
    rng = np.random.default_rng(7)
    x = rng.random(500)
    came = 0
    try:
        for trial in range(40):
            expressions = [la.sin(la.asarray(x) * k) + trial * la.sqrt(x) for k in range(1, 6)]
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.001 + rng.random() * 0.05)
                    for k, expression in enumerate(expressions, 1):
                        la.evaluate(expression, expression.sum() * k, expression[::-1] - k)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except TooLong:
                came += 1
            right = np.sin(x * 5) + trial * np.sqrt(x)
            np.testing.assert_allclose(la.evaluate(expressions[-1]), right, rtol=1e-12)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert came


@pytest.mark.parametrize("kind", [RecursionError, MemoryError])
def test_what_the_process_lacks_is_no_refusal_of_the_compiler(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compile_llvm(*_: object, **__: object) -> bytes:
        raise kind

    x = la.asarray(np.linspace(0, 1, 300))
    with monkeypatch.context() as patch:
        patch.setattr(llvm_compiler, "compile_llvm", compile_llvm)
        with pytest.raises(kind):
            la.evaluate(la.exp(x[:211] * 1.25) - x[89:] + la.cumsum(x)[7])
