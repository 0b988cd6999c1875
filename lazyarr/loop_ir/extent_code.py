"""Interval arithmetic of a kernel's integers as a function of Python, written once and then called.

Extents of tiles are asked for some hundred times a run. Steps are written out as assignments of two
numbers to a variable, its least and its greatest value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from lazyarr.core.frozen import dataclass

__all__ = [
    "UNBOUNDED",
    "Assignment",
    "Follow",
    "Interval",
    "Loop",
    "Number",
    "Step",
    "Term",
    "Touch",
    "compiled",
]

#: Least and largest value, both included.
Interval = tuple[int, int]

#: Beyond every index.
UNBOUNDED = 1 << 62
_ANY: Interval = (-UNBOUNDED, UNBOUNDED)

#: An integer of a step: the name of a variable, or the bounds of a number that is known.
Number: TypeAlias = str | Interval
#: A product of two.
Term: TypeAlias = tuple[Number, Number]
#: Takes the values of parameters that are known, the first work item and the one behind the last,
#: and the elements that were touched before; returns the elements that are touched.
Follow = Callable[[Mapping[str, int], int, int, Sequence[Interval]], Sequence[Interval]]


@dataclass(frozen=True, slots=True)
class Assignment:
    """The bounds of a variable, by those of operands; without a primitive, it has none."""

    target: str
    primitive: str = ""
    args: tuple[Number, ...] = ()


@dataclass(frozen=True, slots=True)
class Touch:
    """Elements that are read or written, whose indices differ by a constant.

    Attributes
    ----------
    pointer : str
        Whose they are.
    is_written : bool
        Whether they are written.
    terms : tuple of (str or (int, int), str or (int, int))
        The two factors of each product of an index.
    constants : (int, int)
        The least and the largest number that is added to those.
    """

    pointer: str
    is_written: bool
    terms: tuple[Term, ...]
    constants: Interval


@dataclass(frozen=True, slots=True)
class Loop:
    """Steps that are followed for all iterations together."""

    variable: str
    start: Number
    stop: Number
    body: tuple[Step, ...]


Step: TypeAlias = Assignment | Touch | Loop


def compiled(steps: Sequence[Step], places: Sequence[tuple[str, bool]]) -> Follow:
    """Return the function that follows steps.

    Parameters
    ----------
    steps : sequence of Step
        The steps; ``begin`` and ``end`` are the work items.
    places : sequence of (str, bool)
        Pointers, and whether they are written: the order of the extents. An extent whose first
        element lies behind its last is of none.
    """
    code = _Code({place: k for k, place in enumerate(places)})
    code.write(steps, 1)
    text = "\n".join([*code.head(), *code.lines, code.tail()])
    scope: dict[str, Any] = {
        "product": _product,
        "divide": _divide,
        "remainder": _remainder,
        "ANY": _ANY,
    }
    exec(text, scope)
    follow: Follow = scope["follow"]
    return follow


#: The expressions of the number 1.
_ONE = ("(1)", "(1)")


class _Code:
    """The lines of a function.

    Parameters
    ----------
    places : dict of (str, bool) to int
        The numbers of extents, by pointers and whether they are written.
    """

    def __init__(self, places: dict[tuple[str, bool], int]) -> None:
        self.lines: list[str] = []
        self._places = places
        self._numbers: dict[str, int] = {}
        self._assigned: set[str] = set()

    def head(self) -> list[str]:
        """Return the lines before the steps."""
        lines = ["def follow(known, begin, end, places):"]
        items = {"begin": "begin", "end": "end"}
        for name, number in self._numbers.items():
            pair = f"v{number}a, v{number}b"
            if name in self._assigned:
                lines.append(f"    {pair} = ANY")
            elif name in items:
                lines.append(f"    {pair} = {items[name]}, {items[name]}")
            else:
                value = f"(known[{name!r}],) * 2"
                lines.append(f"    {pair} = {value} if {name!r} in known else ANY")
        extents = [f"    (p{k}a, p{k}b) = places[{k}]" for k in self._places.values()]
        return lines + extents

    def tail(self) -> str:
        """Return the last line."""
        return f"    return [{', '.join(f'(p{k}a, p{k}b)' for k in self._places.values())}]"

    def write(self, steps: Sequence[Step], depth: int) -> None:
        """Append the lines of steps.

        Parameters
        ----------
        steps : sequence of Step
            The steps.
        depth : int
            Their indentation.
        """
        space = "    " * depth
        for step in steps:
            match step:
                case Assignment(target, primitive, args):
                    value = self._value(primitive, [self._pair(arg) for arg in args])
                    self.lines.append(f"{space}{self._target(target)} = {value}")
                case Touch(pointer, is_written, terms, (low, high)):
                    self.lines.append(f"{space}a, b = {low}, {high}")
                    for term in terms:
                        pair = self._value("multiply", [self._pair(factor) for factor in term])
                        self.lines.append(f"{space}x, y = {pair}")
                        self.lines.append(f"{space}a += x; b += y")
                    k = self._places[pointer, is_written]
                    self.lines.append(f"{space}if a < p{k}a: p{k}a = a")
                    self.lines.append(f"{space}if b > p{k}b: p{k}b = b")
                case Loop(variable, start, stop, body):
                    first, last = self._pair(start)[0], self._pair(stop)[1]
                    self.lines.append(f"{space}if {first} < {last}:")
                    target = self._target(variable)
                    self.lines.append(f"{space}    {target} = {first}, {last} - 1")
                    self.write(body, depth + 1)

    def _target(self, name: str) -> str:
        self._assigned.add(name)
        return ", ".join(self._pair(name))

    def _pair(self, number: Number) -> tuple[str, str]:
        """Return the expressions of the least and the greatest value of a number."""
        if isinstance(number, str):
            k = self._numbers.setdefault(number, len(self._numbers))
            return f"v{k}a", f"v{k}b"
        low, high = number
        return f"({low})", f"({high})"

    def _value(self, primitive: str, args: Sequence[tuple[str, str]]) -> str:
        """Return the expression of the bounds of a primitive of operands with these bounds."""
        pairs = [", ".join(pair) for pair in args]
        match primitive:
            case "add":
                (a, b), (c, d) = args
                return f"{a} + {c}, {b} + {d}"
            case "subtract":
                (a, b), (c, d) = args
                return f"{a} - {d}, {b} - {c}"
            case "multiply" if _ONE in args:
                return pairs[args[0] == _ONE]
            case "multiply":
                return f"product({', '.join(pairs)})"
            case "minimum" | "maximum":
                (a, b), (c, d) = args
                name = primitive[:3]
                return f"{name}({a}, {c}), {name}({b}, {d})"
            case "select":
                _, (a, b), (c, d) = args
                return f"min({a}, {c}), max({b}, {d})"
            case "copy" | "convert":
                return pairs[0]
            case "divide" | "remainder":
                return f"{primitive}({', '.join(pairs)})"
        return "ANY"


def _product(a: int, b: int, c: int, d: int) -> Interval:
    """Return the bounds of the product of a number from `a` to `b` and one from `c` to `d`."""
    if a == b >= 0:  # mostly a number that is known
        return _clipped(a * c, a * d)
    corners = a * c, a * d, b * c, b * d
    return _clipped(min(corners), max(corners))


def _clipped(low: int, high: int) -> Interval:
    if low >= -UNBOUNDED and high <= UNBOUNDED:
        return low, high
    return max(-UNBOUNDED, min(UNBOUNDED, low)), max(-UNBOUNDED, min(UNBOUNDED, high))


def _divide(low: int, high: int, by: int, most: int) -> Interval:
    """Return the bounds of a quotient; none unless the divisor is one positive number."""
    return (_quotient(low, by), _quotient(high, by)) if 0 < by == most else _ANY


def _remainder(low: int, high: int, by: int, most: int) -> Interval:
    """Return the bounds of a remainder; none unless the divisor is one positive number."""
    if not 0 < by == most:
        return _ANY
    first = _quotient(low, by)
    if first == _quotient(high, by):
        return low - first * by, high - first * by
    return 0 if low >= 0 else 1 - by, by - 1


def _quotient(value: int, by: int) -> int:
    """Return C's quotient, which is rounded towards zero."""
    return value // by if value >= 0 else -(-value // by)
