"""The files in which a benchmark leaves its results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_files(folder: Path, name: str, text: str, record: Any = None) -> None:
    """Write a page of results, and its record as JSON.

    Parameters
    ----------
    folder : pathlib.Path
        Where to write; it is created if it does not exist.
    name : str
        Of both files, without the suffix.
    text : str
        The page, in Markdown.
    record : object, optional
        Lists and dictionaries of numbers and strings; None: no JSON is written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text)
    if record is not None:
        (folder / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
