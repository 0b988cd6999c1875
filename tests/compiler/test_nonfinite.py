"""``config(debug="nan")``: the first operation and line that gave a NaN or an infinity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn
from lazyarr.errors import ConfigError, NonFiniteError

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
SIZE = 10_000  # more than is computed at once


def line_of(function: Any, offset: int) -> str:
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno + offset}"


def failing(x: Any) -> Any:
    y = x - 3.0
    root = np.sqrt(y)  # line 2
    return (root * 2 + 1).sum()


@pytest.mark.parametrize("call", ["evaluate", "jit", "persist", "jit.persist", "bind"])
def test_the_first_operation_is_named_with_its_line(call):
    x = np.full(SIZE, 4.0)
    x[17] = 1.0
    calls = {
        "evaluate": lambda: failing(la.asarray(x)).compute(),
        "jit": lambda: la.jit(failing)(x),
        "persist": lambda: la.persist(failing(la.asarray(x))),
        "jit.persist": lambda: la.jit(failing).persist(la.asarray(x)),
        "bind": lambda: la.jit(failing).bind(x),
    }
    with la.config(debug="nan"):
        with pytest.raises(NonFiniteError) as raised:
            calls[call]()
        assert "sqrt is the first to give NaN: 1 of 10,000 elements" in str(raised.value)
        assert "the first at index (17,)" in str(raised.value)
        assert f"{raised.value.origin[0]}:{raised.value.origin[1]}" == line_of(failing, 2)
        assert failing(la.asarray(np.full(SIZE, 7.0))).compute() == SIZE * 5
    assert np.isnan(calls["evaluate"]())  # outside nobody looks


def test_an_infinity_is_named_as_the_cause_of_a_nan():
    def function(x: Any) -> Any:
        y = np.log(x)
        return y - y

    x = np.linspace(0, 1, SIZE)
    with la.config(debug="nan"), pytest.raises(NonFiniteError) as raised:
        la.jit(function)(x)
    assert "subtract is the first to give NaN" in str(raised.value)
    assert f"an infinity came from log at {line_of(function, 1)}" in str(raised.value)
    with la.config(debug="nan"), pytest.raises(NonFiniteError, match="log is the first"):
        la.jit(np.log)(x)
    with la.config(debug="nan"), pytest.raises(NonFiniteError, match="expression reads holds NaN"):
        la.jit(np.negative)(np.full(SIZE, np.nan))


def test_a_nan_of_the_backward_pass_says_so():
    x = np.zeros(SIZE)
    with la.config(debug="nan"), pytest.raises(NonFiniteError, match="backward pass"):
        la.jit(la.grad(lambda x: (0.0 * np.sqrt(x)).sum()))(x)


def test_masks_of_infinities_are_no_fault():
    x = np.random.default_rng(0).standard_normal((100, 120))
    mask = np.arange(120) < 50

    def masked(x: Any) -> Any:
        return nn.softmax(np.where(mask, x, -np.inf))

    with la.config(debug="nan"):
        np.testing.assert_array_equal(la.jit(masked)(x)[:, 50:], 0)


def test_a_training_step_names_the_loss_and_keeps_the_parameters():
    def loss(w: Any, x: Any) -> Any:
        return np.log(x @ w).sum()

    def step(w: Any, x: Any) -> Any:
        return w - 0.1 * la.grad(loss)(w, x), loss(w, x)

    w, x = np.full(300, -1.0), np.ones((100, 300))
    kept = w.copy()
    with la.config(debug="nan"):
        with pytest.raises(NonFiniteError, match="log is the first to give NaN: 100 of 100"):
            la.jit(step, donate=0)(w, x)
    np.testing.assert_array_equal(w, kept)


OPERATIONS: dict[str, Any] = {
    "sqrt": lambda x: np.sqrt(x),
    "log": lambda x: np.log(x),
    "exp": lambda x: np.exp(50 * x),
    "divide": lambda x: 1 / x,
    "subtract": lambda x: x - 2,
    "arcsin": lambda x: np.arcsin(x),
}


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(sorted(OPERATIONS)), min_size=1, max_size=4), st.integers(0, 9))
def test_chains_name_what_numpy_names(names, seed):
    x = np.random.default_rng(seed).standard_normal(5_000)
    expected = None
    value = x
    with np.errstate(all="ignore"):
        for name in names:
            value = OPERATIONS[name](value)
            kinds = np.isnan(value).any(), np.isinf(value).any()
            expected = expected or ([name, "NaN"] if kinds[0] else None)
    chain = la.asarray(x)
    for name in names:
        chain = OPERATIONS[name](chain)
    with la.config(debug="nan"):
        if np.isfinite(value).all():
            np.testing.assert_allclose(chain.compute(), value)
        else:
            with pytest.raises(NonFiniteError) as raised:
                chain.compute()
            if np.isnan(value).any():
                assert f"{expected[0]} is the first to give NaN" in str(raised.value)


def test_other_words_are_refused():
    with pytest.raises(ConfigError, match="debug"):
        la.config(debug="inf").__enter__()
