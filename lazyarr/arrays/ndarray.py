"""``lazyarr.ndarray``: the type of arrays, as programs ask for it that were written for NumPy."""

from __future__ import annotations

from types import GenericAlias
from typing import Any, ClassVar

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray

__all__ = ["ndarray"]


class _TypeOfArrays(type):
    """Type of :class:`ndarray`, whose instances are all arrays.

    It speaks for :class:`ndarray` alone: subclasses have the instances that any class has.
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return LazyArray(*args, **kwargs) if cls is ndarray else super().__call__(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is ndarray:
            return isinstance(instance, (LazyArray, np.ndarray))
        return super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if cls is ndarray:
            return issubclass(subclass, (LazyArray, np.ndarray))
        return super().__subclasscheck__(subclass)

    # `type(x) == np.ndarray`, and tables by type.
    def __eq__(cls, other: object) -> bool:
        return cls is other or (cls is ndarray and other is LazyArray)

    def __hash__(cls) -> int:
        return hash(LazyArray) if cls is ndarray else super().__hash__()


class ndarray(LazyArray, metaclass=_TypeOfArrays):  # noqa: N801  NumPy's name
    """The type of arrays under NumPy's name: of LazyArrays, and of NumPy's own.

    ``isinstance(x, lazyarr.ndarray)`` holds for both, as SciPy and others hand out NumPy's arrays
    to programs that import lazyarr in NumPy's place; ask for :class:`LazyArray` to tell them
    apart. A call has the arguments of numpy.ndarray, and returns a LazyArray.

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
