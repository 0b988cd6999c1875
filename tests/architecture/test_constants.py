"""Each constant of many digits is computed by a script here, or names its public source."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import lazyarr
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent
#: From so many digits on, a number is looked up or fitted, and not chosen.
DIGITS = 7

#: Constants of Python modules, and how they are known.
DECIMALS = {
    "demo.py": "Abramowitz and Stegun",  # the normal distribution, formula 26.2.17
    "numpy_api/piecewise.py": "6.283185307179586",  # 2 pi
}

#: Bit patterns that no fit gives, and the source that the text beside them names.
PATTERNS = {
    "0xd2511f53": "J. Salmon et al.",  # Philox
    "0xcd9e8d57": "J. Salmon et al.",
    "0x9e3779b9": "J. Salmon et al.",
    "0xbb67ae85": "J. Salmon et al.",
    "0xd2e7470ee14c6c93": "J. Salmon et al.",  # the same of 64 bits
    "0xca5a826395121157": "J. Salmon et al.",
    "0x9e3779b97f4a7c15": "J. Salmon et al.",
    "0xbb67ae8584caa73b": "J. Salmon et al.",
    "0x3fe6a09e": "fdlibm",  # the upper half of the root of 1/2
}

PATTERN = re.compile(r"\b0x(?:[0-9a-fA-F]{16}|[0-9a-fA-F]{8})(?=[uUlL]*\b)")
TEXTS = sorted(path for end in ("cuh", "ll", "c", "h") for path in ROOT.rglob(f"*.{end}"))


@cache
def _computed() -> frozenset[int]:
    """The bit patterns that the script of the project computes, and those of their negatives."""
    path = ROOT.parent / "tools" / "polynomials.py"
    spec = importlib.util.spec_from_file_location("polynomials", path)
    assert spec is not None and spec.loader is not None
    polynomials = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(polynomials)
    results = set()
    for values in polynomials.constants().values():
        for text in values:
            bits = 4 * (len(text) - 2)
            results |= {int(text, 16), int(text, 16) ^ 1 << bits - 1}
    return frozenset(results)


def _is_long(text: str) -> bool:
    digits = re.sub(r"[^0-9]", "", text.lower().split("e")[0])
    return len(digits.strip("0")) >= DIGITS


def _is_plain(pattern: str) -> bool:
    """Whether a pattern is a mask, or a limit or power of two of few digits."""
    return bool(re.fullmatch(r"0x([0-9a-f]*000|[1378f]?f+)", pattern))


def _decimals(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    for part in nodes_of(tree_of(path)):
        if isinstance(part, ast.Constant) and isinstance(part.value, float):
            literal = ast.get_source_segment(text, part) or repr(part.value)
            if _is_long(literal):
                yield literal


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_bit_patterns_are_computed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    unknown = {
        pattern
        for pattern in map(str.lower, PATTERN.findall(text))
        if not _is_plain(pattern) and int(pattern, 16) not in _computed()
    }
    assert all(PATTERNS[pattern] in text for pattern in unknown & PATTERNS.keys())
    unknown -= PATTERNS.keys()
    assert unknown == set()


def test_decimals_name_their_sources() -> None:
    paths = {path: list(_decimals(path)) for path in sorted(ROOT.rglob("*.py"))}
    names = {path.relative_to(ROOT).as_posix() for path, literals in paths.items() if literals}
    assert names == set(DECIMALS)
    for name, source in DECIMALS.items():
        assert source in (ROOT / name).read_text(encoding="utf-8"), name


def test_a_pattern_that_is_not_computed_is_seen() -> None:
    assert int("0x37ccf406", 16) in _computed() and int("0x37ccf407", 16) not in _computed()
    assert not _is_plain("0x37ccf407") and _is_plain("0x7ff0000000000000")
    assert _is_long("0.2316419") and not _is_long("0.125")
