"""Python functions of numbers, compiled by Numba into LLVM IR that kernels inline."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import replace
from lazyarr.errors import CompileError
from lazyarr.loop_ir.source import External
from lazyarr.runtime.cpu.llvm_externals import wrapped

__all__ = ["compile_scalar", "runner", "with_constants"]

DType = np.dtype[Any]
HALF = np.dtype(np.float16)


def compile_scalar(function: Callable[..., Any], dtypes: tuple[DType, ...]) -> External:
    """Return a Python function compiled by Numba for numbers of given dtypes.

    What it reads from outside, such as globals and closures, is part of the code.

    Parameters
    ----------
    function : callable
        A function of numbers that returns one.
    dtypes : tuple of numpy.dtype
        Of its arguments.

    Raises
    ------
    CompileError
        If Numba cannot compile it, or it returns no number, with Numba's reason.
    """
    numba: Any = import_module("numba")
    compiler: Any = import_module("numba.core.compiler")
    target: Any = import_module("numba.core.registry").cpu_target
    flags = compiler.Flags()
    flags.no_cpython_wrapper = True
    flags.no_cfunc_wrapper = True
    flags.error_model = "numpy"  # a zero divisor gives inf or nan
    flags.boundscheck = True  # memory behind a captured array is nobody's to read
    types = tuple(numba.from_dtype(dtype) for dtype in dtypes)
    name = getattr(function, "__name__", "function")
    try:
        compiled = compiler.compile_extra(
            target.typing_context, target.target_context, function, types, None, flags, {}
        )
    except (numba.core.errors.NumbaError, NotImplementedError) as error:
        names = ", ".join(dtype.name for dtype in dtypes)
        raise CompileError(
            f"{name}({names}) does not compile: {error}",
            origin=_line(function),
            hint="use only numbers, loops, branches and functions of math",
        ) from None
    result = _dtype(numba, compiled.signature.return_type)
    if result is None:
        raise CompileError(
            f"{name} returns {compiled.signature.return_type}, not a number",
            origin=_line(function),
            hint="return one bool, integer or float, of the same type everywhere",
        )
    if compiled.library.has_dynamic_globals:
        raise CompileError(
            f"{name} uses objects that exist only in this process", origin=_line(function)
        )
    text, entry = compiled.library.get_llvm_str(), compiled.fndesc.llvm_func_name
    digest = hashlib.sha256(_renamed(text, entry)[0].encode()).hexdigest()[:12]
    text, entry = _renamed(text, entry, digest)
    kinds, body = _definition(text, entry)
    may_raise = any(status != "0" for status in re.findall(r"\bret i32 (\S+)", body))
    identifier = re.sub(r"\W", "_", name)
    bare = External(f"{identifier}_{digest}", dtypes, result, "", may_raise)
    return replace(bare, text=wrapped(text, entry, bare.name, kinds, bare))


def with_constants(
    function: Callable[..., Any], fixed: Mapping[int, object], arity: int
) -> Callable[..., Any]:
    """Return a function of numbers with some of its arguments bound to constants.

    Parameters
    ----------
    function : callable
        Takes the numbers and the constants, by position.
    fixed : mapping of int to object
        Constants by the position of the argument.
    arity : int
        How many arguments remain.
    """
    numba: Any = import_module("numba")
    compiled = functools.partial(numba.njit, error_model="numpy", boundscheck=True)
    parameters = [f"x{k}" for k in range(arity)]
    rest = iter(parameters)
    arguments = [f"c{k}" if k in fixed else next(rest) for k in range(arity + len(fixed))]
    space: dict[str, Any] = {
        f"c{k}": compiled(value) if callable(value) else value for k, value in fixed.items()
    }
    space["function"] = compiled(function)
    text = f"def bound({', '.join(parameters)}):\n    return function({', '.join(arguments)})\n"
    exec(text, space)
    bound: Callable[..., Any] = space["bound"]
    bound.__name__ = getattr(function, "__name__", "function")
    return bound


def runner(function: Callable[..., Any], arity: int) -> Callable[..., None]:
    """Return ``run(out, *arrays)``, which applies a function to each element of flat arrays.

    Parameters
    ----------
    function : callable
        A function of numbers that Numba compiles.
    arity : int
        Number of its arguments.
    """
    numba: Any = import_module("numba")
    names = [f"x{k}" for k in range(arity)]
    elements = ", ".join(f"{name}[i]" for name in names)
    text = f"def run({', '.join(['out', *names])}):\n"
    text += f"    for i in range(out.size):\n        out[i] = function({elements})\n"
    space = {"function": numba.njit(function, error_model="numpy", boundscheck=True)}
    exec(text, space)
    compiled: Callable[..., None] = numba.njit(space["run"], error_model="numpy")
    return compiled


def _line(function: Callable[..., Any]) -> tuple[str, int] | None:
    code = getattr(function, "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)


def _dtype(numba: Any, kind: Any) -> DType | None:
    try:
        dtype: DType = np.dtype(numba.np.numpy_support.as_dtype(kind))
    except (NotImplementedError, numba.core.errors.NumbaError):
        return None
    return dtype if kind_of(dtype) in "biuf" and dtype.itemsize <= 8 and dtype != HALF else None


#: In LLVM IR: bytes, texts of metadata, names of functions, variables and groups, and labels.
_NAME_OR_TEXT = re.compile(
    r"""[c!]"[^"]*"|[@$%](?:"[^"]*"|[-\w.$]+)|^(?:"[^"]*"|[-\w.$]+):""", re.MULTILINE
)
#: Numba's count of functions and of their versions within a name.
_COUNTERS = re.compile(r"B\d+v\d+(?=B|_|\d|E|\b)")


def _renamed(text: str, entry: str, digest: str = "") -> tuple[str, str]:
    """Return Numba's IR with its counters of functions counted from 0: equal code, equal text.

    The digest of that text distinguishes functions of one name, which one kernel may call.
    """
    seen: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return seen.setdefault(match[0], f"B2v{len(seen)}n{digest}")

    def rename(match: re.Match[str]) -> str:
        if match[0][0] in "c!":
            return match[0]  # what a constant holds may look like a counter
        return _COUNTERS.sub(number, match[0])

    text = "\n".join(line for line in text.splitlines() if not line.startswith("; ModuleID"))
    return _NAME_OR_TEXT.sub(rename, text), _COUNTERS.sub(number, entry)


def _definition(text: str, entry: str) -> tuple[tuple[str, ...], str]:
    """Return the types that a function takes after its first two arguments, and its body."""
    header = re.search(rf"^define [^\n]*@{re.escape(entry)}\(([^{{\n]*){{", text, re.MULTILINE)
    assert header is not None, f"{entry} is not defined"
    body = text[header.start() : text.index("\n}", header.end())]
    kinds = re.findall(r"(?:^|[(,]\s*)(ptr|double|float|half|i\d+)\b", header[1])
    return tuple(kinds[2:]), body
