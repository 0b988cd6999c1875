"""The stamp of sources differs whenever a file does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lazyarr.core import source_stamp as module
from lazyarr.core.source_stamp import source_stamp


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package of a few files that is stamped in place of lazyarr."""
    for name in ("core/a.py", "core/inner/b.ll", "core/cuda/c.py", "core/__pycache__/a.pyc"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "errors.py").write_text("errors")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "core" / "source_stamp.py"))
    return tmp_path


def stamp() -> str:
    source_stamp.cache_clear()
    return source_stamp(frozenset(("core", "errors.py")), frozenset(("cuda",)))


@pytest.mark.parametrize("name", ["core/a.py", "core/inner/b.ll", "errors.py"])
def test_a_changed_file_changes_it(name: str, folder: Path) -> None:
    before, status = stamp(), (folder / name).stat()
    assert before and stamp() == before
    (folder / name).write_text("more")
    os.utime(folder / name, ns=(status.st_atime_ns, status.st_mtime_ns))
    longer = stamp()
    assert longer != before
    os.utime(folder / name, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert stamp() not in (before, longer)


def test_a_new_file_and_one_less_change_it(folder: Path) -> None:
    before = stamp()
    (folder / "core" / "d.py").write_text("d")
    assert stamp() != before
    (folder / "core" / "d.py").unlink()
    assert stamp() == before
    (folder / "core" / "a.py").rename(folder / "core" / "e.py")
    assert stamp() != before


@pytest.mark.parametrize("name", ["core/cuda/c.py", "core/__pycache__/a.pyc", "other.py"])
def test_others_do_not_count(name: str, folder: Path) -> None:
    before = stamp()
    (folder / name).write_text("another")
    assert stamp() == before


def test_a_package_without_a_folder_has_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "__file__", str(folder / "a.zip" / "core" / "source_stamp.py"))
    assert not stamp()
    source_stamp.cache_clear()
