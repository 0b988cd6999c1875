"""Elements at places that arrays of integers say, read and written, of any dtype and shape."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la

#: Whether what is small, or quicker so, is read and written at once.
IMMEDIATE = pytest.mark.parametrize("immediate", [0, 4096])
INDEX_DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
DTYPES = ["f8", "f4", "i8", "u1", "c16", "?"]


def _drawn(seed):
    """Return an array, indices into its first axis, and as many elements to write there."""
    random = np.random.default_rng(seed)
    length = int(random.choice([1, 3, 100, 127, 1000, 5000]))
    shape = (length, *random.integers(1, 5, random.integers(0, 2)))
    array = (random.random(shape) * 100).astype(random.choice(DTYPES))
    if random.random() < 0.3:
        array = np.repeat(array, 2, axis=0)[::2]
    if random.random() < 0.2:
        array = array[::-1]
    code = np.dtype(random.choice(INDEX_DTYPES))
    most = min(length - 1, np.iinfo(code).max)
    least = -min(length, 128) if code.kind == "i" and random.random() < 0.5 else 0
    places = (*random.choice([1, 2, 7], random.integers(3)), random.choice([1, 40, 600, 3000]))
    index = random.integers(least, most, places, endpoint=True).astype(code)
    if random.random() < 0.2:
        index = index.T
    values = (random.random((*index.shape, *shape[1:])) * 100).astype(array.dtype)
    return array, index, values


@IMMEDIATE
@pytest.mark.parametrize("seed", range(60))
def test_elements_are_those_of_numpy(seed, immediate):
    array, index, _ = _drawn(seed)
    with la.config(immediate=immediate):
        result = la.asarray(array)[la.asarray(index)]
        expected = array[index]
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        assert np.asarray(result).tobytes() == expected.tobytes()


@IMMEDIATE
@pytest.mark.parametrize("seed", range(100, 160))
def test_writes_are_those_of_numpy(seed, immediate):
    array, index, values = _drawn(seed)
    expected = array.copy()
    expected[index] = values
    with la.config(immediate=immediate):
        lazy = la.asarray(array.copy())
        lazy[la.asarray(index)] = la.asarray(values)
        np.testing.assert_array_equal(lazy, expected)


@IMMEDIATE
@pytest.mark.parametrize("code", INDEX_DTYPES)
@pytest.mark.parametrize("count", [3, 700, 40_000])
def test_a_place_out_of_bounds_is_refused(code, count, immediate):
    index = np.zeros(count, code)
    index[-1] = 100
    message = "index 100 is out of bounds for axis 0 with size 100"
    with la.config(immediate=immediate):
        lazy = la.asarray(np.arange(100.0))
        with pytest.raises(IndexError, match=message):
            lazy[la.asarray(index)].compute()
        with pytest.raises(IndexError, match=message):
            lazy[la.asarray(index)] = la.asarray(np.ones(count))
        np.testing.assert_array_equal(lazy, np.arange(100.0))


@pytest.mark.parametrize("count", [5_000, 20_000, 200_000])
@pytest.mark.parametrize("kind", [la.asarray, np.asarray], ids=["lazy", "numpy"])
def test_more_elements_than_an_array_has_are_written_to_its_memory(count, kind):
    """The last of those that are written to one place stays, and nothing is left to compute."""
    random = np.random.default_rng(count)
    index, values = kind(random.integers(-50, 50, count)), kind(random.random(count))
    expected = np.zeros(50)
    with la.config(immediate=4096):
        lazy = la.zeros(50)
        lazy[0] = 0
        memory = lazy._array
        for _ in range(3):
            expected[np.asarray(index)] = values
            lazy[index] = values
            assert lazy._array is memory
            expected[np.asarray(index)] += values
            lazy[index] += values
        assert np.asarray(lazy).tobytes() == expected.tobytes()
