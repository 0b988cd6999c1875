"""The public functions: containers, composition, jit, errors, cost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core.source_location import BackwardOrigin
from lazyarr.errors import (
    ArgumentError,
    DifferentiationError,
    DTypeError,
    LazyarrError,
    ShapeError,
    TracingError,
)
from lazyarr.graph.node import Kind, walk
from tests.support.derivatives import check_derivatives, values


def _loss(parameters: Any, x: Any) -> Any:
    hidden = la.tanh(x @ parameters["w"] + parameters["b"])
    return la.mean((hidden @ parameters["out"]) ** 2)


def _parameters() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {"w": rng.normal(size=(3, 4)), "b": rng.normal(size=4), "out": rng.normal(size=(4, 2))}


def _numeric(parameters: dict[str, Any], x: Any, name: str) -> Any:
    result = np.zeros_like(parameters[name])
    step = 1e-6
    for place in np.ndindex(result.shape):
        sides = []
        for sign in (1, -1):
            moved = {key: value.copy() for key, value in parameters.items()}
            moved[name][place] += sign * step
            sides.append(float(_loss(moved, x)))
        result[place] = (sides[0] - sides[1]) / (2 * step)
    return result


def test_gradient_of_a_dictionary_through_the_compiler() -> None:
    parameters = _parameters()
    x = np.random.default_rng(1).normal(size=(5, 3))
    value, gradient = la.value_and_grad(_loss)(parameters, x)
    assert gradient.keys() == parameters.keys()
    result = la.evaluate(value, *gradient.values())
    np.testing.assert_allclose(result[0], float(_loss(parameters, la.asarray(x))))
    for name, mine in zip(parameters, result[1:], strict=True):
        np.testing.assert_allclose(mine, _numeric(parameters, x, name), rtol=1e-5, atol=1e-8)


def _set(x: Any) -> Any:
    x[0] = 5.0
    return la.sum(x**2)


def _scaled_in_place(x: Any) -> Any:
    x[1:] *= 3
    x += 1
    return la.sum(x**2)


@pytest.mark.parametrize("function", [_set, _scaled_in_place])
def test_writes_to_an_argument_are_part_of_the_function(function: Any) -> None:
    """Derivatives are those with respect to the value before; the caller's array has that."""
    x = np.arange(1.0, 4.0)
    before = x.copy()
    transforms = [
        la.grad(function),
        lambda x: la.vjp(function, x)[1](1.0)[0],
        lambda x: la.jvp(function, (x,), (np.ones(3),))[1],
        la.hessian(function),
    ]
    for transform in transforms:
        jitted = la.jit(transform)
        for point in (x, x * 2, x):
            np.testing.assert_array_equal(jitted(point), transform(point))
    np.testing.assert_array_equal(x, before)
    outside = la.asarray(x)
    with pytest.raises(TracingError, match="not one of its arguments"):
        la.jit(la.grad(lambda y: function(outside) + y))(1.0)


def test_jit_of_a_gradient_and_gradient_of_jit() -> None:
    parameters = _parameters()
    x = np.random.default_rng(1).normal(size=(5, 3))
    expected = la.evaluate(*la.grad(_loss)(parameters, x).values())
    jitted = la.jit(la.value_and_grad(_loss))
    inner = la.grad(la.jit(_loss))(parameters, x)
    for count in (5, 5, 7):
        data = np.resize(x, (count, 3))
        value, gradient = jitted(parameters, data)
        assert isinstance(value, np.ndarray)
        again = la.evaluate(*la.grad(_loss)(parameters, data).values())
        for mine, theirs in zip(gradient.values(), again, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    for mine, theirs in zip(la.evaluate(*inner.values()), expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_a_gradient_inside_a_traced_function() -> None:
    @la.jit
    def step(w: Any, x: Any, rate: float) -> Any:
        return w - rate * la.grad(lambda w: la.sum((x @ w) ** 2))(w)

    w, x = np.array([1.0, -1.0]), np.array([[1.0, 2.0], [3.0, 4.0]])
    for rate in (0.1, 0.2):
        np.testing.assert_allclose(step(w, x, rate), w - rate * 2 * x.T @ (x @ w))


def test_gradients_of_numbers_are_those_of_weak_scalars() -> None:
    x = np.array([1.0, 2.0], np.float32)

    def scaled(rate: Any) -> Any:
        result = rate * la.asarray(x)
        assert result.dtype == np.float32
        return result.sum()

    assert la.grad(scaled)(0.5).compute() == 3.0
    step = la.jit(lambda rate: la.grad(scaled)(rate))
    assert step(0.5) == 3.0
    assert step(0.75) == 3.0


class Pair(NamedTuple):
    first: Any
    second: Any


def test_argnums_containers_and_auxiliary_data() -> None:
    def fun(x: Any, pair: Pair, scale: Any, label: str) -> Any:
        assert label == "kept"
        product = x * pair.first * scale
        return la.sum(product + pair.second[0]), {"product": product, "label": label}

    x, pair = np.array([1.0, 2.0]), Pair(np.array([3.0, 4.0]), [np.array(5.0)])
    (value, aux), (over_x, over_pair) = la.value_and_grad(fun, argnums=(0, 1), has_aux=True)(
        x, pair, 2.0, "kept"
    )
    assert aux["label"] == "kept"
    assert isinstance(over_pair, Pair)
    assert values(value)[0] == 32
    np.testing.assert_allclose(values(over_x)[0], pair.first * 2)
    np.testing.assert_allclose(values(over_pair.first)[0], x * 2)
    assert values(over_pair.second[0])[0] == 2
    np.testing.assert_allclose(values(aux["product"])[0], [6.0, 16.0])
    result, aux = la.grad(fun, argnums=-4, has_aux=True)(x, pair, 2.0, "kept")
    np.testing.assert_allclose(values(result)[0], pair.first * 2)


def test_the_same_array_twice_is_two_arguments() -> None:
    x = la.asarray([1.0, 2.0])
    first, second = la.grad(lambda x, y: la.sum(x * y**2), argnums=(0, 1))(x, x)
    np.testing.assert_allclose(values(first)[0], [1.0, 4.0])
    np.testing.assert_allclose(values(second)[0], [2.0, 8.0])
    # What the function captures is a constant, also if it is the argument's array.
    np.testing.assert_allclose(values(la.grad(lambda y: la.sum(x * y))(x))[0], [1.0, 2.0])


def test_nested_derivatives_do_not_mix_their_variables() -> None:
    def outer(x: Any) -> Any:
        # d/dy (x y) at y = 1 is x, whose derivative is 1.
        return x * la.grad(lambda y: x * y)(1.0)

    assert la.grad(outer)(3.0).compute() == 6.0
    _, pull = la.vjp(lambda x: x**3, la.asarray(2.0))

    def through(x: Any) -> Any:
        (result,) = pull(x)
        return result

    # The cotangent is 12 x; 2.0 inside is a constant of the outer derivative.
    assert la.grad(through)(la.asarray(2.0)).compute() == 12.0


def test_forward_over_reverse_and_the_other_way_round() -> None:
    def fun(x: Any) -> Any:
        return la.sum(la.sin(x) * x[::-1] ** 2)

    x = np.array([0.3, 0.7, 1.1])
    hessian = la.hessian(fun)(x).compute()
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-12)
    np.testing.assert_allclose(hessian, la.jacobian(la.grad(fun))(x).compute(), rtol=1e-12)
    product = la.grad(lambda x: la.jvp(fun, (x,), (np.ones(3),))[1])(x).compute()
    np.testing.assert_allclose(product, hessian.sum(axis=1), rtol=1e-12)


def test_jacobian_of_a_matrix_function() -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.ones((3, 2))
    over_x, over_y = la.jacobian(la.matmul, argnums=(0, 1))(x, y)
    assert over_x.shape == (2, 2, 2, 3)
    assert over_y.shape == (2, 2, 3, 2)
    expected = np.einsum("ik,jl->ijkl", np.eye(2), y.T)
    np.testing.assert_allclose(over_x.compute(), expected)


def test_control_flow_on_values_is_followed() -> None:
    def fun(x: Any) -> Any:
        return la.sum(x**2) if x.sum() > 0 else la.sum(-x)

    np.testing.assert_allclose(la.grad(fun)(np.array([1.0, 2.0])).compute(), [2.0, 4.0])
    np.testing.assert_allclose(la.grad(fun)(np.array([-1.0, -2.0])).compute(), [-1.0, -1.0])


def test_a_function_written_for_numpy() -> None:
    def fun(x: Any) -> Any:
        return np.sum(np.where(x > 1, np.sqrt(x), x**3)) / np.float64(2)

    x = np.array([0.5, 4.0])
    np.testing.assert_allclose(la.grad(fun)(x).compute(), [3 * 0.25 / 2, 0.125])


def test_independent_arguments_have_zero_gradients() -> None:
    x = np.array([1.0, 2.0], np.float32)
    result = la.grad(lambda x: la.asarray(2.0))(x)
    np.testing.assert_array_equal(result.compute(), np.zeros(2, np.float32))
    assert result.dtype == np.float32
    _, tangent = la.jvp(lambda x: la.asarray([1, 2]) + 0.0 * la.ones(2), (x,), (x,))
    np.testing.assert_array_equal(tangent.compute(), [0.0, 0.0])


def test_stop_gradient() -> None:
    x = np.array([1.0, 2.0])
    result = la.grad(lambda x: la.sum(x * la.stop_gradient({"x": x})["x"]))(x)
    np.testing.assert_allclose(result.compute(), x)
    second = la.grad(lambda x: la.grad(lambda x: x * la.stop_gradient(x))(x))(2.0)
    assert second.compute() == 0


def test_markers_leave_plans_as_they_are() -> None:
    from lazyarr.compiler.plan_cache import plan_cache_info

    x = la.asarray(np.linspace(0, 1, 37))

    def loss(x: Any) -> Any:
        return la.sum(la.exp(la.stop_gradient(x)) * x)

    la.grad(loss)(x).compute()
    before = plan_cache_info().misses
    for _ in range(3):
        la.grad(loss)(la.asarray(np.linspace(1, 2, 37))).compute()
    assert plan_cache_info().misses == before


def test_the_key_of_an_expression_has_no_markers() -> None:
    from lazyarr.passes.canonicalize import bind, canonicalize

    @la.custom_vjp
    def pair(x: Any, y: Any) -> Any:
        return x * y, x + y

    pair.defvjp(lambda x, y: (pair(x, y), None), lambda saved, g: (g[0], g[1]))

    def plain(x: Any, y: Any, mark: Any, both: Any) -> Any:
        first, second = both(mark(x), mark(mark(y)))
        return mark(la.exp(first) + mark(second)) * mark(first)

    x, y = la.asarray([1.0, 2.0]), la.asarray([3.0, 4.0])
    without = plain(x, y, lambda x: x, lambda x, y: (x * y, x + y))
    with_markers = plain(x, y, la.stop_gradient, pair)
    signatures, bindings = zip(*[bind((x._node,)) for x in (without, with_markers)], strict=True)
    assert signatures[0] == signatures[1]
    assert all(node.op.kind is not Kind.MARKER for node in bindings[1].order)
    first, second = (
        canonicalize(own).roots
        for result, own in zip((without, with_markers), bindings, strict=True)
    )
    assert first == second
    np.testing.assert_array_equal(with_markers.compute(), without.compute())


def test_backward_nodes_are_told_apart() -> None:
    x = la.asarray(np.linspace(0, 1, 5))
    value, gradient = la.value_and_grad(lambda x: la.sum(la.sin(x)))(x)
    forward = set(walk([value._node]))
    for node in walk([gradient._node]):
        if node not in forward and node.op.kind is Kind.ELEMENTWISE:
            assert isinstance(node.origin, BackwardOrigin)
    text = str(la.explain(gradient * 2 + value))
    assert "backward of test_transforms.py" in str(la.explain(gradient)) or "backward" in text


def test_custom_derivatives() -> None:
    calls = []

    @la.custom_vjp
    def scaled(x: Any, y: Any) -> Any:
        return x * y, x + y

    def forward(x: Any, y: Any) -> Any:
        calls.append("forward")
        return scaled(x, y), (x, y)

    def backward(saved: Any, cotangents: Any) -> Any:
        _, y = saved
        first, second = cotangents
        return 10 * first * y + second, None

    scaled.defvjp(forward, backward)
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])

    def fun(x: Any, y: Any) -> Any:
        product, total = scaled(x, y)
        return la.sum(product) + la.sum(total * 2)

    assert values(fun(la.asarray(x), la.asarray(y)))[0] == 31
    assert not calls
    over_x, over_y = la.grad(fun, argnums=(0, 1))(x, y)
    np.testing.assert_allclose(values(over_x)[0], 10 * y + 2)
    np.testing.assert_allclose(values(over_y)[0], [0.0, 0.0])
    # Forward accumulation transposes what the user gave.
    _, tangent = la.jvp(fun, (x, y), (np.ones(2), np.ones(2)))
    np.testing.assert_allclose(values(tangent)[0], (10 * y + 2).sum())


def test_custom_derivative_with_fixed_arguments() -> None:
    def power(x: Any, n: int) -> Any:
        return x**n

    value = la.custom_vjp(power, nondiff_argnums=(1,))
    value.defvjp(lambda x, n: (value(x, n), x), lambda n, x, g: (g * n * x ** (n - 1),))
    check_derivatives(lambda x: value(x, 3), np.array([1.0, 2.0]))
    with pytest.raises(ArgumentError, match="defvjp"):
        la.custom_vjp(power)(1.0, 2)
    wrong = la.custom_vjp(lambda x: x * 2)
    wrong.defvjp(lambda x: (x * 2, None), lambda saved, g: g)
    with pytest.raises(ArgumentError, match="tuple of 1"):
        la.grad(lambda x: wrong(x))(1.0)
    wrong.defvjp(lambda x: (x * 2, None), lambda saved, g: (la.ones(3),))
    with pytest.raises(ShapeError, match="cotangent of shape"):
        la.grad(lambda x: wrong(x))(1.0)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: la.grad(3), ArgumentError),
        (lambda x: la.grad(la.sum, argnums=1)(x), ArgumentError),
        (lambda x: la.grad(la.sum, argnums="x")(x), ArgumentError),
        (lambda x: la.grad(la.sum, argnums=(0, 0))(x), ArgumentError),
        (lambda x: la.grad(la.sum, has_aux=True)(x), ArgumentError),
        (lambda x: la.vjp(la.sum, x, has_aux=True), ArgumentError),
        (lambda x: la.grad(lambda x: (x, x))(x), ArgumentError),
        (lambda x: la.grad(lambda x: object())(x), ArgumentError),
        (lambda x: la.grad(la.sum)(object()), ArgumentError),
        (lambda x: la.grad(la.sum)(np.arange(3)), DTypeError),
        (lambda x: la.grad(lambda x: x)(x), ShapeError),
        (lambda x: la.vjp(la.sin, x)[1](np.ones(3)), ShapeError),
        (lambda x: la.vjp(la.sin, x)[1]((x, x)), ArgumentError),
        (lambda x: la.vjp(la.sin, x)[1](x + 1j), DTypeError),
        (lambda x: la.jvp(la.sin, x, x), ArgumentError),
        (lambda x: la.jvp(la.sin, (x,), (x, x)), ArgumentError),
        (lambda x: la.jvp(la.sin, (x,), (np.ones(3),)), ShapeError),
        (lambda x: la.grad(lambda x: la.partition(x, 1).sum())(x), DifferentiationError),
        (lambda x: la.stop_gradient(object()), ArgumentError),
        (lambda x: la.custom_vjp(2), ArgumentError),
    ],
)
def test_bad_input_is_refused_at_the_users_line(call: Any, error: type[LazyarrError]) -> None:
    with pytest.raises(error) as caught:
        call(la.asarray([1.0, 2.0]))
    assert caught.value.origin is not None
    assert caught.value.origin[0] == __file__


def test_a_long_chain_does_not_recurse() -> None:
    def chain(x: Any) -> Any:
        for _ in range(100_000):
            x = x * 0.99999
        return x

    result = la.grad(chain)(1.0)
    np.testing.assert_allclose(values(result)[0], 0.99999**100_000)


def test_cost_is_linear_in_nodes() -> None:
    def built(count: int) -> int:
        def chain(x: Any) -> Any:
            for k in range(count):
                x = la.sin(x) * (x + float(k))
            return x

        return sum(1 for _ in walk([la.grad(chain)(1.0)._node]))

    few, many = built(50), built(200)
    assert many <= 4 * few + 50


def _written(write: Any) -> Any:
    """Return a function that writes to an ndarray what it is differentiated by."""

    def function(x: Any) -> Any:
        array = np.zeros(3)
        write(array, x)
        return la.sum(la.asarray(array) * x)

    return function


@pytest.mark.parametrize(
    "function",
    [
        _written(lambda array, x: np.add.at(array, [0, 1, 1], x)),
        _written(lambda array, x: np.multiply(x, 2, out=array)),
        _written(lambda array, x: np.sum(x, out=array[0, ...])),
        _written(lambda array, x: np.add(array, x, out=array)),
        _written(lambda array, x: np.copyto(array, x)),
        _written(lambda array, x: np.put(array, [0, 1], x[:2])),
        _written(lambda array, x: np.putmask(array, np.array([True, False, True]), x)),
        _written(lambda array, x: array.__setitem__(slice(None), x)),
        lambda x: la.sum(la.arange(x[0], 4.0) ** 2),
        lambda x: la.sum(la.arange(1.0, 4.0, x[1]) ** 2),
        lambda x: la.interp(x, [0.0, 1.0], [0.0, 1.0], period=x[0]).sum(),
    ],
)
def test_no_derivative_is_lost_on_the_way_out_of_lazyarr(function: Any) -> None:
    for transform in (la.grad(function), lambda x: la.jvp(function, (x,), (x,))):
        with pytest.raises(DifferentiationError) as caught:
            transform(np.array([1.0, 2.0, 3.0]))
        assert caught.value.origin is not None
        assert caught.value.origin[0] == __file__
    la.evaluate(function(la.asarray(np.array([1.0, 2.0, 3.0]))))


def test_an_evaluated_constant_shares_what_is_differentiated() -> None:
    """Values computed for a constant stand for no expression that the derivative goes through."""
    x = np.array([2.0, 3.0, 4.0])

    def fun(x: Any) -> Any:
        y = la.sin(x)
        scale = np.asarray(la.stop_gradient(y)) + np.asarray(la.stop_gradient(y * 2))
        return (y * scale).sum()

    np.testing.assert_allclose(values(la.grad(fun)(x))[0], 3 * np.sin(x) * np.cos(x))
