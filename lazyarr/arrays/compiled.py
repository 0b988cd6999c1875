"""The installation of the compiled form: the tables that it reads, and the calls that it replaces.

Each operator, method and function of the compiled form has that of Python's form to call where an
operand is an expression or large, where a function is traced, and where NumPy refuses.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any, cast

import numpy as np

from lazyarr.arrays import immediate, native, needed_values, tuning
from lazyarr.arrays.aliasing import keep_written, snapshot
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.native_calls import BOUND_NAMES, Row, part
from lazyarr.arrays.native_methods import KEYWORDS, named_method, times_of
from lazyarr.arrays.native_rows import METHODS, OWNING, method_row, ufunc_row
from lazyarr.arrays.needed_values import (
    in_order,
    keep_in_use,
    memory_may_stand,
    memory_to_write,
    value_by_plan,
)
from lazyarr.arrays.pending_graph import relieve
from lazyarr.arrays.pending_writes import MOST_WRITES
from lazyarr.arrays.plain_operands import compute_results, operand_leaf, read_at_call
from lazyarr.arrays.shared_memory import VIEWED_PART
from lazyarr.arrays.slice_writes import (
    ALONE_FACTOR,
    EXCHANGED_BYTES,
    OPERATED_FACTOR,
    STRAIGHT_BYTES,
    may_raise,
    write_over,
)
from lazyarr.arrays.storing import BORROWED, forget_changeable
from lazyarr.builders.build import constant
from lazyarr.builders.values import CANONICAL
from lazyarr.core import config, source_location
from lazyarr.core.donation import DONATED
from lazyarr.graph import elements
from lazyarr.graph.kind import Kind
from lazyarr.graph.leaf import ComputedLeaf, Leaf, SharedLeaf
from lazyarr.graph.pressure import PRESSURE
from lazyarr.ops.elementwise import BY_UFUNC, ELEMENTWISE
from lazyarr.ops.movement import CONSTANT, LEAF, VIEW
from lazyarr.ops.table import WHOLE_UFUNCS
from lazyarr.tracing import running

__all__ = [
    "CALLS",
    "ELEMENTWISE_CALL",
    "LOOPS",
    "PYTHON_CALL",
    "allow_ufunc",
    "compiled_call",
    "compiled_function",
    "compiled_method",
    "in_python",
    "install",
    "install_values",
]

# As enumerated in c_source.
_REDUCE, _MEAN, _METHOD, _FUNCTION, ELEMENTWISE_CALL, PYTHON_CALL = range(6)
_FITS = {
    name: number
    for number, name in enumerate(
        "no_larger broadcast together product inner pairs shaped counted copied listed".split()
    )
}
_FITS["like"] = _FITS["no_larger"]
_BOUNDS = {name: number for number, name in enumerate(BOUND_NAMES)}
_AS_IS, _CREATES, _WARNS, _WRITES = 1, 2, 4, 8
_CHEAP_CALL, _FILLS, _COPIES, _BY_LIBRARY, _QUIET_CALL, _AT_ANY_SIZE = 16, 32, 64, 128, 256, 512
_SLOWLY_BUILT, _VIEWS, _EXTENDS, _OWNS = 1024, 2048, 4096, 8192
_COPIES_MASK, _MOVES, _LOOKS_UP, _COUNTS_TRUTHS, _IS_SEVERAL = 16384, 32768, 65536, 131072, 262144
_FIELDS = "shape dtype ndim size T __array_interface__ __array_struct__ nbytes itemsize real imag"

#: Names of operators in the order of the enumeration, their reflected forms and those in place.
_OPERATORS = (
    ("add", "__add__", "__radd__", "__iadd__"),
    ("subtract", "__sub__", "__rsub__", "__isub__"),
    ("multiply", "__mul__", "__rmul__", "__imul__"),
    ("divide", "__truediv__", "__rtruediv__", "__itruediv__"),
    ("floor_divide", "__floordiv__", "__rfloordiv__", "__ifloordiv__"),
    ("remainder", "__mod__", "__rmod__", "__imod__"),
    ("power", "__pow__", "__rpow__", "__ipow__"),
    ("bitwise_and", "__and__", "__rand__", "__iand__"),
    ("bitwise_or", "__or__", "__ror__", "__ior__"),
    ("bitwise_xor", "__xor__", "__rxor__", "__ixor__"),
    ("left_shift", "__lshift__", "__rlshift__", "__ilshift__"),
    ("right_shift", "__rshift__", "__rrshift__", "__irshift__"),
    ("less", "__lt__", "__gt__", None),
    ("less_equal", "__le__", "__ge__", None),
    ("equal", "__eq__", "__eq__", None),
    ("not_equal", "__ne__", "__ne__", None),
    ("greater", "__gt__", "__lt__", None),
    ("greater_equal", "__ge__", "__le__", None),
    ("negative", "__neg__", None, None),
    ("positive", "__pos__", None, None),
    ("absolute", "__abs__", None, None),
    ("invert", "__invert__", None, None),
    (None, "__matmul__", "__rmatmul__", "__imatmul__"),
    (None, "__divmod__", "__rdivmod__", None),
)
#: Ufuncs that the compiled form computes itself, and the numbers of their operators, if they are
#: any; numpy.sqrt of numbers alone.
_LOOPED = frozenset(
    "add subtract multiply divide bitwise_and bitwise_or bitwise_xor less less_equal equal "
    "not_equal greater greater_equal negative absolute invert".split()
)
_NO_OPERATORS = "sqrt minimum maximum logical_and logical_or logical_not".split()
LOOPS: dict[np.ufunc, int] = {
    getattr(np, name): number for number, name in enumerate(_NO_OPERATORS, len(_OPERATORS))
}
LOOPS |= {
    getattr(np, name): number for number, (name, *_) in enumerate(_OPERATORS) if name in _LOOPED
}
_OUTER = len(_OPERATORS) + len(_NO_OPERATORS)
_VECTORS: dict[Any, int] = {np.outer: _OUTER, np.cross: _OUTER + 1, np.linalg.cross: _OUTER + 1}
_SCALAR_PRODUCTS: tuple[Any, ...] = (np.inner, np.vdot)
_VECTORS |= dict.fromkeys(_SCALAR_PRODUCTS, _OUTER + 2)
_VECTORS[np.linalg.norm] = _OUTER + 5
_SCANS = {"cumsum": LOOPS[np.add], "argmin": _OUTER + 3, "argmax": _OUTER + 4}
#: Reductions, by the ufuncs that they are of.
_UFUNCS = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "amin": np.minimum,
    "amax": np.maximum,
    "any": np.logical_or,
    "all": np.logical_and,
    "mean": np.add,
}
#: Methods and functions that meet no floating-point exceptions.
_QUIET = frozenset(
    "squeeze swapaxes diagonal ravel nonzero argsort argmin argmax searchsorted reshape transpose "
    "copy flatten sort roll flip fliplr flipud rot90 moveaxis rollaxis expand_dims atleast_1d "
    "atleast_2d array_split split hsplit vsplit tril triu real imag concatenate stack hstack "
    "vstack column_stack dstack where zeros ones empty full arange eye identity array zeros_like "
    "ones_like empty_like conj view".split()
)
#: The callables of the compiled form that answer for NumPy's functions by its protocols.
CALLS: dict[Any, Any] = {}


def _named(call: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    return cast("Callable[..., Any]", functools.update_wrapper(call, function))


def compiled_method(
    name: str, function: Callable[..., Any], theirs: str | None = None
) -> Callable[..., Any]:
    """Return a method that calls NumPy's where the array is small and in memory.

    Parameters
    ----------
    name : str
        Of the method.
    function : callable
        The method of Python's form.
    theirs : str, optional
        NumPy's name of it; None: NumPy's is not called.
    """
    row = method_row(theirs or name)
    if COMPILED is None:
        return read_at_call(function, theirs in OWNING)
    if theirs is None and row is None:
        return function
    if theirs is None:
        call = COMPILED.Call(PYTHON_CALL, function, rebuild=named_method(name))
        _allow(call, row)
        return _named(call, function)
    options: dict[str, Any] = {"rebuild": named_method(theirs), "times": times_of(theirs, None)}
    if theirs in _UFUNCS:
        kind = _MEAN if theirs == "mean" else _REDUCE
        ufunc = _UFUNCS[theirs]
        call = COMPILED.Call(kind, function, ufunc.reduce, loop=LOOPS.get(ufunc, -1), **options)
    else:
        options |= {"name": theirs, "keywords": KEYWORDS, "warns": theirs not in _QUIET}
        call = COMPILED.Call(_METHOD, function, loop=_SCANS.get(theirs, -1), **options)
    _allow(call, row)
    return _named(call, function)


class _Function:
    """A function that is no method of a class that has it as an attribute."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        function: Callable[..., Any] = vars(self)["__wrapped__"]
        return function(*args, **keywords)

    def __reduce__(self) -> str:
        name: str = vars(self)["__qualname__"]
        return name


def _is_bound(theirs: Callable[..., Any] | None) -> bool:
    """Return whether a function of NumPy's becomes a method of a class that has it."""
    return not isinstance(theirs, (np.ufunc, BuiltinFunctionType))


def in_python(
    function: Callable[..., Any], theirs: Callable[..., Any] | None
) -> Callable[..., Any]:
    """Return a function of Python's form, which becomes a method of classes if NumPy's does.

    Parameters
    ----------
    function : callable
        The function.
    theirs : callable, optional
        NumPy's, if there is one.
    """
    named = getattr(theirs, "__name__", "")
    function = read_at_call(function, named in OWNING)
    return function if theirs is None or _is_bound(theirs) else _Function(function)


def compiled_function(
    name: str,
    function: Callable[..., Any],
    fits: str,
    keywords: frozenset[str],
    row: Row | None = None,
) -> Callable[..., Any]:
    """Return a function of a namespace that calls NumPy's where all is small and in memory.

    Parameters
    ----------
    name : str
        Of the function, here and in NumPy.
    function : callable
        The function of Python's form.
    fits : str
        How large its result may be, as in the enumeration of the compiled form.
    keywords : frozenset of str
        Those that mean the same in NumPy and here.
    row : Row, optional
        What has to hold of other arguments.
    """
    number, theirs = _FITS.get(fits), getattr(np, name)
    if COMPILED is None or (number is None and row is None):
        return in_python(function, theirs)
    if number is None:
        assert row is not None
        return compiled_call(function, row, theirs)
    # NumPy's functions that make arrays of numbers do not ask its protocol.
    rebuild = theirs if row is None or number < _FITS["shaped"] else row.rebuild
    options: dict[str, Any] = {"rebuild": rebuild, "times": times_of(name, row)}
    if name in _UFUNCS:
        kind = _MEAN if name == "mean" else _REDUCE
        ufunc = _UFUNCS[name]
        call = COMPILED.Call(kind, function, ufunc.reduce, loop=LOOPS.get(ufunc, -1), **options)
    else:
        options |= {"keywords": keywords, "fits": number, "warns": name not in _QUIET}
        options |= {"name": METHODS.get(name), "loop": _VECTORS.get(theirs, _SCANS.get(name, -1))}
        direct = getattr(theirs, "_implementation", theirs)
        form = COMPILED.Call if _is_bound(theirs) else COMPILED.Function
        call = form(_FUNCTION, function, direct, **options)
    if number < _FITS["shaped"]:
        CALLS[theirs] = call
    _allow(call, row)
    return _named(call, function)


def compiled_call(
    function: Callable[..., Any], row: Row, theirs: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Return a function that calls NumPy's where all is small and in memory.

    Parameters
    ----------
    function : callable
        The function of Python's form.
    row : Row
        What has to hold for that.
    theirs : callable, optional
        NumPy's public function, which answers by its protocol.
    """
    if COMPILED is None:
        return in_python(function, theirs)
    form = COMPILED.Call if theirs is None or _is_bound(theirs) else COMPILED.Function
    own = getattr(theirs, "__name__", "")
    method = METHODS.get(own) if theirs is getattr(np, own, None) else None
    owner = cast(Any, theirs).__self__ if own == "accumulate" else None
    loop = LOOPS.get(owner, -1) if owner is not None else _VECTORS.get(theirs, -1)
    call = form(PYTHON_CALL, function, rebuild=row.rebuild, name=method, loop=loop)
    _allow(call, row)
    if theirs is not None:
        CALLS[theirs] = call
    return _named(call, function)


def allow_ufunc(ufunc: Any, theirs: np.ufunc) -> None:
    """Allow keywords, and operands that are no lazy arrays, for a ufunc of the compiled form.

    Parameters
    ----------
    ufunc : Elementwise
        The ufunc.
    theirs : numpy.ufunc
        NumPy's.
    """
    call = compiled_call(ufunc, ufunc_row(theirs, ufunc), theirs)
    ufunc._allow(call, frozenset(), theirs.nin, 0, 0)


def _allow(call: Any, row: Row | None) -> None:
    """Let a callable of the compiled form call NumPy's function with arguments of all kinds."""
    if row is not None:
        flags = row.as_is * _AS_IS | row.creates * _CREATES
        flags |= row.warns * _WARNS | row.writes * _WRITES | row.cheap * _CHEAP_CALL
        flags |= row.fills * _FILLS | row.copies * _COPIES | row.by_library * _BY_LIBRARY
        flags |= row.at_any_size * _AT_ANY_SIZE | row.slowly_built * _SLOWLY_BUILT
        flags |= row.quiet * _QUIET_CALL | row.views * _VIEWS | row.extends * _EXTENDS
        flags |= row.owns * _OWNS | row.copies_mask * _COPIES_MASK | row.moves * _MOVES
        flags |= row.looks_up * _LOOKS_UP | row.counts_truths * _COUNTS_TRUTHS
        flags |= row.is_several * _IS_SEVERAL
        bound = _BOUNDS[row.bound]
        call._allow(row.function, row.refused, row.places, bound, flags)


def _taken(kind: type, name: str) -> Any:
    """Return an attribute of a class; it is taken out of it, so that the compiled form answers."""
    for owner in kind.__mro__:
        if name in vars(owner) and owner is not object:
            value = vars(owner)[name]
            delattr(owner, name)
            return value
    raise AttributeError(name)


def _replaced(kind: type, name: str, number: int) -> None:
    """Replace a property of a class by one of the compiled form."""
    for owner in kind.__mro__:
        slow = vars(owner).get(name)
        if isinstance(slow, property):
            rebuild = operator.attrgetter(name)
            setattr(owner, name, COMPILED.Attribute(number, slow, rebuild))
            return


def install(kind: type) -> None:
    """Let the compiled form, if there is one, answer for a class of arrays.

    Parameters
    ----------
    kind : type
        The class, with all methods of Python's form.
    """
    if COMPILED is None:
        return
    names = {name for row in _OPERATORS for name in row[1:] if name is not None}
    special = "getitem setitem iter len bool int float index array_ufunc array_function".split()
    taken = {name: _taken(kind, name) for name in sorted(names)}
    others = {name: _taken(kind, f"__{name}__") for name in special}
    others |= {"divmod": np.divmod, "power": np.power, "write_over": write_over}
    _taken(kind, "__getattr__")
    operators = {}
    for number, (op, *methods) in enumerate(_OPERATORS):
        functions = [None if name is None else taken[name] for name in methods]
        row = None if op is None else ELEMENTWISE[op]
        cheap = row is not None and immediate.is_cheap(row)
        operators[number] = (row, cheap, *functions, getattr(np, op or "", None))
    for number, name in enumerate(_FIELDS.split()):
        _replaced(kind, name, number)
    by_ufunc = {theirs: ops[0] for theirs, ops in BY_UFUNC.items() if len(ops) == 1}
    COMPILED.install(
        kind,
        native.MOST_PAST,
        immediate.CHEAPER,
        immediate.BUILT,
        immediate.CREATED,
        immediate.WRITTEN,
        tuning.row().larger,
        VIEWED_PART,
        operators,
        running=running,
        suspended=immediate.SUSPENDED,
        attributed=source_location.ATTRIBUTED,
        override=config.OVERRIDE,
        overridden=config.OVERRIDDEN,
        base=config.BASE,
        limit=immediate.limit,
        is_ours=source_location.is_ours,
        snapshot=snapshot,
        item=immediate.ITEM,
        borrowed=BORROWED,
        keep_written=keep_written,
        refused=native.REFUSED,
        error_state=native.state,
        noted=(native.NOTED, native.NOTED_BUT_UNDERFLOWS, native.DEFAULT),
        exceptions=native.exceptions,
        ops=by_ufunc,
        loops=LOOPS,
        cheap={theirs for theirs, op in by_ufunc.items() if immediate.is_cheap(op)},
        attributes={getattr(np, name): name for name in ("shape", "ndim", "size")},
        calls=CALLS,
        part=part,
        matmul=np.matmul,
        places=(np.where, np.nonzero),
        hosted=immediate.HOSTED,
        to_write=memory_to_write,
        compute_results=compute_results,
        leaf=operand_leaf,
        leaf_op=LEAF,
        shared_leaf=SharedLeaf,
        immediate=immediate.Immediate,
        handed=immediate.handed,
        handed_ufuncs={getattr(np, name) for name in tuning.row().handed.split()},
        donated=DONATED,
        canonical=CANONICAL,
        origin=source_location.origin,
        constant=constant,
        constant_op=CONSTANT,
        view_op=VIEW,
        cast_op=ELEMENTWISE["cast"],
        varying={op for ops in BY_UFUNC.values() for op in ops if op.operator_varies},
        reduce=Kind.REDUCE,
        pressure=PRESSURE,
        relieve=relieve,
        functions=None if elements.COMPILED is None else elements.COMPILED.functions,
        **others,
    )
    if elements.COMPILED is not None:
        install_values()


#: Of the enumeration in c_source/values.h.
_VALUE_KINDS = {
    Kind.LEAF: 1,
    Kind.CONSTANT: 2,
    Kind.VIEW: 3,
    Kind.ELEMENTWISE: 4,
    Kind.REDUCE: 5,
    Kind.RESHAPE: 5,
    Kind.CONCATENATE: 6,
    Kind.LIBRARY: 7,
}
#: Ufuncs that give the same bits in memory of an operand: rounded once, without a table.
_EXACT = (
    "add subtract multiply divide negative absolute bitwise_and bitwise_or bitwise_xor invert "
    "left_shift right_shift less less_equal equal not_equal greater greater_equal"
).split()


def install_values(
    straight_bytes: float = STRAIGHT_BYTES, exchanged_bytes: float = EXCHANGED_BYTES
) -> None:
    """Enter the functions by which the compiled form computes values that are needed now.

    Parameters
    ----------
    straight_bytes, exchanged_bytes : float, optional
        Of a slice, from which on a kernel may write it, and write other memory in its place.
    """
    COMPILED.install_values(
        needed_values.MOST_BYTES,
        needed_values.NUMBER_BYTES,
        (needed_values.SHORT_ROWS, needed_values.REPEATED_FACTOR),
        (tuning.row().terms, tuning.row().terms_apart, tuning.row().terms_matrix),
        (straight_bytes, straight_bytes * OPERATED_FACTOR, straight_bytes * ALONE_FACTOR),
        exchanged_bytes,
        tuning.row().written_bytes,
        tuning.row().factor_elements,
        tuning.row().scaled_elements,
        (immediate.MOST_NODES, tuning.row().read_part, tuning.row().least_columns),
        MOST_WRITES,
        immediate.FREE_COST,
        _VALUE_KINDS,
        WHOLE_UFUNCS,
        {getattr(np, name) for name in _EXACT},
        immediate.ERROR_STATE,
        immediate.CAUGHT,
        needed_values.COMPUTED_CHEAPLY,
        memory_may_stand,
        value_by_plan,
        in_order,
        keep_in_use,
        # May their memory lie in any order? None: unless another one was noted for it.
        {Leaf: True, SharedLeaf: True, immediate.Immediate: False, ComputedLeaf: None},
        forget_changeable,
        may_raise,
    )
