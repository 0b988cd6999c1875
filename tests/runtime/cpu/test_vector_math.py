"""Which vector mathematics library a process takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lazyarr.runtime.cpu import vector_math
from lazyarr.runtime.cpu.vector_math import Library, Variant


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget the libraries, before and after."""
    caches = (vector_math.load, vector_math.variant)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def pretend_prefix(monkeypatch: pytest.MonkeyPatch, prefix: Path) -> Path:
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr("site.ENABLE_USER_SITE", False)
    folder = prefix / "lib"
    folder.mkdir()
    return folder


def test_svml_is_looked_for_where_pip_puts_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = pretend_prefix(monkeypatch, tmp_path)
    assert vector_math._svml_folder() is None
    for name in vector_math.SVML:
        assert vector_math._svml_folder() is None
        (folder / name).touch()
    assert vector_math._svml_folder() == str(folder)


def test_files_that_do_not_load_leave_the_system_libraries(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = pretend_prefix(monkeypatch, tmp_path)
    for name in vector_math.SVML:
        (folder / name).write_text("not a library")
    assert "svml" not in [library.name for library in vector_math.load()]
    assert "svml" not in vector_math.describe()


def test_svml_comes_first_and_libmvec_for_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    both = (
        Library("svml", vector_math._svml_name, sets_flags=False),
        Library("libmvec", vector_math._libmvec_name, sets_flags=True),
    )
    monkeypatch.setattr(vector_math, "load", lambda: both)
    monkeypatch.setattr(vector_math, "_levels", lambda: (("d", 32), ("b", 16)))
    known = {"__svml_exp4", "__svml_expf8", "__svml_atan24", "__svml_cos2", "_ZGVdN4v_cos"}
    monkeypatch.setattr(vector_math, "find_symbol", lambda name: 1 if name in known else None)
    assert vector_math.variant("exp", 1, 8) == Variant(4, "__svml_exp4", sets_flags=False)
    assert vector_math.variant("expf", 1, 4) == Variant(8, "__svml_expf8", sets_flags=False)
    assert vector_math.variant("atan2", 2, 8) == Variant(4, "__svml_atan24", sets_flags=False)
    assert vector_math.variant("cos", 1, 8) == Variant(2, "__svml_cos2", sets_flags=False)
    assert vector_math.variant("sin", 1, 8) is None
