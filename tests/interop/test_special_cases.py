"""Special cases of the Python array API standard, 2024.12, in kernels and of arrays at once."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

#: What the standard says, a line for each case: operands (x, or x1 and x2; a and b are the parts of
#: a complex one) and the result. 0 and inf are of either sign, "nonzero" is finite, "!" negates.
CASES = """
acos: x=nan -> nan
acos: x>1 -> nan
acos: x<-1 -> nan
acos: x=1 -> +0
acos: a=0 b=+0 -> pi/2 - 0j
acos: a=0 b=nan -> pi/2 + nanj
acos: a=finite b=+inf -> pi/2 - infj
acos: a=nonzero b=nan -> nan + nanj
acos: a=-inf b=positive -> pi - infj
acos: a=+inf b=positive -> +0 - infj
acos: a=-inf b=+inf -> 3pi/4 - infj
acos: a=+inf b=+inf -> pi/4 - infj
acos: a=inf b=nan -> nan ± infj
acos: a=nan b=finite -> nan + nanj
acos: a=nan b=+inf -> nan - infj
acos: a=nan b=nan -> nan + nanj
acosh: x=nan -> nan
acosh: x<1 -> nan
acosh: x=1 -> +0
acosh: x=+inf -> +inf
acosh: a=0 b=+0 -> +0 + pi/2j
acosh: a=finite b=+inf -> +inf + pi/2j
acosh: a=nonzero b=nan -> nan + nanj
acosh: a=+0 b=nan -> nan ± pi/2j
acosh: a=-inf b=positive -> +inf + pij
acosh: a=+inf b=positive -> +inf + 0j
acosh: a=-inf b=+inf -> +inf + 3pi/4j
acosh: a=+inf b=+inf -> +inf + pi/4j
acosh: a=inf b=nan -> +inf + nanj
acosh: a=nan b=finite -> nan + nanj
acosh: a=nan b=+inf -> +inf + nanj
acosh: a=nan b=nan -> nan + nanj
add: either=nan -> nan
add: x1=+inf x2=-inf -> nan
add: x1=-inf x2=+inf -> nan
add: x1=+inf x2=+inf -> +inf
add: x1=-inf x2=-inf -> -inf
add: x1=+inf x2=finite -> +inf
add: x1=-inf x2=finite -> -inf
add: x1=finite x2=+inf -> +inf
add: x1=finite x2=-inf -> -inf
add: x1=-0 x2=-0 -> -0
add: x1=-0 x2=+0 -> +0
add: x1=+0 x2=-0 -> +0
add: x1=+0 x2=+0 -> +0
add: x1=0 x2=nonzero -> x2
add: x1=nonzero x2=0 -> x1
asin: x=nan -> nan
asin: x>1 -> nan
asin: x<-1 -> nan
asin: x=+0 -> +0
asin: x=-0 -> -0
asinh: x=nan -> nan
asinh: x=+0 -> +0
asinh: x=-0 -> -0
asinh: x=+inf -> +inf
asinh: x=-inf -> -inf
asinh: a=+0 b=+0 -> +0 + 0j
asinh: a=positive b=+inf -> +inf + pi/2j
asinh: a=finite b=nan -> nan + nanj
asinh: a=+inf b=positive -> +inf + 0j
asinh: a=+inf b=+inf -> +inf + pi/4j
asinh: a=nan b=+0 -> nan + 0j
asinh: a=nan b=nonzero -> nan + nanj
asinh: a=nan b=+inf -> ±inf + nanj
asinh: a=nan b=nan -> nan + nanj
atan: x=nan -> nan
atan: x=+0 -> +0
atan: x=-0 -> -0
atan: x=+inf -> +pi/2
atan: x=-inf -> -pi/2
atan2: either=nan -> nan
atan2: x1>0 x2=+0 -> +pi/2
atan2: x1>0 x2=-0 -> +pi/2
atan2: x1=+0 x2>0 -> +0
atan2: x1=+0 x2=+0 -> +0
atan2: x1=+0 x2=-0 -> +pi
atan2: x1=+0 x2<0 -> +pi
atan2: x1=-0 x2>0 -> -0
atan2: x1=-0 x2=+0 -> -0
atan2: x1=-0 x2=-0 -> -pi
atan2: x1=-0 x2<0 -> -pi
atan2: x1<0 x2=+0 -> -pi/2
atan2: x1<0 x2=-0 -> -pi/2
atan2: x1>0 x1=finite x2=+inf -> +0
atan2: x1>0 x1=finite x2=-inf -> +pi
atan2: x1<0 x1=finite x2=+inf -> -0
atan2: x1<0 x1=finite x2=-inf -> -pi
atan2: x1=+inf x2=finite -> +pi/2
atan2: x1=-inf x2=finite -> -pi/2
atan2: x1=+inf x2=+inf -> +pi/4
atan2: x1=+inf x2=-inf -> +3pi/4
atan2: x1=-inf x2=+inf -> -pi/4
atan2: x1=-inf x2=-inf -> -3pi/4
atanh: x=nan -> nan
atanh: x<-1 -> nan
atanh: x>1 -> nan
atanh: x=-1 -> -inf
atanh: x=+1 -> +inf
atanh: x=+0 -> +0
atanh: x=-0 -> -0
atanh: a=+0 b=+0 -> +0 + 0j
atanh: a=+0 b=nan -> +0 + nanj
atanh: a=1 b=+0 -> +inf + 0j
atanh: a=positive b=+inf -> +0 + pi/2j
atanh: a=nonzero b=nan -> nan + nanj
atanh: a=+inf b=positive -> +0 + pi/2j
atanh: a=+inf b=+inf -> +0 + pi/2j
atanh: a=+inf b=nan -> +0 + nanj
atanh: a=nan b=finite -> nan + nanj
atanh: a=nan b=+inf -> ±0 + pi/2j
atanh: a=nan b=nan -> nan + nanj
ceil: x=integer -> x
ceil: x=+inf -> +inf
ceil: x=-inf -> -inf
ceil: x=+0 -> +0
ceil: x=-0 -> -0
ceil: x=nan -> nan
cos: x=nan -> nan
cos: x=+0 -> 1
cos: x=-0 -> 1
cos: x=+inf -> nan
cos: x=-inf -> nan
divide: either=nan -> nan
divide: x1=inf x2=inf -> nan
divide: x1=0 x2=0 -> nan
divide: x1=+0 x2>0 -> +0
divide: x1=-0 x2>0 -> -0
divide: x1=+0 x2<0 -> -0
divide: x1=-0 x2<0 -> +0
divide: x1>0 x2=+0 -> +inf
divide: x1>0 x2=-0 -> -inf
divide: x1<0 x2=+0 -> -inf
divide: x1<0 x2=-0 -> +inf
divide: x1=+inf x2=positive -> +inf
divide: x1=+inf x2=negative -> -inf
divide: x1=-inf x2=positive -> -inf
divide: x1=-inf x2=negative -> +inf
divide: x1=positive x2=+inf -> +0
divide: x1=positive x2=-inf -> -0
divide: x1=negative x2=+inf -> -0
divide: x1=negative x2=-inf -> +0
exp: x=nan -> nan
exp: x=+0 -> 1
exp: x=-0 -> 1
exp: x=+inf -> +inf
exp: x=-inf -> +0
exp: a=0 b=+0 -> 1 + 0j
exp: a=finite b=+inf -> nan + nanj
exp: a=finite b=nan -> nan + nanj
exp: a=+inf b=+0 -> inf + 0j
exp: a=-inf b=+inf -> ±0 ± 0j
exp: a=+inf b=+inf -> ±inf + nanj
exp: a=-inf b=nan -> ±0 ± 0j
exp: a=+inf b=nan -> ±inf + nanj
exp: a=nan b=+0 -> nan + 0j
exp: a=nan b=!0 -> nan + nanj
exp: a=nan b=nan -> nan + nanj
expm1: x=nan -> nan
expm1: x=+0 -> +0
expm1: x=-0 -> -0
expm1: x=+inf -> +inf
expm1: x=-inf -> -1
expm1: a=0 b=+0 -> 0 + 0j
expm1: a=finite b=+inf -> nan + nanj
expm1: a=finite b=nan -> nan + nanj
expm1: a=+inf b=+0 -> +inf + 0j
expm1: a=-inf b=+inf -> -1 ± 0j
expm1: a=+inf b=+inf -> ±inf + nanj
expm1: a=-inf b=nan -> -1 ± 0j
expm1: a=+inf b=nan -> ±inf + nanj
expm1: a=nan b=+0 -> nan + 0j
expm1: a=nan b=!0 -> nan + nanj
expm1: a=nan b=nan -> nan + nanj
floor: x=integer -> x
floor: x=+inf -> +inf
floor: x=-inf -> -inf
floor: x=+0 -> +0
floor: x=-0 -> -0
floor: x=nan -> nan
log: x=nan -> nan
log: x<0 -> nan
log: x=0 -> -inf
log: x=1 -> +0
log: x=+inf -> +inf
log: a=-0 b=+0 -> -inf + pij
log: a=+0 b=+0 -> -inf + 0j
log: a=finite b=+inf -> +inf + pi/2j
log: a=finite b=nan -> nan + nanj
log: a=-inf b=positive -> +inf + pij
log: a=+inf b=positive -> +inf + 0j
log: a=-inf b=+inf -> +inf + 3pi/4j
log: a=+inf b=+inf -> +inf + pi/4j
log: a=inf b=nan -> +inf + nanj
log: a=nan b=finite -> nan + nanj
log: a=nan b=+inf -> +inf + nanj
log: a=nan b=nan -> nan + nanj
log1p: x=nan -> nan
log1p: x<-1 -> nan
log1p: x=-1 -> -inf
log1p: x=-0 -> -0
log1p: x=+0 -> +0
log1p: x=+inf -> +inf
log1p: a=-1 b=+0 -> -inf + 0j
log1p: a=finite b=+inf -> +inf + pi/2j
log1p: a=finite b=nan -> nan + nanj
log1p: a=-inf b=positive -> +inf + pij
log1p: a=+inf b=positive -> +inf + 0j
log1p: a=-inf b=+inf -> +inf + 3pi/4j
log1p: a=+inf b=+inf -> +inf + pi/4j
log1p: a=inf b=nan -> +inf + nanj
log1p: a=nan b=finite -> nan + nanj
log1p: a=nan b=+inf -> +inf + nanj
log1p: a=nan b=nan -> nan + nanj
log2: x=nan -> nan
log2: x<0 -> nan
log2: x=0 -> -inf
log2: x=1 -> +0
log2: x=+inf -> +inf
log10: x=nan -> nan
log10: x<0 -> nan
log10: x=0 -> -inf
log10: x=1 -> +0
log10: x=+inf -> +inf
logaddexp: either=nan -> nan
logaddexp: x1=+inf x2=!nan -> +inf
logaddexp: x1=!nan x2=+inf -> +inf
multiply: either=nan -> nan
multiply: x1=inf x2=0 -> nan
multiply: x1=0 x2=inf -> nan
nextafter: either=nan -> nan
nextafter: x1=-0 x2=+0 -> +0
nextafter: x1=+0 x2=-0 -> -0
pow: x1=!1 x2=nan -> nan
pow: x2=+0 -> 1
pow: x2=-0 -> 1
pow: x1=nan x2=!0 -> nan
pow: |x1|>1 x2=+inf -> +inf
pow: |x1|>1 x2=-inf -> +0
pow: |x1|=1 x2=+inf -> 1
pow: |x1|=1 x2=-inf -> 1
pow: x1=1 x2=!nan -> 1
pow: |x1|<1 x2=+inf -> +0
pow: |x1|<1 x2=-inf -> +inf
pow: x1=+inf x2>0 -> +inf
pow: x1=+inf x2<0 -> +0
pow: x1=-inf x2>0 x2=odd -> -inf
pow: x1=-inf x2>0 x2=!odd -> +inf
pow: x1=-inf x2<0 x2=odd -> -0
pow: x1=-inf x2<0 x2=!odd -> +0
pow: x1=+0 x2>0 -> +0
pow: x1=+0 x2<0 -> +inf
pow: x1=-0 x2>0 x2=odd -> -0
pow: x1=-0 x2>0 x2=!odd -> +0
pow: x1=-0 x2<0 x2=odd -> -inf
pow: x1=-0 x2<0 x2=!odd -> +inf
pow: x1<0 x1=finite x2=finite x2=fraction -> nan
sign: x<0 -> -1
sign: x=0 -> 0
sign: x>0 -> +1
sign: x=nan -> nan
sign: a=0 b=0 -> 0 + 0j
signbit: x=+0 -> False
signbit: x=-0 -> True
signbit: x=+inf -> False
signbit: x=-inf -> True
signbit: x=positive -> False
signbit: x=negative -> True
sin: x=nan -> nan
sin: x=+0 -> +0
sin: x=-0 -> -0
sin: x=inf -> nan
sqrt: x=nan -> nan
sqrt: x<0 -> nan
sqrt: x=+0 -> +0
sqrt: x=-0 -> -0
sqrt: x=+inf -> +inf
sqrt: a=0 b=+0 -> +0 + 0j
sqrt: a=any b=+inf -> +inf + infj
sqrt: a=finite b=nan -> nan + nanj
sqrt: a=-inf b=positive -> nan + nanj
sqrt: a=+inf b=positive -> +0 + infj
sqrt: a=-inf b=nan -> nan ± infj
sqrt: a=+inf b=nan -> +inf + nanj
sqrt: a=nan b=any -> nan + nanj
sqrt: a=nan b=nan -> nan + nanj
tan: x=nan -> nan
tan: x=+0 -> +0
tan: x=-0 -> -0
tan: x=inf -> nan
trunc: x=integer -> x
trunc: x=+inf -> +inf
trunc: x=-inf -> -inf
trunc: x=+0 -> +0
trunc: x=-0 -> -0
trunc: x=nan -> nan
""".split("\n")[1:-1]

#: Cases in which NumPy differs, and lazyarr gives NumPy's result; those of sqrt contradict others.
OF_NUMPY = {
    "expm1: a=0 b=+0 -> 0 + 0j",
    "expm1: a=+inf b=+0 -> +inf + 0j",
    "expm1: a=nan b=+0 -> nan + 0j",
    "expm1: a=-inf b=+inf -> -1 ± 0j",
    "expm1: a=-inf b=nan -> -1 ± 0j",
    "expm1: a=+inf b=+inf -> ±inf + nanj",
    "expm1: a=+inf b=nan -> ±inf + nanj",
    "sqrt: a=+inf b=positive -> +0 + infj",
    "sqrt: a=-inf b=positive -> nan + nanj",
    "sqrt: a=nan b=any -> nan + nanj",
}
VALUES = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -2.5, 100.0)
KINDS: dict[str, Callable[[float], bool]] = {
    "any": lambda value: True,
    "finite": math.isfinite,
    "nonzero": lambda value: math.isfinite(value) and value != 0,
    "positive": lambda value: math.isfinite(value) and value > 0,
    "negative": lambda value: math.isfinite(value) and value < 0,
    "inf": math.isinf,
    "odd": lambda value: math.isfinite(value) and value % 2 == 1,
    "integer": lambda value: math.isfinite(value) and value % 1 == 0,
    "fraction": lambda value: math.isfinite(value) and value % 1 != 0,
}


def number(text: str) -> float:
    """Return a number: a decimal one, an infinity, or a part of pi."""
    match = re.fullmatch(r"([+-]?)(\d*)pi(?:/(\d))?", text)
    if match is None:
        return float(text)
    sign, times, parts = match.groups()
    return float(f"{sign}1") * int(times or 1) * math.pi / int(parts or 1)


def is_same(value: float, other: float) -> bool:
    """Return whether two numbers are one, zeros of one sign; approximations count."""
    if math.isnan(other) or other == 0:
        signs = math.copysign(1, value) == math.copysign(1, other)
        return math.isnan(value) if math.isnan(other) else value == 0 and signs
    return math.isclose(value, other, rel_tol=1e-6)


def is_of(value: float, kind: str) -> bool:
    """Return whether an operand is of a kind of the table."""
    if kind[0] == "!":
        return not is_of(value, kind[1:])
    if kind[0] in "<>":
        bound = float(kind[1:])
        return value < bound if kind[0] == "<" else value > bound
    if kind in KINDS:
        return KINDS[kind](value)
    return value == 0 if kind == "0" else is_same(value, float(kind))


def holds(condition: str, operands: dict[str, float]) -> bool:
    """Return whether operands are those of a condition."""
    match = re.fullmatch(r"(\|?)(\w+)\|?(=|(?=[<>]))(.*)", condition)
    assert match is not None, condition
    size, name, _, kind = match.groups()
    if name == "either":
        return any(is_of(value, kind) for value in operands.values())
    if name == "signs":
        signs = {math.copysign(1, value) for value in operands.values()}
        return (len(signs) == 1) is (kind == "same")
    value = operands[name]
    return is_of(abs(value) if size else value, kind)


def is_result(value: Any, text: str, operands: dict[str, float]) -> bool:
    """Return whether a value is the result that the table names."""
    if text in operands:
        return is_same(float(value), operands[text])
    if text == "-x1":
        return is_same(float(value), -operands["x1"])
    if text in ("True", "False"):
        return bool(value) is (text == "True")
    if not text.endswith("j"):
        return is_same(float(value), number(text))
    real, sign, imaginary = text[:-1].split(" ")
    parts = [(value.real, real[0] == "±", real.lstrip("±"))]
    parts += [(value.imag, sign == "±", imaginary if sign != "-" else f"-{imaginary}")]
    return all(
        is_same(abs(part), abs(number(expected))) if free else is_same(part, number(expected))
        for part, free, expected in parts
    )


def operands_of(conditions: str) -> tuple[list[dict[str, float]], tuple[str, ...]]:
    """Return operands that a case is about, and their names."""
    words = conditions.split(" ")
    names = ("a", "b") if re.match(r"\|?[ab]\b", conditions) else ("x1", "x2")
    if re.match(r"\|?x\b", conditions):
        names = ("x",)
    grid: list[dict[str, float]] = [dict.fromkeys(names[:1], value) for value in VALUES]
    if len(names) == 2:
        grid = [row | {names[1]: value} for row in grid for value in VALUES]
    return [row for row in grid if all(holds(word, row) for word in words)], names


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("precision", [32, 64])
@pytest.mark.parametrize("name", sorted({line.partition(":")[0] for line in CASES}))
def test_special_cases(name: str, precision: int, immediate: int) -> None:
    function = getattr(la, name)
    for line in [line for line in CASES if line.startswith(f"{name}:")]:
        conditions, _, result = line.partition(": ")[2].partition(" -> ")
        rows, names = operands_of(conditions)
        assert rows, line
        columns = [np.array([row[key] for row in rows], f"f{precision // 8}") for key in names]
        if names[0] == "a":
            values = np.empty(len(rows), f"c{precision // 4}")
            values.real, values.imag = columns
            columns = [values]
        with la.config(immediate=immediate), np.errstate(all="ignore"):
            results = np.asarray(function(*map(la.asarray, columns)))
            theirs = getattr(np, name)(*columns)
        for row, value, numpys in zip(rows, results, theirs, strict=True):
            if line in OF_NUMPY:
                assert value.tobytes() == numpys.tobytes() or np.isnan(value), (line, row, value)
            else:
                assert is_result(value, result, row), (line, row, value)
