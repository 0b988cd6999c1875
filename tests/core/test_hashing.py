"""Digests of texts and files."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from lazyarr.core.hashing import files_checksum, key_of, sha256


def test_digests_are_those_of_the_standard_library() -> None:
    digest = sha256(b"ab")
    digest.update(b"c")
    assert digest.hexdigest() == hashlib.sha256(b"abc").hexdigest()


def test_keys_differ_wherever_a_part_does() -> None:
    parts = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ()]
    assert len({key_of(some) for some in parts}) == len(parts)


def test_parts_may_be_names_that_are_no_utf8() -> None:
    names = [os.fsdecode(name) for name in (b"a", b"\xff", b"a\xff", b"\xc3", b"\xc3\xa9")]
    assert len({key_of([name]) for name in names}) == len(names)


def test_checksums_of_files_depend_on_those_that_are_named_and_on_no_other(tmp_path: Path) -> None:
    def checksum() -> str:
        return files_checksum(str(tmp_path), ("a_", "b"))

    checksums = [checksum()]
    for name, text in (("a_1", "x"), ("a_1", "y"), ("a_2", ""), ("b", "yz"), ("a_1", "yy")):
        (tmp_path / name).write_text(text)
        checksums.append(checksum())
    assert len(set(checksums)) == len(checksums)
    (tmp_path / "c").write_text("not one of them")
    assert checksum() == checksums[-1]


def test_a_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError):
        files_checksum(str(tmp_path / "none"), ("a",))

    def refuse(folder: Any) -> Any:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(MemoryError):
        files_checksum(str(tmp_path), ("a",))
