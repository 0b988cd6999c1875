"""Sums of cotangents that are products of matrices, as weights have them that are used often.

A weight that multiplies the rows of many arrays, one after another, as that of a recurrent cell
does, has the sum of as many products as cotangent. These are one product of the rows below one
another, whose sum no memory waits for: ``a.T @ b + c.T @ d == [a; c].T @ [b; d]``.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import View
from lazyarr.differentiation.boxes import added
from lazyarr.graph.node import Node
from lazyarr.numpy_api.matrix_products import matmul
from lazyarr.ops.movement import VIEW

__all__ = ["Product", "summed"]


@dataclass(frozen=True, slots=True)
class Product:
    """A cotangent ``first.T @ second``.

    Attributes
    ----------
    first, second : Node
        Matrices of one dtype and of as many rows.
    depth : int
        Operations between the result and the product, on the longest way.
    """

    first: Node
    second: Node
    depth: int = 0

    @property
    def pays(self) -> bool:
        """Whether its factors have fewer elements than it has, so that these are stored sooner."""
        return self.first.size + self.second.size <= self.first.shape[1] * self.second.shape[1]

    @property
    def value(self) -> Node:
        """The product."""
        product: LazyArray = matmul(LazyArray(self.first).mT, LazyArray(self.second))
        return product._node


def summed(products: Sequence[Product]) -> Node:
    """Return the sum of products.

    Those near the result come last: weights that are used together, in each step of a recurrence,
    have the same joined cotangents then, and steps of a sequence are in its order.

    Parameters
    ----------
    products : sequence of Product
        At least one, of one shape and dtype, as they come when a computation is gone through from
        its end.
    """
    products = sorted(products, key=lambda product: product.depth)
    joined = [product for product in reversed(products) if product.pays]
    terms = [product.value for product in products if not product.pays]
    if joined:
        first = _below_one_another([product.first for product in joined])
        second = _below_one_another([product.second for product in joined])
        terms.append(Product(first, second).value)
    return added(terms)


def _below_one_another(parts: Sequence[Node]) -> Node:
    """Return matrices as one: a view where they are views of one array, each as far as the last."""
    return _as_view(parts) or build.concatenate(parts, 0)


def _as_view(parts: Sequence[Node]) -> Node | None:
    first = parts[0]
    views = [part.attr for part in parts]
    begin = first.attr
    if len(parts) < 2 or first.op is not VIEW or not isinstance(begin, View):
        return None
    source, shape = first.src[0], first.shape
    steps: tuple[int, ...] | None = None
    for part, before, own in zip(parts[1:], views, views[1:], strict=False):
        if part.op is not VIEW or part.src[0] is not source or part.shape != shape:
            return None
        assert isinstance(before, View) and isinstance(own, View)
        step = tuple(b - a for a, b in zip(before.offsets, own.offsets, strict=True))
        if own.coefficients != begin.coefficients or step != (steps or step):
            return None
        steps = step
    assert steps is not None
    rows = zip(steps, begin.coefficients, strict=True)
    view = View(begin.offsets, tuple((step, *row) for step, row in rows))
    stack = build.view(source, view, (len(parts), *shape))
    return build.reshape(stack, (len(parts) * shape[0], *shape[1:]))
