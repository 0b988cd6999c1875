"""Tuning measurements, stored on disk by form, size class and machine.

A record names a candidate, which lowering then makes itself: whatever a file says, no kernel comes
from it. Files are those of :mod:`lazyarr.runtime.disk_cache`: complete or not there, this user's,
with a digest of all that they hold; others are ignored.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lazyarr.core import tuning
from lazyarr.core.frozen import dataclass
from lazyarr.core.hashing import key_of
from lazyarr.runtime.cpu.host_target import describe_processor
from lazyarr.runtime.disk_cache import DiskCache, Entry, open_cache

__all__ = ["Record", "clear", "collecting", "forget", "load", "record_key", "size_class", "store"]

_FORMAT = "lazyarr-tuning-1"
#: Records that this process has asked for or written; None: there is none.
_known: dict[tuple[DiskCache | None, str], Record | None] = {}
_lock = threading.Lock()
#: Functions that are called with each record that is kept.
_collections: list[list[Record]] = []


@dataclass(frozen=True, slots=True)
class Record:
    """The measured times of one kernel's candidates.

    Attributes
    ----------
    choice : str
        The name of the fastest candidate; "" is today's choice.
    seconds : mapping of str to float
        By the names of candidates, the least time of a plan's run.
    """

    choice: str
    seconds: Mapping[str, float]

    @property
    def gain(self) -> float:
        """The speed-up of the choice over the default schedule."""
        return self.seconds[""] / self.seconds[self.choice] if self.choice else 1.0

    def to_bytes(self) -> bytes:
        """Return the record as it is kept."""
        import json  # a plan that nobody tuned needs none

        return json.dumps({"choice": self.choice, "seconds": dict(self.seconds)}).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Record | None:
        """Return a record as it was kept; None if it is none."""
        import json

        try:
            fields: Any = json.loads(content)
            choice, seconds = fields["choice"], fields["seconds"]
            pairs = {str(name): float(value) for name, value in seconds.items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        is_whole = isinstance(choice, str) and (not choice or {"", choice} <= set(pairs))
        return cls(choice, pairs) if is_whole else None


def size_class(domain: Sequence[int]) -> tuple[int, ...]:
    """Return the class of an iteration space: for each axis, the power of two above it."""
    return tuple([size.bit_length() for size in domain])


def record_key(texts: Iterable[str], domain: Sequence[int], threads: int) -> str:
    """Return the key of a kernel's record.

    Parameters
    ----------
    texts : iterable of str
        The sources by which it is cut by default: its form.
    domain : sequence of int
        Sizes of its iteration space.
    threads : int
        That may work on it.
    """
    sizes = " ".join(map(str, size_class(domain)))
    return key_of([_FORMAT, sizes, str(threads), *describe_processor(), *texts])


def _folder(cache_dir: str) -> DiskCache | None:
    return open_cache(cache_dir, "tuning")


def load(cache_dir: str, key: str) -> Record | None:
    """Return the record of a kernel; None if there is none.

    Parameters
    ----------
    cache_dir : str
        The setting of that name.
    key : str
        Of :func:`record_key`.
    """
    folder = _folder(cache_dir)
    place = folder, key
    record = _known.get(place)
    if record is None and place not in _known:
        # A folder is made for the first record, not by asking.
        entry = folder.load(key) if folder is not None and folder.is_there else None
        record = None if entry is None else Record.from_bytes(entry.object_code)
        _remember(place, record)
    return record


def _remember(place: tuple[DiskCache | None, str], record: Record | None) -> None:
    """Remember a record, or that there is none, and forget the oldest beyond the bound."""
    with _lock:
        _known[place] = record
        while len(_known) > tuning.OF_MACHINE.records:
            del _known[next(iter(_known))]


def store(cache_dir: str, key: str, record: Record) -> None:
    """Keep a record, for this process and on disk.

    Parameters
    ----------
    cache_dir : str
        The setting of that name; "off": for this process alone.
    key : str
        Of :func:`record_key`.
    record : Record
        What was measured.
    """
    folder = _folder(cache_dir)
    _remember((folder, key), record)
    for collection in _collections:
        collection.append(record)
    if folder is not None:
        folder.store(key, Entry("tuning", record.to_bytes()))


@contextmanager
def collecting() -> Iterator[list[Record]]:
    """Yield a list that gets the records which are kept meanwhile."""
    collection: list[Record] = []
    _collections.append(collection)
    try:
        yield collection
    finally:
        _collections.remove(collection)


def clear(cache_dir: str) -> None:
    """Remove all records of a folder, and those in memory.

    Parameters
    ----------
    cache_dir : str
        The setting of that name.
    """
    forget()
    folder = _folder(cache_dir)
    if folder is not None:
        folder.clear()


def forget() -> None:
    """Drop this process's records; files stay."""
    with _lock:
        _known.clear()
