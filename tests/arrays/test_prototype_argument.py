"""The argument like= of functions that make arrays."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import lazyarr as la


class Answering:
    """An array of another library, by the protocol of NEP 18."""

    def __array_function__(self, function: Any, types: Any, args: Any, keywords: Any) -> Any:
        if function is np.zeros:
            return NotImplemented
        return function.__name__, args, keywords


CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "arange": ((3,), {}),
    "array": ((1,), {}),
    "asanyarray": ((1,), {}),
    "asarray": ((1,), {}),
    "ascontiguousarray": (((2, 3),), {}),
    "asfortranarray": (((2, 3),), {}),
    "empty": ((1,), {}),
    "eye": ((2,), {"k": 1}),
    "frombuffer": ((b"\0" * 8,), {"dtype": int}),
    "fromfunction": ((lambda i: i, (2,)), {}),
    "fromiter": ((range(3),), {"dtype": int}),
    "fromstring": (("1,2",), {"dtype": int, "sep": ","}),
    "full": ((1, 2), {"dtype": "f4"}),
    "identity": ((2,), {}),
    "ones": ((1,), {}),
    "require": (((1, 2),), {"requirements": "F"}),
    "tri": ((2,), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_another_librarys_array_makes_one_of_its_own(name: str) -> None:
    function, (args, keywords) = getattr(la, name), CALLS[name]
    assert function(*args, **keywords, like=Answering())[0] == name
    for like in (la.zeros(2), np.zeros(2), None):
        assert isinstance(function(*args, **keywords, like=like), la.LazyArray)
    with pytest.raises(TypeError, match="must be an array-like that implements"):
        function(*args, **keywords, like=[1, 2])


def test_what_a_library_does_not_implement_is_refused() -> None:
    with pytest.raises(TypeError, match=r"no implementation found for 'numpy\.zeros'"):
        la.zeros(2, like=Answering())


@pytest.mark.parametrize("name", ["loadtxt", "genfromtxt"])
def test_readers_hand_over_too(name: str) -> None:
    text = io.StringIO("1 2")
    answer, (first, *_), _ = getattr(la, name)(text, like=Answering())
    assert (answer, first) == (name, text)
    assert getattr(la, name)(io.StringIO("1 2"), like=la.zeros(1)).tolist() == [1, 2]
