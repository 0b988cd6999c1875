"""The object code of a Numba source, and the signatures that compilations share."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import numpy as np
import pytest
from numba.core import types

from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import numba_compiler

#: Of elements, with the suffix of what is done with them.
KINDS = {"f32": "f4", "f64": "f8", "i32": "i4", "i64": "i8", "u16": "u2"}


def random_source(random: Random) -> Source:
    """Return loops over two arrays of one dtype with random steps, limits and operations."""
    suffix = random.choice(list(KINDS))
    lines = [f"v0 = load_{suffix}(x, i * {random.randint(1, 9)} + n)"]
    for k in range(random.randint(1, 6)):
        operation = random.choice(["add", "multiply", "subtract"])
        operands = f"v{random.randint(0, k)}, v{random.randint(0, k)}"
        lines.append(f"v{k + 1} = {operation}_{suffix}({operands})")
    lines.append(f"store_{suffix}(out, i // {random.randint(1, 3)}, v{len(lines) - 1})")
    if random.random() < 0.5:
        lines = [f"for j in range({random.randint(1, 5)}, n):", *(f"    {s}" for s in lines)]
    body = "".join(f"        {line}\n" for line in lines)
    text = f"def kernel(begin, end, x, out, n):\n    for i in range(begin, end):\n{body}"
    elements = np.dtype(KINDS[suffix])
    parameters = (
        Parameter("x", elements, True),
        Parameter("out", elements, True),
        Parameter("n", np.dtype(np.int64), False),
    )
    names = {f"{name}_{suffix}" for name in ("load", "store", "add", "multiply", "subtract")}
    return Source("numba", text, "kernel", parameters, tuple(sorted(names)))


def assembly(source: Source) -> str:
    """Return the assembly of a source without its symbol, which Numba numbers."""
    return re.sub(r"_ZN\w+", "kernel", numba_compiler.assembly(source))


@pytest.fixture
def signatures(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[object, ...], Any]:
    """The signatures that compilations share: none at first."""
    shared: dict[tuple[object, ...], Any] = {}
    monkeypatch.setattr(numba_compiler, "_signatures", shared)
    return shared


def test_what_was_compiled_before_changes_no_code(
    signatures: dict[tuple[object, ...], Any],
) -> None:
    random = Random(1)
    sources = [random_source(random) for _ in range(12)]
    alone = []
    for source in sources:
        signatures.clear()
        alone.append(assembly(source))
    random.shuffle(order := list(range(len(sources))))
    for k in order:
        assert assembly(sources[k]) == alone[k]


def test_equal_calls_have_one_signature(signatures: dict[tuple[object, ...], Any]) -> None:
    source = random_source(Random(2))
    numba_compiler.compile_numba(source, "kernel")
    before = dict(signatures)
    assert before
    numba_compiler.compile_numba(source, "kernel")
    assert signatures == before


def test_numbers_of_texts_are_not_remembered(signatures: dict[tuple[object, ...], Any]) -> None:
    random = Random(3)
    for _ in range(5):
        numba_compiler.compile_numba(random_source(random), "kernel")
    kinds = [kind for _, *arguments in signatures for kind in arguments]
    assert kinds and not any(isinstance(kind, types.Literal) for kind in kinds)
