"""Library steps as the CPU has them: kernels of its own, parts of them, or NumPy's functions.

The passes for one kind of step are imported where an expression has one: most have none, or one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lazyarr.compiler.constant_factors import store_constant_factors
from lazyarr.compiler.stacked_products import Limits, write_out_stacks
from lazyarr.core.config import get_config
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.ops.convolution import CONVOLUTION, FILTER_PARTS, FILTERS
from lazyarr.ops.library import LIBRARY, ORDERS
from lazyarr.passes.expand_matmul import write_out_products
from lazyarr.runtime.cpu_count import default_threads

__all__ = ["in_steps_of_cpu", "scratch_bytes", "threads_of_blas"]

_MATMUL = LIBRARY["matmul"]
_LOOKUPS = (np.searchsorted, np.digitize, np.interp)


def threads_of_blas() -> int:
    """Return the most threads of a library call in the settings in force."""
    return get_config().threads or default_threads()


def in_steps_of_cpu(
    roots: tuple[Node, ...],
    final: dict[Node, Node],
    product_pays: Callable[[Node], bool],
    limits: Limits,
    *,
    streams: bool,
) -> tuple[Node, ...]:
    """Return the roots in steps that the CPU's kernels and libraries have.

    Convolutions without a kernel become products, of sorted rows only what is read is selected,
    and products are written out as sums where their kernels beat the library.

    Parameters
    ----------
    roots : tuple of Node
        Simplified.
    final : dict of Node to Node
        What became of each node; what is rewritten here is added.
    product_pays : callable
        Whether a kernel computes a product faster than the library.
    limits : Limits
        Sizes up to which stacks of products are written out term by term.
    streams : bool
        Whether arrays may be read piece by piece; a library takes whole ones.
    """
    ops = {value.op for value in walk(roots) if value.op.kind is Kind.LIBRARY}
    has_convolutions = not ops.isdisjoint((CONVOLUTION, FILTERS))
    if has_convolutions:
        roots = _with_convolutions(roots, final, streams)
    if not streams and any(op.calls in ORDERS for op in ops):
        roots = _with_orders(roots, final)
    if not streams and any(op.calls in _LOOKUPS for op in ops):
        roots = _with_lookups(roots, final)
    if has_convolutions or _MATMUL in ops:
        if streams:
            return write_out_products(roots, product_pays, final, streamed=True)
        roots = _with_products(roots, final, product_pays, limits)
    return roots


def _with_convolutions(
    roots: tuple[Node, ...], final: dict[Node, Node], streams: bool
) -> tuple[Node, ...]:
    """Return the roots with convolutions as kernels take them, or as products."""
    from lazyarr.compiler.convolutions import legalize_convolutions
    from lazyarr.execution.cpu.convolutions import has_kernel, prepare_kernels

    legal = legalize_convolutions(roots, lambda value: not streams and has_kernel(value), final)
    prepare_kernels(walk(legal))  # other threads compile them beside the stages that follow
    return legal


def _with_orders(roots: tuple[Node, ...], final: dict[Node, Node]) -> tuple[Node, ...]:
    """Return the roots with selections of elements, and rows that are sorted without Python."""
    from lazyarr.execution.cpu import selections, sorts
    from lazyarr.passes.sorted_parts import fold_slices
    from lazyarr.passes.sorted_rows import sort_rows

    roots = fold_slices(roots, selections.has_kernel, final)
    return sort_rows(roots, sorts.has_kernel, final)


def _with_lookups(roots: tuple[Node, ...], final: dict[Node, Node]) -> tuple[Node, ...]:
    """Return the roots with lookups in sorted vectors as kernels compute them."""
    from lazyarr.compiler.lookups import write_lookups
    from lazyarr.execution.cpu.lookups import has_kernel

    return write_lookups(roots, has_kernel, final)


def _with_products(
    roots: tuple[Node, ...],
    final: dict[Node, Node],
    product_pays: Callable[[Node], bool],
    limits: Limits,
) -> tuple[Node, ...]:
    """Return the roots with products as sums where their kernels beat the library."""
    from lazyarr.execution.cpu.long_products import is_tall_product

    def pays(value: Node) -> bool:
        return not is_tall_product(value) and product_pays(value)

    roots = write_out_stacks(roots, final, limits)
    return store_constant_factors(write_out_products(roots, pays, final), final)


def scratch_bytes(value: Node) -> tuple[int, int]:
    """Return the bytes for sums of blocks, and those in which convolutions pack images.

    Parameters
    ----------
    value : Node
        A library step.
    """
    if value.op is _MATMUL:
        from lazyarr.execution.cpu import long_products

        return long_products.scratch_bytes(value), 0
    if value.op in (CONVOLUTION, FILTER_PARTS):
        from lazyarr.execution.cpu import convolutions

        return 0, convolutions.scratch_bytes(value)
    return 0, 0
