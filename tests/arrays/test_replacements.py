"""Functions that are called in the place of NumPy's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lazyarr.arrays.replacements import REPLACEMENTS


@pytest.mark.parametrize("function", REPLACEMENTS, ids=lambda function: function.__name__)
def test_parameters_are_those_of_numpys_function(function: Callable[..., Any]) -> None:
    ours, numpys = (inspect.signature(f) for f in (REPLACEMENTS[function], function))
    shared = [
        [(p.name, p.kind) for p in signature.parameters.values()] for signature in (ours, numpys)
    ]
    if function is np.lexsort:
        assert [name for name, _ in shared[0]] == [name for name, _ in shared[1]]
    else:
        assert shared[0] == shared[1]
