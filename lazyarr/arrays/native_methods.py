"""Methods and attributes of arrays in memory that are NumPy's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.immediate import BUILT, CHEAPER, CREATED, REDUCING, WRITTEN, limit
from lazyarr.arrays.native import CODES, compute, operand, wrapped
from lazyarr.arrays.native_calls import Row
from lazyarr.arrays.native_products import product
from lazyarr.core.dtypes import kind_of
from lazyarr.tracing import running

__all__ = [
    "KEYWORDS",
    "REDUCTIONS",
    "attribute",
    "method",
    "named_method",
    "reinterpreted_at_once",
    "times_of",
]


def method(x: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return the result of a method of NumPy's that changes nothing; None if it is to be built.

    Parameters
    ----------
    x : LazyArray
        An array in memory.
    name : str
        Of the method.
    args, keywords : tuple and dict
        Its arguments.
    """
    memory = memory_of(x)
    most = limit()
    if memory is None or not memory.size or not most:
        return None
    if name == "astype" and kind_of(memory.dtype) == "c":
        return None  # NumPy would warn of a line in here that imaginary parts are discarded
    if memory.size > most and not _is_cheap(name, memory, most):
        return None
    kind = type(x)
    values, options = args, keywords
    if args:
        values = operand(args, kind)
    if keywords:
        options = {key: operand(value, kind) for key, value in keywords.items()}
        if any(value is NotImplemented for value in options.values()):
            return None
        if options.get("out") is not None or not KEYWORDS.issuperset(options):
            return None
    if values is NotImplemented:
        return None
    if any([isinstance(v, np.ndarray) for v in values]):  # noqa: C419 - faster
        if not _reads_arrays(name, (memory, *values), most):
            return None  # an array to write to, or a large result
    function = getattr(memory, name, None)
    if function is None:
        return None
    return compute(function, values, options, kind, (x, *args), named_method(name), keywords)


def _is_cheap(name: str, memory: np.ndarray[Any, Any], most: int) -> bool:
    """Return whether NumPy is to call a method of a large array."""
    if name in _RESHAPES:
        return bool(memory.flags.c_contiguous)
    return name in _VIEWS or (name in REDUCTIONS and memory.size <= most * _REDUCED)


def _reads_arrays(name: str, operands: tuple[Any, ...], most: int) -> bool:
    """Return whether a method reads the arrays that it is given, and its result is small.

    Parameters
    ----------
    name : str
        Of the method.
    operands : tuple
        The array and the arguments, NumPy's.
    most : int
        Elements of a small array.
    """
    return name == "searchsorted" or (name == "dot" and product(most, operands, {}))


#: Methods that give views, which cost nothing of any size, and those that do of arrays in C order.
_VIEWS = frozenset(("transpose", "swapaxes", "squeeze"))
_RESHAPES = frozenset(("reshape", "ravel"))
#: Methods that read each element once.
_REDUCED = CHEAPER * REDUCING
REDUCTIONS = frozenset("sum prod max min mean any all argmin argmax".split())

#: Keywords that mean in NumPy's methods what they mean in those of lazy arrays, and need no more.
KEYWORDS = frozenset("axis keepdims dtype order axis1 axis2 offset decimals side kind out".split())


def reinterpreted_at_once(x: Any, dtype: Any) -> Any:
    """Return the bits of an array as another dtype; None if that is to be built.

    Parameters
    ----------
    x : LazyArray
        An array in memory.
    dtype : dtype
        To read the bits as.
    """
    memory = None if running or x._array is None else memory_of(x)
    if memory is None or not limit() or type(memory) is not np.ndarray:
        return None
    try:
        target = np.dtype(dtype)
        value = memory.view(target) if target.char in CODES and target.isnative else None
    except (TypeError, ValueError):
        return None  # the expression says where
    if value is None:
        return None
    return wrapped(value, type(x), (x,), (named_method("view"), (x, dtype), {}))


def attribute(x: Any, name: str) -> Any:
    """Return a view that is an attribute of NumPy's arrays; None if it is to be built.

    Parameters
    ----------
    x : LazyArray
        An array in memory.
    name : str
        Of the attribute.
    """
    memory = memory_of(x)
    if memory is None or not limit():
        return None
    value = getattr(memory, name)
    return wrapped(value, type(x), (x,), (getattr, (x, name), {}))


#: Functions and methods that read each element once and do little with it, or that kernels compute
#: no faster.
_CHEAP = frozenset(
    "where concatenate stack hstack vstack column_stack dstack copy sort argsort nonzero "
    "searchsorted cumsum cumprod arange median".split()
)
#: The same of which Python builds the expression, and whose row does not say so: methods without
#: one, and functions that copy elements.
_BUILT_SLOWLY = frozenset("astype conj flatten ptp round tril triu".split())
#: Functions and methods that give views of arrays in C order, and as many times as many elements as
#: others they run at once on: of any size.
_VIEWING = frozenset(
    "array_split split hsplit vsplit reshape ravel squeeze swapaxes transpose moveaxis rollaxis "
    "expand_dims diagonal atleast_1d atleast_2d real view flip fliplr flipud rot90".split()
)
_OF_ANY_SIZE = 1 << 20
#: Those that read few elements of a large array.
_READING_FEW = frozenset(("trace",))
_REDUCING = REDUCTIONS | frozenset("amin amax".split())
#: Functions that copy arrays side by side, which kernels do no faster.
_JOINING = frozenset("concatenate stack hstack vstack column_stack dstack array".split())
#: Functions that are BLAS's.
_BY_BLAS = frozenset(("inner",))
#: Functions that make arrays which are to be written to, or that are several operations.
_CREATING = frozenset("zeros ones empty full zeros_like ones_like empty_like eye identity".split())


def times_of(name: str, row: Row | None) -> int:
    """Return the factor of the size limit up to which a function is computed immediately.

    Parameters
    ----------
    name : str
        Of the function or method.
    row : Row, optional
        Its row, if it has one.
    """
    if name in _REDUCING:
        return CHEAPER * REDUCING
    if name in _VIEWING:
        return _OF_ANY_SIZE
    if name in _CREATING or name in _JOINING:
        return WRITTEN
    if name in _BY_BLAS or name in _READING_FEW:
        return CREATED
    if name in _CHEAP:
        return CHEAPER
    return BUILT if name in _BUILT_SLOWLY or (row is not None and row.is_slowly_built) else 1


class _Method:
    """A method by its name, to call again on another array."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, x: Any, *args: Any, **keywords: Any) -> Any:
        return getattr(x, self.name)(*args, **keywords)


@functools.cache
def named_method(name: str) -> Callable[..., Any]:
    """Return the function that calls a method of its first argument, for histories of arrays.

    Parameters
    ----------
    name : str
        Of the method, or of the function that is one, such as "_clip_method".
    """
    if name.endswith("_method"):
        name = name.removeprefix("_").removesuffix("_method")
    return _Method(name)
