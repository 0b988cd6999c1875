"""Functions of the mathematics library in LLVM IR, with their vector forms.

A scalar function carries the attribute ``vector-function-abi-variant``, which names for LLVM's loop
vectoriser its vector forms; these have to be in the module, and kept by ``llvm.compiler.used``.
Without a vector library the C library's scalar function is called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir

# All of it here: threads that compile side by side must not import.
from lazyarr.runtime.cpu import fp_flags, llvm_logarithm, llvm_power, llvm_wide_power, vector_math
from lazyarr.runtime.cpu.llvm_constants import Uniform, splat
from lazyarr.runtime.cpu.llvm_exponential import define_exponential, define_hyperbolic_tangent
from lazyarr.runtime.cpu.llvm_fp_flags import raise_flags
from lazyarr.runtime.cpu.llvm_special_lanes import handler_of

__all__ = ["KEEPER", "attach_forms", "mathematical_function", "pure_function"]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any

BYTE = ir.IntType(8)

#: Functions that are written here, for processors that have what they need.
_OWN = frozenset(("exp", "expf", "log", "logf", "tanh", "tanhf"))
#: The list of functions that LLVM's optimiser has to keep.
KEEPER = "llvm.compiler.used"


def mathematical_function(
    module: ir.Module, symbol: str, kind: Any, arity: int, itemsize: int
) -> Any:
    """Return a function of the mathematics library, declared or defined in a module.

    Parameters
    ----------
    module : llvmlite.ir.Module
        The module that calls it.
    symbol : str
        The name of the C library, such as ``exp`` or ``expf``.
    kind : llvmlite.ir.Type
        Of its arguments and its result: float or double.
    arity : int
        Number of its arguments.
    itemsize : int
        Bytes of an argument.
    """
    variant = vector_math.variant(symbol, arity, itemsize)
    name = symbol if variant is None else f"lazyarr_{symbol}"
    function = module.globals.get(name)
    if function is None:
        function = pure_function(module, name, kind, arity)
        if variant is not None:
            _define_by_vector(function, symbol, kind, variant)
    return function


def pure_function(module: ir.Module, name: str, kind: Any, arity: int) -> Any:
    """Return a new function of a module that has no effects but flags.

    Parameters
    ----------
    module : llvmlite.ir.Module
        The module.
    name : str
        Of the function.
    kind : llvmlite.ir.Type
        Of its arguments and its result.
    arity : int
        Number of its arguments.
    """
    return _pure(module, name, kind, [kind] * arity)


def _pure(module: ir.Module, name: str, result: Any, kinds: Sequence[Any]) -> Any:
    """Return a new function of these types that has no effects but flags."""
    function = ir.Function(module, ir.FunctionType(result, kinds), name)
    for attribute in ("nounwind", "willreturn", "memory(none)"):
        # llvmlite's own list of attributes has not all of these, and its add() checks it.
        set.add(function.attributes, attribute)
    return function


def _define_by_vector(function: Any, symbol: str, kind: Any, variant: vector_math.Variant) -> None:
    """Define a scalar function, and its forms of every width, by one vector function.

    An element then has the same bits wherever it lies: in the body of a vectorised loop, in its
    remainder, or in a loop that is not vectorised.
    """
    lanes = variant.lanes
    own = _own_definition(symbol, lanes)
    if own is not None:
        vector = _vector_form(function, f"{function.name}_ordinary{lanes}", lanes)
        own(vector)
        _inline(vector)
    else:
        vector = _of_library(function, variant)
        if symbol in ("pow", "powf") and vector_math.has_wide_tables():
            if symbol == "powf" and lanes == llvm_power.LANES:
                _define_by_logarithm(function, vector)
                return
            if symbol == "pow" and lanes == llvm_logarithm.HALF:
                general = vector
                vector = _vector_form(function, f"{function.name}_all{lanes}", lanes)
                llvm_wide_power.define_power(vector, general)
                _inline(vector)
    handler = handler_of(symbol, kind)
    if handler is not None:
        general = vector
        vector = _vector_form(function, f"{function.name}_all{lanes}", lanes)
        handler(vector, general)
        if "alwaysinline" in general.attributes:
            _inline(vector)
    _define_forms(function, vector, lanes)


def _own_definition(symbol: str, lanes: int) -> Callable[[Any], None] | None:
    """Return the writer of a function of ordinary numbers; None where a library has it."""
    if symbol not in _OWN or not vector_math.has_fused_multiplication():
        return None
    if symbol in ("exp", "expf"):
        return define_exponential
    if symbol in ("tanh", "tanhf"):
        return define_hyperbolic_tangent
    if symbol == "logf":
        return llvm_logarithm.define_short_logarithm
    if symbol == "log" and lanes == llvm_logarithm.HALF and vector_math.has_wide_tables():
        return llvm_logarithm.define_logarithm
    return None


def _of_library(function: Any, variant: vector_math.Variant) -> Any:
    """Return the vector form of a function that a library has, with its flags."""
    lanes = variant.lanes
    silent = _vector_form(function, variant.symbol, lanes)
    if variant.sets_flags:
        return silent
    vector = _vector_form(function, f"{function.name}_{lanes}", lanes)
    _define_with_flags(vector, silent, lanes)
    return vector


def _define_by_logarithm(function: Any, general: Any) -> None:
    """Define the power by the logarithm, which several powers of a number share."""
    module, lanes = function.module, llvm_power.LANES
    number, wide = function.args[0].type, ir.DoubleType()
    logarithm = _pure(module, f"{function.name}_logarithm", wide, [number])
    raised = _pure(module, f"{function.name}_raised", number, [number, number, wide])
    for scalar, define in (
        (logarithm, llvm_power.define_binary_logarithm),
        (raised, functools.partial(llvm_power.define_raised, general=general)),
    ):
        vector = _vector_form(scalar, f"{scalar.name}{lanes}", lanes)
        define(vector)
        _inline(vector)
        _define_forms(scalar, vector, lanes)
    x, y = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    taken = builder.call(logarithm, [x])
    builder.ret(builder.call(raised, [x, y, taken]))
    _inline(function)


def _vector_form(function: Any, name: str, lanes: int) -> Any:
    """Return a new function of vectors of another function's operands and results."""
    scalar = function.function_type
    kinds = [ir.VectorType(kind, lanes) for kind in (scalar.return_type, *scalar.args)]
    return _pure(function.module, name, kinds[0], kinds[1:])


def _define_forms(function: Any, vector: Any, lanes: int) -> None:
    """Define a scalar function and its narrower forms by its widest form."""
    forms = {lanes: vector}
    for width in (2, 4, 8):
        if width < lanes:
            form = _vector_form(function, f"{function.name}_{width}", width)
            _define_narrower(form, vector, width, lanes)
            forms[width] = form
    _define_narrower(function, vector, 1, lanes)
    attach_forms(function, forms)


def _inline(function: Any) -> None:
    """Have a function inlined wherever it is called."""
    function.linkage = "internal"
    function.attributes.add("alwaysinline")


def attach_forms(function: Any, forms: dict[int, Any]) -> None:
    """Tell the loop vectoriser the vector forms of a scalar function.

    Parameters
    ----------
    function : llvmlite.ir.Function
        The scalar function, of the module that defines its forms.
    forms : dict of int to llvmlite.ir.Function
        By the number of lanes.
    """
    # Inlined before the loop vectoriser runs, it would not be recognised as a scalar call.
    function.attributes.add("noinline")
    shape = "v" * len(function.args)
    mapping = ",".join(
        f"_ZGV_LLVM_N{width}{shape}_{function.name}({form.name})" for width, form in forms.items()
    )
    set.add(function.attributes, f'"vector-function-abi-variant"="{mapping}"')
    # Keeping the scalar function too keeps its arguments: an optimiser that drops one which is
    # always the same constant would leave the attribute wrong.
    for form in (function, *forms.values()):
        _keep(function.module, form)


def _define_with_flags(function: Any, silent: Any, lanes: int) -> None:
    """Call a vector function, and set the flags that its results call for.

    The check is one comparison of a vector; what it finds is looked at apart.
    """
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    result = builder.call(silent, function.args)
    finite = _finite(builder, result)
    with builder.if_then(builder.not_(_all(builder, finite, lanes)), likely=False):
        numbers = [builder.fcmp_ordered("ord", x, x) for x in function.args]
        unknown = builder.fcmp_unordered("uno", result, result)
        invalid = functools.reduce(builder.and_, [unknown, *numbers])
        bounded = [_finite(builder, x) for x in function.args]
        known = builder.not_(builder.or_(unknown, finite))
        endless = functools.reduce(builder.and_, [known, *bounded])
        word = ir.IntType(32)
        bits = fp_flags.bits()
        flags = word(0)
        for happened, names in ((invalid, ("invalid",)), (endless, ("divide", "over"))):
            mask = word(sum(bits[name] for name in names))
            none = _all(builder, builder.not_(happened), lanes)
            flags = builder.or_(flags, builder.select(none, word(0), mask))
        raise_flags(builder, flags)
    builder.ret(result)


def _finite(builder: Builder, vector: IRValue) -> IRValue:
    # Inequality, unlike order, may be asked of a NaN without setting a flag.
    kind = vector.type
    limits = [splat(limit, kind) for limit in (np.inf, -np.inf)]
    return builder.and_(*(builder.fcmp_ordered("!=", vector, limit) for limit in limits))


def _all(builder: Builder, mask: IRValue, lanes: int) -> IRValue:
    """Whether all of a vector's bits are set."""
    word = ir.IntType(lanes)
    return builder.icmp_unsigned("==", builder.bitcast(mask, word), word((1 << lanes) - 1))


def _define_narrower(function: Any, vector: Any, width: int, lanes: int) -> None:
    """Repeat the operands to fill all lanes, and take the first lanes of the result."""
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    index = ir.IntType(32)
    mask = ir.Constant(ir.VectorType(index, lanes), [lane % width for lane in range(lanes)])
    wide = []
    for operand in function.args:
        if width == 1:
            single = ir.Constant(ir.VectorType(operand.type, 1), ir.Undefined)
            operand = builder.insert_element(single, operand, index(0))
        wide.append(builder.shuffle_vector(operand, Uniform(operand.type, ir.Undefined), mask))
    result = builder.call(vector, wide)
    if width == 1:
        builder.ret(builder.extract_element(result, index(0)))
        return
    first = ir.Constant(ir.VectorType(index, width), list(range(width)))
    builder.ret(builder.shuffle_vector(result, Uniform(result.type, ir.Undefined), first))


def _keep(module: ir.Module, function: Any) -> None:
    """Keep a function that only the loop vectoriser may come to call."""
    pointer = BYTE.as_pointer()
    keep = module.globals.get(KEEPER)
    if keep is None:
        keep = ir.GlobalVariable(module, ir.ArrayType(pointer, 0), KEEPER)
        keep.linkage = "appending"
        keep.section = "llvm.metadata"
        before = []
    else:
        before = keep.initializer.constant
    # One list a module; it grows as functions are defined.
    functions = [*before, function.bitcast(pointer)]
    keep.value_type = ir.ArrayType(pointer, len(functions))
    keep.initializer = ir.Constant(keep.value_type, functions)
