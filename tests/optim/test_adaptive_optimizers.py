"""Adaptive optimisers against the formulas of their papers, over several updates in float64."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import optim

Array = np.ndarray[Any, Any]
Update = Callable[[Array, Array, int], Array]


def adagrad(rate: float, eps: float) -> Update:
    square = 0.0

    def update(g: Array, p: Array, t: int) -> Array:
        nonlocal square
        square = square + g**2
        return p - rate * g / (np.sqrt(square) + eps)

    return update


def adadelta(rate: float, decay: float, eps: float) -> Update:
    square = changes = 0.0

    def update(g: Array, p: Array, t: int) -> Array:
        nonlocal square, changes
        square = decay * square + (1 - decay) * g**2
        change = np.sqrt(changes + eps) / np.sqrt(square + eps) * g
        changes = decay * changes + (1 - decay) * change**2
        return p - rate * change

    return update


def adamax(rate: float, b1: float, b2: float, eps: float) -> Update:
    mean = largest = 0.0

    def update(g: Array, p: Array, t: int) -> Array:
        nonlocal mean, largest
        mean = b1 * mean + (1 - b1) * g
        largest = np.maximum(b2 * largest, np.abs(g) + eps)
        return p - rate / (1 - b1**t) * mean / largest

    return update


def radam(rate: float, b1: float, b2: float, eps: float) -> Update:
    mean = square = 0.0

    def update(g: Array, p: Array, t: int) -> Array:
        nonlocal mean, square
        mean = b1 * mean + (1 - b1) * g
        square = b2 * square + (1 - b2) * g**2
        most = 2 / (1 - b2) - 1
        length = most - 2 * t * b2**t / (1 - b2**t)
        change = mean / (1 - b1**t)
        if length > 5:
            ratio = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
            change = change * np.sqrt(ratio) / (np.sqrt(square / (1 - b2**t)) + eps)
        return p - rate * change

    return update


def lion(rate: float, b1: float, b2: float, decay: float) -> Update:
    mean = 0.0

    def update(g: Array, p: Array, t: int) -> Array:
        nonlocal mean
        change = np.sign(b1 * mean + (1 - b1) * g)
        mean = b2 * mean + (1 - b2) * g
        return p - rate * (change + decay * p)

    return update


def lamb(rate: float, b1: float, b2: float, eps: float, decay: float) -> Update:
    mean = square = 0.0

    def update(g: Array, p: Array, t: int) -> Array:
        nonlocal mean, square
        mean = b1 * mean + (1 - b1) * g
        square = b2 * square + (1 - b2) * g**2
        change = mean / (1 - b1**t) / (np.sqrt(square / (1 - b2**t)) + eps) + decay * p
        own, other = np.sqrt((p**2).sum()), np.sqrt((change**2).sum())
        return p - rate * (own / other if own and other else 1) * change

    return update


CASES: dict[str, tuple[Callable[[], optim.Optimizer], Callable[[], Update]]] = {
    "adagrad": (lambda: optim.adagrad(0.1), lambda: adagrad(0.1, 1e-10)),
    "adadelta": (lambda: optim.adadelta(), lambda: adadelta(1, 0.9, 1e-6)),
    "adadelta, slow": (
        lambda: optim.adadelta(0.5, decay=0.7, eps=1e-2),
        lambda: adadelta(0.5, 0.7, 1e-2),
    ),
    "adamax": (lambda: optim.adamax(0.1), lambda: adamax(0.1, 0.9, 0.999, 1e-8)),
    "radam": (lambda: optim.radam(0.1), lambda: radam(0.1, 0.9, 0.999, 1e-8)),
    "radam, short": (
        lambda: optim.radam(0.1, beta1=0.5, beta2=0.8, eps=1e-3),
        lambda: radam(0.1, 0.5, 0.8, 1e-3),
    ),
    "radam, never rectified": (
        lambda: optim.radam(0.1, beta2=0.5),
        lambda: radam(0.1, 0.9, 0.5, 1e-8),
    ),
    "lion": (lambda: optim.lion(0.01), lambda: lion(0.01, 0.9, 0.99, 0)),
    "lion with decay": (
        lambda: optim.lion(0.01, beta1=0.5, weight_decay=0.3),
        lambda: lion(0.01, 0.5, 0.99, 0.3),
    ),
    "lamb": (lambda: optim.lamb(0.01), lambda: lamb(0.01, 0.9, 0.999, 1e-6, 0)),
    "lamb with decay": (
        lambda: optim.lamb(0.01, weight_decay=0.3),
        lambda: lamb(0.01, 0.9, 0.999, 1e-6, 0.3),
    ),
}


def parameters(seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {"layers": [(random.standard_normal((3, 4)), random.standard_normal(4))]}


@pytest.mark.parametrize("jitted", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_formula(name: str, jitted: bool) -> None:
    make, reference = CASES[name]
    optimizer = make()
    p = parameters(0)
    expected = list(p["layers"][0])
    references = [reference() for _ in expected]
    state = optimizer.init(p)
    update = la.jit(optimizer.update) if jitted else optimizer.update
    for t in range(1, 9):
        gradients = parameters(t)
        p, state = update(gradients, state, p)
        expected = [
            step(g, x, t)
            for step, g, x in zip(references, gradients["layers"][0], expected, strict=True)
        ]
        for result, x in zip(p["layers"][0], expected, strict=True):
            np.testing.assert_allclose(np.asarray(result), x, 1e-12, 1e-13)
    assert int(state["step"]) == 8
    if jitted:
        assert update.cache_info().traced == 1


@pytest.mark.parametrize("name", sorted(CASES.keys() - {"lamb", "lamb with decay"}))
def test_an_update_of_packed_parameters_is_one_kernel(name: str) -> None:
    optimizer = CASES[name][0]()
    p, gradients = (optim.pack(parameters(seed)) for seed in (0, 1))
    after, state = optimizer.update(gradients, optimizer.init(p), p)
    trees = [after, *(tree for key, tree in state.items() if key != "step")]
    assert len(la.explain(*[x for tree in trees for x in tree.buffers]).kernels) == 1


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_dtypes_stay_and_zeros_are_finite(name: str, dtype: str) -> None:
    optimizer = CASES[name][0]()
    p = {"w": np.zeros((2, 3), dtype), "none": np.zeros((0, 2), dtype)}
    state = optimizer.init(p)
    for _ in range(2):
        p, state = la.jit(optimizer.update)(p, state, p)
    assert {x.dtype for x in p.values()} == {np.dtype(dtype)}
    assert all((np.asarray(x) == 0).all() for x in p.values())
    for key, tree in state.items():
        if key != "step":
            assert tree["w"].dtype == np.float32


def test_lamb_refuses_packed_parameters() -> None:
    packed = optim.pack(parameters(0))
    optimizer = optim.lamb(0.1)
    with pytest.raises(la.errors.ArgumentError, match="packed parameters are one array"):
        optimizer.init(packed)
    with pytest.raises(la.errors.ArgumentError, match="packed parameters are one array"):
        optimizer.update(packed, {}, packed)


@pytest.mark.parametrize(
    "make",
    [
        lambda: optim.adagrad(-1),
        lambda: optim.adagrad(1, eps=-1),
        lambda: optim.adadelta(decay=1.0),
        lambda: optim.adamax(1, beta2=1.5),
        lambda: optim.radam(1, beta1=-0.1),
        lambda: optim.lion(1, weight_decay=-1),
        lambda: optim.lamb(1, beta1=np.nan),
    ],
)
def test_numbers_that_make_no_sense(make: Callable[[], object]) -> None:
    with pytest.raises(la.errors.ArgumentError, match="must"):
        make()
