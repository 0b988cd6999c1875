"""LLVM IR of functions that were compiled elsewhere, for calls and inlining in kernels."""

from __future__ import annotations

import re
from typing import Any

import llvmlite.binding as llvm

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.llvm_types import kind, memory_kind
from lazyarr.loop_ir.source import External

__all__ = ["declarations", "definition", "wrapped"]

#: The beginning of a definition, up to its parameters; and what may stand before attributes.
_HEAD = re.compile(r'define [^@]*@(?:"[^"]*"|[-\w.$]+)\(')
_ADDRESS = re.compile(r"\s*(?:local_)?unnamed_addr\b")


def declarations(function: External) -> str:
    """Return the text by which a module says that it calls a function."""
    arguments = ", ".join(kind(dtype) for dtype in function.arguments)
    lines = [f"declare {kind(function.result)} @{function.name}({arguments})"]
    if function.may_raise:
        lines.append(f"declare i1 @{function.name}.raised({arguments})")
    return "\n".join(lines)


def definition(function: External, linkage: str, context: Any = None) -> Any:
    """Return the definition as a module, to be linked to one that calls it and inlined there.

    Parameters
    ----------
    function : External
        The function.
    linkage : str
        LLVM's name of a linkage, such as "internal".
    context : llvmlite.binding.ContextRef, optional
        Of the module; default: LLVM's global one.
    """
    module = llvm.parse_assembly(_always_inlined(function.text), context)
    for defined in module.functions:
        if not defined.is_declaration:
            defined.linkage = linkage
    return module


def _always_inlined(text: str) -> str:
    """Return a module's text with the attribute ``alwaysinline`` for all functions defined there.

    llvmlite's method gives the attribute to the function's result in some versions.
    """
    return "\n".join(
        _with_attribute(line) if line.startswith("define ") else line for line in text.splitlines()
    )


def _with_attribute(line: str) -> str:
    head = _HEAD.match(line)
    if head is None or "alwaysinline" in line:
        return line
    at, depth = head.end(), 1
    while depth:  # the parameters, which may have attributes with parentheses of their own
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        at += 1
    address = _ADDRESS.match(line, at)
    at = at if address is None else address.end()
    return f"{line[:at]} alwaysinline{line[at:]}"


def wrapped(
    text: str, entry: str, name: str, arguments: tuple[str, ...], function: External
) -> str:
    """Return a module that defines a function in the form in which kernels call it.

    Parameters
    ----------
    text : str
        LLVM IR of a function ``i32 entry(ptr result, ptr exception, arguments...)`` that returns
        0, or another number if it raises an exception.
    entry : str
        Its name.
    name : str
        The name to call it by.
    arguments : tuple of str
        The types that it takes.
    function : External
        The dtypes.
    """
    operands, lines = [], []
    for k, (dtype, target) in enumerate(zip(function.arguments, arguments, strict=True)):
        own = kind(dtype)
        if own == target:
            operands.append(f"{target} %x{k}")
        else:
            lines.append(f"  %y{k} = zext {own} %x{k} to {target}")
            operands.append(f"{target} %y{k}")
    parameters = ", ".join(f"{kind(d)} %x{k}" for k, d in enumerate(function.arguments))
    memory = memory_kind(function.result)
    zero = "0.0" if kind_of(function.result) == "f" else "0"
    call = [
        f"  %result = alloca {memory}, align 8",
        "  %exception = alloca ptr, align 8",
        f"  store {memory} {zero}, ptr %result, align 8",
        *lines,
        f"  %status = call i32 @{entry}({', '.join(['ptr %result', 'ptr %exception', *operands])})",
    ]
    value = [f"  %value = load {memory}, ptr %result, align 8"]
    answer = "%value"
    if kind_of(function.result) == "b":
        value.append("  %bit = icmp ne i8 %value, 0")
        answer = "%bit"
    defined = [
        f"define {kind(function.result)} @{name}({parameters}) alwaysinline {{",
        *call,
        *value,
        f"  ret {kind(function.result)} {answer}",
        "}",
    ]
    if function.may_raise:
        defined += [
            f"define i1 @{name}.raised({parameters}) alwaysinline {{",
            *call,
            "  %raised = icmp ne i32 %status, 0",
            "  ret i1 %raised",
            "}",
        ]
    return "\n".join([text, *defined, ""])
