"""Parameters in one buffer for each dtype, and steps in the steady state."""

from __future__ import annotations

import gc
import itertools
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn, optim
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.passes import canonicalize
from lazyarr.runtime.host_memory_pool import pool


def tree(seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    draw = lambda *shape: random.standard_normal(shape).astype(np.float32)  # noqa: E731
    return {
        "layers": [{"w": draw(7, 16), "b": draw(16)}, {"w": draw(16, 3), "b": draw(3)}],
        "scale": random.standard_normal(5),
        "half": (draw(4).astype(np.float16), draw()),
    }


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def equal(left: Any, right: Any) -> None:
    for x, y in zip(leaves(left), leaves(right), strict=True):
        assert np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_array_equal(x, y)


def test_unpack_is_the_inverse_of_pack():
    parameters = tree()
    packed = optim.pack(parameters)
    assert sorted(str(b.dtype) for b in packed.buffers) == ["float16", "float32", "float64"]
    equal(packed.unpack(), parameters)
    assert np.shares_memory(packed.unpack()["scale"], packed.buffers[1])
    equal(optim.pack([la.asarray(x) for x in leaves(parameters)]).unpack(), leaves(parameters))
    double = la.jit(lambda p: optim.pack([2 * x for x in leaves(p.unpack())]))
    equal(double(packed).unpack(), [2 * x for x in leaves(parameters)])


@pytest.mark.parametrize(
    "optimizer",
    [
        optim.sgd(0.1),
        optim.sgd(optim.cosine(0.1, 5), momentum=0.9, nesterov=True, weight_decay=0.01),
        optim.adam(0.01),
        optim.adamw(0.01),
        optim.rmsprop(0.01, momentum=0.5, centered=True),
    ],
)
def test_updates_have_the_bits_of_those_of_single_arrays(optimizer):
    parameters, gradients = tree(), tree(1)
    packed = optim.pack(parameters)
    plain = la.jit(optimizer.update)
    fused = la.jit(optimizer.update, donate=(1, 2))
    state, packed_state = optimizer.init(parameters), optimizer.init(packed)
    for _ in range(3):
        parameters, state = plain(gradients, state, parameters)
        packed, packed_state = fused(gradients, packed_state, packed)
        equal(packed.unpack(), parameters)
    # A gradient that is packed too, as of the packed parameters themselves.
    again, _ = optimizer.update(packed.packed_like(gradients), packed_state, packed)
    last, _ = plain(gradients, state, parameters)
    equal([la.evaluate(x) for x in leaves(again.unpack())], leaves(last))


def test_an_update_is_one_kernel_for_each_dtype():
    parameters = [np.ones((9 + k, 5), np.float32) for k in range(12)]
    optimizer = optim.adam(0.01)
    packed = optim.pack(parameters)
    report = la.jit(optimizer.update, donate=(1, 2)).explain(
        packed, optimizer.init(packed), optim.pack(parameters)
    )
    (update,) = [kernel for kernel in report.kernels if kernel.domain]
    assert len(update.outputs) == 3
    assert report.peak_bytes < 1024  # the step's number and what is made of it


def test_gradients_of_another_structure_are_refused():
    packed = optim.pack(tree())
    with pytest.raises(ShapeError, match="structure"):
        optim.sgd(0.1).update([1.0], {"step": 0}, packed)
    with pytest.raises(DTypeError):
        optim.pack({"n": np.arange(3)})
    with pytest.raises(ArgumentError, match="no arrays to pack"):
        optim.pack({})


def net(random: np.random.Generator) -> Any:
    sizes = (64, 32, 10)
    weights = [random.standard_normal(s) for s in itertools.pairwise(sizes)]
    return [{"w": w.astype(np.float32) / 8, "b": np.zeros(w.shape[1], np.float32)} for w in weights]


def loss(parameters: Any, images: Any, labels: Any) -> Any:
    hidden = nn.relu(nn.linear(images, parameters[0]["w"], parameters[0]["b"]))
    return nn.cross_entropy(nn.linear(hidden, parameters[1]["w"], parameters[1]["b"]), labels)


def test_a_thousand_steps_need_no_more_than_ten(monkeypatch):
    """No compile, no plan, no walk over a graph and no page of memory from the second step on."""
    random = np.random.default_rng(0)
    optimizer = optim.adam(0.01)

    def step(packed: Any, state: Any, images: Any, labels: Any) -> Any:
        value, gradients = la.value_and_grad(loss)(packed.unpack(), images, labels)
        return value, *optimizer.update(gradients, state, packed)

    images = random.standard_normal((256, 64)).astype(np.float32)
    labels = random.integers(0, 10, 256)
    packed = optim.pack(net(random))
    state = optimizer.init(packed)
    train = la.jit(step, donate=("packed", "state"))
    walks = []
    bind = canonicalize.bind
    for module in ("lazyarr.compiler.request", "lazyarr.passes.canonicalize"):
        monkeypatch.setattr(
            f"{module}.bind", lambda *args, **keys: walks.append(1) or bind(*args, **keys)
        )

    def counts() -> tuple[Any, ...]:
        gc.collect()
        info = la.cache.info()
        kernels = info.kernels.compiled, info.kernels.disk_hits, info.kernels.loaded
        memory = pool.info()
        return kernels, info.plans, memory.mappings, memory.held, len(walks), train.cache_info()

    with la.config(threads=1):
        places = [b.__array_interface__["data"] for b in packed.buffers]
        first, packed, state = train(packed, state, images, labels)
        first, packed, state = train(packed, state, images, labels)
        pool.reset_peak()
        peak = pool.info().peak
        before = counts()
        for _ in range(10):
            value, packed, state = train(packed, state, images, labels)
        after_ten = counts()
        most = pool.info().peak - peak
        for _ in range(990):
            value, packed, state = train(packed, state, images, labels)
        assert before == after_ten == counts()
        assert pool.info().peak - peak == most
        assert [b.__array_interface__["data"] for b in packed.buffers] == places
        assert float(value) < 0.1 * float(first)
        # The plan says beforehand what a step takes.
        with la.profile() as run:
            train(packed, state, images, labels)
        assert run.runs[0].planned_peak == run.measured_peak
