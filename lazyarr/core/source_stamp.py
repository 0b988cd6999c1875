"""The stamp of the package's own sources, by which results of its code on disk are recognised.

It takes each file's size and time of modification, by which Python recognises whether compiled
modules are those of a source. A change of a source changes it; reading the sources would take as
long as compiling a kernel.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

from lazyarr.core.hashing import key_of

__all__ = ["source_stamp"]

#: Folders without code that these processes run: compiled modules, sources of extension modules.
_LEFT_OUT = frozenset(("__pycache__", "c_source"))
_ALL: frozenset[str] = frozenset()


@cache
def source_stamp(names: frozenset[str], without: frozenset[str] = frozenset()) -> str:
    """Return a text that differs whenever a file of some packages does; "" if they have no files.

    Parameters
    ----------
    names : frozenset of str
        Of folders and files in the package.
    without : frozenset of str, optional
        Names of folders in them that are left out.
    """
    core = __file__.rpartition(os.sep)[0]
    try:
        return key_of(_stamps(core.rpartition(os.sep)[0], names, _LEFT_OUT | without))
    except OSError:
        return ""  # of an archive, say


def _stamps(folder: str, names: frozenset[str], without: frozenset[str]) -> Iterator[str]:
    """Yield the stamp of each file of a folder, and of the folders in it, in order.

    Parameters
    ----------
    folder : str
        Its path.
    names : frozenset of str
        Of what counts in it; empty: all does.
    without : frozenset of str
        Names of folders that are left out.
    """
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        if names and entry.name not in names:
            continue
        if entry.is_dir():
            if entry.name not in without:
                yield from _stamps(entry.path, _ALL, without)
        else:
            status = entry.stat()
            yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"
