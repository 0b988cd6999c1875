"""Functions that are methods of arrays, or that answer NumPy for arrays and symbols."""

from __future__ import annotations

from typing import Any

from lazyarr.arrays import hooks
from lazyarr.arrays.lazy_array import apply, as_operand, wrap
from lazyarr.numpy_api import (
    contraction,
    dispatch,
    inplace,
    joining,
    matrix_products,
    moments,
    movement,
    reductions,
    repetition,
    scans,
    selection,
    slicing,
    sorting,
    view_making,
)
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = ["install"]


def install() -> None:
    """Give arrays the functions that are their methods."""
    hooks.FUNCTIONS.update(
        _compress_method=selection._compress_method,
        all=reductions.all,
        apply=apply,
        as_operand=as_operand,
        any=reductions.any,
        argmax=reductions.argmax,
        argmin=reductions.argmin,
        argpartition=sorting.argpartition,
        argsort=sorting.argsort,
        array_function=dispatch.array_function,
        array_ufunc=dispatch.array_ufunc,
        _choose_method=sorting._choose_method,
        _clip_method=selection._clip_method,
        _conjugate_method=selection._conjugate_method,
        cumprod=scans.cumprod,
        cumsum=scans.cumsum,
        diagonal=slicing.diagonal,
        dot=contraction.dot,
        matmul=matrix_products.matmul,
        matrix_transpose=movement.matrix_transpose,
        max=reductions.max,
        mean=moments.mean,
        min=reductions.min,
        nonzero=selection.nonzero,
        partition=sorting.partition,
        prod=reductions.prod,
        put=inplace.put,
        ravel=movement.ravel,
        reinterpreted=view_making.reinterpreted,
        repeat=repetition.repeat,
        reshape=movement.reshape,
        resized=inplace.resized,
        round=selection.round,
        searchsorted=sorting.searchsorted,
        sort=sorting.sort,
        squeeze=movement.squeeze,
        stack=joining.stack,
        std=moments.std,
        sum=reductions.sum,
        swapaxes=movement.swapaxes,
        take=slicing.take,
        trace=contraction.trace,
        transpose=movement.transpose,
        var=moments.var,
        flat=_flat,
        wrap=wrap,
    )
    FUNCTIONS["array_ufunc"] = dispatch.array_ufunc


def _flat(x: Any) -> Any:
    # Imported here: few programs need it.
    from lazyarr.numpy_api.flatiter import Flat

    return Flat(x)
