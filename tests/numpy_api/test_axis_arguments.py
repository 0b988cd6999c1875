"""What functions take as ``axis=``: integers, tuples, lists, booleans and what is none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree, outcome

pytestmark = pytest.mark.host

REDUCTIONS = (
    "sum prod max min mean std var any all argmax argmin nansum nanprod nanmax nanmin nanmean "
    "nanstd nanvar nanargmax nanargmin median nanmedian ptp count_nonzero average"
).split()
OTHERS = (
    "cumsum cumprod nancumsum cumulative_sum cumulative_prod sort argsort flip diff expand_dims "
    "trapezoid gradient"
).split()


def _named(name: str) -> Callable[..., Any]:
    return lambda m, x, axis: getattr(m, name)(x, axis=axis)


CALLS: dict[str, Callable[..., Any]] = {
    **{name: _named(name) for name in REDUCTIONS + OTHERS},
    "squeeze": lambda m, x, axis: m.squeeze(x[None], axis=axis),
    "quantile": lambda m, x, axis: m.quantile(x, 0.5, axis=axis),
    "argpartition": lambda m, x, axis: m.argpartition(x, 0, axis=axis),
    "partition": lambda m, x, axis: m.partition(x, 0, axis=axis),
    "roll": lambda m, x, axis: m.roll(x, 1, axis=axis),
    "rollaxis": lambda m, x, axis: m.rollaxis(x, axis),
    "moveaxis": lambda m, x, axis: m.moveaxis(x, axis, 0),
    "swapaxes": lambda m, x, axis: m.swapaxes(x, axis, 0),
    "transpose": lambda m, x, axis: m.transpose(x, axis),
    "take": lambda m, x, axis: m.take(x, [0], axis=axis),
    "repeat": lambda m, x, axis: m.repeat(x, 2, axis=axis),
    "concatenate": lambda m, x, axis: m.concatenate([x, x], axis=axis),
    "stack": lambda m, x, axis: m.stack([x, x], axis=axis),
    "insert": lambda m, x, axis: m.insert(x, 0, 5, axis=axis),
    "delete": lambda m, x, axis: m.delete(x, 0, axis=axis),
    "array_split": lambda m, x, axis: m.array_split(x, 2, axis=axis),
    "unstack": lambda m, x, axis: list(m.unstack(x, axis=axis)),
    "compress": lambda m, x, axis: m.compress([True], x, axis=axis),
    "vecdot": lambda m, x, axis: m.vecdot(x, x, axis=axis),
    "cross": lambda m, x, axis: m.cross(x[..., :3], x[..., :3], axis=axis),
    "fftshift": lambda m, x, axis: m.fft.fftshift(x, axes=axis),
    "unwrap": lambda m, x, axis: m.unwrap(x, axis=axis),
    "linspace": lambda m, x, axis: m.linspace(x[0], x[0] + 1, 3, axis=axis),
    "apply_over_axes": lambda m, x, axis: m.apply_over_axes(m.sum, x, axis),
    "windows": lambda m, x, axis: m.lib.stride_tricks.sliding_window_view(x, 2, axis=axis),
    "norm": lambda m, x, axis: m.linalg.norm(x, axis=axis),
    "vector_norm": lambda m, x, axis: m.linalg.vector_norm(x, axis=axis),
    "accumulate": lambda m, x, axis: m.add.accumulate(x, axis=axis),
    "reduceat": lambda m, x, axis: m.add.reduceat(x, [0, 1], axis=axis),
    "reduce": lambda m, x, axis: m.subtract.reduce(x, axis=axis),
    "permuted": lambda m, x, axis: m.random.default_rng(1).permuted(x, axis=axis).shape,
    "choice": lambda m, x, axis: m.random.default_rng(1).choice(x, 2, axis=axis).shape,
    "put_along_axis": lambda m, x, axis: m.put_along_axis(x, m.zeros((1, 1, 1), int), 5, axis),
}

AXES = [
    *(None, 0, 1, -1, 3, -4, 2**70, True, np.True_, (True,), [True], np.array(True)),
    *([0], [0, 1], [1, 1], [], (0, 1), (1, 0), (0, 0), (), (0,), (-1, -2), (2, 0, 1)),
    *(np.int64(1), np.array(1), np.array([1]), range(2), 1.0, (1.0,), np.float64(1.0), -1.0),
    *("0", b"0", 1j, (None,), ((0,),), ..., slice(None)),
]


def _leaves_out(name: str, axis: Any, ndim: int) -> bool:
    """Whether both refuse the axis, but for different reasons."""
    if axis is None:
        return False
    huge = isinstance(axis, int) and axis > 2**63
    both = ndim < 2 and name in ("concatenate", "trapezoid", "delete", "choice", "linspace")
    twice = name == "nanmedian" and isinstance(axis, (list, bytes))
    return huge or both or twice or (name == "transpose" and axis is True)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("shape", [(2, 3, 4), (3,), (), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_axes(name: str, shape: tuple[int, ...], immediate: int) -> None:
    x = np.random.default_rng(7).integers(0, 9, shape).astype(float)
    with la.config(immediate=immediate):
        for axis in AXES:
            call = lambda m, x, axis=axis: CALLS[name](m, x, axis)  # noqa: E731 - one expression
            if _leaves_out(name, axis, len(shape)):
                theirs, mine = outcome(call, np, x), outcome(call, la, x)
                assert (theirs.error is None) == (mine.error is None)
                continue
            agree(call, x, rtol=1e-14, early=False)
