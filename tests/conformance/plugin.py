"""A pytest plugin: NumPy's test modules are loaded with lazyarr in NumPy's place.

Each test's outcome is a line of JSON in the file that ``LAZYARR_OUTCOMES`` names. With
``LAZYARR_CONFORMANCE=eager`` tests run under :func:`lazyarr.eager`: errors and warnings that depend
on values come at the call. ``LAZYARR_ONLY`` names a file with a JSON list of the tests to run.
``LAZYARR_SUITE`` is the folder that tests are named below, and ``LAZYARR_LEFT_OUT`` the module that
says which are not run.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import types
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.conformance.substitution import load, substituted

NUMPY = Path(np.__file__).parent
_SUITE = Path(os.environ.get("LAZYARR_SUITE", NUMPY))
_LEFT_OUT = importlib.import_module(
    os.environ.get("LAZYARR_LEFT_OUT", "tests.conformance.left_out")
).TESTS_LEFT_OUT
#: Of one test, with all that it compiles, on a machine that does other work, too.
SECONDS = 120


class SubstitutedModule(pytest.Module):
    """A test module of NumPy's."""

    def _getobj(self) -> types.ModuleType:
        name = ".".join(("numpy", *self.path.relative_to(NUMPY).with_suffix("").parts))
        return load(self.path, name)


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> pytest.Module | None:
    if NUMPY in module_path.parents and module_path.name.startswith("test_"):
        return SubstitutedModule.from_parent(parent, path=module_path)
    return None


def _late(*_: Any) -> None:
    raise TimeoutError(f"took more than {SECONDS} s")


def _name(item: pytest.Item) -> str:
    """Return a test's name, which is the same whichever library's arrays are arguments of it."""
    name = item.nodeid.partition("::")[2].replace("LazyArray(", "array(")
    return f"{item.path.relative_to(_SUITE)}::{name}"


def _reason_to_leave_out(item: pytest.Item) -> str | None:
    names = (*item.nodeid.split("::"), item.name.partition("[")[0])
    return next((_LEFT_OUT[name] for name in names if name in _LEFT_OUT), None)


def _note(line: dict[str, Any]) -> None:
    with Path(os.environ["LAZYARR_OUTCOMES"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    only = os.environ.get("LAZYARR_ONLY")
    chosen = None if only is None else set(json.loads(Path(only).read_text(encoding="utf-8")))
    kept = []
    for item in items:
        reason = _reason_to_leave_out(item)
        if reason is None and (chosen is None or _name(item) in chosen):
            kept.append(item)
        elif reason is not None:
            _note({"test": _name(item), "outcome": "left out", "error": reason})
    items[:] = kept


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    computed_at_once = os.environ.get("LAZYARR_CONFORMANCE") == "eager"
    with substituted(item.nodeid), la.eager() if computed_at_once else nullcontext():
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call() -> Any:
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    report = (yield).get_result()
    if report.when != "call" and report.outcome == "passed":
        return
    line = {"test": _name(item), "outcome": report.outcome}
    if call.excinfo is not None:
        lines = [entry for entry in call.excinfo.traceback if str(entry.path) == str(item.path)]
        line["code"] = " ".join(str(lines[-1].statement).split())[:300] if lines else ""
        error = call.excinfo.value
        line["error"] = f"{call.excinfo.typename}: {error}"[:6000]
        if error.__context__ is not None:  # which pytest.warns hides
            line["error"] += f" [{type(error.__context__).__name__}: {error.__context__}]"[:300]
        line["at"] = [
            f"{Path(entry.path).name}:{entry.lineno + 1}"
            for entry in call.excinfo.traceback
            if "pytest" not in str(entry.path) and "pluggy" not in str(entry.path)
        ]
    if hasattr(report, "wasxfail"):
        line["outcome"] = "xfailed"
    _note(line)
