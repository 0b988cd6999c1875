"""Neighbouring elements that one thread of a GPU computes."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from lazyarr.codegen.loop_nest import Frame
from lazyarr.loop_ir.kernel import Operand

__all__ = ["LateTerms", "Neighbours"]


class Neighbours(NamedTuple):
    """Elements side by side along the last axis of a frame.

    Attributes
    ----------
    frame : Frame
        The loops over the elements.
    counters : sequence of Operand
        The counters of these loops at the first element.
    width : int
        The number of elements; more than one only where vectors of so many are loaded and stored.
    left : Operand, optional
        The number of elements before the end, which may be fewer than `width`; None: all are there.
        Terms are computed for those behind the end, too, but they are neither loaded nor stored.
    """

    frame: Frame
    counters: Sequence[Operand]
    width: int
    left: Operand | None = None


class LateTerms(NamedTuple):
    """Terms whose values are put in for one element at a time, such as results of reductions.

    Attributes
    ----------
    put : callable
        Puts the values in for the element of a number, before the terms that use them are written.
    terms : container of int
        The terms.
    """

    put: Callable[[int], None]
    terms: Container[int]
