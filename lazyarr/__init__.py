"""lazyarr: NumPy expressions, recorded first and compiled into fused loops when asked for."""

from __future__ import annotations

import importlib
import sys as _sys
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

import lazyarr.core.forks as _forks  # noqa: F401 - first of what is done before a fork
from lazyarr import errors
from lazyarr.arrays.evaluation import evaluate, persist
from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.arrays.native_functions import with_native as _with_native
from lazyarr.arrays.prototype_argument import with_like as _with_like
from lazyarr.core.config import Config, config, get_config, set_config
from lazyarr.numpy_api.methods import install as _install
from lazyarr.numpy_api.names import FROM_NUMPY as _FROM_NUMPY
from lazyarr.numpy_api.names import MODULES as _NUMPY_MODULES
from lazyarr.numpy_api.names import NAMESPACES as _NAMESPACES
from lazyarr.numpy_api.names import computed_names as _computed_names
from lazyarr.numpy_api.names import reason_for as _reason_for
from lazyarr.numpy_api.namespace import MODULES as _PLAIN
from lazyarr.numpy_api.namespace import NAMES as _NAMES
from lazyarr.numpy_api.namespace import functions_of as _functions_of
from lazyarr.numpy_api.namespace import module_of as _module_of
from lazyarr.tracing import record_functions as _record_functions
from lazyarr.tracing import refusing as _refusing

__version__ = "0.1.0"
_DUNDERS = ("__array_api_version__", "__array_namespace_info__", "__version__")

# Names of NumPy that are no functions of arrays but belong to its namespace.
_constants: dict[str, Any] = {_name: getattr(np, _name) for _name in _FROM_NUMPY}

_entry: dict[str, Any] = {
    "asarray": _refusing(np.asarray)(_with_like(asarray)),
    "__name__": __name__,
}
_with_native(["asarray"], _entry, LazyArray)

globals().update(_constants)
globals().update(_entry)

# Modules that are imported when first used, and names that live in them.
_modules = frozenset(
    "cache executor fft linalg nn optim parallel polynomial random special".split()
)
_lazy = {
    "bmat": "lazyarr.numpy_api.grids",
    "c_": "lazyarr.numpy_api.grids",
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
    "mgrid": "lazyarr.numpy_api.grids",
    "ndarray": "lazyarr.arrays.ndarray",
    "ogrid": "lazyarr.numpy_api.grids",
    "profile": "lazyarr.inspect",
    "r_": "lazyarr.numpy_api.grids",
    "stop_gradient": "lazyarr.differentiation",
    "stream": "lazyarr.interop.streams",
    "to_networkx": "lazyarr.inspect",
    "ufunc": "lazyarr.numpy_api.ufunc",
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
    "persist",
    "set_config",
    *_lazy,
    *_modules,
    *_constants,
    *_NAMES,
]
# Functions that a program uses are entered here when it first does.
_functions = frozenset(_NAMES)


def _enter(name: str, module: _ModuleType) -> Any:
    """Enter a function, and those that are defined together with it; return it."""
    functions = _functions_of(name, module)
    # The functions of ufuncs note their calls themselves, and keep their methods.
    plain = [key for key in functions if key in _PLAIN]
    _record_functions(functions, plain, __name__, np)
    _with_native(plain, functions, LazyArray)
    for key, function in functions.items():
        globals().setdefault(key, function)  # another thread may have entered it meanwhile
    return globals()[name]


if not TYPE_CHECKING:  # checkers read the stub beside this file, which lists all names

    def __getattr__(name):
        try:
            if name in _functions:
                module = importlib.import_module(f"lazyarr.numpy_api.{_module_of(name)}")
                return _enter(name, module)
            if name in _modules:
                return importlib.import_module(f"lazyarr.{name}")
            if name in _lazy:
                value = globals()[name] = getattr(importlib.import_module(_lazy[name]), name)
                return value
            if name in _NUMPY_MODULES:
                return importlib.import_module(f"numpy.{name}")
        except (ImportError, OSError, SystemError):
            # The loader says only that a library could not be loaded, Python at times nothing.
            from lazyarr.runtime.available_memory import require_for_libraries

            require_for_libraries()
            raise
        return _rare(name)


def _rare(name: str) -> Any:
    """Return a rarely used name; raise AttributeError, with the reason, if there is none."""
    if name == "bfloat16":
        return _bfloat16()
    if name == "__array_api_version__":
        from lazyarr.interop.array_api import VERSIONS

        return VERSIONS[-1]
    if name == "__array_namespace_info__":
        from lazyarr.interop.array_api import array_namespace_info

        return array_namespace_info
    if name in _computed_names():
        # NumPy's functions without a lazy form, such as histogram: they compute at once.
        from lazyarr.numpy_api.dispatch import computing_function

        # Entered, as it is called as often as others; another thread may have done so meanwhile.
        return globals().setdefault(name, computing_function(getattr(np, name)))
    reason = _reason_for("numpy", name)
    why = "" if reason is None else f": {reason}"
    raise AttributeError(f"module 'lazyarr' has no attribute {name!r}{why}")


def _bfloat16() -> type[np.generic]:
    """Return the scalar type of bfloat16, which is in a package of its own."""
    from lazyarr.core.dtypes import bfloat16

    try:
        kind: type[np.generic] = bfloat16().type
    except ImportError:
        raise AttributeError(
            "module 'lazyarr' has no attribute 'bfloat16': pip install 'lazyarr[bfloat16]'"
        ) from None
    return kind


def __dir__() -> list[str]:
    return sorted({*__all__, *_computed_names(), *_NUMPY_MODULES, *_DUNDERS})


def _own_namespace() -> _ModuleType:
    return _sys.modules[__name__]


def _linalg_namespace() -> _ModuleType:
    from lazyarr import linalg

    return linalg


def _fft_namespace() -> _ModuleType:
    from lazyarr import fft

    return fft


_NAMESPACES |= {
    "numpy": _own_namespace,
    "numpy.linalg": _linalg_namespace,
    "numpy.fft": _fft_namespace,
}
_install()
