"""Tests assert something, their files are short, and they lie as the package does.

A folder of tests is the path of a package of lazyarr, and holds the tests of that package; one of
`WHOLE` is of no single package. A file that has the name of a module lies in the folder of that
module's package, or in that of the module itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lazyarr
from tests.support.own_limits import sets_limit, sets_own_limit

PACKAGE = Path(lazyarr.__file__).parent
TESTS = Path(__file__).parents[1]
MAX_FILE = 500
#: Folders of the rules of the tree, of lazyarr in NumPy's place, and of whole programs.
WHOLE = {"architecture", "conformance", "integration"}


@dataclass(frozen=True)
class Function:
    """A function of a test file: whether it asserts or raises, and what it calls."""

    file: str
    name: str
    asserts: bool
    calls: frozenset[str]


def _called(call: ast.Call) -> str:
    function = call.func
    return getattr(function, "attr", getattr(function, "id", ""))


def functions_of(file: str, text: str) -> Iterator[Function]:
    """Yield the functions of a file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            parts = list(ast.walk(node))
            calls = [part for part in parts if isinstance(part, ast.Call)]
            names = frozenset(map(_called, calls))
            checked = any(
                keyword.arg == "check" and getattr(keyword.value, "value", None) is True
                for call in calls
                for keyword in call.keywords
            )  # a process that must succeed
            asserts = (
                checked
                or any(isinstance(part, ast.Assert | ast.Raise) for part in parts)
                or any(name.startswith("assert") for name in names)
                or bool(names & {"raises", "warns", "fail"})
            )
            yield Function(file, node.name, asserts, names)


def silent(functions: list[Function]) -> list[str]:
    """Return the tests that can only fail by an exception from elsewhere."""
    helpers: set[str] = set()
    others = [function for function in functions if not function.name.startswith("test_")]
    while more := {f.name for f in others if f.asserts or f.calls & helpers} - helpers:
        helpers |= more
    return [
        f"{function.file}:{function.name}"
        for function in functions
        if function.name.startswith("test_")
        if not function.asserts and not function.calls & helpers
    ]


def test_every_test_asserts_something() -> None:
    files = sorted(TESTS.rglob("*.py"))
    texts = [(path.relative_to(TESTS).as_posix(), path.read_text("utf-8")) for path in files]
    assert silent([function for named in texts for function in functions_of(*named)]) == []


def test_a_test_without_an_assertion_is_named() -> None:
    text = "def helper():\n    compute()\n\ndef test_silent():\n    helper()\n"
    assert silent(list(functions_of("x.py", text))) == ["x.py:test_silent"]


def test_files_are_short() -> None:
    large = {
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > MAX_FILE
    }
    assert large == set()


def _test_files() -> list[Path]:
    """Return the test files of packages, as paths below ``tests``."""
    files = (path.relative_to(TESTS) for path in sorted(TESTS.rglob("test_*.py")))
    return [file for file in files if file.parts[0] not in WHOLE]


def _homes() -> dict[str, set[Path]]:
    """Return the folders where a file of tests may lie, by the name of module or package."""
    homes: dict[str, set[Path]] = {}
    for path in PACKAGE.rglob("*.py"):
        module = path.relative_to(PACKAGE)
        if path.stem != "__init__":
            homes.setdefault(path.stem, set()).update((module.parent, module.with_suffix("")))
        elif module.parent.name:
            homes.setdefault(module.parent.name, set()).update(
                (module.parent, module.parent.parent)
            )
    return homes


def test_folders_are_packages() -> None:
    strangers = {
        file.parent.as_posix()
        for file in _test_files()
        if not (PACKAGE / file.parent / "__init__.py").is_file()
    }
    assert strangers == set(), "no packages of lazyarr: see this module's text"


def test_files_lie_with_the_modules_that_they_are_named_for() -> None:
    homes = _homes()
    astray = {
        file.as_posix(): sorted(map(str, homes[name]))
        for file in _test_files()
        if (name := file.stem.removeprefix("test_")) in homes
        if file.parent not in homes[name]
    }
    assert astray == {}, "move it, or name it for what it tests"


LIMITED = """
import numpy as np
import pytest
import lazyarr as la
from lazyarr.core.config import config

CASES = [np.ones(3), lambda: la.ones(3)]


@pytest.fixture(params=[0, 4096], autouse=True)
def limit(request):
    with config(immediate=request.param):
        yield


@pytest.mark.parametrize("case", CASES)
def test_sum(case):
    assert la.asarray(case).sum() == 3
"""


def test_modules_that_set_their_own_limit_are_known_by_their_fixtures() -> None:
    assert sets_limit(LIMITED)
    for before, after in (
        (", autouse=True", ""),
        ("autouse=True", 'autouse=True, scope="module"'),
        ("immediate=request.param", "implicit='allow'"),
        ("        yield", "        pass\n    yield"),
        ("import numpy as np", "import numpy as np\nimport threading"),
        ("import numpy as np", "import subprocess as other\nimport numpy as np"),
        ("import pytest", "import pytest\nfrom hypothesis import given"),
        ("import pytest", "import pytest\nfrom tests.support.own_process import own_process"),
        ("[np.ones(3),", "[la.ones(3),"),
        ('"case", CASES', '"case", la.ones((1, 3))'),
    ):
        assert before in LIMITED
        assert not sets_limit(LIMITED.replace(before, after, 1)), (before, after)


def test_many_modules_set_their_own_limit() -> None:
    alike = {path.name for path in (TESTS / "numpy_api").rglob("test_*.py") if sets_own_limit(path)}
    assert {"test_nan_reductions.py", "test_outputs_and_writes.py"} <= alike
    assert not sets_own_limit(TESTS / "numpy_api" / "test_reductions.py")
