"""The memory order of results: that of NumPy's, whenever they are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree
from tests.support.values import assert_same

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sort": lambda m, x: m.sort(x, axis=-1),
    "sort, first axis": lambda m, x: m.sort(x, axis=0),
    "partition": lambda m, x: m.partition(x, 1, axis=0),
    "concatenate": lambda m, x: m.concatenate([x, x], axis=-1),
    "several orders": lambda m, x: m.concatenate([x, x[:1], m.ones(x.shape)]),
    "stack": lambda m, x: m.stack([x, x], axis=1),
    "append": lambda m, x: m.append(x, x, axis=0),
    "delete": lambda m, x: m.delete(x, 0, axis=0),
    "delete a part": lambda m, x: m.delete(x, slice(1, 3), axis=-1),
    "pad": lambda m, x: m.pad(x, 1),
    "pad with edges": lambda m, x: m.pad(x, ((0, 1), (0, 0), (2, 0)), mode="edge"),
    "pad by reflection": lambda m, x: m.pad(x, ((1, 1), (0, 0), (0, 0)), mode="reflect"),
    "pad with means": lambda m, x: m.pad(x, 1, mode="mean"),
    "insert": lambda m, x: m.insert(x, 1, 0, axis=-1),
    "roll": lambda m, x: m.roll(x, (1, 2), axis=(0, -1)),
    "fftshift": lambda m, x: m.fft.fftshift(x),
    "cumsum": lambda m, x: m.cumsum(x, axis=1),
    "nancumprod": lambda m, x: m.nancumprod(x, axis=0),
    "add.accumulate": lambda m, x: m.add.accumulate(x, axis=1),
    "hypot.accumulate": lambda m, x: m.hypot.accumulate(x, axis=0),
    "maximum.accumulate": lambda m, x: m.maximum.accumulate(x, axis=-1),
    "gradient": lambda m, x: m.gradient(x, axis=0),
    "sinc": lambda m, x: m.sinc(x),
    "fft": lambda m, x: m.fft.fft(x, 5, axis=0),
    "rfft": lambda m, x: m.fft.rfft(x, axis=1),
    "fftn": lambda m, x: m.fft.fftn(x, (2, 3), axes=(0, -1)),
    "irfft2": lambda m, x: m.fft.irfft2(x),
    "select": lambda m, x: m.select([x > 0], [x], 0),
    "argwhere": lambda m, x: m.argwhere(x),
    "apply_along_axis": lambda m, x: m.apply_along_axis(lambda row: row * 2, 0, x),
    "astype": lambda m, x: x.astype(x.dtype),
}
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "axes exchanged": lambda x: x.transpose(1, 0, 2),
    "columns with gaps": lambda x: np.asfortranarray(np.repeat(x, 2, axis=0))[::2],
    "of one row": lambda x: np.asfortranarray(x)[:, :1],
}


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_lie_as_numpys(name: str, layout: str, immediate: int) -> None:
    x = LAYOUTS[layout](np.random.default_rng(0).normal(size=(3, 4, 5)))
    expected = FUNCTIONS[name](np, x)
    with la.config(immediate=immediate):
        result = FUNCTIONS[name](la, la.asarray(x))
        assert steps(result) == steps(expected)
        assert_same(result, expected, rtol=1e-15)
        assert steps(np.asarray(result)) == steps(expected)
        # Of pending values, too.
        pending = FUNCTIONS[name](la, la.asarray(x) * 1)
    if layout not in ("columns with gaps", "of one row"):
        assert steps(pending) == steps(expected)


def steps(x: Any) -> tuple[int, ...]:
    """Return the strides along axes of more than one element."""
    return tuple(step for step, n in zip(x.strides, x.shape, strict=True) if n > 1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.log10(x, dtype="f8"),
        lambda m, x: m.divide(x, 0, dtype="f8"),
        lambda m, x: m.arccos(x, dtype="f4"),
        lambda m, x: m.reciprocal(x * 1.0, dtype="f8"),
        lambda m, x: (x * m.inf).astype("i8"),
        lambda m, x: m.true_divide.outer(x, x[0], dtype="f4"),
        lambda m, x: m.sqrt(-x, signature="d->d"),
    ],
)
def test_results_that_warn_lie_as_numpys(call: Callable[[Any, Any], Any], layout: str) -> None:
    """They are evaluated as expressions of small arrays in memory, in the order of these."""
    values = LAYOUTS[layout](np.arange(24).reshape(2, 3, 4))
    with la.config(immediate=4096):
        assert steps(call(la, la.asarray(values) + 0)) == steps(call(np, values + 0))
        x = la.asarray(values) + 0
        with la.config(immediate=0):  # which take the arrays in
            assert steps(call(la, x)) == steps(call(np, values + 0))


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "shapes", [[(2, 3, 4), (3,), (2, 3, 4)], [(3,), (2, 3, 4)], [(2, 3, 4), ()]]
)
@pytest.mark.parametrize("name", ["concatenate", "hstack", "vstack", "stack", "dstack"])
def test_arrays_and_lists_of_several_ranks_are_refused_in_any_order(
    name: str, shapes: list[tuple[int, ...]], order: str, limit: int
) -> None:
    def join(m: Any, *arrays: Any) -> Any:
        parts = [m.array(x, order=order) if x.ndim == 3 else x.tolist() for x in arrays]
        return getattr(m, name)(parts)

    with la.config(immediate=limit):
        agree(join, *map(np.ones, shapes), text=True)
