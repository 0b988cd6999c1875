"""Sorting networks: which elements are compared, whatever their order is."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["exchanges"]


def exchanges(count: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of Batcher's odd-even merges [1]_, which put so many elements in order.

    .. [1] K. E. Batcher, "Sorting networks and their applications", AFIPS 32 (1968), 307-314.

    Parameters
    ----------
    count : int
        Of elements.

    Yields
    ------
    tuple of (int, int)
        The positions of two elements, of which the first is to be the lesser one. Those of the
        lower half come before any other, if the count is a power of two.
    """
    high = 1
    while high < count:
        low = high
        while low:
            for first in range(low % high, count - low, 2 * low):
                for one in range(first, min(first + low, count - low)):
                    if one // (2 * high) == (one + low) // (2 * high):
                        yield one, one + low
            low //= 2
        high *= 2
