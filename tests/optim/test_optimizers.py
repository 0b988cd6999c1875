"""Optimisers against the formulas of their papers, over several updates in float64."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import optim

Array = np.ndarray[Any, Any]
Update = Callable[[Array, Array, int], Array]


def sgd(rate: float, mu: float, nesterov: bool, decay: float) -> Update:
    velocity = 0.0

    def update(g: Array, p: Array, t: int) -> Array:
        nonlocal velocity
        g = g + decay * p
        velocity = mu * velocity + g
        return p - rate * (g + mu * velocity if nesterov else velocity)

    return update


def rmsprop(rate: float, decay: float, eps: float, mu: float, centered: bool) -> Update:
    square = mean = velocity = 0.0

    def update(g: Array, p: Array, t: int) -> Array:
        nonlocal square, mean, velocity
        square = decay * square + (1 - decay) * g**2
        mean = decay * mean + (1 - decay) * g
        spread = square - mean**2 if centered else square
        velocity = mu * velocity + g / (np.sqrt(spread) + eps)
        return p - rate * velocity

    return update


def adam(rate: float, b1: float, b2: float, eps: float, penalty: float, decoupled: bool) -> Update:
    m = v = 0.0

    def update(g: Array, p: Array, t: int) -> Array:
        nonlocal m, v
        if not decoupled:
            g = g + penalty * p
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g**2
        change = (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
        return p - rate * change - (rate * penalty * p if decoupled else 0)

    return update


CASES: dict[str, tuple[Callable[[], optim.Optimizer], Callable[[], Update]]] = {
    "sgd": (lambda: optim.sgd(0.1), lambda: sgd(0.1, 0, False, 0)),
    "decay": (lambda: optim.sgd(0.1, weight_decay=0.2), lambda: sgd(0.1, 0, False, 0.2)),
    "momentum": (lambda: optim.sgd(0.1, momentum=0.9), lambda: sgd(0.1, 0.9, False, 0)),
    "nesterov": (
        lambda: optim.sgd(0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
        lambda: sgd(0.1, 0.9, True, 0.1),
    ),
    "rmsprop": (lambda: optim.rmsprop(0.01), lambda: rmsprop(0.01, 0.99, 1e-8, 0, False)),
    "centered": (
        lambda: optim.rmsprop(0.01, decay=0.9, eps=1e-3, momentum=0.8, centered=True),
        lambda: rmsprop(0.01, 0.9, 1e-3, 0.8, True),
    ),
    "adam": (lambda: optim.adam(0.01), lambda: adam(0.01, 0.9, 0.999, 1e-8, 0, False)),
    "adam with decay": (
        lambda: optim.adam(0.01, beta1=0.5, weight_decay=0.3),
        lambda: adam(0.01, 0.5, 0.999, 1e-8, 0.3, False),
    ),
    "adamw": (lambda: optim.adamw(0.01), lambda: adam(0.01, 0.9, 0.999, 1e-8, 0.01, True)),
}


def parameters(seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {
        "layers": [(random.standard_normal((3, 4)), random.standard_normal(4))],
        "scale": np.asarray(random.standard_normal()),
    }


def leaves(tree: dict[str, Any]) -> list[Array]:
    return [*tree["layers"][0], tree["scale"]]


@pytest.mark.parametrize("jitted", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_formula(name: str, jitted: bool) -> None:
    make, reference = CASES[name]
    optimizer = make()
    p = parameters(0)
    expected = leaves(p)
    references = [reference() for _ in expected]
    state = optimizer.init(p)
    update = la.jit(optimizer.update) if jitted else optimizer.update
    for t in range(1, 6):
        gradients = parameters(t)
        p, state = update(gradients, state, p)
        expected = [
            step(g, x, t)
            for step, g, x in zip(references, leaves(gradients), expected, strict=True)
        ]
        for result, x in zip(leaves(p), expected, strict=True):
            np.testing.assert_allclose(np.asarray(result), x, 1e-12, 1e-14)
    assert int(state["step"]) == 5
    if jitted:
        assert update.cache_info().traced == 1


@pytest.mark.parametrize("name", CASES)
def test_all_but_the_first_updates_compile_nothing(name: str) -> None:
    optimizer = CASES[name][0]()
    step = la.jit(optimizer.update)
    p = parameters(0)
    p, state = step(parameters(1), optimizer.init(p), p)
    planned = step.cache_info().planned
    for t in range(4):
        p, state = step(parameters(t), state, p)
    assert step.cache_info().planned == planned
    report = step.explain(parameters(1), state, p)
    assert len(report.kernels) <= 4, "one kernel for each shape, and one for the step"


def test_the_least_of_a_parabola_is_found() -> None:
    for make, rate in ((optim.adam, 0.1), (optim.rmsprop, 0.01), (optim.sgd, 0.1)):
        optimizer = make(rate)
        update = la.jit(optimizer.update)
        p = np.array([3.0, -2.0])
        state = optimizer.init(p)
        for _ in range(1500):
            p, state = update(2 * (p - 1), state, p)
        np.testing.assert_allclose(p, 1, atol=0.02)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", ["momentum", "rmsprop", "adamw"])
def test_dtypes_are_kept(name: str, dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")  # NumPy knows the name from now on
    optimizer = CASES[name][0]()
    p = {"w": np.ones(3, dtype)}
    state = optimizer.init(p)
    for _ in range(2):
        p, state = la.jit(optimizer.update)({"w": np.full(3, 0.5, dtype)}, state, p)
        assert p["w"].dtype == dtype
        for slot in set(state) - {"step"}:
            assert state[slot]["w"].dtype == ("float32" if "float16" in dtype else dtype)


def test_a_schedule_is_part_of_the_step() -> None:
    optimizer = optim.sgd(optim.exponential(1.0, 0.5))
    step = la.jit(optimizer.update)
    p = np.zeros(2, np.float32)
    state = optimizer.init(p)
    for _ in range(3):
        p, state = step(np.ones(2, np.float32), state, p)
        assert p.dtype == np.float32
    np.testing.assert_allclose(p, -1.75)
    assert step.cache_info().traced == 1


def test_gradients_may_have_their_names_in_another_order() -> None:
    p = {"a": np.zeros(2), "b": np.zeros(3)}
    optimizer = optim.sgd(1.0)
    after, _ = optimizer.update({"b": np.ones(3), "a": np.full(2, 2.0)}, optimizer.init(p), p)
    assert after["a"].compute().tolist() == [-2, -2]
    assert after["b"].compute().tolist() == [-1, -1, -1]


def test_trees_that_do_not_fit() -> None:
    optimizer = optim.adam(0.1)
    p = {"w": np.ones(3)}
    state = optimizer.init(p)
    with pytest.raises(la.errors.ShapeError, match=r"shape \(1,\), the parameter has \(3,\)") as it:
        optimizer.update({"w": np.ones(1)}, state, p)
    assert it.value.origin[0] == __file__
    with pytest.raises(la.errors.ShapeError, match=r"structure \{'v': \*\}"):
        optimizer.update({"v": np.ones(3)}, state, p)
    with pytest.raises(la.errors.ArgumentError, match="another optimiser"):
        optimizer.update(p, optim.sgd(0.1).init(p), p)
    with pytest.raises(la.errors.DTypeError, match="int64"):
        optimizer.update(p, state, {"w": np.ones(3, int)})


@pytest.mark.parametrize(
    "make",
    [
        lambda: optim.sgd(-1.0),
        lambda: optim.sgd(float("nan")),
        lambda: optim.sgd(0.1, momentum=1.0),
        lambda: optim.sgd(0.1, nesterov=True),
        lambda: optim.adam(0.1, beta2=1.0),
        lambda: optim.adamw(0.1, weight_decay=-1),
        lambda: optim.rmsprop(0.1, eps=-1),
        lambda: optim.clip_by_norm([1.0], 0),
        lambda: optim.clip_by_value([1.0], -1),
        lambda: optim.cosine(0.1, 0),
        lambda: optim.piecewise([1.0], [3]),
        lambda: optim.loss_scaling(optim.sgd(0.1), initial=0),
    ],
)
def test_numbers_that_make_no_sense(make: Callable[[], object]) -> None:
    with pytest.raises(la.errors.ArgumentError):
        make()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), limit=st.floats(0.01, 100))
def test_clipping(seed: int, limit: float) -> None:
    tree = parameters(seed)
    norm = np.sqrt(sum((x**2).sum() for x in leaves(tree)))
    np.testing.assert_allclose(optim.global_norm(tree).compute(), norm, 1e-13)
    factor = min(1, limit / norm)
    for result, x in zip(leaves(optim.clip_by_norm(tree, limit)), leaves(tree), strict=True):
        np.testing.assert_allclose(result.compute(), factor * x, 1e-13)
    for result, x in zip(leaves(optim.clip_by_value(tree, limit)), leaves(tree), strict=True):
        np.testing.assert_array_equal(result.compute(), np.clip(x, -limit, limit))


def test_gradients_that_are_not_finite_stay_so() -> None:
    for bad in (np.nan, np.inf):
        tree = [np.array([1.0, bad]), np.array([2.0])]
        assert not bool(optim.all_finite(tree))
        with np.errstate(invalid="ignore"):
            clipped = la.evaluate(*optim.clip_by_norm(tree, 1.0))
        assert not np.isfinite(np.concatenate(clipped)).all()
    assert bool(optim.all_finite([np.ones(3)]))


def test_schedules() -> None:
    for step in (0, 1, 7, 30):
        assert float(optim.exponential(0.5, 0.9, 3)(step)) == pytest.approx(0.5 * 0.9 ** (step / 3))
        wave = 0.1 + 0.4 * 0.5 * (1 + np.cos(np.pi * min(step / 20, 1)))
        assert float(optim.cosine(0.5, 20, final=0.1)(step)) == pytest.approx(wave)
        assert float(optim.piecewise([3.0, 2.0, 1.0], [5, 20])(step)) == (
            3 if step < 5 else 2 if step < 20 else 1
        )
    rising = optim.warmup(5, optim.cosine(1.0, 10))
    assert [float(rising(k)) for k in (0, 4, 5, 15)] == pytest.approx([0.2, 1.0, 1.0, 0.0])


def test_loss_scaling() -> None:
    scaling = optim.loss_scaling(optim.sgd(1.0), initial=8.0, interval=2)
    step = la.jit(scaling.update)
    p = {"w": np.ones(2, np.float16)}
    state = scaling.init(p)
    assert float(scaling.scale(np.float16(0.5), state)) == 4
    p, state = step({"w": np.array([np.inf, 1], np.float16)}, state, p)
    assert p["w"].tolist() == [1, 1]
    assert float(state["scale"]) == 4
    assert int(state["inner"]["step"]) == 0
    for _ in range(2):
        p, state = step({"w": np.ones(2, np.float16)}, state, p)
    assert p["w"].tolist() == [0.5, 0.5]
    assert float(state["scale"]) == 8
    assert int(state["inner"]["step"]) == 2
    assert p["w"].dtype == np.float16


def _xor_net(rng: np.random.Generator) -> Any:
    return {
        "in": rng.standard_normal((2, 16)).astype(np.float32),
        "bias": np.zeros(16, np.float32),
        "out": 0.1 * rng.standard_normal((16, 2)).astype(np.float32),
    }


@pytest.mark.parametrize("scaled", [False, True])
def test_a_net_in_bfloat16_learns_as_in_float32(scaled: bool) -> None:
    """Weights are kept in float32, values and gradients are bfloat16; no scale is needed."""
    narrow = np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (400, 2)).astype(np.float32)
    labels = (x[:, 0] * x[:, 1] > 0).astype(np.int64)
    plain = optim.adam(0.02)
    descent = optim.loss_scaling(plain) if scaled else plain
    finals = []
    for dtype in (np.dtype(np.float32), narrow):

        def loss_of(net: Any, dtype: Any = dtype) -> Any:
            weights = {name: w.astype(dtype) for name, w in net.items()}
            hidden = la.nn.relu(la.asarray(x).astype(dtype) @ weights["in"] + weights["bias"])
            logits = hidden @ weights["out"]
            assert logits.dtype == dtype
            return la.nn.cross_entropy(logits, labels)

        @la.jit
        def step(net: Any, state: Any, loss_of: Any = loss_of) -> Any:
            if isinstance(descent, optim.LossScaling):
                loss = lambda net: descent.scale(loss_of(net), state)  # noqa: E731
            else:
                loss = loss_of
            _, slopes = la.value_and_grad(loss)(net)
            return loss_of(net), *descent.update(slopes, state, net)

        net = _xor_net(np.random.default_rng(1))
        state = descent.init(net)
        for _ in range(150):
            value, net, state = step(net, state)
        assert all(w.dtype == np.float32 for w in net.values())
        finals.append(float(value))
    assert finals[0] < 0.2
    assert finals[1] == pytest.approx(finals[0], abs=0.03)


@pytest.mark.parametrize(
    "make",
    [
        lambda rate, small: optim.sgd(rate),
        lambda rate, small: optim.sgd(rate, momentum=small, weight_decay=small),
        lambda rate, small: optim.rmsprop(rate, decay=small, momentum=small),
        lambda rate, small: optim.adam(rate, beta1=small, beta2=small, eps=small),
        lambda rate, small: optim.adamw(rate, weight_decay=small),
    ],
)
def test_numbers_may_be_arrays(make: Callable[[Any, Any], Any]) -> None:
    p = {"w": np.array([1.0, -2.0], np.float32)}
    g = {"w": np.array([0.5, 0.25], np.float32)}
    state = make(0.1, 0.5).init(p)

    def step(rate: Any, small: Any) -> Any:
        following, state_after = make(rate, small).update(g, state, p)
        return make(rate, small).update(g, state_after, following)[0]["w"]

    expected = step(0.1, 0.5).compute()
    jitted = la.jit(step)
    kinds = (la.asarray, np.float32, np.asarray)
    for numbers in [tuple(map(kind, (0.1, 0.5))) for kind in kinds]:
        for result in (step(*numbers), jitted(*numbers)):
            assert result.dtype == np.float32
            np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-5)
    # Derivatives of the last parameters with respect to the rate, against differences.
    slope = float(la.grad(lambda rate: la.sum(step(rate, 0.5)))(0.1))
    high, low = (float(la.sum(step(0.1 + h, 0.5))) for h in (1e-2, -1e-2))
    assert slope == pytest.approx((high - low) / 2e-2, rel=1e-2)


def test_numbers_have_no_axes() -> None:
    with pytest.raises(
        la.errors.ArgumentError, match=r"learning_rate must be a number, got an array"
    ):
        optim.sgd(np.ones(2))
