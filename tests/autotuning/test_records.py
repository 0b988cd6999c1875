"""Records on disk: whole or not there, and never more than the name of a candidate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lazyarr.autotuning import records
from lazyarr.autotuning.records import Record
from lazyarr.core import tuning


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    records.forget()
    yield
    records.forget()


KEY = "0" * 64
RECORD = Record("panel/2", {"": 2.0, "panel/2": 1.0})


def _file(folder: Path) -> Path:
    (path,) = (folder / "tuning").iterdir()
    return path


def test_what_was_kept_is_loaded_by_another_process(tmp_path: Path) -> None:
    records.store(str(tmp_path), KEY, RECORD)
    code = (
        "import sys; from lazyarr.autotuning import records;"
        f"print(records.load({str(tmp_path)!r}, {KEY!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == repr(RECORD)


@pytest.mark.parametrize("damage", ["shorter", "flipped", "longer", "empty"])
def test_a_damaged_file_is_ignored(tmp_path: Path, damage: str) -> None:
    records.store(str(tmp_path), KEY, RECORD)
    path = _file(tmp_path)
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        {
            "shorter": content[:-5],
            "flipped": content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :],
            "longer": content + b"x",
            "empty": b"",
        }[damage]
    )
    records.forget()
    assert records.load(str(tmp_path), KEY) is None
    records.store(str(tmp_path), KEY, RECORD)
    records.forget()
    assert records.load(str(tmp_path), KEY) == RECORD


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_a_file_that_others_may_write_is_ignored(tmp_path: Path) -> None:
    records.store(str(tmp_path), KEY, RECORD)
    _file(tmp_path).chmod(0o666)
    records.forget()
    assert records.load(str(tmp_path), KEY) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        b"\xff",
        json.dumps({"choice": 3, "seconds": {}}).encode(),
        json.dumps({"choice": "", "seconds": 3}).encode(),
        json.dumps({"choice": "a", "seconds": {"": 1.0}}).encode(),
        json.dumps({"choice": "", "seconds": {"a": "b"}}).encode(),
    ],
)
def test_what_is_no_record_is_none(content: bytes) -> None:
    assert Record.from_bytes(content) is None


def test_nothing_goes_to_disk_if_that_is_off(tmp_path: Path) -> None:
    records.store("off", KEY, RECORD)
    assert records.load("off", KEY) == RECORD
    records.forget()
    assert records.load("off", KEY) is None
    assert not list(tmp_path.iterdir())


def test_clearing_removes_them(tmp_path: Path) -> None:
    records.store(str(tmp_path), KEY, RECORD)
    records.clear(str(tmp_path))
    assert records.load(str(tmp_path), KEY) is None
    assert not list((tmp_path / "tuning").iterdir())


def test_form_size_class_and_threads_are_the_key() -> None:
    base = records.record_key(["text"], (1000, 30), 2)
    assert base == records.record_key(["text"], (1001, 29), 2)
    for other in (
        records.record_key(["texts"], (1000, 30), 2),
        records.record_key(["text", ""], (1000, 30), 2),
        records.record_key(["text"], (1025, 30), 2),
        records.record_key(["text"], (1000, 30), 3),
    ):
        assert other != base


def test_a_process_remembers_the_latest_records_alone(tmp_path: Path) -> None:
    most = tuning.row().records
    records.store(str(tmp_path), KEY, RECORD)
    for number in range(2 * most):
        assert records.load(str(tmp_path), f"{number + 1:064}") is None
    assert len(records._known) == most
    assert records.load(str(tmp_path), KEY) == RECORD  # from disk
