"""The cheapest set of values from which all that is needed can be computed: a minimum cut.

By the theorem of Ford and Fulkerson a cut is as cheap as the largest flow, which Dinitz's
algorithm finds by blocking flows of shortest paths.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from lazyarr.core.max_flow import END, START, FlowNetwork

__all__ = ["cheapest_values"]

ValueT = TypeVar("ValueT", bound=Hashable)


def cheapest_values(
    operands: Mapping[ValueT, Sequence[ValueT]],
    cost: Mapping[ValueT, int],
    sources: Iterable[ValueT],
    needed: Iterable[ValueT],
) -> list[ValueT]:
    """Return the values to store so that all needed ones can be computed, at the least cost.

    Parameters
    ----------
    operands : mapping of object to sequence of object
        Of each value those that it is computed of.
    cost : mapping of object to int
        Of storing a value; values without a cost cannot be stored.
    sources : iterable of object
        Values that are there at first, and that can be used later only if they are stored.
    needed : iterable of object
        What must be stored, or computed of stored values.

    Returns
    -------
    list of object
        In the order of `operands`.

    Raises
    ------
    ValueError
        If a needed value depends on a source through values that cannot be stored.

    Examples
    --------
    A chain of which the value in the middle is small:

    >>> operands = {"x": [], "small": ["x"], "y": ["small"], "z": ["y"]}
    >>> cheapest_values(operands, {"x": 8, "small": 2, "y": 8}, ["x"], ["y", "z"])
    ['small']
    """
    numbers = {value: 2 * k + 2 for k, value in enumerate(operands)}
    # More than all values together, so no cut of it is the cheapest.
    endless = sum(cost.values()) + 1
    network = FlowNetwork(2 * len(numbers) + 2)
    for value, number in numbers.items():
        network.connect(number, number + 1, cost.get(value, endless))
        for operand in operands[value]:
            network.connect(numbers[operand] + 1, number, endless)
    for value in sources:
        network.connect(START, numbers[value], endless)
    for value in needed:
        network.connect(numbers[value] + 1, END, endless)
    flow, distance = network.saturate()
    if flow >= endless:
        raise ValueError("a required value depends on values that cannot be stored")
    return [v for v, number in numbers.items() if distance[number] >= 0 > distance[number + 1]]
