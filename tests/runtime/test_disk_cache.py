"""The disk cache: what is loaded is what was stored, by this user, completely."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

from lazyarr.errors import CacheWarning
from lazyarr.runtime.disk_cache import DiskCache, Entry, default_directory, open_cache

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
KEY = "ab" * 32
ENTRY = Entry("symbol", bytes(range(256)) * 20)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "kernels"


def stored(directory: Path) -> Path:
    """Store one entry and return its file."""
    DiskCache(directory).store(KEY, ENTRY)
    (path,) = directory.iterdir()
    return path


def test_an_entry_comes_back(directory: Path) -> None:
    cache = DiskCache(directory)
    assert cache.load(KEY) is None
    cache.store(KEY, ENTRY)
    assert cache.load(KEY) == DiskCache(directory).load(KEY) == ENTRY
    assert cache.load("cd" * 32) is None
    info = cache.info()
    assert (info.directory, info.entries) == (str(directory), 1)
    assert info.nbytes > len(ENTRY.object_code)
    cache.clear()
    assert cache.load(KEY) is None
    assert cache.info().entries == 0


@posix
def test_files_are_private(directory: Path) -> None:
    path = stored(directory)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_any_cut_or_change_is_noticed_and_rewritten(directory: Path) -> None:
    path = stored(directory)
    good = path.read_bytes()
    damaged = [good[:n] for n in (0, 1, 8, 11, 40, len(good) // 2, len(good) - 1)]
    for at in (0, 9, 15, 200, len(good) // 2, len(good) - 1):
        damaged.append(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
    damaged.append(good + b"\0")
    for content in damaged:
        path.write_bytes(content)
        assert DiskCache(directory).load(KEY) is None
    DiskCache(directory).store(KEY, ENTRY)
    assert DiskCache(directory).load(KEY) == ENTRY


def test_an_entry_under_another_name_is_ignored(directory: Path) -> None:
    path = stored(directory)
    other = "cd" * 32
    path.rename(path.with_name(other + path.suffix))
    assert DiskCache(directory).load(other) is None


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_ignored(directory: Path, mode: int) -> None:
    stored(directory).chmod(mode)
    assert DiskCache(directory).load(KEY) is None


@posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_may_write_is_not_used(directory: Path, mode: int) -> None:
    path = stored(directory)
    directory.chmod(mode)
    cache = DiskCache(directory)
    with pytest.warns(CacheWarning, match="only you"):
        assert cache.load(KEY) is None
    before = path.read_bytes()
    cache.store(KEY, Entry("other", b""))
    assert path.read_bytes() == before


@posix
@pytest.mark.parametrize(("mode", "is_used"), [(0o770, False), (0o707, False), (0o1777, True)])
def test_a_folder_that_others_can_replace_is_not_used(
    directory: Path, mode: int, is_used: bool
) -> None:
    stored(directory)
    directory.parent.chmod(mode)
    cache = DiskCache(directory)
    if is_used:
        assert cache.load(KEY) == ENTRY
    else:
        with pytest.warns(CacheWarning, match="replace"):
            assert cache.load(KEY) is None
    assert DiskCache(directory, owns_parent=True).load(KEY) == ENTRY


@posix
def test_a_pipe_is_no_entry(directory: Path) -> None:
    path = stored(directory)
    path.unlink()
    os.mkfifo(path, 0o600)
    results: list[object] = [KEY]
    thread = threading.Thread(target=lambda: results.append(DiskCache(directory).load(KEY)))
    thread.daemon = True  # what waits for a writer waits for ever
    thread.start()
    thread.join(300)
    assert results == [KEY, None]
    DiskCache(directory).store(KEY, ENTRY)
    assert DiskCache(directory).load(KEY) == ENTRY


@posix
def test_another_users_files_are_not_used(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(directory)
    me = os.geteuid()
    if me == 0:
        os.chown(path, 12345, -1)
        assert DiskCache(directory).load(KEY) is None
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.warns(CacheWarning):
        assert DiskCache(directory).load(KEY) is None


@posix
def test_a_link_is_not_used_as_the_folder(tmp_path: Path, directory: Path) -> None:
    stored(directory)
    link = tmp_path / "link"
    link.symlink_to(directory, target_is_directory=True)
    with pytest.warns(CacheWarning):
        assert DiskCache(link).load(KEY) is None


def test_an_unusable_folder_warns_once_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = DiskCache(tmp_path / "file" / "kernels")
    with pytest.warns(CacheWarning, match="not stored") as caught:
        assert cache.load(KEY) is None
        cache.store(KEY, ENTRY)
        assert cache.load(KEY) is None
    assert len(caught) == 1
    assert cache.info().entries == 0
    cache.clear()


def test_a_folder_that_becomes_unwritable_warns_once(directory: Path) -> None:
    cache = DiskCache(directory)
    cache.store(KEY, ENTRY)
    cache.clear()
    directory.rmdir()
    directory.write_text("")
    with pytest.warns(CacheWarning) as caught:
        cache.store(KEY, ENTRY)
        cache.store(KEY, ENTRY)
    assert len(caught) == 1


def test_the_least_recently_used_go_first(directory: Path) -> None:
    cache = DiskCache(directory, limit=10 * 1300)
    keys = [f"{i:064x}" for i in range(10)]
    for age, key in enumerate(keys):
        cache.store(key, Entry("s", b"x" * 1000))
        os.utime(cache._path(key), (1000 + age, 1000 + age))
    assert cache.load(keys[0]) is not None  # used just now
    cache.store("f" * 64, Entry("s", b"x" * 4000))
    info = cache.info()
    assert info.nbytes <= info.limit
    assert cache.load(keys[0]) is not None
    assert cache.load("f" * 64) is not None
    assert cache.load(keys[1]) is None


def test_what_killed_processes_left_is_removed(directory: Path) -> None:
    stored(directory)
    old, new = directory / "old.part", directory / "new.part"
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (1000, 1000))
    assert DiskCache(directory).info().entries == 1
    assert not old.exists()
    assert new.exists()


WRITER = """
import sys, random
from pathlib import Path
from lazyarr.runtime.disk_cache import DiskCache, Entry
cache = DiskCache(Path(sys.argv[1]), limit=300_000)
choice = random.Random(int(sys.argv[2]))
print("begun", flush=True)
for _ in range(int(sys.argv[3])):
    number = choice.randrange(40)
    cache.store(f"{number:064x}", Entry(f"s{number}", bytes([number]) * 20_000))
    entry = cache.load(f"{choice.randrange(40):064x}")
    assert entry is None or entry.object_code == bytes([int(entry.symbol[1:])]) * 20_000
"""


def test_two_processes_fill_one_folder_and_one_is_killed(directory: Path) -> None:
    delays = random.Random(5)

    def writer(seed: int, rounds: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WRITER, str(directory), str(seed), str(rounds)]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        process.stdout.readline()
        return process

    steady = writer(0, 1500)
    for seed in range(1, 4):
        victim = writer(seed, 10**9)
        time.sleep(delays.uniform(0.01, 0.15))
        victim.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        victim.communicate(timeout=300)
    _, errors = steady.communicate(timeout=300)
    assert steady.returncode == 0, errors
    cache = DiskCache(directory)
    files = list(directory.glob("*.kernel"))
    assert files
    for path in files:
        assert cache.load(path.stem) is not None


def test_settings_name_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_cache("off") is None
    cache = open_cache(str(tmp_path))
    assert cache is not None
    assert cache is open_cache(str(tmp_path))
    assert cache.directory == tmp_path / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    if sys.platform == "linux":
        assert default_directory() == tmp_path / "xdg" / "lazyarr"
        default = open_cache("")
        assert default is not None
        assert default.directory == tmp_path / "xdg" / "lazyarr" / "kernels"


def test_nothing_is_made_before_something_is_kept(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache = open_cache(str(tmp_path / "new"))
    assert cache is not None
    assert cache.info().entries == 0
    assert not (tmp_path / "new").exists()
