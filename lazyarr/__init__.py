"""lazyarr: NumPy expressions, recorded first and compiled into fused loops when asked for."""

from __future__ import annotations

import importlib
import sys as _sys
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr import errors
from lazyarr.arrays.evaluation import evaluate, persist
from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.arrays.native_functions import with_native as _with_native
from lazyarr.core.config import Config, config, get_config, set_config
from lazyarr.interop.array_api import VERSIONS as _API_VERSIONS
from lazyarr.interop.array_api import array_namespace_info as _array_namespace_info
from lazyarr.numpy_api.dispatch import NAMESPACES as _NAMESPACES
from lazyarr.numpy_api.dispatch import computing_function as _computing_function
from lazyarr.numpy_api.grids import c_, mgrid, ogrid, r_
from lazyarr.numpy_api.methods import install as _install
from lazyarr.numpy_api.names import COMPUTED as _COMPUTED
from lazyarr.numpy_api.names import FROM_NUMPY as _FROM_NUMPY
from lazyarr.numpy_api.names import MODULES as _NUMPY_MODULES
from lazyarr.numpy_api.names import reason_for as _reason_for
from lazyarr.numpy_api.namespace import FUNCTIONS as _FUNCTIONS
from lazyarr.numpy_api.ufunc import ufunc
from lazyarr.tracing import record_functions as _record_functions

_install()

__version__ = "0.1.0"
__array_api_version__ = _API_VERSIONS[-1]
__array_namespace_info__ = _array_namespace_info
_DUNDERS = ("__array_api_version__", "__array_namespace_info__", "__version__")

# The functions of ufuncs note their calls themselves, and keep their methods.
_plain = [_name for _name, _f in _FUNCTIONS.items() if not isinstance(_f, ufunc)]
_record_functions(_FUNCTIONS, _plain, __name__)
_with_native(_plain, _FUNCTIONS, LazyArray)

# Names of NumPy that are no functions of arrays but belong to its namespace.
_constants: dict[str, Any] = {_name: getattr(np, _name) for _name in _FROM_NUMPY}
_grids = {"c_": c_, "mgrid": mgrid, "ogrid": ogrid, "r_": r_}

#: The type of arrays, under NumPy's name.
ndarray = LazyArray

_entry: dict[str, Any] = {"asarray": asarray, "__name__": __name__}
_with_native(["asarray"], _entry, LazyArray)

globals().update(_constants)
globals().update(_entry)
globals().update(_FUNCTIONS)

# Modules that are imported when first used, and names that live in them.
_modules = frozenset(
    ("cache", "executor", "fft", "linalg", "nn", "optim", "parallel", "random", "special")
)
_lazy = {
    "checkpoint": "lazyarr.differentiation",
    "custom_vjp": "lazyarr.differentiation",
    "eager": "lazyarr.function_transforms.immediate",
    "explain": "lazyarr.inspect",
    "fori_loop": "lazyarr.control_flow",
    "from_array": "lazyarr.arrays.sources",
    "grad": "lazyarr.differentiation",
    "hessian": "lazyarr.differentiation",
    "jacobian": "lazyarr.differentiation",
    "jit": "lazyarr.function_transforms",
    "jvp": "lazyarr.differentiation",
    "profile": "lazyarr.inspect",
    "stop_gradient": "lazyarr.differentiation",
    "stream": "lazyarr.interop.streams",
    "to_networkx": "lazyarr.inspect",
    "value_and_grad": "lazyarr.differentiation",
    "vectorize": "lazyarr.function_transforms.vectorize",
    "visualize": "lazyarr.inspect",
    "vjp": "lazyarr.differentiation",
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
    "ndarray",
    "persist",
    "set_config",
    *_lazy,
    *_modules,
    *_constants,
    *_grids,
    *_FUNCTIONS,
]


if not TYPE_CHECKING:  # checkers read the stub beside this file, which lists all names

    def __getattr__(name):
        if name in _modules:
            return importlib.import_module(f"lazyarr.{name}")
        if name in _lazy:
            return getattr(importlib.import_module(_lazy[name]), name)
        if name in _NUMPY_MODULES:
            return importlib.import_module(f"numpy.{name}")
        if name in _COMPUTED:
            # NumPy's functions without a lazy form, such as histogram: they compute at once.
            return _computing_function(getattr(np, name))
        reason = _reason_for("numpy", name)
        why = "" if reason is None else f": {reason}"
        raise AttributeError(f"module 'lazyarr' has no attribute {name!r}{why}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_COMPUTED, *_NUMPY_MODULES, *_DUNDERS})


def _namespace() -> tuple[_ModuleType, _ModuleType]:
    return _sys.modules[__name__], np


def _linalg_namespace() -> tuple[_ModuleType, _ModuleType]:
    from lazyarr import linalg

    return linalg, np.linalg


def _fft_namespace() -> tuple[_ModuleType, _ModuleType]:
    from lazyarr import fft

    return fft, np.fft


_NAMESPACES[:] = [_namespace, _linalg_namespace, _fft_namespace]
