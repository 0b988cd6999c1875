"""Settings of every test run, made before lazyarr is imported."""

import doctest
import inspect
import os
import shutil
import tempfile
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

# Every compiler stage checks the one before it.
os.environ["LAZYARR_CHECK"] = "1"
# Tests compile what they compute, however small it is; who tests the other way turns it on.
os.environ.setdefault("LAZYARR_IMMEDIATE", "0")
# No test depends on how long another took; who tests tuning turns it on.
os.environ.setdefault("LAZYARR_TUNE", "0")
# No thread compiles while another test runs; who tests the tiers of code turns it on.
os.environ.setdefault("LAZYARR_TIERS", "0")
# OpenBLAS's threads do not stay busy for milliseconds after a product: other tests need the core.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
# Tests neither read nor fill the user's kernel cache. Worker processes inherit the folder.
_OWNED = "LAZYARR_TEST_CACHE" not in os.environ
if _OWNED:
    os.environ["LAZYARR_TEST_CACHE"] = tempfile.mkdtemp(prefix="lazyarr-test-cache-")
os.environ["LAZYARR_CACHE_DIR"] = os.environ["LAZYARR_TEST_CACHE"]


# Text to compare with, and no modules with examples to run.
collect_ignore_glob = ["tests/codegen/golden/*", "tests/integration/typing/mistakes.py"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden sources")


class _Lines(doctest.DocTestFinder):
    """A finder of examples; that of Python 3.12 fails for what wraps a function in C.

    A module has functions of NumPy's that compute at once, once they were called; their examples
    are NumPy's.
    """

    def _from_module(self, module: ModuleType | None, obj: Any) -> bool:
        origin = str(getattr(inspect.unwrap(obj), "__module__", ""))
        return origin.partition(".")[0] != "numpy" and super()._from_module(module, obj)  # type: ignore[misc, no-any-return]

    def _find_lineno(self, obj: Any, source_lines: list[str] | None) -> int | None:
        try:
            line: int | None = super()._find_lineno(obj, source_lines)  # type: ignore[misc]
        except AttributeError:
            return None
        return line


doctest.DocTestFinder = _Lines  # type: ignore[misc]


@pytest.hookimpl(trylast=True)  # when xdist has registered what sends a worker's reports
def pytest_configure(config: pytest.Config) -> None:
    """Let a worker of xdist send one report of a test that passes instead of three and two events.

    They take the controller half a millisecond a test, and there are tens of thousands. What fails
    or is skipped, what has output, and all that ``--durations`` lists is sent as before.
    """
    if not hasattr(config, "workerinput") or config.getoption("durations"):
        return
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            plugin.sendevent = _needed_events(plugin.sendevent)


def _needed_events(send: Callable[..., None]) -> Callable[..., None]:
    """Return a function that sends those events of a worker that the controller acts on."""

    def sendevent(name: str, **details: Any) -> None:
        if name in ("logstart", "logfinish"):
            return
        report = details.get("data") or {}
        passed = name == "testreport" and report["outcome"] == "passed"
        if not passed or report["when"] == "call" or report["sections"]:
            send(name, **details)

    return sendevent


def pytest_unconfigure(config: pytest.Config) -> None:
    if _OWNED:
        shutil.rmtree(os.environ["LAZYARR_TEST_CACHE"], ignore_errors=True)
