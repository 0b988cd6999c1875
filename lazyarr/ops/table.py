"""Rows of the elementwise op table, and the resolution of their dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.dtypes import is_bfloat16, is_supported, kind_of
from lazyarr.errors import DTypeError
from lazyarr.graph.node import Kind, Node, Op
from lazyarr.loop_ir.pair import Pair
from lazyarr.ops.complex_numbers import OfComplex

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = [
    "WHOLE_UFUNCS",
    "Argument",
    "Expand",
    "Faults",
    "Rule",
    "elementwise",
    "from_ufunc",
    "output_of",
    "resolve",
]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
Argument = DType | type[int] | type[float] | type[complex]
Resolved = tuple[tuple[DType, ...], DType]
Rule = Callable[[tuple[Argument, ...]], Resolved]
Expand = Callable[..., "Operand | Pair | None"]
Faults = Callable[..., "dict[str, Value]"]

#: Operations that are nothing but a ufunc of one output.
WHOLE_UFUNCS: dict[Op, np.ufunc] = {}
_rules: dict[Op, Rule] = {}
_outputs: dict[Op, int] = {}
_resolved: dict[object, Resolved] = {}


def from_ufunc(ufunc: np.ufunc, output: int = 0) -> Callable[..., Array]:
    """Return the reference semantics of one output of a ufunc."""

    def evaluate(node: Node, *arrays: Array) -> Array:
        result = ufunc(*arrays)
        return np.asarray(result[output] if ufunc.nout > 1 else result)

    return evaluate


def elementwise(
    name: str,
    ufunc: np.ufunc | None = None,
    *,
    expand: Expand | None = None,
    of_complex: OfComplex | None = None,
    of_half: Expand | None = None,
    cost: int = 1,
    commutative: bool = False,
    associative: bool = False,
    converts: bool = False,
    faults: Faults | None = None,
    complex_faults: Faults | None = None,
    raises_no_flag: bool = False,
    approximate: bool = False,
    is_select: bool = False,
    operator_varies: bool = False,
    evaluate: Callable[..., Array] | None = None,
    rule: Rule | None = None,
    output: int = 0,
    nonnegative: bool = False,
    code_size: int | None = None,
) -> Op:
    """Return one row of the table.

    Parameters
    ----------
    name : str
        The public name; NumPy's where NumPy has one.
    ufunc : numpy.ufunc, optional
        Gives the arity, the dtype rule and, unless `evaluate` is given, the semantics.
    expand : callable, optional
        ``expand(builder, *values)``: the scalar code of a kernel; see
        :class:`lazyarr.graph.node.Op`.
        It is never called with complex values.
    of_complex : callable, optional
        The same for complex dtypes: complex values, and a complex result, are a
        :class:`~lazyarr.loop_ir.pair.Pair`.
    of_half : callable, optional
        The same for float16, whose values kernels have as float32.
    cost : int
        Rough cost of one element, in additions.
    commutative, associative : bool
        Algebraic traits, exact for every dtype that the row takes.
    converts : bool
        Whether `expand` takes ``dtype=``, the dtype to give.
    faults : callable, optional
        When NumPy warns of the operation; see :class:`lazyarr.graph.node.Op`.
    complex_faults : callable, optional
        The same for complex dtypes.
    raises_no_flag, approximate, is_select, operator_varies : bool
        See :class:`lazyarr.graph.node.Op`.
    evaluate : callable, optional
        ``evaluate(node, *arrays)``, for rows that are not a ufunc.
    rule : callable, optional
        Dtype rule of rows that are not a ufunc: from operands to loop dtypes and result dtype.
    output : int
        Which output of a ufunc of several.
    nonnegative : bool
        Whether results that are real numbers are never below 0, nor -0.
    code_size : int, optional
        How long its code is; see :class:`lazyarr.graph.node.Op`.

    Returns
    -------
    Op
        The row.
    """
    is_whole = False
    if evaluate is None:
        if ufunc is None:
            raise TypeError(f"{name} needs a ufunc or evaluate")
        evaluate = from_ufunc(ufunc, output)
        is_whole = ufunc.nout == 1
    op = Op(
        name,
        Kind.ELEMENTWISE,
        evaluate,
        ufunc=ufunc,
        expand=_by_operands(expand, of_complex),
        cost=cost,
        commutative=commutative,
        associative=associative,
        converts=converts,
        of_half=of_half,
        faults=_faults_by_operands(faults, complex_faults),
        raises_no_flag=raises_no_flag,
        approximate=approximate,
        is_select=is_select,
        operator_varies=operator_varies,
        nonnegative=nonnegative,
        code_size=code_size,
    )
    if rule is not None:
        _rules[op] = rule
    _outputs[op] = output
    if ufunc is not None and is_whole:
        WHOLE_UFUNCS[op] = ufunc
    return op


def _by_operands(
    expand: Expand | None, of_complex: OfComplex | None
) -> Callable[..., Operand | Pair | None] | None:
    """Return the expansion that real or complex dtypes ask for; None where there is neither."""
    if expand is None and of_complex is None:
        return None

    def chosen(builder: Builder, *values: Operand | Pair, **options: DType) -> Any:
        dtypes = [*(value.dtype for value in values), *options.values()]
        chosen_expand = of_complex if any(kind_of(dtype) == "c" for dtype in dtypes) else expand
        result = None if chosen_expand is None else chosen_expand(builder, *values, **options)
        if isinstance(result, Pair):
            return Pair(*(_named(builder, part) for part in result))
        return None if result is None else _named(builder, result)

    return chosen


def _faults_by_operands(faults: Faults | None, complex_faults: Faults | None) -> Faults | None:
    """Return the conditions that real or complex dtypes ask for; None where there are neither."""
    if complex_faults is None and faults is None:
        return None

    def chosen(
        builder: Builder, result: Operand | Pair, *values: Operand | Pair
    ) -> dict[str, Value]:
        pairs = any(isinstance(value, Pair) for value in (result, *values))
        conditions = complex_faults if pairs else faults
        return {} if conditions is None else conditions(builder, result, *values)

    return chosen


def _named(builder: Builder, value: Operand) -> Operand:
    """Name a literal, and leave a value as it is."""
    return builder.call("convert", value, dtype=value.dtype)


def output_of(op: Op) -> int:
    """Return the index of the output of ``op.ufunc`` that an elementwise op computes."""
    return _outputs[op]


def resolve(
    op: Op,
    operands: tuple[Argument, ...],
    dtype: DType | None = None,
    casting: str = "same_kind",
) -> Resolved:
    """Return the loop dtypes and the result dtype of an elementwise op.

    Parameters
    ----------
    op : Op
        A row of the elementwise table.
    operands : tuple
        For each operand its dtype, or ``int``, ``float`` or ``complex`` for a Python scalar,
        which is weak as NEP 50 says.
    dtype : numpy.dtype, optional
        The result dtype that the user asked for, as in ``np.add(x, y, dtype=...)``.
    casting : str
        How far operands may be cast to reach the loop dtypes; NumPy's names.

    Returns
    -------
    loop : tuple of numpy.dtype
        What each operand has to be cast to.
    result : numpy.dtype
        Of the values that the op gives.

    Raises
    ------
    DTypeError
        The op has no loop for these dtypes, or an operand is of an unsupported dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from lazyarr.ops.elementwise import ELEMENTWISE
    >>> resolve(ELEMENTWISE["divide"], (np.dtype("int16"), int))
    ((dtype('float64'), dtype('float64')), dtype('float64'))
    >>> resolve(ELEMENTWISE["add"], (np.dtype("float32"), float))
    ((dtype('float32'), dtype('float32')), dtype('float32'))
    """
    key = (op, operands, dtype, casting)
    dtypes = _resolved.get(key)
    if dtypes is None:
        dtypes = _resolved[key] = _resolve(op, operands, dtype, casting)
    return dtypes


def _resolve(op: Op, operands: tuple[Argument, ...], dtype: DType | None, casting: str) -> Resolved:
    for operand in operands:
        if isinstance(operand, np.dtype) and not is_supported(operand):
            raise DTypeError(
                f"{op.name} got dtype {operand}, which lazyarr does not support",
                hint="use bool, integers, float16 to float64, bfloat16, complex64 or complex128",
            )
    rule = _rules.get(op)
    try:
        if rule is not None:
            loop, result = rule(operands)
        else:
            loop, result = _resolve_ufunc(op, operands, dtype, casting)
    except TypeError as error:
        names = ", ".join(_name(operand) for operand in operands)
        requested = "" if dtype is None else f" with dtype={dtype.name}"
        reason = "No loop matching the specified signature and casting was found for ufunc "
        reason = str(error) if rule is None else reason + op.name
        raise DTypeError(
            f"{reason}: ({names}){requested}",
            hint="cast the operands with .astype(...) to dtypes that NumPy's function takes",
        ) from error
    if not all(map(is_supported, (*loop, result))):
        raise DTypeError(f"{op.name} would need dtype {result}, which lazyarr does not support")
    return loop, result


def _resolve_ufunc(
    op: Op, operands: tuple[Argument, ...], dtype: DType | None, casting: str
) -> Resolved:
    ufunc = op.ufunc
    if ufunc is None:
        raise TypeError(f"{op.name} has no dtype rule")
    if len(operands) != ufunc.nin:
        raise TypeError(f"{op.name} takes {ufunc.nin} operands")
    narrow = [x for x in operands if isinstance(x, np.dtype) and is_bfloat16(x)]
    if narrow:  # beside which a Python number is as weak as beside other floats
        operands = tuple(narrow[0] if x is int or x is float else x for x in operands)
    options: dict[str, Any] = {"casting": casting}
    if dtype is not None:
        options["signature"] = (None,) * ufunc.nin + (dtype,) * ufunc.nout
    arguments: tuple[Any, ...] = (*operands, *(None,) * ufunc.nout)
    # The stubs know neither weak scalar types nor a runtime casting name.
    resolve_dtypes: Callable[..., tuple[DType, ...]] = ufunc.resolve_dtypes
    dtypes = resolve_dtypes(arguments, **options)
    return dtypes[: ufunc.nin], dtypes[ufunc.nin + _outputs[op]]


def _name(operand: Argument) -> str:
    if isinstance(operand, np.dtype):
        return operand.name
    return f"Python {operand.__name__}"
