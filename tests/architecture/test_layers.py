"""The documentation of the layers agrees with the contract that holds them."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def layers(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    sys.modules.pop("layers", None)
    return __import__("layers")


def test_the_contract_names_each_package(layers: object) -> None:
    named = {package for layer in layers.layers() for package in layer}
    folders = {path.parent.name for path in (ROOT / "lazyarr").glob("*/__init__.py")}
    modules = {path.stem for path in (ROOT / "lazyarr").glob("*.py")} - {"__init__"}
    assert named == folders | modules


def test_the_picture_has_a_box_for_each_package(layers: object) -> None:
    picture = layers.picture()
    for layer in layers.layers():
        for package in layer:
            assert f">{package}</text>" in picture


def test_the_documentation_names_what_exists() -> None:
    """Each file, folder and module that the pages for developers name is there."""
    packages = ["", "lazyarr/", "tests/", "docs/"]
    for page in ("docs/architecture.md", "docs/adding_an_op.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        names = set(re.findall(r"`((?:[\w.]+/)+[\w.]*|[\w/]+\.(?:py|md|toml))`", text))
        assert names, page
        missing = [n for n in names if not any((ROOT / (p + n)).exists() for p in packages)]
        assert missing == [], page
