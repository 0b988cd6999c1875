"""Values in steps that a GPU's kernels and libraries have."""

from __future__ import annotations

from collections.abc import Callable

from lazyarr.compiler.axis_order import order_axes
from lazyarr.compiler.convolutions import legalize_convolutions
from lazyarr.compiler.stored_operands import store_numbers
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.passes.expand_matmul import is_product, write_out_products, write_out_terms
from lazyarr.passes.library_epilogues import fold_epilogues

__all__ = ["compose", "in_steps_of_gpu"]


def compose(
    roots: tuple[Node, ...], is_library_step: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots with compositions in the place of functions that the GPU has not.

    Positions in sorted vectors that only kernels read are as narrow as may be, or looked up there.

    Parameters
    ----------
    roots : tuple of Node
        Simplified.
    is_library_step : callable
        Whether a library step on the GPU computes a node.
    final : dict of Node to Node
        What became of each node; what is composed here is added.
    """
    if not any(value.op.kind is Kind.LIBRARY for value in final.values()):
        return roots
    # Imported here: most expressions have no library steps.
    from lazyarr.compiler.composed_functions import compose_functions
    from lazyarr.compiler.lookups import search_for_kernels

    roots = compose_functions(roots, is_library_step, final)
    return search_for_kernels(roots, is_library_step, final)


def in_steps_of_gpu(
    roots: tuple[Node, ...],
    final: dict[Node, Node],
    block_pays: Callable[[Node, bool], bool],
    product_pays: Callable[[Node, bool], bool],
    vector_product_pays: Callable[[Node], bool],
    is_library_step: Callable[[Node], bool],
) -> tuple[Node, ...]:
    """Return the roots in steps that the GPU's kernels and libraries have.

    Values beside convolutions are computed in their order of axes, small products are written out,
    those of bfloat16 take their factors as they are, others get the epilogues that their library
    computes, of sorted rows only what is read is selected, and numbers that libraries read are
    stored.

    Parameters
    ----------
    roots : tuple of Node
        Simplified.
    final : dict of Node to Node
        What became of each node; what is rewritten here is added.
    block_pays : callable
        Whether a kernel whose blocks have some products of a stack is the fastest way to compute
        one, where what follows it is elementwise or not.
    product_pays : callable
        Whether the GPU computes a product faster where it is written out as a kernel, which what
        follows it shares if that is elementwise.
    vector_product_pays : callable
        Whether a kernel should compute a product of a matrix and a vector.
    is_library_step : callable
        Whether a library step on the GPU computes a node.
    """
    has_library_steps = any(value.op.kind is Kind.LIBRARY for value in final.values())
    if has_library_steps:
        # Imported here: most expressions have no library steps.
        from lazyarr.passes.sorted_parts import fold_slices

        roots = fold_slices(roots, is_library_step, final)
    roots = legalize_convolutions(order_axes(roots, final), is_library_step, final, in_parts=False)
    roots = write_out_terms(roots, product_pays, final)
    if has_library_steps:
        from lazyarr.compiler.mapped_sums import fold_maps
        from lazyarr.passes.narrow_products import narrow_products
        from lazyarr.passes.vector_products import write_out_vector_products

        roots = narrow_products(roots, is_library_step, final)
        roots = _with_blocks_of_products(roots, block_pays, final)
        roots = write_out_vector_products(roots, vector_product_pays, final)
        roots = fold_maps(roots, is_library_step, final)
    return store_numbers(fold_epilogues(roots), is_library_step, final)


def _with_blocks_of_products(
    roots: tuple[Node, ...],
    block_pays: Callable[[Node, bool], bool],
    final: dict[Node, Node],
) -> tuple[Node, ...]:
    """Return the roots with sums of products in the place of stacks that a kernel computes."""
    followed: set[Node] = set()
    has_products = False
    for value in walk(roots):
        has_products = has_products or is_product(value, 2)
        if value.op.kind is Kind.ELEMENTWISE:
            followed.update(value.src)
    if not has_products:
        return roots

    def pays(value: Node) -> bool:
        return value.src[1].ndim > 1 and block_pays(value, value in followed)

    return write_out_products(roots, pays, final)
