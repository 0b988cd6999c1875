"""Convolutions on the processor: the kernels against their reference in NumPy."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import lazyarr as la
from lazyarr import nn
from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.compiler.compilation import analyse
from lazyarr.core.frozen import replace
from lazyarr.execution.cpu import convolutions
from lazyarr.graph.node import Node
from lazyarr.ops.convolution import FILTER_PARTS, Sliding, convolution, filters

random = np.random.default_rng(0)


def some(*shape: int, dtype: str = "float32") -> Any:
    return random.standard_normal(shape).astype(dtype)


def node_of(array: Any) -> Node:
    return as_node(la.asarray(array))


def pair(low: int, high: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(low, high), st.integers(low, high))


@st.composite
def slidings(draw: st.DrawFn) -> tuple[Sliding, tuple[int, int]]:
    """Windows anywhere: far outside of the images, too."""
    how = Sliding(
        draw(pair(1, 11)),
        draw(pair(1, 4)),
        draw(pair(1, 3)),
        draw(pair(1, 2)),
        draw(pair(-2, 4)),
        draw(pair(1, 3)),
    )
    return how, draw(pair(1, 9))


@settings(max_examples=30, deadline=None)
@given(
    drawn=slidings(),
    count=st.integers(1, 3),
    channels=st.sampled_from([1, 3, 7, 8, 16, 21, 33]),
    outputs=st.sampled_from([1, 5, 16, 23, 32, 40]),
    dtype=st.sampled_from(["float32", "float64"]),
)
def test_kernels_agree_with_numpy(
    drawn: tuple[Sliding, tuple[int, int]], count: int, channels: int, outputs: int, dtype: str
) -> None:
    how, size = drawn
    x = some(count, *size, channels, dtype=dtype)
    w = some(*how.taps, channels, outputs, dtype=dtype)
    g = some(count, *how.windows, outputs, dtype=dtype)
    tolerance = 1e-4 if dtype == "float32" else 1e-12
    for build, other in ((convolution, w), (filters, g)):
        value = build(node_of(x), node_of(other), how)
        expected = value.op.evaluate(value, x, other)
        result = la.evaluate(LazyArray(value))
        np.testing.assert_allclose(result, expected, tolerance, tolerance * np.sqrt(channels))


@settings(max_examples=30, deadline=None)
@given(
    drawn=slidings(),
    count=st.integers(1, 3),
    channels=st.sampled_from([1, 3, 7, 8, 16, 21, 33]),
    outputs=st.integers(1, 4),
    dtype=st.sampled_from(["float32", "float64"]),
)
def test_separate_channels_and_few_outputs(
    drawn: tuple[Sliding, tuple[int, int]], count: int, channels: int, outputs: int, dtype: str
) -> None:
    """A filter for each channel, and outputs that are computed one by one."""
    how, size = drawn
    x = some(count, *size, channels, dtype=dtype)
    tolerance = 1e-4 if dtype == "float32" else 1e-12
    for windows, inputs, results in (
        (replace(how, apart=True), 1, channels),
        (how, channels, outputs),
    ):
        w = some(*how.taps, inputs, results, dtype=dtype)
        g = some(count, *how.windows, results, dtype=dtype)
        for build, other in ((convolution, w), (filters, g)):
            value = build(node_of(x), node_of(other), windows)
            expected = value.op.evaluate(value, x, other)
            result = la.evaluate(LazyArray(value))
            np.testing.assert_allclose(
                result, expected, tolerance, tolerance * np.sqrt(channels * 100)
            )


@pytest.mark.parametrize("shape", [(8, 1, 3, 3), (24, 1, 3, 3), (1, 8, 3, 3), (3, 8, 5, 5)])
def test_no_faults_of_elements_beside_the_windows(shape: tuple[int, ...]) -> None:
    """Infinities of other rows and columns are not multiplied by zeros of a tile's rest."""
    x = np.zeros((1, 8, 9, 9))
    x[:, :, 8], x[:, :, :, 8] = np.inf, np.inf
    groups = 8 if shape[1] == 1 else 1
    result = nn.conv2d(x[:, :, :8, :8], np.ones(shape), groups=groups).compute()
    assert (result == 0).all()


@pytest.mark.parametrize("columns", [1, 3, 4, 7, 8, 9, 13, 16])
def test_filters_that_do_not_fit_the_first_cache(columns: int) -> None:
    """They are multiplied part by part, and tiles of columns that overlap add nothing twice."""
    x, w = some(2, 6, columns, 70), some(70, 70, 5, 5)
    result = nn.conv2d(x, w, padding=2, channels="last").compute()
    how = Sliding((6, columns), (5, 5), low=(2, 2))
    weights = w.transpose(2, 3, 1, 0)
    expected = convolution(node_of(x), node_of(weights), how)
    reference = expected.op.evaluate(expected, x.astype("f8"), weights.astype("f8"))
    np.testing.assert_allclose(result, reference, 1e-3, 1e-3)


@pytest.mark.parametrize("channels", ["first", "last"])
def test_any_layout_of_images(channels: str) -> None:
    """Images are read where they lie: in reverse, with steps, channels first or last."""
    base = some(4, 12, 10, 40)
    x = base[::2, ::-1, 1::2, ::-2]
    w = some(9, 20, 3, 2)
    first = np.moveaxis(x, -1, 1)
    expected = nn.conv2d(np.ascontiguousarray(first), w, stride=2, padding=1).compute()
    lazy = la.asarray(base)[::2, ::-1, 1::2, ::-2]
    given_images = lazy if channels == "last" else la.moveaxis(lazy, -1, 1)
    result = nn.conv2d(given_images, w, stride=2, padding=1, channels=channels).compute()
    if channels == "last":
        result = np.moveaxis(result, -1, 1)
    np.testing.assert_array_equal(result, expected)


def gradients(x: Any, w: Any, groups: int) -> Any:
    """Return a convolution's value, and gradients of another one."""
    value = nn.conv2d(x, w, stride=2, padding=1, groups=groups)
    slope = la.grad(lambda x, w: (nn.conv2d(x, w, padding=1, groups=groups) ** 2).sum(), (0, 1))
    return la.evaluate(value, *slope(x, w))


@pytest.mark.parametrize(
    ("filters", "groups"), [((17, 19), 1), ((1, 19), 1), ((2, 19), 1), ((19, 1), 19), ((38, 1), 19)]
)
def test_the_same_bits_for_any_number_of_threads(filters: tuple[int, int], groups: int) -> None:
    x, w = la.asarray(some(5, 19, 24, 24)), la.asarray(some(*filters, 3, 3))
    results = []
    for threads in (1, 2, 3):
        with la.config(threads=threads):
            results.append([value.tobytes() for value in gradients(x, w, groups)])
    assert results[0] == results[1] == results[2]


def test_no_matrix_of_windows_is_stored() -> None:
    """A plan's peak is the result and the packed rows; the matrix would be 25 times the images."""
    x, w = la.asarray(some(8, 32, 24, 24)), la.asarray(some(8, 32, 5, 5))
    with la.config(threads=1):
        report = la.explain(nn.conv2d(x, w, padding=2))
        calls = [call.name.partition("_")[2] for call in report.library_calls]
        peak = report.peak_bytes
        del report  # it refers to the convolution, which would be stored for it
        with la.profile() as profile:
            nn.conv2d(x, w, padding=2).compute()
    assert calls == ["convolution"]
    assert peak < 8 * 8 * 24 * 24 * 4 + 400_000
    assert profile.runs[0].planned_peak == profile.runs[0].measured_peak == peak


def test_sums_over_parts_of_images_take_no_more_memory_than_images() -> None:
    """So few images of so many channels are not divided."""
    how = Sliding((4, 4), (3, 3), low=(1, 1))
    for count, channels, parts in ((40, 2, 16), (4, 2, 4), (2, 64, 1)):
        images, cotangent = some(count, 4, 4, channels), some(count, 4, 4, channels + 2)
        value = filters(node_of(images), node_of(cotangent), how)
        program = analyse((value,))
        ops = [step.group.members[0] for step in program.plan.steps]
        assert [node.shape[0] for node in ops if node.op is FILTER_PARTS] == [parts]


def test_what_has_no_kernel() -> None:
    how = Sliding((3, 3), (2, 2))
    for dtype, expected in (("float32", True), ("float64", True), ("float16", False)):
        value = convolution(
            node_of(some(1, 4, 4, 2, dtype=dtype)), node_of(some(2, 2, 2, 3, dtype=dtype)), how
        )
        assert convolutions.has_kernel(value) is expected
        assert (convolutions.scratch_bytes(value) > 0) is expected


def test_faults_are_warned_of_by_the_name_of_the_operation() -> None:
    x, w = np.full((1, 1, 4, 4), 3e38, np.float32), np.full((1, 1, 2, 2), 3e38, np.float32)
    with pytest.warns(RuntimeWarning, match="overflow encountered in convolution"):
        result = nn.conv2d(x, w).compute()
    assert np.isinf(result).all()


def test_batches_of_other_sizes_share_the_kernel() -> None:
    w = some(4, 3, 3, 3)
    for count in (1, 2, 5, 6):
        x = some(count, 3, 9, 9)
        expected = np.concatenate([nn.conv2d(x[k : k + 1], w).compute() for k in range(count)])
        np.testing.assert_array_equal(nn.conv2d(x, w).compute(), expected)
