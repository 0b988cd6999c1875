"""Settings that do without optimised code: the same bits, and never mixed with optimised code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.autotuning import records
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.config import Config
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler, numba_compiler
from lazyarr.runtime.cpu.baseline_tier import may_be_baseline, of_baseline
from lazyarr.runtime.disk_cache import open_cache
from lazyarr.runtime.host_memory_pool import address_of
from tests.support.comparison import bits
from tests.support.programs import draw_program

F8 = np.dtype(np.float64)
#: x * x + x, of which LLVM makes vectors when it optimises.
SOURCE = Source(
    "llvm",
    """define void @kernel(i64 %begin, i64 %end, ptr noalias %x, ptr noalias %out) #0 {
start:
  br label %loop
loop:
  %i = phi i64 [ %begin, %start ], [ %next, %loop ]
  %from = getelementptr inbounds double, ptr %x, i64 %i
  %to = getelementptr inbounds double, ptr %out, i64 %i
  %value = load double, ptr %from, align 8
  %square = fmul double %value, %value
  %sum = fadd double %square, %value
  store double %sum, ptr %to, align 8
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
""",
    "kernel",
    (Parameter("x", F8, True), Parameter("out", F8, True)),
)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    forget_plans()
    compiler.forget()
    with la.config(immediate=0, device="cpu", tiers=False):
        yield


@pytest.mark.parametrize(("backend", "count"), [("llvm", 4), ("numba", 2)])
def test_random_programs_have_the_same_bits(backend: str, count: int) -> None:
    def run(seed: int, optimize: bool) -> list[bytes]:
        random = Random(seed)
        settings = la.config(optimize=optimize, backend=backend, cache_dir="off")
        with settings, np.errstate(all="ignore"):
            program = draw_program(random.randrange)
            return [bits(np.asarray(root.lazy)) for root in program.roots]

    for seed in range(500, 500 + count):
        assert run(seed, True) == run(seed, False), seed


def test_code_of_both_settings_is_kept_apart(tmp_path: Path) -> None:
    optimised, quick = (Config(cache_dir=str(tmp_path), optimize=value) for value in (True, False))
    before = compiler.info()
    functions = [compiler.compile_sources([SOURCE], settings)[0] for settings in (optimised, quick)]
    assert functions[0] is not functions[1]
    assert compiler.info().compiled == before.compiled + 2
    again = [compiler.compile_sources([SOURCE], settings)[0] for settings in (optimised, quick)]
    assert again == functions
    assert compiler.info().memory_hits == before.memory_hits + 2
    x, results = np.linspace(-3, 3, 37), []
    for function in functions:
        out = np.zeros(37)
        function(0, 37, address_of(x), address_of(out))
        results.append(out.tobytes())
    assert results == [(x * x + x).tobytes()] * 2

    del functions, again, function
    compiler.forget()
    for settings in (optimised, quick):
        compiler.compile_sources([SOURCE], settings)
    after = compiler.info()
    assert (after.disk_hits, after.compiled) == (before.disk_hits + 2, before.compiled + 2)
    disk = open_cache(str(tmp_path))
    assert disk is not None
    entries = [disk.load(compiler.source_key(s)) for s in (SOURCE, of_baseline(SOURCE))]
    codes = [entry.object_code for entry in entries if entry is not None]
    assert len(codes) == 2 and codes[0] != codes[1]


def test_numba_compiles_quickly_to_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 37, 19))
    kinds = []
    compiled = numba_compiler.compile_numba

    def compile_numba(source: Source, name: str) -> tuple[str, bytes]:
        kinds.append(source.baseline)
        return compiled(source, name)

    monkeypatch.setattr(numba_compiler, "compile_numba", compile_numba)
    results = []
    for optimize in (True, False):
        with la.config(optimize=optimize, backend="numba", cache_dir="off"):
            x, y = map(la.asarray, (a, b))
            expressions = [
                ((x[:, None] - y[None]) ** 2).sum(-1),
                abs(x[:, None] * y[None]).max(-1),
                np.where(x > y, np.tanh(x) / 3, x.astype("i8") % 5),
            ]
            results.append([np.asarray(expression).tobytes() for expression in expressions])
    assert results[0] == results[1]
    assert True in kinds and False in kinds


def test_plans_of_both_settings_are_kept_apart() -> None:
    x = la.asarray(np.linspace(1, 2, 50))
    before = compiler.info().compiled
    for count, optimize in enumerate((True, False, True, False)):
        with la.config(optimize=optimize, cache_dir="off"):
            np.asarray(np.cos(x) * x)
        assert compiler.info().compiled == before + min(count + 1, 2)


def test_sums_that_may_be_reordered_are_optimised_all_the_same() -> None:
    sums = Source("llvm", "fadd reassoc double", "kernel", ())
    assert of_baseline(sums) is sums
    sums = Source("numba", "", "kernel", (), ("inf", "add_f64_r"))
    assert of_baseline(sums) is sums
    for source in (SOURCE, Source("numba", "", "kernel", (), ("inf", "add_f64"))):
        quick = of_baseline(source)
        assert quick.baseline and of_baseline(quick) is quick and not may_be_baseline(quick)


def test_what_is_not_optimised_is_not_tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(records, "load", lambda *arguments: asked.append(arguments))
    x = la.asarray(np.linspace(1, 2, 5000).reshape(50, 100))
    with la.config(tune=True, optimize=False, cache_dir="off"):
        np.asarray(np.sin(x) + x)
    assert not asked
    with la.config(tune=True, cache_dir="off"):
        np.asarray(np.sin(x) + x)
    assert asked
