"""Integers that are known only when a plan is filled: lengths, offsets and strides as symbols.

A plan of one expression fits others that differ in lengths only, as long as every decision that was
taken on the way comes out the same. So the stages of the compiler are run with symbols in the place
of the integers. A symbol has the value of the expression at hand, by which each comparison is
decided, and each decision is recorded as a *guard*. Arithmetic gives polynomials, which decide
nothing. Whatever takes a number out of a symbol (a loop over a range, a digit in a text) is a guard
too: the plan then fits that number alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lazyarr.errors import ContractError

__all__ = ["SymbolTrace", "SymbolicInteger"]

#: A product of variables, by their numbers in ascending order.
_Monomial = tuple[int, ...]
#: Coefficients of monomials, in ascending order of these.
_Polynomial = tuple[tuple[_Monomial, int], ...]


class SymbolTrace:
    """The symbols of one plan, the values computed from them, and the guards.

    Parameters
    ----------
    values : sequence of int
        The values that the symbols have in the expression at hand.

    Attributes
    ----------
    symbols : tuple of SymbolicInteger
        One for each value.
    fixed : bool
        Whether a guard takes a number out of a symbol, so that the plan fits little else.
    """

    def __init__(self, values: Sequence[int]) -> None:
        self._values = list(values)
        self._definitions: list[str] = []
        self._tests: list[str] = []  # definitions and guards in the order in which they came
        self._quotients: dict[tuple[str, object, object], int] = {}
        self._known: dict[_Polynomial, SymbolicInteger] = {}
        self._guards: dict[tuple[_Polynomial, str, object], bool] = {}
        self._count = len(self._values)
        self._closed = False
        self.fixed = False
        self.symbols = tuple(self._integer((((k,), 1),)) for k in range(self._count))

    def close(self) -> None:
        """End the trace: no decision may be taken any more."""
        self._closed = True

    def combine(self, left: _Polynomial, right: _Polynomial, factor: int) -> SymbolicInteger | int:
        """Return ``left + factor * right``.

        Parameters
        ----------
        left, right : polynomial
            Of this trace.
        factor : int
            A number.
        """
        total = dict(left)
        for monomial, coefficient in right:
            total[monomial] = total.get(monomial, 0) + factor * coefficient
        return self._of(total)

    def product(self, left: _Polynomial, right: _Polynomial) -> SymbolicInteger | int:
        """Return ``left * right``.

        Parameters
        ----------
        left, right : polynomial
            Of this trace.
        """
        total: dict[_Monomial, int] = {}
        for first, by in left:
            for second, times in right:
                monomial = tuple(sorted(first + second))
                total[monomial] = total.get(monomial, 0) + by * times
        return self._of(total)

    def quotient(self, left: _Polynomial, right: _Polynomial, sign: str) -> SymbolicInteger | int:
        """Return ``left // right`` or ``left % right``.

        Parameters
        ----------
        left, right : polynomial
            Of this trace.
        sign : {"//", "%"}
            Which.
        """
        if left == right and left:
            self.decide(right, "!=", 0)
            return 1 if sign == "//" else 0
        if len(right) == 1 and right[0][0] == ():
            by = right[0][1]
            if by and all(coefficient % by == 0 for _, coefficient in left):
                if sign == "%":
                    return 0
                return self._of({monomial: c // by for monomial, c in left})
        key = (sign, left, right)
        number = self._quotients.get(key)
        if number is None:
            above, below = self.value(left), self.value(right)
            number = self._quotients[key] = len(self._values)
            self._values.append(above // below if sign == "//" else above % below)
            quotient = f"({self._text(left)}) {sign} ({self._text(right)})"
            self._definitions.append(f"    v{number} = {quotient}")
            self._tests.append(self._definitions[-1])
        return self._integer((((number,), 1),))

    def decide(self, polynomial: _Polynomial, relation: str, bound: int | float) -> bool:
        """Return whether a polynomial relates to a number as said, and record that as a guard.

        Parameters
        ----------
        polynomial : polynomial
            Of this trace.
        relation : {"==", "!=", "<", "<="}
            How.
        bound : int or float
            The number.
        """
        if relation == "!=":
            return not self.decide(polynomial, "==", bound)
        if not any(monomial for monomial, _ in polynomial):
            return _RELATIONS[relation](self.value(polynomial), bound)
        key = (polynomial, relation, bound)
        decided = self._guards.get(key)
        if decided is None:
            if self._closed:
                raise ContractError("a symbolic length was compared after planning")
            decided = self._guards[key] = _RELATIONS[relation](self.value(polynomial), bound)
            test = f"{self._text(polynomial)} {relation} {bound!r}"
            unless = f"not {test}" if decided else test
            self._tests.append(f"    if {unless}: return False")
        return decided

    def fix(self, polynomial: _Polynomial) -> int:
        """Return the value of a polynomial, which the plan then depends on.

        Parameters
        ----------
        polynomial : polynomial
            Of this trace.
        """
        value = self.value(polynomial)
        self.decide(polynomial, "==", value)
        self.fixed = True
        return value

    def value(self, polynomial: _Polynomial) -> int:
        """Return the value that a polynomial has in the expression at hand."""
        total = 0
        for monomial, coefficient in polynomial:
            product = coefficient
            for variable in monomial:
                product *= self._values[variable]
            total += product
        return total

    def guard_function(self) -> Callable[..., bool]:
        """Return the function of the symbols' values that says whether the plan fits them."""
        # In order: a division is preceded by the guard that its divisor is not 0.
        return self._function([*self._tests, "    return True"])

    def value_function(self, results: Iterable[SymbolicInteger]) -> Callable[..., tuple[int, ...]]:
        """Return the function from the symbols' values to those of derived integers.

        Parameters
        ----------
        results : iterable of SymbolicInteger
            Of this trace.
        """
        texts = [self._text(result.polynomial) for result in results]
        result = "".join(text + ", " for text in texts)
        return self._function([*self._definitions, f"    return ({result})"])

    def _function(self, lines: Sequence[str]) -> Callable[..., Any]:
        names = ", ".join(f"v{k}" for k in range(self._count))
        scope: dict[str, Any] = {}
        exec("\n".join([f"def function({names}):", *lines]), scope)
        function: Callable[..., Any] = scope["function"]
        return function

    def _text(self, polynomial: _Polynomial) -> str:
        terms = [
            " * ".join([str(coefficient), *(f"v{k}" for k in monomial)])
            for monomial, coefficient in polynomial
        ]
        return " + ".join(terms) or "0"

    def _of(self, total: dict[_Monomial, int]) -> SymbolicInteger | int:
        polynomial = tuple(sorted((m, c) for m, c in total.items() if c))
        if not polynomial:
            return 0
        if len(polynomial) == 1 and polynomial[0][0] == ():
            return polynomial[0][1]
        return self._integer(polynomial)

    def _integer(self, polynomial: _Polynomial) -> SymbolicInteger:
        known = self._known.get(polynomial)
        if known is None:
            known = self._known[polynomial] = SymbolicInteger(self, polynomial)
        return known


_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda left, right: bool(left == right),
    "<": lambda left, right: bool(left < right),
    "<=": lambda left, right: bool(left <= right),
}


class SymbolicInteger:
    """A polynomial of the symbols of a trace, which behaves as an integer does.

    Equal polynomials of one trace are one object.

    Parameters
    ----------
    trace : SymbolTrace
        Of which it is.
    polynomial : polynomial
        The coefficients.
    """

    __slots__ = ("polynomial", "trace")

    def __init__(self, trace: SymbolTrace, polynomial: _Polynomial) -> None:
        self.trace = trace
        self.polynomial = polynomial

    def _other(self, other: object) -> _Polynomial | None:
        """Return another operand as a polynomial; None: it is no integer."""
        if type(other) is SymbolicInteger:
            return other.polynomial
        if isinstance(other, int):
            return (((), int(other)),) if other else ()
        return None

    def __add__(self, other: Any) -> Any:
        right = self._other(other)
        if right is None:
            return NotImplemented
        return self.trace.combine(self.polynomial, right, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        right = self._other(other)
        if right is None:
            return NotImplemented
        return self.trace.combine(self.polynomial, right, -1)

    def __rsub__(self, other: Any) -> Any:
        left = self._other(other)
        if left is None:
            return NotImplemented
        return self.trace.combine(left, self.polynomial, -1)

    def __mul__(self, other: Any) -> Any:
        right = self._other(other)
        if right is None:
            return float(self) * other if isinstance(other, float) else NotImplemented
        return self.trace.product(self.polynomial, right)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self.trace.combine((), self.polynomial, -1)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __floordiv__(self, other: Any) -> Any:
        return self._quotient(self, other, "//")

    def __rfloordiv__(self, other: Any) -> Any:
        return self._quotient(other, self, "//")

    def __mod__(self, other: Any) -> Any:
        return self._quotient(self, other, "%")

    def __rmod__(self, other: Any) -> Any:
        return self._quotient(other, self, "%")

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def _quotient(self, above: Any, below: Any, sign: str) -> Any:
        left, right = self._other(above), self._other(below)
        if left is None or right is None:
            return NotImplemented
        if not self.trace.decide(right, "!=", 0):
            raise ZeroDivisionError("integer division or modulo by zero")
        return self.trace.quotient(left, right, sign)

    def _decide(self, other: Any, relation: str, swapped: bool = False) -> Any:
        right = self._other(other)
        if right is None:
            if not isinstance(other, float):
                return NotImplemented
            sides = (float(other), self.trace.value(self.polynomial))
            if swapped:
                raise ContractError("a length is compared with a float from the right")
            del sides
            return self.trace.decide(self.polynomial, relation, other)
        left = self.polynomial
        if swapped:
            left, right = right, left
        difference = self.trace.combine(left, right, -1)
        if type(difference) is SymbolicInteger:
            constant = dict(difference.polynomial).get((), 0)
            moving = tuple(term for term in difference.polynomial if term[0])
            return self.trace.decide(moving, relation, -constant)
        return _RELATIONS[relation](difference, 0)

    def __lt__(self, other: Any) -> Any:
        return self._decide(other, "<")

    def __le__(self, other: Any) -> Any:
        return self._decide(other, "<=")

    def __gt__(self, other: Any) -> Any:
        if isinstance(other, float):
            return not self._decide(other, "<=")
        return self._decide(other, "<", swapped=True)

    def __ge__(self, other: Any) -> Any:
        if isinstance(other, float):
            return not self._decide(other, "<")
        return self._decide(other, "<=", swapped=True)

    def __eq__(self, other: object) -> Any:
        return self is other or self._decide(other, "==")

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        # Of the object: as the key of a table a symbol never is some number.
        return object.__hash__(self)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __index__(self) -> int:
        return self.trace.fix(self.polynomial)

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.trace.fix(self.polynomial))

    def __truediv__(self, other: Any) -> Any:
        return self.trace.fix(self.polynomial) / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.trace.fix(self.polynomial)

    def __pow__(self, other: Any) -> Any:
        return self.trace.fix(self.polynomial) ** other

    def __str__(self) -> str:
        return str(self.trace.fix(self.polynomial))

    def __format__(self, spec: str) -> str:
        return format(self.trace.fix(self.polynomial), spec)

    def __repr__(self) -> str:
        # For readers; no text that is compiled is made by it.
        return str(self.trace.value(self.polynomial))
