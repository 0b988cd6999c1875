"""Every row and dtype through the whole compiler: one expression of many results a dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.lazy_array import wrap
from lazyarr.builders import build
from lazyarr.ops.reduce import REDUCE
from lazyarr.ops.table import output_of
from tests.ops.test_elementwise_rows import CASES, EITHER_ZERO
from tests.support.rows import Case, lower
from tests.support.values import distances, fits, samples

pytestmark = pytest.mark.each_device

Array = np.ndarray[Any, Any]
PACK = 40
#: Rows whose kernels and NumPy's loops are different approximations, or formulas that cancel.
NEAR = {"logaddexp", "logaddexp2", "expit", "logit", "float_power", "power"}


def _key(case: Case) -> str:
    return case.loop[0].name


BY_DTYPE: dict[str, list[Case]] = {}
for one in CASES:
    BY_DTYPE.setdefault(_key(one), []).append(one)
PACKS = [
    (name, at, cases[at : at + PACK])
    for name, cases in BY_DTYPE.items()
    for at in range(0, len(cases), PACK)
]


def _operands(case: Case) -> list[Array]:
    """Return operands of one length for all rows of a dtype."""
    length = 1500
    if len(set(case.loop)) == 1:
        return [np.resize(a, length) for a in samples(case.loop[0], len(case.loop))]
    return [np.roll(np.resize(samples(d, 3)[i], length), i) for i, d in enumerate(case.loop)]


_leaves: dict[tuple[Any, ...], tuple[Array, la.LazyArray]] = {}


def _shared(case: Case) -> list[tuple[Array, la.LazyArray]]:
    results = []
    for position, array in enumerate(_operands(case)):
        key = (case.loop[position], position, len(case.loop), len(set(case.loop)) == 1)
        if key not in _leaves:
            _leaves[key] = array, la.asarray(array)
        results.append(_leaves[key])
    return results


def _expected(case: Case, arrays: list[Array]) -> Array:
    if case.op.name == "cast":
        return arrays[0].astype(case.result)
    if case.op.ufunc is not None:
        result = case.op.ufunc(*arrays)
        return np.asarray(result[output_of(case.op)] if case.op.ufunc.nout > 1 else result)
    node = build.elementwise(case.op, tuple(build.leaf(a) for a in arrays))
    return case.op.evaluate(node, *arrays)


def _compare(case: Case, got: Array, expected: Array, arrays: list[Array]) -> None:
    assert got.dtype == expected.dtype == case.result, case
    if case.op.name == "cast":
        keep = fits(arrays[0], case.result)
        got, expected = got[keep], expected[keep]
    lowered = lower(case)
    if lowered is not None and lowered.mathematics:
        limit = 64 if case.op.name in NEAR else 8
        error = distances(got, expected)
        if la.get_config().device == "cuda":
            # Next to the largest number lies infinity.
            largest = np.abs(expected) == np.finfo(expected.dtype).max
            error = np.where(largest & (got == np.copysign(np.inf, expected)), 1.0, error)
        if case.op.name in NEAR:
            error = np.where(np.abs(got - expected) <= 1e-3, 0.0, error)
        assert error.max() <= limit, (str(case), error.max(), [a[error.argmax()] for a in arrays])
        return
    np.testing.assert_array_equal(got, expected, err_msg=str(case))
    if got.dtype.kind == "f" and case.op.name not in EITHER_ZERO:
        number = ~np.isnan(expected)
        assert (np.signbit(got) == np.signbit(expected))[number].all(), str(case)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("dtype", "at", "cases"), PACKS, ids=lambda v: str(v)[:10])
def test_elementwise_rows(dtype: str, at: int, cases: list[Case]) -> None:
    with np.errstate(all="ignore"):
        lazy, kept = [], []
        for case in cases:
            if case.op.name == "power" and case.result.kind == "i":
                continue  # negative exponents are errors
            pairs = _shared(case)
            if case.op.name == "cast":
                value = build.cast(pairs[0][1]._node, case.result)
            else:
                value = build.elementwise(case.op, tuple(x._node for _, x in pairs))
            lazy.append(wrap(value))
            kept.append((case, [a for a, _ in pairs]))
        results = la.evaluate(*lazy)
        for (case, arrays), got in zip(kept, results if len(lazy) > 1 else [results], strict=True):
            _compare(case, got, _expected(case, arrays), arrays)


@pytest.mark.parametrize("dtype", "? b B h H i I l L e f d F D".split())
def test_reductions(dtype: str) -> None:
    generator = np.random.default_rng(11)
    kind = np.dtype(dtype)
    values = (
        generator.integers(0, 3, (12, 40))
        if kind.kind in "bu"
        else generator.integers(-2, 3, (12, 40))
    )
    a = values.astype(kind)
    x = la.asarray(a)
    names = ["sum", "prod", "any", "all", "mean", "var", "std", "count_nonzero"]
    if kind.kind != "c":
        names += ["min", "max", "argmin", "argmax"]
    if kind.kind in "fc":
        names += ["nansum", "nanprod"]
    lazy, expected, labels = [], [], []
    for name in names:
        function = getattr(np, name)
        for axis in (None, 0, 1):
            for keepdims in (False, True):
                lazy.append(function(x, axis=axis, keepdims=keepdims))
                expected.append(np.asarray(function(a, axis=axis, keepdims=keepdims)))
                labels.append((name, axis, keepdims))
    for got, reference, label in zip(la.evaluate(*lazy), expected, labels, strict=True):
        assert got.dtype == reference.dtype and got.shape == reference.shape, label
        if label[0] in ("mean", "var", "std") or (kind.kind in "fc" and "prod" in label[0]):
            eps = float(np.finfo(reference.dtype).eps)
            np.testing.assert_allclose(
                got, reference, rtol=8 * eps, atol=8 * eps, err_msg=str(label)
            )
        else:
            np.testing.assert_array_equal(got, reference, err_msg=str(label))


def test_every_reduction_row_is_used() -> None:
    assert set(REDUCE) == {
        "sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "sumsqdev",
    }  # fmt: skip
