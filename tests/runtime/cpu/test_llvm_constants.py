"""The constants of functions of vectors are those that the script of the project computes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import lazyarr
from lazyarr.runtime.cpu.llvm_constants import CONSTANTS, numbers

ROOT = Path(lazyarr.__file__).parent.parent


def test_constants_are_computed() -> None:
    path = ROOT / "tools" / "polynomials.py"
    spec = importlib.util.spec_from_file_location("polynomials", path)
    assert spec is not None and spec.loader is not None
    polynomials = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(polynomials)
    computed = polynomials.constants()
    ours = {name: [int(text, 16) for text in computed[name]] for name in CONSTANTS}
    assert ours == {name: list(bits) for name, bits in CONSTANTS.items()}


def test_tables_have_a_place_for_every_four_bits() -> None:
    tables = ("inverses", "binary logarithms", "powers", "natural logarithms", "their rests")
    assert {len(CONSTANTS[name]) for name in tables} == {16}
    # Beside 1 a logarithm is that of 1 + r alone, from above and from below.
    assert numbers("binary logarithms")[0] == 0 and numbers("binary logarithms")[-1] == 1
    high, low = numbers("parts of ln(2)")
    assert (numbers("natural logarithms")[-1], numbers("their rests")[-1]) == (high, low)
