"""Functions that are called in the place of NumPy's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lazyarr.arrays import native_rows
from lazyarr.arrays.replacements import REPLACEMENTS

#: What is written in C has no signature in some releases.
FUNCTIONS = [function for function in REPLACEMENTS if function is not np.lexsort]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_parameters_are_those_of_numpys_function(function: Callable[..., Any]) -> None:
    ours, numpys = (inspect.signature(f) for f in (REPLACEMENTS[function], function))
    shared = [
        [(p.name, p.kind) for p in signature.parameters.values()] for signature in (ours, numpys)
    ]
    assert shared[0][: len(shared[1])] == shared[1]  # later releases of NumPy have more


def test_the_rows_name_all_of_them() -> None:
    """Their modules are imported when one of these names is called with a large array."""
    assert {function.__name__ for function in REPLACEMENTS} == native_rows._REPLACED
