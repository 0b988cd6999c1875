"""Products of bfloat16 on a GPU: which a library takes as such, and what they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.bfloat16 import BFLOAT16, apart, assert_same_bits, needs_bfloat16

Array = np.ndarray[Any, Any]
pytestmark = [needs_bfloat16, pytest.mark.parametrize("target", ["cuda"], indirect=True)]

FORMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "product": lambda xp, a, b: a @ b,
    "transposed factors": lambda xp, a, b: (b.T @ a.T) * 2,
    "computed factors": lambda xp, a, b: xp.maximum(a, 0) @ (b + b),
    "a vector": lambda xp, a, b: a @ b[:, 0],
    "stacks": lambda xp, a, b: xp.stack([a, a + a]) @ b,
    "of dot": lambda xp, a, b: xp.dot(a, b) + 1,
    "reversed rows": lambda xp, a, b: a[::-1] @ b[:, ::-1],
    "two in a row": lambda xp, a, b: ((a @ b) @ b.T) @ b,
    "squares": lambda xp, a, b: a @ a.T,
}


def whole(*shape: int, seed: int = 0) -> Array:
    """Numbers whose products and sums are exact in bfloat16."""
    return np.random.default_rng(seed).integers(-1, 2, shape).astype(BFLOAT16)


def products(*values: la.LazyArray) -> list[str]:
    return [step.output.dtype.name for step in la.explain(*values).library_calls]


@pytest.mark.parametrize("form", FORMS)
def test_factors_are_taken_as_they_are(target: str, form: str) -> None:
    a, b = whole(40, 24), whole(24, 56, seed=1)
    lazy = FORMS[form](la, la.asarray(a), la.asarray(b))
    steps = [step for step in la.explain(lazy).library_calls if step.op in ("matmul", "dot")]
    assert steps and {step.output.dtype.name for step in steps} == {"bfloat16"}
    exact = FORMS[form](np, a.astype("f8"), b.astype("f8"))
    if form != "two in a row":  # which are rounded in between
        assert_same_bits(np.asarray(lazy), exact.astype(BFLOAT16))


def test_what_is_read_in_float32_stays_so(target: str) -> None:
    a, b = la.asarray(whole(40, 24)), la.asarray(whole(24, 56))
    wide = a.astype(np.float32) @ b.astype(np.float32)
    assert products(wide) == ["float32"]
    assert products(wide.astype(BFLOAT16) + wide.sum().astype(BFLOAT16)) == ["float32"]
    assert products((a.astype(np.float32) @ np.ones((24, 3), "f4")).astype(BFLOAT16)) == ["float32"]
    # A number is no matrix: a kernel adds the products in float32.
    assert products(a[0] @ a[1]) == []


@pytest.mark.parametrize("sizes", [(70, 300, 40), (1, 1000, 1), (7, 4099, 5), (64, 20_000, 64)])
def test_sums_are_rounded_once(target: str, sizes: tuple[int, int, int]) -> None:
    rows, length, columns = sizes
    generator = np.random.default_rng(length)
    a = generator.random((rows, length)).astype(BFLOAT16)
    b = generator.random((length, columns)).astype(BFLOAT16)
    result = np.asarray(la.asarray(a) @ la.asarray(b))
    exact = a.astype("f8") @ b.astype("f8")
    assert apart(result, exact.astype(BFLOAT16)).max(initial=0) <= 1


def test_gradients_have_them_too(target: str) -> None:
    a, b, weights = whole(40, 24), whole(24, 56), whole(40, 56, seed=2)
    gradient = la.grad(lambda b: (la.asarray(a) @ b * la.asarray(weights)).sum())(la.asarray(b))
    assert products(gradient) == ["bfloat16"]
    exact = a.T.astype("f8") @ weights.astype("f8")
    assert_same_bits(np.asarray(gradient), exact.astype(BFLOAT16))
