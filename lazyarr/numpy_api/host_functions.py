"""Functions computed immediately on the host: files, texts, iterators."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.immediate import CREATED, WRITTEN, limit, small_leaf
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, asarray, wrap
from lazyarr.arrays.native import new_array
from lazyarr.arrays.prototype_argument import with_like
from lazyarr.builders import build
from lazyarr.core.dtypes import is_supported, kind_of
from lazyarr.core.source_location import called_at, origin
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.numpy_api.creation import as_shape
from lazyarr.numpy_api.flatiter import Flat
from lazyarr.numpy_api.library_calls import compute_now
from lazyarr.numpy_api.ranges import indices
from lazyarr.numpy_api.selection import nonzero
from lazyarr.numpy_api.ufunc import unary
from lazyarr.numpy_api.ufunc_methods import METHODS
from lazyarr.numpy_api.view_making import is_fortran

__all__ = [
    "FUNCTIONS",
    "asarray_chkfinite",
    "broadcast",
    "common_type",
    "fromfunction",
    "frompyfunc",
    "iscomplexobj",
    "isfortran",
    "isnat",
    "isrealobj",
    "load",
    "mask_indices",
    "require",
]

_READERS = "frombuffer fromfile fromiter fromregex fromstring genfromtxt loadtxt".split()


def _read(array: np.ndarray[Any, Any]) -> Any:
    """Return the array of what was read: in memory, if that is its own and not large."""
    if not is_supported(array.dtype):
        return array
    is_locked = not array.flags.writeable  # the bytes of an immutable object, which nobody changes
    if (
        is_locked
        and 0 < array.size <= limit() * WRITTEN
        and array.dtype is np.dtype(array.dtype.char)
    ):
        locked = new_array(LazyArray, array, None, 0)
        locked._locked = True
        return locked
    leaf = build.leaf(array)
    is_own = array.base is None and array.flags.writeable and array.ndim
    memory = small_leaf(leaf, limit() * WRITTEN) if is_own else None
    if memory is not None:
        return new_array(LazyArray, memory, None, 0)
    result = wrap(leaf)
    if is_locked:
        result.flags.writeable = False
    return result


def _reader(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(np, name)

    @with_like
    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        if name == "frombuffer":  # which never warns
            return _read(function(*args, **keywords))
        result = called_at(origin(), function, args, keywords)
        if isinstance(result, list):  # unpacked columns
            return [_read(part) for part in result]
        return _read(result)

    call.__module__ = "lazyarr"
    call.__doc__ = (
        f"Return ``numpy.{name}`` of the arguments as a LazyArray: it is read at once.\n\n"
        "    It is NumPy's if lazyarr does not compute with its dtype, such as that of texts.\n"
    )
    return call


FUNCTIONS: dict[str, Callable[..., Any]] = {name: _reader(name) for name in _READERS}
"""NumPy's readers, by name."""


def load(file: Any, *args: Any, **keywords: Any) -> Any:
    """Return the content of a file, an array as a LazyArray; see ``numpy.load``.

    Parameters
    ----------
    file : str, path or file
        A ``.npy`` file; of ``.npz`` files NumPy's mapping of ndarrays is returned.
    *args, **keywords
        NumPy's. With ``mmap_mode`` the array is read where an evaluation needs it; with "r+", by
        which what is written to it reaches the file, it is NumPy's.
    """
    result = np.load(file, *args, **keywords)
    if isinstance(result, np.memmap) and result.mode in ("r+", "w+"):
        return result
    return _read(result) if isinstance(result, np.ndarray) else result


vars(load)["__signature__"] = inspect.signature(np.load)


@with_like
def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: Any = float, **keywords: Any
) -> Any:
    """Return a function of the coordinates of each element: it is called once, on LazyArrays.

    Parameters
    ----------
    function : callable
        Takes an array for each axis.
    shape : tuple of int
        Of the coordinates.
    dtype : dtype
        Of the coordinates.
    **keywords
        Passed on to `function`.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.fromfunction(lambda i, j: i + j, (2, 2), dtype=int).compute()
    array([[0, 1],
           [1, 2]])
    """
    sides = as_shape(shape)
    if len(sides) * prod(sides) <= limit() * CREATED:
        # In memory, as from indices that the user calls.
        values = np.indices(sides, build.as_dtype(dtype))
        coordinates: Any = new_array(LazyArray, values, None, 0)
    else:
        coordinates = indices(sides, dtype=dtype)
    return function(*(coordinates[k] for k in range(coordinates.shape[0])), **keywords)


def asarray_chkfinite(a: Any, dtype: Any = None, order: str | None = None) -> LazyArray:
    """Return `a` as a LazyArray of finite numbers.

    Parameters
    ----------
    a, dtype, order
        As for :func:`lazyarr.asarray`.

    Raises
    ------
    ArgumentError
        If an element is NaN or infinite; so the values are computed.
    """
    array = asarray(a, dtype=dtype, order=order)
    if kind_of(array.dtype) in "fc":
        value = array._value("asarray_chkfinite", "its values are checked")
        if not np.isfinite(value).all():
            raise ArgumentError("array must not contain infs or NaNs", origin=origin())
    return array


def isfortran(a: Any) -> bool:
    """Return whether NumPy's value of `a` would lie in memory in Fortran order alone."""
    return is_fortran(a) if isinstance(a, (LazyArray, np.ndarray)) else bool(a.flags.fnc)


def _of_its_dtype(x: Any) -> Any:
    """Return an empty array in the place of a LazyArray: its dtype is all that is asked for."""
    return np.empty(0, x.dtype) if isinstance(x, LazyArray) else x


def common_type(*arrays: Any) -> type[Any]:
    """Return the floating-point or complex type that all arrays can be cast to."""
    kind: type[Any] = np.common_type(*map(_of_its_dtype, arrays))
    return kind


def iscomplexobj(x: Any) -> bool:
    """Return whether the dtype of `x` is complex."""
    return bool(np.iscomplexobj(_of_its_dtype(x)))


def isrealobj(x: Any) -> bool:
    """Return whether the dtype of `x` is not complex."""
    return not iscomplexobj(x)


def isnat(x: Any, /, **keywords: Any) -> Any:
    """Return ``numpy.isnat`` of an array of dates, which is no LazyArray.

    Raises
    ------
    DTypeError
        Of a LazyArray, as NumPy raises of numbers.
    """
    if isinstance(x, LazyArray):
        raise DTypeError(
            "ufunc 'isnat' is only defined for np.datetime64 and np.timedelta64.", origin=origin()
        )
    return np.isnat(x, **keywords)


vars(isnat)["__signature__"] = inspect.signature(unary)


def frompyfunc(
    func: Callable[..., Any], /, nin: int, nout: int, **keywords: Any
) -> Callable[..., Any]:
    """Return a function that calls `func` for each element, immediately.

    As in NumPy the results are ndarrays of objects, which expressions cannot hold;
    :func:`lazyarr.vectorize` compiles a function of numbers.

    Parameters
    ----------
    func : callable
        Takes `nin` objects and returns one, or a tuple of `nout`.
    nin, nout : int
        The numbers of operands and of results.
    **keywords : object
        NumPy's: ``identity``.

    Returns
    -------
    callable
        Takes arrays, which broadcast together; returns ndarrays of objects. It has the methods
        and attributes of a ufunc.
    """
    ufunc = np.frompyfunc(func, nin, nout, **keywords)

    def computing(theirs: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            return compute_now(theirs, args, options, "its results have dtype object")

        return call

    call: Any = computing(ufunc)
    call.__name__ = getattr(func, "__name__", "frompyfunc")
    call.__doc__ = getattr(func, "__doc__", None)
    for method in ("reduce", "accumulate", "reduceat", "outer"):
        setattr(call, method, computing(getattr(ufunc, method)))
    call.at = functools.partial(METHODS["at"], ufunc)
    for name in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
        setattr(call, name, getattr(ufunc, name))
    named: Callable[..., Any] = call
    return named


def mask_indices(n: Any, mask_func: Callable[..., Any], k: Any = 0) -> tuple[LazyArray, ...]:
    """Return the positions that a mask function leaves of an (n, n) array; computes.

    Parameters
    ----------
    n : int
        Rows and columns.
    mask_func : callable
        ``mask_func(ones, k)`` returns an array whose elements to leave are not zero.
    k : object
        Its argument.

    Returns
    -------
    tuple of LazyArray
        int64 vectors of rows and columns, in C order.
    """
    ones = wrap(build.filled(1, np.dtype(np.int64), as_shape((n, n))))
    return nonzero(as_lazy(mask_func(ones, k)) != 0)


@with_like
def require(
    a: Any, dtype: Any = None, requirements: Any = None, *, like: object = None
) -> LazyArray:
    """Return `a` as a LazyArray of a dtype.

    Parameters
    ----------
    a : array_like
        Input.
    dtype : dtype, optional
        Of the result; default: that of `a`.
    requirements : str or sequence of str, optional
        NumPy's flags of memory. "C" and "F" are the order of the elements; results are aligned,
        writeable and own their memory anyhow.
    like : object
        An array of another library, whose class makes the result (NEP 35).
    """
    if requirements:
        np.require(np.zeros(1), None, requirements)  # NumPy judges the flags
    flags = {requirements} if isinstance(requirements, str) else {*(requirements or ())}
    flags = {str(flag).upper() for flag in flags}
    order = "F" if flags & {"F", "F_CONTIGUOUS", "FORTRAN"} else "K"
    order = "C" if flags & {"C", "C_CONTIGUOUS", "CONTIGUOUS"} else order
    return asarray(a, dtype=dtype, order=order)


#: As many as NumPy's iterators take.
_MAX_BROADCAST = 64


class broadcast:  # noqa: N801 - NumPy's name
    """The broadcast of several arrays: their common shape, and their elements side by side.

    Parameters
    ----------
    *arrays : array_like
        Arrays, 64 at most; only iterating over the object computes them.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.broadcast(la.zeros((3, 1)), la.arange(4)).shape
    (3, 4)
    """

    def __init__(self, *arrays: Any, **keywords: Any) -> None:
        if keywords:
            raise ArgumentError("keyword arguments not accepted.", origin=origin())
        parts = [x._arrays if isinstance(x, broadcast) else (asarray(x),) for x in arrays]
        self._arrays: tuple[LazyArray, ...] = tuple(itertools.chain.from_iterable(parts))
        if len(self._arrays) > _MAX_BROADCAST:
            raise ArgumentError(
                f"Need at least 0 and at most {_MAX_BROADCAST} array objects.", origin=origin()
            )
        self.numiter = len(self._arrays)
        self.shape = np.broadcast_shapes(*(x.shape for x in self._arrays))

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    nd = ndim

    @property
    def iters(self) -> tuple[Flat, ...]:
        """The elements of each array."""
        return tuple(map(Flat, self._arrays))

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(np.broadcast(*(x._value("iteration") for x in self._arrays)))
