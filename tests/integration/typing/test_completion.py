"""What editors complete: Jedi knows the public names, and the methods of what functions give."""

from __future__ import annotations

import jedi
import pytest

import lazyarr as la

pytestmark = pytest.mark.host


def completions(text: str) -> set[str]:
    script = jedi.Script(text)
    last = text.splitlines()
    return {names.name for names in script.complete(len(last), len(last[-1]))}


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("la.", la.__all__),
        ("la.linalg.", la.linalg.__all__),
    ],
)
def test_public_names(place: str, names: list[str]) -> None:
    missing = set(names) - completions(f"import lazyarr as la\n{place}")
    assert not missing, sorted(missing)


@pytest.mark.parametrize("value", ["la.zeros(3)", "(la.arange(3) + 1)"])
def test_methods_of_results(value: str) -> None:
    names = completions(f"import lazyarr as la\nx = {value}\nx.")
    assert {"sum", "mean", "reshape", "compute", "persist", "astype", "shape", "dtype"} <= names


def test_beginnings() -> None:
    names = completions("import lazyarr as la\nla.nan_to")
    assert names == {"nan_to_num"}
