"""Derivatives of elementwise operations.

A slope ``f(t, out, *operands)`` returns `t` times the partial derivative with respect to one
operand. It passes a tangent on as well as a cotangent, because a product with a number is its own
transpose. At a kink the value is stated in ``docs/gradients.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply
from lazyarr.differentiation.rules import (
    BY_OP,
    DISCRETE,
    Application,
    Cotangent,
    Rule,
    fitted,
    is_complex,
    refused,
    spread,
)
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.markers import PARAMETERS, RECOMPUTED, SELECTED, WARNED, WEIGHT
from lazyarr.ops.powers import whole_powers
from lazyarr.ops.product import PRODUCT, SUM_OF_PRODUCTS

__all__ = ["SLOPES"]

Slope = Callable[..., Any]

_LN2, _LN10 = math.log(2.0), math.log(10.0)
_TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


def _call(name: str, *operands: Any) -> LazyArray:
    return apply(ELEMENTWISE[name], operands)


def _where(condition: Any, x: Any, y: Any) -> LazyArray:
    return apply(ELEMENTWISE["where"], (condition, x, y))


def _same(t: Any, out: Any, *operands: Any) -> Any:
    return t


def _opposite(t: Any, out: Any, *operands: Any) -> Any:
    return -t


def _none(t: Any, out: Any, *operands: Any) -> None:
    return None


def _chosen(t: Any, wins: LazyArray, ties: LazyArray) -> LazyArray:
    """Return `t` where an operand is the extremum, half of it where both are, else 0."""
    return _where(wins, t, _where(ties, t * 0.5, 0.0))


def _larger(t: Any, out: Any, x: Any, y: Any) -> LazyArray:
    return _chosen(t, x > y, x == y)


def _smaller(t: Any, out: Any, x: Any, y: Any) -> LazyArray:
    return _chosen(t, x < y, x == y)


def _swapped(slope: Slope) -> Slope:
    return lambda t, out, x, y: slope(t, out, y, x)


def _picked(t: Any, out: Any, x: Any, y: Any) -> LazyArray:
    """Return the slope of an extremum that leaves NaN out: of the operand that it gives."""
    return _where(x == out, _where(y == out, t * 0.5, t), 0.0)


def _clipped(t: Any, out: Any, x: Any, low: Any, high: Any) -> LazyArray:
    raised = _call("maximum", x, low)
    return _larger(_smaller(t, out, raised, high), raised, x, low)


def _clip_low(t: Any, out: Any, x: Any, low: Any, high: Any) -> LazyArray:
    raised = _call("maximum", x, low)
    return _larger(_smaller(t, out, raised, high), raised, low, x)


def _clip_high(t: Any, out: Any, x: Any, low: Any, high: Any) -> LazyArray:
    return _smaller(t, out, high, _call("maximum", x, low))


def _base_of_power(t: Any, out: Any, x: Any, y: Any) -> Any:
    """``y x**(y - 1)``, which is 0 where y is, for every x.

    There it is ``y x**y / x``, of which the derivatives are right, too.
    """
    constant = _scalar_of(y)
    if constant is not None:
        # As a number the exponent keeps its exactness, and a square stays a product.
        number = constant.item()
        if number == 0:
            return t * 0.0
        if number == 1:
            return t
        if number == 2:
            return t * (2.0 * x)
        return t * (number * x ** (number - 1))
    zero = y == 0
    divisor = _where(zero, _where(abs(x) > 0, x, 1.0), 1.0)
    base = _where(zero, divisor, x)
    return t * (y * base ** _where(zero, y, y - 1) / divisor)


def _of_whole_power(exponent: int) -> Slope:
    return lambda t, out, x: t * (exponent * x ** (exponent - 1))


def _exponent_of_power(t: Any, out: Any, x: Any, y: Any) -> Any:
    """``x**y log(x)``, which counts as 0 where x is."""
    return t * (out * _call("log", _where(x == 0, 1.0, x)))


def _scalar_of(value: LazyArray) -> Any:
    from lazyarr.passes.simplify import constant_value

    return constant_value(value._node)


def _share(t: Any, out: Any, x: Any, y: Any) -> Any:
    """``exp(x) / (exp(x) + exp(y))``, a half where both are the same infinity."""
    return t * _where(x == y, 0.5, _call("expit", x - y))


def _binary_share(t: Any, out: Any, x: Any, y: Any) -> Any:
    return t * _where(x == y, 0.5, _call("expit", (x - y) * _LN2))


def _over_length(t: Any, out: Any, x: Any, y: Any) -> Any:
    """``x / hypot(x, y)``, which counts as 0 at the origin."""
    origin = out == 0
    return t * _where(origin, 0.0, x / _where(origin, 1.0, out))


def _radius(x: Any, y: Any) -> Any:
    return x * x + y * y


def _scaled_like(t: Any, out: Any, x: Any, y: Any) -> Any:
    return t * (_call("sign", x) * _call("copysign", 1.0, y))


def _tanh_slope(t: Any, out: Any, x: Any) -> Any:
    return t * (1.0 - out * out)


def _power_of_two(t: Any, out: Any, x: Any, exponent: Any) -> Any:
    return _call("ldexp", t, exponent)


def _mantissa_slope(t: Any, out: Any, x: Any) -> Any:
    return _call("ldexp", t, -_call("frexp_exponent", x))


def _inner_root(t: Any, out: Any, x: Any) -> Any:
    return t / _call("sqrt", (1.0 - x) * (1.0 + x))


def _outer_root(t: Any, out: Any, x: Any) -> Any:
    return t / (_call("sqrt", x * x + 1.0) if is_complex(x) else _call("hypot", x, 1.0))


_POWER = (_base_of_power, _exponent_of_power)

SLOPES: dict[str, tuple[Slope, ...]] = {
    "add": (_same, _same),
    "subtract": (_same, _opposite),
    "multiply": (lambda t, out, x, y: t * y, lambda t, out, x, y: t * x),
    "divide": (lambda t, out, x, y: t / y, lambda t, out, x, y: -(t * (out / y))),
    "remainder": (_same, lambda t, out, x, y: -(t * _call("floor_divide", x, y))),
    "divmod_remainder": (_same, lambda t, out, x, y: -(t * _call("floor_divide", x, y))),
    "fmod": (_same, lambda t, out, x, y: -(t * _call("trunc", x / y))),
    "negative": (_opposite,),
    "positive": (_same,),
    "fabs": (lambda t, out, x: t * _call("sign", x),),
    "reciprocal": (lambda t, out, x: -(t * (out * out)),),
    "square": (lambda t, out, x: t * (2.0 * x),),
    "maximum": (_larger, _swapped(_larger)),
    "minimum": (_smaller, _swapped(_smaller)),
    "fmax": (_picked, _swapped(_picked)),
    "fmin": (_picked, _swapped(_picked)),
    "clip": (_clipped, _clip_low, _clip_high),
    "sqrt": (lambda t, out, x: t * 0.5 / out,),
    "cbrt": (lambda t, out, x: t / (3.0 * (out * out)),),
    "exp": (lambda t, out, x: t * out,),
    "exp2": (lambda t, out, x: t * (out * _LN2),),
    "exp10": (lambda t, out, x: t * (out * _LN10),),
    "expm1": (lambda t, out, x: t * (out + 1.0),),
    "log": (lambda t, out, x: t / x,),
    "log2": (lambda t, out, x: t / (x * _LN2),),
    "log10": (lambda t, out, x: t / (x * _LN10),),
    "log1p": (lambda t, out, x: t / (x + 1.0),),
    "power": _POWER,
    "float_power": _POWER,
    "logaddexp": (_share, _swapped(_share)),
    "logaddexp2": (_binary_share, _swapped(_binary_share)),
    "sin": (lambda t, out, x: t * _call("cos", x),),
    "cos": (lambda t, out, x: -(t * _call("sin", x)),),
    "tan": (lambda t, out, x: t * (1.0 + out * out),),
    "arcsin": (_inner_root,),
    "arccos": (lambda t, out, x: -_inner_root(t, out, x),),
    "arctan": (lambda t, out, x: t / (1.0 + x * x),),
    "arctan2": (
        lambda t, out, y, x: t * (x / _radius(x, y)),
        lambda t, out, y, x: -(t * (y / _radius(x, y))),
    ),
    "hypot": (_over_length, _swapped(_over_length)),
    "sinh": (lambda t, out, x: t * _call("cosh", x),),
    "cosh": (lambda t, out, x: t * _call("sinh", x),),
    "tanh": (_tanh_slope,),
    "arcsinh": (_outer_root,),
    "arccosh": (lambda t, out, x: t / (_call("sqrt", x - 1.0) * _call("sqrt", x + 1.0)),),
    "arctanh": (lambda t, out, x: t / ((1.0 - x) * (1.0 + x)),),
    "degrees": (lambda t, out, x: t * (180.0 / math.pi),),
    "rad2deg": (lambda t, out, x: t * (180.0 / math.pi),),
    "radians": (lambda t, out, x: t * (math.pi / 180.0),),
    "deg2rad": (lambda t, out, x: t * (math.pi / 180.0),),
    "copysign": (_scaled_like, _none),
    "nextafter": (_same, _none),
    "ldexp": (_power_of_two, _none),
    "modf_fraction": (_same,),
    "frexp_mantissa": (_mantissa_slope,),
    "where": (
        _none,
        lambda t, out, c, x, y: _where(c, t, 0.0),
        lambda t, out, c, x, y: _where(c, 0.0, t),
    ),
    "erf": (lambda t, out, x: t * (_TWO_OVER_ROOT_PI * _call("exp", -(x * x))),),
    "erfc": (lambda t, out, x: -(t * (_TWO_OVER_ROOT_PI * _call("exp", -(x * x)))),),
    "expit": (lambda t, out, x: t * (out * (1.0 - out)),),
    "logit": (lambda t, out, x: t / (x * (1.0 - x)),),
}
"""For each operation that is holomorphic, or takes real numbers alone, its partial derivatives."""

_CONSTANT = (
    "floor_divide sign heaviside rint floor ceil trunc gcd lcm bitwise_and bitwise_or bitwise_xor "
    "invert left_shift right_shift bitwise_count equal not_equal less less_equal greater "
    "greater_equal logical_and logical_or logical_xor logical_not isnan isinf isfinite signbit "
    "spacing modf_integral frexp_exponent divmod_quotient"
).split()
"""Operations that are constant between their jumps."""


def _of_slopes(name: str, slopes: tuple[Slope, ...]) -> Rule:
    def vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
        out, operands = at.out, at.operands
        cotangents: list[Cotangent] = []
        for slope, needed, source in zip(slopes, at.needed, at.node.src, strict=True):
            share = slope(g, out, *operands) if needed else None
            cotangents.append(None if share is None else fitted(share, source))
        return cotangents

    def jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
        out, operands = at.out, at.operands
        total: LazyArray | None = None
        for slope, t in zip(slopes, tangents, strict=True):
            share = None if t is None else slope(t, out, *operands)
            if share is not None:
                total = share if total is None else total + share
        return None if total is None else spread(total, at.node)

    return Rule(vjp, jvp)


def _of_one(vjp: Callable[..., Any], jvp: Callable[..., Any]) -> Rule:
    """Return the rule of a function of one operand that is not holomorphic."""

    def backward(at: Application, g: LazyArray) -> Sequence[Cotangent]:
        return [fitted(vjp(g, at.out, at.operand(0)), at.node.src[0])]

    def forward(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
        (t,) = tangents
        return None if t is None else spread(jvp(t, at.out, at.operand(0)), at.node)

    return Rule(backward, forward)


def _as_complex(x: LazyArray) -> LazyArray:
    return x.astype(np.result_type(x.dtype, np.complex64))


def _direction(out: Any, z: Any) -> Any:
    """``z / |z|``, 0 at 0."""
    zero = out == 0
    return _where(zero, 0.0, z / _where(zero, 1.0, out))


def _absolute_vjp(g: Any, out: Any, x: Any) -> Any:
    return g * (_direction(out, x).conj() if is_complex(x) else _call("sign", x))


def _absolute_jvp(t: Any, out: Any, x: Any) -> Any:
    return (t * _direction(out, x).conj()).real if is_complex(x) else t * _call("sign", x)


def _sign_vjp(g: Any, out: Any, x: Any) -> Any:
    """Transpose ``t -> i out Im(t conj(out)) / |x|``."""
    if not is_complex(x):
        return g * 0.0
    size = _call("absolute", x)
    along = (1j * out * g).real / _where(size == 0, 1.0, size)
    return -1j * along * out.conj()


def _sign_jvp(t: Any, out: Any, x: Any) -> Any:
    if not is_complex(x):
        return t * 0.0
    size = _call("absolute", x)
    return 1j * out * ((t * out.conj()).imag / _where(size == 0, 1.0, size))


def _angle_vjp(g: Any, out: Any, x: Any) -> Any:
    if not is_complex(x):
        return g * 0.0
    return -1j * g * x.conj() / _radius(x.real, x.imag)


def _angle_jvp(t: Any, out: Any, x: Any) -> Any:
    if not is_complex(x):
        return t * 0.0
    return (t * x.conj()).imag / _radius(x.real, x.imag)


def _conjugate(t: Any, out: Any, x: Any) -> Any:
    return t.conj() if is_complex(t) else t


def _real(t: Any, out: Any, x: Any) -> Any:
    return t.real


def _imag_vjp(g: Any, out: Any, x: Any) -> Any:
    return _as_complex(g) * -1j if is_complex(x) else g * 0.0


def _cast_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [fitted(g, at.node.src[0])]


def _cast_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    return None if t is None else spread(t, at.node)


def _complex_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    """Return the cotangents of ``Re(g (dx + i dy)) = Re(g) dx - Im(g) dy``."""
    x, y = at.node.src
    return [fitted(g.real, x), fitted(-g.imag, y)]


def _complex_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    if all(t is None for t in tangents):
        return None
    real, imag = (0.0 if t is None else t for t in tangents)
    return spread(_call("complex", real, imag), at.node)


BY_OP |= {ELEMENTWISE[name]: _of_slopes(name, slopes) for name, slopes in SLOPES.items()}
BY_OP |= {
    op: _of_slopes(op.name, (_of_whole_power(exponent),)) for exponent, op in whole_powers().items()
}
BY_OP |= {ELEMENTWISE[name]: DISCRETE for name in _CONSTANT}
BY_OP |= {
    ELEMENTWISE["absolute"]: _of_one(_absolute_vjp, _absolute_jvp),
    ELEMENTWISE["sign"]: _of_one(_sign_vjp, _sign_jvp),
    ELEMENTWISE["angle"]: _of_one(_angle_vjp, _angle_jvp),
    ELEMENTWISE["conjugate"]: _of_one(_conjugate, _conjugate),
    ELEMENTWISE["real"]: _of_one(lambda g, out, x: g, _real),
    ELEMENTWISE["imag"]: _of_one(_imag_vjp, lambda t, out, x: t.imag),
    ELEMENTWISE["cast"]: Rule(_cast_vjp, _cast_jvp),
    ELEMENTWISE["complex"]: Rule(_complex_vjp, _complex_jvp),
    RECOMPUTED: _of_slopes("recomputed", (_same, _none)),
    WARNED: _of_slopes("warned", (_same, _none)),
    WEIGHT: _of_slopes("total weight", (_same,)),
    **{op: _of_slopes(op.name, (_same,)) for op in PARAMETERS.values()},
    SELECTED: _of_slopes("selected", (_same, _none)),
    PRODUCT: refused("it stands in plans alone"),
    SUM_OF_PRODUCTS: refused("it stands in plans alone"),
}
