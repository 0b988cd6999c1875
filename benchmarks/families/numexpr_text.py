"""Members in numexpr's language: their computations are recorded as text.

Numexpr has no axes, slices or products of matrices, so it takes part in elementwise families alone.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

__all__ = ["NAMES", "numexpr_text"]

#: What the arrays are called.
NAMES = "abcdefgh"
#: Longest text: numexpr has no names for intermediate values, so some computations repeat theirs.
LONGEST = 2000
_FUNCTIONS = ("abs", "cos", "exp", "log", "sin", "sqrt", "tanh")


class _Text:
    """An expression that is being written."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise TypeError("too long an expression")
        self.text = text

    def __neg__(self) -> _Text:
        return _Text(f"(-{self.text})")


def _join(sign: str, swapped: bool = False) -> Callable[[_Text, Any], _Text]:
    """Return the method of a binary operator."""

    def method(self: _Text, other: Any) -> _Text:
        left, right = (other, self) if swapped else (self, other)
        return _Text(f"({_of(left)} {sign} {_of(right)})")

    return method


def _of(value: Any) -> str:
    """Return the text of an operand: an expression or a number."""
    if isinstance(value, _Text):
        return value.text
    if type(value) not in (int, float):
        raise TypeError(f"{value!r} is no operand of numexpr")
    return f"({value!r})" if value < 0 else repr(value)


for _name, _sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("pow", "**")):
    setattr(_Text, f"__{_name}__", _join(_sign))
    setattr(_Text, f"__r{_name}__", _join(_sign, swapped=True))
for _name, _sign in (("gt", ">"), ("lt", "<"), ("and", "&"), ("or", "|"), ("xor", "^")):
    setattr(_Text, f"__{_name}__", _join(_sign))


def _function(name: str) -> Callable[..., _Text]:
    """Return a function of numexpr."""
    return lambda *values: _Text(f"{name}({', '.join(map(_of, values))})")


_NAMESPACE = SimpleNamespace(
    **{name: _function(name) for name in (*_FUNCTIONS, "where")},
    maximum=lambda x, y: _NAMESPACE.where(_join(">")(x, y), x, y),
    minimum=lambda x, y: _NAMESPACE.where(_join("<")(x, y), x, y),
)


def numexpr_text(compute: Callable[..., Any], count: int) -> str | None:
    """Return a computation in numexpr's language; None where it has no words for it.

    Parameters
    ----------
    compute : callable
        ``compute(xp, *arrays)``.
    count : int
        Of its arrays.

    Examples
    --------
    >>> numexpr_text(lambda xp, x, y: xp.exp(-x) * 2 + y, 2)
    '((exp((-a)) * 2) + b)'
    >>> numexpr_text(lambda xp, x: x[1:], 1) is None
    True
    """
    try:
        result = compute(_NAMESPACE, *map(_Text, NAMES[:count]))
    except (TypeError, AttributeError):
        return None
    return result.text if isinstance(result, _Text) else None
