"""Checks are compiled quickly, and again where they run long."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core.config import Config, get_config
from lazyarr.core.frozen import replace
from lazyarr.execution import tuning
from lazyarr.execution.fp_errors.check import Check
from lazyarr.loop_ir.source import Source
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu import numba_compiler

NOTHING = Bindings([], [], [])


class Compiler:
    """A compiler whose functions take some time, which keeps what settings it was called with."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.settings: list[Config] = []

    def __call__(self, settings: Config) -> Any:
        self.settings.append(settings)

        def evaluate(bindings: Bindings) -> Sequence[np.ndarray[Any, Any]]:
            time.sleep(self.seconds)
            return [np.asarray(settings.optimize)]

        return evaluate


def test_a_check_that_runs_long_is_optimised_once() -> None:
    compile_ = Compiler(tuning.row().quick_check_seconds * 0.6)
    check = Check(replace(get_config(), backend="numba", optimize=True), compile_)
    answers = [bool(check(NOTHING)[0]) for _ in range(4)]
    assert answers == [False, False, True, True]
    assert [s.optimize for s in compile_.settings] == [False, True]
    assert {s.backend for s in compile_.settings} == {"llvm"}


def test_a_check_that_runs_briefly_is_not() -> None:
    compile_ = Compiler(0)
    check = Check(replace(get_config(), optimize=True), compile_)
    for _ in range(20):
        check(NOTHING)
    assert [s.optimize for s in compile_.settings] == [False]


def test_nothing_is_optimised_where_nothing_shall_be() -> None:
    compile_ = Compiler(tuning.row().quick_check_seconds * 1.1)
    check = Check(replace(get_config(), optimize=False), compile_)
    for _ in range(3):
        check(NOTHING)
    assert [s.optimize for s in compile_.settings] == [False]


def test_what_finds_the_operation_of_a_warning_is_no_numba_kernel(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiled = []

    def compile_numba(source: Source, name: str) -> tuple[str, bytes]:
        compiled.append(source)
        return numba_compiler.compile_numba(source, name)

    stand_in = SimpleNamespace(compile_numba=compile_numba)
    monkeypatch.setitem(sys.modules, "lazyarr.runtime.cpu.numba_compiler", stand_in)
    x = la.asarray(np.linspace(0, 1, 737))
    with la.config(backend="numba", cache_dir=str(tmp_path)):
        with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
            la.evaluate(np.sqrt(x - 0.5) * 3.125)
    assert len(compiled) == 1
