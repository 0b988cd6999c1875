"""Calls of the public functions on small arrays: several patterns of each, for every namespace.

A call is an expression of ``m``, the module, and of arrays: ``a``, ``b`` vectors, ``s`` a sorted
one, ``p`` a positive one, ``A``, ``B`` matrices, ``S`` a square one that has an inverse, ``P`` a
positive definite one, ``i``, ``k`` vectors of integers (``k`` of valid positions), ``t`` a mask,
``c`` a complex vector, ``o``, ``O`` what may be written to, and ``x`` and ``y`` numbers in arrays.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CALLS", "METHODS", "arrays"]


def _parsed(text: str) -> dict[str, list[str]]:
    rows = (line.split(": ", 1) for line in text.strip().splitlines())
    return {name: [call.strip() for call in calls.split(" | ")] for name, calls in rows}


_, _functions, _methods = re.split(
    r"^# \w+\n", Path(__file__).with_suffix(".txt").read_text(), flags=re.MULTILINE
)
#: Calls of functions, by their names; of methods and operators, by theirs.
CALLS = _parsed(_functions)
METHODS = _parsed(_methods)


def arrays(module: Any, seed: int | None = None) -> dict[str, Any]:
    """Return the arrays of the calls.

    Parameters
    ----------
    module : module
        NumPy or lazyarr.
    seed : int, optional
        Of random dtypes, layouts and values; None gives plain ones.
    """
    rng = np.random.default_rng(0 if seed is None else seed)
    kind = "f8" if seed is None else rng.choice(["f8", "f8", "f4", "i8", "c16", "u1", "?"])
    n = 10 if seed is None else int(rng.choice([10, 10, 16]))

    def entered(array: np.ndarray[Any, Any]) -> Any:
        """Return an array of the module, which may be a view of another one."""
        layout = -1 if seed is None or not array.ndim else int(rng.integers(4))
        if layout == 0 and array.ndim == 2:
            return module.array(array, order="F")
        if layout == 1:
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
            wide[..., ::2] = array
            return module.array(wide)[..., ::2]
        if layout == 2:
            return module.array(array[::-1].copy())[::-1]
        return module.array(array)

    def drawn(*shape: int, scale: float = 1.0, shift: float = 0.0) -> np.ndarray[Any, Any]:
        values = rng.normal(size=shape) * scale + shift
        values = values + (1j * rng.normal(size=shape) if kind == "c16" else 0)
        if kind in ("u1", "?"):
            values = abs(values)
        result = (values * (3 if kind in ("i8", "u1") else 1)).astype(kind)
        if seed is not None and result.dtype.kind == "f" and rng.integers(6) == 0:
            result.flat[rng.integers(result.size)] = rng.choice([np.nan, np.inf, -np.inf, -0.0])
        return result

    square = np.eye(4) * 5 + rng.random((4, 4))
    values = {
        "a": drawn(n),
        "b": drawn(n),
        "s": np.sort(rng.random(n)),
        "p": (rng.random(n) + 0.5).astype("f4" if kind == "f4" else "f8"),
        "A": drawn(4, 4),
        "B": drawn(4, 4),
        "S": square.astype("f4" if kind == "f4" else "f8"),
        "P": square @ square.T,
        "i": rng.integers(0, 9, n),
        "k": rng.integers(0, 10, n),
        "t": rng.random(n) > 0.4,
        "c": rng.normal(size=n) + 1j * rng.normal(size=n),
        "o": np.zeros(n),
        "O": np.zeros((4, 4)),
        "x": np.array(1.5),
        "y": np.array(2),
    }
    return {"np": np, "m": module, **{name: entered(array) for name, array in values.items()}}
