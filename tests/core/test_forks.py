"""A fork waits for other threads: for what is entered, and for imports."""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from lazyarr.core import forks

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def _forked(check: str) -> int:
    """Return the exit status of a child that imports a module."""
    child = os.fork()
    if not child:
        signal.alarm(20)  # a child that waits for a lock would wait for ever
        try:
            __import__(check)
            os._exit(7)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def importing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """An import by another thread, of a module that waits for the event, but not for long."""
    (tmp_path / "slowly_imported.py").write_text(
        "from imports_of_test import begun, forked\nbegun.set()\nforked.wait(0.5)\n"
    )
    events = ModuleType("imports_of_test")
    begun, forked = threading.Event(), threading.Event()
    vars(events).update(begun=begun, forked=forked)
    monkeypatch.setitem(sys.modules, "imports_of_test", events)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(forks, "_PACKAGES", forks._PACKAGES | {"slowly_imported"})
    thread = threading.Thread(target=__import__, args=("slowly_imported",))
    thread.start()
    assert begun.wait(10)
    yield forked
    thread.join()
    del sys.modules["slowly_imported"]


def test_a_fork_waits_for_an_import_of_another_thread(importing: threading.Event) -> None:
    threading.Timer(0.02, importing.set).start()
    assert _forked("slowly_imported") == 7


def test_a_fork_does_not_wait_for_ever(
    importing: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forks, "_PATIENCE", 0.01)
    assert _forked("os") == 7
    assert forks._others_import()
    importing.set()


def test_what_imports_with_the_lock_of_loggers_goes_on_during_a_fork() -> None:
    """Python takes that lock before it forks; a configuration of loggers imports with it."""
    begun, codes = threading.Event(), list[int]()

    def configure() -> None:
        with logging._lock:  # type: ignore[attr-defined]
            begun.set()
            while not forks._forking.locked():
                time.sleep(0)
            time.sleep(0.005)
            with pytest.raises(ModuleNotFoundError):
                __import__("no_handler_of_loggers")

    def fork() -> None:
        begun.wait()
        codes.append(_forked("os"))

    threads = [threading.Thread(target=each, daemon=True) for each in (configure, fork)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert codes == [7]


def test_what_is_entered_during_a_fork_is_called_before_and_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(forks, "_hooks", [])

    def hook(name: str, enters: str = "") -> None:
        def before() -> None:
            calls.append(name)
            if enters and len(forks._hooks) == 1:
                hook(enters)

        forks.at_fork(before, lambda: calls.append(f"-{name}"), lambda: None)

    hook("first", "second")
    assert _forked("os") == 7
    assert calls == ["first", "-first", "second", "first", "-first", "-second"]
    assert not forks._entered and not forks._forking.locked()
