"""Functions that move elements, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.each_device

X = np.arange(24.0).reshape(2, 3, 4)
V = np.arange(6)
window = np.lib.stride_tricks.sliding_window_view

CASES = {
    "reshape": lambda x: x.reshape(4, -1),
    "reshape_fortran": lambda x: np.reshape(x, (4, 6), order="F"),
    "reshape_split": lambda x: x.reshape(2, 3, 2, 2),
    "reshape_of_transpose": lambda x: x.T.reshape(6, 4),
    "reshape_wrong": lambda x: x.reshape(5, -1),
    "reshape_twice": lambda x: x.reshape(-1, -1),
    "ravel": lambda x: x.transpose(1, 0, 2).ravel(),
    "ravel_fortran": lambda x: np.ravel(x, order="F"),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(2, 0, 1),
    "transpose_tuple": lambda x: np.transpose(x, (1, 0, -1)),
    "transpose_bad": lambda x: np.transpose(x, (1, 0)),
    "transpose_twice_same": lambda x: np.transpose(x, (1, 1, 0)),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "mT_vector": lambda x: x[0, 0].mT,
    "swapaxes": lambda x: x.swapaxes(0, -1),
    "moveaxis": lambda x: np.moveaxis(x, [0, 1], [-1, 0]),
    "rollaxis": lambda x: np.rollaxis(x, 2, 1),
    "squeeze": lambda x: x[:1, :, :1].squeeze(),
    "squeeze_axis": lambda x: np.squeeze(x[:1, :, :1], axis=(0,)),
    "squeeze_wrong": lambda x: np.squeeze(x, axis=0),
    "expand_dims": lambda x: np.expand_dims(x, (0, -1)),
    "broadcast_to": lambda x: np.broadcast_to(x[:, :1], (5, 2, 3, 4)),
    "broadcast_to_wrong": lambda x: np.broadcast_to(x, (2, 4)),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x[0, 0]),
    "flip": lambda x: np.flip(x),
    "flip_axis": lambda x: np.flip(x, (0, 2)),
    "fliplr": lambda x: np.fliplr(x),
    "flipud": lambda x: np.flipud(x),
    "rot90": lambda x: np.rot90(x, 1),
    "rot90_twice": lambda x: np.rot90(x, 2, (1, 2)),
    "rot90_back": lambda x: np.rot90(x, -1, (2, 0)),
    "roll": lambda x: np.roll(x, 5),
    "roll_axis": lambda x: np.roll(x, -1, axis=1),
    "roll_axes": lambda x: np.roll(x, (1, 2), axis=(0, 2)),
    "roll_pair": lambda x: np.roll(x, 1, axis=(0, 2)),
    "concatenate": lambda x: np.concatenate([x, x + 1, x[:1]], axis=0),
    "concatenate_dtypes": lambda x: np.concatenate([x, x > 3, x.astype("f4")], axis=1),
    "concatenate_flat": lambda x: np.concatenate((x, x[0]), axis=None),
    "concatenate_wrong": lambda x: np.concatenate([x, x[0]]),
    "concatenate_differs": lambda x: np.concatenate([x, x[:, :2]], axis=0),
    "concatenate_dtype": lambda x: np.concatenate([x, x], dtype="f4"),
    "stack": lambda x: np.stack([x, x * 2], axis=-1),
    "stack_wrong": lambda x: np.stack([x, x[0]]),
    "unstack": lambda x: np.unstack(x, axis=1),
    "vstack": lambda x: np.vstack([x[0], x[1, 0]]),
    "hstack": lambda x: np.hstack([x, x]),
    "hstack_vectors": lambda x: np.hstack([x[0, 0], x[0, 1]]),
    "dstack": lambda x: np.dstack([x[0], x[1]]),
    "column_stack": lambda x: np.column_stack([x[0], x[0, :, 0]]),
    "block": lambda x: np.block([[x[0], x[1]], [x[1], x[0]]]),
    "append": lambda x: np.append(x, x[0]),
    "append_axis": lambda x: np.append(x, x, axis=1),
    "split": lambda x: np.split(x, 2, axis=2),
    "split_positions": lambda x: np.split(x, [1, 3], axis=2),
    "split_wrong": lambda x: np.split(x, 3, axis=2),
    "array_split": lambda x: np.array_split(x, 3, axis=2),
    "vsplit": lambda x: np.vsplit(x, 2),
    "hsplit": lambda x: np.hsplit(x, 3),
    "dsplit": lambda x: np.dsplit(x, 2),
    "tile": lambda x: np.tile(x, (2, 1, 3)),
    "tile_more": lambda x: np.tile(x[0, 0], (2, 2)),
    "tile_number": lambda x: np.tile(x, 2),
    "repeat": lambda x: np.repeat(x, 3),
    "repeat_axis": lambda x: np.repeat(x, 2, axis=1),
    "repeat_counts": lambda x: np.repeat(x, [1, 0, 3], axis=1),
    "take": lambda x: np.take(x, [0, 2], axis=1),
    "take_flat": lambda x: x.take([[0, 5], [7, -1]]),
    "take_wrap": lambda x: np.take(x, [5, -7], axis=2, mode="wrap"),
    "take_clip": lambda x: np.take(x, [5, -7], axis=2, mode="clip"),
    "take_out_of_bounds": lambda x: np.take(x, 9, axis=0),
    "diagonal": lambda x: x.diagonal(),
    "diagonal_offset": lambda x: np.diagonal(x, 1, 1, 2),
    "diagonal_below": lambda x: np.diagonal(x, -1, 2, 0),
    "diagonal_outside": lambda x: np.diagonal(x, 9),
    "trace": lambda x: x.trace(1, 1, 2),
    "diag": lambda x: np.diag(x[0]),
    "diag_vector": lambda x: np.diag(x[0, 0], 1),
    "diag_below": lambda x: np.diag(x[0, 0], -2),
    "diagflat": lambda x: np.diagflat(x[0, :2], 1),
    "tril": lambda x: np.tril(x, 1),
    "triu": lambda x: np.triu(x, -1),
    "tril_vector": lambda x: np.tril(x[0, 0]),
    "window": lambda x: window(x, (2, 2), axis=(1, 2)),
    "window_all": lambda x: window(x[0, 0], 3).mean(axis=-1),
    "window_large": lambda x: window(x[0, 0], 5),
    "resize": lambda x: np.resize(x, (5, 7)),
    "atleast": lambda x: np.atleast_3d(x[0], x[0, 0]),
    "pad": lambda x: np.pad(x, 1),
    "pad_values": lambda x: np.pad(x, ((0, 1), (2, 0), (1, 1)), constant_values=7),
    "pad_pairs": lambda x: np.pad(x[0, 0], (1, 2), constant_values=(4, 5)),
    "pad_edge": lambda x: np.pad(x, 2, mode="edge"),
    "pad_wrap": lambda x: np.pad(x, 1, mode="wrap"),
    "pad_reflect": lambda x: np.pad(x, 1, mode="reflect"),
    "pad_symmetric": lambda x: np.pad(x, 1, mode="symmetric"),
    "pad_reflect_large": lambda x: np.pad(x, 5, mode="reflect"),
    "pad_mean": lambda x: np.pad(x, 2, mode="mean"),
    "pad_negative": lambda x: np.pad(x, -1),
    "insert": lambda x: np.insert(x, 1, 9, axis=1),
    "delete": lambda x: np.delete(x, [0, 2], axis=1),
    "compress": lambda x: np.compress([True, False, True], x, axis=1),
    "kron": lambda x: np.kron(x[0], x[1, :2]),
}


@pytest.mark.parametrize("name", CASES)
def test_leaf(compare, name):
    compare(CASES[name], X)


@pytest.mark.parametrize("name", CASES)
def test_computed(compare, name):
    # Sums may be taken in another order on a GPU.
    summed = name in ("trace", "window_all") and la.get_config().device == "cuda"
    compare(lambda x: CASES[name](np.sqrt(x) + 1), X, rtol=1e-15 if summed else 0)


@pytest.mark.parametrize("name", ["flip", "roll", "ravel", "T", "squeeze", "tile"])
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,)])
def test_edge_shapes(compare, name, shape):
    compare(CASES[name] if name != "squeeze" else lambda x: x.squeeze(), np.ones(shape))


@pytest.mark.lazy
def test_views_compose_into_one():
    x = la.asarray(X)
    y = x.transpose(2, 0, 1)[::2, :, ::-1][:, None]
    assert y._node.op.name == "view"
    assert y._node.src[0] is x._node
    assert x[:, :, :].T.T._node is x._node
    np.testing.assert_array_equal(y.compute(), X.transpose(2, 0, 1)[::2, :, ::-1][:, None])


def test_broadcasting_uses_no_memory():
    x = la.broadcast_to(la.asarray(1.5), (10**6, 10**6))
    assert x.shape == (10**6, 10**6)
    assert float(x[5, 7]) == 1.5


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sort(x, axis=0),
        lambda x: np.argsort(x, kind="stable"),
        lambda x: np.searchsorted(np.sort(x[0, 0]), x),
        lambda x: np.partition(x, 1),
        lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1),
        lambda x: np.where(x > 5, x, 0),
        lambda x: np.where(x > 5, 1, 2),
        lambda x: np.where(x > 5),
        lambda x: np.clip(x, 2, 9),
        lambda x: np.clip(x, None, 9.5),
        lambda x: x.clip(min=3),
        lambda x: np.round(x / 3, 2),
        lambda x: x.round(-1),
        lambda x: np.nan_to_num(np.log(x - 1)),
        lambda x: np.isin(x, [1, 2]),
        lambda x: np.select([x < 3, x > 8], [x, -x], 5),
        lambda x: np.choose((x % 2).astype(int), [x, -x]),
        lambda x: np.isclose(x, x + 1e-9),
        lambda x: np.interp(x, [0, 10, 30], [1.0, 2, 5]),
        lambda x: np.digitize(x, [3, 9]),
        lambda x: np.unique(x % 3),
        lambda x: np.nonzero(x > 3),
        lambda x: np.argwhere(x > 3),
        lambda x: np.cov(x[0]),
        lambda x: np.corrcoef(x[0]),
        lambda x: np.gradient(x),
        lambda x: np.gradient(x**2, 0.5, axis=(1, 2), edge_order=2),
        lambda x: np.gradient(x[0] ** 2, [0.0, 1, 3], 2.0),
        lambda x: np.gradient(x[0, 0] ** 2, [0.0, 1, 3, 4], edge_order=2),
        lambda x: np.gradient(x[:1]),
        lambda x: np.trapezoid(x, dx=0.5),
        lambda x: np.ediff1d(x),
        lambda x: np.diff(x, prepend=0),
        lambda x: np.polyval([1.0, 2, 3], x),
        lambda x: np.convolve(x[0, 0], [1.0, 2]),
        lambda x: np.cross(x[..., :3], x[..., 1:]),
        lambda x: np.histogram(x, bins=4),
        lambda x: np.fft.fft(x),
        lambda x: np.fft.rfft2(x),
        lambda x: np.fft.irfft(x, n=5),
        lambda x: np.fft.fftshift(x),
        lambda x: np.fft.ifftn(x, axes=(0, 1)),
    ],
)
def test_selection_and_library(compare, function):
    compare(function, X, rtol=1e-12)


def test_reshape_of_memory_in_another_order() -> None:
    array = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    for operand in (array, np.broadcast_to(array[0], (3, 4)), array + 1j):
        x = la.asarray(operand)
        flat, total, joined = la.evaluate(
            x.reshape(-1), x.reshape(2, 6).sum(axis=1), np.concatenate([x.ravel(), x.ravel() * 2])
        )
        np.testing.assert_array_equal(flat, operand.reshape(-1))
        np.testing.assert_array_equal(total, operand.reshape(2, 6).sum(axis=1))
        np.testing.assert_array_equal(
            joined, np.concatenate([operand.ravel(), operand.ravel() * 2])
        )


def test_windows_beside_an_empty_axis() -> None:
    window = np.lib.stride_tricks.sliding_window_view
    assert window(la.zeros((0, 4)), 2, axis=1).shape == (0, 3, 2)


def test_arrays_of_the_common_shape_are_not_broadcast() -> None:
    x = la.zeros((2, 3))
    same, wide = la.broadcast_arrays(x, la.ones(3))
    assert same is x
    assert wide.shape == (2, 3)
    assert not wide.flags.writeable
