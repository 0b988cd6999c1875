"""The CUDA C++ beside these modules: sections of files, with sizes and types put in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lazyarr.core.text_files import filled_in, sections
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Parameter, Source

__all__ = ["int64s", "kernel_source", "kernel_text"]

DType = np.dtype[Any]

_I8 = np.dtype(np.int64)


def kernel_text(file: str, section: str, **values: object) -> str:
    """Return a section of a file of this package.

    Parameters
    ----------
    file : str
        Its name, such as ``copies.cuh``.
    section : str
        The section's name.
    **values
        What the names in it stand for; ``$warp`` is the width of a warp in every section.
    """
    texts = sections("lazyarr.runtime.cuda.libraries.kernels", file)
    return filled_in(texts[section], {"warp": WARP, **values}) + "\n"


def int64s(*names: str) -> dict[str, DType]:
    """Return the dtypes of parameters that are all int64: sizes and steps."""
    return dict.fromkeys(names, _I8)


def kernel_source(text: str, numbers: Mapping[str, DType], pointers: Mapping[str, DType]) -> Source:
    """Return the source of a kernel.

    Parameters
    ----------
    text : str
        Its code.
    numbers, pointers : mapping of str to numpy.dtype
        Its parameters by name: numbers, and behind them the arrays.
    """
    signature = [Parameter(name, dtype, False) for name, dtype in numbers.items()]
    signature += [Parameter(name, dtype, True) for name, dtype in pointers.items()]
    return Source("cuda", text, "kernel", tuple(signature))
