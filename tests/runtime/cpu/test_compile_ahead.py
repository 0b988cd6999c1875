"""Code that is compiled in a thread while its user goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from lazyarr.core.config import Config
from lazyarr.errors import CompileError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.compile_ahead import AHEAD, Ahead
from lazyarr.runtime.disk_cache import Entry


def source_of(number: int) -> Source:
    text = f"define i64 @ahead_{number}() #0 {{\n  ret i64 {number}\n}}\n"
    return Source("llvm", text, f"ahead_{number}", (), optimize=False)


def raises(error: Exception) -> Callable[[], Entry]:
    def compiled() -> Entry:
        raise error

    return compiled


def test_each_source_is_compiled_once() -> None:
    ahead, source, begun = Ahead(), source_of(1), threading.Event()
    calls: list[int] = []

    def compiled() -> Entry:
        calls.append(threading.get_ident())
        begun.set()
        return Entry("ahead_1", b"code")

    ahead.begin(source, compiled)
    ahead.begin(source, compiled)
    assert begun.wait(60)
    entry = ahead.entry(source)
    assert entry is not None and entry.object_code == b"code"
    assert ahead.entry(source) is entry
    assert len(calls) == 1 and calls[0] != threading.get_ident()


def test_code_that_is_needed_before_its_thread_has_begun_is_left_to_the_caller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> int:
        raise RuntimeError("no thread can be started")

    monkeypatch.setattr("_thread.start_new_thread", refuse)
    ahead, source = Ahead(), source_of(2)
    ahead.begin(source, raises(AssertionError("it is not called")))
    assert ahead.entry(source) is None
    ahead.wait()


def test_what_was_not_begun_has_no_code() -> None:
    assert Ahead().entry(source_of(3)) is None


@pytest.mark.parametrize("error", [CompileError("no"), MemoryError(), RecursionError()])
def test_an_error_is_left_to_the_caller(error: Exception) -> None:
    ahead, source = Ahead(), source_of(4)
    ahead.begin(source, raises(error))
    assert ahead.entry(source) is None


def test_support_code_is_loaded_as_it_was_compiled_ahead(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source, config = source_of(5), Config(cache_dir=str(tmp_path), threads=2)
    compiled: list[Source] = []
    original = compiler._compile

    def counted(source: Source, key: str, baseline: bool = False) -> Entry:
        compiled.append(source)
        return original(source, key, baseline)

    monkeypatch.setattr(compiler, "_compile", counted)
    compiler.prepare_support(source, config)
    compiler.prepare_support(source, config)
    assert compiler.load_support(source, config).address
    assert compiled == [source]


def test_one_thread_compiles_nothing_ahead(tmp_path: Path) -> None:
    source = source_of(6)
    compiler.prepare_support(source, Config(cache_dir=str(tmp_path), threads=1))
    assert AHEAD.entry(source) is None
