"""Groups of one form share their kernels, which each calls with its own memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.compilation import analyse
from lazyarr.compiler.program import Program
from lazyarr.errors import ContractError

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]
Layer = Callable[[Any, Any, Any, Any], Any]

#: By what a layer computes of a value, a factor for each column, an offset and the module.
LAYERS: dict[str, Layer] = {
    "scan": lambda h, w, b, m: m.cumsum(h * w + b, axis=1),
    "softmax": lambda h, w, b, m: m.exp(h - h.max(axis=1, keepdims=True)) * w + b,
    "moments": lambda h, w, b, m: (h - h.mean(axis=0)) / (h.std(axis=0) + 1) * w + b,
    "gather": lambda h, w, b, m: m.maximum(h[:, ::-1] * w, 0).cumsum(axis=0) + b,
    "tanh": lambda h, w, b, m: m.tanh(h * w) - 2 * b,
}


def network(m: Any, h: Any, packed: Any, names: list[str], columns: int, gap: int) -> Any:
    """Return the value of layers one after another, whose factors lie in one array.

    Rows are sorted between them, by a library, so that layers have kernels of their own.
    """
    start = 0
    for name in names:
        w = packed[start : start + columns]
        b = packed[start + columns : start + 2 * columns]
        h = m.sort(LAYERS[name](h, w, b, m), axis=1)
        start += 2 * columns + gap
    return h


def program_of(value: la.LazyArray, device: str) -> Program:
    """Return the program; that groups which share kernels would have the same is checked."""
    with la.config(device=device):
        return analyse((value._node,))


def shared(program: Program) -> int:
    """Return the number of groups that have the kernels of another."""
    return len(program.kernels) - len({id(code.sources) for code in program.kernels})


@pytest.mark.parametrize("seed", range(12))
def test_layers_that_come_again_share_kernels(seed: int) -> None:
    random = np.random.default_rng(seed)
    dtype = np.dtype(str(random.choice(["f4", "f8"])))
    columns = int(random.choice([16, 32, 64]))
    h = random.normal(size=(int(random.integers(3, 70)), columns)).astype(dtype)
    once = [str(name) for name in random.choice(list(LAYERS), size=2, replace=False)]
    names = once * 4
    gap = int(random.choice([0, 64, 5]))
    packed = random.uniform(0.5, 1, size=len(names) * (2 * columns + gap)).astype(dtype)
    lazy = network(la, la.asarray(h), la.asarray(packed), names, columns, gap)
    for device in ("cpu", "cuda"):
        program = program_of(lazy, device)
        if gap != 5:  # addresses that are no multiples of 64 bytes are another form
            assert shared(program) > 0, device
    expected = network(np, h, packed, names, columns, gap)
    tolerance = 1e-4 if dtype == np.float32 else 1e-11
    np.testing.assert_allclose(la.evaluate(lazy), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_what_differs_in_anything_else_has_kernels_of_its_own(device: str) -> None:
    x = np.linspace(0, 1, 24 * 32).reshape(24, 32)
    h = la.asarray(x)
    for step in (
        lambda h: h * 2.5,
        lambda h: h + 2.5,
        lambda h: h.T,
        lambda h: h[::-1],
        lambda h: h.astype("f4"),
        lambda h: h * np.arange(h.shape[1]),
    ):
        h = la.sort(la.cumsum(step(h), axis=0), axis=0)
    assert shared(program_of(h, device)) == 0


def test_lines_above_shared_kernels_are_those_of_each() -> None:
    h = la.asarray(np.ones((6, 32)))
    first = la.cumsum(h * 3.5, axis=1)
    second = la.cumsum(la.sort(first, axis=1) * 3.5, axis=1)  # the same again
    sources = [code.source for code in program_of(second, "cpu").kernels]
    lines = [source.partition("define")[0] for source in sources]
    assert len(lines) == 2
    assert lines[0] != lines[1]
    bodies = [source.partition("define")[2] for source in sources]
    assert bodies[0] == bodies[1]


def test_a_wrong_pattern_is_noticed() -> None:
    h = la.asarray(np.ones((6, 32)))
    value = la.cumsum(la.sort(la.cumsum(h, axis=1), axis=1), axis=1)
    program = program_of(value, "cpu")
    lowered, code = program.lowered[-1], program.kernels[-1]
    program.writer.check_shared(lowered, code)
    (other,) = program_of(la.cumsum(h * 3.5, axis=0), "cpu").lowered
    with pytest.raises(ContractError, match="kernels of another group"):
        program.writer.check_shared(other, code)


def test_training_steps_repeat_their_layers() -> None:
    def loss(packed: Any, x: Any) -> Any:
        return network(la, x, packed, ["tanh"] * 6, 32, 0).sum()

    x = np.linspace(-1, 1, 40 * 32).reshape(40, 32)
    packed = np.linspace(0.1, 0.9, 6 * 64)
    slopes = la.grad(loss)(la.asarray(packed), la.asarray(x))
    program = program_of(slopes, "cpu")
    assert shared(program) > len(program.kernels) // 3
    step = 1e-6
    for k in (0, 70, 383):
        there = [packed.copy(), packed.copy()]
        there[0][k] -= step
        there[1][k] += step
        low, high = (float(loss(la.asarray(p), la.asarray(x))) for p in there)
        np.testing.assert_allclose(slopes[k], (high - low) / (2 * step), rtol=1e-4, atol=1e-6)
