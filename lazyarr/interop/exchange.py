"""Arrays of other libraries on a GPU, taken and given without a copy; moving between devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.builders import build
from lazyarr.core.addresses import address_of
from lazyarr.core.config import CPU, CUDA, DEVICES, config, device_name, is_gpu, is_host
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.core.numpy_releases import DLPACK_HAS_VERSIONS, DLPACK_REFUSES_STREAMS
from lazyarr.core.shapes import contiguous_strides
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DeviceError, LazyarrError
from lazyarr.graph.device_leaf import DeviceLeaf, device_of
from lazyarr.graph.node import Leaf, Node
from lazyarr.interop.array_interface import copied_with_strides

__all__ = ["from_interface", "give", "moved", "take"]


def from_interface(value: Any) -> Node:
    """Return a leaf for an array with ``__cuda_array_interface__``."""
    from lazyarr.runtime.cuda import driver
    from lazyarr.runtime.cuda.device_array import array_at

    interface = value.__cuda_array_interface__
    dtype = build.as_dtype(np.dtype(interface["typestr"]))
    if interface.get("mask") is not None:
        raise ArgumentError("masked arrays on a GPU are not supported", origin=origin())
    shape = tuple(interface["shape"])
    strides = interface.get("strides") or contiguous_strides(shape, dtype.itemsize)
    _check_strides(strides, dtype)
    stream = interface.get("stream")
    if stream == 0:
        raise ArgumentError("stream 0 is ambiguous: pass 1 or 2", origin=origin())
    address = interface["data"][0]
    device = driver.device_at(address) if address else driver.device()
    queue = device.stream()
    queue.wait_for(stream)
    keep = _Foreign(value, device)
    ticket = queue.ticket()
    return build.device_leaf(array_at(address, shape, dtype, tuple(strides), keep, queue, ticket))


class _Foreign:
    """Another library's array. Let go once our queued work is done with its memory."""

    __slots__ = ("device", "value")

    def __init__(self, value: Any, device: Any) -> None:
        self.value = value
        self.device = device

    def __del__(self) -> None:
        value, self.value = self.value, None
        self.device.retire(lambda: value)


def _check_strides(strides: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if any(step % dtype.itemsize for step in strides):
        raise ArgumentError(
            f"strides {strides} are not multiples of {dtype.itemsize} bytes", origin=origin()
        )


def take(value: Any, copy: bool | None = None) -> Node:
    """Return a leaf for an array with ``__dlpack__``, on the host or on a GPU.

    Parameters
    ----------
    value : object
        An array of another library, with ``__dlpack__`` and ``__dlpack_device__``.
    copy : bool, optional
        Whether the leaf has memory of its own; by default it shares that of `value`.

    """
    from lazyarr.runtime.cuda import dlpack

    kind, number = value.__dlpack_device__()
    if int(kind) != dlpack.CUDA:
        host = _on_host(value)
        return build.leaf(host.copy() if copy else host)
    from lazyarr.runtime.cuda import driver
    from lazyarr.runtime.cuda.device_array import array_at

    queue = driver.device(f"{CUDA}:{number}").stream()
    try:
        capsule = value.__dlpack__(stream=queue.handle, max_version=(1, 1))
    except TypeError:  # from before version 1
        capsule = value.__dlpack__(stream=queue.handle)
    try:
        foreign = dlpack.take(capsule, queue.device.retire)
    except LazyarrError as error:
        error.origin = error.origin or origin()
        raise
    dtype = build.as_dtype(foreign.dtype)
    steps = tuple(step * dtype.itemsize for step in foreign.strides)
    array = array_at(foreign.address, foreign.shape, dtype, steps, foreign, queue, queue.ticket())
    return build.device_leaf(queue.duplicate(array) if copy else array)


def _on_host(value: Any) -> np.ndarray[Any, Any]:
    """Return another library's array in the host's memory; NumPy itself takes no bfloat16."""
    if "bfloat16" not in str(getattr(value, "dtype", "")):
        return np.from_dlpack(value)
    from lazyarr.runtime.cuda import dlpack

    try:
        capsule = value.__dlpack__(max_version=(1, 1))
    except TypeError:  # from before version 1
        capsule = value.__dlpack__()
    return dlpack.take(capsule).on_host()


def checked_device(device: object) -> str:
    """Return the name of a device as settings have it; raise ArgumentError if there is none."""
    name = device_name(device)
    if name is None:
        raise ArgumentError(
            f"Device not understood: no device {device!r}",
            origin=origin(),
            hint=f"there are {', '.join(DEVICES)}, and {CUDA}:1 … for further GPUs",
        )
    return name


def moved(node: Node, device: str) -> Node:
    """Return the node of a value computed and held on a device.

    Parameters
    ----------
    node : Node
        Any value, computed or not.
    device : str
        "cpu", "cuda", "cuda:1" …

    Returns
    -------
    Node
        `node` itself if it is a leaf there, else a new leaf.

    Raises
    ------
    ArgumentError
        If there is no such device.
    DeviceError
        If it is a GPU and none can be used.
    """
    device = checked_device(device)
    here = node.attr.device_array.device if isinstance(node.attr, DeviceLeaf) else CPU
    if isinstance(node.attr, Leaf) and here == device:
        return node
    from lazyarr.compiler import pipeline

    # A value that leaves a GPU is computed there.
    whence = device_of(node)
    if is_host(device):
        with config(device=whence):
            (value,) = pipeline.evaluate((node,))
        value.flags.writeable = False
        return build.leaf(value)
    if whence != device and is_gpu(whence) and not isinstance(node.attr, Leaf):
        node = moved(node, whence)
    with config(device=device):
        (array,) = pipeline.persist((node,))
    return build.device_leaf(array)


def give(value: np.ndarray[Any, Any], keywords: dict[str, Any]) -> Any:
    """Return a host array's DLPack capsule.

    A taker that knows version 1 gets the memory itself, marked as read-only; others get a copy,
    as nothing could keep them from writing what expressions share.

    Parameters
    ----------
    value : ndarray
        The array to export.
    keywords : dict
        Keywords of ``__dlpack__``: ``stream``, ``max_version``, ``dl_device``, ``copy``; those
        that are None are left out.

    Returns
    -------
    PyCapsule
        Of the version that the consumer knows.

    Raises
    ------
    DeviceError
        If `stream` is not None; ArgumentError, beside NumPy 2.5 and later, which has a ValueError.
    """
    if keywords.get("stream") is not None:
        kind = ArgumentError if DLPACK_REFUSES_STREAMS else DeviceError
        raise kind("a value on the CPU takes stream=None only", origin=origin())
    version = keywords.get("max_version")
    if is_bfloat16(value.dtype):
        return _narrow_capsule(value, version, keywords.get("copy"))
    keywords = {key: item for key, item in keywords.items() if item is not None}
    if not DLPACK_HAS_VERSIONS:
        return copied_with_strides(value, value.strides).__dlpack__()
    if value.flags.writeable or (version is not None and version[0] >= 1):
        return value.__dlpack__(**keywords)
    return copied_with_strides(value, value.strides).__dlpack__(**keywords)


def _narrow_capsule(
    value: np.ndarray[Any, Any], version: tuple[int, int] | None, copy: bool | None
) -> Any:
    """Return the capsule of an array of bfloat16, which NumPy does not export."""
    from lazyarr.runtime.cuda import dlpack

    known = version is not None and version[0] >= 1
    copied = bool(copy) or not (known or value.flags.writeable)
    if copied:
        value = copied_with_strides(value, value.strides)
    return dlpack.export(
        address_of(value) if value.size else 0,
        value.shape,
        tuple([step // value.itemsize for step in value.strides]),
        value.dtype,
        value,
        device=(dlpack.CPU, 0),
        max_version=version,
        read_only=not value.flags.writeable,
        copied=copied,
    )
