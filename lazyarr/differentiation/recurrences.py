"""Linear recurrences along an axis, as graphs whose depth is logarithmic in the length.

Nothing is divided by, so that factors of zero are exact.
"""

from __future__ import annotations

from lazyarr.builders import build
from lazyarr.core import tuning
from lazyarr.differentiation.boxes import padded, sliced
from lazyarr.graph.node import Node
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["recurrence"]


def recurrence(factors: Node, terms: Node, axis: int) -> Node:
    """Return r with ``r[k] = terms[k] + factors[k] r[k + 1]``, where r is 0 behind the end.

    A long one is that of blocks of a few elements, whose products and sums depend on what follows
    a block by one number (G. Blelloch, "Prefix sums and their applications", 1990). So its work is
    proportional to the length.

    Parameters
    ----------
    factors, terms : Node
        Of one shape and dtype.
    axis : int
        Not negative.
    """
    size, block = terms.shape[axis], tuning.row().recurrence_block
    if size <= tuning.row().doubled_recurrence:
        return _doubled(factors, terms, axis)
    missing = -size % block
    whole = [padded(x, axis, 0, missing) for x in (factors, terms)]
    count = (size + missing) // block
    lanes = [[sliced(x, axis, k, count, block) for x in whole] for k in range(block)]
    factor, term = lanes[-1]
    for own, added in reversed(lanes[:-1]):
        term = _plus(added, own, term)
        factor = build.elementwise(ELEMENTWISE["multiply"], (own, factor))
    later = padded(recurrence(factor, term, axis), axis, -1, 1)
    results: list[Node] = []
    for own, added in reversed(lanes):
        later = _plus(added, own, later)
        results.append(build.expand_axes(later, (axis + 1,)))
    stacked = build.concatenate(results[::-1], axis + 1)
    shape = (*terms.shape[:axis], count * block, *terms.shape[axis + 1 :])
    return padded(build.reshape(stacked, shape), axis, 0, -missing)


def _doubled(factors: Node, terms: Node, axis: int) -> Node:
    """Return the recurrence by doubling steps (Hillis, Steele)."""
    step = 1
    while step < terms.shape[axis]:
        terms = _plus(terms, factors, padded(terms, axis, -step, step))
        later = padded(factors, axis, -step, step)
        factors = build.elementwise(ELEMENTWISE["multiply"], (factors, later))
        step *= 2
    return terms


def _plus(term: Node, factor: Node, later: Node) -> Node:
    product = build.elementwise(ELEMENTWISE["multiply"], (factor, later))
    return build.elementwise(ELEMENTWISE["add"], (term, product))
