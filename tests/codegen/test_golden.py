"""The sources of representative kernels, kept beside this file: ``pytest --update-golden``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import (
    column_blocks,
    combine_columns,
    contraction_analysis,
    row_pieces,
    tiled_rows,
)
from lazyarr.compiler import compilation
from lazyarr.core.config import Config
from lazyarr.core.vector_registers import Registers

FOLDER = Path(__file__).parent / "golden"
SUFFIX = {"llvm": "ll", "numba": "numba.py"}


def _array(*shape: int, dtype: str = "f8") -> la.LazyArray:
    return la.asarray(np.zeros(shape, dtype))


def _map() -> la.LazyArray:
    x, y = _array(1000), _array(1000)
    return la.sin(x) ** 2 + y * 0.5


def _stencil() -> la.LazyArray:
    x = _array(50, 60)
    return 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


def _softmax() -> la.LazyArray:
    x = _array(40, 300, dtype="f4")
    shifted = la.exp(x - x.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def _side_by_side() -> la.LazyArray:
    x = _array(400, 20, dtype="f4")
    shifted = la.exp(x - x.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def _lines_of_columns() -> la.LazyArray:
    return la.exp(_array(5000, 3)).sum(axis=0)


def _sum_of_squares() -> la.LazyArray:
    x, y = _array(100_000), _array(100_000)
    return ((x - y) ** 2).sum()


def _variance() -> la.LazyArray:
    return _array(5000, 7).var(axis=0)


def _concatenate() -> la.LazyArray:
    x, y = _array(300), _array(200)
    return la.concatenate([x + 1, y * 2])


def _logic() -> la.LazyArray:
    x, y = _array(1000, dtype="i4"), _array(1000, dtype="i4")
    return la.where((x > y) & (x % 3 == 0), x // 7, -y)


def _joined() -> la.LazyArray:
    x, scale, shift = _array(50, 70, 3), _array(50, 1, 3), _array(70, 1)
    return la.exp(x * scale) + la.sin(shift)


def _half_transposed() -> la.LazyArray:
    x = _array(30, 40, dtype="f2")
    return x.T * 2 + 1


def _transposed() -> la.LazyArray:
    return _array(50, 60) + _array(60, 50).T


def _gather() -> la.LazyArray:
    return _array(1000)[_array(300, dtype="i8") * 2] + 1


def _complex() -> la.LazyArray:
    x, y = _array(1000, dtype="c8"), _array(1000, dtype="c8")
    return x * y.conj() + 1j


def _loop() -> la.LazyArray:
    turned: la.LazyArray = la.fori_loop(100, lambda i, x: x * x - 0.3 + i, _array(1000) * 2)
    return turned.sum()


def _while() -> la.LazyArray:
    counted: la.LazyArray = la.while_loop(
        lambda s: s[0] >= 1, lambda s: (s[0] * 0.3, s[1] + 1), (_array(1000), _array(1000))
    )[1]
    return counted


def _product() -> la.LazyArray:
    x, y = _array(300, 400, dtype="f4"), _array(400, 500, dtype="f4")
    return la.maximum(x @ y + _array(300, 1, dtype="f4"), 0)


def _pairs() -> la.LazyArray:
    x, y = _array(500, 200, dtype="f4"), _array(700, 200, dtype="f4")
    return la.exp(-((x[:, None] - y[None]) ** 2).sum(-1))


CASES: dict[str, Callable[[], la.LazyArray]] = {
    "map": _map,
    "stencil": _stencil,
    "softmax": _softmax,
    "side_by_side": _side_by_side,
    "lines_of_columns": _lines_of_columns,
    "sum_of_squares": _sum_of_squares,
    "variance": _variance,
    "concatenate": _concatenate,
    "logic": _logic,
    "joined": _joined,
    "half_transposed": _half_transposed,
    "complex": _complex,
    "gather": _gather,
    "transposed": _transposed,
    "loop": _loop,
    "while": _while,
    "pairs": _pairs,
    "product": _product,
}


@pytest.mark.parametrize("backend", SUFFIX)
@pytest.mark.parametrize("case", CASES)
def test_source(
    case: str, backend: str, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (contraction_analysis, combine_columns, column_blocks, row_pieces, tiled_rows):
        monkeypatch.setattr(module, "registers", lambda: Registers(64, 32))
    monkeypatch.setattr(contraction_analysis, "product_pays", lambda value, width: True)
    program = compilation.analyse((CASES[case]()._node,), Config(backend=backend, threads=2))
    result = "\n".join(source.text for code in program.kernels for source in code.sources)
    path = FOLDER / f"{case}.{SUFFIX[backend]}"
    if pytestconfig.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(result)
    assert path.is_file(), "pytest --update-golden writes it"
    assert result == path.read_text(), "if it is meant to change: pytest --update-golden"


def test_no_file_is_left_over() -> None:
    expected = {f"{case}.{suffix}" for case in CASES for suffix in SUFFIX.values()}
    assert {path.name for path in FOLDER.iterdir()} == expected
