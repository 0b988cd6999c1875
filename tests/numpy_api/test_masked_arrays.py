"""Masked arrays and matrices: NumPy computes with them, and keeps their classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from operator import iadd, ifloordiv, imatmul, imul, ipow, isub, itruediv
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host


#: Calls of functions with masked arrays and matrices.
OF_SUBCLASSES: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda m, a: m.sum(a, axis=0),
    "std": lambda m, a: m.std(a),
    "add": lambda m, a: m.add(a, m.ones(a.shape)),
    "reduce": lambda m, a: m.multiply.reduce(a),
    "sqrt": lambda m, a: m.sqrt(a),
    "asarray": lambda m, a: m.asarray(a),
    "asanyarray": lambda m, a: m.asanyarray(a),
    "concatenate": lambda m, a: m.concatenate([a, m.ones((1, a.shape[1]))]),
    "where": lambda m, a: m.where(a > 1, a, 0),
    "dot": lambda m, a: m.dot(a, a.T),
    "transpose": lambda m, a: m.transpose(a),
    "cumsum": lambda m, a: m.cumsum(a),
    "ravel": lambda m, a: m.ravel(a),
    "zeros_like": lambda m, a: m.zeros_like(a),
    "norm": lambda m, a: m.linalg.norm(a),
    "fft": lambda m, a: m.fft.fft(a),
    "histogram": lambda m, a: m.histogram(a, bins=3)[0],
    "copyto": lambda m, a: m.copyto(a, m.ones(a.shape)) or a,
    "written": lambda m, a: _written(m.zeros(a.shape), a),
}


def _written(x: Any, value: Any) -> Any:
    x[:] = value
    return x


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("name", OF_SUBCLASSES)
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_masked_arrays_and_matrices(name: str, immediate: int) -> None:
    rng = np.random.default_rng(len(name))
    values = rng.integers(0, 9, (3, 4)).astype(float)
    for x in (np.ma.masked_array(values, rng.random((3, 4)) > 0.6), np.asmatrix(values)):
        with la.config(immediate=immediate):
            mine, theirs = (OF_SUBCLASSES[name](m, x.copy()) for m in (la, np))
        if isinstance(theirs, np.ndarray) and type(theirs) is not np.ndarray:
            assert type(mine) is type(theirs)
        mine = mine if isinstance(mine, np.ma.MaskedArray) else np.asarray(mine)
        assert mine.tolist() == theirs.tolist() and mine.dtype == theirs.dtype


class Named(np.ndarray):
    """A subclass with an attribute."""

    def __array_finalize__(self, other: Any) -> None:
        self.name = getattr(other, "name", "none")


@pytest.mark.parametrize("immediate", [0, 4096])
def test_views_of_subclasses_are_numpys(immediate: int) -> None:
    with la.config(immediate=immediate):
        for x in (la.ones(3), la.ones((2, 3)) * 2, la.array([1, 2], "i4")):
            named = x.view(Named)
            assert type(named) is Named and named.name == "none"
            np.testing.assert_array_equal(named, np.asarray(x).view(Named), strict=True)
            with pytest.raises(ValueError, match="read-only"):
                named[0] = 1
            assert x.view(np.int32, Named).tolist() == np.asarray(x).copy().view(np.int32).tolist()
    with pytest.raises(la.errors.DTypeError, match="view"):
        la.jit(lambda a: a.view(Named))(np.ones(2))


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_operators_in_place_take_the_data_of_masked_arrays_and_matrices(immediate: int) -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(1, 9, (2, 2)).astype(float)
    masked, matrix = np.ma.masked_array(values, values > 4), np.asmatrix(values)
    for operate in (iadd, isub, imul, itruediv, ipow, ifloordiv, imatmul):
        for other in (masked, matrix):
            with la.config(immediate=immediate):
                mine, theirs = la.eye(2) + 1, np.eye(2) + 1
                view = mine[0]
                assert operate(mine, other) is mine and operate(theirs, other) is theirs
                assert mine.tolist() == theirs.tolist() and view.tolist() == theirs[0].tolist()


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_joined_matrices_are_numpys() -> None:
    for key in (("r", [1, 2], 3), ("c", [1, 2], [3]), ("r", slice(0, 3), 4)):
        mine = la.r_[(key[0], *map(_lazy, key[1:]))]
        assert type(mine) is np.matrix
        assert mine.tolist() == np.r_[key].tolist()


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_matrices_of_names_are_joined() -> None:
    a, b = la.ones((1, 2)), la.zeros((1, 2))
    joined = la.r_["a, b; b, a"]
    assert type(joined) is np.matrix and a.size == b.size
    assert joined.tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("kind", ["f8", "c16", "i8", "?"])
def test_masked_elements_are_written_as_in_numpy(kind: str, immediate: int) -> None:
    masked = np.ma.masked
    writes: list[Callable[[Any], Any]] = [
        lambda x: x.__setitem__(1, masked),
        lambda x: x.__setitem__(slice(1, 2), masked),
        lambda x: x.__setitem__([0, 1], masked),
        lambda x: x[0, ...].__setitem__((), masked),
        lambda x: x.fill(masked),
    ]
    for write in writes:
        outcomes = []
        for m in (la, np):
            with la.config(immediate=immediate):
                x = m.asarray(np.arange(4).astype(kind))
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    try:
                        write(x)
                    except np.ma.MaskError as error:
                        outcomes.append(str(error))
                    else:
                        outcomes.append(str((np.asarray(x).tolist(), len(caught))))
        assert outcomes[0] == outcomes[1]


def _lazy(item: Any) -> Any:
    return la.asarray(item) if isinstance(item, list) else item
