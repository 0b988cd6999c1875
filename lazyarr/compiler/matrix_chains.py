"""Products of several matrices as products of two, in the order of the fewest multiplications."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.builders import build
from lazyarr.core.source_location import Origin
from lazyarr.graph.node import Node, node
from lazyarr.ops.library import LIBRARY, Call, Slot

__all__ = ["chained", "power_of"]

_MATMUL = LIBRARY["matmul"]
_OPERANDS = Call((Slot(0), Slot(1)))


def chained(arrays: Sequence[Node], origin: Origin | None) -> Node:
    """Return the product of matrices of which the first and the last may be vectors.

    The order is that of Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", 15.2.

    Parameters
    ----------
    arrays : sequence of Node
        Two or more, of one dtype; n by m, m by k and so on.
    origin : tuple, optional
        The user's line.

    Returns
    -------
    Node
        A matrix: of one row where the first array is a vector, of one column where the last is.
    """
    first, *inner, last = arrays
    rows = build.reshape(first, (1, first.size)) if first.ndim == 1 else first
    columns = build.reshape(last, (last.size, 1)) if last.ndim == 1 else last
    matrices = [rows, *inner, columns]
    sizes = [matrices[0].shape[0], *(matrix.shape[1] for matrix in matrices)]
    splits = _splits(sizes)

    def between(start: int, stop: int) -> Node:
        if stop - start == 1:
            return matrices[start]
        middle = splits[start, stop]
        return _product(between(start, middle), between(middle, stop), origin)

    return between(0, len(matrices))


def power_of(matrix: Node, exponent: int, origin: Origin | None) -> Node:
    """Return a power of square matrices by squaring.

    Parameters
    ----------
    matrix : Node
        Of shape (..., n, n).
    exponent : int
        Positive.
    origin : tuple, optional
        The user's line.
    """
    result: Node | None = None
    square = matrix
    while True:
        if exponent & 1:
            result = square if result is None else _product(result, square, origin)
        exponent >>= 1
        if not exponent:
            break
        square = _product(square, square, origin)
    assert result is not None
    return result


def _product(left: Node, right: Node, origin: Origin | None) -> Node:
    shape = (*left.shape[:-1], right.shape[-1])
    return node(_MATMUL, (left, right), left.dtype, shape, _OPERANDS, origin)


def _splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return the place at which to split each run of several matrices.

    The k-th has ``sizes[k]`` rows. Runs go from the first number of a pair to before the second.
    """
    count = len(sizes) - 1
    costs = {(k, k + 1): 0 for k in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for length in range(2, count + 1):
        for start in range(count - length + 1):
            stop = start + length
            least = min(
                (
                    costs[start, k] + costs[k, stop] + sizes[start] * sizes[k] * sizes[stop],
                    k,
                )
                for k in range(start + 1, stop)
            )
            costs[start, stop], splits[start, stop] = least
    return splits
