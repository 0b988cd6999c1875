"""Object files that lazyarr's loader refuses, and llvmlite loads in its place."""

from __future__ import annotations

import ctypes
import os
import random
import struct
import sys
from typing import Any

import pytest

from lazyarr.core.frozen import replace
from lazyarr.errors import ContractError
from lazyarr.runtime.cpu import host_target
from lazyarr.runtime.cpu.objects import (
    elf,
    executable_memory,
    linker,
    machine_code,
    mcjit,
)
from lazyarr.runtime.cpu.objects.linker import Image, Unsupported
from tests.support.objects import VARIETY, compiled, loaded

pytestmark = pytest.mark.skipif(
    bool(host_target.why_not()), reason="llvmlite loads all object code of this system"
)

UNSUPPORTED = {
    "thread-local": (
        "@t = thread_local global i64 3\ndefine i64 @f() { %v = load i64, ptr @t ret i64 %v }"
    ),
    "indirect functions": (
        "@f = ifunc i64 (), ptr @which\n"
        "define internal i64 @own() { ret i64 1 }\n"
        "define internal ptr @which() { ret ptr @own }"
    ),
    "initialisation or termination code": (
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
        ("writable code sections", {"flags": 7}),
        ("thread-local", {"flags": 0x406}),
        ("compressed sections", {"flags": 0x806}),
        ("sections of kind 0xe", {"kind": 14}),
        ("initialisation or termination code", {"name": ".ctors.65535"}),
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
    """Forget the objects that were left to llvmlite before."""
    monkeypatch.setattr(machine_code, "_left", [])


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize(
    "reason, value", [("initialisation or termination", 4), ("a section that", 5)]
)
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
    assert "an object format other than ELF" in machine_code.describe()


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
