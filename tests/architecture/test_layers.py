"""The documentation of the layers agrees with the contract that holds them."""

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
