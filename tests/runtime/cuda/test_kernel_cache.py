"""Kernels of a GPU in two tiers: which one is launched when, and what compiles the second."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lazyarr.core.config import Config
from lazyarr.errors import CompileError
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.compiler import _COMPILERS
from lazyarr.runtime.cuda.kernel_cache import DeviceFunction, DeviceKernels
from tests.support.tuning_rows import use_row

QUICKLY = "--Ofast-compile=mid"


class Compiler:
    """Stands for NVRTC: makes the text and a word of it, and takes as long as it is asked to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.slow = threading.Event()
        self.slow.set()

    def __call__(self, source: Source, options: Sequence[str]) -> bytes:
        tier = "baseline" if QUICKLY in options else "optimized"
        self.asked.append((source.text, tier))
        if tier == "optimized":
            assert self.slow.wait(300)
        if source.text == "refused" and tier == "optimized":
            raise CompileError("refused")
        return f"{source.text} {tier}".encode()


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[Compiler]:
    compiler_ = Compiler()
    monkeypatch.setitem(_COMPILERS, "nvrtc", (compiler_, lambda: "nvrtc 13.0"))
    monkeypatch.setattr("lazyarr.runtime.cuda.compiler._major", lambda: 13)
    yield compiler_
    compiler_.slow.set()


def loaded(source: Source, code: bytes) -> tuple[Any, Any]:
    return source, SimpleNamespace(_launch_kernel=code.decode())


@pytest.fixture
def kernels(compiler: Compiler) -> DeviceKernels:
    return DeviceKernels("sm_90", loaded, lambda: None)


STRICT = Config(cache_dir="off")


def source(text: str = "a", *, tiered: bool = True) -> Source:
    parameters = (Parameter("x", np.dtype(np.float32), True), Parameter("n", np.dtype("i4"), False))
    return Source("cuda", text, "kernel", parameters, tiered=tiered)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def ended(kernels: DeviceKernels) -> None:
    until(lambda: kernels._thread is None)


def test_what_takes_long_is_compiled_quickly_and_again_when_it_is_used_again(
    kernels: DeviceKernels, compiler: Compiler
) -> None:
    function = kernels.compile(source(), STRICT)
    assert (function.start, function.baseline) == ("a baseline", True)
    assert (function.formats, function.pack(1, 2)) == (
        ("P", "i"),
        (1).to_bytes(8, "little") + b"\2\0\0\0",
    )
    assert kernels.tier_up([function])
    ended(kernels)
    assert (function.start, function.baseline) == ("a optimized", False)
    assert kernels.compile(source(), STRICT) is function
    assert kernels.tier_up([function])
    assert compiler.asked == [("a", "baseline"), ("a", "optimized")]
    assert kernels.info().compiled == 1  # that somebody waited for


def test_what_compiles_soon_has_one_tier(kernels: DeviceKernels, compiler: Compiler) -> None:
    function = kernels.compile(source(tiered=False), STRICT)
    assert (function.start, function.baseline) == ("a optimized", False)
    assert kernels.tier_up([function])
    assert kernels._thread is None


def test_only_strict_numerics_have_two_tiers(
    kernels: DeviceKernels, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code that may be contracted has other bits when it is optimised in another way."""
    fast = Config(cache_dir="off", numerics="fast")
    assert kernels.compile(source(), fast).start == "a optimized"
    monkeypatch.setitem(_COMPILERS, "nvcc", (compiler, lambda: "nvcc 13.0"))
    other = Config(cache_dir="off", cuda_compiler="nvcc")
    assert kernels.compile(source(), other).start == "a optimized"
    monkeypatch.setattr("lazyarr.runtime.cuda.compiler._major", lambda: 12)
    assert kernels.compile(source("b"), STRICT).start == "b optimized"


def test_a_kernel_that_another_plan_has_is_used_again(kernels: DeviceKernels) -> None:
    first = kernels.compile_all([source("a"), source("b"), source("a")], STRICT)
    assert [function.start for function in first.values()] == ["a baseline", "b baseline"]
    assert kernels._thread is None
    second = kernels.compile_all([source("b"), source("c")], STRICT)
    assert second[source("b")] is first[source("b")]
    ended(kernels)
    results = {**first, **second}
    assert {function.start for function in results.values()} == {
        "a baseline",
        "b optimized",
        "c baseline",
    }


def test_who_cannot_use_the_first_tier_waits_for_the_second(
    kernels: DeviceKernels, compiler: Compiler
) -> None:
    functions = list(kernels.compile_all([source("a"), source("b")], STRICT).values())
    compiler.slow.clear()
    threads = [threading.Thread(target=kernels.optimize, args=(functions,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    until(lambda: compiler.asked[2:] == [("a", "optimized")])
    assert functions[0].baseline and all(thread.is_alive() for thread in threads)
    compiler.slow.set()
    for thread in threads:
        thread.join(300)
    assert [function.start for function in functions] == ["a optimized", "b optimized"]
    assert len(compiler.asked) == 4


def test_a_thread_of_its_own_needs_no_first_tier(
    kernels: DeviceKernels, compiler: Compiler
) -> None:
    assert kernels.compile_beside(source("a"), STRICT).start == "a optimized"
    assert kernels.compile(source("b"), STRICT).start == "b baseline"
    assert kernels.compile_beside(source("b"), STRICT).start == "b optimized"


def test_what_somebody_waits_for_is_compiled_before(
    kernels: DeviceKernels, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = kernels.compile(source(), STRICT)
    with kernels.counter.working():
        kernels.tier_up([function])
        time.sleep(3 * tuning.row().recompile_rest)
        assert function.baseline and len(compiler.asked) == 1
    ended(kernels)
    assert function.start == "a optimized"
    # But not for ever.
    use_row(monkeypatch, tuning, recompile_patience=0.1)
    function = kernels.compile(source("b"), STRICT)
    with kernels.counter.working():
        kernels.tier_up([function])
        ended(kernels)
    assert function.start == "b optimized"


def test_what_fails_keeps_the_code_that_it_has(
    kernels: DeviceKernels, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda operand: shown.append(operand.exc_value))
    functions = list(kernels.compile_all([source("refused"), source("b")], STRICT).values())
    kernels.optimize(functions)
    ended(kernels)
    assert [function.start for function in functions] == ["refused baseline", "b optimized"]
    assert not any(function.baseline for function in functions)  # nothing better is to be had
    assert len(shown) == 1 and isinstance(shown[0], CompileError)
    kernels.optimize(functions)
    assert len(compiler.asked) == 4


class Watch:
    """What wants to know that functions are optimised."""

    def __init__(self, functions: Sequence[DeviceFunction]) -> None:
        self.functions = functions
        self.calls = 0

    def call(self) -> None:
        assert not any(function.baseline for function in self.functions)
        self.calls += 1


def test_watches_are_called_once_when_the_last_of_their_functions_is_optimised(
    kernels: DeviceKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _: None)  # of what is refused
    names = ("a", "b", "refused")
    functions = list(kernels.compile_all([source(name) for name in names], STRICT).values())
    some, every = Watch(functions[:1]), Watch(functions)
    for watch in (some, every, every):
        kernels.when_optimized(watch.functions, watch.call)
    dropped = Watch(functions)
    kernels.when_optimized(functions, dropped.call)
    gone = weakref.ref(dropped)
    del dropped
    assert gone() is None  # it is not waited for
    kernels.optimize(functions[:1])
    ended(kernels)
    assert (some.calls, every.calls) == (1, 0)
    kernels.tier_up(functions)
    ended(kernels)
    assert (some.calls, every.calls) == (1, 1)
    assert not kernels._watches
    kernels.when_optimized(every.functions, every.call)
    assert every.calls == 2


def test_without_a_thread_the_first_tier_goes_on(
    kernels: DeviceKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = kernels.compile(source(), STRICT)
    plain = threading.Thread.start

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert not kernels.tier_up([function])
    kernels.optimize([function])
    assert function.start == "a baseline"
    monkeypatch.setattr(threading.Thread, "start", plain)
    kernels.optimize([function])
    assert function.start == "a optimized"


def test_both_tiers_are_kept_on_disk_and_the_better_one_is_preferred(
    compiler: Compiler, tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    settings = Config(cache_dir=str(tmp_path))

    def process() -> DeviceKernels:
        return DeviceKernels("sm_90", loaded, lambda: None)

    assert process().compile(source(), settings).start == "a baseline"
    second = process()
    function = second.compile(source(), settings)
    assert function.start == "a baseline" and function.baseline
    assert second.info().disk_hits == 1
    second.optimize([function])
    third = process()
    result = third.compile(source(), settings)
    assert result.start == "a optimized" and not result.baseline
    assert compiler.asked == [("a", "baseline"), ("a", "optimized")]


def test_launches_go_on_while_the_code_is_replaced(kernels: DeviceKernels) -> None:
    function: DeviceFunction = kernels.compile(source(), STRICT)
    seen: set[str] = set()
    stop = threading.Event()

    def launch() -> None:
        while not stop.is_set():
            seen.add(function.start)

    threads = [threading.Thread(target=launch) for _ in range(3)]
    for thread in threads:
        thread.start()
    kernels.optimize([function])
    stop.set()
    for thread in threads:
        thread.join()
    assert seen <= {"a baseline", "a optimized"}
    assert len(function._loaded) == 2  # what may still be running stays loaded
    kernels.close()
    assert not function._loaded and kernels.info().loaded == 0
