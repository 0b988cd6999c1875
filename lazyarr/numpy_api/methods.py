"""Functions that are methods of arrays, or that answer NumPy for arrays and symbols."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from lazyarr.arrays.lazy_array import apply, as_operand, wrap
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = ["install"]


def install() -> None:
    """Give arrays the functions that are their methods, and those that answer NumPy."""
    FUNCTIONS.update(apply=apply, as_operand=as_operand, flat=_flat, wrap=wrap)
    FUNCTIONS.find = _find


def _find(name: str) -> Callable[..., Any]:
    """Return the function of a method; its module is imported when the first one is called."""
    module: ModuleType
    match name:
        case "_choose_method" | "_clip_method" | "_compress_method" | "_conjugate_method":
            return _of_no_function(name)
        case "apply_masked" | "evaluate" | "getitem" | "persist" | "reworded" | "setitem":
            module = _of_arrays(name)
        case "dot" | "trace":
            from lazyarr.numpy_api import contraction

            module = contraction
        case "array_function" | "array_ufunc" | "counterpart":
            from lazyarr.numpy_api import dispatch

            module = dispatch
        case "function_of":
            from lazyarr.numpy_api import elementwise

            module = elementwise
        case "put" | "resized":
            from lazyarr.numpy_api import inplace

            module = inplace
        case "compute_now":
            from lazyarr.numpy_api import library_calls

            module = library_calls
        case "computed_by_numpy":
            from lazyarr.numpy_api import other_dtypes

            module = other_dtypes
        case "stack":
            from lazyarr.numpy_api import joining

            module = joining
        case "matmul":
            from lazyarr.numpy_api import matrix_products

            module = matrix_products
        case "mean" | "std" | "var":
            from lazyarr.numpy_api import moments

            module = moments
        case "matrix_transpose" | "ravel" | "reshape" | "squeeze" | "swapaxes" | "transpose":
            from lazyarr.numpy_api import movement

            module = movement
        case "all" | "any" | "argmax" | "argmin" | "max" | "min" | "prod" | "sum":
            from lazyarr.numpy_api import reductions

            module = reductions
        case "repeat":
            from lazyarr.numpy_api import repetition

            module = repetition
        case "cumprod" | "cumsum":
            from lazyarr.numpy_api import scans

            module = scans
        case "nonzero" | "round":
            from lazyarr.numpy_api import selection

            module = selection
        case "diagonal" | "take":
            from lazyarr.numpy_api import slicing

            module = slicing
        case "argpartition" | "argsort" | "partition" | "searchsorted" | "sort":
            from lazyarr.numpy_api import sorting

            module = sorting
        case "reinterpreted":
            from lazyarr.numpy_api import view_making

            module = view_making
        case _:
            raise KeyError(name)
    function: Callable[..., Any] = vars(module)[name]
    return function


def _of_arrays(name: str) -> ModuleType:
    """Return the module of a function that makes arrays and is no function of NumPy's."""
    match name:
        case "apply_masked":
            from lazyarr.arrays import masked_selection

            return masked_selection
        case "getitem" | "setitem":
            from lazyarr.arrays import indexing

            return indexing
        case "reworded":
            from lazyarr.arrays import reworded_errors

            return reworded_errors
    from lazyarr.arrays import evaluation

    return evaluation


def _of_no_function(name: str) -> Callable[..., Any]:
    """Return a method that is no public function's."""
    from lazyarr.numpy_api import selection, sorting

    functions: dict[str, Callable[..., Any]] = {
        "_choose_method": sorting._choose_method,
        "_clip_method": selection._clip_method,
        "_compress_method": selection._compress_method,
        "_conjugate_method": selection._conjugate_method,
    }
    return functions[name]


def _flat(x: Any) -> Any:
    # Imported here: few programs need it.
    from lazyarr.numpy_api.flatiter import Flat

    return Flat(x)
