"""Values of random expressions, built at once from LazyArrays and from NumPy arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]
Choose = Callable[[int], int]

DTYPES = [np.dtype(c) for c in "d d d d f f e ? b B h i l l Q D".split()]


class Skip(Exception):
    """The drawn operation does not apply here."""


@dataclass
class Value:
    """One value: how it is computed lazily, what NumPy says it is, and how exactly."""

    lazy: Any
    eager: Array
    error: float = 0.0  # greatest absolute error; 0.0: every bit
    zeros: bool = True  # whether the signs of zeros are known

    @property
    def exact(self) -> bool:
        return self.error == 0.0

    @property
    def bound(self) -> float:
        """The greatest finite magnitude."""
        if self.eager.dtype.kind == "b" or not self.eager.size:
            return 1.0
        size = np.abs(self.eager.astype(np.complex128))
        return float(np.max(size, initial=0.0, where=np.isfinite(size)))

    @property
    def eps(self) -> float:
        dtype = self.eager.dtype
        return float(np.finfo(dtype).eps) if dtype.kind in "fc" else 0.0


@dataclass
class Program:
    """Results of one random expression and the lines that make it."""

    roots: list[Value]
    lines: list[str]

    def __repr__(self) -> str:
        return "\n" + "\n".join(self.lines)


class Drawing:
    """Values drawn so far, and how operations are applied to both kinds of array."""

    def __init__(self, choose: Choose, limit: int) -> None:
        self.choose = choose
        self.limit = limit
        self.values: list[Value] = []
        self.lines: list[str] = []

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.choose(len(items))]

    def value(self, kinds: str = "biufc", ndim: int = 0, exact: bool = False) -> Value:
        fit = [
            v
            for v in self.values
            if v.eager.dtype.kind in kinds and v.eager.ndim >= ndim and (v.exact or not exact)
        ]
        if not fit:
            raise Skip
        # Late values more often than early ones.
        return fit[-1 - min(self.choose(len(fit)), self.choose(len(fit)))]

    def name(self, value: Value) -> str:
        return f"v{next(k for k, other in enumerate(self.values) if other is value)}"

    def add(
        self,
        text: str,
        function: Callable[..., Any],
        operands: Sequence[Value],
        error: float = 0.0,
        zeros: bool | None = None,
    ) -> Value:
        """Apply `function` to both kinds of operands and keep the result."""
        line = f"v{len(self.values)} = {text.format(*map(self.name, operands))}"
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                eager = np.asarray(function(*(v.eager for v in operands)))
            except MemoryError:  # the expression of it is built all the same
                raise Skip from None
            except Exception as wrong:  # noqa: BLE001
                self.lines.append(f"{line} raises {wrong!r}")
                with pytest.raises((type(wrong), TypeError, ValueError)):
                    function(*(v.lazy for v in operands))
                raise Skip from None
            if eager.size > self.limit:
                raise Skip
            lazy = function(*(v.lazy for v in operands))
        self.lines.append(f"{line}  # {eager.dtype}{list(eager.shape)}")
        assert isinstance(lazy, la.LazyArray), self.lines
        assert (lazy.shape, lazy.dtype) == (eager.shape, eager.dtype), (self.lines, lazy)
        if zeros is None:
            zeros = all(v.zeros for v in operands)
        value = Value(lazy, eager, error, zeros)
        if error and (value.bound > (300 if eager.dtype.itemsize == 2 else 1e9) or error > 1e-1):
            self.lines.pop()
            raise Skip
        if error and eager.dtype == np.float16:
            value.error += 4 * value.eps * max(value.bound, 6e-5)
        self.values.append(value)
        return value

    # -- leaves -----------------------------------------------------------------------------

    def data(self, dtype: np.dtype[Any], shape: tuple[int, ...], special: bool) -> Array:
        generator = np.random.default_rng(self.choose(1 << 16))
        if dtype.kind == "b":
            return generator.random(shape) < 0.5
        low, high = (0, 9) if dtype.kind == "u" else (-8, 9)
        values = generator.integers(low, high, shape).astype(dtype)
        if dtype.kind == "f":
            values = values / dtype.type(self.pick((1, 2, 4)))
            if special and values.size:
                odd = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 0.1], dtype)
                where = generator.random(shape) < 0.3
                values = np.where(where, generator.choice(odd, shape), values)
        elif dtype.kind == "c":
            values = values + 1j * generator.integers(-3, 4, shape)
        elif special and values.size:
            info = np.iinfo(dtype)
            odd = np.array([info.min, info.max, info.max - 1, 0], dtype)
            values = np.where(generator.random(shape) < 0.3, generator.choice(odd, shape), values)
        return np.asarray(values, dtype)

    def leaf(self, base: tuple[int, ...]) -> None:
        dtype = self.pick(DTYPES)
        shape = list(base)
        for axis in range(len(shape)):
            if self.choose(6) == 0:
                shape[axis] = 1
        if shape and self.choose(5) == 0:
            shape = shape[1:]
        special = self.choose(4) == 0
        layout = self.choose(6)
        if layout == 0 and shape:
            wide = self.data(dtype, (*shape[:-1], shape[-1] * 2), special)
            array = wide[..., ::2]
        elif layout == 1:
            array = self.data(dtype, tuple(shape), special)[
                tuple(slice(None, None, -1) for _ in shape)
            ]
        elif layout == 2:
            array = np.asfortranarray(self.data(dtype, tuple(shape), special))
        elif layout == 3 and shape:
            array = np.broadcast_to(self.data(dtype, tuple(shape[1:]), special), tuple(shape))
        else:
            array = self.data(dtype, tuple(shape), special)
        array = np.asarray(array)
        array.flags.writeable = False
        order = ("strided", "flipped", "F", "broadcast", "C", "C")[layout]
        values = np.array2string(array, threshold=100).replace("\n", "")
        self.lines.append(f"v{len(self.values)} = {order} {dtype}{shape} {values}")
        self.values.append(Value(la.asarray(array), array))
