"""Lazy arrays given to pandas, Matplotlib, Pillow, Polars, SciPy and scikit-learn."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from lazyarr.interop import arrow

X = np.arange(6.0)
pytestmark = pytest.mark.host


@pytest.fixture(params=[0, 4096], ids=["lazy", "immediate"])
def immediate(request: pytest.FixtureRequest) -> Iterator[None]:
    with la.config(immediate=request.param):
        yield


@pytest.mark.usefixtures("immediate")
def test_pandas() -> None:
    import pandas as pd

    x = la.asarray(X) * 2
    frame = pd.DataFrame({"a": X, "b": X * 2})
    expected = frame[X > 2]
    mask = la.asarray(X) > 2
    for chosen in (frame[mask], frame.loc[mask], frame.iloc[mask], frame.loc[mask, ["a", "b"]]):
        pd.testing.assert_frame_equal(chosen, expected)
    pd.testing.assert_series_equal(frame["a"][mask], frame["a"][X > 2])
    pd.testing.assert_series_equal(frame.loc[mask, "b"], frame.loc[X > 2, "b"])
    places = la.asarray([1, 2]) + 1
    pd.testing.assert_frame_equal(frame.loc[places], frame.loc[[2, 3]])
    pd.testing.assert_frame_equal(frame.iloc[places], frame.iloc[[2, 3]])
    with pytest.raises(ValueError, match="wrong length"):
        frame[mask[:3]]
    written = frame.copy()
    written.loc[mask, "a"] = -1.0
    frame["c"] = x + 1
    assert written["a"].tolist() == [0, 1, 2, -1, -1, -1]
    assert frame["c"].tolist() == [1, 3, 5, 7, 9, 11]
    for value in (pd.Series(x), pd.Index(x), pd.DataFrame({"a": x})["a"]):
        assert value.tolist() == (X * 2).tolist() and value.dtype == np.float64
    assert pd.Series(mask).dtype == np.bool_ and pd.Series(mask).sum() == 3
    assert (pd.Series(X) + x).tolist() == (X * 3).tolist()


@pytest.mark.usefixtures("immediate")
def test_matplotlib() -> None:
    from matplotlib.figure import Figure

    x = la.asarray(X) * 2
    axes, named = Figure().subplots(1, 2)
    bars = axes.bar(x, x + 1)
    assert [bar.get_height() for bar in bars] == (X * 2 + 1).tolist()
    assert isinstance(bars[0].get_height(), float)
    assert [bar.get_height() for bar in named.bar(["a", "b"], [x.sum(), x.mean()])] == [30, 5]
    (line,) = axes.plot(x, np.sin(x))
    np.testing.assert_array_max_ulp(line.get_ydata(), np.sin(X * 2), 4)
    np.testing.assert_array_equal(axes.hist(x)[0], np.histogram(X * 2)[0])
    axes.scatter(x, x, c=x, s=x)
    axes.errorbar(x, x, yerr=x)
    axes.fill_between(x, x, x + 1, where=x > 2)
    axes.set_xlim(x[0], x[-1])
    axes.axhline(x.mean(), label=f"{x.mean():.1f}")
    assert axes.get_xlim() == (0, 10)
    image = axes.imshow(x.reshape(2, 3))
    np.testing.assert_array_equal(image.get_array(), X.reshape(2, 3) * 2)


@pytest.mark.usefixtures("immediate")
@pytest.mark.parametrize("rows", [2, 7])
def test_matplotlib_takes_columns_as_samples(rows: int) -> None:
    from matplotlib.cbook import boxplot_stats, violin_stats
    from matplotlib.figure import Figure

    samples = np.random.default_rng(rows).normal(size=(rows, 3))
    lazy = la.asarray(samples) * 1
    counts, _, _ = Figure().subplots().hist(lazy, bins=4)
    assert np.shape(counts) == (3, 4)
    medians = [column["med"] for column in boxplot_stats(lazy)]
    np.testing.assert_array_equal(medians, np.median(samples, axis=0))
    assert len(violin_stats(lazy, lambda column, at: at)) == 3
    np.testing.assert_array_equal(lazy.to_numpy(), samples)


@pytest.mark.usefixtures("immediate")
def test_pillow() -> None:
    from PIL import Image

    colours = np.random.default_rng(0).integers(0, 256, (4, 5, 3), np.uint8)
    for pixels in (colours, colours[..., 0], colours[..., 1].astype("f4"), colours[..., 0] > 9):
        for eager, lazy in (
            (pixels, la.asarray(pixels)),
            (pixels[::-1, ::2], la.asarray(pixels)[::-1, ::2]),
            (pixels, la.where(la.asarray(pixels) > 0, pixels, pixels)),
        ):
            image = Image.fromarray(lazy)
            assert image.mode == Image.fromarray(eager).mode
            np.testing.assert_array_equal(np.asarray(image), eager)


@pytest.mark.usefixtures("immediate")
def test_polars() -> None:
    import polars as pl

    x = la.asarray(X) * 2
    for dtype in ("i1", "u2", "i4", "i8", "u8", "f4", "f8", "?"):
        eager = (X * 2).astype(dtype)
        lazy = x.astype(dtype)
        assert pl.Series(lazy).dtype == pl.Series(eager).dtype
        np.testing.assert_array_equal(pl.Series(lazy).to_numpy(), eager)
    many = la.arange(10_001) % 7 > 2
    np.testing.assert_array_equal(pl.Series(many).to_numpy(), np.arange(10_001) % 7 > 2)
    table = pl.Series(x.reshape(2, 3))
    assert table.dtype == pl.Array(pl.Float64, 3)
    assert table.to_list() == (X * 2).reshape(2, 3).tolist()
    assert pl.Series(x[::2]).to_list() == [0, 4, 8]
    assert pl.DataFrame({"a": pl.Series(x), "b": pl.Series(x > 2)}).filter(
        pl.Series(x > 2)
    ).shape == (4, 2)


@pytest.mark.skipif(arrow.COMPILED is None, reason=f"releases: {arrow.FORM}")
def test_polars_refuses_what_it_cannot_take() -> None:
    """It releases what it was given while its exception is pending."""
    import polars as pl

    before = len(arrow._exports), len(arrow._capsules)
    for shape in ((30, 4), (2, 3, 4)):
        with pytest.raises(pl.exceptions.SchemaError, match="expected `Struct`"):
            pl.DataFrame(la.ones(shape) * 2)
        gc.collect()
        assert (len(arrow._exports), len(arrow._capsules)) == before


def test_scipy_integrates_values() -> None:
    from scipy import integrate

    eager = np.sin(np.linspace(0, 3, 51)).reshape(1, -1)
    at = np.linspace(0, 3, 51)
    for function in (integrate.simpson, integrate.trapezoid, integrate.cumulative_trapezoid):
        for axis in (-1, 1):
            expected = function(eager, x=at, axis=axis)
            lazy = function(la.asarray(eager) * 1, x=la.asarray(at) * 1, axis=axis)
            np.testing.assert_array_equal(np.asarray(lazy), expected)


def test_scipy_gives_lazy_arrays_where_it_knows_the_array_api() -> None:
    code = """
import numpy as np, lazyarr as la
from scipy import integrate, special
y = la.asarray(np.arange(5.0) ** 2) * 1
assert type(integrate.trapezoid(y)) is la.LazyArray
assert type(integrate.cumulative_trapezoid(y)) is la.LazyArray
assert type(special.logsumexp(y)) is la.LazyArray
assert float(integrate.trapezoid(y)) == 22.0
np.testing.assert_allclose(special.logsumexp(y), special.logsumexp(np.arange(5.0) ** 2))
"""
    subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        check=True,
        timeout=600,
    )


def test_scikit_learn_under_eager() -> None:
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import Ridge
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 4))
    values = points @ np.arange(4.0)
    for make, target in (
        (Ridge, values),
        (LinearDiscriminantAnalysis, (values > 0).astype(int)),
        (StandardScaler, None),
        (lambda: PCA(2), None),
    ):
        results = []
        for wrap in (np.asarray, lambda a: la.asarray(a) * 1):
            arguments = [wrap(points)] if target is None else [wrap(points), wrap(target)]
            with la.eager():
                fitted = make().fit(*arguments)
                use = getattr(fitted, "predict", None) or fitted.transform
                results.append(np.asarray(use(arguments[0])))
        np.testing.assert_allclose(results[1], results[0], rtol=1e-10, atol=1e-10)


def test_pandas_takes_elements_of_vectors() -> None:
    import pandas as pd

    values = la.asarray([1.0, 5.0]) * 1
    series = pd.Series([1.0, 2.0, 5.0])
    assert series.isin(values).tolist() == [True, False, True]
    assert pd.Series(list(values)).dtype == np.float64
    assert series.map({value: -value for value in values}).tolist()[::2] == [-1.0, -5.0]


@pytest.mark.usefixtures("immediate")
def test_dask_computes_with_chunks_that_it_was_told_of() -> None:
    import dask.array as da

    da.register_chunk_type(la.LazyArray)
    chunked, x = da.from_array(X, chunks=3), la.asarray(X) * 2
    for total in (chunked + x, x + chunked, np.add(x, chunked), la.add(chunked, x)):
        assert isinstance(total, da.Array)
        assert total.compute(scheduler="synchronous").tolist() == (X * 3).tolist()
    assert da.from_array(x, chunks=3).sum().compute(scheduler="synchronous") == 30


def test_dask_and_lazy_arrays_refuse_each_other_aloud() -> None:
    script = (
        "import dask.array as da, lazyarr as la\n"
        "for make in (lambda d, x: d + x, lambda d, x: x + d):\n"
        "    try:\n"
        "        make(da.ones(3), la.ones(3))\n"
        "    except TypeError:\n"
        "        continue\n"
        "    raise SystemExit(1)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)


@pytest.mark.usefixtures("immediate")
def test_functions_of_numba() -> None:
    import numba

    x = la.asarray(X) * 2
    scaled = numba.vectorize(["f8(f8,f8)"])(lambda a, b: a * b + 1)
    dynamic = numba.vectorize(lambda a: a - 1)
    np.testing.assert_array_equal(scaled(x, X), X * 2 * X + 1)
    np.testing.assert_array_equal(dynamic(x), X * 2 - 1)
    np.testing.assert_array_equal(scaled.reduce(x[:3]), (0 * 2 + 1) * 4 + 1)
    out = la.zeros(6)
    assert scaled(x, 2.0, out=out) is out
    np.testing.assert_array_equal(out, X * 4 + 1)
    assert numba.njit(lambda a: a.sum())(np.asarray(x)) == 30
