"""The methods of arrays that are functions of the same name, and their types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lazyarr.arrays import native_methods
from lazyarr.arrays.base import ArrayBase
from lazyarr.arrays.compiled import compiled_method
from lazyarr.tracing import recorded, running
from lazyarr.tracing.hooks import FUNCTIONS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

__all__ = ["FunctionMethods"]

Axis = int | Sequence[int] | None
#: Methods that give arrays no larger than theirs: of arrays in memory, NumPy's own are called.
_AT_ONCE = frozenset(
    "sum prod min max mean var std any all argmin argmax cumsum cumprod round squeeze swapaxes "
    "diagonal ravel nonzero argsort searchsorted trace dot".split()
)
_NAMES = {"_conjugate_method": "conj"}


def _method(name: str) -> Callable[..., Any]:
    """Return a method that calls the function of that name with self in front."""
    own = name.removeprefix("_").removesuffix("_method")

    def call(self: ArrayBase, *args: Any, **keywords: Any) -> Any:
        return FUNCTIONS[name](self, *args, **keywords)

    built = recorded(call, getattr(np.ndarray, own, None))
    theirs = name if name in _AT_ONCE else _NAMES.get(name)

    def method(self: ArrayBase, *args: Any, **keywords: Any) -> Any:
        if self._array is not None and not running and theirs is not None:
            value = native_methods.method(self, theirs, args, keywords)
            if value is not None:
                return value
        if name == "dot" and not running:
            product = native_methods.dot_product((self, *args), keywords, type(self))
            if product is not None:
                return product
        return built(self, *args, **keywords)

    method.__name__ = name
    method.__qualname__ = f"LazyArray.{name}"
    method.__doc__ = f"Return ``lazyarr.{name}`` of this array; see there."
    return compiled_method(name, method, theirs)


class FunctionMethods(ArrayBase):
    """NumPy's methods that call the function of their name."""

    __slots__ = ()

    # Methods that are functions of the same name.

    if TYPE_CHECKING:
        # Of their own type: checkers would take that of object's.
        def __eq__(self, other: Any) -> Self: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> Self: ...  # type: ignore[override]

        def sum(
            self,
            axis: Axis = None,
            dtype: DTypeLike | None = None,
            out: Any = None,
            keepdims: bool = False,
            initial: Any = None,
            where: Any = True,
        ) -> Self: ...
        def prod(
            self,
            axis: Axis = None,
            dtype: DTypeLike | None = None,
            out: Any = None,
            keepdims: bool = False,
            initial: Any = None,
            where: Any = True,
        ) -> Self: ...
        def min(
            self,
            axis: Axis = None,
            out: Any = None,
            keepdims: bool = False,
            initial: Any = None,
            where: Any = True,
        ) -> Self: ...
        def max(
            self,
            axis: Axis = None,
            out: Any = None,
            keepdims: bool = False,
            initial: Any = None,
            where: Any = True,
        ) -> Self: ...
        def mean(
            self,
            axis: Axis = None,
            dtype: DTypeLike | None = None,
            out: Any = None,
            keepdims: bool = False,
            *,
            where: Any = True,
        ) -> Self: ...
        def var(
            self,
            axis: Axis = None,
            dtype: DTypeLike | None = None,
            out: Any = None,
            ddof: float = 0,
            keepdims: bool = False,
            *,
            where: Any = True,
            mean: Any = None,
            correction: float | None = None,
        ) -> Self: ...
        def std(
            self,
            axis: Axis = None,
            dtype: DTypeLike | None = None,
            out: Any = None,
            ddof: float = 0,
            keepdims: bool = False,
            *,
            where: Any = True,
            mean: Any = None,
            correction: float | None = None,
        ) -> Self: ...
        def any(
            self, axis: Axis = None, out: Any = None, keepdims: bool = False, *, where: Any = True
        ) -> Self: ...
        def all(
            self, axis: Axis = None, out: Any = None, keepdims: bool = False, *, where: Any = True
        ) -> Self: ...
        def argmin(
            self, axis: int | None = None, out: Any = None, *, keepdims: bool = False
        ) -> Self: ...
        def argmax(
            self, axis: int | None = None, out: Any = None, *, keepdims: bool = False
        ) -> Self: ...
        def cumsum(
            self, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None
        ) -> Self: ...
        def cumprod(
            self, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None
        ) -> Self: ...
        def clip(
            self, min: Any = None, max: Any = None, out: Any = None, **keywords: Any
        ) -> Self: ...
        def round(self, decimals: int = 0, out: Any = None) -> Self: ...
        def compress(
            self, condition: ArrayLike, axis: int | None = None, out: Any = None
        ) -> Self: ...
        def choose(self, *choices: Any, out: Any = None, mode: str = "raise") -> Self: ...
        def squeeze(self, axis: Axis = None) -> Self: ...
        def swapaxes(self, axis1: int, axis2: int) -> Self: ...
        def repeat(self, repeats: ArrayLike, axis: int | None = None) -> Self: ...
        def take(
            self, indices: ArrayLike, axis: int | None = None, out: Any = None, mode: str = "raise"
        ) -> Self: ...
        def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self: ...
        def ravel(self, order: str = "C") -> Self: ...
        def nonzero(self) -> tuple[Self, ...]: ...
        def argsort(
            self,
            axis: int | None = -1,
            kind: Any = None,
            order: Any = None,
            *,
            stable: bool | None = None,
        ) -> Self: ...
        def argpartition(
            self, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
        ) -> Self: ...
        def searchsorted(
            self, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None
        ) -> Self: ...
        def dot(self, b: ArrayLike, out: Any = None) -> Self: ...
        def trace(
            self,
            offset: int = 0,
            axis1: int = 0,
            axis2: int = 1,
            dtype: DTypeLike | None = None,
            out: Any = None,
        ) -> Self: ...
        def conj(self, out: Any = None) -> Self: ...
        def conjugate(self, out: Any = None) -> Self: ...
    else:
        sum = _method("sum")
        prod = _method("prod")
        min = _method("min")
        max = _method("max")
        mean = _method("mean")
        var = _method("var")
        std = _method("std")
        any = _method("any")
        all = _method("all")
        argmin = _method("argmin")
        argmax = _method("argmax")
        cumsum = _method("cumsum")
        cumprod = _method("cumprod")
        clip = _method("_clip_method")
        round = _method("round")
        compress = _method("_compress_method")
        choose = _method("_choose_method")
        squeeze = _method("squeeze")
        swapaxes = _method("swapaxes")
        repeat = _method("repeat")
        take = _method("take")
        diagonal = _method("diagonal")
        ravel = _method("ravel")
        nonzero = _method("nonzero")
        argsort = _method("argsort")
        argpartition = _method("argpartition")
        searchsorted = _method("searchsorted")
        dot = _method("dot")
        trace = _method("trace")
        conj = _method("_conjugate_method")
        conjugate = conj
