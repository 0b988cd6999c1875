"""Tracing of functions: unknown arrays, unknown numbers, and the calls that are recorded.

A traced function runs once, on arrays without memory (:class:`Placeholder`) and on numbers that
stand for any number (:class:`Symbol`). Whatever asks for more than can be known then either makes
the trace narrower, which a guard remembers, or is an error. Nothing is ever guessed.
"""

from __future__ import annotations

from lazyarr.tracing.context import (
    REFUSALS,
    REFUSING,
    Number,
    Scope,
    Source,
    Trace,
    UnknownNumber,
    answered,
    current,
    differentiating,
    exact,
    inside,
    is_differentiating,
    is_traced,
    record_functions,
    recorded,
    recording,
    refusing,
    refusing_method,
    running,
    scope,
    thread_state,
    tracing,
)
from lazyarr.tracing.placeholders import (
    Placeholder,
    depends,
    placeholder,
    refuse_value,
    shape_was_read,
)
from lazyarr.tracing.symbols import SYMBOL, Draw, Drawn, Mismatch, Symbol, SymbolKey

__all__ = [
    "REFUSALS",
    "REFUSING",
    "SYMBOL",
    "Draw",
    "Drawn",
    "Mismatch",
    "Number",
    "Placeholder",
    "Scope",
    "Source",
    "Symbol",
    "SymbolKey",
    "Trace",
    "UnknownNumber",
    "answered",
    "current",
    "depends",
    "differentiating",
    "exact",
    "inside",
    "is_differentiating",
    "is_traced",
    "placeholder",
    "record_functions",
    "recorded",
    "recording",
    "refuse_value",
    "refusing",
    "refusing_method",
    "running",
    "scope",
    "shape_was_read",
    "thread_state",
    "tracing",
]
