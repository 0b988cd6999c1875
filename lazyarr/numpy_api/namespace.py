"""Public functions of the main namespace, by the module that defines them.

A module is imported when one of its functions is first used: most programs use few of them, and
all of them take as long to import as NumPy does.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from lazyarr.ops.elementwise import BY_UFUNC

__all__ = ["GROUPS", "MODULES", "NAMES", "functions_of", "module_of"]

#: Public functions, by the module that defines them; those of ufuncs, one for each that the table
#: of operations has, are in ``elementwise`` too. Functions of one object are in one module.
GROUPS: dict[str, str] = {
    "blocks": "block",
    "comparison": (
        "allclose array_equal array_equiv isclose iscomplex isneginf isposinf isreal real_if_close"
    ),
    "contraction": "convolve correlate cross dot einsum inner kron outer tensordot trace vdot",
    "averages": "average",
    "creation": (
        "array asanyarray ascontiguousarray asfortranarray copy empty from_dlpack full ones zeros"
    ),
    "data_dependent": "argwhere intersect1d setdiff1d setxor1d trim_zeros union1d",
    "elementwise": "angle imag real sinc",
    "finite_numbers": "nan_to_num",
    "histograms": "bincount histogram",
    "host_functions": (
        "asarray_chkfinite broadcast common_type frombuffer fromfile fromfunction fromiter "
        "frompyfunc fromregex fromstring genfromtxt iscomplexobj isfortran isnat isrealobj load "
        "loadtxt mask_indices require"
    ),
    "inplace": "copyto fill_diagonal place put put_along_axis putmask",
    "iteration": "nditer nested_iters",
    "joining": (
        "append atleast_1d atleast_2d atleast_3d column_stack concat concatenate diag "
        "diagflat dstack hstack roll row_stack stack tril triu vstack"
    ),
    "matrix_products": "matmul matvec vecdot vecmat",
    "memory_sharing": "may_share_memory shares_memory",
    "moments": "mean std var",
    "movement": (
        "astype broadcast_arrays broadcast_shapes broadcast_to expand_dims matrix_transpose "
        "moveaxis permute_dims ravel reshape rollaxis squeeze swapaxes transpose"
    ),
    "nan_reductions": "nanmax nanmean nanmin nanprod nanstd nansum nanvar",
    "padding": "pad",
    "piecewise": (
        "apply_over_axes diag_indices diag_indices_from piecewise tril_indices tril_indices_from "
        "triu_indices triu_indices_from unwrap"
    ),
    "prototypes": "empty_like full_like ones_like zeros_like",
    "equal_steps": "arange",
    "ranges": "eye geomspace identity indices linspace logspace meshgrid tri",
    "reductions": "all amax amin any argmax argmin count_nonzero max min prod ptp sum",
    "repetition": "repeat resize tile",
    "scans": (
        "cumprod cumsum cumulative_prod cumulative_sum diff ediff1d gradient nancumprod nancumsum "
        "trapezoid"
    ),
    "selection": "around clip compress extract fix flatnonzero nonzero round select where",
    "sets": "unique unique_all unique_counts unique_inverse unique_values",
    "slicing": "diagonal flip fliplr flipud rot90 sliding_window_view take",
    "sorting": (
        "argpartition argsort choose delete insert isin partition searchsorted sort take_along_axis"
    ),
    "splitting": "array_split dsplit hsplit split unstack vsplit",
    "statistics": (
        "corrcoef cov digitize i0 interp median nanargmax nanargmin nanmedian nanpercentile "
        "nanquantile percentile polyval quantile sort_complex"
    ),
    "windows": "bartlett blackman hamming hanning kaiser",
}
#: The modules of functions, by their names.
MODULES: dict[str, str] = {
    name: module for module, names in GROUPS.items() for name in names.split()
}
_UFUNCS = sorted(
    name
    for name, value in vars(np).items()
    if type(value) is np.ufunc and value in BY_UFUNC and not name.startswith("_")
)
#: Public functions, those of ufuncs first.
NAMES: tuple[str, ...] = (*_UFUNCS, *MODULES)


def module_of(name: str) -> str:
    """Return the module of this package that defines a function of `NAMES`."""
    return MODULES.get(name, "elementwise")


def functions_of(name: str, module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the functions that are defined together with one, by their names.

    Parameters
    ----------
    name : str
        One of `NAMES`. That of a ufunc is alone, as each is made when it is first used.
    module : module
        The one that :func:`module_of` names.
    """
    functions: dict[str, Callable[..., Any]] = getattr(module, "FUNCTIONS", {})
    if name not in MODULES:
        return {name: functions[name]}
    return {
        public: functions[public] if public in functions else getattr(module, public)
        for public in GROUPS[MODULES[name]].split()
    }
