"""What groups do: bytes, arithmetic by class, sizes of library calls."""

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.device_choice import fused
from lazyarr.passes.canonicalize import bind, canonicalize
from lazyarr.placement.prediction import seconds_of
from lazyarr.placement.work import GroupWork, library_size, unknown_count
from tests.support.calibrations import machine


def _works(*expressions: Any) -> list[GroupWork]:
    roots = tuple(x._node for x in expressions)
    fusion = fused(canonicalize(bind(roots)[1]))
    return [GroupWork.of(group, {}) for group in fusion.groups]


def test_a_map_reads_and_writes_once_and_functions_are_apart() -> None:
    x = la.asarray(np.zeros(1000))
    (work,) = _works(la.exp(x) * x + 1)
    assert (work.elements, work.nbytes, work.library) == (1000, 16_000, "")
    assert work.additions["float64"] == 2 and work.additions["float64 function"] >= 20
    (narrow,) = _works(la.asarray(np.zeros(10, np.float32)) + 1)
    assert set(narrow.additions) == {"float32"}


def test_a_reduction_counts_what_it_takes_in() -> None:
    x = la.asarray(np.zeros((30, 50)))
    (work,) = _works((x * x).sum(axis=1))
    assert work.nbytes == 30 * 50 * 8 + 30 * 8
    assert work.additions["float64"] * work.elements >= 2 * 30 * 50


@pytest.mark.parametrize(
    ("shapes", "size"), [(((6, 6), (6, 6)), 6), (((2, 9), (9, 12)), 6), (((8, 6, 6), (6, 6)), 12)]
)
def test_products_are_as_large_as_square_ones(shapes: Any, size: int) -> None:
    a, b = (la.asarray(np.zeros(shape)) for shape in shapes)
    name, measured = library_size((a @ b)._node)
    assert name == "matmul float64" and measured == pytest.approx(size)


def test_calls_are_named_by_what_they_work_on() -> None:
    m, x = la.asarray(np.eye(8, dtype=np.float32)), la.asarray(np.zeros(64, np.float32))
    assert library_size(la.linalg.inv(m)._node) == ("linalg.inv float32", pytest.approx(8))
    assert library_size(la.argsort(x)._node) == ("argsort float32", 64)
    assert library_size(la.fft.rfft(x)._node)[0] == "fft.rfft complex64"


def test_loops_that_nobody_can_count_are_not_counted() -> None:
    x = la.asarray(np.ones(4))
    counted = la.fori_loop(7, lambda _, s: s * 2, x)
    waiting = la.while_loop(lambda s: s < 100, lambda s: s * 2, x)
    roots = (counted._node, waiting._node)
    assert not unknown_count((x._node,), {})
    assert unknown_count(roots[1:], {})


def test_a_thin_product_takes_as_long_as_its_matrix_is_read() -> None:
    rates = machine().gpu
    wide = GroupWork(1, 3_000_000_000, {}, "matmul float64", 10.0)
    assert seconds_of(wide, rates) == pytest.approx(rates.launch + 1e-3)
    assert seconds_of(GroupWork(1, 8, {}, "linalg.eig float64", 10.0), rates) is None
