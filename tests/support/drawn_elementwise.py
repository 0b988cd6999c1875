"""Random elementwise operations."""

from __future__ import annotations

import numpy as np

from tests.support.drawing import DTYPES, Drawing, Skip, Value


class Elementwise(Drawing):
    """Draws elementwise operations."""

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
