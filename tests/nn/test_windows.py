"""Convolutions and pooling against loops over windows."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn

Array = np.ndarray[Any, Any]


def correlated(x: Array, w: Array, stride: Any, sides: Any, dilation: Any, groups: int) -> Array:
    """Return a cross-correlation, window by window."""
    rank = x.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *sides))
    reach = [(n - 1) * d + 1 for n, d in zip(w.shape[2:], dilation, strict=True)]
    counts = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride, strict=True)]
    out = np.zeros((x.shape[0], w.shape[0], *counts))
    inputs, outputs = w.shape[1], w.shape[0] // groups
    for place in itertools.product(*map(range, counts)):
        cut = tuple(
            slice(place[k] * stride[k], place[k] * stride[k] + reach[k], dilation[k])
            for k in range(rank)
        )
        for g in range(groups):
            window = x[(slice(None), slice(g * inputs, (g + 1) * inputs), *cut)]
            filters = w[g * outputs : (g + 1) * outputs]
            out[(slice(None), slice(g * outputs, (g + 1) * outputs), *place)] = np.tensordot(
                window, filters, (range(1, rank + 2), range(1, rank + 2))
            )
    return out


@st.composite
def convolutions(draw: st.DrawFn) -> dict[str, Any]:
    rank = draw(st.integers(1, 2))
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    inputs = groups * draw(st.integers(1, 3))
    outputs = groups * draw(st.integers(1, 2))
    size = draw(st.tuples(*[st.integers(1, 3)] * rank))
    stride = draw(st.tuples(*[st.integers(1, 3)] * rank))
    dilation = draw(st.tuples(*[st.integers(1, 2)] * rank))
    sides = draw(st.tuples(*[st.tuples(st.integers(0, 2), st.integers(0, 2))] * rank))
    space = [
        draw(st.integers(max((n - 1) * d + 1 - sum(pair), 1), 8))
        for n, d, pair in zip(size, dilation, sides, strict=True)
    ]
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return {
        "x": random.standard_normal((draw(st.integers(1, 2)), inputs, *space)),
        "w": random.standard_normal((outputs, inputs // groups, *size)),
        "stride": stride,
        "sides": sides,
        "dilation": dilation,
        "groups": groups,
        "channels": draw(st.sampled_from(["first", "last"])),
    }


@settings(max_examples=25, deadline=None)
@given(c=convolutions())
def test_convolution(c: dict[str, Any]) -> None:
    rank = c["x"].ndim - 2
    function = (nn.conv1d, nn.conv2d)[rank - 1]
    last = c["channels"] == "last"
    x = np.moveaxis(c["x"], 1, -1) if last else c["x"]
    bias = np.arange(float(c["w"].shape[0]))
    result = function(
        x,
        c["w"],
        bias,
        stride=c["stride"],
        padding=c["sides"],
        dilation=c["dilation"],
        groups=c["groups"],
        channels=c["channels"],
    ).compute()
    expected = correlated(c["x"], c["w"], c["stride"], c["sides"], c["dilation"], c["groups"])
    expected += bias.reshape(-1, *[1] * rank)
    np.testing.assert_allclose(
        np.moveaxis(result, -1, 1) if last else result, expected, 1e-11, 1e-11
    )


@settings(max_examples=25, deadline=None)
@given(c=convolutions())
def test_the_transpose_is_the_adjoint(c: dict[str, Any]) -> None:
    """The product of conv(x) with y is that of x with conv_transpose(y)."""
    rank = c["x"].ndim - 2
    crop = tuple(min(pair) for pair in c["sides"])
    w, x = c["w"], c["x"]
    reach = [(n - 1) * d + 1 for n, d in zip(w.shape[2:], c["dilation"], strict=True)]
    if any(n + 2 * p < r for n, p, r in zip(x.shape[2:], crop, reach, strict=True)):
        return
    options = {
        "stride": c["stride"],
        "padding": crop,
        "dilation": c["dilation"],
        "groups": c["groups"],
    }
    y = (nn.conv1d, nn.conv2d)[rank - 1](x, w, **options).compute()
    rest = tuple(
        (n + 2 * p - r) % s
        for n, p, r, s in zip(x.shape[2:], crop, reach, c["stride"], strict=True)
    )
    other = np.random.default_rng(0).standard_normal(y.shape)
    back = (nn.conv_transpose1d, nn.conv_transpose2d)[rank - 1](
        other, w, output_padding=rest, **options
    ).compute()
    assert back.shape == x.shape
    np.testing.assert_allclose((y * other).sum(), (x * back).sum(), 1e-10, 1e-10)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dtypes_are_kept(dtype: str) -> None:
    x, w = np.ones((1, 2, 5, 5), dtype), np.ones((3, 2, 3, 3), dtype)
    assert nn.conv2d(x, w).compute().dtype == dtype
    assert nn.conv_transpose2d(x, w.swapaxes(0, 1)).compute().dtype == dtype
    assert nn.max_pool2d(x, 2, padding=1).compute().dtype == dtype
    assert nn.avg_pool2d(x, 2, padding=1, count_padding=False).compute().dtype == dtype
    assert nn.global_avg_pool(x).compute().dtype == dtype


@pytest.mark.parametrize(("size", "stride"), [(7, 1), (7, 2), (8, 3), (5, 2)])
def test_same_padding(size: int, stride: int) -> None:
    x, w = np.ones((1, 1, size)), np.ones((1, 1, 4))
    result = nn.conv1d(x, w, stride=stride, padding="same")
    assert result.shape == (1, 1, -(-size // stride))
    assert nn.conv1d(x, w, padding="valid").shape == (1, 1, size - 3)


@st.composite
def pools(draw: st.DrawFn) -> tuple[Array, Any, Any, Any]:
    window = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    stride = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    sides = draw(
        st.tuples(*[st.tuples(st.integers(0, n // 2), st.integers(0, n // 2)) for n in window])
    )
    space = [draw(st.integers(n, 7)) for n in window]
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return random.standard_normal((2, 3, *space)), window, stride, sides


@settings(max_examples=20, deadline=None)
@given(pool=pools())
def test_pools(pool: tuple[Array, Any, Any, Any]) -> None:
    x, window, stride, sides = pool
    frame = ((0, 0), (0, 0), *sides)

    def windows(value: float, data: Array) -> Array:
        wide = np.pad(data, frame, constant_values=value)
        seen = np.lib.stride_tricks.sliding_window_view(wide, window, (2, 3))
        return seen[:, :, :: stride[0], :: stride[1]]

    options = {"stride": stride, "padding": sides}
    largest = nn.max_pool2d(x, window, **options).compute()
    np.testing.assert_array_equal(largest, windows(-np.inf, x).max(axis=(-2, -1)))
    mean = nn.avg_pool2d(x, window, **options).compute()
    np.testing.assert_allclose(mean, windows(0, x).mean(axis=(-2, -1)), 1e-12, 1e-12)
    inside = nn.avg_pool2d(x, window, count_padding=False, **options).compute()
    total = windows(0, x).sum(axis=(-2, -1))
    count = windows(0, np.ones_like(x)).sum(axis=(-2, -1))
    np.testing.assert_allclose(inside, total / count, 1e-12, 1e-12)
    last = nn.max_pool2d(np.moveaxis(x, 1, -1), window, channels="last", **options).compute()
    np.testing.assert_array_equal(np.moveaxis(last, -1, 1), largest)


def test_global_pools() -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5))
    np.testing.assert_allclose(nn.global_avg_pool(x).compute(), x.mean(axis=(2, 3)), 1e-13)
    np.testing.assert_array_equal(nn.global_max_pool(x).compute(), x.max(axis=(2, 3)))
    last = nn.global_max_pool(np.moveaxis(x, 1, -1), channels="last").compute()
    np.testing.assert_array_equal(last, x.max(axis=(2, 3)))


def test_a_traced_convolution_holds_for_all_sizes() -> None:
    w = np.random.default_rng(0).standard_normal((4, 2, 3, 3))
    step = la.jit(lambda x, w: nn.max_pool2d(nn.relu(nn.conv2d(x, w, padding=1)), 2))
    for shape in ((1, 2, 4, 6), (3, 2, 8, 4)):
        x = np.random.default_rng(1).standard_normal(shape)
        y = correlated(x, w, (1, 1), ((1, 1), (1, 1)), (1, 1), 1)
        y = np.maximum(y, 0).reshape(*y.shape[:2], y.shape[2] // 2, 2, y.shape[3] // 2, 2)
        np.testing.assert_allclose(step(x, w), y.max(axis=(3, 5)), 1e-12)
    assert step.cache_info().traced == 1


BAD = [
    (la.errors.ShapeError, "expects 2 channels, x has 3|expect 2", {"w": (4, 2, 3, 3)}),
    (la.errors.ShapeError, "4 axes", {"w": (4, 3, 3)}),
    (la.errors.ShapeError, "do not fit into", {"w": (4, 3, 9, 9)}),
    (la.errors.ArgumentError, "must divide", {"groups": 2}),
    (la.errors.ArgumentError, "positive", {"stride": 0}),
    (la.errors.ArgumentError, "negative", {"padding": -1}),
    (la.errors.ArgumentError, "'same'", {"padding": "full"}),
    (la.errors.ArgumentError, "channels", {"channels": "middle"}),
    (la.errors.ArgumentError, "one number or 2", {"dilation": (1, 2, 3)}),
    (la.errors.ArgumentError, "integers", {"stride": 1.5}),
    (la.errors.ShapeError, "bias", {"bias": np.zeros(3)}),
]


@pytest.mark.parametrize(("error", "match", "options"), BAD)
def test_convolutions_that_make_no_sense(
    error: type[Exception], match: str, options: dict[str, Any]
) -> None:
    w = np.zeros(options.pop("w", (4, 3, 3, 3)))
    with pytest.raises(error, match=match) as caught:
        nn.conv2d(np.zeros((2, 3, 5, 5)), w, **options)
    assert caught.value.origin[0] == __file__  # type: ignore[attr-defined]


def test_pools_that_make_no_sense() -> None:
    x = np.zeros((1, 1, 4, 4))
    with pytest.raises(la.errors.ArgumentError, match="half a window"):
        nn.max_pool2d(x, 2, padding=2)
    with pytest.raises(la.errors.ShapeError, match="do not fit into"):
        nn.avg_pool2d(x, 5)
    with pytest.raises(la.errors.ShapeError, match="axis for the batch"):
        nn.max_pool2d(x[0], 2)
    with pytest.raises(la.errors.ArgumentError, match="output_padding"):
        nn.conv_transpose2d(x, np.zeros((1, 1, 2, 2)), stride=2, output_padding=2)


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@settings(max_examples=15, deadline=None)
@given(problem=convolutions())
def test_convolution_with_a_border_is_that_of_the_padded_image(
    mode: str, problem: dict[str, Any]
) -> None:
    x, w, sides = (problem[name] for name in ("x", "w", "sides"))
    options = {name: problem[name] for name in ("stride", "dilation", "groups")}
    convolve = nn.conv2d if x.ndim == 4 else nn.conv1d
    fewest = 2 if mode == "reflect" else 1
    if any(any(pair) and n < fewest for n, pair in zip(x.shape[2:], sides, strict=True)):
        with pytest.raises(la.errors.ShapeError, match="at least"):
            convolve(x, w, padding=sides, padding_mode=mode, **options)
        return
    name = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]
    border = np.pad(x, ((0, 0), (0, 0), *sides), mode=name)
    expected = convolve(border, w, **options).compute()
    result = convolve(x, w, padding=sides, padding_mode=mode, **options).compute()
    np.testing.assert_allclose(result, expected, 1e-12, 1e-12)
    last = convolve(
        np.moveaxis(x, 1, -1), w, padding=sides, padding_mode=mode, channels="last", **options
    )
    np.testing.assert_allclose(np.moveaxis(last.compute(), -1, 1), expected, 1e-12, 1e-12)


def test_modes_of_padding_that_do_not_exist() -> None:
    with pytest.raises(la.errors.ArgumentError, match=r"'zeros', 'reflect'.*got 'constant'"):
        nn.conv1d(np.ones((1, 1, 4)), np.ones((1, 1, 2)), padding_mode="constant")
