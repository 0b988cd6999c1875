"""Parameters in containers: lists, dictionaries, dataclasses of arrays, nested in any way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.numpy_api.creation import zeros
from lazyarr.tracing.pytree import (
    Structure,
    Unknown,
    arranged,
    describe,
    flatten,
    is_array,
    unflatten,
)

__all__ = ["Tree", "leaves_like", "parameters_of", "rebuild", "widened", "zeros_of"]

#: Containers of arrays; their types are the caller's.
Tree = Any

FLOAT32 = np.dtype(np.float32)


def _flattened(tree: Tree, name: str) -> tuple[list[Any], Structure]:
    leaves: list[Any] = []
    try:
        return leaves, flatten(tree, is_array, leaves)
    except Unknown as error:
        raise ArgumentError(
            f"{name} hold an object of type {error}, which is not an array or a container",
            origin=origin(),
        ) from None


def parameters_of(tree: Tree, name: str = "parameters") -> tuple[list[LazyArray], Structure]:
    """Return the arrays of a tree, which are real floating-point numbers, and its structure.

    Parameters
    ----------
    tree : container of array_like
        Lists, tuples, dictionaries, named tuples and dataclasses, nested in any way.
    name : str
        The argument's name in messages.

    Returns
    -------
    arrays : list of LazyArray
        In the order of the containers.
    structure : Structure
        Of the containers, for :func:`rebuild`.

    Raises
    ------
    ArgumentError
        If something is neither array nor container.
    DTypeError
        If an array does not hold real floating-point numbers.
    """
    leaves, structure = _flattened(tree, name)
    arrays = [as_lazy(leaf) for leaf in leaves]
    for array in arrays:
        if kind_of(array.dtype) != "f":
            raise DTypeError(
                f"{name} must be floating-point numbers, got {array.dtype} of shape {array.shape}",
                origin=origin(),
                hint="keep numbers that are not trained outside of the parameters",
            )
    return arrays, structure


def leaves_like(
    tree: Tree, name: str, parameters: Sequence[LazyArray], structure: Structure
) -> list[LazyArray]:
    """Return the arrays of a tree, in the order of the parameters that it corresponds to.

    Parameters
    ----------
    tree : container of array_like
        Gradients, or part of an optimiser's state.
    name : str
        The argument's name in messages.
    parameters : sequence of LazyArray
        Arrays that give the shapes.
    structure : Structure
        Of the parameters' containers; dictionaries may have another order.

    Returns
    -------
    list of LazyArray
        One of the same shape for each parameter.

    Raises
    ------
    ShapeError
        If its structure or a shape differs.
    """
    leaves, own = _flattened(tree, name)
    try:
        ordered = [as_lazy(leaf) for leaf in arranged(structure, own, iter(leaves))]
    except Unknown:
        raise ShapeError(
            f"{name} have the structure {describe(own)}, the parameters {describe(structure)}",
            origin=origin(),
        ) from None
    for k, (array, parameter) in enumerate(zip(ordered, parameters, strict=True)):
        if array.shape != parameter.shape:
            raise ShapeError(
                f"{name}: array {k} of {describe(structure)} has shape {array.shape}, the "
                f"parameter has {parameter.shape}",
                origin=origin(),
            )
    return ordered


def rebuild(structure: Structure, leaves: Sequence[Any]) -> Tree:
    """Return containers of a structure with new leaves.

    Parameters
    ----------
    structure : Structure
        From :func:`parameters_of`.
    leaves : sequence
        One leaf for each of the structure, in its order.

    Returns
    -------
    container
        Of the types that the structure names.
    """
    return unflatten(structure, iter(leaves))


def widened(array: LazyArray) -> LazyArray:
    """Return float16 and bfloat16 as float32, in which steps are computed."""
    return array.astype(FLOAT32) if is_narrow(array.dtype) else array


def zeros_of(tree: Tree) -> Tree:
    """Return zeros of the shapes of parameters, float32 for float16 and bfloat16.

    NumPy's where the parameter is NumPy's, so that a jitted step takes them as they are.
    """
    leaves, structure = _flattened(tree, "parameters")
    arrays, _ = parameters_of(tree)
    like: list[Callable[..., Any]] = [
        zeros if isinstance(leaf, LazyArray) else np.zeros for leaf in leaves
    ]
    return rebuild(
        structure,
        [
            make(array.shape, dtype=FLOAT32 if is_narrow(array.dtype) else array.dtype)
            for make, array in zip(like, arrays, strict=True)
        ],
    )
