"""Compute the constants of functions in lazyarr/codegen/emit and lazyarr/runtime/cpu.

They come from nothing but formulas.

Each polynomial is the best in the sense of Chebyshev: the exchange algorithm of Remez [1]_ finds
the coefficients whose largest weighted error is least. They are then rounded to the format that
holds them: in float32 the lowest power first, and the rest is fitted again after each, which makes
up for what rounding took. Values of pi, ln 2 and of the functions come from their series, in
decimal numbers of 80 digits. Nothing but the standard library is needed::

    python tools/polynomials.py

.. [1] E. Ya. Remez, "Sur la détermination des polynômes d'approximation de degré donnée", Comm.
   Soc. Math. Kharkov 10 (1934).
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable, Sequence
from decimal import ROUND_FLOOR, Decimal, getcontext
from fractions import Fraction

getcontext().prec = 80

Function = Callable[[Decimal], Decimal]

#: Points at which an error is looked at.
POINTS = 1200
#: Where intervals begin that would begin at 0, where a relative error has no meaning.
TINY = Decimal("1e-6")


def pi() -> Decimal:
    """Return pi, by Machin's formula: pi / 4 = 4 arctan(1/5) - arctan(1/239)."""

    def arctan(inverse: int) -> Decimal:
        total, power, k = Decimal(0), Decimal(1) / inverse, 0
        while abs(power) > Decimal(10) ** -78:
            total += power / (2 * k + 1)
            power /= -inverse * inverse
            k += 1
        return total

    return 4 * (4 * arctan(5) - arctan(239))


def series(x: Decimal, ratio: Callable[[int], Decimal], first: Decimal) -> Decimal:
    """Return the sum of terms of which each is the one before times x and a ratio."""
    total, term, k = Decimal(0), first, 0
    while abs(term) > Decimal(10) ** -78:
        total += term
        term *= x * ratio(k)
        k += 1
    return total


def sine_rest(s: Decimal) -> Decimal:
    """Return (sin(r) / r - 1) / s for s = r * r: the sum of (-s)**k / (2k + 3)!, negative."""
    return series(-s, lambda k: 1 / Decimal((2 * k + 4) * (2 * k + 5)), Decimal(-1) / 6)


def cosine_rest(s: Decimal) -> Decimal:
    """Return (cos(r) - 1) / s for s = r * r: the sum of (-s)**k / (2k + 2)!, negative."""
    return series(-s, lambda k: 1 / Decimal((2 * k + 3) * (2 * k + 4)), Decimal(-1) / 2)


def exponential_rest(r: Decimal) -> Decimal:
    """Return (exp(r) - 1 - r) / r**2: the sum of r**k / (k + 2)!."""
    return series(r, lambda k: 1 / Decimal(k + 3), Decimal(1) / 2)


def logarithm_rest(r: Decimal) -> Decimal:
    """Return (log(1 + r) - r) / r**2; near 0 by its series."""
    if abs(r) < TINY:
        return Decimal(-1) / 2 + r / 3 - r * r / 4
    return ((1 + r).ln() - r) / (r * r)


def cubic_rest(r: Decimal) -> Decimal:
    """Return (log(1 + r) - r + r**2 / 2) / r**3; near 0 by its series."""
    if abs(r) < TINY:
        return Decimal(1) / 3 - r / 4 + r * r / 5
    return (logarithm_rest(r) + Decimal(1) / 2) / r


def binary_logarithm_ratio(r: Decimal) -> Decimal:
    """Return log2(1 + r) / r."""
    return (1 + r * logarithm_rest(r)) / Decimal(2).ln()


def solve(rows: list[list[Decimal]]) -> list[Decimal]:
    """Return the solution of linear equations, each a row with its right side last."""
    n = len(rows)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def remez(
    function: Function,
    weight: Function,
    powers: Sequence[int],
    low: Decimal,
    high: Decimal,
) -> tuple[list[Decimal], Decimal]:
    """Return the coefficients of these powers with the least weighted error, and that error."""
    count = len(powers) + 1
    middle, half = (low + high) / 2, (high - low) / 2
    grid = [middle - half * Decimal(math.cos(math.pi * k / POINTS)) for k in range(POINTS + 1)]
    values, weights = [function(x) for x in grid], [weight(x) for x in grid]
    powers_of = [[x**p for p in powers] for x in grid]
    places = [round(POINTS * (2 * k + 1) / (2 * count)) for k in range(count)]
    for _ in range(60):
        rows = [[*powers_of[i], (-1) ** k / weights[i], values[i]] for k, i in enumerate(places)]
        *coefficients, level = solve(rows)
        errors = [
            w * (sum(c * p for c, p in zip(coefficients, ps, strict=True)) - f)
            for w, ps, f in zip(weights, powers_of, values, strict=True)
        ]
        extremes: list[int] = []  # the largest of each run of errors of one sign
        for i, error in enumerate(errors):
            if extremes and (error > 0) == (errors[extremes[-1]] > 0):
                if abs(error) > abs(errors[extremes[-1]]):
                    extremes[-1] = i
            else:
                extremes.append(i)
        while len(extremes) > count:
            # The smaller of both ends; the signs still alternate.
            ends = (0, -1)
            extremes.pop(min(ends, key=lambda end: abs(errors[extremes[end]])))
        worst = max(abs(error) for error in errors)
        if len(extremes) < count or worst <= abs(level) * Decimal("1.0001"):
            return coefficients, worst
        places = extremes
    raise ArithmeticError("the exchange does not converge")


def rounded(value: Decimal, kind: str) -> Decimal:
    """Return the nearest number of a format: ``f`` (float32) or ``d`` (float64)."""
    exact = Fraction(value)
    near = float(exact)  # Python rounds fractions to nearest
    if kind == "d":
        return Decimal(near)
    exponent = math.frexp(near)[1] - 24
    return Decimal(float(round(exact / Fraction(2) ** exponent) * Fraction(2) ** exponent))


def fit(function: Function, weight: Function, count: int, high: Decimal) -> list[Decimal]:
    """Return coefficients of float32 for the interval from 0, the lowest power first."""
    coefficients: list[Decimal] = []
    for k in range(count):

        def rest(x: Decimal) -> Decimal:
            fixed = (c * x**p for p, c in enumerate(coefficients))
            return function(x) - sum(fixed, Decimal(0))

        best, _ = remez(rest, weight, range(k, count), TINY, high)
        coefficients.append(rounded(best[0], "f"))
    return coefficients


def bits(value: Decimal, kind: str) -> str:
    """Return the bits of a number that a format holds."""
    integer = {"f": ">I", "d": ">Q"}[kind]
    width = {"f": 8, "d": 16}[kind]
    return f"0x{struct.unpack(integer, struct.pack('>' + kind, float(value)))[0]:0{width}x}"


def split(value: Decimal, kind: str, parts: int, width: int) -> list[Decimal]:
    """Return numbers of `width` bits that add up to a value, the last one rounded."""
    results = []
    for k in range(parts):
        if k == parts - 1:
            results.append(rounded(value, kind))
        else:
            unit = Decimal(2) ** (math.frexp(float(value))[1] - width)
            results.append((value / unit).to_integral_value(ROUND_FLOOR) * unit)
        value -= results[-1]
    return results


def table_constants() -> dict[str, list[str]]:
    """Return the bits of tables of sixteen float64, and of what else logarithms and powers need.

    A c of the table is near the middle of a sixteenth of the mantissas from 1 to 2, so that its
    inverse has few digits; the lowest is 1 and the highest 2.
    """
    ln2 = Decimal(2).ln()
    edges = [1 + Decimal(k) / 16 for k in range(17)]
    middles = [2 / (low + high) for low, high in itertools.pairwise(edges)]
    inverses = [Decimal(round(middle * 1024)) / 1024 for middle in middles]
    inverses[0], inverses[-1] = Decimal(1), Decimal(1) / 2
    ends = [c * edge - 1 for k, c in enumerate(inverses) for edge in edges[k : k + 2]]
    low, high = min(ends), max(ends)
    # High parts are multiples of one power of 2, so that those of k ln 2 and of ln c add exactly.
    unit = Decimal(2) ** -41
    logarithms = [-c.ln() for c in inverses]
    highs = [(value / unit).to_integral_value() * unit for value in [ln2, *logarithms]]
    lows = [value - part for value, part in zip([ln2, *logarithms], highs, strict=True)]
    sixteenth = Decimal(1) / 32 * Decimal("1.001")
    binary, _ = remez(
        binary_logarithm_ratio, lambda r: 1 / binary_logarithm_ratio(r), range(6), low, high
    )
    power, _ = remez(
        lambda f: (f * ln2).exp(), lambda f: 1 / (f * ln2).exp(), range(4), -sixteenth, sixteenth
    )
    natural = _natural(range(9), low, high)
    cubic, _ = remez(
        cubic_rest, lambda r: r * r / (1 + r * logarithm_rest(r)), range(10), low, high
    )
    step = ln2 / 32 * Decimal("1.001")
    short, _ = remez(exponential_rest, lambda r: r * r / r.exp(), range(5), -step, step)
    root = Decimal(1) / 2
    narrow = _natural(range(9), root.sqrt() - 1 - TINY, 2 * root.sqrt() - 1 + TINY)
    exact = [(k * ln2 / 16).exp() for k in range(16)]
    powers = [rounded(value, "d") for value in exact]
    doubles = {
        "inverses": inverses,
        "binary logarithms": [value / ln2 for value in logarithms],
        "powers": powers,
        "rests of powers": [value / near - 1 for value, near in zip(exact, powers, strict=True)],
        "binary logarithm": binary,
        "power": power,
        "natural logarithms": highs[1:],
        "their rests": lows[1:],
        "natural logarithm": natural,
        "parts of ln(2)": [highs[0], lows[0]],
        "cubic logarithm": cubic,
        "short exponential": short,
        "16 / ln(2)": [16 / ln2],
        "parts of ln(2) / 16": split(ln2 / 16, "d", 2, 38),
    }
    results = {
        name: [bits(rounded(c, "d"), "d") for c in values] for name, values in doubles.items()
    }
    results["natural logarithm of float32"] = [bits(rounded(c, "f"), "f") for c in narrow]
    results["ln(2) of float32"] = [bits(rounded(ln2, "f"), "f")]
    results["half a root of 2"] = [bits(rounded(root.sqrt(), "f"), "f")]
    return results


def _natural(powers: Sequence[int], low: Decimal, high: Decimal) -> list[Decimal]:
    """Return the coefficients of (log(1 + r) - r) / r**2, relative to the logarithm."""

    def weight(r: Decimal) -> Decimal:
        return abs(r) / (1 + r * logarithm_rest(r))

    return remez(logarithm_rest, weight, powers, low, high)[0]


def constants() -> dict[str, list[str]]:
    """Return the bits of all constants, by what they are."""
    half_pi = pi() / 2
    ln2 = Decimal(2).ln()
    quarter = (half_pi / 2 * Decimal("1.0001")) ** 2
    half_ln2 = ln2 / 2 * Decimal("1.0001")
    # Relative to the sine, the cosine and the exponential.
    sine = fit(sine_rest, lambda s: s / (1 + s * sine_rest(s)), 3, quarter)
    cosine = fit(cosine_rest, lambda s: s / (1 + s * cosine_rest(s)), 4, quarter)
    exponential, _ = remez(
        exponential_rest, lambda r: r * r / r.exp(), range(10), -half_ln2, half_ln2
    )
    short, _ = remez(exponential_rest, lambda r: r * r / r.exp(), range(5), -half_ln2, half_ln2)
    digits = int((1 / half_pi * Decimal(2) ** 192).to_integral_value(ROUND_FLOOR))
    words = [f"0x{digits >> 32 * k & 0xFFFFFFFF:08x}" for k in range(6)]
    return {
        "sine": [bits(c, "f") for c in sine],
        "cosine": [bits(c, "f") for c in cosine],
        "2 / pi": [bits(rounded(1 / half_pi, "f"), "f")],
        "pi / 2": [bits(c, "f") for c in split(half_pi, "f", 3, 24)],
        "digits of 2 / pi": words,
        "pi / 2 * 2**-64": [bits(rounded(half_pi / Decimal(2) ** 64, "d"), "d")],
        "exponential": [bits(rounded(c, "d"), "d") for c in exponential],
        "exponential of float32": [bits(rounded(c, "f"), "f") for c in short],
        "log2(e) of float32": [bits(rounded(1 / ln2, "f"), "f")],
        "short parts of ln(2)": [bits(c, "d") for c in split(ln2, "d", 2, 41)],
        "short parts of ln(2) of float32": [bits(c, "f") for c in split(ln2, "f", 2, 15)],
        "log2(e)": [bits(rounded(1 / ln2, "d"), "d")],
        "ln(2)": [bits(c, "d") for c in split(ln2, "d", 2, 53)],
        **table_constants(),
    }


if __name__ == "__main__":
    for name, values in constants().items():
        print(f"{name}: {' '.join(values)}")
