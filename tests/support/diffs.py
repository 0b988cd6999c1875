"""Diffs as the documentation shows them, and their application to files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Hunk", "apply", "diffs_of"]


@dataclass(frozen=True)
class Hunk:
    """One change: the lines of a file that it replaces, and those that take their place."""

    path: str
    before: str
    after: str


def diffs_of(page: Path) -> list[list[Hunk]]:
    """Return the hunks of each diff on a page."""
    blocks = re.findall(r"```diff\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [_hunks(block) for block in blocks]


def _hunks(block: str) -> list[Hunk]:
    results: list[Hunk] = []
    for part in re.split(r"(?m)^(?=--- a/)", block):
        if part.strip():
            header, *changes = re.split(r"(?m)^@@.*\n", part)
            path = re.search(r"(?m)^\+\+\+ b/(.+)$", header)
            assert path is not None, header
            results += [_hunk(path.group(1), change.splitlines()) for change in changes]
    return results


def _hunk(path: str, lines: list[str]) -> Hunk:
    assert all(line[:1] in ("", " ", "+", "-") for line in lines)
    before = [line[1:] for line in lines if not line.startswith("+")]
    after = [line[1:] for line in lines if not line.startswith("-")]
    return Hunk(path, "\n".join(before) + "\n", "\n".join(after) + "\n")


def apply(hunks: list[Hunk], root: Path) -> None:
    """Change the files below a folder; each hunk must fit at exactly one place."""
    for hunk in hunks:
        path = root / hunk.path
        text = path.read_text(encoding="utf-8")
        assert text.count(hunk.before) == 1, f"{hunk.path} has no one place for\n{hunk.before}"
        path.write_text(text.replace(hunk.before, hunk.after), encoding="utf-8")
