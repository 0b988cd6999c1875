"""Definitions of the intrinsics that kernels call, in LLVM IR.

The text of one intrinsic, and of what it calls, is written once in a process: llvmlite takes longer
to write a function than LLVM to read it, and Python's lock is held meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir

from lazyarr.errors import ContractError
from lazyarr.loop_ir.intrinsics import SUFFIXES, parse_intrinsic
from lazyarr.loop_ir.primitives import PRIMITIVES
from lazyarr.runtime.cpu import llvm_fp_flags, llvm_primitives
from lazyarr.runtime.cpu.llvm_vector_functions import KEEPER

__all__ = ["baseline_definitions", "definitions", "library_modules"]

DTYPES: dict[str, np.dtype[Any]] = {name: dtype for dtype, name in SUFFIXES.items()}

#: Where the text of a function or a variable begins, and its name.
_BEGINS = re.compile(r"^(?=define |declare |@)", re.MULTILINE)
_NAME = re.compile(r'@"?([^"\s(]+)')
_METADATA = re.compile(r"^(!\d+) = (!\{.*\})\n?", re.MULTILINE)
#: Functions that a text refers to; and the forms of one of the mathematics library, for vectors.
_REFERENCE = re.compile(r'@"([^"]+)"')
_FORMS = re.compile(r' "vector-function-abi-variant"="[^"]*"')


def definitions(names: Iterable[str]) -> str:
    """Return the definitions of intrinsics, each always inlined, and of functions they call.

    Parameters
    ----------
    names : iterable of str
        Of the intrinsics.
    """
    texts, kept = _texts(names)
    parts = list(texts.values())
    if kept:
        kind = f"[{len(kept)} x i8*]"
        values = ", ".join(kept)
        parts.append(f'@{KEEPER} = appending global {kind} [{values}], section "llvm.metadata"\n')
    return "".join(parts)


def baseline_definitions(names: Iterable[str]) -> str:
    """Return the definitions of intrinsics; functions of :func:`library_modules` are declared.

    Parameters
    ----------
    names : iterable of str
        Of the intrinsics.
    """
    names = list(names)
    texts, _ = _texts(names)
    for name, text in texts.items():
        head = text.partition("\n")[0]
        if _FORMS.search(head):
            declaration = _FORMS.sub("", head).replace("define internal ", "declare ", 1)
            texts[name] = declaration + "\n"
    return "".join(_reachable(names, texts).values())


def library_modules(names: Iterable[str]) -> dict[str, str]:
    """Return the functions of the mathematics library that intrinsics call: a module of each.

    Parameters
    ----------
    names : iterable of str
        Of the intrinsics.
    """
    texts, _ = _texts(names)
    modules: dict[str, str] = {}
    for name, text in texts.items():
        if _FORMS.search(text.partition("\n")[0]):
            external = _FORMS.sub("", text, count=1).replace("define internal ", "define ", 1)
            modules[name] = "".join(_reachable([name], texts | {name: external}).values())
    return modules


def _reachable(names: Iterable[str], texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of functions and of all that they refer to.

    Parameters
    ----------
    names : iterable of str
        Of the functions.
    texts : mapping of str to str
        Texts by names.
    """
    reached: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached and name in texts:
            reached[name] = texts[name]
            waiting += _REFERENCE.findall(texts[name])
    return reached


def _texts(names: Iterable[str]) -> tuple[dict[str, str], dict[str, None]]:
    """Return the texts of intrinsics and of what they call, by names, and constants to keep."""
    texts: dict[str, str] = {}
    kept: dict[str, None] = {}
    for name in names:
        primitive, rest = parse_intrinsic(name)
        functions, constants = _definition(name, primitive, tuple(rest))
        for other, text in functions.items():
            if texts.setdefault(other, text) != text:
                raise ContractError(f"two definitions of {other}")
        kept |= dict.fromkeys(constants)
    return texts, kept


@cache
def _definition(
    name: str, primitive: str, rest: tuple[str, ...]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the definition of an intrinsic.

    Parameters
    ----------
    name, primitive, rest
        Its name, and that in parts.

    Returns
    -------
    texts : dict of str to str
        By their names, functions, variables and declarations.
    kept : tuple of str
        Constants: the functions that LLVM's optimiser has to keep.
    """
    module = ir.Module()
    _define(module, name, primitive, rest)
    keeper = module.globals.pop(KEEPER, None)
    constants = [] if keeper is None else keeper.initializer.constant
    text = str(module)
    # Numbers of metadata are a module's own.
    metadata = _METADATA.findall(text)
    text = _METADATA.sub("", text)
    for number, value in reversed(metadata):  # longer numbers first
        text = text.replace(number, value)
    texts: dict[str, str] = {}
    for part in _BEGINS.split(text)[1:]:
        texts[_NAME.findall(part)[0]] = part.rstrip() + "\n"
    return texts, tuple(map("{0.type} {0}".format, constants))


def _define(module: ir.Module, name: str, primitive: str, rest: tuple[str, ...]) -> None:
    """Define an intrinsic in a module."""
    if primitive == "watch":
        _define_watch(module, name, rest[0])
        return
    if primitive == "transpose":
        # Imported here: few kernels transpose.
        from lazyarr.runtime.cpu.llvm_transposes import define_transpose

        define_transpose(module, name, rest[0], int(rest[1][1:]))
        return
    row = PRIMITIVES[primitive]
    width = int(rest[-1][1:]) if rest[-1].startswith("x") else 0
    rest = rest[:-1] if width else rest
    operand = DTYPES[rest[0]]
    result = {"same": rest[0], "bool": "b1", "given": rest[-1]}[row.result]
    kinds = [llvm_primitives.value_type(operand, width)] * row.arity
    kind = llvm_primitives.value_type(DTYPES[result], width)
    function = ir.Function(module, ir.FunctionType(kind, kinds), name)
    function.linkage = "internal"
    function.attributes.add("alwaysinline")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    builder.ret(
        llvm_primitives.generate(
            builder, primitive, operand, DTYPES[result], function.args, rest[-1] == "r", width
        )
    )


def _define_watch(module: ir.Module, name: str, part: str) -> None:
    """Define one end of watching the floating-point flags."""
    word, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
    begins = part == "begin"
    result = word if begins else ir.VoidType()
    function = ir.Function(module, ir.FunctionType(result, [] if begins else [pointer, word]), name)
    function.linkage = "internal"
    function.attributes.add("alwaysinline")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    if begins:
        builder.ret(llvm_fp_flags.watch_begin(builder))
    else:
        llvm_fp_flags.watch_end(builder, *function.args)
        builder.ret_void()
