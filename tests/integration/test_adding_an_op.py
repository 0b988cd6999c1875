"""The diffs of the page on adding an op, applied to a copy of the package and used there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.diffs import Hunk, apply, diffs_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adding_an_op.md"
ELEMENTWISE, DERIVATIVE, REDUCTION = range(3)

USE_ELEMENTWISE = """
import numpy as np, scipy.special
import lazyarr as la
from lazyarr.ops.elementwise import ELEMENTWISE

assert "log_expit" in ELEMENTWISE and "scipy.special.log_expit" in la.special.log_expit.__doc__
for dtype, bound in (("f4", 1e-6), ("f8", 1e-14), ("i4", 1e-14)):
    x = np.concatenate([np.linspace(-40, 40, 1001), [-np.inf, np.inf, np.nan, 0.0, -800.0, 800.0]])
    x = x.astype(dtype) if dtype != "i4" else np.arange(-40, 40, dtype=dtype)
    expected = scipy.special.log_expit(x)
    for backend in BACKENDS:
        with la.config(**backend):
            (kernel,) = la.explain(la.special.log_expit(x) * 2).kernels
            result = (la.special.log_expit(x) * 2).compute()
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected * 2, rtol=bound, atol=1e-300)

x = np.linspace(-4, 4, 9)
slope = la.grad(lambda v: la.special.log_expit(v).sum())(la.asarray(x)).compute()
np.testing.assert_allclose(slope, scipy.special.expit(-x), rtol=1e-12)
"""

USE_REDUCTION = """
import numpy as np
import lazyarr as la
from lazyarr.numpy_api.reductions import logaddexp_reduce

rng = np.random.default_rng(0)
CASES = [
    ((50, 300), 1), ((50, 300), 0), ((2000, 7), 1), ((20_000, 3), 0), ((70_001,), None),
    ((3, 40_000), 1), ((6, 50, 8), (0, 2)), ((6, 50, 8), 1), ((1, 1), None), ((4, 0), 1),
]
for shape, axis in CASES:
    for dtype in ("f4", "f8", "i2"):
        x = (rng.standard_normal(shape) * 30).astype(dtype)
        if x.size > 4 and x.dtype.kind == "f":
            x.flat[:3] = -np.inf, 700.0, -700.0
        expected = np.logaddexp.reduce(x, axis=axis)
        bound = {"float32": 2e-6, "float64": 1e-12}[expected.dtype.name]
        # Other dtypes are other first and last lines of the same kernels, which LLVM compiles fast.
        for backend in BACKENDS if dtype == "f8" or shape == (50, 300) else BACKENDS[:1]:
            with la.config(**backend):
                y = logaddexp_reduce(la.asarray(x), axis)
                assert not la.explain(y).fallbacks
                result = y.compute()
            assert result.dtype == expected.dtype and result.shape == expected.shape
            np.testing.assert_allclose(result, expected, rtol=bound, atol=bound)
            if x.size:  # fused with what precedes and follows it
                with la.config(**backend):
                    z = la.exp(logaddexp_reduce(la.asarray(x) * 0.01, axis, keepdims=True) * -1)
                    np.testing.assert_allclose(
                        z.compute(),
                        1 / np.exp(x * 0.01).sum(axis=axis, keepdims=True),
                        rtol=10 * bound,
                    )
for special in ([np.nan, 1.0], [np.inf, np.inf], [-np.inf, -np.inf], [np.inf, -np.inf]):
    for backend in BACKENDS:
        with la.config(**backend):
            result = logaddexp_reduce(la.asarray(special)).compute()
        np.testing.assert_array_equal(result, np.logaddexp.reduce(special))

x = rng.standard_normal((4, 30))
slopes = la.grad(lambda v: logaddexp_reduce(v, 1).sum())(la.asarray(x)).compute()
np.testing.assert_allclose(slopes, la.special.softmax(x, 1).compute(), rtol=1e-12)
"""

BACKENDS = """
import shutil
BACKENDS = [{"device": "cpu", "backend": "llvm"}, {"device": "cpu", "backend": "numba"}]
if shutil.which("g++") is not None:
    from lazyarr.runtime.cuda import driver
    from tests.support.cuda_emulator import EmulatedDevice
    driver._devices = [EmulatedDevice()]
    BACKENDS.append({"device": "cuda"})
"""


def _use(hunks: list[Hunk], program: str, folder: Path) -> None:
    shutil.copytree(ROOT / "lazyarr", folder / "lazyarr", ignore=shutil.ignore_patterns("*.pyc"))
    (folder / "tests").symlink_to(ROOT / "tests")
    apply(hunks, folder)
    done = subprocess.run(
        [sys.executable, "-c", BACKENDS + program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_page_has_the_diffs() -> None:
    changed = [[hunk.path for hunk in hunks] for hunks in diffs_of(PAGE)]
    assert changed[ELEMENTWISE] == ["lazyarr/ops/special.py"]
    assert changed[DERIVATIVE] == ["lazyarr/differentiation/elementwise.py"]
    assert {path.rpartition("/")[2] for path in changed[REDUCTION]} == {
        "reduce.py",
        "reductions.py",
    }


def test_an_elementwise_op_is_a_row(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    diffs = diffs_of(PAGE)
    _use(diffs[ELEMENTWISE] + diffs[DERIVATIVE], USE_ELEMENTWISE, tmp_path)


def test_a_reduction_is_a_row_and_a_function(tmp_path: Path) -> None:
    _use(diffs_of(PAGE)[REDUCTION], USE_REDUCTION, tmp_path)
