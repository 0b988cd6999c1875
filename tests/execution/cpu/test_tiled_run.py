"""Expressions of arrays that do not fit in memory: the bits that they have in memory."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.errors import ArgumentError, MemoryLimitError
from lazyarr.runtime.host_memory_pool import pool
from tests.support.expressions import EXPRESSIONS, Expression
from tests.support.sources import Dataset

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(3)
LIMIT = 3 << 20


def _rows(dtype: str, rows: int = 4001, columns: int = 307) -> Array:
    return RNG.random((rows, columns)).astype(dtype)


def _values(results: Any) -> tuple[Array, ...]:
    roots = results if isinstance(results, (tuple, list)) else (results,)
    values = la.evaluate(*roots)
    return values if isinstance(values, tuple) else (values,)


MAPS = {
    "map": lambda x: la.exp(x) * 3 - x,
    "rows": lambda x: x / x.sum(1, keepdims=True),
    "softmax": lambda x: la.exp(x - x.max(1, keepdims=True)),
    "standardized": lambda x: (x - x.mean(0)) / x.std(0),
    "stencil": lambda x: x[2:] + x[1:-1] * 2 + x[:-2],
    "reversed": lambda x: x[::-1, ::2] + 1,
    "scan": lambda x: x.cumsum(1),
    "positions": lambda x: la.where(x > 0.5, la.arange(307), -1),
}
REDUCTIONS = {
    "sum": lambda x: (x * 2 + 1).sum(),
    "rows": lambda x: x.sum(1),
    "columns": lambda x: x.sum(0),
    "deviation": lambda x: x.std(0),
    "variance": lambda x: x.var(),
    "argmax": lambda x: x.argmax(1),
    "argmin": lambda x: x.argmin(),
    "any": lambda x: (x > 0.999999).any(0),
    "nested": lambda x: ((x - x.mean(1, keepdims=True)) ** 2).sum(0),
    "part": lambda x: x[100:900:7, 3:200].max(),
    "reshaped": lambda x: x.reshape(-1)[:1_200_000].reshape(1200, 1000).sum(0),
}


class TestSameBits:
    @pytest.mark.parametrize("dtype", "fd")
    @pytest.mark.parametrize("name", REDUCTIONS)
    def test_of_reductions(self, name: str, dtype: str) -> None:
        array, function = _rows(dtype), REDUCTIONS[name]
        expected = la.evaluate(function(la.asarray(array)))
        source = Dataset(array)
        result = la.evaluate(function(la.from_array(source)), max_memory=LIMIT)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)
        assert source.most <= LIMIT

    @pytest.mark.parametrize("dtype", "fd")
    @pytest.mark.parametrize("name", MAPS)
    def test_of_maps_into_an_array_and_a_dataset(self, name: str, dtype: str) -> None:
        array, function = _rows(dtype), MAPS[name]
        expected = la.evaluate(function(la.asarray(array)))
        source = Dataset(array)
        out, sink = np.zeros_like(expected), Dataset(np.zeros_like(expected))
        result = la.evaluate(function(la.asarray(source)), out=out, max_memory=LIMIT)
        assert result is out
        np.testing.assert_array_equal(out, expected)
        assert la.evaluate(function(la.asarray(source)), out=sink, max_memory=LIMIT) is sink
        np.testing.assert_array_equal(sink.array, expected)
        assert max(source.most, sink.most) <= LIMIT // 2

    def test_of_pairs(self) -> None:
        left, right = _rows("f"), _rows("f", 201)
        pairs = lambda x: ((x[:, None] - right[None]) ** 2).sum(-1)  # noqa: E731
        expected = la.evaluate(pairs(la.asarray(left)))
        out = np.empty_like(expected)
        la.evaluate(pairs(la.asarray(Dataset(left))), out=out, max_memory=LIMIT)
        np.testing.assert_array_equal(out, expected)

    @pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
    def test_of_every_template_or_an_error(self, expression: Expression) -> None:
        arrays = expression.arrays()
        lazy = [la.asarray(array) for array in arrays]
        if expression.name == "matmul":
            return  # see TestProducts
        with np.errstate(all="ignore"):
            expected = _values(expression.function(la, *lazy))
            size = sum(array.nbytes for array in (*arrays, *expected))
            done = 0
            for limit in (64 * size + (64 << 20), 2 * size, size // 2, size // 8):
                streamed = [la.from_array(Dataset(array)) for array in arrays]
                try:
                    with la.config(max_memory=max(limit, 1)):
                        results = _values(expression.function(la, *streamed))
                except MemoryLimitError:
                    break
                for result, value in zip(results, expected, strict=True):
                    np.testing.assert_array_equal(result, value)
                done += 1
        assert done

    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        shape=st.tuples(st.integers(300, 600), st.integers(2, 5), st.integers(700, 1100)),
        name=st.sampled_from("sum mean var std min max any".split()),
        dtype=st.sampled_from("fdi"),
        is_computed=st.booleans(),
    )
    def test_reductions_of_separated_axes_read_once(
        self, shape: tuple[int, int, int], name: str, dtype: str, is_computed: bool
    ) -> None:
        array = (RNG.standard_normal(shape) * 50).astype(dtype)

        def function(x: la.LazyArray) -> Any:
            x = 3 * x - x * x if is_computed else x
            return getattr(x, name)(axis=(0, 2))

        expected = la.evaluate(function(la.asarray(array)))
        source = Dataset(array)
        result = la.evaluate(function(la.from_array(source)), max_memory=array.nbytes // 4)
        assert result.tobytes() == expected.tobytes()
        assert source.elements <= 1.3 * array.size

    def test_positions_down_few_columns_read_once(self) -> None:
        array = _rows("f", 300_000, 5)
        source = Dataset(array)
        result = la.evaluate(la.from_array(source).argmax(0), max_memory=array.nbytes // 4)
        np.testing.assert_array_equal(result, array.argmax(0))
        assert source.elements <= 1.3 * array.size

    def test_tiles_that_fit_alone_are_read_one_after_the_other(self) -> None:
        array = _rows("d", 1000, 3000)
        for function in (lambda x: x.std(0), lambda x: x.min(0) + x.argmax(0)):
            expected = la.evaluate(function(la.asarray(array)))
            source, limit = Dataset(array), array.nbytes // 4
            la.evaluate(function(la.from_array(source)), max_memory=limit)  # compiled
            before = pool.info().in_use
            pool.reset_peak()
            source.elements = 0
            result = la.evaluate(function(la.from_array(source)), max_memory=limit)
            assert result.tobytes() == expected.tobytes()
            assert source.elements <= 2.6 * array.size, "positions are of two kernels"
            assert pool.info().peak - before <= limit

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def test_of_random_chains(self, data: st.DataObject) -> None:
        shape = data.draw(st.tuples(st.integers(1, 300), st.integers(1, 70)))
        dtype = data.draw(st.sampled_from("fdilB"))
        array = (RNG.random(shape) * 50).astype(dtype)
        steps = data.draw(st.lists(st.sampled_from(CHAIN), min_size=1, max_size=5))
        limit = data.draw(st.integers(2_000, 60_000))

        def chain(x: Any) -> Any:
            for step in steps:
                x = step(x)
            return x

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = la.evaluate(chain(la.asarray(array)))
            out = Dataset(np.zeros_like(expected))
            try:
                la.evaluate(chain(la.from_array(Dataset(array))), out=out, max_memory=limit)
            except MemoryLimitError:
                return
        np.testing.assert_array_equal(out.array, expected)

    @pytest.mark.parametrize("steps", [(6, 12), (6, 12, 8, 4), (12, 6, 12), (0, 6, 12)])
    @pytest.mark.parametrize("limit", [9_000, 31_000, 59_000, 200_000])
    def test_of_parts_that_are_made_of_other_parts(
        self, steps: tuple[int, ...], limit: int
    ) -> None:
        """A launch that writes one part for a tile of another stays within what the tile holds."""
        array = (RNG.random((163, 29)) * 50).astype("i8")

        def chain(x: Any) -> Any:
            for step in steps:
                x = CHAIN[step](x)
            return x

        expected = la.evaluate(chain(la.asarray(array)))
        out = Dataset(np.zeros_like(expected))
        try:
            la.evaluate(chain(la.from_array(Dataset(array))), out=out, max_memory=limit)
        except MemoryLimitError:
            assert limit < 200_000
            return
        np.testing.assert_array_equal(out.array, expected)


CHAIN = [
    lambda x: x * 2 + 1,
    lambda x: x - x.mean(axis=0, keepdims=True),
    lambda x: x - x.max(axis=-1, keepdims=True),
    lambda x: x[1:] - x[:-1] if x.shape[0] > 1 else x,
    lambda x: x[::-1],
    lambda x: x[:, ::2],
    lambda x: x.cumsum(axis=1),
    lambda x: la.sqrt(abs(x)),
    lambda x: la.where(x > 3, x, -x),
    lambda x: x.T,
    lambda x: x.reshape(-1, 1) if x.size else x,
    lambda x: x + x.sum(),
    lambda x: la.concatenate([x, x * 3]),
    lambda x: x.astype("f8"),
]


class TestProducts:
    @pytest.mark.parametrize("dtype", "fd")
    @pytest.mark.parametrize(
        "function",
        [
            lambda x, y, u, v: x @ y,
            lambda x, y, u, v: x @ v,
            lambda x, y, u, v: u @ x,
            lambda x, y, u, v: x.T @ x,
            lambda x, y, u, v: u @ u,
            lambda x, y, u, v: la.maximum(x @ y - 60, 0).sum(0),
        ],
        ids="matrices vector vector_left gram dot epilogue".split(),
    )
    def test_are_near_and_depend_on_no_limit(self, function: Any, dtype: str) -> None:
        x, y = _rows(dtype, 6001, 101), _rows(dtype, 101, 53)
        u, v = _rows(dtype, 6001, 1)[:, 0], _rows(dtype, 101, 1)[:, 0]
        expected = la.evaluate(function(*map(la.asarray, (x, y, u, v))))
        results = []
        for limit in (12 << 20, 25 << 20):
            streamed = la.asarray(Dataset(x)), la.asarray(y), la.asarray(Dataset(u)), la.asarray(v)
            results.append(la.evaluate(function(*streamed), max_memory=limit))
        np.testing.assert_allclose(results[0], expected, rtol=2e-5 if dtype == "f" else 1e-12)
        np.testing.assert_array_equal(results[0], results[1])

    @pytest.mark.parametrize(
        "function",
        [
            lambda x: x.T @ x,
            lambda x: (x[:, :3].T @ x).sum(1),
            lambda x: (x[:, :, None] * x[:, None, :9]).max(0),
        ],
        ids="gram slice outer".split(),
    )
    def test_down_columns_read_each_element_once(self, function: Any) -> None:
        source = Dataset(_rows("d", 20_001, 29))
        la.evaluate(function(la.from_array(source)), max_memory=3 << 20)
        assert source.elements <= 1.3 * 20_001 * 29

    def test_states_of_products_take_less_than_their_factors(self) -> None:
        source = Dataset(_rows("f", 60_000, 96))
        x = la.from_array(source)
        product = la.evaluate(x.T @ x, max_memory=source.array.nbytes // 4)
        np.testing.assert_allclose(product, source.array.T @ source.array, rtol=2e-5)


class TestBounds:
    def test_columns_of_several_panels_are_read_once(self) -> None:
        source = Dataset(_rows("f", 1500, 3001))
        la.evaluate(la.from_array(source).std(0), max_memory=6 << 20)
        assert source.elements <= 1.3 * 1500 * 3001

    def test_memory_stays_within_the_limit(self) -> None:
        source = Dataset(_rows("d", 20_000))
        la.evaluate(la.from_array(source).std(0), max_memory=LIMIT)  # compiled
        before = pool.info().in_use
        pool.reset_peak()
        la.evaluate(la.from_array(source).std(0), max_memory=LIMIT)
        assert pool.info().peak - before <= LIMIT
        assert pool.info().in_use == before

    def test_a_result_that_does_not_fit_is_named_before_anything_is_read(self) -> None:
        source = Dataset(_rows("d"))
        doubled = la.from_array(source) * 2
        with pytest.raises(MemoryLimitError, match=r"multiply of shape \(4001, 307\)") as caught:
            la.evaluate(doubled, max_memory=LIMIT)
        assert "9,826,456" in str(caught.value) and "out=" in str(caught.value)
        assert caught.value.origin is not None and caught.value.origin[0] == __file__
        assert source.reads == 0

    def test_what_cannot_be_cut_is_named(self) -> None:
        source = Dataset(_rows("d"))
        ordered = la.sort(la.from_array(source), axis=0)[0]
        with pytest.raises(MemoryLimitError, match="entirely in memory"):
            la.evaluate(ordered, max_memory=LIMIT)
        assert source.reads == 0

    def test_arrays_in_memory_are_cut_too(self) -> None:
        array = _rows("d")
        out = np.empty_like(array)
        la.evaluate(MAPS["standardized"](la.asarray(array)), out=out, max_memory=LIMIT)
        np.testing.assert_array_equal(out, la.evaluate(MAPS["standardized"](la.asarray(array))))

    def test_without_a_limit_the_system_has_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from lazyarr.runtime import available_memory

        monkeypatch.setattr(available_memory, "available_bytes", lambda: LIMIT)
        source = Dataset(_rows("d"))
        la.evaluate(la.from_array(source).sum())
        assert source.reads > 1


class TestRuns:
    def test_warn_as_in_memory(self) -> None:
        array = _rows("d")
        array[1234, 5] = 0
        with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
            total = la.evaluate((1 / la.from_array(Dataset(array))).sum(), max_memory=LIMIT)
        assert np.isinf(total)

    def test_compile_once_for_all_tiles_and_all_runs(self) -> None:
        source = Dataset(_rows("f"))
        la.evaluate(la.from_array(source).sum(1), max_memory=LIMIT)
        before = la.cache.info().kernels.compiled
        la.evaluate(la.from_array(Dataset(_rows("f"))).sum(1), max_memory=LIMIT)
        assert la.cache.info().kernels.compiled == before

    def test_values_are_asked_for_in_other_ways(self) -> None:
        array = _rows("d")
        x = la.asarray(Dataset(array))
        assert x.shape == array.shape and x.dtype == array.dtype
        with la.config(max_memory=LIMIT):
            assert float(x.sum()) == float(la.asarray(array).sum())
            assert la.persist(x.max(0)).shape == (307,)
            np.testing.assert_array_equal(np.asarray(x[17]), array[17])

    def test_an_error_while_reading_comes_through(self) -> None:
        class Broken(Dataset):
            def __getitem__(self, key: Any) -> Array:
                if self.reads == 3:
                    raise OSError("no such block")
                return super().__getitem__(key)

        with pytest.raises(OSError, match="no such block"):
            la.evaluate(la.from_array(Broken(_rows("d"))).sum(), max_memory=LIMIT)

    def test_a_source_of_another_shape_than_it_says_is_refused(self) -> None:
        class Short(Dataset):
            def __getitem__(self, key: Any) -> Array:
                return super().__getitem__(key)[:-1]

        with pytest.raises(la.errors.ShapeError, match="Short returned shape"):
            la.evaluate(la.from_array(Short(_rows("d"))).sum(), max_memory=LIMIT)

    def test_a_source_of_another_dtype_than_it_says_is_refused(self) -> None:
        class Text(Dataset):
            def __getitem__(self, key: Any) -> Array:
                return super().__getitem__(key).astype(complex)

        with pytest.raises(la.errors.DTypeError, match="Text returned elements of dtype complex"):
            la.evaluate(la.from_array(Text(_rows("d"))).sum(), max_memory=LIMIT)

    @pytest.mark.parametrize("shape", [None, 3, (3, "a"), (-3,), (2.5,)])
    def test_a_source_without_lengths_is_refused(self, shape: Any) -> None:
        source = Dataset(np.zeros(3))
        source.shape = shape
        with pytest.raises(ArgumentError, match="the shape of Dataset"):
            la.from_array(source)

    @pytest.mark.parametrize("name", ["median", "sort", "unique", "argsort"])
    def test_calls_of_libraries_alone_read_no_more_than_the_limit(self, name: str) -> None:
        source = Dataset(_rows("d"))
        with la.config(max_memory=LIMIT), pytest.raises(MemoryLimitError):
            la.evaluate(getattr(la, name)(la.from_array(source)))
        assert source.elements == 0

    def test_structures_are_shown_without_reading(self) -> None:
        source = Dataset(_rows("d"))
        x = la.from_array(source)
        with la.config(max_memory=LIMIT):
            assert "read from Dataset" in repr(x) and "shape=(4001, 307)" in repr(x)
            assert "read from Dataset" in x._repr_html_()
            assert "not computed" in repr(x[:3])
            assert source.elements == 0
            assert str(x[:2, :2]) == str(source.array[:2, :2])

    def test_refusals_state_what_is_planned(self) -> None:
        x = la.from_array(Dataset(np.ones(1000)))
        with pytest.raises(
            MemoryLimitError, match="needs 8,016 bytes, the limit is 8,000"
        ) as caught:
            la.evaluate(x * 2, max_memory=8000)
        assert "hint: pass out=" in str(caught.value)
        with pytest.raises(MemoryLimitError, match=r"8,\d\d\d bytes.*streamed array") as caught:
            la.evaluate(la.median(x), max_memory=4000)
        outs = (Dataset(np.ones(1000)), Dataset(np.ones(())))
        with pytest.raises(MemoryLimitError) as caught:
            la.evaluate(la.sort(x), la.median(x), out=outs, max_memory=4000)
        assert "pass out=" not in str(caught.value)

    def test_a_dataset_is_not_written_over_while_it_is_read(self) -> None:
        both = Dataset(_rows("d"))
        with pytest.raises(ArgumentError, match="as a streamed array"):
            la.evaluate(la.asarray(both) + 1, out=both, max_memory=LIMIT)

    @pytest.mark.parametrize("limit", [12 << 20, 3 << 20, 1 << 20])
    @pytest.mark.parametrize("axis", [0, 1, None])
    @pytest.mark.parametrize("kind", ["sum", "max", "var"])
    def test_results_written_to_datasets_that_others_are_computed_from(
        self, kind: str, axis: int | None, limit: int
    ) -> None:
        array = _rows("d")

        def several(x: Any) -> tuple[Any, ...]:
            reduced = getattr(x, kind)(axis)
            return reduced * 2, reduced.sum(), reduced, x - reduced.max()

        outs = [Dataset(np.zeros(value.shape)) for value in several(la.asarray(array))]
        la.evaluate(*several(la.asarray(Dataset(array))), out=outs, max_memory=limit)
        for out, value in zip(outs, _values(several(la.asarray(array))), strict=True):
            np.testing.assert_array_equal(out.array, value)

    def test_objects_with_slices_take_results(self) -> None:
        class Own:
            """An array with the documented members alone."""

            def __init__(self, array: Array) -> None:
                self._array, self.shape, self.dtype = array, list(array.shape), "f8"

            def __getitem__(self, key: Any) -> Array:
                return self._array[key]

            def __setitem__(self, key: Any, value: Array) -> None:
                self._array[key] = value

        array, result = _rows("d"), np.zeros((4001, 307))
        out = Own(result)
        assert la.evaluate(la.from_array(Own(array)) * 2, out=out, max_memory=LIMIT) is out
        np.testing.assert_array_equal(result, array * 2)

    @pytest.mark.parametrize("out", [[1.0, 2.0], memoryview(np.zeros(2)), la.zeros(2), "ab", 3])
    def test_other_objects_are_refused_as_outputs(self, out: Any) -> None:
        with pytest.raises(ArgumentError, match="out"):
            la.evaluate(la.asarray(Dataset(np.zeros(2))) + 1, out=out)

    def test_outputs_that_do_not_fit_are_refused(self) -> None:
        x = la.asarray(Dataset(_rows("d")))
        with pytest.raises(la.errors.ShapeError):
            la.evaluate(x + 1, out=Dataset(np.zeros((3, 3))))
        with pytest.raises(la.errors.DTypeError):
            la.evaluate(x + 1, out=Dataset(_rows("f")))
        with pytest.raises(ArgumentError, match="has no shape"):
            la.from_array([1, 2])  # type: ignore[arg-type]


class TestFiles:
    def test_of_hdf5(self, tmp_path: Any) -> None:
        h5py = pytest.importorskip("h5py")
        array = _rows(">f8")
        with h5py.File(tmp_path / "data.h5", "w") as file:
            data = file.create_dataset("x", data=array, chunks=(100, 307), compression="lzf")
            out = file.create_dataset("y", array.shape, "f8")
            x = la.asarray(data)
            la.evaluate((x - x.mean(0)) / x.std(0), out=out, max_memory=LIMIT)
            y = la.asarray(array)
            np.testing.assert_array_equal(out[...], la.evaluate((y - y.mean(0)) / y.std(0)))

    def test_of_zarr(self, tmp_path: Any) -> None:
        zarr = pytest.importorskip("zarr")
        array = _rows("d")
        data = zarr.create_array(store=tmp_path / "x.zarr", data=array, chunks=(500, 100))
        out = zarr.create_array(
            store=tmp_path / "y.zarr", shape=array.shape, dtype="f8", chunks=(500, 100)
        )
        la.evaluate(la.sqrt(la.asarray(data)), out=out, max_memory=LIMIT)
        np.testing.assert_array_equal(out[...], np.sqrt(array))

    def test_zarr_cannot_write_what_it_has_to_read(self) -> None:
        zarr = pytest.importorskip("zarr")
        data = zarr.create_array(store={}, data=np.arange(6.0), chunks=(3,))
        with pytest.raises(ArgumentError, match="while Zarr writes it"):
            data[...] = la.asarray(data)[::-1] + 1
        np.testing.assert_array_equal(data[...], np.arange(6.0))
        data[...] = np.asarray(la.asarray(data)[::-1] + 1)
        np.testing.assert_array_equal(data[...], np.arange(6.0)[::-1] + 1)

    def test_of_memory_maps(self, tmp_path: Any) -> None:
        array = _rows("d")
        array.tofile(tmp_path / "x")
        data = np.memmap(tmp_path / "x", "f8", "r", shape=array.shape)
        out = np.memmap(tmp_path / "y", "f8", "w+", shape=array.shape)
        la.evaluate(la.asarray(data) * 2, out=out, max_memory=LIMIT)
        np.testing.assert_array_equal(out, array * 2)
