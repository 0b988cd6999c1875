"""What functions share: out=, where=, dtype=, and calls of library functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, as_node, asarray, wrap
from lazyarr.builders import build
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.graph.node import Early, Node, Op, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY, Call, freeze, library_function, packed_starts
from lazyarr.ops.markers import is_differentiated
from lazyarr.tracing import refuse_value, running

__all__ = [
    "NO_LAZY_FORM",
    "accumulation_dtype",
    "call_library",
    "call_ufunc",
    "compute_now",
    "deliver",
    "library_node",
    "output_dtype",
    "packed",
    "reduce_into",
    "tiny",
    "ufunc_options",
]

_ORDERS = frozenset("CFAKcfak")
NO_LAZY_FORM = "it has no lazy form"

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
Shape = tuple[int, ...]


def deliver(result: LazyArray, out: Any, casting: str = "same_kind") -> Any:
    """Return `result`, or `out` after it took the value on; see :func:`deliver_all`."""
    if out is None or (isinstance(out, tuple) and out == (None,)):
        return result
    outs = out if isinstance(out, tuple) else (out,)
    return deliver_all((result,), outs, casting)[0]


def reduce_into(result: LazyArray, out: Any, name: str, casting: str = "unsafe") -> Any:
    """Return `result`, or `out`, of exactly its shape, after it took the value on.

    NumPy's reductions do not broadcast to their output, and cast to it however narrow it is.
    """
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if target is None:
        return result
    if isinstance(target, (LazyArray, np.ndarray)) and target.shape != result.shape:
        if target.ndim != result.ndim:
            raise ShapeError(
                f"output parameter for reduction operation {name} has the wrong number of "
                f"dimensions: Found {target.ndim} but expected {result.ndim}",
                origin=origin(),
            )
        raise ShapeError(
            f"output parameter for reduction operation {name} has the wrong shape: Found "
            f"{target.shape} but expected {result.shape}",
            origin=origin(),
        )
    return deliver(result, target, casting)


def accumulation_dtype(x: Node, dtype: Any, out: Any) -> Any:
    """Return the dtype that ``dtype=`` and ``out=`` ask for; None for NumPy's default."""
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if dtype is None and isinstance(target, (LazyArray, np.ndarray)):
        return np.result_type(target.dtype, x.dtype)
    return dtype


def deliver_all(
    results: tuple[LazyArray, ...], outs: tuple[Any, ...], casting: str = "same_kind"
) -> tuple[Any, ...]:
    """Put results into outputs.

    A LazyArray takes the value on, and all that share its elements with it; an ndarray is evaluated
    into at once. Results are broadcast to an output's shape and cast to its dtype under `casting`.
    """
    if len(outs) != len(results):
        raise ArgumentError(f"got {len(outs)} outputs for {len(results)}", origin=origin())
    targets: list[tuple[Node, Array]] = []
    delivered: list[Any] = []
    for result, out in zip(results, outs, strict=True):
        if out is None:
            delivered.append(result)
            continue
        delivered.append(out)
        if not isinstance(out, (LazyArray, np.ndarray)):
            raise ArgumentError(f"out= must be an array, got {type(out).__name__}", origin=origin())
        build.check_cast(result.dtype, out.dtype, casting)
        if len(result.shape) > len(out.shape) or any(
            a not in (1, b)
            for a, b in zip(reversed(result.shape), reversed(out.shape), strict=False)
        ):
            raise ShapeError(
                f"out= of shape {out.shape} cannot hold a result of shape {result.shape}",
                origin=origin(),
            )
        value = build.cast(as_node(result), build.as_dtype(out.dtype))
        value = build.broadcast_to(value, out.shape)
        if isinstance(out, LazyArray):
            out._become(value)
        else:
            if not out.flags.writeable:
                raise ArgumentError("out= is read-only", origin=origin())
            targets.append((value, out))
    if targets:
        from lazyarr.compiler import pipeline

        if running:
            for value, _ in targets:
                refuse_value(value, "out= with an ndarray")
        pipeline.evaluate(tuple(value for value, _ in targets), tuple(out for _, out in targets))
    return tuple(delivered)


def call_ufunc(
    ops: tuple[Op, ...],
    operands: tuple[Any, ...],
    *,
    out: Any = None,
    where: Any = True,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Return what a ufunc call gives: one array, or a tuple of one an output."""
    wanted = None if dtype is None else build.as_dtype(dtype)
    if where is not True:
        operands = tuple(_chosen(operand, where) for operand in operands)
    results = tuple([apply(op, operands, wanted, casting) for op in ops])
    outs: tuple[Any, ...]
    if out is None:
        outs = (None,) * len(results)
    else:
        outs = out if isinstance(out, tuple) else (out,)
    if where is not True:
        # Where the mask is false NumPy leaves what was in the output; without one, zero.
        results = tuple(
            apply(
                ELEMENTWISE["where"],
                (where, result, 0 if target is None else target),
            )
            for result, target in zip(results, outs, strict=True)
        )
    if out is not None:
        delivered = deliver_all(results, outs, casting)
        return delivered[0] if len(delivered) == 1 else delivered
    return results[0] if len(results) == 1 else results


def ufunc_options(name: str, keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of a ufunc that :func:`call_ufunc` takes; the others have no effect.

    Raises
    ------
    TypeError
        If there is no such keyword.
    ArgumentError
        If ``order=`` is no order.
    """
    options = dict(keywords)
    order = options.pop("order", None)
    if order is not None and order not in _ORDERS:
        raise ArgumentError(
            f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})", origin=origin()
        )
    options.pop("subok", None)
    signature = options.pop("signature", None)
    if signature is not None:
        options["dtype"] = signature
    for key in options:
        if key not in ("out", "where", "dtype", "casting"):
            raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")
    return options


def output_dtype(signature: Any, ufunc: np.ufunc) -> Any:
    """Return the dtype of the result that a ufunc's ``signature=`` asks for."""
    if isinstance(signature, str):
        inputs, arrow, outputs = signature.partition("->")
        if not arrow:
            return np.dtype(signature)
        if len(inputs) != ufunc.nin or len(outputs) != ufunc.nout:
            raise ArgumentError(
                f"a type-string for {ufunc.__name__} requires {ufunc.nin} typecode(s) before and "
                f"{ufunc.nout} after the -> sign",
                origin=origin(),
            )
        return np.dtype(outputs[0])
    return signature[-1] if isinstance(signature, tuple) else signature


def _chosen(operand: Any, where: Any) -> Any:
    """Return an operand, of which only the elements that a mask chooses may cause warnings."""
    if not isinstance(operand, (LazyArray, np.ndarray)):
        return operand
    return wrap(build.selected(as_node(operand), as_node(where)))


def library_node(
    op: Op,
    args: Iterable[Any],
    keywords: dict[str, Any],
    shape: Shape,
    dtype: DType,
    outputs: tuple[tuple[Shape, DType], ...] = (),
) -> Node:
    """Return a library node; array arguments become its sources, the rest its attribute."""
    sources: list[Node] = []

    def slot(value: Any) -> int | None:
        if isinstance(value, Node):
            sources.append(value)
        elif isinstance(value, (LazyArray, np.ndarray)):
            sources.append(as_node(value))
        else:
            return None
        return len(sources) - 1

    frozen = tuple(freeze(argument, slot) for argument in args)
    named = tuple((key, freeze(value, slot)) for key, value in keywords.items())
    return node(op, tuple(sources), dtype, shape, Call(frozen, named, outputs), origin())


def call_library(
    name: str,
    function: Callable[..., Any],
    args: Iterable[Any],
    shape: Shape,
    dtype: Any,
    **keywords: Any,
) -> LazyArray:
    """Return a lazy call of a NumPy or SciPy function whose result is known beforehand."""
    op = library_function(name, function)
    return wrap(library_node(op, args, keywords, shape, build.as_dtype(dtype)))


def packed(
    function: Callable[..., Any],
    args: Iterable[Any],
    outputs: list[tuple[Shape, DType]],
    **keywords: Any,
) -> tuple[LazyArray, ...]:
    """Return the lazy outputs of a library function of several, called once for all of them."""
    sizes = [int(np.prod(shape, dtype=np.int64)) * dtype.itemsize for shape, dtype in outputs]
    starts, total = packed_starts(sizes)
    whole = library_node(
        LIBRARY["pack"], (function, *args), keywords, (total,), np.dtype(np.uint8), tuple(outputs)
    )
    return tuple(
        wrap(library_node(LIBRARY["unpack"], (whole, start, shape, dtype), {}, shape, dtype))
        for start, (shape, dtype) in zip(starts, outputs, strict=True)
    )


def compute_now(
    function: Callable[..., Any], args: Any, keywords: Any, reason: str = NO_LAZY_FORM
) -> Any:
    """Evaluate the arguments, call NumPy, and wrap the arrays that come back.

    What comes back remembers that it was computed while the expression was built, and for which
    `reason`; ``explain`` lists it.
    """
    module = getattr(function, "__module__", None) or "numpy"
    name = f"{module}.{getattr(function, '__name__', repr(function))}"
    taken = 0
    given_nodes: list[Node] = []

    def concrete(value: Any) -> Any:
        nonlocal taken
        if isinstance(value, LazyArray):
            given_nodes.append(value._node)
            array = value._value(name, reason)
            taken += array.nbytes
            # It may be the user's: what writes into it is refused.
            array = array.view()
            array.flags.writeable = False
            return array
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(concrete(item) for item in value)
        if type(value) is dict:
            return {key: concrete(item) for key, item in value.items()}
        return value

    count = 0

    def wrapped(value: Any) -> Any:
        nonlocal count
        if isinstance(value, np.ndarray) and type(value) is np.ndarray:
            if value.dtype not in build.SUPPORTED:
                return value
            leaf = build.leaf(value, Early(name, reason, taken))
            if is_differentiated(given_nodes):
                # So that its derivative is known, or refused, and not silently zero.
                leaf = build.derived(leaf, tuple(given_nodes), f"{name}[{count}]")
            count += 1
            return wrap(leaf)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(wrapped, value))
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(map(wrapped, value))
        return value

    out = keywords.get("out")
    given = {key: value for key, value in keywords.items() if key != "out"}
    result = wrapped(function(*concrete(tuple(args)), **concrete(given)))
    return result if out is None else deliver(asarray(result), out)


def tiny(dtype: DType, *shape: int) -> Array:
    """Return a small array to learn a function's result dtype from: ones, or an identity."""
    if len(shape) == 2 and shape[0] == shape[1]:
        return np.eye(shape[0], dtype=dtype)
    return np.ones(shape, dtype)
