"""Library steps on a CUDA device: which implementation computes a node, or why none does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import contiguous_strides
from lazyarr.graph.node import Kind, Node
from lazyarr.ops import library
from lazyarr.ops.convolution import CONVOLUTION, FILTERS
from lazyarr.ops.eigenvalues import eigen
from lazyarr.ops.library import Call, averaged, packed_starts, unpack
from lazyarr.ops.plain_values import unless, viewed
from lazyarr.ops.triangular import factors, inverse_transposed, solution, solve_triangular
from lazyarr.runtime.cuda.libraries import (  # noqa: F401 - they enter the table
    compaction,
    contractions,
    convolutions,
    cufft,
    cusolver,
    factored,
    nccl,
    scatter,
    sorting,
    substitution,
)
from lazyarr.runtime.cuda.libraries.registry import Implementation, find, on_device
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work
from lazyarr.schedule.materialization import why_no_kernel

__all__ = ["DeviceCall", "device_call"]


@dataclass(frozen=True, slots=True)
class DeviceCall:
    """A library step on a device.

    Attributes
    ----------
    implementation : Implementation, optional
        What computes it; None: NumPy does, on the host.
    reason : str
        Who computes it, or why the host does.
    """

    implementation: Implementation | None
    reason: str

    def run(self, work: Work, node: Node, out: Strided, operands: Sequence[Strided]) -> None:
        """Queue the step.

        Parameters
        ----------
        work : Work
            Where to queue it.
        node : Node
            The step.
        out : Strided
            Where the result goes, or the pack of results.
        operands : sequence of Strided
            The values of the node's sources.
        """
        assert self.implementation is not None
        args, keywords = _arguments(node, operands)
        self.implementation.run(work, _outputs(node, out), *args, **keywords)


def device_call(node: Node) -> DeviceCall:
    """Return the device's way to compute a library step. Looks at shapes and dtypes only."""
    call = node.attr
    if node.op.kind is not Kind.LIBRARY or not isinstance(call, Call):
        return DeviceCall(None, why_no_kernel(node))
    function = node.op.calls
    if call.outputs:
        packed = call.args[0]
        function = packed if callable(packed) else None
    _enter_rare_functions()
    implementation = None if function is None else find(function)
    if implementation is None:
        # The function that another stands for on the host.
        stands_for = getattr(function, "__wrapped__", None)
        implementation = None if stands_for is None else find(stands_for)
    if implementation is None:
        return DeviceCall(None, "no implementation for GPUs")
    shapes = [Strided(0, x.shape, contiguous_strides(x.shape), x.dtype) for x in node.src]
    out = Strided(0, node.shape, contiguous_strides(node.shape), node.dtype)
    args, keywords = _arguments(node, shapes)
    try:
        refused = implementation.refuse(_outputs(node, out), *args, **keywords)
    except TypeError:
        refused = "an argument that only NumPy takes"
    if refused is not None:
        return DeviceCall(None, refused)
    return DeviceCall(implementation, implementation.library)


@cache
def _enter_rare_functions() -> None:
    """Enter functions into the table whose modules are imported with the first library step."""
    # Imported here: most expressions have no library steps.
    from lazyarr.ops.histograms import counted
    from lazyarr.ops.lookups import narrow_searchsorted
    from lazyarr.ops.mapped_sums import mapped_sums
    from lazyarr.runtime.cuda.libraries import (  # noqa: F401 - they enter the table
        histograms,
        item_writes,
        order_statistics,
        searching,
    )

    own, write = "own kernels", library.LIBRARY["setitem"].calls
    assert write is not None
    on_device(mapped_sums, own, scatter.refuse_mapped, captured=True, bounded=True)(
        scatter.scatter_mapped
    )
    on_device(counted, own, histograms.refuse_counts, captured=True)(histograms.count)
    on_device(write, own, item_writes.refuse_items, captured=True, bounded=True)(
        item_writes.write_items
    )
    on_device(narrow_searchsorted, own, searching.refuse_search, captured=True)(
        searching.searchsorted
    )


def _arguments(node: Node, operands: Sequence[Strided]) -> tuple[list[Any], dict[str, Any]]:
    call = node.attr
    assert isinstance(call, Call)
    args, keywords = call.arguments(tuple(operands))
    return args[1:] if call.outputs else args, keywords


def _outputs(node: Node, out: Strided) -> Strided | tuple[Strided, ...]:
    """Return the results of a node: one, or those that its bytes hold."""
    call = node.attr
    assert isinstance(call, Call)
    if not call.outputs:
        return out
    sizes = [int(np.prod(shape, dtype=np.int64)) * d.itemsize for shape, d in call.outputs]
    starts, _ = packed_starts(sizes)
    return tuple(
        Strided(out.address + start, shape, contiguous_strides(shape), dtype, out.keep)
        for start, (shape, dtype) in zip(starts, call.outputs, strict=True)
    )


def _always(out: Strided, *args: Any) -> str | None:
    return None


@on_device(unpack, "a copy", _always, captured=True)
def _unpack(
    work: Work, out: Strided, data: Strided, start: int, shape: tuple[int, ...], dtype: Any
) -> None:
    work.queue.copy(out.address, data.address + start, out.nbytes)


for _function, _queue, _what in (
    (library.product_bias, contractions.product_bias, "bias"),
    (library.product_relu, contractions.product_relu, "relu"),
    (library.product_bias_relu, contractions.product_bias_relu, "bias and relu"),
):
    _who = f"cuBLASLt, {_what} in its epilogue"
    on_device(_function, _who, contractions.refuse, captured=True)(_queue)
for _op, _refuse, _run in (
    (CONVOLUTION, convolutions.refuse_images, convolutions.convolve),
    (FILTERS, convolutions.refuse_filters, convolutions.filters),
):
    assert _op.calls is not None
    on_device(_op.calls, "cuDNN or own kernels", _refuse, captured=True)(_run)
on_device(averaged, "NCCL", nccl.refuse, captured=True)(nccl.all_mean)
on_device(eigen, "cuSOLVER", cusolver.refuse_eigen)(cusolver.eigen)
on_device(solve_triangular, "cuBLAS", cusolver.refuse)(substitution.solve_triangular)
on_device(factors, "cuSOLVER", cusolver.refuse)(factored.factors)


def _refuse_of_factors(out: Strided, data: Strided, *others: Any, **keywords: Any) -> str | None:
    return cusolver.refuse(out, out, *others)


on_device(solution, "cuSOLVER", _refuse_of_factors)(factored.factored_solution)
on_device(inverse_transposed, "cuSOLVER", _refuse_of_factors)(factored.factored_inverse)
on_device(library.scatter, "own kernels", scatter.refuse_scatter, captured=True, bounded=True)(
    scatter.scatter
)
on_device(library.summed_at, "own kernels", scatter.refuse_sums, captured=True, bounded=True)(
    scatter.sums_at
)
on_device(library.sorted_part, "own kernels", sorting.refuse_part, captured=True)(
    sorting.sorted_part
)
on_device(library.selected, "own kernels", compaction.refuse_selection, captured=True)(
    compaction.select
)


@on_device(library.nonempty, "a look at the count", _always)
def _nonempty(work: Work, out: Strided, value: Strided, count: Strided, name: str) -> None:
    library.nonempty(np.empty(0), work.download(count), name)
    work.copy(value, out)


@on_device(unless, "a look at a flag", _always)
def _unless(work: Work, out: Strided, value: Strided, is_wrong: Strided, text: str) -> None:
    unless(np.empty(0), work.download(is_wrong), text)
    work.copy(value, out)


def _never_refuse_bytes(out: Strided, array: Strided, target: Any) -> str | None:
    return None


@on_device(viewed, "a copy", _never_refuse_bytes, captured=True)
def _viewed(work: Work, out: Strided, array: Strided, target: Any) -> None:
    work.queue.copy(out.address, work.contiguous(array).address, out.nbytes)
