"""What reductions take as ``dtype=``, ``where=``, ``initial=``, ``mean=`` and ``out=``."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree

pytestmark = pytest.mark.host

DTYPES = ["?", "i1", "u1", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]
TOLERANCES = {"f2": 4e-3, "f4": 1e-5, "c8": 1e-5}
SPREADS = ("var", "std", "nanvar", "nanstd", "mean", "nanmean")
F = np.arange(12.0).reshape(3, 4) - 4
C = F * (1 - 2j)


def _array(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    low = 0 if np.dtype(dtype).kind in "bu" else -4
    x = rng.integers(low, 5, shape)
    return (x * (1 + 1j) if np.dtype(dtype).kind == "c" else x).astype(dtype)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("dtype", DTYPES)
def test_moments_in_another_dtype(dtype: str, immediate: int) -> None:
    rng = np.random.default_rng(DTYPES.index(dtype))
    x = _array(rng, dtype, (5, 4))
    for loop in [*DTYPES, None] if immediate else random.Random(dtype).sample(DTYPES, 2):
        rtol = max(TOLERANCES.get(name or "f8", 1e-13) for name in (dtype, loop))
        for name in SPREADS:
            for options in ({}, {"where": x != x[0, 0]}, {"out": "f4"}):
                arguments = {"dtype": loop, **options}

                def call(m: Any, x: Any, name: str = name, arguments: Any = arguments) -> Any:
                    keywords = dict(arguments)
                    if "out" in keywords:
                        keywords["out"] = m.zeros(4, keywords["out"])
                    if "where" in keywords:
                        keywords["where"] = m.asarray(keywords["where"])
                    return getattr(m, name)(x, axis=0, **keywords)

                with la.config(immediate=immediate):
                    agree(call, x, rtol=max(rtol, 1e-5 if "out" in arguments else 0))


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
@pytest.mark.parametrize("initial", [2.5, -0.0, float("nan"), 3, np.float32(1.1)])
def test_products_begin_with_the_initial_value(dtype: str, initial: Any, immediate: int) -> None:
    rng = np.random.default_rng(5)
    for shape, axis in (((3,), 0), ((4, 3), 0), ((4, 3), -1), ((4, 3), None), ((2, 3, 2), (0, 2))):
        x = rng.normal(size=shape) * (1 + 1j if dtype[0] == "c" else 1)
        with la.config(immediate=immediate), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = x.astype(dtype)
            if dtype == "i4" and not isinstance(initial, int):
                continue
            agree(lambda m, x, a=axis: m.prod(x, axis=a, initial=initial), x, rtol=1e-6)
            if dtype == "f8" and np.isfinite(initial):
                ours = la.evaluate(la.prod(la.asarray(x.ravel()[:6]), initial=initial))
                assert ours == np.prod(x.ravel()[:6], initial=initial)
            agree(lambda m, x, a=axis: m.prod(x[:0], axis=a, initial=initial), x)


VALUES = [
    "m.sum(x, where=1)",
    "m.sum(x, where=[1, 0, 1, 1])",
    "m.prod(x, where=[[0], [2], [1]])",
    "m.nanmean(x, where=[True, False, True, True])",
    "m.std(m.asarray([1, 2, 4]), dtype='i4')",
    "m.std(m.asarray([[1, 2, 4]]), axis=1, dtype='f4')",
    "m.mean(m.asarray([1, 2]), dtype='i4', out=m.zeros(()))",
    "m.var(x, mean=m.mean(x))",
    "m.var(x.astype('f4'), mean=m.asarray(1.5))",
    "m.var(x.astype('i4'), axis=0, mean=2)",
    "m.var(m.asarray([True, False, True]), dtype='f4')",
    "m.average(x, axis=[0, 1], weights=m.ones((3, 4)))",
    "m.average(x, axis=[1, 0], weights=m.ones((4, 3)))",
    # Products of narrow integers do not wrap.
    "m.average(m.asarray([100, 90, -100], 'i1'), weights=m.asarray([100, 100, 1], 'i1'))",
    "m.average(m.asarray([0, 1, 2], 'u2'), weights=m.asarray([2**32 - 3, 2**32 - 1, 9], 'u4'))",
    "m.average(x > 3, axis=0, weights=m.asarray(x, 'u1'))",
    "m.nanmean(m.asarray(2.5), axis=0)",
    "m.nanvar(m.asarray(2.5), axis=-1)",
    "m.cumulative_sum(x, axis=(0,))",
    "m.cumulative_prod(x, axis=(1,))",
    "m.squeeze(m.asarray(2.5), axis=0)",
]
REFUSED = [
    "m.sum(x, where=m.asarray(1))",
    "m.max(x, where=m.ones((3, 4), int), initial=0)",
    "m.nanmean(x, where=m.ones(4))",
    "m.std(x, where=np.int64(1))",
    "m.any(x, where=m.asarray([0.0, 1, 1, 1]))",
    "m.sum(x, initial=None, where=[True, False, True, True])",
    "m.prod(x, initial=None, where=False)",
    "m.prod(x, initial=1j)",
    "m.prod(x[:0], initial=1j)",
    "m.std(x, axis=0, dtype='i4')",
    "m.std(x > 0, axis=0, dtype=bool)",
    "m.var(x > 0, dtype=bool)",
    "m.average(x[:0], axis=1)",
    "m.average(x[:, :0], axis=0)",
    "m.nanmean(m.asarray(3), axis=0)",
    "m.nanvar(m.asarray(True), axis=0)",
    "m.cumulative_sum(x, axis=(0, 1))",
    "m.cumulative_sum(x, axis=(0,), include_initial=True)",
]
WARNED = [
    "m.sum(c, dtype='u1')",
    "m.prod(c, axis=0, dtype='f4')",
    "m.nanprod(c, dtype=float)",
    "m.mean(c, dtype='f8')",
    "m.var(c, axis=0, dtype='f8')",
    "m.var(c, dtype='f8', mean=1.0)",
    "m.cumsum(c, dtype='f4')",
    "m.cumulative_prod(c, axis=0, dtype='f2')",
    "m.nancumsum(c, dtype='f8')",
    "m.sum(x, axis=0, dtype='f8', out=m.zeros(4, 'c16'))",
    "m.mean(x.astype('i4'), axis=0, out=m.zeros(4, 'c16'))",
    "m.std(x.astype('i4'), axis=0, out=m.zeros(4, 'c8'))",
    "m.var(x, axis=0, out=m.zeros(4, 'c8'))",
    "m.nanvar(x, dtype='c8')",
    "m.mean(x[:0])",
    "m.mean(x[:0], axis=0, where=[True, False, True, True])",
    "m.nanmean(x[:0], axis=0)",
    "m.nanvar(x[:0], axis=0)",
    "m.var(x[:0], axis=0)",
    "m.median(x[:0], axis=0)",
]


def _call(text: str) -> Any:
    return lambda m, x=F, c=C: eval(text, {"m": m, "x": m.asarray(x), "c": m.asarray(c), "np": np})


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("text", VALUES)
def test_values(text: str, immediate: int) -> None:
    with la.config(immediate=immediate):
        agree(_call(text), rtol=1e-12)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("text", REFUSED)
def test_refusals(text: str, immediate: int) -> None:
    with la.config(immediate=immediate):
        agree(_call(text))


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("text", WARNED)
def test_warnings(text: str, immediate: int) -> None:
    texts = []
    for module in (np, la):
        with warnings.catch_warnings(record=True) as caught, la.config(immediate=immediate):
            warnings.simplefilter("always")
            with np.errstate(all="ignore"):
                la.evaluate(la.asarray(_call(text)(module)))
        texts.append({(one.category, str(one.message).split("\n")[0]) for one in caught})
    assert texts[0] == texts[1]


def test_random_arguments() -> None:
    """Any dtype, mask, initial value, mean and output of any moment."""
    choose, rng = random.Random(11), np.random.default_rng(11)
    for _ in range(300):
        dtype, loop, into = (choose.choice(DTYPES) for _ in range(3))
        x = _array(rng, dtype, choose.choice([(3,), (2, 3), (4, 0), ()]))
        options: dict[str, Any] = {"axis": choose.choice([None, *range(x.ndim)])}
        options |= {"dtype": loop} if choose.random() < 0.5 else {}
        options |= {"where": choose.choice([False, [True]])} if choose.random() < 0.3 else {}
        options |= {"keepdims": True} if choose.random() < 0.3 else {}
        name = choose.choice([*SPREADS, "sum", "prod", "nansum", "max", "any"])
        if name in ("max", "any"):
            options.pop("dtype", None)
        if name in ("sum", "max", "prod") and choose.random() < 0.5:
            options["initial"] = choose.choice([0, 1, None])
        has_output = choose.random() < 0.3

        def call(m: Any, x: Any, name: str = name, options: Any = options) -> Any:
            keywords = dict(options)
            if has_output:  # noqa: B023 - called in this iteration
                shape = np.sum(np.zeros(x.shape), options["axis"], keepdims="keepdims" in options)
                keywords["out"] = m.zeros(shape.shape, into)  # noqa: B023
            return getattr(m, name)(x, **keywords)

        # What is not finite has no value in integers.
        integral = np.dtype(into).kind in "iu" and has_output and not x.size
        if not integral and "where" not in options:
            with la.config(immediate=choose.choice([0, 4096])):
                agree(call, x, rtol=4e-3, early=False)
