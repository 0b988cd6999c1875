"""Texts of refused casts: NumPy's, with the names of its ufuncs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.differential import agree

pytestmark = pytest.mark.host

F = np.linspace(0.0, 2.0, 6).reshape(2, 3)

#: Calls with an array `x` of float64 and an output `o` of int32, and the shape of the output.
REFUSED = {
    "m.add(x, 1, out=o)": (2, 3),
    "m.sin(x, out=o)": (2, 3),
    "m.multiply(x, 2, out=o, where=x > 1)": (2, 3),
    "m.subtract(x, 1, out=o, casting='safe')": (2, 3),
    "m.add(o, 1, where=x)": (2, 3),
    "m.matmul(x, x.T, out=o)": (2, 2),
    "m.vecdot(x, x, out=o)": (2,),
    "m.outer(x[0], x[1], out=o)": (3, 3),
    "m.add.outer(x[0], x[1], out=o)": (3, 3),
    "m.round(x, out=o)": (2, 3),
    "m.round(x, 2, out=o)": (2, 3),
    "m.fix(x, out=o)": (2, 3),
    "m.concatenate([x, x], out=o)": (4, 3),
    "m.concatenate([x, x], dtype='i4')": (),
    "m.copyto(o, x)": (2, 3),
    "m.copyto(o, 1, where=x)": (2, 3),
    "m.putmask(o, x > 1, x)": (2, 3),
    "m.argmax(o, axis=0, out=o[0])": (2, 3),
    "m.take(o, x)": (2, 3),
    "o.__iadd__(x)": (2, 3),
    "o.__itruediv__(2)": (2, 3),
    "o[0].__imul__(1.5)": (2, 3),
    "x.astype('i4', casting='safe')": (),
    "m.cov(x, dtype='i4')": (),
    "m.corrcoef(x, dtype='u1')": (),
}


@pytest.mark.parametrize("call", REFUSED)
def test_texts_are_those_of_numpy(call: str) -> None:
    def calls(m: Any, x: Any, o: Any) -> Any:
        return eval(call, {"m": m, "x": x, "o": o})

    agree(calls, F, np.zeros(REFUSED[call], np.int32), text=True)
