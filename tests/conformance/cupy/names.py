"""Modules of CuPy's names, whose arrays and functions are lazyarr's."""

from __future__ import annotations

import importlib
import math
import sys
import types
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import lazyarr as la

__all__ = ["CUDA_ALONE", "put_in"]

#: What messages of names of CUDA's alone begin with.
CUDA_ALONE = "CUDA alone has"


class _Absent(types.ModuleType):
    """A name that CUDA or CuPy alone has: false, any name of it is one too, and it does nothing."""

    #: So that names of it can be imported from it.
    __path__: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> _Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Absent(f"{self.__name__}.{name}")

    def __bool__(self) -> bool:
        return False

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise NotImplementedError(f"{CUDA_ALONE} {self.__name__}")

    __call__ = __enter__ = __exit__ = __iter__ = __getitem__ = __lt__ = __ge__ = _refuse


class _Module(types.ModuleType):
    """A module of lazyarr's under a name of CuPy's, with what CuPy has beside NumPy's names."""

    def __init__(self, name: str, own: Any, **others: Any) -> None:
        super().__init__(name)
        self._own = own
        self.__path__: list[str] = []
        vars(self).update(others)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if hasattr(self._own, name):
            return getattr(self._own, name)
        if hasattr(np, name):  # lazyarr leaves it out on purpose
            raise AttributeError(f"module 'lazyarr' has no attribute {name!r}")
        return _Absent(f"{self.__name__}.{name}")


def _values(array: Any, *_: object, out: Any = None, order: str = "C", **__: object) -> Any:
    """Return the values of an array as an ndarray that may be written to."""
    values = np.array(array, order=order)  # type: ignore[call-overload]
    if out is None:
        return values
    out[...] = values
    return out


def _module_of(*arrays: Any) -> Any:
    """Return CuPy's module if one of several arrays is lazyarr's, and else NumPy's."""
    return sys.modules["cupy" if any(isinstance(x, la.LazyArray) for x in arrays) else "numpy"]


#: Modules of CuPy's own, of which tests import names: there is nothing in them.
ABSENT = (
    "cupy._core cupy._core._accelerator cupy._core._cub_reduction cupy._core.core "
    "cupy._core.flags cupy._core._routines_math cupy._core._gufuncs cupy._core._routines_linalg "
    "cupy._util cupy._indexing cupy._indexing.generate cupy._creation cupy._creation.from_data "
    "cupy.cublas cupy.cuda cupy.cuda.driver cupy.cuda.memory cupy.cuda.compiler cupy.cuda.device "
    "cupy.cuda.cufft cupy.cuda.nvrtc cupy.cuda.cutensor cupy.fft._fft cupy.fft.config "
    "cupy.random._distributions cupy.linalg._util cupy_backends cupy_backends.cuda "
    "cupy_backends.cuda.api cupy_backends.cuda.api.runtime cupy_backends.cuda.stream cupyx "
    "cupyx.cusolver cupyx.scipy cupyx.scipy.sparse cupyx.scipy.fftpack"
).split()


def _with_values(name: str, **values: Any) -> _Absent:
    module = _Absent(name)
    vars(module).update(values)
    return module


def _empty(library: Any) -> Callable[..., Any]:
    """Return a function for the place of the class `cupy._core.ndarray`."""

    def ndarray(shape: Any, dtype: Any = float, order: str | None = "C") -> Any:
        return library.empty(shape, dtype, order=order or "C")

    return ndarray


def _identities(shape: tuple[int, ...], size: int, dtype: Any) -> Any:
    """Return a stack of identity matrices."""
    return np.broadcast_to(np.eye(size, dtype=dtype), (*shape, size, size))


def _random_of(library: Any) -> _Module:
    """Return a module of random numbers with the states that CuPy's tests save and restore."""
    states = _Module("cupy.random._generator", library.random, _random_states={})

    def reset_states() -> None:
        states._random_states = {}

    return _Module("cupy.random", library.random, _generator=states, reset_states=reset_states)


def _of_each_numpy(with_requires: Callable[..., Any]) -> Callable[..., Any]:
    """Return the mark of tests without NumPy below 2: what is expected is what NumPy computes."""

    def mark(*requirements: str) -> Any:
        return with_requires(*(text for text in requirements if text != "numpy<2.0"))

    return mark


def put_in(folder: Path, library: Any = la) -> None:
    """Put modules named cupy and cupyx into what Python imports.

    Parameters
    ----------
    folder
        CuPy's sources: `cupy.testing` is taken from there.
    library
        Whose arrays and functions stand for CuPy's: lazyarr, or NumPy, which shows what tests
        expect of CuPy alone.
    """
    generators = _random_of(library)
    modules: dict[str, Any] = {
        **{name: _Absent(name) for name in ABSENT},
        "cupy.cuda.runtime": _with_values("cupy.cuda.runtime", runtimeGetVersion=lambda: 12000),
        "cupy._core.internal": _with_values("cupy._core.internal", prod=math.prod),
        "cupy._core": _with_values("cupy._core", ndarray=_empty(library), array=library.array),
        "cupy.linalg._util": _with_values("cupy.linalg._util", stacked_identity=_identities),
        "cupyx": _with_values(
            "cupyx", allow_synchronize=nullcontext, errstate=lambda **_: la.eager()
        ),
        "cupy.exceptions": np.exceptions,
        "cupy.lib": _Module("cupy.lib", library),
        "cupy.lib.stride_tricks": _Module("cupy.lib.stride_tricks", library.lib.stride_tricks),
        "cupy.random": generators,
        "cupy.random._generator": generators._generator,
        **{
            f"cupy.{name}": _Module(f"cupy.{name}", getattr(library, name))
            for name in ("linalg", "fft", "polynomial")
        },
        **{
            f"cupy.polynomial.{name}": _Module(name, getattr(library.polynomial, name))
            for name in ("polyutils", "polynomial")
        },
    }
    array = la.LazyArray if library is la else np.ndarray
    cupy = _Module(
        "cupy",
        library,
        asnumpy=_values,
        get_array_module=_module_of,
        get_default_memory_pool=lambda: types.SimpleNamespace(free_all_blocks=lambda: None),
        ndarray=array,
    )
    cupy.__path__ = [str(folder / "cupy")]
    sys.modules.update({"cupy": cupy, **modules})
    for name, module in modules.items():
        parent, _, last = name.rpartition(".")
        if parent in sys.modules:
            setattr(sys.modules[parent], last, module)
    cupy.testing = importlib.import_module("cupy.testing")
    cupy.testing.with_requires = _of_each_numpy(cupy.testing.with_requires)
    la.LazyArray.get = _values  # type: ignore[attr-defined]
