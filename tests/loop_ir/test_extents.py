"""Which elements work items touch: all that they touch, and of kernels in tiles little more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.launch import Address, Launch, Number
from lazyarr.compiler import compilation
from lazyarr.loop_ir.extents import UNBOUNDED, Access, Extents
from lazyarr.loop_ir.kernel import Declare, For, If, Kernel, Let, Load, Store, Update, While
from lazyarr.loop_ir.values import Index, Literal, Pointer, Value

INT64, FLOAT64, BOOL = np.dtype("i8"), np.dtype("f8"), np.dtype("?")
X, Y = Pointer("x", FLOAT64), Pointer("y", FLOAT64, written=True)
BEGIN, END = Value("begin", INT64), Value("end", INT64)


def _int(name: str) -> Value:
    return Value(name, INT64)


def _number(value: int) -> Literal:
    return Literal(value, INT64)


def _kernel(*body: Any) -> Kernel:
    return Kernel("k", (X, Y, _int("n")), (For(_int("w"), BEGIN, END, body),))


def _load(*terms: tuple[int, Value]) -> Load:
    return Load(Value("v", FLOAT64), X, Index(0, terms))


def touched_elements(
    kernel: Kernel, begin: int, end: int, numbers: dict[str, int]
) -> dict[str, Access]:
    pointers = [p.name for p in kernel.parameters if isinstance(p, Pointer)]
    return Extents(kernel, pointers).touched(begin, end, numbers)


class TestPrimitives:
    @pytest.mark.parametrize("primitive", ["divide", "remainder"])
    @pytest.mark.parametrize("low", [-7, -3, 0, 4, 9])
    def test_quotients_are_those_of_c(self, primitive: str, low: int) -> None:
        let = Let(_int("q"), primitive, (_int("w"), _number(3)))
        place = touched_elements(_kernel(let, _load((1, _int("q")))), low, low + 6, {})["x"].read
        assert place is not None
        values = range(low, low + 6)
        quotients = [int(v / 3) for v in values]
        results = (
            quotients
            if primitive == "divide"
            else [v - 3 * q for v, q in zip(values, quotients, strict=True)]
        )
        assert place[0] <= min(results) and place[1] > max(results)
        if primitive == "divide":
            assert place == (min(results), max(results) + 1)

    def test_bounds_contain_each_value_of_arithmetic(self) -> None:
        for name in ("add", "subtract", "multiply", "minimum", "maximum"):
            let = Let(_int("q"), name, (_int("w"), _number(-4)))
            place = touched_elements(_kernel(let, _load((1, _int("q")))), -2, 5, {})["x"].read
            results = [int(getattr(np, name)(w, -4)) for w in range(-2, 5)]
            assert place == (min(results), max(results) + 1)

    def test_what_is_not_known_is_not_bounded(self) -> None:
        unknown = [
            (Load(_int("q"), Pointer("x", INT64), Index(0, ())),),
            (Declare(_int("q"), _number(0)), Update(_int("q"), "add", (_int("q"), _number(1)))),
            (Let(_int("q"), "convert", (Value("f", FLOAT64),)),),
            (Let(_int("q"), "shift_left", (_int("w"), _number(1))),),
        ]
        for statements in unknown:
            kernel = _kernel(
                *statements, Store(Y, Index(0, ((1, _int("q")),)), Value("v", FLOAT64))
            )
            place = touched_elements(kernel, 0, 3, {})["y"].written
            assert place is not None and place[0] <= -UNBOUNDED < UNBOUNDED <= place[1]


class TestStatements:
    def test_branches_and_loops_count_as_taken(self) -> None:
        condition = Value("c", BOOL)
        kernel = _kernel(
            If(condition, (_load((2, _int("w"))),)),
            While(condition, (Store(Y, Index(5, ((1, _int("w")),)), Value("v", FLOAT64)),)),
        )
        touched = touched_elements(kernel, 3, 6, {})
        assert touched["x"].read == (6, 11) and touched["y"].written == (8, 11)
        assert touched["x"].written is None and touched["y"].read is None

    def test_a_loop_of_no_iterations_touches_nothing(self) -> None:
        kernel = _kernel(For(_int("i"), _number(4), _number(4), (_load((1, _int("i"))),)))
        assert touched_elements(kernel, 0, 9, {})["x"].read is None

    def test_parameters_that_are_known_are_used(self) -> None:
        kernel = _kernel(For(_int("i"), _number(0), _int("n"), (_load((1, _int("i"))),)))
        assert touched_elements(kernel, 0, 1, {"n": 12})["x"].read == (0, 12)
        place = touched_elements(kernel, 0, 1, {})["x"].read
        assert place is not None and place[1] >= UNBOUNDED


def _launches(root: Any) -> list[Launch]:
    program = compilation.analyse((root._node,))
    return [launch for lowered in program.lowered for launch in lowered.launches]


MATRIX = np.ones((4000, 300))
KERNELS = {
    "map": lambda x: x * 2 + 1,
    "rows": lambda x: x.sum(1),
    "columns": lambda x: x.sum(0),
    "moments": lambda x: x.std(0),
    "split": lambda x: x.sum(),
    "scan": lambda x: x.cumsum(1),
    "pairs": lambda x: ((x[:, None] - la.asarray(MATRIX[None, :500])) ** 2).sum(-1),
}


class TestTiles:
    @pytest.mark.parametrize("name", KERNELS)
    def test_a_quarter_of_the_work_reads_about_a_quarter(self, name: str) -> None:
        launch = _launches(KERNELS[name](la.asarray(MATRIX)))[0]
        count = launch.count
        pairs = list(zip(launch.kernel.parameters, launch.arguments, strict=True))
        numbers = {
            parameter.name: argument.value
            for parameter, argument in pairs
            if isinstance(argument, Number) and isinstance(argument.value, int)
        }
        leaf = next(
            parameter.name
            for parameter, argument in pairs
            if isinstance(argument, Address) and argument.owner.shape == MATRIX.shape
        )
        quarter = touched_elements(launch.kernel, count // 4, count // 2, numbers)[leaf].read
        assert quarter is not None
        share = (quarter[1] - quarter[0]) / MATRIX.size
        assert 0.2 < share < 0.35
