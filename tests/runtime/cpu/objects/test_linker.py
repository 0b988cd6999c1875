"""lazyarr's own loader of object code, against llvmlite's."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import ContractError
from lazyarr.runtime.cpu import compiler, host_target
from lazyarr.runtime.cpu.objects import (
    elf,
    executable_memory,
    linker,
    machine_code,
    mcjit,
)
from lazyarr.runtime.cpu.threads.native_pool import current_pool
from tests.support.objects import VARIETY, calling, compiled, loaded

pytestmark = pytest.mark.skipif(
    bool(host_target.why_not()), reason="llvmlite loads all object code of this system"
)

Array = np.ndarray[Any, Any]


def fresh() -> None:
    forget_plans()
    compiler.forget()


@pytest.fixture
def by_llvm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Return a stand-in for the linker that leaves all loading to llvmlite."""
    yield lambda: monkeypatch.setattr(machine_code, "why_not", lambda: "a test wants it so")
    fresh()


EXPRESSIONS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: (2 * x + 3 * x * x - x / (x + 2), x - 1),
    "functions": lambda x: la.sin(la.exp(-x * x)) + la.log(x + 2) + x**1.7,
    "library": lambda x: la.hypot(x, x + 1) + la.fmod(x, 0.3) + la.frexp(x)[0],
    "rows": lambda x: x.reshape(-1, 40).sum(axis=1) + la.tanh(x.reshape(-1, 40)).max(axis=1),
    "softmax": lambda x: la.exp(x.reshape(-1, 40) - x.reshape(-1, 40).max(axis=1)[:, None]),
    "scan": lambda x: la.cumsum(x) * 2,
    "choice": lambda x: la.where(x > 0.5, la.floor(x * 7), la.sqrt(x)),
    "integers": lambda x: (x * 1000).astype("i8") // 7 % 5,
    "half": lambda x: x.astype("f2") * 3 + 1,
    "transposed": lambda x: x.reshape(-1, 40) + x.reshape(40, -1).T,
    "distances": lambda x: ((x[:200, None, None] - x[None, :96, None]) ** 2).sum(-1),
}
COMPLEX: dict[str, Callable[[Any], Any]] = {
    "quotient": lambda x: (x * (1 + 2j)) / (x + 1j),
    "exponential": lambda x: la.exp(x * 1j) * x,
}


def both(
    build: Callable[[Any], Any],
    x: Array,
    folder: Path,
    by_llvm: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    **settings: Any,
) -> None:
    """Compute with one set of object files, loaded in both ways; compare all bits."""
    current_pool()  # its code is loaded once in a process
    counts: Counter[str] = Counter()
    load, other = linker.load, mcjit.load_object

    def count(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any) -> Any:
            counts[name] += 1
            return function(*args)

        return counting

    monkeypatch.setattr(linker, "load", count("lazyarr", load))
    monkeypatch.setattr(mcjit, "load_object", count("llvmlite", other))

    def computed() -> list[Array]:
        fresh()
        result = build(la.asarray(x))
        return list(la.evaluate(*result)) if isinstance(result, tuple) else [la.evaluate(result)]

    with la.config(cache_dir=str(folder), **settings):
        ours = computed()
        assert counts["lazyarr"] and not counts["llvmlite"]
        value = compiler.info().compiled
        by_llvm()
        theirs = computed()
    assert counts["llvmlite"] == counts["lazyarr"]
    assert compiler.info().compiled == value
    for first, second in zip(ours, theirs, strict=True):
        assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("backend", ["llvm", "numba"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_kernels_compute_what_they_compute_when_llvmlite_loads_them(
    name: str,
    dtype: str,
    backend: str,
    tmp_path: Path,
    by_llvm: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = np.random.default_rng(3).uniform(0, 1, 4000).astype(dtype)
    both(EXPRESSIONS[name], x, tmp_path, by_llvm, monkeypatch, backend=backend)


@pytest.mark.parametrize("backend", ["llvm", "numba"])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("name", COMPLEX)
def test_kernels_of_complex_numbers_do_so_too(
    name: str,
    dtype: str,
    backend: str,
    tmp_path: Path,
    by_llvm: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = np.random.default_rng(3).uniform(0, 1, (2, 1000))
    z = (x[0] + 1j * x[1]).astype(dtype)
    both(COMPLEX[name], z, tmp_path, by_llvm, monkeypatch, backend=backend)


@pytest.mark.parametrize("name", ["functions", "rows"])
def test_shared_kernels_do_so_too(
    name: str, tmp_path: Path, by_llvm: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.random.default_rng(3).uniform(0, 1, 400_000)
    both(EXPRESSIONS[name], x, tmp_path, by_llvm, monkeypatch, threads=3)


@pytest.mark.parametrize(
    "codemodel, reloc", [("jitdefault", "default"), ("large", "static"), ("small", "pic")]
)
def test_data_calls_and_sections_of_every_kind(codemodel: str, reloc: str) -> None:
    content = compiled(VARIETY, codemodel, reloc)
    parsed = elf.read_object(content)
    assert parsed is not None
    assert sum(s.name.startswith((".text.", ".ltext.")) for s in parsed.sections) >= 2
    kinds = {r.kind for own in parsed.relocations.values() for r in own}
    assert kinds >= ({2, 4, 42} if reloc == "pic" else {1})
    image = loaded(content)
    word = ctypes.c_int64
    count = calling(image, "count")
    assert [count(), count()] == [6, 7]
    assert calling(loaded(content), "count")() == 6  # another image has its own
    fill = calling(image, "fill", word, word)
    assert [fill(k) for k in (3, 99, 3)] == [0, 0, 3]
    look = calling(image, "look", word, word)
    assert [look(k) for k in range(4)] == [10, 20, 30, 40]
    out = np.zeros(8, np.int64)
    assert calling(image, "lanes", word, ctypes.c_void_p)(out.ctypes.data) == 0
    assert out.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    choose = calling(image, "choose", word, word)
    assert [choose(0), choose(1)] == [71, 72]
    assert calling(image, "outside", word, word)(-12) == 12
    assert calling(image, "missing")() == 1
    switch = calling(image, "switch", word, word)
    assert [switch(k) for k in range(7)] == [100, 7, 7, 1, -5, 2, 99]
    assert not {"one", "two", "labs", "counter", "shared"} & set(image.functions)


def test_an_address_that_does_not_fit_is_an_error() -> None:
    content = compiled(VARIETY, "small", "static")
    with pytest.raises(ContractError, match="does not fit into R_X86_64_32S"):
        loaded(content)
    # A variable elsewhere, read with a distance of 32 bits.
    text = (
        "@far = external dso_local global i64\n"
        "define i64 @f() { %v = load i64, ptr @far ret i64 %v }"
    )
    content = compiled(text, "small", "pic")
    with pytest.raises(ContractError, match="of far does not fit into R_X86_64_PC32"):
        loaded(content, lambda name: 1 << 20)
    with pytest.raises(ContractError, match="no library supplies far"):
        loaded(content, lambda name: None)
    parsed = elf.read_object(compiled(VARIETY))
    assert parsed is not None
    for own in parsed.relocations.values():
        own[:] = [elf.Relocation(r.offset, r.kind, r.symbol, -(1 << 62)) for r in own]
    with pytest.raises(ContractError, match="does not fit into R_X86_64_64"):
        linker.load(parsed, machine_code.find_symbol)


def permissions(address: int) -> str | None:
    """Return the permissions of the page at an address; None if there is no page."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        begin, end, allowed = re.match(r"(\w+)-(\w+) (\S+)", line).groups()  # type: ignore[union-attr]
        if int(begin, 16) <= address < int(end, 16):
            return str(allowed)
    return None


def test_pages_are_run_or_read_or_written() -> None:
    image = loaded(compiled(VARIETY))
    first, size = image.pages.address, image.pages.nbytes
    results = {permissions(at) for at in range(first, first + size, executable_memory.PAGE)}
    assert results == {"r-xp", "r--p", "rw-p"}
    assert {permissions(address) for address in image.functions.values()} == {"r-xp"}


def test_memory_goes_with_the_function(tmp_path: Path) -> None:
    x = np.linspace(0, 1, 1000)
    with la.config(cache_dir=str(tmp_path)):
        fresh()
        la.evaluate(la.exp(la.asarray(x)) * 3)
        (function,) = compiler._loaded.values()
        address = function.address
        assert permissions(address) == "r-xp"
        compiler.forget()
        forget_plans()
        assert permissions(address) == "r-xp"  # still referenced here
        del function
        gc.collect()
        assert permissions(address) != "r-xp"


def test_nothing_leaks_when_kernels_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    content = compiled(VARIETY)
    loaded(content)

    def mapped() -> int:
        return sum("r-xp" in line for line in Path("/proc/self/maps").read_text().splitlines())

    before = mapped()
    for _ in range(200):
        loaded(content)

    def refuse(*args: object) -> None:
        raise OSError(13, "not here")

    monkeypatch.setattr(executable_memory.Pages, "protect", refuse)
    for _ in range(200):
        with pytest.raises(OSError, match="not here"):
            loaded(content)
    monkeypatch.undo()
    assert mapped() <= before + 2


def test_a_thread_in_a_kernel_when_the_interpreter_ends() -> None:
    code = (
        "import threading, time, lazyarr as la\n"
        "with la.config(threads=1): la.evaluate(la.sin(la.arange(10.0)).sum())\n"
        "def work():\n"
        "    with la.config(threads=1): la.evaluate(la.sin(la.arange(4e8)).sum())\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "print('done')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forking beside threads
def test_a_forked_child_uses_frees_and_loads_code() -> None:
    image = loaded(compiled(VARIETY))
    count = calling(image, "count")
    count()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            right = count() == 7
            other = loaded(compiled(VARIETY))
            right = right and calling(other, "count")() == 6
            del other, image
            status = 0 if right else 2
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert count() == 7


def test_many_threads_load_run_and_drop() -> None:
    contents = [
        compiled(f"define i64 @f(i64 %x) {{ %r = mul i64 %x, {k} ret i64 %r }}") for k in range(8)
    ]
    wrong: list[object] = []

    def work(k: int) -> None:
        try:
            for number in range(100):
                image = loaded(contents[k])
                result = calling(image, "f", ctypes.c_int64, ctypes.c_int64)(number)
                if result != k * number:
                    wrong.append((k, number, result))
        except BaseException as error:  # noqa: BLE001 - the test reports it
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
