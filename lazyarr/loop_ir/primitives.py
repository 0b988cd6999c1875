"""The scalar primitives of the loop IR. Every target can print each of these, and nothing else.

Values are bool, (u)int8 to (u)int64, float32 or float64. float16 lives in memory only: a load
widens it to float32, a store narrows it, and `round_half` rounds a float32 to float16 precision
after each operation that NumPy would do in float16. bfloat16 is the upper half of a float32: to
kernels its memory is one of uint16, and integer primitives widen, round and narrow it.

Integers wrap around. `divide` and `remainder` of integers truncate towards zero and must not be
given a zero divisor. Shifts must not reach the width of the type. Floats follow IEEE 754 without
contraction; `fma` is one where NumPy's own loops ask for it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np

from lazyarr.core.dtypes import is_narrow
from lazyarr.core.frozen import dataclass

__all__ = ["PRIMITIVES", "Primitive", "register_dtype"]

DType = np.dtype[Any]
FLOAT32 = np.dtype(np.float32)

Result = Literal["same", "bool", "given"]


@cache
def register_dtype(dtype: DType) -> DType:
    """Return the dtype in which a kernel holds a value of `dtype`."""
    return FLOAT32 if is_narrow(dtype) else dtype


@dataclass(frozen=True, slots=True)
class Primitive:
    """One scalar operation.

    Attributes
    ----------
    name : str
        As printed in dumps.
    arity : int
        Number of operands.
    kinds : str
        NumPy kind characters of the operands it takes (``"biuf"``); all operands but the
        condition of `select` have one dtype.
    result : {"same", "bool", "given"}
        Its dtype: that of the (last) operand, bool, or the one that the call names.
    math : bool
        Whether it calls the mathematics library.
    vectors : str
        The kinds of operands for which it works on vectors as it does on scalars.
    exact : bool
        Whether the result of floats of a few digits has no more digits than they.
    """

    name: str
    arity: int
    kinds: str
    result: Result = "same"
    math: bool = False
    vectors: str = ""
    exact: bool = False


def _rows() -> list[Primitive]:
    rows = [
        Primitive("add", 2, "iuf", vectors="iuf"),
        Primitive("subtract", 2, "iuf", vectors="iuf"),
        Primitive("multiply", 2, "iuf", vectors="iuf"),
        Primitive("divide", 2, "iuf", vectors="f"),
        Primitive("remainder", 2, "iuf"),  # C's % and fmod
        Primitive("negative", 1, "iuf", vectors="f", exact=True),
        Primitive("absolute", 1, "f", vectors="f", exact=True),
        # Of floats: NaN if either is NaN.
        Primitive("minimum", 2, "iuf", vectors="iuf", exact=True),
        Primitive("maximum", 2, "iuf", vectors="iuf", exact=True),
        Primitive("and", 2, "biu", vectors="biu"),
        Primitive("or", 2, "biu", vectors="biu"),
        Primitive("xor", 2, "biu", vectors="biu"),
        Primitive("not", 1, "biu"),
        Primitive("shift_left", 2, "iu", vectors="iu"),
        Primitive("shift_right", 2, "iu", vectors="iu"),  # arithmetic if signed
        Primitive("equal", 2, "biuf", "bool", vectors="iuf"),
        Primitive("not_equal", 2, "biuf", "bool", vectors="iuf"),
        Primitive("less", 2, "biuf", "bool", vectors="iuf"),
        Primitive("less_equal", 2, "biuf", "bool", vectors="iuf"),
        Primitive("greater", 2, "biuf", "bool", vectors="iuf"),
        Primitive("greater_equal", 2, "biuf", "bool", vectors="iuf"),
        # A condition, the value if it is true, and if it is false.
        Primitive("select", 3, "biuf", vectors="biuf", exact=True),
        Primitive("convert", 1, "biuf", "given"),  # C's cast; to bool: != 0
        Primitive("bitcast", 1, "iuf", "given", vectors="iuf"),  # same width
        Primitive("round_half", 1, "f"),
        Primitive("copysign", 2, "f", vectors="f", exact=True),
        Primitive("floor", 1, "f", vectors="f", exact=True),
        Primitive("ceil", 1, "f", vectors="f", exact=True),
        Primitive("trunc", 1, "f", vectors="f", exact=True),
        Primitive("rint", 1, "f", vectors="f", exact=True),
        Primitive("sqrt", 1, "f", vectors="f"),
        Primitive("fma", 3, "f", vectors="f"),  # a * b + c, rounded once
    ]
    one_argument = (
        "exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh "
        "asinh acosh atanh cbrt erf erfc"
    )
    rows += [Primitive(name, 1, "f", math=True) for name in one_argument.split()]
    rows += [Primitive(name, 2, "f", math=True) for name in "pow atan2 hypot".split()]
    return rows


PRIMITIVES: dict[str, Primitive] = {row.name: row for row in _rows()}
