"""``vectorize``: Python functions of numbers as elementwise operations."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.builders import build
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.core.source_location import origin
from lazyarr.differentiation.markers import Joint, joint
from lazyarr.differentiation.rules import Application, Cotangent, fitted
from lazyarr.errors import ArgumentError, CompileError
from lazyarr.graph.node import Kind, Node, Op, node
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.loop_ir.source import External

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
    """

    def __init__(
        self,
        pyfunc: Callable[..., Any],
        otypes: DType | None,
        derivatives: tuple[Callable[..., Any], ...] = (),
    ) -> None:
        self.pyfunc = pyfunc
        self._derivatives = tuple(map(_of_arrays, derivatives))
        self._otype = otypes
        self._made: dict[object, Op] = {}
        functools.update_wrapper(self, pyfunc)

    def __repr__(self) -> str:
        return f"<Vectorized {_name(self.pyfunc)}>"

    def __call__(self, *args: Any, **keywords: Any) -> LazyArray:
        """Return the function of each element of the arguments, broadcast against each other."""
        if not args and not keywords:
            raise ArgumentError(
                f"{_name(self.pyfunc)} needs at least one argument", origin=origin()
            )
        operands = [as_node(argument) for argument in self._complete(args, keywords)]
        dtypes = tuple(register_dtype(operand.dtype) for operand in operands)
        if any(dtype.kind not in "biuf" or dtype.itemsize > 8 for dtype in dtypes):
            listed = ", ".join(operand.dtype.name for operand in operands)
            raise ArgumentError(
                f"{_name(self.pyfunc)} takes bools, integers and floats, got {listed}",
                origin=origin(),
                hint="pass real and imaginary part separately",
            )
        with build.located():
            shape = broadcast_shapes(*[operand.shape for operand in operands])
        op = self._op(dtypes)
        result = _external(op).result
        made = node(op, tuple(operands), result, shape, None, origin())
        if self._derivatives:
            made = self._differentiable(made, operands)
        return LazyArray(made if self._otype is None else build.cast(made, self._otype))

    def _differentiable(self, value: Node, operands: Sequence[Node]) -> Node:
        """Return the value with the partial derivatives that the user gives."""
        if len(self._derivatives) != len(operands):
            raise ArgumentError(
                f"{_name(self.pyfunc)} takes {len(operands)} arguments, but has "
                f"{len(self._derivatives)} derivatives",
                origin=origin(),
                hint="give one for each argument, in their order",
            )
        (marked,) = joint((value,), operands, Joint(self._vjp, 1))
        return marked

    def _vjp(self, at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
        (cotangent,) = cotangents
        operands = at.operands[1:]
        return [
            fitted(cotangent * derivative(*operands), source._node)
            if cotangent is not None and needed
            else None
            for derivative, source, needed in zip(
                self._derivatives, operands, at.needed[1:], strict=True
            )
        ]

    def _complete(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
        """Return all arguments by position, defaults too: the compiled function has neither."""
        try:
            bound = inspect.signature(self.pyfunc).bind(*args, **keywords)
        except TypeError as error:
            raise ArgumentError(f"{_name(self.pyfunc)}: {error}", origin=origin()) from None
        parameters = inspect.signature(self.pyfunc).parameters.values()
        for parameter in parameters:
            if parameter.kind not in (
                parameter.POSITIONAL_ONLY,
                parameter.POSITIONAL_OR_KEYWORD,
            ):
                raise ArgumentError(
                    f"{_name(self.pyfunc)} takes {parameter}, which vectorize does not compile",
                    origin=origin(),
                    hint="use a function of as many numbers as it is called with, by position",
                )
        bound.apply_defaults()
        return bound.args

    def _op(self, dtypes: tuple[DType, ...]) -> Op:
        """Return the operation for arguments of some dtypes, compiled now if it is new."""
        key = (dtypes, _captured(self.pyfunc))
        found = self._made.get(key)
        if found is None:
            from lazyarr.runtime.cpu.scalar_udf import compile_scalar

            try:
                external = compile_scalar(self.pyfunc, dtypes)
            except CompileError as error:
                error.add_note(_called_at())
                raise
            found = _ops.get(external)
            if found is None:
                found = _ops.setdefault(external, _make(external, self.pyfunc))
            self._made[key] = found
        return found


def vectorize(
    pyfunc: Callable[..., Any] | None = None,
    /,
    *,
    otypes: Any = None,
    signature: Any = None,
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
        Dtype of the result; default: what Numba finds the function to return.
    signature : None
        Accepted for NumPy's sake; functions of whole arrays are not supported.
    derivatives : callable or sequence of callable, optional
        For each argument the partial derivative, a function of the same numbers. To be
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
    ...     turns = 0
    ...     while n > 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         turns += 1
    ...     return turns
    >>> collatz(la.arange(1, 8)).compute()
    array([ 0,  1,  7,  2,  5,  8, 16])
    """
    if signature is not None:
        raise ArgumentError(
            "vectorize takes functions of numbers; signature= must be None",
            origin=origin(),
            hint="write functions of whole arrays with lazyarr's own functions",
        )
    if isinstance(otypes, (list, tuple, str)) and len(otypes) != 1:
        raise ArgumentError(f"one dtype is needed, got otypes={otypes!r}", origin=origin())
    given = (derivatives,) if callable(derivatives) else tuple(derivatives)
    if not all(map(callable, given)):
        raise ArgumentError("derivatives= takes functions", origin=origin())
    wanted = None
    if otypes is not None:
        wanted = build.as_dtype(otypes[0] if isinstance(otypes, (list, tuple)) else otypes)

    def make(function: Callable[..., Any]) -> Vectorized:
        if not callable(function):
            raise ArgumentError(
                f"vectorize takes a function, got {type(function).__name__}", origin=origin()
            )
        # A function that Numba compiled already holds the Python function.
        return Vectorized(getattr(function, "py_func", function), wanted, given)

    return make if pyfunc is None else make(pyfunc)


def _of_arrays(function: Callable[..., Any]) -> Vectorized:
    """Return a derivative as a function of arrays."""
    if isinstance(function, Vectorized):
        return function
    return Vectorized(getattr(function, "py_func", function), None)


def _make(external: External, function: Callable[..., Any]) -> Op:
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
        host_code=True,
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
        from lazyarr.runtime.cpu.scalar_udf import runner

        return runner(function, len(external.arguments))

    def evaluate(node: Node, *arrays: Array) -> Array:
        out = np.empty(node.shape, external.result)
        given = [
            np.ascontiguousarray(np.broadcast_to(array, node.shape), dtype).reshape(-1)
            for array, dtype in zip(arrays, external.arguments, strict=True)
        ]
        run()(out.reshape(-1), *given)
        return out

    return evaluate


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _called_at() -> str:
    where = origin()
    return "" if where is None else f"called at {where[0]}:{where[1]}"


class _Same:
    """An object that equals itself alone, and stays alive."""

    __slots__ = ("held",)

    def __init__(self, held: object) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.held is self.held

    def __hash__(self) -> int:
        return id(self.held)


def _captured(function: Callable[..., Any]) -> tuple[object, ...]:
    """Return what a function's code would be compiled from: bytecode, closure and globals."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        raise ArgumentError(
            f"vectorize takes Python functions, got {type(function).__name__}", origin=origin()
        )
    found: list[object] = [code]
    for cell in getattr(function, "__closure__", None) or ():
        try:
            found.append(_key(cell.cell_contents))
        except ValueError:  # not bound yet
            found.append(None)
    held = getattr(function, "__globals__", {})
    found += [(name, _key(held[name])) for name in _names(code) if name in held]
    found.append(_key(getattr(function, "__defaults__", None)))
    return tuple(found)


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
