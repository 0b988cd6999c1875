"""Compiling: right results, once per source, from disk without the compiler, clear refusals."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import lazyarr.cache
from lazyarr.core.config import Config, config
from lazyarr.errors import CompileError, ContractError
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.compiler import compile_sources
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.numba_version import numba_version
from lazyarr.runtime.cpu.objects import machine_code
from lazyarr.runtime.cpu.objects.elf import read_object
from lazyarr.runtime.host_memory_pool import address_of
from tests.support.parallel_for import parallel_for

FLOAT64 = np.dtype(np.float64)


def run(code: str) -> str:
    """Return the output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def settings(tmp_path: Path) -> Config:
    compiler.forget()
    return Config(cache_dir=str(tmp_path))


def scale(operation: str = "v0 * s") -> Source:
    """Return a source that stores `operation` of each element."""
    return Source(
        "numba",
        "def scale(begin, end, x, out, s):\n"
        "    for i in range(begin, end):\n"
        "        v0 = load_f64(x, i)\n"
        f"        store_f64(out, i, {operation})\n",
        "scale",
        (
            Parameter("x", FLOAT64, True),
            Parameter("out", FLOAT64, True),
            Parameter("s", FLOAT64, False),
        ),
        ("load_f64", "store_f64", "exp_f64", "sinh_f64"),
    )


ZERO = Source(  # LLVM makes a call of memset of it, which the C library has
    "numba",
    "def zero(begin, end, out):\n    for i in range(begin, end):\n        store_f64(out, i, 0.0)\n",
    "zero",
    (Parameter("out", FLOAT64, True),),
    ("store_f64",),
)


def apply(function: Function, x: np.ndarray, s: float) -> np.ndarray:
    out = np.full_like(x, np.nan)
    function(0, x.size, address_of(x), address_of(out), s)
    return out


def test_a_function_does_its_range(settings: Config) -> None:
    x, out = np.arange(10.0), np.zeros(10)
    function = compile_sources((scale(),), settings)[0]
    function(2, 5, address_of(x), address_of(out), 3.0)
    assert out.tolist() == [0, 0, 6, 9, 12, 0, 0, 0, 0, 0]
    function(5, 5, address_of(x), address_of(out), 9.0)
    assert out[5] == 0
    assert function.address
    assert "scale" in repr(function)


def test_threads_run_ranges(settings: Config) -> None:
    x = np.random.default_rng(1).standard_normal(10_007)
    out = np.zeros_like(x)
    function = compile_sources((scale("exp_f64(v0) * s"),), settings)[0]
    args = (address_of(x), address_of(out), 2.0)
    parallel_for(function, x.size, args, threads=3, chunk=1000)
    np.testing.assert_allclose(out, np.exp(x) * 2, rtol=1e-15)
    assert (out == apply(function, x, 2.0)).all()


@pytest.mark.parametrize(
    "dtype, suffix",
    [("?", "b1"), ("i1", "i8"), ("u2", "u16"), ("i4", "i32"), ("u8", "u64"), ("f4", "f32")],
)
def test_scalars_and_memory_of_each_kind(dtype: str, suffix: str, settings: Config) -> None:
    kind = np.dtype(dtype)
    source = Source(
        "numba",
        "def fill(begin, end, out, value, flag):\n"
        "    for i in range(begin, end):\n"
        "        if flag:\n"
        f"            store_{suffix}(out, i, value)\n",
        "fill",
        (
            Parameter("out", kind, True),
            Parameter("value", kind, False),
            Parameter("flag", np.dtype(np.bool_), False),
        ),
        (f"store_{suffix}",),
    )
    function = compile_sources((source,), settings)[0]
    largest = True if dtype == "?" else np.finfo(kind).max if dtype == "f4" else np.iinfo(kind).max
    value = kind.type(largest).item()
    out = np.zeros(3, kind)
    function(0, 3, address_of(out), value, False)
    assert not out.any()
    function(0, 3, address_of(out), value, True)
    assert out.tolist() == [value] * 3


def test_one_source_is_one_function(settings: Config) -> None:
    before = compiler.info()
    first = compile_sources((scale(),), settings)[0]
    assert compile_sources((scale(),), settings)[0] is first
    after = compiler.info()
    assert after.compiled == before.compiled + 1
    assert after.memory_hits == before.memory_hits + 1
    assert after.compile_seconds > before.compile_seconds


def test_threads_that_ask_at_once_get_one_compilation(settings: Config) -> None:
    before = compiler.info().compiled
    barrier = threading.Barrier(6)
    functions = []

    def ask() -> None:
        barrier.wait()
        functions.append(compile_sources((scale("v0 + s"),), settings)[0])

    askers = [threading.Thread(target=ask) for _ in range(6)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(set(functions)) == 1
    assert compiler.info().compiled == before + 1


def test_a_function_comes_back_from_disk(settings: Config) -> None:
    x = np.arange(5.0)
    expected = apply(compile_sources((scale("exp_f64(v0 - s)"),), settings)[0], x, 1.0)
    compiler.forget()
    before = compiler.info()
    again = apply(compile_sources((scale("exp_f64(v0 - s)"),), settings)[0], x, 1.0)
    assert (again == expected).all()
    assert compiler.info().disk_hits == before.disk_hits + 1
    assert compiler.info().compiled == before.compiled


def test_functions_of_equal_symbols_do_not_mix(settings: Config) -> None:
    x = np.arange(5.0)
    functions = [compile_sources((scale(f"v0 * {k}.0 + s"),), settings)[0] for k in (2, 3)]
    compiler.forget()
    functions += [compile_sources((scale(f"v0 * {k}.0 + s"),), settings)[0] for k in (2, 3)]
    for function, k in zip(functions, (2, 3, 2, 3), strict=True):
        assert (apply(function, x, 1.0) == x * k + 1).all()


def test_a_warm_process_does_not_import_the_compiler(settings: Config) -> None:
    compile_sources((scale("exp_f64(v0) + s"),), settings)
    compile_sources((ZERO,), settings)
    code = (
        "import sys\n"
        "import numpy as np\n"
        "from lazyarr.core.config import Config\n"
        "from lazyarr.runtime.cpu import compiler as cpu\n"
        "from lazyarr.loop_ir.source import Parameter, Source\n"
        "from numpy import dtype\n"
        f"source = {scale('exp_f64(v0) + s')!r}\n"
        f"function = cpu.compile_sources((source,), Config(cache_dir={settings.cache_dir!r}))[0]\n"
        f"cpu.compile_sources(({ZERO!r},), Config(cache_dir={settings.cache_dir!r}))[0]\n"
        "x = np.zeros(4)\n"
        "function(0, 4, x.ctypes.data, x.ctypes.data, 1.0)\n"
        "print(x.tolist(), cpu.info().disk_hits, 'numba' in sys.modules)\n"
    )
    assert run(code) == "[2.0, 2.0, 2.0, 2.0] 2 False"


def test_numba_still_compiles_anything_else(settings: Config) -> None:
    code = (
        "import numba, numpy as np\n"
        "from lazyarr.core.config import Config\n"
        "from lazyarr.runtime.cpu import compiler as cpu\n"
        "from lazyarr.loop_ir.source import Parameter, Source\n"
        "from numpy import dtype\n"
        f"cpu.compile_sources(({ZERO!r},), Config(cache_dir='off'))[0]\n"
        "@numba.njit\n"
        "def total(x):\n"
        "    return np.sqrt(x).sum() + len({len([v for v in x]): 'a'})\n"
        "print(total(np.ones(3)))\n"
        f"cpu.forget(); cpu.compile_sources(({ZERO!r},), Config(cache_dir='off'))[0]\n"
        "print(total(np.ones(3, np.float32)))\n"
    )
    assert run(code) == "4.0\n4.0"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_child_forked_during_a_compilation_compiles_too(settings: Config) -> None:
    code = (
        "import os, threading, warnings, numpy as np\n"
        "from dataclasses import replace\n"
        "from lazyarr.core.config import Config\n"
        "from lazyarr.runtime.cpu import compiler as cpu\n"
        "from lazyarr.loop_ir.source import Parameter, Source\n"
        "from numpy import dtype\n"
        "warnings.simplefilter('ignore', DeprecationWarning)\n"
        f"source = {ZERO!r}\n"
        "off = Config(cache_dir='off')\n"
        "def fill(value):\n"
        "    x = np.ones(4)\n"
        "    text = source.text.replace('0.0', value)\n"
        "    cpu.compile_sources((replace(source, text=text),), off)[0](0, 4, x.ctypes.data)\n"
        "    return x.sum()\n"
        "fill('1.5')\n"
        "def compile_more():\n"
        "    for k in range(5): fill(f'{k}.25')\n"
        "busy = threading.Thread(target=compile_more)\n"
        "busy.start()\n"
        "codes = []\n"
        "for k in range(3):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        os._exit(int(fill('1.5') + fill(f'{k}.5')))\n"
        "    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "busy.join()\n"
        "print(codes)\n"
    )
    assert run(code) == "[8, 12, 16]"


def test_a_damaged_entry_is_compiled_again(settings: Config) -> None:
    compile_sources((scale("v0 - s"),), settings)
    (path,) = (Path(settings.cache_dir) / "kernels").iterdir()
    good = path.read_bytes()
    path.write_bytes(good[:-100])
    compiler.forget()
    before = compiler.info().compiled
    compile_sources((scale("v0 - s"),), settings)
    assert compiler.info().compiled == before + 1
    compiler.forget()
    compile_sources((scale("v0 - s"),), settings)
    assert compiler.info().compiled == before + 1


@pytest.mark.parametrize(
    "change",
    [
        {"text": "def f(begin, end): return"},
        {"entry": "g"},
        {"language": "llvm"},
        {"intrinsics": ("load_f64",)},
        {"parameters": ()},
    ],
)
def test_the_key_depends_on_all_of_the_source(change: dict[str, object]) -> None:
    fields = {name: getattr(scale(), name) for name in Source.__dataclass_fields__}
    assert compiler.source_key(Source(**{**fields, **change})) != compiler.source_key(scale())


@pytest.mark.parametrize(
    "operation, message", [("missing(v0)", "missing"), ("v0 +", "SyntaxError")]
)
def test_a_refusal_shows_the_numbered_source(
    operation: str, message: str, settings: Config
) -> None:
    with pytest.raises(CompileError) as caught:
        compile_sources((scale(operation),), settings)[0]
    assert f"4 |         store_f64(out, i, {operation})" in str(caught.value)
    assert message in str(caught.value)
    with pytest.raises(CompileError):
        compile_sources((scale(operation),), settings)[0]


def test_another_language_is_refused(settings: Config) -> None:
    with pytest.raises(ContractError, match="cuda"):
        compile_sources((Source("cuda", "", "f", ()),), settings)[0]


def test_a_missing_library_function_is_an_error_and_no_abort(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_code, "find_symbol", lambda name: None)
    with pytest.raises(CompileError, match=r"no library supplies .*sinh"):
        compile_sources((scale("sinh_f64(v0)"),), settings)[0]


def test_undefined_symbols_of_an_object(settings: Config) -> None:
    disk = compiler.open_cache(settings.cache_dir)
    assert disk is not None
    for operation, expected in (("v0 * s", False), ("sinh_f64(v0)", True)):
        compile_sources((scale(operation),), settings)[0]
        entry = disk.load(compiler.source_key(scale(operation)))
        assert entry is not None
        parsed = read_object(entry.object_code)
        assert parsed is not None
        names = parsed.undefined()
        assert any(name.endswith("sinh") for name in names) == expected
    compile_sources((ZERO,), settings)
    entry = disk.load(compiler.source_key(ZERO))
    assert entry is not None
    parsed = read_object(entry.object_code)
    assert parsed is not None
    assert parsed.undefined() == ["memset"]
    assert read_object(b"not an object file") is None


def test_numbas_version_is_known_without_numba(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = []
    for text in ("version = 1", "version = 2"):
        (tmp_path / "_version.py").write_text(text)
        spec = ModuleSpec("numba", None, origin=str(tmp_path / "__init__.py"))
        monkeypatch.setattr("importlib.util.find_spec", lambda name, spec=spec: spec)
        names.append(numba_version())
    (tmp_path / "_version.py").unlink()
    names.append(numba_version())
    assert len(set(names)) == 3
    assert names[2] == version("numba")


def test_counters_and_clear(settings: Config) -> None:
    with config(cache_dir=settings.cache_dir):
        function = compile_sources((scale(),), settings)[0]
        info = lazyarr.cache.info()
        assert (info.disk.entries, info.kernels.loaded) == (1, 1)
        assert compile_sources((scale(),), settings)[0] is function
        assert info.pool.held >= info.pool.idle
        lazyarr.cache.clear()
        info = lazyarr.cache.info()
        assert (info.disk.entries, info.kernels.loaded) == (0, 0)
    with config(cache_dir="off"):
        assert lazyarr.cache.info().disk.directory == ""


def test_what_nobody_has_is_unloaded(settings: Config) -> None:
    function = compile_sources((scale(),), settings)[0]
    assert compiler.info().loaded == 1
    del function
    gc.collect()
    assert compiler.info().loaded == 0
