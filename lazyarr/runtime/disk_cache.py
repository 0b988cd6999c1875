"""Compiled kernels kept on disk.

What is loaded from here runs with the user's rights. So the folder and each file in it must belong
to this user and be writable by nobody else, and each file carries its key and a digest of all that
it holds; anything else is ignored and written anew. Files appear under their final name only when
complete, so any number of processes may share a folder, and each may be killed at any time.

An entry is::

    magic (8 bytes) | length of key and symbol (2 x 4 bytes) | key | symbol | object code
        | SHA-256 of all before

What is not needed to find an entry is imported when one is written, :mod:`pathlib` too, whose
import takes as long as loading a kernel.
"""

from __future__ import annotations

import os
import stat
import struct
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from lazyarr.core.frozen import dataclass
from lazyarr.core.hashing import sha256
from lazyarr.errors import CacheWarning, ConfigError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DiskCache", "DiskInfo", "Entry", "default_directory", "open_cache"]

_MAGIC = b"lazyarr2"
_LENGTHS = struct.Struct("<II")
_SUFFIX = ".kernel"
_UNFINISHED = ".part"
_STALE_SECONDS = 3600.0
"""Age at which an unfinished file was surely left behind by a killed process."""

DEFAULT_LIMIT = 256 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One compiled function.

    Attributes
    ----------
    symbol : str
        Its name in the object code.
    object_code : bytes
        A relocatable object file.
    """

    symbol: str
    object_code: bytes


class DiskInfo:
    """Statistics of a folder of compiled kernels.

    The folder is read when one of them is first asked for: it may have thousands of files.

    Parameters
    ----------
    cache : DiskCache, optional
        The folder; default: nothing is kept on disk.

    Attributes
    ----------
    directory : str
        The folder, or "" if nothing is kept on disk.
    limit : int
        Bytes above which the least recently used entries go.
    """

    def __init__(self, cache: DiskCache | None = None) -> None:
        self._cache = cache
        self.directory = str(cache.directory) if cache is not None else ""
        self.limit = cache.limit if cache is not None else 0

    @cached_property
    def _sizes(self) -> list[int]:
        return [] if self._cache is None else self._cache.sizes()

    @property
    def entries(self) -> int:
        """Number of files."""
        return len(self._sizes)

    @property
    def nbytes(self) -> int:
        """Total size of the files."""
        return sum(self._sizes)

    def __repr__(self) -> str:
        return (
            f"DiskInfo(directory={self.directory!r}, entries={self.entries}, "
            f"nbytes={self.nbytes}, limit={self.limit})"
        )


class DiskCache:
    """A folder of compiled kernels, named by the digests of their sources.

    Parameters
    ----------
    directory : path
        Made if it is not there.
    limit : int, optional
        Bytes to keep at most.
    owns_parent : bool, optional
        Whether the folder that it lies in is lazyarr's own, too, and may be made private.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        limit: int = DEFAULT_LIMIT,
        *,
        owns_parent: bool = False,
    ) -> None:
        self._directory = os.fspath(directory)
        self.owns_parent = owns_parent
        self.limit = limit
        self._usable: bool | None = None
        self._nbytes: int | None = None  # as far as this process knows

    @property
    def directory(self) -> Path:
        """The folder."""
        from pathlib import Path

        return Path(self._directory)

    @property
    def is_there(self) -> bool:
        """Whether the folder exists."""
        return _is_folder(self._directory)

    def load(self, key: str) -> Entry | None:
        """Return the entry of a key, or None if there is none that can be trusted."""
        if not self._ready():
            return None
        path = f"{self._directory}{os.sep}{key}{_SUFFIX}"
        try:
            with open(path, "rb", opener=_open_at_once) as file:
                if not _is_ours(os.fstat(file.fileno()), stat.S_ISREG):
                    return None
                content = file.read()
        except OSError:
            return None
        entry = _decode(content, key)
        if entry is not None:
            try:
                os.utime(path)  # the time of last use decides what goes first
            except OSError:
                return entry  # another process removed it, or the folder became read-only
        return entry

    def store(self, key: str, entry: Entry) -> None:
        """Write an entry; if that fails, warn once and keep nothing from then on.

        Parameters
        ----------
        key : str
            The digest of what the function was compiled from.
        entry : Entry
            The compiled function.
        """
        if not self._ready():
            return
        import tempfile
        from pathlib import Path

        content = _encode(entry, key)
        try:
            with tempfile.NamedTemporaryFile(
                suffix=_UNFINISHED, dir=self.directory, delete=False
            ) as file:
                temporary = Path(file.name)
                file.write(content)
            temporary.replace(self._path(key))
        except OSError as error:
            self._refuse(str(error))
            return
        if self._nbytes is None:
            self._nbytes = sum(size for _, _, size in self._files())
        else:
            self._nbytes += len(content)
        if self._nbytes > self.limit:
            self._evict()

    def info(self) -> DiskInfo:
        """Return the number and the size of the folder's entries."""
        return DiskInfo(self)

    def sizes(self) -> list[int]:
        """Return the size of each of the folder's entries."""
        return [size for _, _, size in self._files()]

    def clear(self) -> None:
        """Remove every entry."""
        for path, _, _ in list(self._files()):
            _unlink(path)
        self._nbytes = None

    def _path(self, key: str) -> Path:
        return self.directory / (key + _SUFFIX)

    def _files(self) -> Iterator[tuple[str, float, int]]:
        """Yield path, time of last use and size of each entry; remove files of killed processes."""
        try:
            items = list(os.scandir(self._directory))
        except OSError:
            return
        for item in items:
            try:
                status = item.stat(follow_symlinks=False)
                if item.name.endswith(_SUFFIX):
                    yield item.path, status.st_mtime, status.st_size
                elif item.name.endswith(_UNFINISHED) and _is_stale(status):
                    _unlink(item.path)
            except OSError:
                continue  # another process removed it meanwhile

    def _evict(self) -> None:
        # Down to less than the limit, so that not every store has to scan the folder.
        files = sorted(self._files(), key=lambda file: file[1])
        total = sum(size for _, _, size in files)
        for path, _, size in files:
            if total <= self.limit * 3 // 4:
                break
            try:
                _unlink(path)
            except OSError as error:
                self._refuse(str(error))
                break
            total -= size
        self._nbytes = total

    def _ready(self) -> bool:
        if self._usable is None:
            self._usable = True
            parent = self._directory.rpartition(os.sep)[0] or os.sep
            try:
                status = f"{parent}{os.sep}."  # of a link, that of the folder
                if not (_is_folder(self._directory) and _is_safe(os.lstat(status))):
                    self._make()
                trusted = _is_ours(os.lstat(self._directory), stat.S_ISDIR)
                is_safe = _is_safe(os.lstat(status))
            except OSError as error:
                self._refuse(str(error))
            else:
                if not trusted:
                    self._refuse("it must be a folder that only you can write to")
                elif not is_safe:
                    self._refuse(f"other users can replace it, as they can write to {parent}")
        return self._usable

    def _make(self) -> None:
        """Make the folder, and the one that it lies in private if that is lazyarr's own."""
        directory = self.directory
        directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        if self.owns_parent and not _is_safe(directory.parent.stat()):
            directory.parent.chmod(0o700)

    def _refuse(self, reason: str) -> None:
        if self._usable:
            self._usable = False
            warnings.warn(
                f"compiled kernels are not stored in {self.directory}: {reason}. "
                'Set cache_dir to another folder, or to "off".',
                CacheWarning,
                stacklevel=2,
            )


def _is_folder(path: str) -> bool:
    """Return whether a path is that of a folder, and no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _is_stale(status: os.stat_result) -> bool:
    return time.time() - status.st_mtime > _STALE_SECONDS


def _is_ours(status: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    """Whether it is of the right kind, this user's, and not writable by others."""
    if not is_kind(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True  # Windows: the user's own application folder is private already
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_safe(status: os.stat_result) -> bool:
    """Whether other users cannot replace the files of a folder."""
    if not hasattr(os, "geteuid"):
        return True
    if status.st_uid not in (0, os.geteuid()):
        return False
    # In a folder with the sticky bit, as /tmp has, everybody replaces what is his own.
    return bool(status.st_mode & stat.S_ISVTX) or not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without blocking on a pipe of that name."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))


def _encode(entry: Entry, key: str) -> bytes:
    names = key.encode(), entry.symbol.encode()
    lengths = _LENGTHS.pack(*map(len, names))
    content = b"".join((_MAGIC, lengths, *names, entry.object_code))
    return content + sha256(content).digest()


def _decode(content: bytes, key: str) -> Entry | None:
    body, digest = content[:-32], content[-32:]
    if not body.startswith(_MAGIC) or sha256(body).digest() != digest:
        return None
    begin = len(_MAGIC) + _LENGTHS.size
    key_size, symbol_size = _LENGTHS.unpack_from(body, len(_MAGIC))
    middle = begin + key_size
    end = middle + symbol_size
    if body[begin:middle] != key.encode():
        return None
    return Entry(body[middle:end].decode(), body[end:])


def default_directory() -> Path:
    """Return the user's folder for compiled kernels on this platform."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return _folder(base) / "lazyarr"


def _folder(name: str) -> Path:
    from pathlib import Path

    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        raise ConfigError(
            f"there is no home folder for {name!r}: {error}",
            hint='set cache_dir to a folder, or to "off"',
        ) from None


def _unlink(path: str) -> None:
    """Remove a file, unless another process did."""
    from pathlib import Path

    Path(path).unlink(missing_ok=True)


_caches: dict[str, DiskCache] = {}


def open_cache(cache_dir: str, contents: str = "kernels") -> DiskCache | None:
    """Return the disk cache of a setting: "" is the default folder, "off" is none.

    Each folder has one `DiskCache` in a process, so that it is complained about once.

    Parameters
    ----------
    cache_dir : str
        The setting of that name.
    contents : str, optional
        The name of the folder in it.
    """
    if cache_dir == "off":
        return None
    # A folder of our own inside the given one: its permissions are ours to choose.
    directory = f"{_place(cache_dir)}{os.sep}{contents}"
    return _caches.setdefault(directory, DiskCache(directory, owns_parent=not cache_dir))


def _place(cache_dir: str) -> str:
    """Return the folder that a setting names, as an absolute path."""
    if sys.platform == "linux":
        home = os.environ.get("HOME")
        base = os.environ.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else "~")
        name = cache_dir or f"{base}/lazyarr"
        root, *parts = name.split("/")
        if not root and parts and all(part not in ("", ".") for part in parts):
            return name  # as below, without pathlib
    return str((_folder(cache_dir) if cache_dir else default_directory()).absolute())
