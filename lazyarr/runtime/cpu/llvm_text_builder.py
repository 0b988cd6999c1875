"""Writing LLVM IR by hand: arithmetic, variables and loops, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Carried", "TextBuilder"]


class Carried:
    """Values that change from one iteration of a loop to the next.

    Attributes
    ----------
    values : list of str
        Within the loop those at the beginning of an iteration; assign those at its end. Behind
        the loop the last ones.
    """

    def __init__(self, values: list[str]) -> None:
        self.values = values


class TextBuilder:
    """The body of one function, in static single assignment form.

    Values are names or numbers as LLVM IR writes them.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._count = 0
        self._block = "entry"

    @property
    def text(self) -> str:
        """The lines so far."""
        return "\n".join(self._lines)

    def line(self, text: str) -> None:
        """Append one line."""
        self._lines.append(f"  {text}")

    def value(self, text: str) -> str:
        """Append an instruction and return the name of its result."""
        self._count += 1
        name = f"%v{self._count}"
        self.line(f"{name} = {text}")
        return name

    def label(self, name: str) -> None:
        """Begin the basic block of this name."""
        self._lines.append(f"{name}:")
        self._block = name

    def add(self, *terms: str) -> str:
        """Return the sum of integers."""
        total = terms[0]
        for term in terms[1:]:
            if total == "0":
                total = term
            elif term != "0":
                total = self.value(f"add i64 {total}, {term}")
        return total

    def subtract(self, a: str, b: str) -> str:
        """Return the difference of two integers.

        Parameters
        ----------
        a, b : str
            Integers.
        """
        return self.value(f"sub i64 {a}, {b}")

    def multiply(self, *factors: str) -> str:
        """Return the product of integers."""
        product = factors[0]
        for factor in factors[1:]:
            product = self.value(f"mul i64 {product}, {factor}")
        return product

    def divide(self, a: str, b: str) -> str:
        """Return the quotient of integers, cut towards zero.

        Parameters
        ----------
        a, b : str
            Integers.
        """
        return self.value(f"sdiv i64 {a}, {b}")

    def remainder(self, a: str, b: str) -> str:
        """Return the rest of a division.

        Parameters
        ----------
        a, b : str
            Integers.
        """
        return self.value(f"srem i64 {a}, {b}")

    def least(self, a: str, b: str) -> str:
        """Return the smaller of two integers.

        Parameters
        ----------
        a, b : str
            Integers.
        """
        return self.choose(self.compare("slt", a, b), a, b)

    def compare(self, predicate: str, a: str, b: str) -> str:
        """Return the truth of one of LLVM's predicates.

        Parameters
        ----------
        predicate : str
            Such as "slt".
        a, b : str
            Integers.
        """
        return self.value(f"icmp {predicate} i64 {a}, {b}")

    def choose(self, condition: str, a: str, b: str) -> str:
        """Return one of two integers.

        Parameters
        ----------
        condition : str
            Of type i1: whether it is the first.
        a, b : str
            Integers.
        """
        return self.value(f"select i1 {condition}, i64 {a}, i64 {b}")

    def both(self, *conditions: str) -> str:
        """Return whether all conditions are true."""
        result = conditions[0]
        for condition in conditions[1:]:
            result = self.value(f"and i1 {result}, {condition}")
        return result

    def element(self, pointer: str, kind: str, index: str) -> str:
        """Return the address of an element of an array.

        Parameters
        ----------
        pointer : str
            The address of the array.
        kind : str
            The type of its elements.
        index : str
            The number of the element.
        """
        return self.value(f"getelementptr {kind}, ptr {pointer}, i64 {index}")

    def load(self, kind: str, pointer: str, align: int) -> str:
        """Return a value from memory.

        Parameters
        ----------
        kind : str
            Its type.
        pointer : str
            Its address.
        align : int
            Of which that is a multiple.
        """
        return self.value(f"load {kind}, ptr {pointer}, align {align}")

    def store(self, kind: str, value: str, pointer: str, align: int) -> None:
        """Write a value to memory.

        Parameters
        ----------
        kind, value : str
            Its type, and its name.
        pointer : str
            The address.
        align : int
            Of which that is a multiple.
        """
        self.line(f"store {kind} {value}, ptr {pointer}, align {align}")

    @contextmanager
    def loop(
        self, start: str, stop: str, step: str = "1", kind: str = "", carried: Carried | None = None
    ) -> Iterator[str]:
        """Repeat the instructions within for ``start, start + step, ...`` below `stop`.

        Parameters
        ----------
        start, stop, step : str
            Integers.
        kind : str
            The type of the values that are carried.
        carried : Carried, optional
            Values of the first iteration, and then of each next one.

        Yields
        ------
        str
            The counter.
        """
        self._count += 1
        number = self._count
        head, body, done = (f"{word}{number}" for word in ("head", "body", "done"))
        before = self._block
        self.line(f"br label %{head}")
        self.label(head)
        opening = len(self._lines)
        phis = [f"%c{number}"]
        initial = ["i64 " + start]
        if carried is not None:
            phis += [f"%c{number}.{k}" for k in range(len(carried.values))]
            initial += [f"{kind} {value}" for value in carried.values]
            carried.values = phis[1:]
        counter = phis[0]
        self.line(f"br i1 {self.compare('slt', counter, stop)}, label %{body}, label %{done}")
        self.label(body)
        yield counter
        last = [self.add(counter, step), *(carried.values if carried is not None else ())]
        lines = []
        for phi, first, final in zip(phis, initial, last, strict=True):
            its_kind, _, value = first.rpartition(" ")
            lines.append(
                f"  {phi} = phi {its_kind} [ {value}, %{before} ], [ {final}, %{self._block} ]"
            )
        self._lines[opening:opening] = lines
        self.line(f"br label %{head}")
        self.label(done)
        if carried is not None:
            carried.values = phis[1:]

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Run the instructions within if a condition is true.

        Parameters
        ----------
        condition : str
            A value of type i1.
        """
        self._count += 1
        inside, after = f"when{self._count}", f"after{self._count}"
        self.line(f"br i1 {condition}, label %{inside}, label %{after}")
        self.label(inside)
        yield
        self.line(f"br label %{after}")
        self.label(after)
