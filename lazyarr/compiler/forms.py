"""Forms of expressions: signatures without lengths, with the plans that fit several lengths.

A loop over ``x[:k]`` evaluates expressions that differ in an integer. The first has a plan of its
own. The second of the form is planned with symbols (:mod:`lazyarr.core.symbolic_integers`) for the
integers that differ, which are lengths, strides and offsets; that plan is *filled* for each
expression that its guards admit. Decisions depend on sizes, so that a form has several such plans:
one for short rows, one for long ones.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.compiler.counters import Repetition
from lazyarr.core import tuning
from lazyarr.core.frozen import replace
from lazyarr.core.shapes import View
from lazyarr.graph.node import Node, Op
from lazyarr.ops.gather import Gathered
from lazyarr.passes.canonicalize import Signature, Sizes

if TYPE_CHECKING:
    from lazyarr.core.symbolic_integers import SymbolicInteger
    from lazyarr.execution.cpu.filling import GenericPlan

__all__ = ["FORMS", "Form", "Member", "Pattern", "form_of", "sizes_of"]


def form_of(signature: Signature) -> tuple[tuple[Hashable, ...], tuple[int, ...]]:
    """Return a signature without its lengths, strides and offsets, and these.

    Parameters
    ----------
    signature : tuple
        As :func:`lazyarr.passes.canonicalize.bind` returns it.
    """
    parts: list[Hashable] = []
    numbers: list[int] = []
    for entry in signature[:-1]:
        if type(entry) is not tuple:
            parts.append(entry)
            continue
        if isinstance(entry[0], np.dtype):
            dtype, shape, strides = entry
            parts.append((dtype, len(shape)))
            numbers += shape
            numbers += strides
            continue
        op, dtype, shape, attr, *places = entry
        numbers += shape
        view = attr.view if type(attr) is Gathered else attr
        if type(view) is View:
            numbers += view.offsets
            for row in view.coefficients:
                numbers += row
            attr = (len(view.offsets), *attr.axes) if type(attr) is Gathered else len(view.offsets)
        parts.append((op, dtype, len(shape), attr, *places))
    parts.append(signature[-1])
    return tuple(parts), tuple(numbers)


def sizes_of(signature: Signature, order: Sequence[Node], numbers: Sequence[Any]) -> Sizes:
    """Return shape and attribute of each node with other numbers.

    Parameters
    ----------
    signature : tuple
        Of an expression.
    order : sequence of Node
        The nodes that its entries stand for.
    numbers : sequence of int or SymbolicInteger
        In the places of those that :func:`form_of` returns.
    """
    sizes: Sizes = {}
    at = 0

    def take(count: int) -> tuple[Any, ...]:
        nonlocal at
        at += count
        return tuple(numbers[at - count : at])

    for node, entry in zip(order, signature[:-1], strict=True):
        if type(entry) is not tuple:
            continue
        if not isinstance(entry[0], Op):
            shape = take(len(entry[1]))
            sizes[node] = shape, take(len(shape))
            continue
        shape, attr = take(len(entry[2])), entry[3]
        view = attr.view if type(attr) is Gathered else attr
        if type(view) is View:
            offsets = take(len(view.offsets))
            view = View(offsets, tuple([take(len(row)) for row in view.coefficients]))
            attr = replace(attr, view=view) if type(attr) is Gathered else view
        sizes[node] = shape, attr
    return sizes


class Pattern:
    """The symbolic numbers of a form; all others are guards of the plan.

    Parameters
    ----------
    numbers : sequence of int
        Those of the expression at hand.
    others : sequence of sequence of int
        Those of earlier expressions of the form. Numbers that are equal in all of them are one
        symbol.
    """

    def __init__(self, numbers: Sequence[int], others: Sequence[Sequence[int]]) -> None:
        columns = list(zip(numbers, *others, strict=True))
        first: dict[tuple[int, ...], int] = {}
        self._constants: list[tuple[int, int]] = []
        self._copies: list[tuple[int, int]] = []
        symbols: list[int] = []
        which: list[int | None] = []
        for place, column in enumerate(columns):
            if all(number == column[0] for number in column):
                self._constants.append((place, column[0]))
                which.append(None)
                continue
            known = first.setdefault(column, place)
            if known != place:
                self._copies.append((place, known))
            else:
                symbols.append(place)
            which.append(symbols.index(known))
        self._symbols = tuple(symbols)
        # Imported here: the first expression of a form has numbers of its own.
        from lazyarr.core.symbolic_integers import SymbolTrace

        self.trace = SymbolTrace([numbers[place] for place in symbols])
        self.numbers: tuple[int | SymbolicInteger, ...] = tuple(
            number if symbol is None else self.trace.symbols[symbol]
            for number, symbol in zip(numbers, which, strict=True)
        )

    def values(self, numbers: Sequence[int]) -> tuple[int, ...] | None:
        """Return the values of the symbols for an expression; None: it is of another pattern."""
        for place, constant in self._constants:
            if numbers[place] != constant:
                return None
        for place, symbol in self._copies:
            if numbers[place] != numbers[symbol]:
                return None
        return tuple([numbers[place] for place in self._symbols])


class Member:
    """A plan of a form.

    Parameters
    ----------
    pattern : Pattern
        What its symbols are.
    plan : GenericPlan
        The plan over them.
    """

    def __init__(self, pattern: Pattern, plan: GenericPlan) -> None:
        self.pattern = pattern
        self.plan = plan
        self.repetition = Repetition()
        self._fits = pattern.trace.guard_function()

    def values(self, numbers: Sequence[int]) -> tuple[int, ...] | None:
        """Return the values of the symbols for an expression; None: the plan does not fit it."""
        values = self.pattern.values(numbers)
        return values if values is not None and self._fits(*values) else None


class Form:
    """The plans and patterns of a form.

    Parameters
    ----------
    numbers : tuple of int
        Those of its first expression.
    """

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self._seen = [numbers]
        self.members: list[Member] = []
        self.attempts = 0
        self._narrow = 0

    def find(self, numbers: Sequence[int]) -> tuple[Member, tuple[int, ...]] | None:
        """Return a plan that fits, and the values of its symbols."""
        for member in self.members:
            values = member.values(numbers)
            if values is not None:
                return member, values
        return None

    def pattern(self, numbers: tuple[int, ...]) -> Pattern | None:
        """Return the pattern of a further plan; None: there are enough of them."""
        if self.attempts >= tuning.row().patterns or numbers in self._seen:
            return None
        self.attempts += 1
        pattern = Pattern(numbers, self._seen)
        self._seen.append(numbers)
        return pattern

    def add(self, member: Member) -> None:
        """Enter a plan. One that fits a single length leaves room for others, up to a bound.

        Parameters
        ----------
        member : Member
            Of the pattern that was asked for last.
        """
        self.members.append(member)
        if member.pattern.trace.fixed and self._narrow < tuning.row().narrow_patterns:
            self._narrow += 1
            self.attempts -= 1


class _Forms:
    """Forms by their keys, least recently used first."""

    def __init__(self) -> None:
        self._table: OrderedDict[Hashable, Form] = OrderedDict()
        self._lock = threading.Lock()

    def enter(self, key: Hashable, numbers: tuple[int, ...]) -> Form | None:
        """Return the form of a key; None: it is new, and entered with these numbers.

        Parameters
        ----------
        key : hashable
            A form, and what else its plans depend on.
        numbers : tuple of int
            Those of the expression at hand.
        """
        with self._lock:
            form = self._table.get(key)
            if form is not None:
                self._table.move_to_end(key)
                return form
            self._table[key] = Form(numbers)
            while len(self._table) > tuning.row().forms:
                self._table.popitem(last=False)
        return None

    def renew_lock(self) -> None:
        self._lock = threading.Lock()

    def clear(self) -> None:
        with self._lock:
            self._table.clear()


FORMS = _Forms()


if hasattr(os, "register_at_fork"):
    # The lock may be held by a thread that the child does not have.
    os.register_at_fork(after_in_child=FORMS.renew_lock)
