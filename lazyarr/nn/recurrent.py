"""Cells of recurrent networks: one step each."""

from __future__ import annotations

from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ShapeError
from lazyarr.nn.activations import sigmoid
from lazyarr.nn.arguments import expect_shape, inexact
from lazyarr.nn.layers import linear
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.tracing import record_functions

__all__ = ["gru_cell", "lstm_cell"]


def _parts(x: LazyArray, count: int) -> list[LazyArray]:
    """Return equal parts along the last axis."""
    size = x.shape[-1] // count
    return [as_lazy(x[..., k * size : (k + 1) * size]) for k in range(count)]


def _check(x: LazyArray, state: LazyArray, weight: LazyArray, count: int, name: str) -> None:
    """Raise ShapeError unless a state and weights fit an input."""
    if x.ndim < 1 or not state.ndim or state.shape[:-1] != x.shape[:-1]:
        raise ShapeError(
            f"{name}: x of shape {x.shape} and a state of shape {state.shape} must agree in all "
            "axes but the last",
            origin=origin(),
        )
    if weight.ndim != 2 or weight.shape[-1] != count * state.shape[-1]:
        raise ShapeError(
            f"{name}: weights of shape {weight.shape} and a state of {state.shape[-1]} features, "
            f"expected (inputs, {count} * {state.shape[-1]})",
            origin=origin(),
        )


def lstm_cell(
    x: Any,
    state: tuple[Any, Any],
    weight_x: Any,
    weight_h: Any,
    bias: Any = None,
) -> tuple[LazyArray, LazyArray]:
    """Return the next output and memory of a long short-term memory.

    With ``i, f, g, o`` the quarters of ``x @ weight_x + h @ weight_h + bias``, the memory becomes
    ``c' = sigmoid(f) * c + sigmoid(i) * tanh(g)`` and the output ``h' = sigmoid(o) * tanh(c')``.

    Parameters
    ----------
    x : array_like
        Of shape (..., inputs).
    state : pair of array_like
        Output `h` and memory `c`, each of shape (..., features).
    weight_x : array_like
        Of shape (inputs, 4 * features).
    weight_h : array_like
        Of shape (features, 4 * features).
    bias : array_like, optional
        Of shape (4 * features,).

    Returns
    -------
    h, c : LazyArray
        Of shape (..., features).

    Raises
    ------
    ShapeError
        If the shapes do not fit.

    References
    ----------
    Hochreiter, Schmidhuber: Long short-term memory, 1997; the gate f is that of Gers,
    Schmidhuber, Cummins: Learning to forget, 2000.

    Examples
    --------
    >>> import lazyarr as la
    >>> state = la.zeros((1, 1)), la.ones((1, 1))
    >>> h, c = la.nn.lstm_cell(la.zeros((1, 3)), state, la.zeros((3, 4)), la.zeros((1, 4)))
    >>> c.compute()
    array([[0.5]])
    """
    array, output, memory = (inexact(part, "lstm_cell") for part in (x, *state))
    _check(array, output, as_lazy(weight_x), 4, "lstm_cell")
    expect_shape(memory, output.shape, "the memory c", "the shape of the output h")
    gates = linear(array, weight_x, bias) + linear(output, weight_h)
    enter, keep, candidate, leave = _parts(as_lazy(gates), 4)
    memory = as_lazy(sigmoid(keep) * memory + sigmoid(enter) * FUNCTIONS["tanh"](candidate))
    return as_lazy(sigmoid(leave) * FUNCTIONS["tanh"](memory)), memory


def gru_cell(
    x: Any,
    state: Any,
    weight_x: Any,
    weight_h: Any,
    bias_x: Any = None,
    bias_h: Any = None,
) -> LazyArray:
    """Return the next state of a gated recurrent unit.

    With ``r, z, n`` the thirds of ``x @ weight_x + bias_x`` and ``r', z', n'`` those of
    ``h @ weight_h + bias_h``, and `s` the logistic function, the state becomes
    ``(1 - s(z + z')) * tanh(n + s(r + r') * n') + s(z + z') * h``.

    Parameters
    ----------
    x : array_like
        Of shape (..., inputs).
    state : array_like
        Of shape (..., features).
    weight_x : array_like
        Of shape (inputs, 3 * features).
    weight_h : array_like
        Of shape (features, 3 * features).
    bias_x, bias_h : array_like, optional
        Of shape (3 * features,).

    Returns
    -------
    LazyArray
        Of shape (..., features).

    Raises
    ------
    ShapeError
        If the shapes do not fit.

    References
    ----------
    Cho et al.: Learning phrase representations using RNN encoder-decoder for statistical machine
    translation, 2014; the reset gate acts after the product, as in version 1 of that paper.

    Examples
    --------
    >>> import lazyarr as la
    >>> state = la.ones((1, 1))
    >>> la.nn.gru_cell(la.zeros((1, 2)), state, la.zeros((2, 3)), la.zeros((1, 3))).compute()
    array([[0.5]])
    """
    array, before = inexact(x, "gru_cell"), inexact(state, "gru_cell")
    _check(array, before, as_lazy(weight_x), 3, "gru_cell")
    reset, update, candidate = _parts(linear(array, weight_x, bias_x), 3)
    reset_h, update_h, candidate_h = _parts(linear(before, weight_h, bias_h), 3)
    kept = sigmoid(update + update_h)
    proposed = FUNCTIONS["tanh"](candidate + sigmoid(reset + reset_h) * candidate_h)
    return as_lazy((1 - kept) * proposed + kept * before)


record_functions(globals(), __all__)
