"""Object files made of LLVM IR, in whatever form a compiler may give them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm

from lazyarr.runtime.cpu.objects import elf, linker
from lazyarr.runtime.cpu.objects.linker import Image
from lazyarr.runtime.cpu.objects.machine_code import find_symbol


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
