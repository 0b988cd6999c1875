"""``vectorize``: Python functions of numbers as elementwise operations."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from types import CodeType
from typing import Any

import numpy as np

from lazyarr.arrays.copies import empty_in_order
from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.core.source_location import origin
from lazyarr.differentiation.markers import GroupRule, with_rule
from lazyarr.differentiation.rules import Application, Cotangent, fitted
from lazyarr.errors import ArgumentError, CompileError, UnsupportedDTypeError
from lazyarr.execution.fp_errors.policy import element_error
from lazyarr.function_transforms.numpy_vectorize import called_by_numpy
from lazyarr.graph.node import Kind, Node, Op, node
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.loop_ir.source import External
from lazyarr.runtime.available_memory import require_for_numba
from lazyarr.runtime.cpu.delayed_interrupts import delayed_interrupts
from lazyarr.tracing.pytree import NUMBERS

__all__ = ["Vectorized", "vectorize"]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]

#: Arithmetic (in additions) that a call is taken for: what it does is not known.
COST = 20

_ops: weakref.WeakValueDictionary[External, Op] = weakref.WeakValueDictionary()
_NUMBERS = (bool, int, float, complex, str, bytes, type(None))


class Vectorized:
    """A Python function of numbers that takes arrays; :func:`vectorize` makes one.

    Attributes
    ----------
    pyfunc : callable
        The function itself.
    excluded : frozenset of (int or str)
        Positions and names of arguments that are no arrays.
    """

    def __init__(
        self,
        pyfunc: Callable[..., Any],
        otypes: DType | None,
        derivatives: tuple[Callable[..., Any], ...] = (),
        excluded: frozenset[int | str] = frozenset(),
    ) -> None:
        self.pyfunc = pyfunc
        self.excluded = excluded
        self._derivatives = derivatives
        self._otype = otypes
        self._operations: dict[object, Op] = {}
        self._dtypes: dict[object, DType] = {}
        functools.update_wrapper(self, pyfunc)

    def __repr__(self) -> str:
        return f"<Vectorized {_name(self.pyfunc)}>"

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Return the function of each element of the arguments, broadcast against each other.

        Without an argument that is an array this is what the function returns, as in NumPy.
        """
        if not args and not keywords:
            return self.pyfunc()
        arguments, fixed = self._complete(args, keywords)
        if len(fixed) == len(arguments):
            return self.pyfunc(*arguments)
        operands = [as_node(x) for k, x in enumerate(arguments) if k not in fixed]
        dtypes = tuple(register_dtype(operand.dtype) for operand in operands)
        if any(kind_of(dtype) not in "biuf" or dtype.itemsize > 8 for dtype in dtypes):
            listed = ", ".join(operand.dtype.name for operand in operands)
            raise ArgumentError(
                f"{_name(self.pyfunc)} takes bools, integers and floats, got {listed}",
                origin=origin(),
                hint="pass real and imaginary part separately",
            )
        with build.located():
            shape = broadcast_shapes(*[operand.shape for operand in operands])
        op = self._op(dtypes, fixed)
        result = _external(op).result
        value = node(op, tuple(operands), result, shape, None, origin())
        if self._derivatives:
            value = self._differentiable(value, operands, fixed)
        dtype = self._otype
        if dtype is None:
            dtype = self._narrowed(tuple(operand.dtype for operand in operands), fixed, result)
        return LazyArray(build.cast(value, dtype))

    def _narrowed(
        self, dtypes: tuple[DType, ...], fixed: Mapping[int, object], result: DType
    ) -> DType:
        """Return the dtype of the result in NumPy, whose small numbers stay small.

        Compiled code is wider where a number of Python's or of 16 bits takes part, and computes in
        int64 where a signed number takes part beside one of uint64.
        """
        from lazyarr.runtime.cpu.udf_halves import casts_to_half  # most processes have no function

        is_signed = result == np.dtype(np.int64) and np.dtype(np.uint64) in dtypes
        is_wide = result.itemsize > max(dtype.itemsize for dtype in dtypes)
        if not (is_signed or is_wide or casts_to_half(self.pyfunc)):
            return result
        values = tuple((k, _key(value)) for k, value in fixed.items())
        key = (dtypes, values, _captured(self.pyfunc))
        if key not in self._dtypes:
            ones = _with_fixed([dtype.type(1) for dtype in dtypes], fixed)
            try:
                with np.errstate(all="ignore"):
                    sample = self.pyfunc(*ones)
            except Exception:  # noqa: BLE001 - whatever a function of the user's has against ones
                sample = None
            kinds = np.floating if kind_of(result) == "f" else (np.integer, np.bool_)
            is_known = isinstance(sample, np.uint64 if is_signed else kinds)
            self._dtypes[key] = sample.dtype if is_known else result
        return self._dtypes[key]

    def _differentiable(
        self, value: Node, operands: Sequence[Node], fixed: Mapping[int, object]
    ) -> Node:
        """Return the value with the partial derivatives that the user gives."""
        if len(self._derivatives) != len(operands):
            raise ArgumentError(
                f"{_name(self.pyfunc)} takes {len(operands)} arguments, but has "
                f"{len(self._derivatives)} derivatives",
                origin=origin(),
                hint="pass one for each argument, in order",
            )
        derivatives = [_of_arrays(function, fixed) for function in self._derivatives]

        def vjp(at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
            (cotangent,) = cotangents
            arguments = _with_fixed(at.operands[1:], fixed)
            return [
                fitted(cotangent * derivative(*arguments), source._node)
                if cotangent is not None and needed
                else None
                for derivative, source, needed in zip(
                    derivatives, at.operands[1:], at.needed[1:], strict=True
                )
            ]

        (marked,) = with_rule((value,), operands, GroupRule(vjp, 1))
        return marked

    def _complete(
        self, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[int, object]]:
        """Return all arguments by position, defaults too, and those that are excluded.

        The compiled function has neither names nor defaults. As in NumPy a number excludes what
        is passed by position, and a name what is passed by name.
        """
        signature = inspect.signature(self.pyfunc)
        try:
            bound = signature.bind(*args, **keywords)
        except TypeError as error:
            raise ArgumentError(f"{_name(self.pyfunc)}: {error}", origin=origin()) from None
        for parameter in signature.parameters.values():
            if parameter.kind not in (
                parameter.POSITIONAL_ONLY,
                parameter.POSITIONAL_OR_KEYWORD,
            ):
                raise ArgumentError(
                    f"{_name(self.pyfunc)} has a parameter {parameter}, which vectorize does not "
                    "support",
                    origin=origin(),
                    hint="use only positional parameters, one for each argument",
                )
        passed = set(bound.arguments)
        bound.apply_defaults()
        fixed: dict[int, object] = {}
        for k, (name, value) in enumerate(bound.arguments.items()):
            if name not in passed:
                excluded = bool({k, name} & self.excluded) or type(value) not in NUMBERS
            else:
                excluded = (k if k < len(args) else name) in self.excluded
            if excluded:
                fixed[k] = _constant(value)
        return bound.args, fixed

    def _op(self, dtypes: tuple[DType, ...], fixed: Mapping[int, object]) -> Op:
        """Return the operation for arguments of some dtypes, compiled now if it is new."""
        values = tuple((k, _key(value)) for k, value in fixed.items())
        key = (dtypes, values, _captured(self.pyfunc))
        op = self._operations.get(key)
        if op is None:
            require_for_numba()
            try:
                # Numba cannot be imported again after an import that was interrupted.
                with delayed_interrupts():
                    external, function = _compiled(self.pyfunc, dtypes, fixed)
            except CompileError as error:
                error.add_note(_called_at())
                raise
            op = _ops.get(external)
            if op is None:
                op = _ops.setdefault(external, _operation(external, function))
            self._operations[key] = op
        return op


def _compiled(
    function: Callable[..., Any], dtypes: tuple[DType, ...], fixed: Mapping[int, object]
) -> tuple[External, Callable[..., Any]]:
    """Return the compiled form of a function of numbers, and it with its constants."""
    from lazyarr.runtime.cpu.scalar_udf import compile_scalar, with_constants
    from lazyarr.runtime.cpu.udf_halves import casts_to_half, with_halves

    if casts_to_half(function):
        function = with_halves(function)
    if fixed:
        function = with_constants(function, fixed, len(dtypes))
    return compile_scalar(function, dtypes), function


def vectorize(
    pyfunc: Callable[..., Any] | None = None,
    otypes: Any = None,
    doc: str | None = None,
    excluded: Collection[int | str] | None = None,
    cache: bool = False,
    signature: Any = None,
    *,
    derivatives: Callable[..., Any] | Sequence[Callable[..., Any]] = (),
) -> Any:
    """Return a Python function of numbers as a function of arrays.

    The function may branch and loop. Numba compiles it for the dtypes it is called with, and its
    code becomes part of the kernel that computes what is around it: no call is left, and where its
    control flow allows, it runs on vectors. It has to be pure: what it returns depends on its
    arguments, and on globals and closures that do not change while the function is in use.
    Division by zero gives inf or nan. On a GPU it is a step on the host.

    Parameters
    ----------
    pyfunc : callable, optional
        Takes numbers and returns one. Without it a decorator is returned.
    otypes : dtype or sequence of one dtype, optional
        Dtype of the result; default: what Numba finds the function to return. Where it is that of
        texts, objects and the like, ``numpy.vectorize`` calls the function at once.
    doc : str, optional
        The docstring of the result; default: that of `pyfunc`.
    excluded : collection of (int or str), optional
        Positions and names of arguments that are passed on as they are, to every element, when
        they are passed by position or by name: numbers, texts, arrays, and tuples and lists of
        numbers, which the function sees as tuples. They become part of the code, which is
        compiled for each of their values.
    cache : bool, optional
        Accepted for NumPy's sake; compiled code is always kept.
    signature : str, optional
        Core axes of arguments and results, as in "(n),(n)->()". The function then takes whole
        arrays: it is not compiled, and ``numpy.vectorize`` calls it at once.
    derivatives : callable or sequence of callable, optional
        For each argument that is not excluded the partial derivative, a function of the same
        arguments. To be
        differentiated twice they have derivatives of their own: results of `vectorize`.

    Returns
    -------
    Vectorized
        Called with array_likes, it gives a LazyArray of their broadcast shape.

    Raises
    ------
    CompileError
        When called with dtypes for which Numba cannot compile the function.
    FunctionError
        On evaluation, if the function raises an exception for any element, or indexes an array
        that it reads outside of its bounds.

    Examples
    --------
    >>> import lazyarr as la
    >>> @la.vectorize
    ... def collatz(n):
    ...     iterations = 0
    ...     while n > 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         iterations += 1
    ...     return iterations
    >>> collatz(la.arange(1, 8)).compute()
    array([ 0,  1,  7,  2,  5,  8, 16])
    """
    if signature is not None:
        return called_by_numpy(pyfunc, otypes, doc, excluded, signature)
    if isinstance(otypes, (list, tuple, str)) and len(otypes) != 1:
        raise ArgumentError(f"one dtype is needed, got otypes={otypes!r}", origin=origin())
    partials = (derivatives,) if callable(derivatives) else tuple(derivatives)
    if not all(map(callable, partials)):
        raise ArgumentError("derivatives= must be functions", origin=origin())
    places = frozenset(excluded or ())
    if not all(isinstance(place, (int, str)) for place in places):
        raise ArgumentError(
            "excluded= must contain positions and names of arguments", origin=origin()
        )
    dtype = None
    if otypes is not None:
        try:
            dtype = build.as_dtype(otypes[0] if isinstance(otypes, (list, tuple)) else otypes)
        except UnsupportedDTypeError:
            return called_by_numpy(pyfunc, otypes, doc, excluded, None)

    def vectorized(function: Callable[..., Any]) -> Vectorized:
        if not callable(function):
            raise ArgumentError(
                f"vectorize takes a function, got {type(function).__name__}", origin=origin()
            )
        # A function that Numba compiled already holds the Python function.
        python = getattr(function, "py_func", function)
        result = Vectorized(python, dtype, partials, places)
        if doc is not None:
            result.__doc__ = doc
        return result

    return vectorized if pyfunc is None else vectorized(pyfunc)


def _of_arrays(function: Callable[..., Any], fixed: Mapping[int, object]) -> Vectorized:
    """Return a derivative as a function of arrays and of the arguments that are excluded."""
    if isinstance(function, Vectorized):
        return function
    return Vectorized(getattr(function, "py_func", function), None, (), frozenset(fixed))


def _with_fixed(operands: Sequence[LazyArray], fixed: Mapping[int, object]) -> list[object]:
    """Return all arguments of a call, of those that are not excluded and those that are."""
    rest = iter(operands)
    count = len(operands) + len(fixed)
    return [fixed[k] if k in fixed else next(rest) for k in range(count)]


def _constant(value: Any) -> object:
    """Return an excluded argument in the form in which it becomes part of the code.

    Raises
    ------
    ArgumentError
        If compiled code cannot hold it.
    """
    if isinstance(value, LazyArray):
        value = np.asarray(value)
    if isinstance(value, (list, tuple)):
        items = tuple(map(_constant, value))
        kinds = set(map(type, items))
        # Compiled code goes through tuples of one type.
        if len(kinds) > 1 and kinds <= {bool, int, float}:
            kind: Any = float if float in kinds else int
            return tuple(map(kind, items))
        return items
    known = isinstance(value, (*_NUMBERS, np.generic, np.ndarray)) or callable(value)
    if not known or (isinstance(value, np.ndarray) and kind_of(value.dtype) not in "biufc"):
        raise ArgumentError(
            f"an excluded argument is of type {type(value).__name__}, which compiled code cannot "
            "use",
            origin=origin(),
            hint="pass numbers, strings, arrays or tuples of these",
        )
    return value


def _operation(external: External, function: Callable[..., Any]) -> Op:
    def expand(builder: Any, *values: Any) -> Any:
        return builder.external(external, *values)

    def raises(builder: Any, *values: Any) -> Any:
        return builder.external(external, *values, raised=True)

    op = Op(
        _name(function),
        Kind.ELEMENTWISE,
        _evaluator(function, external),
        expand=expand,
        cost=COST,
        raises=raises if external.may_raise else None,
        cpu_only=True,
    )
    _externals[op] = external
    return op


_externals: weakref.WeakKeyDictionary[Op, External] = weakref.WeakKeyDictionary()


def _external(op: Op) -> External:
    return _externals[op]


def _evaluator(function: Callable[..., Any], external: External) -> Callable[..., Array]:
    """Return the reference semantics: the function of one element after another."""

    @functools.cache
    def run() -> Callable[..., None]:
        require_for_numba()
        with delayed_interrupts():
            from lazyarr.runtime.cpu.scalar_udf import runner

            return runner(function, len(external.arguments))

    def evaluate(node: Node, *arrays: Array) -> Array:
        out = empty_in_order(arrays, node.shape, external.result)
        axes = sorted(range(out.ndim), key=lambda axis: -out.strides[axis])
        flat = [
            np.ascontiguousarray(np.broadcast_to(array, node.shape).transpose(axes), dtype).reshape(
                -1
            )
            for array, dtype in zip(arrays, external.arguments, strict=True)
        ]
        loop = run()
        try:
            loop(out.transpose(axes).reshape(-1), *flat)
        except Exception as error:
            raise element_error(node.op) from error
        return out

    return evaluate


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _called_at() -> str:
    where = origin()
    return "" if where is None else f"called at {where[0]}:{where[1]}"


class _Same:
    """An object that equals itself alone, and stays alive."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def _captured(function: Callable[..., Any]) -> tuple[object, ...]:
    """Return the inputs of a function's compilation: bytecode, closure and globals."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        raise ArgumentError(
            f"vectorize takes Python functions, got {type(function).__name__}", origin=origin()
        )
    inputs: list[object] = [code]
    for cell in getattr(function, "__closure__", None) or ():
        try:
            inputs.append(_key(cell.cell_contents))
        except ValueError:  # not bound yet
            inputs.append(None)
    space = getattr(function, "__globals__", {})
    inputs += [(name, _key(space[name])) for name in _names(code) if name in space]
    inputs.append(_key(getattr(function, "__defaults__", None)))
    return tuple(inputs)


def _names(code: CodeType) -> Sequence[str]:
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= dict.fromkeys(_names(constant))
    return tuple(names)


def _key(value: object) -> object:
    if type(value) in _NUMBERS:
        return type(value), repr(value)
    if isinstance(value, (np.generic, np.ndarray)) and value.dtype != object:
        # Numba copies what an array holds into the code.
        return type(value), value.dtype, np.shape(value), value.tobytes()
    if type(value) is tuple:
        return tuple(_key(item) for item in value)
    return _Same(value)
