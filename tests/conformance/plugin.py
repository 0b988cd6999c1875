"""A pytest plugin: NumPy's test modules are loaded with lazyarr in NumPy's place.

Each test's outcome is a line of JSON in the file that ``LAZYARR_OUTCOMES`` names. With
``LAZYARR_CONFORMANCE=eager`` tests run under :func:`lazyarr.eager`: errors and warnings that depend
on values come at the call.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import types
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.conformance.substitution import load, substituted

NUMPY = Path(np.__file__).parent
SECONDS = 20
#: Tests that hand arrays to functions in C, which take their memory without a question.
IN_C = {"test_extension_incref_elide", "test_extension_incref_elide_stack"}
#: Tests of one library call for each of 511 sizes.
OF_SIZES = {f"test_{call}_{kind}" for call in ("sort", "argsort") for kind in ("float", "int")}


class SubstitutedModule(pytest.Module):
    """A test module of NumPy's."""

    def _getobj(self) -> types.ModuleType:
        name = ".".join(("numpy", *self.path.relative_to(NUMPY).with_suffix("").parts))
        module = load(self.path, name)
        sys.modules[f"substituted.{name}"] = module
        return module


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> pytest.Module | None:
    if NUMPY in module_path.parents and module_path.name.startswith("test_"):
        return SubstitutedModule.from_parent(parent, path=module_path)
    return None


def _late(*_: Any) -> None:
    raise TimeoutError(f"took more than {SECONDS} s")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    left_out = IN_C | OF_SIZES
    items[:] = [item for item in items if item.name.partition("[")[0] not in left_out]


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
    line = {"test": item.nodeid.rpartition("numpy/")[2], "outcome": report.outcome}
    if call.excinfo is not None:
        line["error"] = f"{call.excinfo.typename}: {call.excinfo.value}"[:600]
        line["at"] = [
            f"{Path(entry.path).name}:{entry.lineno + 1}"
            for entry in call.excinfo.traceback
            if "pytest" not in str(entry.path) and "pluggy" not in str(entry.path)
        ]
    if hasattr(report, "wasxfail"):
        line["outcome"] = "xfailed"
    with Path(os.environ["LAZYARR_OUTCOMES"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
