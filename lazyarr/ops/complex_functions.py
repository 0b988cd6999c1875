"""Functions of complex numbers in kernels: roots, exponentials, logarithms and trigonometry.

Each is written once, over the two real parts, without branches. Results are within a few units in
the last place of the size of the complex result; what C's Annex G says of zeros, infinities and NaN
holds, and where it leaves a sign open, it is that of the C library which NumPy calls.

Sources: W. Kahan, Branch Cuts for Complex Elementary Functions, 1987 (square root, inverse sine and
cosine, signs); GNU C Library, math/s_c*.c (the order of special cases; tangent and inverse
tangent); Handbook of Mathematical Functions, 4.3 and 4.5 (addition theorems).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.pair import Pair
from lazyarr.ops.complex_numbers import OfComplex

if TYPE_CHECKING:
    from collections.abc import Callable

    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand

__all__ = ["of_one"]


@dataclass(frozen=True, slots=True)
class Real:
    """A real number, or a truth value, of the code that is written: formulas read as such."""

    builder: Builder
    operand: Operand

    def _with(self, primitive: str, *others: Real | float) -> Real:
        operands = [self.of(other).operand for other in others]
        return Real(self.builder, self.builder.call(primitive, self.operand, *operands))

    def of(self, value: Real | float) -> Real:
        """Return a number in this one's dtype."""
        if isinstance(value, Real):
            return value
        return Real(self.builder, self.builder.literal(value, self.operand.dtype))

    def __add__(self, other: Real | float) -> Real:
        return self._with("add", other)

    def __sub__(self, other: Real | float) -> Real:
        return self._with("subtract", other)

    def __rsub__(self, other: float) -> Real:
        return self.of(other) - self

    def __mul__(self, other: Real | float) -> Real:
        return self._with("multiply", other)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Real | float) -> Real:
        return self._with("divide", other)

    def __rtruediv__(self, other: float) -> Real:
        return self.of(other) / self

    def __neg__(self) -> Real:
        return self._with("negative")

    def __abs__(self) -> Real:
        return self._with("absolute")

    def __lt__(self, other: Real | float) -> Real:
        return self._with("less", other)

    def __le__(self, other: Real | float) -> Real:
        return self._with("less_equal", other)

    def __gt__(self, other: Real | float) -> Real:
        return self._with("greater", other)

    def __ge__(self, other: Real | float) -> Real:
        return self._with("greater_equal", other)

    def __and__(self, other: Real) -> Real:
        return self._with("and", other)

    def __or__(self, other: Real) -> Real:
        return self._with("or", other)

    def __invert__(self) -> Real:
        return self._with("not")

    def equals(self, other: Real | float) -> Real:
        """Compare."""
        return self._with("equal", other)

    def least(self, other: Real | float) -> Real:
        """Return the smaller one, or NaN."""
        return self._with("minimum", other)

    def signed(self, other: Real) -> Real:
        """Return the size of this number with another's sign."""
        return self._with("copysign", other)

    def call(self, primitive: str, *others: Real) -> Real:
        """Return a function of this number and others.

        Parameters
        ----------
        primitive : str
            The function, of the loop IR.
        *others : Real
            Its further operands.
        """
        return self._with(primitive, *others)

    @property
    def is_nan(self) -> Real:
        """Whether it is no number."""
        return self._with("not_equal", self)

    @property
    def is_infinite(self) -> Real:
        """Whether it is an infinity."""
        return abs(self).equals(np.inf)

    @property
    def is_finite(self) -> Real:
        """Whether it is a number, and no infinity."""
        return abs(self) < np.inf


class Z(NamedTuple):
    """A complex number of two such."""

    x: Real
    y: Real


class Limits(NamedTuple):
    """The thresholds at which functions of a dtype change formulas."""

    exponent: float  #: exp of this and of twice this less a little is no infinity
    tangent: float  #: from here on tanh is 1, and the square of sinh still finite
    large: float  #: its double is no infinity
    small: float  #: from here on a square loses digits
    step: float  #: eps: the distance of the numbers next to 1


_LIMITS = {
    4: Limits(88.0, 40.0, 2.0**125, 2.0**-100, 2.0**-23),
    8: Limits(709.0, 300.0, 2.0**1021, 2.0**-960, 2.0**-52),
}


def limits(x: Real) -> Limits:
    """Return the limits of a number's dtype."""
    return _LIMITS[x.operand.dtype.itemsize]


def either(condition: Real, x: Real | float, y: Real) -> Real:
    """Return x where a condition holds, else y.

    Parameters
    ----------
    condition : Real
        A truth value.
    x : Real or float
        The result where it is true; a number takes the dtype of `y`.
    y : Real
        The result elsewhere.
    """
    builder = condition.builder
    return Real(builder, builder.call("select", condition.operand, y.of(x).operand, y.operand))


def of_one(function: Callable[[Z], Z]) -> OfComplex:
    """Return the expansion of a function of one complex number."""

    def expand(builder: Builder, value: Pair) -> Pair:
        result = function(Z(Real(builder, value.real), Real(builder, value.imag)))
        return Pair(result.x.operand, result.y.operand)

    expand.__doc__ = function.__doc__
    return expand


# ---------------------------------------------------------------- exponentials


def _scaled(x: Real) -> tuple[Real, Real, Real]:
    """Return an exponent that overflows nowhere, whether it is half of x, and a further factor.

    ``exp(x)`` is ``exp(a)`` times ``exp(a)`` where x is large, and infinite whatever it is
    multiplied with where it is larger than that; so what a sine makes small overflows last.
    """
    limit = limits(x).exponent
    big = x > limit - 1
    return either(big, (x * 0.5).least(limit), x), big, either(x > 2 * limit, np.inf, x.of(1.0))


def exp(z: Z) -> Z:
    """``e^x cos y + i e^x sin y``."""
    x, y = z
    exponent, big, further = _scaled(x)
    size = exponent.call("exp")
    again = either(big, size, x.of(1.0)) * further
    real, imag = (size * y.call(part) * again for part in ("cos", "sin"))
    # A size of nothing or infinity, and no angle.
    lost = x.is_infinite & ~y.is_finite
    real = either(lost, either(x > 0.0, np.inf, x.of(0.0)), real)
    imag = either(lost, either(x > 0.0, np.nan, x.of(0.0).signed(y)), imag)
    return Z(real, either(y.equals(0.0), y, imag))


def exp2(z: Z) -> Z:
    """Return ``exp(z ln 2)``; NumPy multiplies the parts in their own dtype too."""
    return exp(Z(z.x * np.log(2.0), z.y * np.log(2.0)))


def expm1(z: Z) -> Z:
    """``expm1(x) cos y - 2 sin(y/2)^2 + i e^x sin y``; at infinities as NumPy, not as Annex G."""
    x, y = z
    half = (y * 0.5).call("sin")
    less = x.call("expm1")
    return Z(less * y.call("cos") - 2.0 * half * half, (less + 1.0) * y.call("sin"))


def _hyperbolic(x: Real) -> tuple[Real, Real, Real]:
    """Return cosh and sinh of ``|x|``, both over a scale that is 1 where they are finite."""
    size = abs(x)
    exponent, big, further = _scaled(size)
    less = exponent.call("expm1")
    grown = less + 1.0
    cosh = either(big, 0.5 * grown, 0.5 * (grown + 1.0 / grown))
    sinh = either(big, 0.5 * grown, 0.5 * (less + less / grown))
    return cosh, sinh, either(big, grown, x.of(1.0)) * further


def _cosh_sinh(x: Real, y: Real) -> tuple[Real, Real, Real, Real]:
    """Return ``cosh x cos y``, ``sinh x sin y``, ``cosh x sin y`` and ``sinh x cos y``."""
    cosh, sinh, scale = _hyperbolic(x)
    cosine, sine = y.call("cos"), y.call("sin")
    sinh = sinh.signed(x)
    # The products of finite numbers come first: nothing meets infinity before its time.
    return cosh * cosine * scale, sinh * sine * scale, cosh * sine * scale, sinh * cosine * scale


def cosh(z: Z) -> Z:
    """``cosh x cos y + i sinh x sin y``."""
    x, y = z
    real, imag, _, _ = _cosh_sinh(x, y)
    real = either(x.is_infinite & ~y.is_finite, np.inf, real)
    flat = either(x.is_nan, y, x.of(0.0).signed(x) * x.of(1.0).signed(y))
    flat = either(y.is_finite, flat, x.of(0.0))
    return Z(real, either(x.equals(0.0) | y.equals(0.0), flat, imag))


def sinh(z: Z) -> Z:
    """``sinh x cos y + i cosh x sin y``."""
    x, y = z
    _, _, imag, real = _cosh_sinh(x, y)
    real = either(x.is_infinite & ~y.is_finite, np.inf, real)
    real = either(x.equals(0.0), x, real)
    return Z(real, either(y.equals(0.0), y, imag))


def tanh(z: Z) -> Z:
    """``(sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y)``."""
    x, y = z
    size = abs(x)
    far = size > limits(x).tangent
    less = size.least(limits(x).tangent).call("expm1")
    grown = less + 1.0
    cosh, sinh = 0.5 * (grown + 1.0 / grown), 0.5 * (less + less / grown)
    sine, cosine = y.call("sin"), y.call("cos")
    below = sinh * sinh + cosine * cosine
    turned = sine * cosine
    nothing = 0.0 * turned  # or NaN, of an angle that is none
    real = either(far, 1.0 + nothing, sinh * cosh / below)
    imag = either(far, nothing, turned / below)
    lost = x.is_infinite & ~y.is_finite
    real = either(x.equals(0.0), x, either(lost, 1.0, real).signed(x))
    return Z(real, either(y.equals(0.0), y, either(lost, x.of(0.0).signed(y), imag)))


# ---------------------------------------------------------------- roots and logarithms


def sqrt(z: Z) -> Z:
    """Return the root with a real part that is not negative (Kahan's CSQRT)."""
    x, y = z
    # Scaled, so that neither the size overflows nor a tiny part loses digits.
    size = abs(x).call("maximum", abs(y))
    large, small = size > limits(x).large, size < limits(x).small
    down = either(large, 0.25, either(small, 2.0**100, x.of(1.0)))
    up = either(large, 2.0, either(small, 2.0**-50, x.of(1.0)))
    real, imag = x * down, y * down
    far = real.call("hypot", imag)
    major = (0.5 * (far + abs(real))).call("sqrt")
    minor = abs(imag) / (2.0 * major)
    minor = either(major.equals(0.0), 0.0, minor)
    right = x >= 0.0
    first = either(right, major, minor) * up
    second = either(right, minor, major) * up
    endless = x.is_infinite
    first = either(endless & y.is_finite, either(x > 0.0, np.inf, x.of(0.0)), first)
    second = either(endless & y.is_finite, either(x > 0.0, 0.0, x.of(np.inf)), second)
    first = either(endless & y.is_nan, either(x > 0.0, np.inf, x.of(np.nan)), first)
    second = either(endless & y.is_nan, either(x > 0.0, np.nan, x.of(np.inf)), second)
    first = either(y.is_infinite, np.inf, first)
    second = either(y.is_infinite, np.inf, second)
    return Z(first, second.signed(y))


def _log(z: Z, excess: Real) -> Z:
    """Return the logarithm of a number whose ``x^2 - 1`` is given."""
    x, y = z
    across, along = abs(x), abs(y)
    large, small = across.call("maximum", along), across.least(along)
    near = (large >= 0.5) & (large <= 1.5)
    share = small / large
    plain = large.equals(0.0) | large.is_infinite
    share = either(plain, 0.0, share * share)
    upright = (along - 1.0) * (along + 1.0) + across * across
    share = either(near, either(across >= along, excess + along * along, upright), share)
    base = either(near, 0.0, large.call("log"))
    real = base + 0.5 * share.call("log1p")
    real = either(x.is_infinite | y.is_infinite, np.inf, real)
    return Z(real, y.call("atan2", x))


def log(z: Z) -> Z:
    """Return the logarithm of the size, and the angle; near the unit circle by ``|z|^2 - 1``."""
    size = abs(z.x)
    return _log(z, (size - 1.0) * (size + 1.0))


def log1p(z: Z) -> Z:
    """Return ``log(1 + z)``, where ``|1 + z|^2 - 1`` is ``x (2 + x) + y^2``."""
    return _log(Z(z.x + 1.0, z.y), z.x * (z.x + 2.0))


def _to_base(base: float) -> Callable[[Z], Z]:
    def logarithm(z: Z) -> Z:
        """Return ``log(z)`` times a constant, as NumPy does."""
        natural = log(z)
        factor = 1.0 / np.log(base)
        return Z(natural.x * factor, natural.y * factor)

    return logarithm


log2, log10 = _to_base(2.0), _to_base(10.0)


# ---------------------------------------------------------------- inverse functions


def _roots_about_one(z: Z) -> tuple[Z, Z]:
    """Return the roots of ``1 - z`` and ``1 + z``; the signs of zeros stay."""
    return sqrt(Z(1.0 - z.x, -z.y)), sqrt(Z(1.0 + z.x, z.y))


def arcsin(z: Z) -> Z:
    """``atan2(x, Re(a b)) + i asinh(Im(conj(a) b))``, a and b the roots of 1 - z and 1 + z."""
    x, y = z
    a, b = _roots_about_one(z)
    real = x.call("atan2", a.x * b.x - a.y * b.y)
    imag = (a.x * b.y - a.y * b.x).call("asinh")
    endless = x.is_infinite | y.is_infinite
    quarter = either(x.is_infinite & y.is_infinite, np.pi / 4, x.of(np.pi / 2))
    angle = either(x.is_infinite, quarter, x.of(0.0))
    real = either(endless, either(x.is_nan | y.is_nan, np.nan, angle).signed(x), real)
    imag = either(endless, np.inf, imag).signed(y)
    return Z(either(x.equals(0.0), x, real), imag)


def arccos(z: Z) -> Z:
    """``2 atan2(Re a, Re b) + i asinh(Im(conj(b) a))``, a and b the roots of 1 - z and 1 + z."""
    x, y = z
    a, b = _roots_about_one(z)
    real = 2.0 * a.x.call("atan2", b.x)
    imag = (b.x * a.y - b.y * a.x).call("asinh")
    endless = x.is_infinite | y.is_infinite
    slope = either(y.is_infinite, np.pi / 4, x.of(0.0))
    angle = either(x.is_infinite, either(x > 0.0, slope, np.pi - slope), x.of(np.pi / 2))
    real = either(endless, either(x.is_nan | y.is_nan, np.nan, angle), real)
    # Not with the sign of -y: where y is NaN, that is lost on a GPU.
    imag = -either(endless, np.inf, imag).signed(y)
    return Z(either(x.equals(0.0) & y.is_nan, np.pi / 2, real), imag)


def arccosh(z: Z) -> Z:
    """Return ``i arccos(z)`` or ``-i arccos(z)``: whose real part is not negative."""
    angle = arccos(z)
    return Z(abs(angle.y), angle.x.signed(z.y))


def arctanh(z: Z) -> Z:
    """``log1p(4 x / ((1 - x)^2 + y^2)) / 4 + i atan2(2 y, (1 - x)(1 + x) - y^2) / 2``."""
    x, y = z
    size = abs(x)
    away = 1.0 - size
    far = away.call("hypot", y)
    pole = far < limits(x).step
    usual = 0.25 * (4.0 * size / far / far).call("log1p")
    real = either(pole, -0.5 * (0.5 * far).call("log"), usual)
    imag = 0.5 * y.call("atan2", 0.5 * (away * (1.0 + size) - y * y))
    endless = x.is_infinite | y.is_infinite
    real = either(x.equals(0.0) | endless, 0.0, real).signed(x)
    flat = either(y.is_nan, np.nan, x.of(np.pi / 2)).signed(y)
    return Z(real, either(endless, flat, imag))


# ---------------------------------------------------------------- the same, turned


def _turned(function: Callable[[Z], Z]) -> Callable[[Z], Z]:
    def turned(z: Z) -> Z:
        value = function(Z(-z.y, z.x))
        return Z(value.y, -value.x)

    turned.__doc__ = f"Return ``-i {function.__name__}(i z)``."
    return turned


def cos(z: Z) -> Z:
    """``cosh(i z)``."""
    return cosh(Z(-z.y, z.x))


def sin(z: Z) -> Z:
    """``-i sinh(i z)``; for an infinity along the imaginary axis that one, for every angle."""
    value = _turned(sinh)(z)
    lost = z.y.is_infinite & ~z.x.is_finite
    return Z(value.x, either(lost, np.inf, value.y))


tan, arcsinh, arctan = _turned(tanh), _turned(arcsin), _turned(arctanh)
