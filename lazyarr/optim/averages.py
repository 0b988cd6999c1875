"""Averages of parameters over the updates of a training."""

from __future__ import annotations

from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.optim.rules import Number, decay_of, in_dtype_of
from lazyarr.optim.trees import Tree, leaves_like, parameters_of, rebuild
from lazyarr.tracing import record_functions

__all__ = ["moving_average"]


def moving_average(averages: Tree, parameters: Tree, decay: Number) -> Tree:
    """Return ``decay * averages + (1 - decay) * parameters``: the weights to evaluate a model with.

    Parameters
    ----------
    averages : container of array_like
        Those of the update before; at first, the parameters. They may be of a wider dtype than
        these, which averages of float16 or bfloat16 should be.
    parameters : container of array_like
        Of the same structure and shapes.
    decay : float
        In [0, 1).

    Returns
    -------
    container of LazyArray
        Like `averages`, and of their dtypes.

    Raises
    ------
    ShapeError
        If the structures or shapes differ.
    ArgumentError
        If `decay` is not in [0, 1).

    References
    ----------
    Polyak, Juditsky: Acceleration of stochastic approximation by averaging, 1992; with the weights
    of Tarvainen, Valpola: Mean teachers are better role models, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> averages, parameters = {"w": np.array([1.0, 0.0])}, {"w": np.array([0.0, 1.0])}
    >>> la.optim.moving_average(averages, parameters, 0.75)["w"].compute()
    array([0.75, 0.25])
    """
    share = decay_of(decay, "decay")
    means, structure = parameters_of(averages, "averages")
    values = leaves_like(parameters, "parameters", means, structure)
    later: list[Any] = []
    for mean, value in zip(means, values, strict=True):
        past: float | LazyArray = in_dtype_of(share, mean)
        later.append(past * mean + (1 - past) * value.astype(mean.dtype))
    return rebuild(structure, later)


record_functions(globals(), __all__)
