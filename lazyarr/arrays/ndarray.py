"""``lazyarr.ndarray``: the type of arrays, as programs ask for it that were written for NumPy."""

from __future__ import annotations

from types import GenericAlias, new_class
from typing import Any, ClassVar, cast

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.errors import UnsupportedDTypeError
from lazyarr.tracing import is_traced

__all__ = ["ndarray"]


class _NumpysArray(np.ndarray[Any, Any]):
    """The base of subclasses of :class:`ndarray`, whose views may be asked for by that name."""

    def view(self, *args: Any, **keywords: Any) -> Any:
        """Return a view of the same elements, of another dtype or type."""
        named = {key: _numpys(value) for key, value in keywords.items()}
        return super().view(*map(_numpys, args), **named)


def _numpys(kind: Any) -> Any:
    """Return NumPy's class of arrays for this module's; others are as they are."""
    return np.ndarray if kind is ndarray else kind


def _memory(value: Any) -> Any:
    """Return the memory of a LazyArray; others are as they are."""
    return np.asarray(value) if isinstance(value, LazyArray) else value


class _TypeOfArrays(type):
    """Type of :class:`ndarray`, whose instances are all arrays.

    It speaks for :class:`ndarray` alone: subclasses of it are NumPy's.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> Any:
        if bases[0] is LazyArray:
            return super().__new__(cls, name, bases, namespace)
        # Expressions keep no subclass; NumPy's functions, methods and views do.
        of_numpy = tuple(_NumpysArray if base is ndarray else base for base in bases)
        namespace.pop("__slots__", None)
        return new_class(name, of_numpy, options, lambda body: body.update(namespace))

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        try:
            return LazyArray(*args, **kwargs)
        except UnsupportedDTypeError:
            if is_traced():
                raise
            return np.ndarray(*map(_memory, args), **{k: _memory(v) for k, v in kwargs.items()})

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (LazyArray, np.ndarray))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, (LazyArray, np.ndarray))

    # `type(x) == np.ndarray`, and tables by type.
    def __eq__(cls, other: object) -> bool:
        return cls is other or other is LazyArray

    def __hash__(cls) -> int:
        return hash(LazyArray)


class ndarray(LazyArray, metaclass=_TypeOfArrays):  # noqa: N801  NumPy's name
    """The type of arrays under NumPy's name: of LazyArrays, and of NumPy's own.

    ``isinstance(x, lazyarr.ndarray)`` holds for both, as SciPy and others hand out NumPy's arrays
    to programs that import lazyarr in NumPy's place; ask for :class:`LazyArray` to tell them
    apart. A call has the arguments of numpy.ndarray, and returns a LazyArray, or NumPy's of a dtype
    that is NumPy's alone. A subclass is one of numpy.ndarray.

    Examples
    --------
    >>> import numpy
    >>> import lazyarr as la
    >>> isinstance(la.ones(2), la.ndarray), isinstance(numpy.ones(2), la.ndarray)
    (True, True)
    >>> type(la.ones(2)) == la.ndarray
    True
    """

    __slots__ = ()

    __class_getitem__: ClassVar[Any] = classmethod(GenericAlias)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return an array of a subclass, as its ``__new__`` asks for it."""
        return np.ndarray.__new__(cast("Any", cls), *args, **kwargs)
