"""Convolutions on a GPU: kernels of our own, cuDNN, and the order of axes around them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import lazyarr as la
from lazyarr import nn
from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import DeviceError
from lazyarr.ops.convolution import Sliding, convolution, filters, transposed
from lazyarr.runtime.cuda import driver, tuning
from lazyarr.runtime.cuda.libraries import convolutions, cudnn_graphs
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuning_rows import use_row

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

random = np.random.default_rng(0)


@pytest.fixture(scope="module", autouse=True)
def device() -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "_devices", [emulated])
        forget_plans()
        with la.config(device="cuda"):
            yield emulated
    forget_plans()


def some(dtype: str, *shape: int) -> Any:
    return random.standard_normal(shape).astype(dtype)


def pair(low: int, high: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(low, high), st.integers(low, high))


def check(
    how: Sliding, size: tuple[int, int], inputs: int, outputs: int, dtype: str, close: float
) -> None:
    x, w = some(dtype, 2, *size, inputs), some(dtype, *how.taps, inputs, outputs)
    g = some(dtype, 2, *how.windows, outputs)
    if inputs % 2:  # channels anywhere
        x = np.ascontiguousarray(x.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    for build, other in ((convolution, w), (filters, g)):
        operands = (as_node(la.asarray(a, device="cuda")) for a in (x, other))
        value = LazyArray(build(*operands, how))
        assert not la.explain(value).fallbacks
        exact = value._node.op.evaluate(value._node, x.astype("f8"), other.astype("f8"))
        np.testing.assert_allclose(la.evaluate(value), exact, close, close * (1 + abs(exact).max()))


SLIDING = st.builds(
    Sliding, pair(1, 6), pair(1, 3), pair(1, 3), pair(1, 2), pair(-2, 4), pair(1, 3)
)
#: With zeros between the neighbours of images alone: each result meets its own taps.
APART = st.builds(
    Sliding, pair(1, 7), pair(1, 4), st.just((1, 1)), st.just((1, 1)), pair(-2, 4), pair(1, 3)
)


@settings(max_examples=40, deadline=None)
@given(
    how=SLIDING | APART,
    size=pair(1, 6),
    inputs=st.sampled_from([1, 3, 4, 8, 20]),
    outputs=st.sampled_from([1, 4, 10, 16, 24, 32, 64, 72]),
    dtype=st.sampled_from(["f4", "f8"]),
)
def test_own_kernels(
    how: Sliding, size: tuple[int, int], inputs: int, outputs: int, dtype: str
) -> None:
    check(how, size, inputs, outputs, dtype, 1e-5 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_separate_channels_are_sums_of_products(dtype: str) -> None:
    how = Sliding((5, 4), (3, 2), (1, 2), (1, 1), (1, 1), (1, 1), apart=True)
    x, w, g = some(dtype, 2, 5, 7, 6), some(dtype, 3, 2, 1, 6), some(dtype, 2, 5, 4, 6)
    close = {"f2": 2e-2, "f4": 1e-5, "f8": 1e-12}[dtype]
    for build, other in ((convolution, w), (filters, g)):
        operands = (as_node(la.asarray(a, device="cuda")) for a in (x, other))
        value = LazyArray(build(*operands, how))
        assert not la.explain(value).fallbacks
        exact = value._node.op.evaluate(value._node, x.astype("f8"), other.astype("f8"))
        np.testing.assert_allclose(la.evaluate(value), exact, close, close * (1 + abs(exact).max()))


@pytest.mark.parametrize("outputs", [8, 32, 40])
def test_large_tiles_give_the_bits_of_small_ones(
    outputs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, w = some("f4", 2, 9, 9, 8), some("f4", 3, 3, 8, outputs)
    how = Sliding((9, 9), (3, 3), low=(1, 1))
    results = []
    for blocks in (1, 10**9):
        use_row(monkeypatch, tuning, convolution_blocks=blocks)
        operands = (as_node(la.asarray(a, device="cuda")) for a in (x, w))
        results.append(la.evaluate(LazyArray(convolution(*operands, how))))
    np.testing.assert_array_equal(*results)


def test_parts_of_the_windows_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    use_row(monkeypatch, tuning, filter_blocks=64, filter_steps=1)
    check(Sliding((9, 9), (3, 3), low=(1, 1)), (9, 9), 8, 8, "f4", 1e-5)


def test_half_without_cudnn_is_a_product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cudnn_graphs, "installed", lambda: False)
    check(Sliding((4, 4), (3, 3), low=(1, 1)), (4, 4), 3, 4, "f2", 3e-3)


class TestCudnn:
    @pytest.fixture(autouse=True)
    def bindings(self, device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
        monkeypatch.setattr(cudnn_graphs, "installed", lambda: True)
        forget_plans()
        libraries = device.libraries
        libraries.convolutions.close()
        module, _ = libraries.opened("cudnn")
        module.problems.clear()
        yield module
        module.refuses = False
        libraries.convolutions.close()
        forget_plans()

    @settings(max_examples=20, deadline=None)
    @given(
        taps=pair(1, 3),
        stride=pair(1, 3),
        gap=pair(1, 2),
        size=pair(5, 8),
        numerics=st.sampled_from(["strict", "fast"]),
    )
    def test_agrees(self, taps: Any, stride: Any, gap: Any, size: Any, numerics: str) -> None:
        low = tuple((n - 1) * d // 2 for n, d in zip(taps, gap, strict=True))
        windows = tuple(
            (n + 2 * before - (k - 1) * d - 1) // step + 1
            for n, before, k, d, step in zip(size, low, taps, gap, stride, strict=True)
        )
        how = Sliding(windows, taps, stride, gap, low)  # type: ignore[arg-type]
        for each, of in ((how, size), (transposed(how, size), windows)):
            with la.config(numerics=numerics):
                check(each, of, 3, 4, "f2", 4e-3)
                check(each, of, 32, 4, "f4", 1e-5)

    def test_float32_keeps_its_digits(self, bindings: Any) -> None:
        check(Sliding((4, 4), (3, 3), low=(1, 1)), (4, 4), 32, 4, "f4", 1e-5)
        assert not bindings.problems
        with la.config(numerics="fast"):
            check(Sliding((4, 4), (3, 3), low=(1, 1)), (4, 4), 32, 4, "f4", 1e-5)
        assert len(bindings.problems) == 2
        assert not any(problem.exact for problem in bindings.problems)

    def test_where_it_has_no_algorithm(self, bindings: Any) -> None:
        bindings.refuses = True
        with la.config(numerics="fast"):  # our own kernels have
            check(Sliding((4, 4), (3, 3), low=(1, 1)), (4, 4), 32, 4, "f4", 1e-5)
        with pytest.raises(DeviceError, match="float16"):
            check(Sliding((4, 4), (3, 3), low=(1, 1)), (4, 4), 32, 4, "f2", 1e-5)

    def test_a_replay(self, device: EmulatedDevice, bindings: Any) -> None:
        x = la.persist(la.asarray(some("f2", 2, 4, 8, 8), device="cuda") * np.float16(1))
        w = la.persist(la.asarray(some("f2", 8, 4, 3, 3), device="cuda") * np.float16(1))
        f = la.jit(lambda x, w: nn.conv2d(x, w, padding=1))
        results = [np.asarray(f.persist(x, w)) for _ in range(8)]
        before = device.replays
        results += [np.asarray(f.persist(x, w)) for _ in range(3)]
        assert device.replays > before
        assert len(bindings.problems) == 1
        for result in results:
            np.testing.assert_array_equal(result, results[0])


def net(x: Any, first: Any, second: Any, shift: Any) -> Any:
    y = nn.relu(nn.conv2d(x, first, shift, padding=1))
    z = nn.relu(nn.conv2d(y, second, padding=1) + y)
    half = la.pad(z[:, :2, ::2, ::2], ((0, 0), (0, 2), (0, 0), (0, 0)))
    return nn.conv2d(half, second, padding=1), nn.max_pool2d(z, 2)


def test_values_beside_convolutions_are_channels_last(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = [some("f4", *shape) for shape in ((2, 4, 8, 8), (4, 4, 3, 3), (4, 4, 3, 3), (4,))]

    def loss(*arrays: Any) -> Any:
        a, b = net(*arrays)
        return (a * a).sum() + la.sin(b).sum()

    slopes = la.grad(loss, (0, 1, 2, 3))
    with la.config(device="cpu"):
        expected = [*la.evaluate(*net(*map(la.asarray, arrays))), *la.evaluate(*slopes(*arrays))]
    seen = []
    vectors = convolutions._in_vectors
    monkeypatch.setattr(
        convolutions, "_in_vectors", lambda images: seen.append(vectors(images)) or seen[-1]
    )
    on_device = [la.asarray(a, device="cuda") for a in arrays]
    got = [*la.evaluate(*net(*on_device)), *la.evaluate(*slopes(*on_device))]
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-4, 1e-4 * abs(theirs).max())
    # The images themselves have their channels first: for two convolutions and a derivative, each
    # rehearsed and then queued.
    assert seen.count(False) == 2 * 3
    assert seen.count(True) > 6


def test_numbers_that_libraries_read_do_not_keep_a_plan_from_replaying(
    device: EmulatedDevice,
) -> None:
    w = la.persist(la.asarray(some("f4", 40, 40), device="cuda") * np.float32(1))
    f = la.jit(lambda w: la.tanh(la.zeros((50, 40), np.float32) @ w + 1) @ w)
    expected = np.tanh(np.ones((50, 40), "f4")) @ np.asarray(w)
    for _ in range(8):
        np.testing.assert_allclose(np.asarray(f.persist(w)), expected, 1e-4, 1e-4)
    before = device.replays
    f.persist(w)
    assert device.replays == before + 1


def test_powers_that_all_elements_share_are_computed_once() -> None:
    x = la.asarray(np.ones(4_000_000, np.float32), device="cuda")
    step = la.asarray(np.array(3), device="cuda")
    kernels = la.explain(x / (1 - 0.9 ** step.astype(np.float64)).astype(np.float32)).kernels
    assert len(kernels) == 2
