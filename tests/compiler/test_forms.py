"""Forms are signatures without lengths, and patterns tell which lengths a plan leaves open."""

from __future__ import annotations

from typing import Any

import numpy as np

import lazyarr as la
from lazyarr.compiler.forms import Form, Pattern, form_of, sizes_of
from lazyarr.core import tuning
from lazyarr.passes.canonicalize import bind

MATRIX = np.random.default_rng(3).random((30, 40))


def _signature(array: Any) -> Any:
    return bind((array._node,))


def test_expressions_of_other_lengths_have_one_form() -> None:
    x = la.asarray(MATRIX)
    forms = {form_of(_signature(x[:k] * 3.5 + x[k : 2 * k] + x[0])[0])[0] for k in (2, 3, 5, 9)}
    assert len(forms) == 1
    other = form_of(_signature(x[:4] * 3.5 - x[4:8] + x[0])[0])[0]
    assert other not in forms


def test_the_numbers_are_put_back_in_their_places() -> None:
    x = la.asarray(MATRIX)
    expression = (x[3:9, ::-2] * 2.5).sum(axis=0) + x[np.array([1, 2]), :1][0]
    signature, bindings = _signature(expression)
    _, numbers = form_of(signature)
    sizes = sizes_of(signature, bindings.order, numbers)
    for value in bindings.order:
        if value in bindings.scalars:
            continue
        shape, attr = sizes[value]
        assert shape == value.shape
        if value in bindings.leaves:
            assert attr == value.attr.strides  # type: ignore[union-attr]
        else:
            assert attr == value.attr


def test_a_pattern_leaves_open_what_has_differed() -> None:
    pattern = Pattern((3, 5, 3, 8, 2), [(4, 5, 4, 8, 1)])
    assert [type(number) is int for number in pattern.numbers] == [False, True, False, True, False]
    assert pattern.numbers[0] is pattern.numbers[2]
    assert pattern.values((7, 5, 7, 8, 9)) == (7, 9)
    assert pattern.values((7, 5, 6, 8, 9)) is None
    assert pattern.values((7, 6, 7, 8, 9)) is None


def test_a_form_has_few_plans() -> None:
    form = Form((0,))
    patterns = [form.pattern((k,)) for k in range(1, 3 * tuning.row().patterns)]
    assert sum(pattern is not None for pattern in patterns) == tuning.row().patterns
    assert Form((5,)).pattern((5,)) is None
