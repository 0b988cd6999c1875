"""Public functions of the main namespace, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr.numpy_api import (
    comparison,
    contraction,
    creation,
    data_dependent,
    elementwise,
    host_functions,
    inplace,
    joining,
    matrix_products,
    memory_sharing,
    moments,
    movement,
    nan_reductions,
    padding,
    piecewise,
    prototypes,
    ranges,
    reductions,
    repetition,
    scans,
    selection,
    sets,
    slicing,
    sorting,
    splitting,
    statistics,
    windows,
)

__all__ = ["FUNCTIONS"]


def _public_functions() -> dict[str, Callable[..., Any]]:
    functions: dict[str, Callable[..., Any]] = {
        **data_dependent.FUNCTIONS,
        **elementwise.FUNCTIONS,
        **host_functions.FUNCTIONS,
        **statistics.FUNCTIONS,
    }
    for module in (
        elementwise,
        creation,
        prototypes,
        ranges,
        reductions,
        scans,
        movement,
        slicing,
        repetition,
        selection,
        comparison,
        contraction,
        matrix_products,
        joining,
        splitting,
        moments,
        sets,
        sorting,
        padding,
        nan_reductions,
        statistics,
        piecewise,
        windows,
        inplace,
        memory_sharing,
        host_functions,
    ):
        functions |= {name: getattr(module, name) for name in module.__all__}
    for name in ("FUNCTIONS", "GENERALIZED"):
        del functions[name]
    return functions


FUNCTIONS = _public_functions()
