"""Numba intrinsics for every primitive of the loop IR, building LLVM IR directly.

A name is a primitive's and its dtypes': ``add_f64``, ``add_f64_r`` (may be reassociated),
``select_f32``, ``convert_f64_i32``, ``bitcast_f64_u64``, ``load_f16``, ``store_b1``, and
``constant_f32(0.5)``, which gives a Python number a dtype, and ``local_f64(64)``, memory of the
call for that many elements.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from lazyarr.loop_ir.intrinsics import SUFFIXES, parse_intrinsic
from lazyarr.loop_ir.primitives import PRIMITIVES
from lazyarr.loop_ir.source import External
from lazyarr.runtime.cpu import llvm_fp_flags, llvm_primitives
from lazyarr.runtime.cpu.llvm_externals import definition

__all__ = ["namespace", "parameter_type"]

DType = np.dtype[Any]

DTYPES: dict[str, DType] = {name: dtype for dtype, name in SUFFIXES.items()}
NUMBA_TYPES: dict[str, Any] = {
    "b1": types.boolean,
    **{
        f"{kind[0]}{bits}": getattr(types, f"{kind}{bits}")
        for kind in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
    "f32": types.float32,
    "f64": types.float64,
}
# What lies in memory, where that is not the value's own type.
MEMORY_TYPES: dict[str, Any] = {"b1": types.uint8, "f16": types.uint16}
CONSTANTS: dict[str, object] = {"inf": math.inf, "nan": math.nan}


def namespace(names: Iterable[str]) -> dict[str, object]:
    """Return the objects that a generated source names.

    Parameters
    ----------
    names : iterable of str
        Such as ``Source.intrinsics``.

    Returns
    -------
    dict
        From each name to a Numba intrinsic or a constant: the globals to compile with.
    """
    return {name: CONSTANTS[name] if name in CONSTANTS else _intrinsic(name) for name in names}


def externals(functions: Iterable[External]) -> dict[str, object]:
    """Return the intrinsics of functions compiled elsewhere, by their names in generated source."""
    intrinsics: dict[str, object] = {}
    for function in functions:
        intrinsics[function.name] = _external(function, False)
        if function.may_raise:
            intrinsics[f"{function.name}_raised"] = _external(function, True)
    return intrinsics


@functools.cache
def _external(function: External, raised: bool) -> object:
    result = np.dtype(np.bool_) if raised else function.result
    name = f"{function.name}.raised" if raised else function.name
    kinds = [NUMBA_TYPES[SUFFIXES[d]] for d in function.arguments]
    signature = NUMBA_TYPES[SUFFIXES[result]](*kinds)

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        library = context.active_code_library
        # Numba adds definitions before calls, and would drop what nothing calls yet.
        library.add_llvm_module(definition(function, "weak_odr"))
        module = builder.module
        target = module.globals.get(name)
        if target is None:
            value = llvm_primitives.value_type
            kind = ir.FunctionType(value(result), [value(d) for d in function.arguments])
            target = ir.Function(module, kind, name)
        return builder.call(target, args)

    return _of_arity(len(kinds), signature, generate)


def parameter_type(dtype: DType, pointer: bool) -> Any:
    """Return the Numba type of a kernel's parameter: a scalar, or a pointer to memory.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the scalar, or of the elements in memory.
    pointer : bool
        Whether the parameter is an address.
    """
    name = SUFFIXES[dtype]
    if pointer:
        pointer_to: Callable[[Any], Any] = types.CPointer
        return pointer_to(MEMORY_TYPES.get(name) or NUMBA_TYPES[name])
    return NUMBA_TYPES[name]


@functools.cache
def _intrinsic(name: str) -> object:
    operation, rest = parse_intrinsic(name)
    if operation == "constant":
        return _constant(*rest)
    if operation == "load":
        return _load(*rest)
    if operation == "store":
        return _store(*rest)
    if operation == "watch":
        return _watch_begin() if rest == ("begin",) else _watch_end()
    if operation == "local":
        return _local(*rest)
    return _primitive(operation, rest)


def _constant(suffix: str) -> object:
    kind = NUMBA_TYPES[suffix]

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def constant(typing: Any, value: Any) -> Any:
        """Cast a Python constant, which LLVM folds."""
        return kind(kind), lambda context, builder, signature, args: args[0]

    return constant


def _load(suffix: str) -> object:
    value = types.float32 if suffix == "f16" else NUMBA_TYPES[suffix]

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def load(typing: Any, pointer: Any, index: Any) -> Any:
        """Return ``pointer[index]``."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            return llvm_primitives.load(builder, suffix, args[0], args[1])

        return value(pointer, types.int64), generate

    return load


def _local(suffix: str) -> object:
    pointer = parameter_type(DTYPES[suffix], True)
    memory = llvm_primitives.memory_type(suffix)

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator, unused-ignore]
    def local(typing: Any, size: Any) -> Any:
        """Return memory that lives as long as the call."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            with builder.goto_entry_block():
                memory_of_call = builder.alloca(ir.ArrayType(memory, size.literal_value))
                memory_of_call.align = 64
            return builder.bitcast(memory_of_call, context.get_value_type(pointer))

        return pointer(size), generate

    return local


def _store(suffix: str) -> object:
    stored = types.float32 if suffix == "f16" else NUMBA_TYPES[suffix]

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def store(typing: Any, pointer: Any, index: Any, value: Any) -> Any:
        """Do ``pointer[index] = value``."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            llvm_primitives.store(builder, suffix, *args)
            return context.get_dummy_value()

        return types.void(pointer, types.int64, stored), generate

    return store


def _watch_begin() -> object:
    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def watch_begin(typing: Any) -> Any:
        """Clear the floating-point flags."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            return llvm_fp_flags.watch_begin(builder)

        return types.int32(), generate

    return watch_begin


def _watch_end() -> object:
    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def watch_end(typing: Any, report: Any, before: Any) -> Any:
        """Report the floating-point flags."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            llvm_fp_flags.watch_end(builder, *args)
            return context.get_dummy_value()

        return types.void(report, types.int32), generate

    return watch_end


def _primitive(primitive: str, rest: tuple[str, ...]) -> object:
    row = PRIMITIVES[primitive]
    operand = rest[0]
    reassociate = rest[-1] == "r"
    target = {"same": operand, "bool": "b1", "given": rest[-1]}[row.result]
    arguments = [NUMBA_TYPES[operand]] * row.arity
    if primitive == "select":
        arguments[0] = types.boolean
    signature = NUMBA_TYPES[target](*arguments)

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return llvm_primitives.generate(
            builder, primitive, DTYPES[operand], DTYPES[target], tuple(args), reassociate
        )

    return _of_arity(row.arity, signature, generate)


def _of_arity(arity: int, signature: Any, generate: Callable[..., Any]) -> object:
    # Numba reads the number of parameters off the function.
    if arity > 3:
        names = ", ".join(f"a{k}" for k in range(arity))
        space: dict[str, Any] = {"definition": (signature, generate)}
        exec(f"def several(typing, {names}): return definition", space)
        return intrinsic(space["several"])
    if arity == 1:

        @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
        def unary(typing: Any, a: Any) -> Any:
            return signature, generate

        return unary
    if arity == 2:

        @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
        def binary(typing: Any, a: Any, b: Any) -> Any:
            return signature, generate

        return binary

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def ternary(typing: Any, a: Any, b: Any, c: Any) -> Any:
        return signature, generate

    return ternary
