"""Connectionist temporal classification: the loss of labels that are not aligned with time."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.control_flow import fori_loop
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.nn.arguments import (
    INT64,
    expect_shape,
    in_memory,
    inexact,
    integers,
    match_dtype,
    taken_rows,
    widened,
)
from lazyarr.nn.means_of_losses import reduced
from lazyarr.numpy_api import equal_steps, joining, movement, sorting
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.numpy_api.selection import where
from lazyarr.tracing import record_functions

__all__ = ["ctc_loss"]

#: Stands for the logarithm of probability 0: sums of 10**7 of them are finite in float32, and
#: derivatives of ``logaddexp`` of two of them, too, which those of two infinities are not.
_IMPOSSIBLE = -1e30


def ctc_loss(
    log_probabilities: Any,
    labels: Any,
    input_lengths: Any = None,
    label_lengths: Any = None,
    *,
    blank: int = 0,
    zero_infinity: bool = False,
    reduction: str = "mean",
) -> LazyArray:
    """Return ``-log`` of the probability of labels, over all their alignments with the time steps.

    An alignment has one class for each step. Its labels are what remains if repeated classes are
    merged, and blanks are removed then.

    Parameters
    ----------
    log_probabilities : array_like
        Of shape (batch, steps, classes): logarithms of probabilities, as :func:`log_softmax`
        returns them.
    labels : array_like of int
        Of shape (batch, longest): numbers of classes, none of them the blank. What follows the
        length of a sequence is ignored.
    input_lengths, label_lengths : array_like of int, optional
        Of shape (batch,): the steps and the labels of each sequence; by default all.
    blank : int
        The class that separates labels.
    zero_infinity : bool
        Whether the loss is 0, instead of infinite, for labels that no alignment has: more labels,
        and blanks between equal ones, than steps.
    reduction : {"mean", "sum", "none"}
        What to return of the losses of the sequences, which are not divided by their numbers of
        labels.

    Returns
    -------
    LazyArray
        Of the dtype of `log_probabilities`: without axes, or of shape (batch,). float16 and
        bfloat16 are computed in float32.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    DTypeError
        If labels or lengths are not integers.
    ArgumentError
        If `blank` is the number of no class.
    IndexingError
        If a label is the blank or the number of no class, or a length is negative, or larger than
        the number of steps or labels: at once for arrays in memory, otherwise when the loss is
        evaluated.

    Notes
    -----
    The forward algorithm of Graves, Fernández, Gomez, Schmidhuber: Connectionist temporal
    classification, 2006, on logarithms: one loop over the steps, whose state has an element for
    each label and each blank between them. The gradient of an infinite loss is 0. "mean" is that of
    the losses; some libraries divide each by the number of labels first.

    Examples
    --------
    >>> import lazyarr as la
    >>> even = la.nn.log_softmax(la.zeros((1, 2, 3)))
    >>> la.exp(-la.nn.ctc_loss(even, [[2]])).compute().round(4)  # 2 2, 0 2, 2 0 of nine
    np.float64(0.3333)
    """
    array = inexact(log_probabilities, "ctc_loss")
    if array.ndim != 3:
        raise ShapeError(
            "ctc_loss: log_probabilities must have 3 axes: batch, steps, classes; got "
            f"{array.shape}",
            origin=origin(),
        )
    batch, steps, classes = array.shape
    (separator,) = integers(blank, 1, "blank")
    if not 0 <= separator < classes:
        raise ArgumentError(
            f"blank must be the number of one of {classes} classes, got {separator}",
            origin=origin(),
        )
    numbers = as_lazy(labels)
    if numbers.ndim != 2 or numbers.shape[0] != batch:
        raise ShapeError(
            f"labels have shape {numbers.shape}, expected ({batch}, longest): a row for each "
            "sequence of the batch",
            origin=origin(),
        )
    duration, _ = _lengths(input_lengths, batch, steps, "input_lengths", "steps")
    counts, known = _lengths(label_lengths, batch, numbers.shape[1], "label_lengths", "labels")
    states, jumps = _states(_checked(numbers, counts, known, classes, separator), separator)
    scores = FUNCTIONS["maximum"](widened(array), _IMPOSSIBLE)
    # (steps, batch, states): the logarithms of the class of each state.
    emitted = movement.moveaxis(
        sorting.take_along_axis(scores, as_lazy(states[:, None, :]), axis=2), 1, 0
    )
    first = where(equal_steps.arange(states.shape[1]) == 0, 0, _IMPOSSIBLE)
    start = as_lazy(movement.broadcast_to(first, states.shape)).astype(scores.dtype)

    def step(time: LazyArray, reached: LazyArray) -> LazyArray:
        total = FUNCTIONS["logaddexp"](reached, _behind(reached, 1))
        total = FUNCTIONS["logaddexp"](total, where(jumps, _behind(reached, 2), _IMPOSSIBLE))
        return as_lazy(where(time < duration[:, None], total + emitted[time], reached))

    reached = fori_loop(steps, step, start) if states.size and steps else start
    last = sorting.take_along_axis(reached, as_lazy(2 * counts[:, None]), axis=1)
    before = sorting.take_along_axis(_behind(reached, 1), as_lazy(2 * counts[:, None]), axis=1)
    total = as_lazy(FUNCTIONS["logaddexp"](last, before)[:, 0])
    missing = 0 if zero_infinity else np.inf
    losses = as_lazy(where(total < _IMPOSSIBLE / 2, missing, -total))
    return match_dtype(reduced(losses, reduction, None), array.dtype)


def _lengths(
    lengths: Any, batch: int, longest: int, name: str, what: str
) -> tuple[LazyArray, np.ndarray[Any, Any] | None]:
    """Return the lengths of sequences, and their numbers if these are in memory.

    Numbers in memory are checked at once, others when they are read.

    Parameters
    ----------
    lengths : array_like of int or None
        Of shape (batch,); None: `longest` for all.
    batch, longest : int
        The number of sequences, and the largest length.
    name : str
        The argument's name in messages.
    what : str
        The plural of the noun that is counted, for messages.
    """
    if lengths is None:
        every = np.full(batch, longest)
        return as_lazy(every), every
    array = as_lazy(lengths)
    if kind_of(array.dtype) not in "iu":
        raise DTypeError(f"{name} must be integers, got {array.dtype}", origin=origin())
    expect_shape(array, (batch,), name, "one for each sequence of the batch")
    memory = in_memory(array)
    if memory is not None:
        for place in np.flatnonzero((memory < 0) | (memory > longest)):
            raise IndexingError(
                f"{name}[{place}] is {memory[place]}, expected 0 to {longest}, the number of "
                f"{what}",
                origin=origin(),
            )
    return taken_rows(equal_steps.arange(longest + 1), array, name, what), memory


def _checked(
    labels: LazyArray,
    counts: LazyArray,
    known: np.ndarray[Any, Any] | None,
    classes: int,
    blank: int,
) -> LazyArray:
    """Return labels, with the blank in place of those behind the end of their sequence.

    Parameters
    ----------
    labels : LazyArray
        Of shape (batch, longest).
    counts : LazyArray
        Of shape (batch,): the numbers of labels.
    known : ndarray or None
        The same numbers, if they are in memory.
    classes, blank : int
        The number of classes, and the one that is no label.
    """
    if kind_of(labels.dtype) not in "iu":
        raise DTypeError(f"labels must be integers, got {labels.dtype}", origin=origin())
    used = equal_steps.arange(labels.shape[1]) < counts[:, None]
    memory = in_memory(labels)
    if memory is not None and known is not None:
        inside = np.arange(labels.shape[1]) < known[:, None]
        wrong = inside & ((memory < 0) | (memory >= classes) | (memory == blank))
        for row, column in np.argwhere(wrong):
            raise IndexingError(
                f"labels[{row}, {column}] is {memory[row, column]}, expected a class from 0 to "
                f"{classes - 1} other than the blank, {blank}",
                origin=origin(),
            )
    wide = labels.astype(INT64)
    # Out of range, and so an error when the loss is evaluated, as the blank between labels is none.
    wide = as_lazy(where(used & (wide == blank), classes, wide))
    chosen = as_lazy(where(used, wide, blank))
    return taken_rows(equal_steps.arange(classes), chosen, "labels", "classes")


def _states(labels: LazyArray, blank: int) -> tuple[LazyArray, LazyArray]:
    """Return the classes of the states, and whether the blank before a state may be left out.

    Parameters
    ----------
    labels : LazyArray
        Of shape (batch, longest).
    blank : int
        The class between labels.

    Returns
    -------
    states : LazyArray
        Of shape (batch, 2 * longest + 1): blank, label, blank, ..., blank.
    jumps : LazyArray
        Of bool, and the same shape: true at labels that differ from the label before.
    """
    batch, longest = labels.shape
    blanks = movement.broadcast_to(as_lazy(np.asarray(blank, labels.dtype)), (batch, longest, 1))
    pairs = joining.concatenate([blanks, labels[..., None]], axis=2).reshape(batch, 2 * longest)
    end = movement.broadcast_to(as_lazy(np.asarray(blank, labels.dtype)), (batch, 1))
    states = as_lazy(joining.concatenate([pairs, end], axis=1))
    before = joining.concatenate([states[:, :2], states[:, :-2]], axis=1)[:, : states.shape[1]]
    return states, as_lazy((states != blank) & (states != before))


def _behind(reached: LazyArray, distance: int) -> LazyArray:
    """Return the state a distance before each one, impossible before the first."""
    batch, count = reached.shape
    distance = min(distance, count)
    none = as_lazy(np.asarray(_IMPOSSIBLE, reached.dtype))
    first = movement.broadcast_to(none, (batch, distance))
    return as_lazy(joining.concatenate([first, reached[:, : count - distance]], axis=1))


record_functions(globals(), __all__)
