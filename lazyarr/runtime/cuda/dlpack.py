"""DLPack: memory of a device handed to other libraries, and taken from them, without a copy.

The structures are those of dlpack.h 1.1, spelled with ctypes. A capsule that nobody takes gives
its tensor back when it is dropped; one that was taken is given back by its taker, on any thread.

https://dmlc.github.io/dlpack/latest/c_api.html
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from lazyarr.core.dtypes import bfloat16, is_bfloat16, kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.errors import ArgumentError, DTypeError

__all__ = ["CPU", "CUDA", "Taken", "export", "take"]

#: Calls a function once no queued work needs what it gives back.
Retire: TypeAlias = Callable[[Callable[[], None]], None]

CPU, CUDA = 1, 2
_READ_ONLY, _IS_COPIED = 1, 2
_VERSION = (1, 1)
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}
_BFLOAT = 4


class _Device(ctypes.Structure):
    _fields_ = (("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_PLAIN_NAME, _VERSIONED_NAME = b"dltensor", b"dltensor_versioned"
_USED = {_PLAIN_NAME: b"used_dltensor", _VERSIONED_NAME: b"used_dltensor_versioned"}
_LAYOUTS: dict[bytes, type[_Managed] | type[_Versioned]] = {
    _PLAIN_NAME: _Managed,
    _VERSIONED_NAME: _Versioned,
}

_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(
    ("PyCapsule_New", _api)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", _api)
)
# For capsules that are being destroyed: they may not be given to Python again.
_forget_error = ctypes.PYFUNCTYPE(None)(("PyErr_Clear", _api))
_dying_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_dying_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)


@dataclass(frozen=True, slots=True)
class _Export:
    """The objects that must outlive a tensor exported to another library."""

    managed: _Managed | _Versioned
    sizes: Any
    owner: object


_exports: dict[int, _Export] = {}
_lock = threading.RLock()


def _give_back(address: int) -> None:
    with _lock:
        _exports.pop(address, None)


def _drop_capsule(capsule: int) -> None:
    # A taker that refuses what it was given drops it while its own error is set, with which no
    # call from here would succeed. It cannot be set again: a Python function must not return so.
    _forget_error()
    for name in _LAYOUTS:
        if _dying_is_valid(capsule, name):
            _give_back(_dying_pointer(capsule, name))


_give_back_c = _Deleter(_give_back)
_drop_capsule_c = _Destructor(_drop_capsule)


def exports() -> int:
    """Return the number of tensors that other libraries keep."""
    return len(_exports)


def export(
    address: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: np.dtype[Any],
    owner: object,
    *,
    device: tuple[int, int] = (CUDA, 0),
    max_version: tuple[int, int] | None = None,
    read_only: bool = False,
    copied: bool = False,
) -> Any:
    """Return a capsule that holds an array.

    Parameters
    ----------
    address : int
        Of the first element.
    shape, strides : tuple of int
        Strides in elements.
    dtype : numpy.dtype
        Of the elements.
    owner : object
        Kept alive until the taker gives the tensor back.
    device : tuple of (int, int)
        DLPack's device type and number.
    max_version : tuple of (int, int), optional
        The newest version that the taker knows; without it the capsule is of the old kind, which
        cannot say that an array is read-only.
    read_only, copied : bool
        What the capsule says of the memory.
    """
    ndim = len(shape)
    sizes = (ctypes.c_int64 * max(2 * ndim, 1))(*shape, *strides)
    first = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))
    second = ctypes.cast(ctypes.byref(sizes, 8 * ndim), ctypes.POINTER(ctypes.c_int64))
    bits = dtype.itemsize * 8
    tensor = _Tensor(
        address or None,
        _Device(*device),
        ndim,
        _DataType(_BFLOAT if is_bfloat16(dtype) else _CODES[kind_of(dtype)], bits, 1),
        first,
        second,
        0,
    )
    managed: _Managed | _Versioned
    if max_version is not None and max_version[0] >= 1:
        flags = (_READ_ONLY if read_only else 0) | (_IS_COPIED if copied else 0)
        managed = _Versioned(*_VERSION, None, _give_back_c, flags, tensor)
        name = _VERSIONED_NAME
    else:
        managed = _Managed(tensor, None, _give_back_c)
        name = _PLAIN_NAME
    place = ctypes.addressof(managed)
    with _lock:
        _exports[place] = _Export(managed, sizes, owner)
    return _new(place, name, _drop_capsule_c)


class Taken:
    """A tensor of another library. Its memory is given back once, when this is dropped.

    Attributes
    ----------
    address : int
        Of the first element.
    shape, strides : tuple of int
        Strides in elements.
    dtype : numpy.dtype
        Of the elements.
    device : tuple of (int, int)
        DLPack's device type and number.
    read_only : bool
        Whether the other library forbids writing.
    """

    def __init__(self, managed: _Managed | _Versioned, place: int, retire: Retire | None) -> None:
        tensor = managed.tensor
        self._managed: _Managed | _Versioned | None = managed
        self._place = place
        self._retire = retire
        bits = tensor.dtype.bits
        is_narrow = (tensor.dtype.code, bits) == (_BFLOAT, 16)
        kind = "f" if is_narrow else _KINDS.get(tensor.dtype.code)
        self.device = (int(tensor.device.device_type), int(tensor.device.device_id))
        self.read_only = isinstance(managed, _Versioned) and bool(managed.flags & _READ_ONLY)
        if kind is None or tensor.dtype.lanes != 1 or bits % 8:
            raise DTypeError(
                f"DLPack's dtype with code {tensor.dtype.code} and {bits} bits has no NumPy dtype"
            )
        self.dtype = np.dtype(np.bool_) if kind == "b" else np.dtype(f"{kind}{bits // 8}")
        if is_narrow:
            self.dtype = bfloat16()
        ndim = tensor.ndim
        self.shape = tuple(tensor.shape[k] for k in range(ndim))
        if tensor.strides:
            self.strides = tuple(tensor.strides[k] for k in range(ndim))
        else:
            steps = [1] * ndim
            for k in range(ndim - 2, -1, -1):
                steps[k] = steps[k + 1] * max(self.shape[k + 1], 1)
            self.strides = tuple(steps)
        self.address = int(tensor.data or 0) + int(tensor.byte_offset)

    def on_host(self) -> np.ndarray[Any, Any]:
        """Return the tensor as an array of the host's memory, which keeps it alive."""
        size = self.dtype.itemsize
        self.__array_interface__ = {
            "data": (self.address, self.read_only),
            "shape": self.shape,
            "strides": tuple([step * size for step in self.strides]),
            "typestr": self.dtype.str,
            "version": 3,
        }
        return np.asarray(self).view(self.dtype)

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed is None:
            return
        self._managed = None
        place = self._place

        def give_back() -> None:
            if managed.deleter:
                managed.deleter(place)

        if self._retire is None:
            give_back()
        else:
            self._retire(give_back)


def take(capsule: Any, retire: Retire | None = None) -> Taken:
    """Return the tensor in a capsule, which is marked as used.

    Parameters
    ----------
    capsule : PyCapsule
        From another library's ``__dlpack__``.
    retire : callable, optional
        ``retire(function)`` calls a function when no queued work needs the memory any more;
        without it the memory is given back at once.

    Raises
    ------
    ArgumentError
        If it is no such capsule, or was used before.
    DTypeError
        If NumPy has no such dtype.
    """
    for name, layout in _LAYOUTS.items():
        if _is_valid(capsule, name):
            place = _pointer(capsule, name)
            managed = layout.from_address(place)
            if isinstance(managed, _Versioned) and managed.major != 1:
                raise ArgumentError(
                    f"DLPack version {managed.major}.{managed.minor} is not supported"
                )
            _rename(capsule, _USED[name])
            return Taken(managed, place, retire)
    raise ArgumentError("expected a DLPack capsule that was not consumed before")
