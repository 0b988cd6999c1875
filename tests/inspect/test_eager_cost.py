"""What NumPy would do, worked out by hand."""

from __future__ import annotations

from lazyarr.inspect.eager_cost import Eager, eager_cost
from tests.support import inspect_programs as make


def test_every_operation_reads_its_operands_and_writes_its_result():
    a, b = make.leaf(100), make.leaf(100)
    result = make.total(make.apply(make.MULTIPLY, make.apply(make.SUBTRACT, a, b), b), 0)
    # subtract 1600 + 800, multiply 1600 + 800, sum 800 + 8; both temporaries live in the multiply
    assert eager_cost([result]) == Eager(3, 2400 + 2400 + 808, 2, 1600)


def test_an_operand_used_twice_in_one_call_is_read_once():
    a = make.leaf(100)
    assert eager_cost([make.apply(make.MULTIPLY, a, a)]).bytes_moved == 1600


def test_views_are_free_and_reading_one_costs_what_it_touches():
    grid = make.leaf(100, 100)
    result = make.apply(make.EXP, make.part(grid, (0, 0), (10, 10)))
    assert eager_cost([result]) == Eager(1, 1600, 0, 800)


def test_a_conversion_with_one_user_is_made_in_passing():
    a = make.leaf(100, dtype="float32")
    result = make.apply(make.EXP, make.cast(a, "float64"))
    assert eager_cost([result]) == Eager(1, 400 + 800, 0, 800)


def test_a_conversion_that_is_a_result_is_work():
    result = make.cast(make.leaf(100, dtype="float32"), "float64")
    assert eager_cost([result]) == Eager(1, 400 + 800, 0, 800)


def test_results_stay_alive_and_temporaries_die():
    a = make.leaf(100)
    first = make.apply(make.EXP, a)
    second = make.apply(make.EXP, first)
    third = make.apply(make.EXP, second)
    assert eager_cost([third]).peak_bytes == 1600
    assert eager_cost([first, third]).peak_bytes == 2400
    assert eager_cost([first, third]).temporaries == 1


def test_a_long_chain_does_not_recurse():
    assert eager_cost([make.chain(100_000)]).operations == 100_000
