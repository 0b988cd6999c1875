"""The predicted times of elementwise kernels on a GPU, and the choices that follow from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cuda.cost_model import BlockWork, predict, resident_threads
from lazyarr.codegen.device_tilings import RegisterTiling
from lazyarr.core.frozen import replace

WORK = BlockWork(1000, 256, 1 << 30, 1 << 13, 20.0, 10.0, 100.0, 40, 5)


@given(
    st.sampled_from(
        ["memory_bytes", "block_bytes", "lines", "arithmetic", "instructions", "loads"]
    ),
    st.integers(1, 100),
)
def test_more_work_takes_no_less_time(field: str, factor: int) -> None:
    more = replace(WORK, **{field: getattr(WORK, field) * factor})
    assert predict(more) >= predict(WORK)


@given(st.integers(16, 255), st.sampled_from([64, 128, 256]))
def test_registers_bound_the_threads_of_a_multiprocessor(registers: int, threads: int) -> None:
    resident = resident_threads(registers, threads)
    assert resident % threads == 0 and threads <= resident <= 2048
    assert resident >= resident_threads(registers + 8, threads)


def _points(reach: int) -> Any:
    def compute(x: Any) -> Any:
        total = 0.0
        for k in range((2 * reach + 1) ** 2):
            i, j = divmod(k, 2 * reach + 1)
            rows, columns = x.shape[0] - 2 * reach, x.shape[1] - 2 * reach
            total = total + x.dtype.type(0.1 * k) * x[i : i + rows, j : j + columns]
        return total

    return compute


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_explain_shows_what_else_a_kernel_could_be_cut_into(dtype: str) -> None:
    x = la.asarray(np.zeros((2001, 2002), dtype))
    with la.config(device="cuda"):
        (kernel,) = la.explain(_points(1)(x)).kernels
    used, *others = kernel.candidates
    assert used.tiling == kernel.tiling and isinstance(used.tiling, RegisterTiling)
    assert others
    assert [o.predicted for o in others] == sorted(o.predicted for o in others)
    assert all(used.predicted < 1.1 * other.predicted for other in others)
    assert len({str(way.tiling) for way in kernel.candidates}) == len(kernel.candidates)


def test_blocks_go_in_strips_where_the_cache_would_lose_what_they_share() -> None:
    with la.config(device="cuda"):
        (near,) = la.explain(_points(1)(la.asarray(np.zeros((1000, 5000))))).kernels
        (far,) = la.explain(_points(1)(la.asarray(np.zeros((100, 1 << 20))))).kernels
    assert isinstance(near.tiling, RegisterTiling) and not near.tiling.strips
    assert isinstance(far.tiling, RegisterTiling) and far.tiling.strips
