"""Public functions take what NumPy's take, by the same names, and nothing else."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la

_NAMESPACES = ((la, np), (la.linalg, np.linalg), (la.fft, np.fft))


def _pairs() -> Iterator[tuple[str, Callable[..., Any], Callable[..., Any]]]:
    for mine, theirs in _NAMESPACES:
        for name in sorted(mine.__all__):
            function = getattr(theirs, name, None)
            own = getattr(mine, name)
            if not callable(function) or isinstance(function, type) or own is function:
                continue
            yield f"{theirs.__name__}.{name}", own, function


PAIRS = {name: (own, function) for name, own, function in _pairs()}


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except ValueError:
        return None  # a builtin without a signature in this release


@pytest.mark.host
@pytest.mark.parametrize("name", PAIRS)
def test_every_parameter_of_numpy_is_one_here(name: str) -> None:
    own, function = (_signature(f) for f in PAIRS[name])
    if function is None:
        pytest.skip("this release of NumPy has no signature")
    assert own is not None
    kinds = inspect.Parameter
    mine, theirs = list(own.parameters.values()), list(function.parameters.values())
    by_place = [p.name for p in theirs if p.kind is kinds.POSITIONAL_OR_KEYWORD]
    named = {p.name for p in mine if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)}
    swallows = any(p.kind is kinds.VAR_KEYWORD for p in mine)
    their_own = any(p.kind is kinds.VAR_KEYWORD for p in theirs)
    keywords = {
        p.name for p in theirs if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
    }
    assert keywords <= named or (swallows and their_own), f"lacks {sorted(keywords - named)}"
    # By place: the same names in the same order.
    places = [
        p.name for p in mine if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.POSITIONAL_ONLY)
    ]
    theirs_by_place = [
        p.name for p in theirs if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.POSITIONAL_ONLY)
    ]
    assert len(places) >= len(theirs_by_place)
    for position, parameter in enumerate(theirs_by_place):
        if parameter in by_place:
            assert places[position] == parameter


#: What passes unknown keywords on to a function of the user's.
_PASSES_ON = {"numpy.piecewise", "numpy.fromfunction"}
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "numpy.pad": ([1.0], 1),
    "numpy.fromiter": ([1.0], float),
    "numpy.fromstring": ("1 2",),
    "numpy.frompyfunc": (abs, 1, 1),
}


@pytest.mark.host
@pytest.mark.parametrize("name", sorted(PAIRS.keys() - _PASSES_ON))
def test_unknown_keywords_and_devices_are_refused(name: str) -> None:
    own, _ = PAIRS[name]
    signature = _signature(own)
    parameters = {} if signature is None else signature.parameters
    required = [
        p
        for p in parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        arguments: tuple[Any, ...] = ("i->i", [1.0]) if name.endswith("einsum") else ([1.0, 2.0],)
    else:
        arguments = ([[1.0, 2.0], [3.0, 4.0]],) * len(required)
    arguments = _ARGUMENTS.get(name, arguments)
    with pytest.raises((TypeError, ValueError), match=r"keyword"):
        own(*arguments, dtpye="f4")
    if "device" not in parameters:
        return
    shaped: tuple[Any, ...] = (3,) * len(required)
    if name == "numpy.astype":
        shaped = (np.ones(1), "f4")
    elif name == "numpy.arange":
        shaped = (3,)
    elif name == "numpy.from_dlpack":
        shaped = (np.ones(2),)
    with pytest.raises(ValueError, match="Device not understood"):
        own(*shaped, device="nowhere")
