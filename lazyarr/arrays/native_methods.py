"""NumPy's methods, attributes and products of arrays in memory, computed immediately."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import (
    BUILT,
    CHEAPER,
    CREATED,
    HOSTED,
    REDUCING,
    WRITTEN,
    limit,
)
from lazyarr.arrays.native import CODES, compute, operand, wrapped
from lazyarr.arrays.native_calls import Row
from lazyarr.arrays.needed_values import value_in_memory
from lazyarr.arrays.residence import adopt
from lazyarr.core.config import get_config
from lazyarr.core.donation import DONATED
from lazyarr.core.dtypes import is_bfloat16, kind_of
from lazyarr.graph.node import Kind, Node
from lazyarr.ops.markers import stays_expression
from lazyarr.ops.movement import CONSTANT
from lazyarr.tracing import running, scope

__all__ = [
    "KEYWORDS",
    "REDUCTIONS",
    "attribute",
    "dot_product",
    "matrix_product",
    "method",
    "named_method",
    "product",
    "product_size",
    "reinterpreted_at_once",
    "times_of",
]

Array = np.ndarray[Any, Any]

#: Elements of an expression at most that is computed for a product.
_MOST_COMPUTED = tuning.row().factor_elements
_MOST_SCALED = tuning.row().scaled_elements
_TERMS, _TERMS_APART = tuning.row().terms, tuning.row().terms_apart
_TERMS_MATRIX = tuning.row().terms_matrix
#: Kinds of nodes that are not computed for a product.
_WITHOUT_VALUE = frozenset((Kind.LEAF, Kind.CONSTANT, Kind.VIEW, Kind.MARKER, Kind.WRITE))


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
    sources, shown = (x, *args), (memory, *values)
    return compute(function, values, options, kind, sources, shown, named_method(name), keywords)


def _is_cheap(name: str, memory: Array, most: int) -> bool:
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
    return wrapped(value, type(x), (x,), (memory,), (named_method("view"), (x, dtype), {}))


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
    return wrapped(value, type(x), (x,), (memory,), (getattr, (x, name), {}))


#: Functions and methods that read each element once and do little with it, or that kernels compute
#: no faster.
_CHEAP = frozenset(
    "where concatenate stack hstack vstack column_stack dstack copy sort argsort nonzero "
    "searchsorted cumsum cumprod median".split()
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
#: Those whose expression takes longer to build than the elements. On an EPYC, one thread,
#: ``arange`` of 100,000 takes 40 us, 55 to build; ranks, ``r[order] = arange(n)``, 270 and 420.
_STEPPING = frozenset(("arange",))
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
    if name in _BY_BLAS or name in _READING_FEW or name in _STEPPING:
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


def dot_product(args: tuple[Any, ...], keywords: dict[str, Any], kind: type[Any]) -> Any:
    """Return ``dot(*args, **keywords)`` of matrices and vectors in memory of any size.

    None if an expression is to be built.

    Parameters
    ----------
    args, keywords : tuple and dict
        The arguments.
    kind : type
        The class of lazy arrays.
    """
    if len(args) != 2 or keywords or any(getattr(x, "ndim", 0) not in (1, 2) for x in args):
        return None
    if any(_factor(x, kind) is NotImplemented for x in args):
        return None  # what is multiplied may be computed with the product
    return matrix_product(*args, kind, np.dot)


def matrix_product(
    left: Any, right: Any, kind: type[Any], multiply: Callable[..., Any] = np.matmul
) -> Any:
    """Return ``left @ right`` of arrays in memory; None if an expression is to be built.

    Parameters
    ----------
    left, right : LazyArray or array_like
        The operands.
    kind : type
        The class of lazy arrays.
    multiply : callable
        NumPy's function.
    """
    most = limit()
    if not most:
        return None
    a, b = _factor(left, kind), _factor(right, kind)
    if a is NotImplemented or b is NotImplemented:
        if not _is_small(left, right, most * CREATED):
            return None
        a = _computed(left, kind) if a is NotImplemented else a
        b = _computed(right, kind) if b is NotImplemented else b
    if type(a) is not np.ndarray or type(b) is not np.ndarray:
        return None
    size = product_size(a, b)
    is_large = a.size > most or b.size > most or size > most
    if not 0 <= size <= most * CREATED:
        return None
    if is_large:
        if (a.ndim > 2 or b.ndim > 2) and _has_kernel(a, b, most):
            return None
        # BLAS would compute an expression of it as well, and what is made of it would wait.
        if DONATED:
            return None
        with _limited(get_config().threads):
            return compute(multiply, (a, b), {}, kind, (), (), None)
    return compute(multiply, (a, b), {}, kind, (left, right), (a, b), multiply)


def _has_kernel(a: Array, b: Array, most: int) -> bool:
    """Return whether kernels compute a stack of products sooner than NumPy: those of few terms."""
    if a.ndim < 2 or b.ndim < 2 or a.dtype != b.dtype or a.dtype.char not in "fd":
        return True
    is_apart = b.shape[-1] > 1 and b.strides[-1] != b.itemsize
    if is_apart and b.size > most:
        return False
    terms = _TERMS_APART if is_apart else _TERMS
    elements: int = a.shape[-2] * b.shape[-1]
    return a.shape[-1] <= terms and elements <= _TERMS_MATRIX


def _limited(threads: int | None) -> AbstractContextManager[object]:
    """Limit the threads of BLAS; None: to as many as it has."""
    if not threads:
        return nullcontext()
    # Few programs set a number of threads.
    from lazyarr.runtime.cpu.blas_threads import addresses_of_counters, limited

    if COMPILED is not None:
        COMPILED.install_blas(addresses_of_counters())
    return limited(threads)


def product_size(a: Array, b: Array) -> int:
    """Return the number of elements of a product of arrays; -1 if they have none.

    Parameters
    ----------
    a, b : numpy.ndarray
        The factors, of any number of axes.
    """
    if not a.ndim or not b.ndim:
        return -1
    rows = a.shape[-2] if a.ndim > 1 else 1
    columns = b.shape[-1] if b.ndim > 1 else 1
    if a.ndim < 3 and b.ndim < 3:
        return rows * columns
    try:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        return -1
    return rows * columns * math.prod(stack)


def _factor(value: Any, kind: type[Any]) -> Any:
    """Return an operand of a product as memory of any size; NotImplemented if it has none."""
    if not isinstance(value, kind):
        is_known = type(value) is np.ndarray and value.dtype.char in CODES and value.dtype.isnative
        return value if is_known else NotImplemented
    array: Any = value
    memory = memory_of(array)
    if memory is not None or array._alias is not None:
        return NotImplemented if memory is None else memory
    # Elements that a mask selects are in memory as soon as it is known how many they are.
    attr = (array._current if type(value) is kind else array._node).attr
    is_known = type(attr) in HOSTED and attr.array.dtype.char in CODES
    return attr.array if is_known else NotImplemented


def count_of_truths(value: Any, kind: type[Any]) -> np.int64 | None:
    """Return the number of true elements of an array of truth values in memory; else None.

    NumPy counts them sooner than a kernel, in an array of any size.

    Parameters
    ----------
    value : LazyArray or array_like
        Any argument.
    kind : type
        The class of lazy arrays.
    """
    if type(value) is not kind or running or not limit() or value.dtype != np.bool_:
        return None
    memory = _factor(value, kind)
    return np.int64(np.count_nonzero(memory)) if type(memory) is np.ndarray else None


def _computed(value: Any, kind: type[Any]) -> Any:
    """Return an operand of a product as memory, computed if it is an expression of middle size.

    BLAS is given its values anyway, and what is computed now is computed once, however many
    products it is an operand of.

    Parameters
    ----------
    value : LazyArray or array_like
        The operand, which has no memory.
    kind : type
        The class of lazy arrays.

    Returns
    -------
    numpy.ndarray or NotImplemented
        NotImplemented if it has none.
    """
    if type(value) is not kind:
        return NotImplemented
    array: Any = value
    if adopt(array):
        return memory_of(array)
    owner = array if (alias := array._alias) is None else alias[0]
    root: Node | None = owner._known
    if root is None or root.op.kind in _WITHOUT_VALUE or root.ndim > 2 or is_bfloat16(root.dtype):
        return NotImplemented
    is_scaled = any(source.op is CONSTANT for source in root.src)  # plans scale the product
    if root.size > (_MOST_SCALED if is_scaled else _MOST_COMPUTED):
        return NotImplemented
    if scope() is not None or stays_expression((root,)):
        return NotImplemented
    computed = value_in_memory(owner, "a matrix product")
    memory = memory_of(array) if computed is not None and adopt(array) else None
    return memory if type(memory) is np.ndarray else NotImplemented


def _is_small(left: Any, right: Any, most: int) -> bool:
    """Return whether the product of two matrices or vectors has few elements."""
    shape, other = getattr(left, "shape", ()), getattr(right, "shape", ())
    if not shape or not other or len(shape) > 2 or len(other) > 2:
        return False
    return bool(math.prod(shape[:-1]) * math.prod(other[1:]) <= most)


def product(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether the product of two arrays of one or two axes has few enough elements.

    Parameters
    ----------
    most : int
        Elements of a small array.
    args, keywords : tuple and dict
        The arguments of the product.
    """
    if len(args) != 2:
        return False
    a, b = args
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return False
    return a.ndim <= 2 and b.ndim <= 2 and 0 <= product_size(a, b) <= most
