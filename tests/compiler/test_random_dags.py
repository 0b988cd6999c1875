"""Random expressions: compiled code, the interpreted loop IR and NumPy agree.

Most expressions are run by the interpreter of loop IR, which checks every index and costs no
compilation; thresholds are lowered so that tiny arrays are cut into blocks, chunks and panels.
"""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.compiler import pipeline
from lazyarr.graph.node import Node
from lazyarr.graph.reference import evaluate_reference
from lazyarr.passes.simplify import simplify
from lazyarr.runtime import run_log
from tests.support.program_interpreter import run_program
from tests.support.programs import Choose, Program, check, draw_program, small_kernels

pytestmark = pytest.mark.each_device

INTEGERS = [st.integers(0, n) for n in range(200)]
QUIET = list(HealthCheck)


def chooser(data: Any) -> Choose:
    """Return a function that draws an integer below a limit."""

    def choose(limit: int) -> int:
        if limit <= 1:
            return 0
        if limit <= len(INTEGERS):
            return data.draw(INTEGERS[limit - 1])  # type: ignore[no-any-return]
        return data.draw(st.integers(0, limit - 1))  # type: ignore[no-any-return]

    return choose


def roots_of(program: Program) -> tuple[Node, ...]:
    return tuple(value.lazy._node for value in program.roots)


def check_interpreted(choose: Choose, steps: int = 10) -> None:
    """Check one expression without compiling it."""
    program = draw_program(choose, steps=steps)
    roots = roots_of(program)
    simplified = simplify(roots)
    assert simplify(simplified) == simplified, program
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for what, nodes in (("reference", roots), ("simplified", simplified)):
            for value, got in zip(program.roots, evaluate_reference(nodes), strict=True):
                check(value, got, what, program)
        with small_kernels(choose):
            try:
                results, _ = run_program(roots, seed=choose(1000))
            except BaseException as error:
                error.add_note(repr(program))
                raise
        for value, got in zip(program.roots, results, strict=True):
            check(value, got, "loop IR", program)


def test_zero_over_zero_of_constants_is_interpreted() -> None:
    nothing = la.pad(la.asarray(np.zeros((1, 0))), [(0, 1), (0, 2)]) > 0
    product = -la.prod(la.divide(nothing, nothing))
    with np.errstate(all="ignore"):
        results, _ = run_program((product._node,))
    np.testing.assert_array_equal(results[0], np.nan)


def check_compiled(choose: Choose, steps: int = 8) -> None:
    """Check one expression with machine code, and the memory that it takes."""
    program = draw_program(choose, limit=20_000, steps=steps)
    runs: list[run_log.RunRecord] = []
    with np.errstate(all="ignore"), warnings.catch_warnings(), run_log.listen(runs.append):
        warnings.simplefilter("ignore")
        try:
            results = pipeline.evaluate(roots_of(program))
        except BaseException as error:
            error.add_note(repr(program))
            raise
    # Arrays themselves need no plan on a GPU.
    if runs or any(root.src for root in roots_of(program)):
        assert runs[-1].planned_peak == runs[-1].measured_peak, program
    for value, got in zip(program.roots, results, strict=True):
        assert got.flags.writeable, program
        check(value, got, "compiled", program)


def run_examples(check: Callable[..., None], seeds: int, examples: int, **options: int) -> None:
    """Check many expressions, the same ones in every run."""

    @seed(seeds)
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=QUIET)
    @given(st.data())
    def run(data: Any) -> None:
        check(chooser(data), **options)

    run()


def run_drawn(check: Callable[..., None], part: int, examples: int, steps: int) -> None:
    """Check many expressions, the same ones in every run, drawn without Hypothesis.

    Which takes half of the time; `run_examples` makes what fails smaller.
    """
    for number in range(examples):
        random = Random(f"{part}, {number}")
        try:
            check(lambda limit, of=random: of.randrange(max(limit, 1)), steps=steps)
        except BaseException as error:
            error.add_note(f"expression {number} of part {part}")
            raise


@pytest.mark.host
@pytest.mark.parametrize(("part", "steps"), [(0, 6), (1, 10), (2, 14), (3, 20)])
def test_interpreted(part: int, steps: int) -> None:
    run_drawn(check_interpreted, part, 600, steps)


@pytest.mark.parametrize("part", range(2))
def test_compiled(part: int) -> None:
    run_drawn(check_compiled, part, 75, steps=8)


@pytest.mark.parametrize(("check", "examples"), [(check_interpreted, 60), (check_compiled, 6)])
def test_other_expressions_in_every_run(
    check: Callable[..., None], examples: int, capsys: pytest.CaptureFixture[str]
) -> None:
    # To draw the same ones again: LAZYARR_FUZZ_SEED=<what was printed> pytest -n0 <this test>.
    drawn = int(os.environ.get("LAZYARR_FUZZ_SEED") or secrets.randbits(32))
    with capsys.disabled():
        print(f"\nLAZYARR_FUZZ_SEED={drawn} ({check.__name__})")
    try:
        run_examples(check, drawn, examples, steps=12)
    except BaseException as error:
        error.add_note(f"LAZYARR_FUZZ_SEED={drawn}")
        raise


@pytest.mark.host
@pytest.mark.slow
@pytest.mark.parametrize("part", range(10, 20))
def test_many_interpreted(part: int) -> None:
    run_examples(check_interpreted, part, 2200, steps=part)


@pytest.mark.host
def test_the_interpreter_does_what_the_cpu_would_when_a_gpu_is_asked_for() -> None:
    x = la.asarray(np.arange(6.0))
    with la.config(device="cuda"):
        (got,), _ = run_program(((-x).sum()._node,))
    assert got == -15.0


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10, 20))
def test_many_compiled(part: int) -> None:
    run_examples(check_compiled, part, 150, steps=part)
