"""Random expressions, built at once from LazyArrays and from NumPy arrays.

Values are small and mostly multiples of a quarter, so that sums are exact in any order and results
can be compared bit for bit. What is rounded in an order of the target's choice carries a bound of
its error instead.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from lazyarr.codegen import reducers, shared_tuning
from lazyarr.codegen.cpu import (
    row_reduction,
    split_reduction,
    tuning,
)
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.templates import TemplateLimits
from lazyarr.compiler import targets
from lazyarr.core.frozen import replace
from tests.support.drawing import Choose, Program, Skip, Value
from tests.support.drawn_elementwise import Elementwise
from tests.support.drawn_movement import Movement
from tests.support.drawn_reductions import Reductions
from tests.support.tuned import tune

__all__ = ["Choose", "Program", "check", "draw_program", "small_kernels"]

Array = np.ndarray[Any, Any]

SHAPES: list[tuple[int, ...]] = [
    (6,), (9,), (3, 4), (5, 3), (2, 7), (2, 3, 4), (3, 1, 5), (1, 6), (4, 1), (2, 2, 3, 2), (),
    (0,), (3, 0), (0, 4), (2, 0, 3), (17,), (4, 5), (13, 2), (2, 13),
]  # fmt: skip


class _Writer(Elementwise, Movement, Reductions):
    """Draws operations of all kinds."""


STEPS = (
    ["unary"] * 5 + ["binary"] * 9 + ["scalar"] * 3 + ["where"] * 2 + ["cast"] * 2 + ["view"] * 6
    + ["reshape"] * 3 + ["join"] * 3 + ["rearrange"] * 2 + ["reduction"] * 7 + ["softmax"]
    + ["standardise", "library", "arange", "compare"] + ["gather"] * 3
)  # fmt: skip


def draw_program(
    choose: Choose,
    limit: int = 64,
    steps: int = 10,
    shapes: Sequence[tuple[int, ...]] = SHAPES,
) -> Program:
    """Return a random expression.

    Parameters
    ----------
    choose : callable
        ``choose(n)`` draws an integer below n.
    limit : int
        Most elements of any value.
    steps : int
        Most operations to try.
    shapes : sequence of tuple
        Shapes that the inputs may have; those above the limit are left out.
    """
    writer = _Writer(choose, limit)
    base = writer.pick([s for s in shapes if np.prod(s) <= limit])
    for _ in range(1 + choose(3)):
        writer.leaf(base)
    for _ in range(1 + choose(steps)):
        with contextlib.suppress(Skip):
            getattr(writer, STEPS[choose(len(STEPS))])()
    count = 1 + choose(3)
    roots = [writer.values[-1]]
    for _ in range(count - 1):
        roots.append(writer.pick(writer.values))
    writer.lines.append(f"results: {', '.join(map(writer.name, roots))}")
    return Program(roots, writer.lines)


def check(value: Value, got: Array, what: str, program: Program) -> None:
    """Compare a computed result with NumPy's, as exactly as its operations allow."""
    expected = value.eager
    assert got.dtype == expected.dtype and got.shape == expected.shape, (what, program)
    if value.exact and expected.dtype.kind != "c":
        same = (got == expected) | ((got != got) & (expected != expected))
        if value.zeros and expected.dtype.kind == "f":
            same &= (np.signbit(got) == np.signbit(expected)) | np.isnan(expected)
    else:
        with np.errstate(all="ignore"):
            near = np.abs(got.astype(np.complex128) - expected) <= value.error + 1e-12
            same = near | (got == expected) | ((got != got) & (expected != expected))
    assert same.all(), f"{what}: {got} is not {expected} within {value.error:.3g}{program}"


@contextlib.contextmanager
def small_kernels(choose: Choose) -> Iterator[None]:
    """Let tiny arrays be cut as large ones are."""

    def pick(*values: Any) -> Any:
        return values[choose(len(values))]

    block, split = pick(2, 4, 256), pick(4, 8, 1 << 14)
    constants: list[tuple[Any, str, Any]] = [
        (reducers, "BLOCK", block),
        (row_reduction, "BLOCK", block),
        (split_reduction, "BLOCK", block),
    ]
    fields = {
        "split_elements": split,
        "panel_columns": pick(2, 3, 1024),
        "panel_rows": pick((2,), (3,), (64, 3)),
        "sampled_part": pick(1, 2),
        "inner_elements": pick(2, 1 << 15),
        "row_tile": pick(2, 4, 256),
        "row_keep_cost": pick(0, 8),
        "tile_lines": pick(2, 3, 64),
    }
    transposed_loop = pick(2, 16)
    limits = TemplateLimits(pick(2, 4, 1 << 16), pick(2, 8, 1 << 16))
    costs = replace(
        targets.CPU.costs,
        max_operations=pick(2, 5, 96),
        max_operands=pick(4, 48),
        store_cost=pick(0, 15),
        launch_cost=pick(0, 200_000),
    )
    small = {
        name: replace(target, costs=costs, limits=limits)
        for name, target in targets.TARGETS.items()
    }
    grain = pick(3, 1 << 16)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GroupTerms, "grain", lambda low: grain)
        tune(patch, tuning, **fields)
        tune(patch, shared_tuning, transposed_loop=transposed_loop)
        patch.setattr(targets, "TARGETS", small)
        patch.setattr(targets, "CPU", small[targets.CPU.name])
        for module, name, value in constants:
            patch.setattr(module, name, value)
        targets.target_named.cache_clear()
        try:
            yield
        finally:
            targets.target_named.cache_clear()
