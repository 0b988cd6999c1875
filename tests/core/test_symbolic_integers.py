"""Symbols behave as the integers that they stand for, and record what was decided by them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lazyarr.core.symbolic_integers import SymbolicInteger, SymbolTrace
from lazyarr.errors import ContractError

NUMBERS = st.integers(-40, 40)
STEPS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a // b if b != 0 else a,
    lambda a, b: a % b if b != 0 else b,
    lambda a, b: sum(divmod(29, b)) if b != 0 else a,
    lambda a, b: sum(divmod(a, b)) if b != 0 else a,
    lambda a, b: -a,
    lambda a, b: max(a, b),
    lambda a, b: min(a, b),
    lambda a, b: abs(a),
    lambda a, b: a if a == b else b,
    lambda a, b: 3 * a - 7,
    lambda a, b: -(-a // 8),
    lambda a, b: 5 - a,
    lambda a, b: a or b,
    lambda a, b: a if a > 2.5 or not a >= -8.25 else b,
    lambda a, b: math.prod([a, b, 2]),
]
PROGRAMS = st.lists(
    st.tuples(st.sampled_from(STEPS), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8
)


def _run(program: list[tuple[Any, int, int]], values: list[Any]) -> Any:
    values = list(values)
    for step, left, right in program:
        values.append(step(values[left % len(values)], values[right % len(values)]))
    return values


@given(PROGRAMS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_where_the_guards_hold_the_values_are_those_of_integers(
    program: list[tuple[Any, int, int]], a: int, b: int, c: int, d: int
) -> None:
    trace = SymbolTrace([a, b])
    results = _run(program, list(trace.symbols))
    integers = [result for result in results if type(result) is SymbolicInteger]
    fits, values = trace.guard_function(), trace.value_function(integers)
    assert fits(a, b)

    def check(x: int, y: int) -> None:
        concrete = iter(values(x, y))
        filled = [next(concrete) if type(r) is SymbolicInteger else r for r in results]
        assert filled == _run(program, [x, y])

    check(a, b)
    assume(fits(c, d))
    check(c, d)


def test_arithmetic_decides_nothing() -> None:
    trace = SymbolTrace([6, 4])
    n, m = trace.symbols
    total = (n + 2) * m - (m * n + 1)
    assert trace.guard_function()(1, 1)
    assert trace.value_function([total])(10, 3) == (5,)
    assert n - n == 0
    assert (2 * n + 4) // 2 is n + 2
    assert trace.guard_function()(-5, 0)


def test_a_number_that_is_taken_out_is_a_guard() -> None:
    for take in (range, str, float, int, "{}".format, lambda n: [0] * n):
        trace = SymbolTrace([6])
        (n,) = trace.symbols
        take(n)  # type: ignore[operator]
        assert trace.guard_function()(6)
        assert not trace.guard_function()(7)


def test_a_symbol_is_no_number_in_a_table() -> None:
    trace = SymbolTrace([6])
    (n,) = trace.symbols
    assert {6: "six"}.get(n) is None
    assert {n: "n"}[n + 1 - 1] == "n"
    assert trace.guard_function()(7)


def test_repr_is_for_readers_and_decides_nothing() -> None:
    trace = SymbolTrace([6])
    assert repr(trace.symbols[0] * 2) == "12"
    assert trace.guard_function()(7)


def test_a_closed_trace_decides_nothing_new() -> None:
    trace = SymbolTrace([6])
    (n,) = trace.symbols
    assert n < 8
    trace.close()
    assert n < 8
    with pytest.raises(ContractError, match="after planning"):
        bool(n < 9)


def test_a_divisor_is_tested_before_it_divides() -> None:
    trace = SymbolTrace([6, 4])
    n, m = trace.symbols
    assert n // m == 1
    assert trace.guard_function()(7, 5)
    assert not trace.guard_function()(6, 0)


def test_division_by_zero_is_an_error_as_of_integers() -> None:
    trace = SymbolTrace([6, 0])
    n, zero = trace.symbols
    with pytest.raises(ZeroDivisionError):
        n // zero
    with pytest.raises(TypeError):
        n + "1"
