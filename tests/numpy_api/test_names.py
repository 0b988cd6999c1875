"""Each public name of NumPy works here, or says why it does not."""

from __future__ import annotations

import importlib
import inspect
import io
import pickle
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.numpy_api import dispatch, methods
from lazyarr.numpy_api.names import FROM_NUMPY, REFUSED, computed_names, table
from lazyarr.numpy_api.namespace import GROUPS
from lazyarr.tracing import hooks
from tests.support.differential import agree

NAMESPACES: dict[str, tuple[ModuleType, ModuleType]] = {
    "numpy": (la, np),
    "numpy.linalg": (la.linalg, np.linalg),
    "numpy.fft": (la.fft, np.fft),
    "numpy.random": (la.random, np.random),
}


@pytest.mark.host
@pytest.mark.parametrize("name", NAMESPACES)
def test_every_name_works_or_says_why_not(name: str) -> None:
    mine, theirs = NAMESPACES[name]
    rows = table(mine, theirs)
    assert {row[0] for row in rows} == {n for n in dir(theirs) if not n.startswith("_")}
    for public, meaning in rows:
        assert meaning, f"{name}.{public} is missing without a reason"
        if meaning not in ("lazy", "NumPy's own", "computed at once"):
            own = getattr(mine, public, None)  # a package of ours may have the name
            assert own is None or own.__name__ == f"{mine.__name__}.{public}"
        else:
            assert public in dir(mine), f"{public} is not listed"


@pytest.mark.host
def test_reasons_are_for_names_that_are_missing() -> None:
    assert not {*REFUSED} & {*la.__all__, *computed_names(), *FROM_NUMPY}
    with pytest.raises(AttributeError, match=r"ask numpy itself"):
        la.get_include
    with pytest.raises(AttributeError, match=r"^module 'lazyarr' has no attribute 'evalute'$"):
        la.evalute


@pytest.mark.host
def test_dir_shows_public_names_only() -> None:
    for module in (la, la.linalg, la.fft, la.random, la.special):
        names = [name for name in dir(module) if not name.startswith("__")]
        assert not [name for name in names if name.startswith("_")]
    assert {"sin", "histogram", "jit", "random", "float32"} <= {*dir(la)}
    assert not {"importlib", "np", "Any", "annotations"} & {*dir(la)}


PUBLIC = (la.cache, la.errors, la.executor, la.fft, la.linalg, la.nn, la.optim, la.parallel)


@pytest.mark.parametrize("module", [*PUBLIC, la.random, la.special])
def test_dir_of_a_public_module_names_what_users_may_use(module):
    computed_at_once = {"tensorinv", "tensorsolve"} if module is la.linalg else set()
    assert set(dir(module)) == {*module.__all__} | computed_at_once
    assert all(hasattr(module, name) for name in dir(module))


_PUBLIC = [getattr(la, name) for name in la.__all__]
UFUNCS = sorted({f.__name__ for f in _PUBLIC if isinstance(f, la.ufunc)})
X = np.arange(1, 13).reshape(3, 4)


@pytest.mark.host
@pytest.mark.parametrize("name", UFUNCS)
def test_methods_of_ufuncs(name: str) -> None:
    theirs = getattr(np, name)
    mine = getattr(la, name)
    assert (mine.nin, mine.nout, mine.identity) == (theirs.nin, theirs.nout, theirs.identity)
    assert pickle.loads(pickle.dumps(mine)) is mine
    assert repr(mine) == f"<lazyarr ufunc '{name}'>"
    if theirs.nin != 2 or theirs.nout != 1:
        with pytest.raises((TypeError, ValueError)):
            mine.reduce(X)
        return
    x = X.astype(float) if "i" not in "".join(theirs.types).lower() else X
    for axis in (0, 1, None):
        agree(lambda m, v, k=axis: getattr(m, name).reduce(v, axis=k), x, early=False, rtol=1e-12)
    agree(lambda m, v: getattr(m, name).accumulate(v, axis=1), x, early=False, rtol=1e-12)
    agree(lambda m, v: getattr(m, name).reduceat(v, [0, 2], axis=1), x, early=False, rtol=1e-12)
    agree(lambda m, v: getattr(m, name).outer(v[0], v[1]), x, early=False, rtol=1e-12)
    agree(lambda m, v: getattr(m, name).at(v, ([0, 0], [1, 1]), 2), x, early=False, rtol=1e-12)


GRIDS: dict[str, Any] = {
    "mgrid": lambda m: m.mgrid[0:2, 1:4],
    "mgrid of floats": lambda m: m.mgrid[0:1:0.25, 1:4],
    "mgrid of points": lambda m: m.mgrid[0:1:5j, -1:1:3j],
    "mgrid of one": lambda m: m.mgrid[0:5:2],
    "ogrid": lambda m: m.ogrid[0:2, 1:4],
    "ogrid of one": lambda m: m.ogrid[0:1:3j],
    "r_": lambda m: m.r_[1:4, 0, 4],
    "r_ of arrays": lambda m: m.r_[np.array([1, 2, 3]), 0, 0, np.array([4.0, 5])],
    "r_ of points": lambda m: m.r_[-1:1:6j, [0] * 3, 5, 6],
    "r_ of float32": lambda m: m.r_[np.zeros(2, "f4"), 1.5, 2],
    "r_ along": lambda m: m.r_["-1", np.ones((2, 2)), np.zeros((2, 2))],
    "r_ with axes": lambda m: m.r_["0,2", [1, 2, 3], [4, 5, 6]],
    "r_ placed": lambda m: m.r_["0,2,0", [1, 2, 3], [4, 5, 6]],
    "r_ placed last": lambda m: m.r_["1,3,1", [1, 2, 3], [4, 5, 6]],
    "r_ late": lambda m: m.r_[1, "0"],
    "c_": lambda m: m.c_[np.array([1, 2, 3]), np.array([4, 5, 6])],
    "c_ of rows": lambda m: m.c_[np.array([[1, 2, 3]]), 0, 0, np.array([[4, 5, 6]])],
    "c_ of slices": lambda m: m.c_[0:3, 3:6],
    "fromiter": lambda m: m.fromiter((k * k for k in range(4)), float),
    "frombuffer": lambda m: m.frombuffer(b"\x01\x02", np.uint8),
    "fromstring": lambda m: m.fromstring("1 2 3", sep=" "),
    "loadtxt": lambda m: m.loadtxt(io.StringIO("1 2\n3 4")),
    "loadtxt unpacked": lambda m: m.loadtxt(io.StringIO("1 2\n3 4"), unpack=True),
    "genfromtxt": lambda m: m.genfromtxt(io.StringIO("1,,3"), delimiter=","),
    "fromfunction": lambda m: m.fromfunction(lambda i, j: i * j + 1, (2, 3), dtype=int),
    "fromfunction of floats": lambda m: m.fromfunction(lambda i: i / 2, (3,)),
    "mask_indices": lambda m: m.mask_indices(3, m.triu, 1),
    "require": lambda m: m.require([1, 2], "f4", ["C", "W"]),
    "require both orders": lambda m: m.require([1, 2], "f4", ["C", "F"]),
    "asarray_chkfinite": lambda m: m.asarray_chkfinite([1.0, 2.0]),
    "asarray_chkfinite of NaN": lambda m: m.asarray_chkfinite([1.0, np.nan]),
    "isscalar": lambda m: [m.isscalar(3.0), m.isscalar([3.0])],
    "isfortran": lambda m: [m.isfortran(np.ones((2, 3), order="F")), m.isfortran(np.ones((2, 3)))],
    "issubdtype": lambda m: m.issubdtype(m.zeros(2).dtype, m.floating),
    "broadcast": lambda m: list(m.broadcast(m.ones((3, 1)), m.zeros(2)).shape),
    "poly1d": lambda m: m.poly1d([1, 2, 3])(m.arange(4.0)),
    "scalar types": lambda m: m.zeros(2, m.int_) + m.float32(2),
    "euler": lambda m: m.euler_gamma,
}


@pytest.mark.host
@pytest.mark.parametrize("name", GRIDS)
def test_grids_readers_and_types(name: str) -> None:
    agree(GRIDS[name])


@pytest.mark.host
def test_lazy_arrays_stay_lazy_in_grids_and_polynomials() -> None:
    x = la.arange(3.0)
    assert isinstance(la.r_[x, 1], la.LazyArray)
    assert isinstance(la.c_[x, x], la.LazyArray)
    with la.config(implicit="raise"):
        joined = la.c_[x, x]
        value = np.poly1d([1.0, 2.0])(x)
    assert joined.shape == (3, 2)
    np.testing.assert_array_equal(la.evaluate(value), [2.0, 3.0, 4.0])


@pytest.mark.host
def test_files(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    np.testing.assert_array_equal(la.load(tmp_path / "x.npy").compute(), X)
    mapped = la.load(tmp_path / "x.npy", mmap_mode="r")
    np.testing.assert_array_equal((mapped + 1).compute(), X + 1)
    written = la.load(tmp_path / "x.npy", mmap_mode="r+")
    written[0] = 7
    written.flush()
    assert np.load(tmp_path / "x.npy")[0].tolist() == written[0].tolist() != X[0].tolist()
    np.testing.assert_array_equal(
        (la.asarray(written) + 1).compute(), np.load(tmp_path / "x.npy") + 1
    )
    X.tofile(tmp_path / "x.bin")
    read = la.fromfile(tmp_path / "x.bin", dtype=X.dtype)
    np.testing.assert_array_equal(read.compute(), X.reshape(-1))
    lazy = la.asarray(X) * 2
    la.save(tmp_path / "y.npy", lazy)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), X * 2)
    record = la.loadtxt(io.StringIO("1 2"), dtype=[("a", "i4"), ("b", "f4")])
    assert type(record) is np.ndarray and record.item() == (1, 2.0)


@pytest.mark.host
def test_frompyfunc_and_dates() -> None:
    value = la.frompyfunc(lambda a, b: f"{a}{b}", 2, 1)
    assert value(la.asarray([1, 2]), 3).tolist() == ["13", "23"]
    with pytest.raises(TypeError, match="isnat"):
        la.isnat(la.zeros(2))
    assert la.isnat(np.datetime64("NaT", "D"))


@pytest.mark.host
def test_the_array_api_names_its_version() -> None:
    x = la.zeros(2)
    assert la.__array_api_version__ == "2024.12"
    assert x.__array_namespace__(api_version="2024.12") is la
    assert x.__array_namespace__(api_version="2022.12") is la
    with pytest.raises(ValueError, match="2099"):
        x.__array_namespace__(api_version="2099.01")


@pytest.mark.host
def test_arrays_of_other_kinds_are_numpys(tmp_path: Path) -> None:
    x = la.arange(4.0)
    masked = la.ma.masked_greater(x, 1)
    assert (masked + x).tolist() == [0.0, 2.0, None, None]
    assert isinstance(x + masked, np.ma.MaskedArray)
    mapped = la.memmap(tmp_path / "map", dtype=float, mode="w+", shape=(4,))
    mapped[:] = x + 1
    assert (la.asarray(mapped) * 2).tolist() == [2.0, 4.0, 6.0, 8.0]
    assert la.char.upper(["a", "b"]).tolist() == ["A", "B"]
    assert la.rec.fromarrays([x, x + 1], names="a,b").b.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert not isinstance(x, la.matrix)
    assert la.busday_count("2024-01-01", "2024-01-08") == 5
    assert la.sum(masked) == np.sum(masked) and la.add(masked, x).tolist() == (masked + x).tolist()
    with pytest.raises(la.errors.DTypeError, match="MaskedArray"):
        la.jit(lambda a: la.add(a, masked))(np.zeros(4))


@pytest.mark.host
def test_functions_are_of_the_type_ufunc() -> None:
    assert isinstance(la.add, la.ufunc)


@pytest.mark.host
@pytest.mark.parametrize("group", GROUPS)
def test_the_table_of_functions_is_what_modules_define(group: str) -> None:
    module = importlib.import_module(f"lazyarr.numpy_api.{group}")
    generated = () if group in ("elementwise", "windows") else getattr(module, "FUNCTIONS", ())
    helpers = {"FUNCTIONS", "GENERALIZED", "dot_of_matrices", "function_of", "ufunc"}
    own = {*module.__all__, *generated} - helpers
    assert set(GROUPS[group].split()) == own
    functions = [getattr(la, name) for name in own]
    # Those of one object are one here too.
    assert len({*map(id, functions)}) == len({id(getattr(module, name, name)) for name in own})
    assert all(pickle.loads(pickle.dumps(f)) is f for f in functions)


@pytest.mark.host
def test_functions_that_are_methods_are_found() -> None:
    source = inspect.getsource(methods._find)
    names = set(re.findall(r'"(\w+)"', source))
    assert {"sum", "matmul", "array_ufunc", "counterpart"} <= names
    assert all(callable(hooks.FUNCTIONS[name]) for name in names)


@pytest.mark.host
def test_functions_of_numpy_have_counterparts_by_their_names() -> None:
    for space, theirs in (("numpy", np), ("numpy.linalg", np.linalg), ("numpy.fft", np.fft)):
        mine = NAMESPACES[space][0]
        for name in mine.__all__:
            function = getattr(theirs, name, None)
            if callable(function) and not isinstance(function, (np.ufunc, type)):
                own = dispatch.counterpart(function)
                own_name = getattr(function, "__name__", name)
                expected = getattr(mine, own_name if own_name in mine.__all__ else name)
                if name in ("shape", "size", "ndim", "result_type") or expected is function:
                    assert callable(own)
                else:
                    assert own is expected, name
    assert dispatch.counterpart(np.lexsort) is None


@pytest.mark.host
def test_names_without_a_lazy_form_are_looked_up_once() -> None:
    for name in computed_names():
        function = getattr(la, name)
        assert getattr(la, name) is function
