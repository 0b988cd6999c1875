"""Object files made of LLVM IR, in whatever form a compiler may give them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm

from lazyarr.runtime.cpu.objects import elf, linker
from lazyarr.runtime.cpu.objects.linker import Image
from lazyarr.runtime.cpu.objects.machine_code import find_symbol

#: A module with data, calls and sections of every kind.
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


def compiled(text: str, codemodel: str = "jitdefault", reloc: str = "default") -> bytes:
    """Return the object file of a module."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(codemodel=codemodel, reloc=reloc, opt=2)
    value: bytes = machine.emit_object(llvm.parse_assembly(text))
    return value


def loaded(content: bytes, find: Callable[[str], int | None] = find_symbol) -> Image:
    """Return an object file in memory, by lazyarr's own loader."""
    parsed = elf.read_object(content)
    assert parsed is not None
    return linker.load(parsed, find)


def calling(image: Image, name: str, result: Any = ctypes.c_int64, *arguments: Any) -> Any:
    """Return a function of an image as one of Python; keep the image while it is used."""
    return ctypes.CFUNCTYPE(result, *arguments)(image.functions[name])
