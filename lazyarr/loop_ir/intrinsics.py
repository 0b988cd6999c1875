"""Names of the operations that the runtime defines for a source: a primitive and its dtypes.

``minimum_f32`` takes the smaller float32; ``convert_f64_i32`` names both dtypes; ``add_f64_r`` is
an addition that may be reassociated. Sources of every language spell them alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.errors import ContractError
from lazyarr.loop_ir.primitives import PRIMITIVES

__all__ = ["REASSOCIABLE", "SUFFIXES", "intrinsic_name", "parse_intrinsic", "suffix"]

DType = np.dtype[Any]

SUFFIXES: dict[DType, str] = {
    np.dtype(np.bool_): "b1",
    **{np.dtype(f"{kind}{size}"): f"{kind}{8 * size}" for kind in "iu" for size in (1, 2, 4, 8)},
    **{np.dtype(f"f{size}"): f"f{8 * size}" for size in (2, 4, 8)},
}

# Reductions that may be split into lanes; for all other primitives the plain form serves.
REASSOCIABLE = frozenset({"add", "multiply", "minimum", "maximum"})


def suffix(dtype: DType) -> str:
    """Return the short name of a dtype in generated source, such as ``f64`` or ``b1``."""
    try:
        return SUFFIXES[dtype]
    except KeyError:
        raise ContractError(f"no kernel code for dtype {dtype}") from None


def intrinsic_name(
    primitive: str,
    operand: DType,
    result: DType | None,
    reassociate: bool = False,
    width: int = 0,
) -> str:
    """Return the name of a primitive of operands of a dtype.

    Parameters
    ----------
    primitive : str
        A key of ``PRIMITIVES``.
    operand : numpy.dtype
        Dtype of its (last) operand.
    result : numpy.dtype or None
        Dtype of the result; needed by `convert` and `bitcast` alone.
    reassociate : bool
        Whether a chain of these may be split into lanes.
    width : int
        Of vectors, the number of lanes.

    Examples
    --------
    >>> import numpy as np
    >>> intrinsic_name("fma", np.dtype("f4"), None, width=16)
    'fma_f32_x16'
    >>> intrinsic_name("convert", np.dtype("f8"), np.dtype("i4"))
    'convert_f64_i32'
    """
    name = f"{primitive}_{suffix(operand)}"
    if PRIMITIVES[primitive].result == "given":
        if result is None:
            raise ContractError(f"{primitive} needs the dtype of its result")
        name = f"{name}_{suffix(result)}"
    elif reassociate and primitive in REASSOCIABLE:
        name = f"{name}_r"
    return f"{name}_x{width}" if width else name


_OTHERS = ("load", "store", "local", "constant", "watch", "transpose")


def parse_intrinsic(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the operation of a name, and the dtypes that follow it.

    An operation is a primitive, ``load``, ``store``, ``local``, ``constant``, ``watch`` or
    ``transpose``.

    Examples
    --------
    >>> parse_intrinsic("shift_left_u8"), parse_intrinsic("add_f64_r")
    (('shift_left', ('u8',)), ('add', ('f64', 'r')))
    """
    parts = name.split("_")
    for end in range(len(parts) - 1, 0, -1):
        operation = "_".join(parts[:end])
        if operation in PRIMITIVES or operation in _OTHERS:
            return operation, tuple(parts[end:])
    raise ContractError(f"no intrinsic is named {name}")
