"""Kinds of operations, and the dtypes of the parts of their results."""

from __future__ import annotations

import enum
from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass

__all__ = ["Kind", "WarningText", "part_dtype"]


class Kind(enum.Enum):
    """The kind of an operation, which determines its treatment by compiler stages."""

    __hash__ = object.__hash__  # members are one object each; that of Enum takes a call in Python

    LEAF = "leaf"  # memory that already exists; attr is a Leaf
    CONSTANT = "constant"  # one value; attr is its bytes, shape is ()
    PARAMETER = "parameter"  # placeholder for a leaf or scalar of a canonical DAG; attr: its key
    GENERATE = "generate"  # a function of an element's position in C order, and of scalar sources
    ELEMENTWISE = "elementwise"  # sources broadcast to shape; one value in, one value out
    REDUCE = "reduce"  # attr is the sorted tuple of reduced axes, which are dropped
    SCAN = "scan"  # attr is the axis along which elements accumulate
    VIEW = "view"  # attr is a shapes.View of the one source
    # C-order reshape that is not an affine map; attr: order of axes in memory, None for C order
    RESHAPE = "reshape"
    GATHER = "gather"  # attr is an ops.gather.Gathered; the first source lies in memory
    CONCATENATE = "concatenate"  # attr is the axis
    WRITE = "write"  # the value of the first source, stored where the second, a leaf, lies
    LIBRARY = "library"  # evaluated by NumPy, SciPy or BLAS on whole arrays; attr: its arguments
    MARKER = "marker"  # the value of the first source; the rest is for differentiation alone


@cache
def part_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of a complex number's parts; of another dtype, itself.

    Examples
    --------
    >>> import numpy as np
    >>> part_dtype(np.dtype("complex64")), part_dtype(np.dtype("int8"))
    (dtype('float32'), dtype('int8'))
    """
    return np.dtype(f"f{dtype.itemsize // 2}") if kind_of(dtype) == "c" else dtype


@dataclass(frozen=True, slots=True)
class WarningText:
    """The attr of an elementwise node that is a step of a function of NumPy's.

    Attributes
    ----------
    text : str, optional
        The function's own warning, of an operation that issues one. None: the step, if it warns of
        something, is silent.
    """

    text: str | None = None
