"""Random reductions, normalisations and library calls."""

from __future__ import annotations

from typing import Any

import numpy as np

import lazyarr as la
from tests.support.drawing import Drawing, Skip, Value

Array = np.ndarray[Any, Any]


class Reductions(Drawing):
    """Draws reductions and library calls."""

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
