"""Generated-language texts that lie beside the Python that uses them: LLVM IR and CUDA C++.

They are package data, so that editors and compilers of these languages can read them.

Lines that begin with ``//:`` or ``;:`` are notes for the reader of a file, and no part of a
text. A line ``//# name`` begins a section of that name. In a text, ``$name`` stands for a value,
and the lines between ``#if $name`` and its ``#else`` or ``#endif`` count only if that value is
true; all other directives are those of the language.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import cache

from lazyarr.errors import ContractError

__all__ = ["filled_in", "sections", "text_file"]

_NAMES = re.compile(r"\$(\w+)")
_DIRECTIVE = r"#(if\w*|else|endif)\b(?: \$(\w+)$)?"


def text_file(package: str, name: str) -> str:
    """Return the text of a file of a package, without the lines that are about it.

    Parameters
    ----------
    package : str
        The full name of an imported package.
    name : str
        The file, relative to the package's folder.

    Raises
    ------
    ContractError
        The package comes from a loader that has no data.
    """
    spec = sys.modules[package].__spec__
    get_data = getattr(spec and spec.loader, "get_data", None)
    if spec is None or spec.origin is None or get_data is None:
        raise ContractError(f"the loader of {package} has no data")
    # The same as importlib.resources, whose import takes 15 ms: it brings tempfile and shutil.
    data: bytes = get_data(f"{spec.origin.rpartition(os.sep)[0]}{os.sep}{name}")
    text = "\n" + data.decode("utf-8")
    for mark in ("\n//:", "\n;:"):  # few: quicker than to look at each line
        while (start := text.find(mark)) >= 0:
            text = text[:start] + text[text.index("\n", start + 1) :]
    return text[1:]


@cache
def sections(package: str, name: str) -> dict[str, str]:
    """Return the sections of a file by their names, each without the empty lines around it.

    Parameters
    ----------
    package : str
        The full name of an imported package.
    name : str
        The file, relative to the package's folder.
    """
    _, *parts = re.split(r"^//# (\w+)\n", text_file(package, name), flags=re.MULTILINE)
    return {title: text.strip("\n") for title, text in zip(parts[::2], parts[1::2], strict=True)}


def filled_in(text: str, values: Mapping[str, object]) -> str:
    r"""Return a text with its names replaced by values, and its conditions decided.

    Parameters
    ----------
    text : str
        A text with ``$name`` and ``#if $name``, as the module describes them.
    values : mapping of str to object
        The values by name; ``str`` writes them, ``bool`` decides conditions.

    Raises
    ------
    KeyError
        A name has no value.

    Examples
    --------
    >>> text = "#if $wide\nlong x[$size];\n#else\nint x[$size];\n#endif"
    >>> filled_in(text, {"wide": False, "size": 8})
    'int x[8];'
    """
    if "#if $" in text:
        text = _decided(text, values)
    parts = _NAMES.split(text)
    parts[1::2] = [str(values[name]) for name in parts[1::2]]
    return "".join(parts)


def _decided(text: str, values: Mapping[str, object]) -> str:
    """Return a text with its conditions on values decided."""
    lines: list[str] = []
    included: list[bool | None] = []  # None: a condition of the language
    for line in text.split("\n"):
        directive = re.match(_DIRECTIVE, line)
        if directive is not None:
            word, name = directive.groups()
            if word.startswith("if"):
                included.append(bool(values[name]) if name else None)
            elif word == "else" and included[-1] is not None:
                included[-1] = not included[-1]
            ours = (included[-1] if word != "endif" else included.pop()) is not None
            if ours:
                continue
        if all(value is not False for value in included):
            lines.append(line)
    return "\n".join(lines)
