"""Where no vector library exists, mathematics is computed by the C library, as exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import compilation
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cpu import compiler, llvm_compiler, llvm_definitions, vector_math

pytestmark = pytest.mark.host  # of processors' vector functions

Array = np.ndarray[Any, Any]

ANYWHERE = "exp exp2 expm1 sin cos tan arctan sinh cosh tanh arcsinh cbrt sqrt".split()
POSITIVE = "log log2 log10 log1p".split()
WITHIN_ONE = "arcsin arccos arctanh".split()
BINARY = "power arctan2 hypot".split()


@pytest.fixture(autouse=True)
def no_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Find none, as on macOS, Windows and musl; and take nothing that was compiled with one."""
    caches: list[Any] = [
        vector_math.load,
        vector_math.variant,
        compiler._toolchain,
        llvm_definitions._definition,
    ]
    names = ("libnowhere.so.0",)
    monkeypatch.setattr(vector_math, "SYSTEM", names)
    monkeypatch.setattr(vector_math, "SVML", names)

    def forget() -> None:
        for cache in caches:
            cache.cache_clear()
        forget_plans()
        compiler.forget()

    forget()
    yield
    monkeypatch.undo()
    forget()


def operands(name: str, dtype: str) -> list[Array]:
    generator = np.random.default_rng(5)
    size = 1003
    if name in BINARY:
        return [generator.uniform(0.1, 9.0, size).astype(dtype) for _ in range(2)]
    low, high = {**dict.fromkeys(POSITIVE, (1e-6, 1e6)), **dict.fromkeys(WITHIN_ONE, (-1, 1))}.get(
        name, (-20, 20)
    )
    special = [0.0, -0.0, np.inf, -np.inf, np.nan]
    return [np.concatenate([generator.uniform(low, high, size), special]).astype(dtype)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", [*ANYWHERE, *POSITIVE, *WITHIN_ONE, *BINARY, "arccosh"])
def test_mathematics(name: str, dtype: str) -> None:
    assert vector_math.describe() == "scalar"
    arrays = operands(name, dtype)
    if name == "arccosh":
        arrays = [np.abs(arrays[0]) + 1]
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*(array.astype(np.longdouble) for array in arrays))
        result = la.evaluate(getattr(la, name)(*map(la.asarray, arrays)))
    assert result.dtype == dtype
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    ends = ~np.isfinite(expected)
    np.testing.assert_array_equal(result[ends], expected[ends].astype(dtype))
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(expected[~ends]).astype(dtype)).astype(np.longdouble)
        # 4 units in the last place, and half a one for rounding what is expected.
        assert np.all(np.abs(result[~ends] - expected[~ends]) <= 4.5 * unit)


def test_kernels_call_the_c_library() -> None:
    x = la.asarray(np.linspace(0.1, 1.0, 1000))
    program = compilation.analyse(((la.sin(x) + la.exp(x) * la.log(x))._node,))
    (source,) = program.kernels[0].sources
    text = llvm_compiler.complete(source)
    assert "_ZGV" not in text and "__svml" not in text
    for name in ("sin", "exp", "log"):
        assert f"@{name}(" in text.replace('"', "")
