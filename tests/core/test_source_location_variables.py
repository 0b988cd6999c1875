"""Which values are variables of the function that runs an operation."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from lazyarr.core.source_location import is_lent, is_variable

pytestmark = pytest.mark.host

VALUE = object()


def _of_a_variable(ask: Callable[[object], bool]) -> bool:
    value = object()
    return ask(value)


def _of_a_parameter(ask: Callable[[object], bool], value: object) -> bool:
    return ask(value)


def _of_a_variable_that_is_gone(ask: Callable[[object], bool]) -> bool:
    value = [object()]
    return ask(value.pop())


def _of_a_comprehension(ask: Callable[[object], bool]) -> bool:
    (result,) = [ask(value) for value in [object()]]
    return result


def _of_a_closure(ask: Callable[[object], bool]) -> bool:
    value = object()

    def inner() -> bool:
        return ask(value)

    return inner()


@pytest.mark.parametrize(
    "call, expected",
    [
        (_of_a_variable, True),
        (lambda ask: _of_a_parameter(ask, object()), True),
        (_of_a_variable_that_is_gone, False),
        (_of_a_comprehension, True),
        (_of_a_closure, True),
        (lambda ask: ask(object()), False),
        (lambda ask: ask(VALUE), False),
        (lambda ask: eval("ask(value)", {"ask": ask, "value": object()}), False),
    ],
)
def test_variables_of_functions_are_seen(call: Callable[[Any], bool], expected: bool) -> None:
    assert call(is_variable) is expected
    assert call(is_lent) is (expected and sys.version_info >= (3, 14))
