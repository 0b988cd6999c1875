"""Two tiers of machine code: the same bits, exchanged while in use, and ended in good order."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np
import pytest

import lazyarr as la
import lazyarr.cache
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import baseline_tier, compiler, shared_functions, tuning, vector_math
from lazyarr.runtime.cpu.host_target import why_not
from lazyarr.runtime.cpu.objects import machine_code
from lazyarr.runtime.cpu.objects.trampolines import Trampolines
from tests.support.comparison import bits
from tests.support.expressions import EXPRESSIONS, Expression
from tests.support.programs import draw_program
from tests.support.tuned import tune

pytestmark = pytest.mark.skipif(bool(why_not()), reason="another loader of object code")


@pytest.fixture(autouse=True)
def _always(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every kernel that may begin with the baseline tier do so."""
    tune(monkeypatch, tuning, tiers_from_seconds=0.0, baseline_statement_seconds=0.0)
    monkeypatch.setenv("LAZYARR_TIERS", "1")  # of other processes
    with la.config(tiers=True):
        yield


@contextmanager
def held() -> Iterator[None]:
    """Let nothing be optimised within the block."""
    baseline_tier.TIER_UP.before_fork()
    try:
        yield
    finally:
        baseline_tier.TIER_UP.after_fork()


def fresh() -> None:
    forget_plans()
    compiler.forget()


def results_of(expression: Expression, numerics: str) -> list[bytes]:
    """Return the bits of the results, and the warnings of floating-point errors."""
    settings = la.config(immediate=0, cache_dir="off", numerics=numerics, device="cpu")
    with settings, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = expression.function(la, *map(la.asarray, expression.arrays()))
        several = values if isinstance(values, tuple) else (values,)
        results = [bits(np.asarray(value)) for value in several]
    return results + sorted({str(warning.message).encode() for warning in caught})


@pytest.mark.parametrize("numerics", ["strict", "fast"])
@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_templates_have_the_same_bits(expression: Expression, numerics: str) -> None:
    fresh()
    assert compiler.settle(60)
    before = compiler.info()
    with held():
        baseline = results_of(expression, numerics)
        between = compiler.info()
    assert between.optimized == before.optimized
    assert compiler.settle(60)
    after = compiler.info()
    assert after.optimized - before.optimized == between.baseline - before.baseline
    assert baseline == results_of(expression, numerics)


@pytest.mark.parametrize("expression", EXPRESSIONS[::12], ids=str)
def test_what_is_optimised_at_once_has_the_same_bits(expression: Expression) -> None:
    fresh()
    with held():
        baseline = results_of(expression, "strict")
    fresh()
    begun = compiler.info().baseline
    with la.config(tiers=False):
        assert results_of(expression, "strict") == baseline
    assert compiler.info().baseline == begun


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_have_the_same_bits(seed: int) -> None:
    def run() -> list[bytes]:
        fresh()
        random = Random(seed)
        with la.config(immediate=0, cache_dir="off", device="cpu"), np.errstate(all="ignore"):
            program = draw_program(random.randrange)
            return [bits(np.asarray(root.lazy)) for root in program.roots]

    with held():
        baseline = run()
    with la.config(tiers=False):
        assert run() == baseline
    assert compiler.settle(60)


@pytest.mark.skipif(vector_math.variant("exp", 1, 8) is None, reason="functions of the C library")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_kernels_share_functions_that_are_compiled_once(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[str] = []

    def publish(name: str, object_code: bytes) -> None:
        published.append(name)
        machine_code.publish(name, object_code)

    monkeypatch.setattr(shared_functions, "_shared", set())
    monkeypatch.setattr(shared_functions, "publish", publish)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 88.7, -104.0, 710.0, -746.0, 1e300]
    with np.errstate(over="ignore"):
        x = np.array([*special, *np.linspace(-20, 20, 300)]).astype(dtype)

    def run() -> list[bytes]:
        fresh()
        with la.config(cache_dir="off", device="cpu"), np.errstate(all="ignore"):
            y = la.asarray(x)
            several = la.exp(y) * la.tanh(y), la.exp(-y) + 1, la.log(la.abs(y)) + la.exp(y)
            return [bits(np.asarray(value)) for value in several]

    with held():
        baseline = run()
        assert sorted(published) == sorted(set(published))
        assert len(published) == 3
        assert run() == baseline
        assert len(published) == 3
    with la.config(tiers=False):
        assert run() == baseline
    assert compiler.settle(60)


def test_what_may_be_reassociated_has_no_baseline() -> None:
    f4 = np.dtype("f4")
    pointer = (Parameter("x", f4, True),)
    plain = Source("llvm", "%a = fadd float %b, %c", "kernel", pointer)
    assert baseline_tier.may_be_baseline(plain)
    assert not baseline_tier.may_be_baseline(
        Source("llvm", "fadd reassoc float", "kernel", pointer)
    )
    assert not baseline_tier.may_be_baseline(
        Source("llvm", "", "kernel", pointer, ("minimum_f32_r_x8",))
    )
    assert not baseline_tier.may_be_baseline(Source("llvm", "", "kernel", pointer, optimize=False))
    assert not baseline_tier.may_be_baseline(Source("numba", "", "kernel", pointer))


def test_short_compiling_and_long_runs_have_no_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("llvm", "\n" * 1000, "kernel", ())
    tune(monkeypatch, tuning, tiers_from_seconds=0.012, baseline_statement_seconds=1e-9)
    assert baseline_tier.baseline_sources([source], {source: 1000}) == [source]
    assert baseline_tier.baseline_sources([source], {source: 1_000_000}) == []
    assert baseline_tier.baseline_sources([source], {}) == []
    tune(monkeypatch, tuning, tiers_from_seconds=1.0)
    assert baseline_tier.baseline_sources([source], {source: 1000}) == []


def test_a_trampoline_goes_on_to_another_address() -> None:
    import ctypes

    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
    libc = ctypes.CDLL(None)
    address = {
        name: ctypes.cast(getattr(libc, name), ctypes.c_void_p).value for name in ("abs", "isalpha")
    }
    many = Trampolines([address["abs"] or 0] * 600)
    assert [call(many.address(k))(-7) for k in (0, 299, 599)] == [7, 7, 7]
    many.set(299, address["isalpha"] or 0)
    assert call(many.address(299))(ord("7")) == 0
    assert call(many.address(598))(-3) == 3


def test_code_is_exchanged_while_threads_run_it() -> None:
    fresh()
    rng = np.random.default_rng(0)
    x = rng.random((300, 70))
    function = la.jit(lambda x: [np.sin(x) + k * x for k in range(6)])
    with la.config(cache_dir="off", tiers=False):
        expected = [np.asarray(value).tobytes() for value in function(x)]
    fresh()
    other = la.jit(lambda x: [np.sin(x) + k * x for k in range(6)])
    wrong: list[int] = []

    def work() -> None:
        with la.config(cache_dir="off"):
            for repetition in range(60):
                if [np.asarray(value).tobytes() for value in other(x)] != expected:
                    wrong.append(repetition)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert compiler.settle(60)
    assert not wrong


def test_only_optimised_code_is_on_disk(tmp_path: Path) -> None:
    fresh()
    with la.config(cache_dir=str(tmp_path), immediate=0):
        with held():
            x = la.asarray(np.linspace(0, 1, 50))
            first = np.asarray(np.cos(x) * x).tobytes()
            assert la.cache.info().disk.entries == 0
        assert compiler.settle(60)
        assert la.cache.info().disk.entries == 1
        fresh()
        before = compiler.info()
        assert np.asarray(np.cos(x) * x).tobytes() == first
        after = compiler.info()
        assert (after.compiled, after.disk_hits) == (before.compiled, before.disk_hits + 1)


SCRIPT = """
    import os, signal, sys, threading
    import numpy as np, lazyarr as la
    from contextvars import ContextVar
    from lazyarr.core.frozen import replace
    from lazyarr.runtime.cpu import compiler, tuning
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who began this may ignore it
    row = replace(tuning.row(), tiers_from_seconds=0.0, baseline_statement_seconds=0.0)
    tuning.TABLE._current = ContextVar("row", default=row)
    x = la.asarray(np.linspace(1, 2, 5000).reshape(50, 100))
    with la.config(immediate=0):
        roots = [np.exp(-x) * k + np.sin(x + k) / (x.sum(axis=0) + k) for k in range(9)]
        print(float(la.jit(lambda *r: sum(r))(*roots).sum()) > 0)
        print(compiler.info().baseline > 0)
"""


def _run(code: str, tmp_path: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "LAZYARR_CACHE_DIR": str(tmp_path)},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("signal.raise_signal(signal.SIGINT)", -2),
        ("raise SystemExit(4)", 4),
        ("child = os.fork()\n    if child: os.waitpid(child, 0)", 0),
    ],
)
def test_a_process_may_end_before_its_code_is_optimised(
    tmp_path: Path, end: str, status: int
) -> None:
    code, out, err = _run(SCRIPT + "    " + end, tmp_path)
    assert code == status, err
    assert out.split()[:2] == ["True", "True"]
    assert "Fatal" not in err and "terminate" not in err


def test_a_child_optimises_what_its_parent_had_begun(tmp_path: Path) -> None:
    code, out, err = _run(
        SCRIPT
        + """
    child = os.fork()
    with la.config(immediate=0):
        y = np.asarray(np.cos(x) * 3 + x)
        ok = y.shape == (50, 100)
    ok = ok and compiler.settle(60) and compiler.info().optimized > 0
    if child:
        ok = ok and os.waitpid(child, 0)[1] == 0
        print("both", ok)
    else:
        os._exit(0 if ok else 1)
""",
        tmp_path,
    )
    assert code == 0, err
    assert out.split()[-2:] == ["both", "True"], err
