"""lazyarr: NumPy expressions, recorded first and compiled into fused loops when asked for."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from lazyarr import errors
from lazyarr.arrays.evaluation import evaluate, persist
from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.core.config import Config, config, get_config, set_config
from lazyarr.interop.array_api import array_namespace_info
from lazyarr.numpy_api import (
    contraction as _contraction,
)
from lazyarr.numpy_api import (
    creation as _creation,
)
from lazyarr.numpy_api import data_dependent as _data_shaped
from lazyarr.numpy_api import (
    elementwise as _elementwise,
)
from lazyarr.numpy_api import inplace as _writing
from lazyarr.numpy_api import (
    joining as _joining,
)
from lazyarr.numpy_api import methods as _methods
from lazyarr.numpy_api import (
    moments as _moments,
)
from lazyarr.numpy_api import (
    movement as _movement,
)
from lazyarr.numpy_api import nan_reductions as _nan
from lazyarr.numpy_api import (
    padding as _padding,
)
from lazyarr.numpy_api import (
    piecewise as _piecewise,
)
from lazyarr.numpy_api import (
    ranges as _ranges,
)
from lazyarr.numpy_api import (
    reductions as _reductions,
)
from lazyarr.numpy_api import (
    scans as _scans,
)
from lazyarr.numpy_api import (
    selection as _selection,
)
from lazyarr.numpy_api import sets as _distinct
from lazyarr.numpy_api import sorting as _ordering
from lazyarr.numpy_api import (
    statistics as _statistics,
)
from lazyarr.numpy_api import (
    windows as _windows,
)
from lazyarr.numpy_api.dispatch import computing_function
from lazyarr.tracing import record_functions

_methods.install()

__version__ = "0.1.0"
__array_namespace_info__ = array_namespace_info

_functions: dict[str, Any] = {
    **_data_shaped.FUNCTIONS,
    **_elementwise.FUNCTIONS,
    **_statistics.FUNCTIONS,
}
for _module in (
    _elementwise,
    _creation,
    _ranges,
    _reductions,
    _scans,
    _movement,
    _selection,
    _contraction,
    _joining,
    _moments,
    _distinct,
    _ordering,
    _padding,
    _nan,
    _statistics,
    _piecewise,
    _windows,
    _writing,
):
    _functions |= {_name: getattr(_module, _name) for _name in _module.__all__}
_functions.pop("FUNCTIONS")
record_functions(_functions, tuple(_functions), __name__)

# Names of NumPy that are no functions of arrays but belong to its namespace (Array API).
_constants: dict[str, Any] = {
    _name: getattr(np, _name)
    for _name in (
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 "
        "complex64 complex128 pi e inf nan newaxis finfo iinfo dtype can_cast result_type "
        "isdtype promote_types errstate ndim shape size"
    ).split()
}

globals().update(_constants)
globals().update(_functions)

# Modules that are imported when first used, and names that live in them.
_modules = frozenset(("cache", "fft", "linalg", "random", "special"))
_lazy = {
    "explain": "lazyarr.inspect",
    "fori_loop": "lazyarr.control_flow",
    "jit": "lazyarr.function_transforms",
    "profile": "lazyarr.inspect",
    "stream": "lazyarr.interop.streams",
    "to_networkx": "lazyarr.inspect",
    "vectorize": "lazyarr.function_transforms.vectorize",
    "visualize": "lazyarr.inspect",
    "while_loop": "lazyarr.control_flow",
}

__all__ = [
    "Config",
    "LazyArray",
    "asarray",
    "config",
    "errors",
    "evaluate",
    "get_config",
    "persist",
    "set_config",
    *_lazy,
    *_modules,
    *_constants,
    *_functions,
]


def __getattr__(name: str) -> Any:
    if name in _modules:
        return importlib.import_module(f"lazyarr.{name}")
    if name in _lazy:
        return getattr(importlib.import_module(_lazy[name]), name)
    if not name.startswith("_"):
        # NumPy's functions without a lazy form, such as histogram: they compute at once.
        found = computing_function(getattr(np, name, None))
        if found is not None:
            return found
    raise AttributeError(f"module 'lazyarr' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
