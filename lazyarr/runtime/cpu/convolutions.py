"""Convolutions as kernels that are written by hand: compiled once for a dtype, for all sizes."""

from __future__ import annotations

from functools import cache

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.text_files import filled_in, text_file
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.convolution_code import (
    FILTER_NUMBERS,
    IMAGE_NUMBERS,
    declarations,
    filters_body,
    images_body,
)
from lazyarr.runtime.cpu.convolution_packing import Lanes
from lazyarr.runtime.cpu.fp_flags import bits, mask_of
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.host_target import architecture
from lazyarr.runtime.cpu.objects.machine_code import has_symbols
from lazyarr.runtime.cpu.tap_convolution_code import (
    TAP_NUMBERS,
    channel_filters_body,
    channels_body,
    plane_filters_body,
    planes_body,
)

__all__ = [
    "CHANNELS",
    "CHANNEL_FILTERS",
    "FILTERS",
    "IMAGES",
    "PLANES",
    "PLANE_FILTERS",
    "POINTERS",
    "SCALARS",
    "has_kernels",
    "kernel",
    "prepare",
]

#: The kernels: filters that slide over images, and the gradient by the filters.
IMAGES, FILTERS = "images", "filters"
#: The same of a filter for each channel, and of one output.
CHANNELS, CHANNEL_FILTERS = "channels", "channel_filters"
PLANES, PLANE_FILTERS = "planes", "plane_filters"
#: The types of numbers that they take, as LLVM IR names them.
SCALARS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
#: Their addresses, in order: images, filters (or parts of their gradient), the result (or its
#: cotangent), a table of taps and the packed rows, and a word for floating-point flags.
POINTERS = ("x", "w", "y", "taps", "patch", "flags")
_FENV = ("fetestexcept", "feclearexcept", "feraiseexcept")
_BODIES = {
    IMAGES: (images_body, IMAGE_NUMBERS),
    FILTERS: (filters_body, FILTER_NUMBERS),
    CHANNELS: (channels_body, TAP_NUMBERS),
    CHANNEL_FILTERS: (channel_filters_body, FILTER_NUMBERS),
    PLANES: (planes_body, TAP_NUMBERS),
    PLANE_FILTERS: (plane_filters_body, FILTER_NUMBERS),
}


@cache
def has_kernels() -> bool:
    """Return whether floating-point flags can be watched here, as NumPy's warnings ask."""
    return bool(bits()) and (architecture() == "x86_64" or has_symbols(_FENV))


@cache
def kernel(name: str, dtype: np.dtype[np.generic], nbytes: int, count: int) -> Function:
    """Return a kernel: the work items of images are blocks of rows, those of filters parts.

    Parameters
    ----------
    name : str
        One of the names above.
    dtype : numpy.dtype
        One of :data:`SCALARS`.
    nbytes, count : int
        How wide the processor's vector registers are, and how many it has.
    """
    return compiler.load_support(_source(name, dtype, nbytes, count), get_config())


@cache
def prepare(name: str, dtype: np.dtype[np.generic], nbytes: int, count: int) -> None:
    """Begin to compile a kernel, which takes 0.1 s, while the plan is made that calls it.

    Parameters
    ----------
    name, dtype, nbytes, count
        As :func:`kernel` takes them.
    """
    compiler.prepare_support(_source(name, dtype, nbytes, count), get_config())


@cache
def _source(name: str, dtype: np.dtype[np.generic], nbytes: int, count: int) -> Source:
    """Return the source of a kernel."""
    body, numbers = _BODIES[name]
    # A tile has eight rows of one or two vectors; and there are those that it loads.
    lanes = Lanes(
        SCALARS[dtype],
        dtype.itemsize,
        nbytes // dtype.itemsize,
        nbytes >= 32 or architecture() != "x86_64",
        2 if count >= 32 else 1,
    )
    addresses = ", ".join(f"ptr noalias %{pointer}" for pointer in POINTERS)
    values = {
        "x86": architecture() == "x86_64",
        "mask": mask_of(bits()),
        "declarations": declarations(lanes),
        "parameters": ", ".join([addresses, *(f"i64 %{number}" for number in numbers)]),
        "body": body(lanes),
    }
    text = filled_in(text_file("lazyarr.runtime.cpu", "convolution.ll"), values)
    parameters = (
        *(Parameter(pointer, dtype, True) for pointer in POINTERS),
        *(Parameter(number, np.dtype(np.int64), False) for number in numbers),
    )
    return Source("llvm", text, "convolution", parameters, optimize=False)
