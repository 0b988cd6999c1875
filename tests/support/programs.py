"""Random expressions, built at once from LazyArrays and from NumPy arrays.

Values are small and mostly multiples of a quarter, so that sums are exact in any order and results
can be compared bit for bit. What is rounded in an order of the target's choice carries a bound of
its error instead.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen import reducers, shared_tuning
from lazyarr.codegen.cpu import (
    row_reduction,
    split_reduction,
    tuning,
)
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.templates import TemplateLimits
from lazyarr.compiler import targets
from lazyarr.core.frozen import replace
from tests.support.tuned import tune

__all__ = ["Program", "check", "draw_program", "small_kernels"]

Array = np.ndarray[Any, Any]
Choose = Callable[[int], int]

DTYPES = [np.dtype(c) for c in "d d d d f f e ? b B h i l l Q D".split()]
SHAPES: list[tuple[int, ...]] = [
    (6,), (9,), (3, 4), (5, 3), (2, 7), (2, 3, 4), (3, 1, 5), (1, 6), (4, 1), (2, 2, 3, 2), (),
    (0,), (3, 0), (0, 4), (2, 0, 3), (17,), (4, 5), (13, 2), (2, 13),
]  # fmt: skip


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


class _Writer:
    """Draws operations and applies them to both kinds of array."""

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

    # -- operations -------------------------------------------------------------------------

    def unary(self) -> None:
        x = self.value()
        exact = ["negative", "absolute", "positive", "square", "isnan", "isfinite", "logical_not"]
        exact += ["floor", "ceil", "trunc", "rint", "sign", "sqrt", "reciprocal", "signbit"]
        exact += ["invert", "conjugate", "real", "imag", "bitwise_count", "modf", "cbrt", "exp"]
        exact += ["sin", "tanh", "arctan", "log1p"]
        name = self.pick(exact)
        function = getattr(np, name)
        error, zeros = x.error, x.zeros
        kind = x.eager.dtype.kind
        if name in ("floor", "ceil", "trunc", "rint", "sign", "sqrt", "reciprocal", "isnan"):
            if not x.exact or (kind == "c"):
                raise Skip
        if name in ("isfinite", "logical_not", "signbit", "bitwise_count", "modf", "invert"):
            if not x.exact:
                raise Skip
        if name in ("reciprocal", "signbit", "sqrt", "modf") and not x.zeros:
            raise Skip
        if name == "square":
            error = 2 * x.error * x.bound
            if kind == "f":
                error += 4 * x.eps * x.bound**2 if x.error else 0.0
            if kind == "c":
                error += 1e-5 * max(1.0, x.bound**2)
        if name in ("cbrt", "exp", "sin", "tanh", "arctan", "log1p"):
            if kind == "c" or x.bound > 8 or (name == "cbrt" and not x.exact):
                raise Skip
            if name == "log1p":
                if not x.exact:
                    raise Skip
                function = lambda v: np.log1p(np.absolute(v))  # noqa: E731
            if kind in "iub" and x.eager.dtype.itemsize == 1:
                eps = float(np.finfo(np.float16).eps)
            else:
                eps = float(np.finfo(np.result_type(x.eager.dtype, np.float16)).eps)
            top = float(np.exp(x.bound)) if name == "exp" else 10.0
            error = x.error * top + 8 * eps * top
        if name == "absolute" and kind == "c":
            error += 1e-5 * max(1.0, x.bound)
        if name == "modf":
            at = self.choose(2)
            self.add(f"modf({{0}})[{at}]", lambda v: np.modf(v)[at], [x])
            return
        self.add(f"{name}({{0}})", function, [x], error, zeros)

    def _arithmetic(self, name: str, x: Value, y: Value) -> float:
        """Return the error of a binary operation."""
        kinds = x.eager.dtype.kind + y.eager.dtype.kind
        if x.exact and y.exact and "c" not in kinds:
            return 0.0
        a, b = max(x.bound, 1.0), max(y.bound, 1.0)
        dtype = np.result_type(x.eager.dtype, y.eager.dtype)
        eps = float(np.finfo(dtype).eps) if dtype.kind in "fc" else 0.0
        if name in ("add", "subtract", "maximum", "minimum", "fmax", "fmin"):
            return x.error + y.error + 2 * eps * (a + b)
        if name == "multiply":
            return x.error * b + y.error * a + x.error * y.error + 8 * eps * a * b
        raise Skip

    def binary(self) -> None:
        x, y = self.value(), self.value()
        names = ["add", "subtract", "multiply"] * 4
        names += ["maximum", "minimum", "fmax", "fmin", "divide", "floor_divide", "remainder"]
        names += ["less", "equal", "greater_equal", "logical_and", "logical_or", "bitwise_xor"]
        names += ["bitwise_and", "left_shift", "right_shift", "copysign", "fmod", "not_equal"]
        names += ["heaviside", "gcd"]
        name = self.pick(names)
        error = self._arithmetic(name, x, y)
        if name in ("divide", "floor_divide", "remainder", "copysign", "fmod", "heaviside"):
            if not (x.zeros and y.zeros):
                raise Skip
        zeros = x.zeros and y.zeros
        if name in ("maximum", "minimum", "fmax", "fmin"):
            zeros = False
        function = getattr(np, name)
        self.add(f"{name}({{0}}, {{1}})", function, [x, y], error, zeros)

    def scalar(self) -> None:
        x = self.value()
        number = self.pick((0, 1, 2, 3, -1, 0.5, 0.25, 1.0, 2.0, -0.0, 0.0, True))
        name = self.pick(("add", "subtract", "multiply", "divide", "less", "maximum", "power"))
        y = Value(number, np.asarray(number, np.float64))
        if name in ("less", "power") and not x.exact:
            raise Skip
        if name == "divide":
            if not x.zeros or not number or x.eager.dtype.kind == "c":
                raise Skip
            error = x.error / abs(number) * 2
        elif name == "power":
            if number not in (2, 1, 0.5, 0, 3) or x.eager.dtype.kind == "c" or not x.zeros:
                raise Skip
            if x.bound > 100:
                raise Skip
            eps = float(np.finfo(np.result_type(x.eager.dtype, np.float16)).eps)
            error = 0.0
            if x.eager.dtype.kind == "f" or isinstance(number, float):
                error = 16 * eps * max(1.0, x.bound**3)
        elif name == "less":
            error = 0.0
        elif x.exact and x.eager.dtype.kind == "c" and name != "maximum":
            error = 1e-5 * max(1.0, x.bound)
        else:
            error = 0.0 if x.exact else self._arithmetic(name, x, y)
            error += 4 * x.eps * (x.bound + 3) if error else 0.0
        if self.choose(3) == 0 and name != "divide" and name != "power":
            function = getattr(np, name)
            self.add(f"{name}({number}, {{0}})", lambda v: function(number, v), [x], error,
                     x.zeros and name != "maximum")  # fmt: skip
            return
        function = getattr(np, name)
        self.add(f"{name}({{0}}, {number})", lambda v: function(v, number), [x], error,
                 x.zeros and name != "maximum")  # fmt: skip

    def where(self) -> None:
        condition, x, y = self.value("b", exact=True), self.value(), self.value()
        error = x.error + y.error
        if error and {x.eager.dtype.kind, y.eager.dtype.kind} & {"i", "u", "b"}:
            error += 1e-3 * max(x.bound, y.bound)
        self.add("where({0}, {1}, {2})", np.where, [condition, x, y], error)

    def compare(self) -> None:
        x = self.value("iuf", exact=True)
        self.add("{0} > 0", lambda v: v > 0, [x])

    def cast(self) -> None:
        x = self.value()
        target = self.pick(DTYPES)
        kind = x.eager.dtype.kind
        error = x.error
        if kind == "f" and target.kind in "iub":
            if not x.exact or not np.isfinite(x.eager).all():
                raise Skip
            low, high = (
                (0, 1) if target.kind == "b" else (np.iinfo(target).min, np.iinfo(target).max)
            )
            least, most = (float(f(x.eager)) if x.eager.size else 0.0 for f in (np.min, np.max))
            if not (low <= least and most <= min(high, 1 << 30)):
                raise Skip
        if kind == "c" and target.kind != "c":
            raise Skip
        if error and target.kind in "fc":
            error += 2 * float(np.finfo(target).eps) * x.bound
        elif error:
            raise Skip
        self.add(f"{{0}}.astype({target})", lambda v: v.astype(target), [x], error)

    def view(self) -> None:
        x = self.value(ndim=1)
        ndim, shape = x.eager.ndim, x.eager.shape
        which = self.choose(9)
        axis = self.choose(ndim)
        if which in (0, 1):
            key = []
            for size in shape:
                step = self.pick((1, 1, 2, -1, -2, 3))
                if self.choose(3) == 0:
                    key.append(slice(None, None, step))
                elif size and self.choose(5) == 0:
                    key.append(self.choose(size) - (size if self.choose(2) else 0))
                else:
                    key.append(slice(self.choose(size + 2) - 1, self.choose(size + 2), step))
            if self.choose(5) == 0:
                key.insert(self.choose(len(key) + 1), None)
            index = tuple(key)
            text = str(index).replace("{", "")
            self.add(f"{{0}}[{text}]", lambda v: v[index], [x], x.error)
        elif which == 2:
            axes = list(range(ndim))
            for k in range(ndim):
                j = self.choose(ndim)
                axes[k], axes[j] = axes[j], axes[k]
            self.add(f"transpose({{0}}, {axes})", lambda v: np.transpose(v, axes), [x], x.error)
        elif which == 3:
            self.add(f"flip({{0}}, {axis})", lambda v: np.flip(v, axis), [x], x.error)
        elif which == 4:
            at = self.choose(ndim + 1)
            self.add(f"expand_dims({{0}}, {at})", lambda v: np.expand_dims(v, at), [x], x.error)
        elif which == 5:
            self.add("squeeze({0})", np.squeeze, [x], x.error)
        elif which == 6 and ndim >= 2:
            offset = self.choose(3) - 1
            self.add(f"diagonal({{0}}, {offset})", lambda v: np.diagonal(v, offset), [x], x.error)
        elif which == 7 and shape[axis] >= 2:
            window = np.lib.stride_tricks.sliding_window_view
            self.add(f"window({{0}}, 2, {axis})", lambda v: window(v, 2, axis=axis), [x], x.error)
        else:
            size = self.pick((1, 2, 3))
            target = (size, *shape)
            self.add(f"broadcast_to({{0}}, {target})", lambda v: np.broadcast_to(v, target), [x],
                     x.error)  # fmt: skip

    def reshape(self) -> None:
        x = self.value()
        size = x.eager.size
        if self.choose(3) == 0:
            target: tuple[int, ...] = (-1,)
        else:
            parts = [n for n in (1, 2, 3, 4, 5, 6) if size % n == 0] if size else [1, 2, 3]
            first = self.pick(parts)
            rest = size // first
            more = [n for n in (1, 2, 3) if rest % n == 0] if rest else [1]
            second = self.pick(more)
            target = (first, second, rest // second)
            if self.choose(2):
                target = (first, rest)
        self.add(f"reshape({{0}}, {target})", lambda v: v.reshape(target), [x], x.error)

    def join(self) -> None:
        x, y = self.value(ndim=1), self.value(ndim=1)
        if x.eager.ndim != y.eager.ndim:
            y = x
        axis = self.choose(x.eager.ndim)
        operands = [x, y] if self.choose(3) else [x, y, x]
        error = max(v.error for v in operands)
        if error and len({v.eager.dtype for v in operands}) > 1:
            raise Skip
        name = self.pick(("concatenate", "concatenate", "concatenate", "stack"))
        function = getattr(np, name)
        text = ", ".join(f"{{{k}}}" for k in range(len(operands)))
        self.add(f"{name}([{text}], {axis})", lambda *v: function(v, axis=axis), operands, error)

    def rearrange(self) -> None:
        x = self.value(ndim=1)
        ndim = x.eager.ndim
        axis = self.choose(ndim)
        which = self.choose(5)
        if which == 0:
            widths = [(self.choose(3), self.choose(3)) for _ in range(ndim)]
            self.add(f"pad({{0}}, {widths})", lambda v: np.pad(v, widths), [x], x.error)
        elif which == 1:
            by = self.choose(5) - 2
            self.add(f"roll({{0}}, {by}, {axis})", lambda v: np.roll(v, by, axis), [x], x.error)
        elif which == 2:
            times = self.choose(3)
            self.add(f"tile({{0}}, {times})", lambda v: np.tile(v, times), [x], x.error)
        elif which == 3:
            times = self.choose(3)
            self.add(f"repeat({{0}}, {times}, {axis})", lambda v: np.repeat(v, times, axis), [x],
                     x.error)  # fmt: skip
        else:
            self.add(f"diff({{0}}, {axis})", lambda v: np.diff(v, axis=axis), [x],
                     2 * x.error + (4 * x.eps * x.bound if x.error else 0.0))  # fmt: skip

    def _axes(self, x: Value) -> Any:
        ndim = x.eager.ndim
        which = self.choose(3)
        if which == 0 or not ndim:
            return None
        if which == 1 or ndim == 1:
            return self.choose(ndim) - (ndim if self.choose(2) else 0)
        first = self.choose(ndim)
        second = self.choose(ndim)
        return (first, second) if first != second else (first,)

    def _sum_error(self, x: Value, axis: Any) -> float:
        """Return the error of a sum; 0.0 if every order of addition is exact."""
        kind = x.eager.dtype.kind
        if kind in "iub":
            return 0.0
        count = x.eager.size
        finite = bool(np.isfinite(x.eager).all())
        digits = {2: 10, 4: 23, 8: 52, 16: 52}[x.eager.dtype.itemsize]
        if x.eager.dtype == np.complex64:
            digits = 23
        if x.exact and finite and count * max(x.bound, 1) * 4 < 2**digits:
            if bool((x.eager * 4 == np.round(x.eager * 4)).all()):
                return 0.0
        return count * (x.error + 4 * x.eps * max(x.bound, 1e-3) + 1e-300)

    def reduction(self) -> None:
        x = self.value()
        axis = self._axes(x)
        keep = self.choose(3) == 0
        name = self.pick(
            ("sum", "sum", "sum", "max", "min", "any", "all", "argmax", "argmin", "mean", "var",
             "prod", "std", "count_nonzero", "ptp", "nansum", "nanmax")
        )  # fmt: skip
        kind = x.eager.dtype.kind
        options: dict[str, Any] = {"axis": axis, "keepdims": keep}
        error, zeros = x.error, False
        if name in ("any", "all", "argmax", "argmin", "count_nonzero"):
            if not x.exact:
                raise Skip
            if isinstance(axis, tuple) and name.startswith("arg"):
                options["axis"] = axis[0]
        if kind == "c" and name not in ("sum", "any", "all", "count_nonzero"):
            raise Skip
        if name in ("sum", "nansum"):
            error = self._sum_error(x, axis)
            if name == "nansum" and error and not np.isfinite(x.eager).all():
                error += x.eager.size * 4 * x.eps * x.bound
        elif name in ("mean", "var", "std"):
            sums = self._sum_error(x, axis) + 8 * x.eps * (x.bound + 1) + 1e-13 * (x.bound + 1)
            error = sums
            if name != "mean":
                spread = 4 * (x.bound + 1)
                error = sums * spread * 4 + x.eager.size * 16 * max(x.eps, 1e-15) * spread**2
                if name == "std":
                    error = float(np.sqrt(error))
        elif name == "prod":
            if kind in "fc":
                with np.errstate(over="ignore"):
                    top = float(np.prod(np.maximum(np.abs(x.eager[np.isfinite(x.eager)]), 1)))
                if not x.exact or top > 1e6:
                    raise Skip
                error = 64 * x.eps * top * max(x.eager.size, 1)
        elif name == "ptp":
            if kind == "b" or not x.exact:
                raise Skip
        elif name == "nanmax" and np.isnan(x.eager).any():
            raise Skip
        if name in ("nansum", "nanmax"):
            if kind != "f":
                raise Skip
        function = getattr(np, name)
        self.add(f"{name}({{0}}, {axis}, keepdims={keep})", lambda v: function(v, **options), [x],
                 error, zeros)  # fmt: skip

    def softmax(self) -> None:
        x = self.value("f", ndim=1)
        if x.bound > 8 or x.eager.dtype == np.float16 or not np.isfinite(x.eager).all():
            raise Skip
        axis = self.choose(x.eager.ndim)
        if not x.eager.size:
            raise Skip

        def function(v: Any) -> Any:
            e = np.exp(v - v.max(axis=axis, keepdims=True))
            return e / e.sum(axis=axis, keepdims=True)

        error = 64 * x.eps * x.eager.size + 8 * x.error
        self.add(f"softmax({{0}}, {axis})", function, [x], error)

    def standardise(self) -> None:
        x = self.value("f", ndim=1)
        if x.eager.dtype == np.float16 or not np.isfinite(x.eager).all() or x.bound > 100:
            raise Skip
        axis = self.choose(x.eager.ndim)
        if not x.eager.size:
            raise Skip

        def function(v: Any) -> Any:
            mean, var = v.mean(axis=axis, keepdims=True), v.var(axis=axis, keepdims=True)
            return (v - mean) / np.sqrt(var + 1)

        spread = x.bound + 1
        error = (64 * x.eps * x.eager.size + 8 * x.error) * spread**3
        self.add(f"standardise({{0}}, {axis})", function, [x], error)

    def gather(self) -> None:
        """Choose elements at computed positions, some of them from the end."""
        x = self.value(ndim=1)
        places = self.value("iu", exact=True)
        axis = self.choose(x.eager.ndim)
        size = x.eager.shape[axis]
        if not size:
            raise Skip
        back = self.choose(2) * size

        def position(v: Any) -> Any:
            return v.astype(np.int64) % size - back

        which = self.choose(4)
        if which == 0:
            text = f"swapaxes({{0}}, 0, {axis})[{{1}} % {size} - {back}]"
            self.add(text, lambda v, w: v.swapaxes(0, axis)[position(w)], [x, places], x.error)
        elif which == 1:
            key = (slice(None),) * axis
            text = f"take({{0}}, {{1}} % {size} - {back}, {axis})"
            self.add(text, lambda v, w: v[(*key, position(w))], [x, places], x.error)
        elif which == 2 and x.eager.ndim >= 2 and x.eager.shape[1]:
            rows, columns = x.eager.shape[:2]
            text = f"{{0}}[{{1}} % {rows}, -1 - {{1}} % {columns}]"

            def both(v: Any, w: Any) -> Any:
                w = w.astype(np.int64)
                return v[w % rows, -1 - w % columns]

            self.add(text, both, [x, places], x.error)
        else:
            if places.eager.ndim != x.eager.ndim:
                raise Skip

            def along(v: Any, w: Any) -> Any:
                return np.take_along_axis(v, position(w), axis)

            text = f"take_along_axis({{0}}, {{1}} % {size} - {back}, {axis})"
            self.add(text, along, [x, places], x.error)

    def library(self) -> None:
        x = self.value(ndim=1)
        which = self.choose(5)
        axis = self.choose(x.eager.ndim)
        if which == 0 and x.eager.ndim == 2:
            y = self.value("iuf", ndim=2)
            if not (self._sum_error(x, None) == self._sum_error(y, None) == 0.0):
                raise Skip
            if x.bound * y.bound * 64 > 1e6 or {x.eager.dtype, y.eager.dtype} & {np.dtype("e")}:
                raise Skip
            if x.eager.dtype.kind in "biu" and x.eager.dtype.itemsize < 8:
                raise Skip
            self.add("{0} @ {1}.T", lambda v, w: v @ w.T, [x, y], 0.0, False)
        elif which == 1:
            if self._sum_error(x, None):
                raise Skip
            self.add(f"cumsum({{0}}, {axis})", lambda v: np.cumsum(v, axis=axis), [x], 0.0, False)
        elif which == 2:
            if not x.exact:
                raise Skip
            self.add(f"sort({{0}}, {axis})", lambda v: np.sort(v, axis=axis), [x], 0.0, False)
        elif which == 3 and x.eager.shape[axis]:
            order = [self.choose(x.eager.shape[axis]) for _ in range(3)]
            self.add(f"take({{0}}, {order}, {axis})", lambda v: np.take(v, order, axis), [x],
                     x.error)  # fmt: skip
        else:
            kept = self.value("b", exact=True)
            if kept.eager.shape != x.eager.shape:
                raise Skip
            if self.choose(2):
                error = self._sum_error(x, None)
                self.add("{0}[{1}].sum()", lambda v, m: v[m].sum(), [x, kept], error, False)
            elif self.limit > 5000:
                self.add("{0}[{1}]", lambda v, m: v[m], [x, kept], x.error)

    def arange(self) -> None:
        n = self.pick((1, 4, 6, 12))
        self.lines.append(f"v{len(self.values)} = arange({n})")
        self.values.append(Value(la.arange(n), np.arange(n)))


STEPS = (
    ["unary"] * 5 + ["binary"] * 9 + ["scalar"] * 3 + ["where"] * 2 + ["cast"] * 2 + ["view"] * 6
    + ["reshape"] * 3 + ["join"] * 3 + ["rearrange"] * 2 + ["reduction"] * 7 + ["softmax"]
    + ["standardise", "library", "arange", "compare"] + ["gather"] * 3
)  # fmt: skip


def draw_program(choose: Choose, limit: int = 64, steps: int = 10) -> Program:
    """Return a random expression.

    Parameters
    ----------
    choose : callable
        ``choose(n)`` draws an integer below n.
    limit : int
        Most elements of any value.
    steps : int
        Most operations to try.
    """
    writer = _Writer(choose, limit)
    base = writer.pick([s for s in SHAPES if np.prod(s) <= limit])
    for _ in range(1 + choose(3)):
        writer.leaf(base)
    for _ in range(1 + choose(steps)):
        with contextlib.suppress(Skip):
            getattr(writer, STEPS[choose(len(STEPS))])()
    count = 1 + choose(3)
    roots = [writer.values[-1]]
    for _ in range(count - 1):
        roots.append(writer.pick(writer.values))
    writer.lines.append(f"results: {', '.join(map(writer.name, roots))}")
    return Program(roots, writer.lines)


def check(value: Value, got: Array, what: str, program: Program) -> None:
    """Compare a computed result with NumPy's, as exactly as its operations allow."""
    expected = value.eager
    assert got.dtype == expected.dtype and got.shape == expected.shape, (what, program)
    if value.exact and expected.dtype.kind != "c":
        same = (got == expected) | ((got != got) & (expected != expected))
        if value.zeros and expected.dtype.kind == "f":
            same &= (np.signbit(got) == np.signbit(expected)) | np.isnan(expected)
    else:
        with np.errstate(all="ignore"):
            near = np.abs(got.astype(np.complex128) - expected) <= value.error + 1e-12
            same = near | (got == expected) | ((got != got) & (expected != expected))
    assert same.all(), f"{what}: {got} is not {expected} within {value.error:.3g}{program}"


@contextlib.contextmanager
def small_kernels(choose: Choose) -> Iterator[None]:
    """Let tiny arrays be cut as large ones are."""

    def pick(*values: Any) -> Any:
        return values[choose(len(values))]

    block, split = pick(2, 4, 256), pick(4, 8, 1 << 14)
    constants: list[tuple[Any, str, Any]] = [
        (reducers, "BLOCK", block),
        (row_reduction, "BLOCK", block),
        (split_reduction, "BLOCK", block),
    ]
    fields = {
        "split_elements": split,
        "panel_columns": pick(2, 3, 1024),
        "panel_rows": pick((2,), (3,), (64, 3)),
        "sampled_part": pick(1, 2),
        "inner_elements": pick(2, 1 << 15),
        "row_tile": pick(2, 4, 256),
        "row_keep_cost": pick(0, 8),
        "tile_lines": pick(2, 3, 64),
    }
    transposed_loop = pick(2, 16)
    limits = TemplateLimits(pick(2, 4, 1 << 16), pick(2, 8, 1 << 16))
    costs = replace(
        targets.CPU.costs,
        max_operations=pick(2, 5, 96),
        max_operands=pick(4, 48),
        store_cost=pick(0, 15),
        launch_cost=pick(0, 200_000),
    )
    small = {
        name: replace(target, costs=costs, limits=limits)
        for name, target in targets.TARGETS.items()
    }
    grain = pick(3, 1 << 16)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GroupTerms, "grain", lambda low: grain)
        tune(patch, tuning, **fields)
        tune(patch, shared_tuning, transposed_loop=transposed_loop)
        patch.setattr(targets, "TARGETS", small)
        patch.setattr(targets, "CPU", small[targets.CPU.name])
        for module, name, value in constants:
            patch.setattr(module, name, value)
        yield
