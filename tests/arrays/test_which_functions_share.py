"""Which functions give views, which give copies: NumPy's answer for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

PLAIN = (
    "abs angle asarray asanyarray ascontiguousarray asfortranarray atleast_1d atleast_2d "
    "atleast_3d ceil conj copy cumsum diag diagonal diff fix flip fliplr flipud imag isnan "
    "matrix_transpose nan_to_num negative positive ravel real rot90 round sort square squeeze "
    "transpose tril triu unwrap"
).split()
CALLS: dict[str, Callable[..., Any]] = {name: lambda f, x: f(x) for name in PLAIN} | {
    "reshape": lambda f, x: f(x, (-1,)),
    "expand_dims": lambda f, x: f(x, 0),
    "moveaxis": lambda f, x: f(x, 0, -1),
    "rollaxis": lambda f, x: f(x, -1),
    "swapaxes": lambda f, x: f(x, 0, -1),
    "broadcast_to": lambda f, x: f(x, (2, *x.shape)),
    "broadcast_arrays": lambda f, x: f(x)[0],
    "roll": lambda f, x: f(x, 1),
    "tile": lambda f, x: f(x, 1),
    "repeat": lambda f, x: f(x, 1, 0),
    "resize": lambda f, x: f(x, x.shape),
    "take": lambda f, x: f(x, [0], 0),
    "split": lambda f, x: f(x, 2)[0],
    "array_split": lambda f, x: f(x, 2)[0],
    "hsplit": lambda f, x: f(x, 1)[0],
    "delete": lambda f, x: f(x, 0, 0),
    "append": lambda f, x: f(x, x),
    "pad": lambda f, x: f(x, 0),
    "clip": lambda f, x: f(x, -99, 99),
    "where": lambda f, x: f(x > -99, x, x),
    "concatenate": lambda f, x: f([x]),
    "stack": lambda f, x: f([x])[0],
    "hstack": lambda f, x: f([x]),
    "block": lambda f, x: f([x]),
    "maximum": lambda f, x: f(x, x),
    "around": lambda f, x: f(x, 0),
    "astype": lambda f, x: f(x, x.dtype),
    "sum": lambda f, x: f(x[:1], axis=0),
    "max": lambda f, x: f(x[:1], axis=0),
}


before_numpy_2_4 = np.lib.NumpyVersion(np.__version__) < "2.4.0"


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated")  # since NumPy 2.5
@pytest.mark.parametrize("shape", [(6,), (4, 6), (2, 1, 4)])
@pytest.mark.parametrize("dtype", ["f8", "c16", "i8", "?"])
@pytest.mark.parametrize("name", CALLS)
def test_what_a_function_gives_shares_elements_as_numpys(
    name: str, shape: tuple[int, ...], dtype: str
) -> None:
    if name in ("round", "around") and dtype == "i8" and before_numpy_2_4:
        pytest.skip("which releases of NumPy copy integers depends on the form of the call")
    array = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape).astype(dtype)
    lazy = la.asarray(array.copy())
    try:
        expected = CALLS[name](getattr(np, name), array)
    except (TypeError, ValueError):
        pytest.skip("NumPy refuses the shape or dtype")
    result = CALLS[name](getattr(la, name), lazy)
    shares = np.shares_memory(expected, array)
    assert la.shares_memory(result, lazy) == shares
    if shares:
        assert result.flags.writeable == expected.flags.writeable
