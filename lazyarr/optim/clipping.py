"""Gradients that are too long, or not finite."""

from __future__ import annotations

from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.numpy_api.selection import where
from lazyarr.optim.trees import Tree, parameters_of, rebuild, widened
from lazyarr.tracing import record_functions

__all__ = ["all_finite", "clip_by_norm", "clip_by_value", "global_norm"]


def global_norm(tree: Tree) -> LazyArray:
    """Return the root of the sum of the squares of all elements of all arrays.

    Parameters
    ----------
    tree : container of array_like
        Such as gradients.

    Returns
    -------
    LazyArray
        Without axes; of float16 and bfloat16 it is float32.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.optim.global_norm({"w": [3.0], "b": [[4.0]]}).compute()
    array(5.)
    """
    arrays, _ = parameters_of(tree, "gradients")
    total: Any = 0.0
    for array in map(widened, arrays):
        total = total + reductions.sum(array * array)
    return as_lazy(FUNCTIONS["sqrt"](total))


def clip_by_norm(gradients: Tree, limit: float) -> Tree:
    """Return gradients scaled together so that their :func:`global_norm` is at most `limit`.

    Parameters
    ----------
    gradients : container of array_like
        Of floating-point numbers.
    limit : float
        The longest that is left as it is.

    Returns
    -------
    container of LazyArray
        Like `gradients`. Where one element is not finite, none is.

    Raises
    ------
    ArgumentError
        If `limit` is not positive.

    References
    ----------
    Pascanu, Mikolov, Bengio: On the difficulty of training recurrent neural networks, 2013.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.evaluate(*la.optim.clip_by_norm([3.0, 4.0], 1.0))
    (array(0.6), array(0.8))
    """
    if not limit > 0:
        raise ArgumentError(f"limit must be positive, got {limit}", origin=origin())
    arrays, structure = parameters_of(gradients, "gradients")
    norm = global_norm(gradients)
    factor = as_lazy(where(norm <= limit, 1, limit / where(norm <= limit, 1, norm)))
    scaled = [as_lazy(widened(x) * factor.astype(widened(x).dtype)).astype(x.dtype) for x in arrays]
    return rebuild(structure, scaled)


def clip_by_value(gradients: Tree, limit: float) -> Tree:
    """Return gradients with each element brought into ``[-limit, limit]``.

    Parameters
    ----------
    gradients : container of array_like
        Of floating-point numbers.
    limit : float
        The largest magnitude.

    Returns
    -------
    container of LazyArray
        Like `gradients`.

    Raises
    ------
    ArgumentError
        If `limit` is not positive.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.optim.clip_by_value([-3.0, 0.5], 1.0)[0].compute()
    array(-1.)
    """
    if not limit > 0:
        raise ArgumentError(f"limit must be positive, got {limit}", origin=origin())
    arrays, structure = parameters_of(gradients, "gradients")
    clipped = [FUNCTIONS["minimum"](FUNCTIONS["maximum"](array, -limit), limit) for array in arrays]
    return rebuild(structure, clipped)


def all_finite(tree: Tree) -> LazyArray:
    """Return whether no element of any array is NaN or infinite.

    Parameters
    ----------
    tree : container of array_like
        Such as gradients.

    Returns
    -------
    LazyArray
        A boolean without axes.

    Examples
    --------
    >>> import lazyarr as la
    >>> bool(la.optim.all_finite([[1.0], [float("nan")]]))
    False
    """
    arrays, _ = parameters_of(tree, "gradients")
    finite: Any = as_lazy(True)
    for array in arrays:
        finite = finite & reductions.all(FUNCTIONS["isfinite"](array))
    return as_lazy(finite)


record_functions(globals(), __all__)
