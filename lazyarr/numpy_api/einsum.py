"""Einstein's notation: sums of products, taken apart into matrix products and fused sums."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_node, wrap
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.movement import transpose
from lazyarr.numpy_api.reduction_arguments import fold
from lazyarr.numpy_api.view_making import shown
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["Subscripts", "check_out", "contract", "is_view", "parse", "view_of"]

Label = Hashable
Shape = tuple[int, ...]
_MULTIPLY = ELEMENTWISE["multiply"]


@dataclass(frozen=True, slots=True)
class Subscripts:
    """The notation of a call of einsum: a label for every axis of every operand and of the result.

    Attributes
    ----------
    terms : tuple of tuple of label
        One tuple an operand. The axes of an ellipsis have labels of their own, from the right.
    result : tuple of label
        Axes of the result.
    sizes : dict
        Length of each label.
    """

    terms: tuple[tuple[Label, ...], ...]
    result: tuple[Label, ...]
    sizes: dict[Label, int]

    @property
    def shape(self) -> Shape:
        """Shape of the result."""
        return tuple(self.sizes[label] for label in self.result)


def parse(arguments: Sequence[Any], operand_shapes: Sequence[Shape]) -> Subscripts:
    """Return the labels that the arguments of einsum name, in either of its two forms.

    Parameters
    ----------
    arguments : sequence
        As given to einsum; only subscripts are looked at.
    operand_shapes : sequence of tuple of int
        Of the operands.

    Raises
    ------
    ValueError
        If subscripts and shapes do not agree.
    """
    result: list[Any] | None
    if isinstance(arguments[0], str):
        inputs, arrow, output = arguments[0].replace(" ", "").partition("->")
        written: list[list[Any]] = [_letters(part) for part in inputs.split(",")]
        result = _letters(output) if arrow else None
    else:
        written = [list(term) for term in arguments[1::2]]
        result = list(arguments[-1]) if len(arguments) % 2 else None
    if len(written) != len(operand_shapes):
        raise ValueError(f"{len(written)} subscripts for {len(operand_shapes)} operands")
    sizes: dict[Label, int] = {}
    terms: list[tuple[Label, ...]] = []
    widest = 0
    for term, shape in zip(written, operand_shapes, strict=True):
        if Ellipsis in term:
            at = term.index(Ellipsis)
            count = len(shape) - (len(term) - 1)
            widest = max(widest, count)
            term[at : at + 1] = [(Ellipsis, k) for k in range(count - 1, -1, -1)]
        if len(term) != len(shape):
            raise ValueError(f"{len(term)} subscripts for an operand of {len(shape)} axes")
        for label, size in zip(term, shape, strict=True):
            known = sizes.get(label, 1)
            if known != 1 and size not in (1, known):
                raise ValueError(f"label {label!r} has sizes {known} and {size}")
            sizes[label] = size if known == 1 else known
        terms.append(tuple(term))
    wide = [(Ellipsis, k) for k in range(widest - 1, -1, -1)]
    if result is None:
        labels: list[Any] = [label for term in terms for label in term if label not in wide]
        result = [*wide, *sorted(label for label in set(labels) if labels.count(label) == 1)]
    elif Ellipsis in result:
        at = result.index(Ellipsis)
        result[at : at + 1] = wide
    return Subscripts(tuple(terms), tuple(result), sizes)


def _letters(term: str) -> list[Any]:
    head, dots, tail = term.partition("...")
    return [*head, Ellipsis, *tail] if dots else [*head]


@dataclass(frozen=True, slots=True)
class _Term:
    """A value with a label for each of its axes, no two the same."""

    value: Node
    labels: tuple[Label, ...]

    def ordered(self, labels: Sequence[Label]) -> Node:
        """Return the value with its axes in the order of `labels`."""
        axes = [self.labels.index(label) for label in labels]
        if axes == sorted(axes):
            return self.value
        return as_node(transpose(wrap(self.value), axes))

    def spread(self, labels: Sequence[Label]) -> Node:
        """Return the value with an axis for each of `labels`, of length one where it has none."""
        mine = [label for label in labels if label in self.labels]
        missing = [k for k, label in enumerate(labels) if label not in self.labels]
        return build.expand_axes(self.ordered(mine), missing)

    def without(self, labels: set[Label]) -> _Term:
        """Return the sum over all labels but some."""
        axes = tuple(k for k, label in enumerate(self.labels) if label not in labels)
        remaining = tuple(label for label in self.labels if label in labels)
        return _Term(fold("sum", self.value, axes), remaining)


def contract(subscripts: Subscripts, operands: Sequence[Node], optimize: Any) -> Node:
    """Return the sum of products of operands.

    Sums of two operands over what they share are matrix products; where nothing else is left of
    either, or nothing is summed, they are multiplications that fuse.

    Parameters
    ----------
    subscripts : Subscripts
        From :func:`parse`.
    operands : sequence of Node
        Of one dtype.
    optimize : bool, str or list
        NumPy's argument: the order of the products of more than two operands; False multiplies
        all of them at once.

    Returns
    -------
    Node
        Of the shape and the order of axes that the subscripts name.
    """
    terms = [_distinct(x, term) for x, term in zip(operands, subscripts.terms, strict=True)]
    sizes = subscripts.sizes
    terms = [_without_ones(term, sizes) for term in terms]
    for chosen in _path(terms, subscripts, optimize):
        taken = [terms[k] for k in chosen]
        terms = [term for k, term in enumerate(terms) if k not in chosen]
        needed = {*subscripts.result, *(label for term in terms for label in term.labels)}
        terms.append(_product(taken, needed))
    (last,) = terms
    return last.without(set(subscripts.result)).ordered(subscripts.result)


def _distinct(x: Node, labels: tuple[Label, ...]) -> _Term:
    """Return the diagonal over labels that an operand has twice."""
    distinct = tuple(dict.fromkeys(labels))
    if distinct == labels:
        return _Term(x, labels)
    rows = tuple(tuple(int(label == axis) for axis in distinct) for label in labels)
    shape = tuple(x.shape[labels.index(label)] for label in distinct)
    for label, size in zip(labels, x.shape, strict=True):
        if size != x.shape[labels.index(label)]:
            raise ValueError(f"label {label!r} has several sizes in one operand")
    return _Term(build.view(x, shapes.View((0,) * len(labels), rows), shape), distinct)


def _without_ones(term: _Term, sizes: dict[Label, int]) -> _Term:
    """Drop axes of length one that stand for longer ones, which others have."""
    wide = [n == sizes[label] for n, label in zip(term.value.shape, term.labels, strict=True)]
    if all(wide):
        return term
    shape = tuple(n for n, keep in zip(term.value.shape, wide, strict=True) if keep)
    labels = tuple(label for label, keep in zip(term.labels, wide, strict=True) if keep)
    return _Term(build.reshape(term.value, shape), labels)


def _path(terms: list[_Term], subscripts: Subscripts, optimize: Any) -> list[tuple[int, ...]]:
    """Return the terms to multiply in each step; NumPy's choice if there are more than two."""
    if len(terms) <= 2 or optimize is False:
        return [tuple(range(len(terms)))]
    numbers = {label: k for k, label in enumerate(subscripts.sizes)}
    arguments: list[Any] = []
    for term in terms:
        # Nothing is computed, so that arrays of the right shape without memory will do.
        arguments.append(np.broadcast_to(np.int8(0), term.value.shape))
        arguments.append([numbers[label] for label in term.labels])
    arguments.append([numbers[label] for label in subscripts.result])
    path = np.einsum_path(*arguments, optimize=optimize)[0]
    return [tuple(step) for step in path[1:]]


def _product(terms: list[_Term], needed: set[Label]) -> _Term:
    """Return the product of terms, summed over the labels that nothing else needs."""
    shared = [set().union(*(t.labels for t in terms if t is not term)) for term in terms]
    terms = [term.without(needed | others) for term, others in zip(terms, shared, strict=True)]
    if len(terms) == 2:
        left, right = terms
        common = [label for label in left.labels if label in right.labels]
        summed = [label for label in common if label not in needed]
        rows = [label for label in left.labels if label not in common]
        columns = [label for label in right.labels if label not in common]
        if summed and (rows or columns):
            batch = [label for label in common if label in needed]
            return _matrix_product(left, right, batch, rows, summed, columns)
    labels = tuple(dict.fromkeys(label for term in terms for label in term.labels))
    value = terms[0].spread(labels)
    for term in terms[1:]:
        value = build.elementwise(_MULTIPLY, (value, term.spread(labels)))
    return _Term(value, labels).without(needed)


def _matrix_product(
    left: _Term,
    right: _Term,
    batch: list[Label],
    rows: list[Label],
    summed: list[Label],
    columns: list[Label],
) -> _Term:
    from lazyarr.numpy_api.matrix_products import matmul

    sizes = dict(
        zip((*left.labels, *right.labels), (*left.value.shape, *right.value.shape), strict=True)
    )

    def lengths(labels: Sequence[Label]) -> Shape:
        return tuple(sizes[label] for label in labels)

    front = lengths(batch)
    count = prod(lengths(summed))
    x = build.reshape(left.ordered([*batch, *rows, *summed]), (*front, prod(lengths(rows)), count))
    y = build.reshape(
        right.ordered([*batch, *summed, *columns]), (*front, count, prod(lengths(columns)))
    )
    labels = (*batch, *rows, *columns)
    return _Term(build.reshape(as_node(matmul(wrap(x), wrap(y))), lengths(labels)), labels)


def is_view(operands: tuple[Any, ...], place: int) -> bool:
    """Return whether einsum of one operand only permutes its axes, or takes diagonals of it.

    Parameters
    ----------
    operands : tuple
        The arguments of the call.
    place : int
        Which of them is the array.

    Returns
    -------
    bool
        Of NumPy's function on an array of as many axes.
    """
    arrays = (LazyArray, np.ndarray)
    # Axis numbers may be in an array; the operand itself is not looked at.
    small = [
        x.tolist() if k != place and isinstance(x, arrays) else x for k, x in enumerate(operands)
    ]
    small[place] = sample = np.ones((1,) * as_node(operands[place]).ndim)
    try:
        result = np.einsum(*small)
    except (ValueError, TypeError, IndexError):
        return False  # what is wrong is said where the notation is judged
    return not sample.ndim or np.shares_memory(result, sample)  # NumPy makes a number of a view


def view_of(operand: Any, subscripts: Subscripts) -> LazyArray:
    """Return the view of an operand that einsum makes where nothing is summed or multiplied.

    Parameters
    ----------
    operand : array_like
        The only one; what is written to the result is written to it, if it is a LazyArray.
    subscripts : Subscripts
        From :func:`parse`.

    Raises
    ------
    ValueError
        If axes of several lengths have the same label.
    """
    (labels,) = subscripts.terms
    shape = np.shape(operand)
    for label, size in zip(labels, shape, strict=True):
        if size != subscripts.sizes[label]:
            raise ValueError(f"label {label!r} has several sizes in one operand")
    rows = tuple(tuple(int(label == axis) for axis in subscripts.result) for label in labels)
    return shown(operand, shapes.View((0,) * len(labels), rows), subscripts.shape)


def check_out(out: Any, shape: Shape) -> None:
    """Raise NumPy's error for an ``out=`` of einsum with other axes than a result.

    Parameters
    ----------
    out : ndarray, LazyArray or None
        The user's argument.
    shape : tuple of int
        Of the result.

    Raises
    ------
    ShapeError
        If it has more or fewer axes, or one element along an axis of several.
    """
    if not isinstance(out, (LazyArray, np.ndarray)):
        return
    if out.ndim != len(shape):
        raise ShapeError(
            "out parameter does not have the correct number of dimensions, has "
            f"{out.ndim} but should have {len(shape)}",
            origin=origin(),
        )
    for axis in reversed(range(len(shape))):
        if out.shape[axis] == 1 != shape[axis]:
            raise ShapeError(
                f"output operand requires a reduction along dimension {axis}, but the reduction "
                "is not enabled. The dimension size of 1 does not match the expected output shape.",
                origin=origin(),
            )
