"""The CUDA sources of expressions: each kernel with those that may take its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import lazyarr as la
from lazyarr.codegen.cuda.launch import DeviceLowered
from lazyarr.codegen.emit.cuda import emit_cuda
from lazyarr.compiler import compilation
from lazyarr.core.config import config
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.source import Source

__all__ = ["cuda_sources"]


def cuda_sources(results: Sequence[la.LazyArray]) -> list[Source]:
    """Return the sources of results, computed together."""
    with config(device="cuda"):
        program = compilation.analyse(tuple(result._node for result in results))
    launches = [launch for lowered in program.lowered for launch in lowered.launches]
    fused = [lowered.fused for lowered in program.lowered if isinstance(lowered, DeviceLowered)]
    launches += [product.launch() for product in fused if product is not None]
    return [emit_cuda(kernel) for launch in launches for kernel in _kernels(launch)]


def _kernels(launch: Any) -> Iterator[DeviceKernel]:
    """Yield the kernels that one launch may run."""
    if launch is not None:
        assert isinstance(launch.kernel, DeviceKernel)
        yield launch.kernel
        yield from _kernels(launch.otherwise)
        if launch.smaller is not None:
            yield from _kernels(launch.smaller())
