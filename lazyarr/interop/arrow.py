"""Arrow's C data interface: arrays handed to polars, pyarrow and others without a copy.

The structures are those of the specification, spelled with ctypes. A consumer moves what a capsule
holds and calls ``release`` once it needs the memory no more, on any thread; a capsule that nobody
takes releases it when it is dropped. What does so is compiled; where it is not, a consumer that
releases while its own exception is pending raises a SystemError in the place of it.

https://arrow.apache.org/docs/format/CDataInterface.html
https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.core.hashing import compiled_form
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError

__all__ = ["array_capsule", "schema_capsule"]

Array = np.ndarray[Any, Any]

_FORMATS = {
    "bool": "b",
    "int8": "c",
    "uint8": "C",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
    "float16": "e",
    "float32": "f",
    "float64": "g",
}

_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Schema(ctypes.Structure):
    """``struct ArrowSchema``."""


_Schema._fields_ = (
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
)


class _Array(ctypes.Structure):
    """``struct ArrowArray``."""


_Array._fields_ = (
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
)

_api = ctypes.pythonapi
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Release)(
    ("PyCapsule_New", _api)
)
# A capsule that is being destroyed may not be given to Python again.
_dying_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)

#: By the number in ``private_data``, what a structure that was handed out needs; 0 is none.
_exports: dict[int, object] = {}
#: By its address, the structure of a capsule that was not destroyed.
_capsules: dict[int, _Schema | _Array] = {}
_lock = threading.RLock()
_last = 0


def _keep(needed: object) -> int:
    """Keep a structure's memory until it is released; return the number to release it by."""
    global _last
    with _lock:
        _last += 1
        _exports[_last] = needed
        return _last


def _releasing(kind: type[_Schema] | type[_Array]) -> Any:
    """Return the C function that releases a structure of a kind, with its children."""

    def release(address: int, kind: Any = kind, exports: Any = _exports, lock: Any = _lock) -> None:
        pending = None
        try:
            structure = kind.from_address(address)
        except BaseException as error:  # noqa: BLE001
            # The caller's, which was pending: no call works before it is handled.
            pending, structure = error, kind.from_address(address)
        with lock:
            for k in range(structure.n_children):
                child = structure.children[k].contents
                if child.release:  # else it was moved elsewhere
                    release(ctypes.addressof(child))
            number, structure.release = structure.private_data, None
            exports.pop(number, None)
        if pending is not None:
            raise pending  # ctypes cannot give it back to the caller, and shows it

    return _Release(release)


def _destroying(name: bytes, kind: type[_Schema] | type[_Array], release: Any) -> Any:
    """Return the destructor of capsules of a name."""

    def destroy(capsule: int, kind: Any = kind, release: Any = release) -> None:
        pending = None
        try:
            address = _dying_pointer(capsule, name)
        except BaseException as error:  # noqa: BLE001
            # As above.
            pending, address = error, _dying_pointer(capsule, name)
        if kind.from_address(address).release:  # nobody took it
            release(address)
        with _lock:
            _capsules.pop(address, None)
        if pending is not None:
            raise pending

    return _Release(destroy)


def _extension() -> Any:
    from lazyarr.interop import _arrow_releases

    return _arrow_releases


#: The extension module; None if Python's form runs.
COMPILED, FORM = compiled_form(_extension, __file__)


def _functions(compiled: Any) -> tuple[Any, Any, Any, Any]:
    """Return the functions that release schemas and arrays, and destroy capsules of them."""
    if compiled is not None:
        of_schema, of_array, to_schema, to_array = compiled.install(_exports, _capsules)
        return _Release(of_schema), _Release(of_array), _Release(to_schema), _Release(to_array)
    schema, array = _releasing(_Schema), _releasing(_Array)
    return (
        schema,
        array,
        _destroying(b"arrow_schema", _Schema, schema),
        _destroying(b"arrow_array", _Array, array),
    )


_release_schema, _release_array, _destroy_schema, _destroy_array = _functions(COMPILED)


def _capsule(structure: _Schema | _Array, name: bytes, destroy: Callable[..., Any]) -> Any:
    address = ctypes.addressof(structure)
    with _lock:
        _capsules[address] = structure
    return _new_capsule(address, name, destroy)


def _check(dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    if dtype.name not in _FORMATS or not shape:
        what = f"dtype {dtype}" if shape else "an array without axes"
        raise DTypeError(
            f"Arrow cannot represent {what}",
            origin=origin(),
            hint="pass numpy.asarray(x), or real and imaginary part separately",
        )


def schema_capsule(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """Return the PyCapsule "arrow_schema" of arrays.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    shape : tuple of int
        Sizes of the axes; those after the first become lists of fixed size.

    Raises
    ------
    DTypeError
        If Arrow has no such type, as for complex numbers, or there are no axes.
    """
    _check(dtype, shape)
    return _capsule(_schema(dtype, shape[1:], b""), b"arrow_schema", _destroy_schema)


def _schema(dtype: np.dtype[Any], lists: tuple[int, ...], name: bytes) -> _Schema:
    structure = _Schema()
    children: list[_Schema] = []
    spelled = _FORMATS[dtype.name]
    if lists:
        spelled = f"+w:{lists[0]}"
        children = [_schema(dtype, lists[1:], b"item")]
    format_text = ctypes.create_string_buffer(spelled.encode())
    name_text = ctypes.create_string_buffer(name)
    pointers = (ctypes.POINTER(_Schema) * len(children))(*map(ctypes.pointer, children))
    structure.format = ctypes.addressof(format_text)
    structure.name = ctypes.addressof(name_text)
    structure.n_children = len(children)
    structure.children = pointers
    structure.release = ctypes.cast(_release_schema, ctypes.c_void_p)
    structure.private_data = _keep((format_text, name_text, pointers, children))
    return structure


def array_capsule(values: Array) -> Any:
    """Return the PyCapsule "arrow_array" of a host array, whose memory is not copied.

    It is copied if it is not contiguous, or has bools, which are bits in Arrow.

    Raises
    ------
    DTypeError
        If Arrow has no such type, as for complex numbers, or there are no axes.
    """
    _check(values.dtype, values.shape)
    flat = np.ascontiguousarray(values).reshape(-1)
    if flat.dtype == np.bool_:
        flat = np.packbits(flat, bitorder="little")
    return _capsule(_array(flat, values.shape), b"arrow_array", _destroy_array)


def _array(memory: Array, shape: tuple[int, ...]) -> _Array:
    structure = _Array()
    children: list[_Array] = []
    if len(shape) > 1:
        children = [_array(memory, (shape[0] * shape[1], *shape[2:]))]
        buffers = (ctypes.c_void_p * 1)(None)  # no validity bits: nothing is missing
    else:
        buffers = (ctypes.c_void_p * 2)(None, memory.ctypes.data)
    pointers = (ctypes.POINTER(_Array) * len(children))(*map(ctypes.pointer, children))
    structure.length = shape[0]
    structure.n_buffers = len(buffers)
    structure.n_children = len(children)
    structure.buffers = buffers
    structure.children = pointers
    structure.release = ctypes.cast(_release_array, ctypes.c_void_p)
    structure.private_data = _keep((memory, buffers, pointers, children))
    return structure
