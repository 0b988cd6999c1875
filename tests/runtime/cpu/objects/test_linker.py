"""lazyarr's own loader of object code, against llvmlite's."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import re
import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.frozen import replace
from lazyarr.errors import ContractError
from lazyarr.runtime.cpu import compiler, host_target, vector_math
from lazyarr.runtime.cpu.objects import (
    elf,
    executable_memory,
    linker,
    machine_code,
    mcjit,
)
from lazyarr.runtime.cpu.objects.linker import Image, Unsupported
from lazyarr.runtime.cpu.threads.native_pool import current_pool
from tests.support.objects import calling, compiled, loaded

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


VARIETY = """
@counter = internal global i64 5
@zeros = internal global [100 x i64] zeroinitializer
@shared = common global i64 0, align 8
@table = internal constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
@wide = internal constant <8 x i64> <i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8>
@functions = internal constant [2 x ptr] [ptr @one, ptr @two]
@absent = extern_weak global i64
declare i64 @labs(i64)
declare extern_weak i64 @nowhere(i64)
define internal i64 @one(i64 %x) noinline section ".text.first" { ret i64 1 }
define internal i64 @two(i64 %x) noinline section ".text.second" { ret i64 2 }
define weak i64 @weak(i64 %x) noinline { ret i64 7 }
define i64 @count() {
  %a = load i64, ptr @counter
  %b = add i64 %a, 1
  store i64 %b, ptr @counter
  ret i64 %b
}
define i64 @fill(i64 %k) {
  %p = getelementptr [100 x i64], ptr @zeros, i64 0, i64 %k
  %before = load volatile i64, ptr %p
  store volatile i64 %k, ptr %p
  store i64 %k, ptr @shared
  ret i64 %before
}
define i64 @look(i64 %k) {
  %p = getelementptr [4 x i64], ptr @table, i64 0, i64 %k
  %a = load i64, ptr %p
  ret i64 %a
}
define i64 @lanes(ptr %out) {
  %v = load volatile <8 x i64>, ptr @wide, align 64
  store <8 x i64> %v, ptr %out, align 8
  %at = ptrtoint ptr @wide to i64
  %rest = and i64 %at, 63
  ret i64 %rest
}
define i64 @choose(i64 %k) {
  %p = getelementptr [2 x ptr], ptr @functions, i64 0, i64 %k
  %f = load ptr, ptr %p
  %r = call i64 %f(i64 %k)
  %s = call i64 @weak(i64 %r)
  %t = mul i64 %s, 10
  %u = add i64 %r, %t
  ret i64 %u
}
define i64 @outside(i64 %k) {
  %r = call i64 @labs(i64 %k)
  ret i64 %r
}
define i64 @missing() {
  %a = icmp eq ptr @absent, null
  %b = icmp eq ptr @nowhere, null
  %c = and i1 %a, %b
  %d = zext i1 %c to i64
  ret i64 %d
}
define i64 @switch(i64 %k) {
  switch i64 %k, label %other [ i64 0, label %a  i64 1, label %b  i64 2, label %c
    i64 3, label %d  i64 4, label %e  i64 5, label %f ]
a:
  %r0 = call i64 @labs(i64 -100)
  ret i64 %r0
b:
  ret i64 7
c:
  %r2 = call i64 @weak(i64 1)
  ret i64 %r2
d:
  %r3 = call i64 @one(i64 1)
  ret i64 %r3
e:
  ret i64 -5
f:
  %r5 = call i64 @two(i64 1)
  ret i64 %r5
other:
  ret i64 99
}
"""


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


UNSUPPORTED = {
    "variables of a thread": (
        "@t = thread_local global i64 3\ndefine i64 @f() { %v = load i64, ptr @t ret i64 %v }"
    ),
    "indirect functions": (
        "@f = ifunc i64 (), ptr @which\n"
        "define internal i64 @own() { ret i64 1 }\n"
        "define internal ptr @which() { ret ptr @own }"
    ),
    "what runs before or after all else": (
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]"
        " [{ i32, ptr, ptr } { i32 65535, ptr @first, ptr null }]\n"
        "define internal void @first() { ret void }\n"
        "define i64 @f() { ret i64 4 }"
    ),
    "a section that begins at a multiple of 8192": (
        "@a = constant i64 5, align 8192\ndefine i64 @f() { %v = load i64, ptr @a ret i64 %v }"
    ),
}


@pytest.mark.parametrize("reason", UNSUPPORTED)
def test_what_it_does_not_know_is_not_loaded(reason: str) -> None:
    with pytest.raises(Unsupported, match=reason):
        loaded(compiled(UNSUPPORTED[reason]))


@pytest.mark.parametrize(
    "reason, changes",
    [
        ("code that writes to itself", {"flags": 7}),
        ("variables of a thread", {"flags": 0x406}),
        ("packed sections", {"flags": 0x806}),
        ("sections of kind 0xe", {"kind": 14}),
        ("runs before or after all else", {"name": ".ctors.65535"}),
        ("a section that begins at a multiple of 65536", {"alignment": 1 << 16}),
    ],
)
def test_sections_that_it_does_not_know_are_not_loaded(
    reason: str, changes: dict[str, Any]
) -> None:
    parsed = elf.read_object(compiled("define i64 @f() { ret i64 1 }"))
    assert parsed is not None
    (index,) = {symbol.section for symbol in parsed.symbols if symbol.name == "f"}
    parsed.sections[index] = replace(parsed.sections[index], **changes)
    with pytest.raises(Unsupported, match=reason):
        linker.load(parsed, machine_code.find_symbol)


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what was left to llvmlite before."""
    monkeypatch.setattr(machine_code, "_left", [])


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("reason, value", [("what runs before", 4), ("a section that", 5)])
def test_llvmlite_loads_it_instead_and_that_is_said(reason: str, value: int) -> None:
    assert machine_code.describe() == "by lazyarr"
    (text,) = (text for name, text in UNSUPPORTED.items() if name.startswith(reason))
    owner, address = machine_code.load(compiled(text), "f")
    assert not isinstance(owner, Image)
    assert ctypes.CFUNCTYPE(ctypes.c_int64)(address)() == value
    assert machine_code.describe().startswith(f"by lazyarr; by llvmlite where it has {reason}")


@pytest.mark.usefixtures("forgotten")
def test_where_the_system_refuses_llvmlite_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise OSError(13, "memory cannot be made executable")

    monkeypatch.setattr(executable_memory.Pages, "protect", refuse)
    _, address = machine_code.load(compiled("define i64 @f() { ret i64 8 }"), "f")
    assert ctypes.CFUNCTYPE(ctypes.c_int64)(address)() == 8
    assert "memory cannot be made executable" in machine_code.describe()
    # And so it does with everything, if a process sees that at its start.
    host_target._processor.cache_clear()
    host_target.why_not.cache_clear()
    try:
        assert host_target.why_not() == "[Errno 13] memory cannot be made executable"
        assert host_target.describe_processor() == mcjit.describe_processor()
        assert host_target.architecture() == "x86_64"
        assert machine_code.find_symbol("memcpy") == mcjit.find_symbol("memcpy")
    finally:
        monkeypatch.undo()
        host_target._processor.cache_clear()
        host_target.why_not.cache_clear()
    assert host_target.why_not() == ""


@pytest.mark.parametrize("platform, machine", [("darwin", "arm64"), ("linux", "aarch64")])
def test_other_systems_leave_it_to_llvmlite(
    platform: str, machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Named:
        pass

    named = Named()
    named.machine = machine  # type: ignore[attr-defined]
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(os, "uname", lambda: named)
    host_target.why_not.cache_clear()
    try:
        assert host_target.why_not() == f"lazyarr has no loader for {platform} {machine}"
    finally:
        monkeypatch.undo()
        host_target.why_not.cache_clear()


def changed(content: bytes, at: int, data: bytes) -> bytes:
    return content[:at] + data + content[at + len(data) :]


def test_other_processors_and_kinds_are_left_to_llvmlite() -> None:
    content = compiled(VARIETY)
    with pytest.raises(Unsupported, match="machine 183"):
        loaded(changed(content, 18, struct.pack("<H", 183)))
    parsed = elf.read_object(content)
    assert parsed is not None
    index = next(iter(parsed.relocations))
    first = parsed.relocations[index][0]
    parsed.relocations[index][0] = elf.Relocation(first.offset, 99, first.symbol, 0)
    with pytest.raises(Unsupported, match="relocations of kind 99"):
        linker.load(parsed, machine_code.find_symbol)
    parsed.relocations[index][0] = first
    parsed.sections.append(elf.Section(".rel", elf.SHORT_RELOCATIONS, 0, 0, 0, 0, index, 1))
    with pytest.raises(Unsupported, match="relocations without addends"):
        linker.load(parsed, machine_code.find_symbol)


def test_another_format_is_left_to_llvmlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "_left", [])
    monkeypatch.setattr(mcjit, "load_object", lambda content, name: (content, 1))
    assert machine_code.load(b"\xcf\xfa\xed\xfe", "f") == (b"\xcf\xfa\xed\xfe", 1)
    assert "another format than ELF" in machine_code.describe()


@pytest.mark.parametrize("codemodel, reloc", [("jitdefault", "default"), ("small", "pic")])
def test_damage_is_an_error_and_no_crash(codemodel: str, reloc: str) -> None:
    content = compiled(VARIETY, codemodel, reloc)
    expected = (ContractError, Unsupported, OSError)
    for size in range(7, len(content), 13):
        with pytest.raises(expected):
            loaded(content[:size])
    chosen = random.Random(4)
    refused = 0
    for _ in range(3000):
        at = chosen.randrange(7, len(content))
        data = chosen.choice((b"\xff", b"\x00\x01", b"\xff" * 4, chosen.randbytes(8)))
        try:
            loaded(changed(content, at, data)[: len(content)])  # and run none of it
        except expected:
            refused += 1
    assert refused > 100


def test_the_function_must_be_there() -> None:
    with pytest.raises(ContractError, match="packed is not in the object code"):
        machine_code.load(compiled("define i64 @f() { ret i64 8 }"), "packed")
    with pytest.raises(ContractError, match="packed is not in the object code"):
        machine_code.load(compiled(""), "packed")
    with pytest.raises(machine_code.MissingSymbols, match="no library supplies away"):
        machine_code.load(
            compiled("declare void @away() define void @f() { call void @away() ret void }"),
            "f",
        )


def test_what_numba_introduces_to_llvm_is_found() -> None:
    keep = ctypes.create_string_buffer(8)
    address = ctypes.addressof(keep)
    assert machine_code.find_symbol("introduced_by_a_test") is None
    llvm.add_symbol("introduced_by_a_test", address)
    assert machine_code.find_symbol("introduced_by_a_test") == address


def test_llvmlite_finds_the_same_functions() -> None:
    names = ["memset", "sched_getcpu", "pthread_mutex_lock"]
    if vector_math.load():
        names += ["_ZGVbN2v_exp", "_ZGVdN4vv_pow"]
    for name in names:
        address = machine_code.find_symbol(name)
        assert address is not None and address == mcjit.find_symbol(name)
    # Of these Numba shows LLVM older versions, which call the same code.
    for name in ("exp", "fmod"):
        assert machine_code.find_symbol(name) and mcjit.find_symbol(name)


#: Where the processor reports a feature, as positions in what is asked: leaf 1, and leaf 7.
FEATURES = {
    "sse4.2": (1, 2, 20),
    "fma": (1, 2, 12),
    "f16c": (1, 2, 29),
    "avx2": (7, 1, 5),
    "bmi2": (7, 1, 8),
    "avx512f": (7, 1, 16),
    "avx512vnni": (7, 2, 11),
}


def test_the_processor_tells_what_llvm_reads() -> None:
    numbers: dict[tuple[int, int], int] = {}
    answers = iter(host_target._processor())
    for leaf, subleaf, expected in host_target._LEAVES:
        for register in expected:
            number = next(answers)
            if subleaf == 0:
                numbers[leaf, register] = number
        if leaf == 1:
            assert numbers[1, 2] & host_target._OSXSAVE
            assert next(answers) & 3 == 3  # the system keeps SSE registers
    assert not list(answers)
    features = llvm.get_host_cpu_features()
    for name, (leaf, register, bit) in FEATURES.items():
        assert bool(numbers[leaf, register] >> bit & 1) == features[name], name


def test_another_processor_has_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [host_target.describe_processor()]
    numbers = host_target._processor()
    for k in range(len(numbers)):
        other = (*numbers[:k], numbers[k] ^ 1, *numbers[k + 1 :])
        monkeypatch.setattr(host_target, "_processor", lambda other=other: other)
        keys.append(host_target.describe_processor())
    assert len(set(keys)) == len(numbers) + 1
    monkeypatch.undo()
    code = "from lazyarr.runtime.cpu import host_target as host; print(host.describe_processor())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(host_target.describe_processor())
