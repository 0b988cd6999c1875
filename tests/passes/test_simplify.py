"""Each rule of simplification: what it makes of what, and where it must hold back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.lazy_array import wrap
from lazyarr.builders import build
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.graph.reference import evaluate_reference
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.passes.simplify import RULES, simplify

DATA = {
    "f": np.array([-0.0, 0.0, 1.5, -3.0, np.inf, -np.inf, np.nan, 5e-324]),
    "g": np.arange(8, dtype=np.float32).reshape(2, 4),
    "h": np.array([0.1, -0.0, np.inf, np.nan], np.float16),
    "i": np.array([[1, -2, 3], [4, 5, -(2**31)]], np.int32),
    "u": np.array([0, 200, 255], np.uint8),
    "b": np.array([True, False, True]),
    "c": np.array([complex(np.inf, 0), complex(1, -0.0), 2 - 1j]),
}
X = {name: la.asarray(array) for name, array in DATA.items()}
Make = Callable[[], Any]


def simplified(x: Any) -> Node:
    (result,) = simplify((x._node,))
    return result


def check_values(x: Any) -> None:
    """Check that simplification keeps every bit, and has nothing more to do."""
    before = x._node
    after = simplified(x)
    with np.errstate(all="ignore"):
        (expected,), (got,) = evaluate_reference((before,)), evaluate_reference((after,))
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)
    if got.dtype.kind in "fc":
        for part in ("real", "imag"):
            a, b = getattr(got, part), getattr(expected, part)
            number = ~np.isnan(b)
            np.testing.assert_array_equal(np.signbit(a)[number], np.signbit(b)[number])
    assert simplify((after,)) == (after,)


f, g, h, i, u, b, c = (X[name] for name in "fghiubc")
SAME: dict[str, tuple[Make, Make]] = {
    "x * 1": (lambda: f * 1, lambda: f),
    "1 * x": (lambda: 1.0 * f, lambda: f),
    "x * 1 of int": (lambda: i * 1, lambda: i),
    "x * 1 of bool": (lambda: b * True, lambda: b),
    "x * 1 broadcast": (lambda: u * la.ones((2, 3), np.uint8), lambda: np.broadcast_to(u, (2, 3))),
    "of inserted axes": (
        lambda: g[:, None] * 2 + la.sqrt(g[:, None]),
        lambda: (g * 2 + la.sqrt(g))[:, None],
    ),
    "of one row each, kept": (
        lambda: la.log(f[None, :, None]),
        lambda: la.log(f)[None, :, None],
    ),
    "x + -0.0": (lambda: f + -0.0, lambda: f),
    "-0.0 + x": (lambda: -0.0 + h, lambda: h),
    "x + 0 of int": (lambda: i + 0, lambda: i),
    "x - x of int": (lambda: u - u, lambda: u * 0),
    "x ^ x of int": (lambda: X["i"] ^ X["i"], lambda: X["i"] * 0),
    "x - 0": (lambda: f - 0.0, lambda: f),
    "x - 0 of int": (lambda: u - 0, lambda: u),
    "x / 1": (lambda: f / 1, lambda: f),
    "x / 4": (lambda: f / 4, lambda: f * 0.25),
    "x / -0.5": (lambda: g / -0.5, lambda: g * -2),
    "x ** 2": (lambda: f**2, lambda: np.square(f)),
    "x ** 1": (lambda: f**1, lambda: f),
    "x ** 0": (lambda: f**0, lambda: la.broadcast_to(la.asarray(1.0), f.shape)),
    "x ** 0.5": (lambda: f**0.5, lambda: np.sqrt(f)),
    "x ** -1": (lambda: f**-1.0, lambda: np.reciprocal(f)),
    "int ** 2": (lambda: i**2, lambda: np.square(i)),
    "-(-x)": (lambda: np.negative(-f), lambda: f),
    "-(-x) of int": (lambda: np.negative(-i), lambda: i),
    "not not bool": (lambda: np.logical_not(np.logical_not(b)), lambda: b),
    "+x": (lambda: +f, lambda: f),
    "cast to itself": (lambda: la.LazyArray(_cast(f, "f8")), lambda: f),
    "through wider floats": (lambda: h.astype("f8").astype("f4"), lambda: h.astype("f4")),
    "through wider integers": (lambda: i.astype("i8").astype("i2"), lambda: i.astype("i2")),
    "through a float from bool": (lambda: b.astype("f2").astype("f8"), lambda: b.astype("f8")),
    "where True": (lambda: np.where(la.asarray(True), f, 2.0), None),  # type: ignore[dict-item]
    "where same": (lambda: np.where(f > 0, f, f), lambda: f),
    "constants": (lambda: f + (la.full((), 2.0) * 3), None),  # type: ignore[dict-item]
    "views": (lambda: f[::-1][::-1], lambda: f),
    "transposed twice": (lambda: i.T.T, lambda: i),
    "reshaped twice": (lambda: g.reshape(-1).reshape(2, 4), lambda: g),
    "reshape of f(x)": (lambda: (g * 2).reshape(-1), lambda: g.reshape(-1) * 2),
    "max of reshape": (lambda: g.reshape(-1).max(), lambda: g.max()),
}


def _cast(x: Any, dtype: str) -> Node:
    node = x._node
    return build.node(ELEMENTWISE["cast"], (node,), np.dtype(dtype), node.shape)


@pytest.mark.parametrize("name", SAME)
def test_rules(name: str) -> None:
    original, expected = SAME[name]
    value = original()
    check_values(value)
    if expected is not None:
        reference = simplified(expected())
        assert simplified(value) is reference, f"{simplified(value)} is not {reference}"


def test_reshape_of_a_generator() -> None:
    """A draw, like arange, knows its elements by position alone."""
    draw = la.random.default_rng(0).random((3, 4))
    for shape in ((4, 3), (12,), (2, 1, 6)):
        value = draw.reshape(shape)
        check_values(value)
        result = simplified(value)
        assert (result.op, result.src, result.shape) == (draw._node.op, draw._node.src, shape)


KEPT: dict[str, Make] = {
    "x + 0.0 turns -0.0 into 0.0": lambda: f + 0.0,
    "x - -0.0 too": lambda: f - -0.0,
    "x * 0 is NaN of NaN": lambda: f * 0,
    "0 - x is not -x": lambda: 0.0 - f,
    "x - x is NaN of inf": lambda: f - f,
    "x / x is NaN of 0": lambda: f / f,
    "complex times one": lambda: c * 1,
    "x / 3": lambda: f / 3,
    "x / 0": lambda: f / 0,
    "x / inf": lambda: f / np.inf,
    "half / 2**-20 has no such factor": lambda: h / la.full((), 2.0**-20, np.float16),
    "x ** 3": lambda: f**3,
    "many halves": lambda: np.power(f, la.full(8, 0.5)),
    "narrower first": lambda: f.astype("f4").astype("f8"),
    "narrower integers first": lambda: i.astype("i1").astype("i8"),
    "sign extension": lambda: i.astype("u8").astype("i8"),
    "float to int to float": lambda: g.astype("i8").astype("f8"),
    "min of NaN": lambda: np.minimum(f, f),
    "not not float": lambda: np.logical_not(np.logical_not(f)),
    "different arms": lambda: np.where(f > 0, f, -f),
    "sum of reshape": lambda: g.reshape(-1).sum(),
    "argmax of reshape": lambda: g.reshape(-1).argmax(),
    "int overflow of scalars": lambda: u + 255,
}


@pytest.mark.parametrize("name", KEPT)
def test_what_no_rule_touches(name: str) -> None:
    value = KEPT[name]()
    check_values(value)
    assert simplified(value).op is value._node.op
    assert simplified(value) is value._node


def test_folding_keeps_warnings() -> None:
    with np.errstate(all="ignore"):
        value = la.full((), 1.0) / la.full((), 0.0)
    assert simplified(value).op.name == "divide"
    folded = simplified(la.full((), 1.0) / la.full((), 4.0))
    assert folded.op.kind is Kind.CONSTANT
    assert np.frombuffer(folded.attr, folded.dtype)[0] == 0.25  # type: ignore[call-overload]


def test_division_of_a_scalar_by_many_halves() -> None:
    check_values(la.asarray(np.float64(3)) / la.full((3,), 2.0))


def test_every_rule_says_its_formula() -> None:
    rules = {rule for table in (RULES.by_op, RULES.by_kind) for result in table.values()
             for rule in result}  # fmt: skip
    assert len(rules) >= 15
    assert all(rule.__doc__ for rule in rules)


@pytest.mark.parametrize("shape", [(), (3,), (0,)])
@pytest.mark.parametrize("dtype", ["f4", "c8", "c16", "i4"])
def test_a_constant_that_is_warned_of_stays(dtype: str, shape: tuple[int, ...]) -> None:
    value = la.full(shape, 2, dtype)._node
    for condition in True, False:
        warned = build.warned(value, la.full(shape, condition)._node, "of this")
        (after,) = simplify((warned,))
        assert "warned" in {node.op.name for node in walk((after,))}
        x = la.asarray(np.zeros(1))[0] + wrap(warned)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            np.testing.assert_array_equal(x, np.full(shape, 2.0))
        assert len(seen) == (condition and 0 not in shape)


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16", "i4", "?"])
@pytest.mark.parametrize("shape", [(4, 1), (1, 4, 1), (1, 1), (2, 1, 3), (0, 1), (1, 0)], ids=str)
def test_axes_of_length_one_are_not_reduced(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    special = np.array([-0.0, np.nan, 2.0, np.inf, -1.5, 0.0])
    with np.errstate(all="ignore"):
        x = np.resize(special, shape).astype(dtype)
    for axes in [(len(shape) - 1,), tuple(range(len(shape))), (0,)]:
        if name.startswith("arg"):
            axes = axes[:1]
        axis: Any = axes[0] if name.startswith("arg") else axes
        if not x.size and name not in ("sum", "prod", "any", "all"):
            continue
        with np.errstate(all="ignore"):
            expected = np.asarray(getattr(np, name)(x, axis=axis))
            result = np.asarray(getattr(la, name)(la.asarray(x), axis=axis).compute())
        assert result.dtype == expected.dtype and result.shape == expected.shape
        if np.prod([shape[k] for k in axes]) == 1:  # several are added in another order
            assert result.tobytes() == expected.tobytes()
        np.testing.assert_array_equal(result, expected)
        reduced = [shape[k] for k in axes]
        if x.size and 1 in reduced and max(reduced) > 1:
            (root,) = simplify([getattr(la, name)(la.asarray(x), axis=axis)._node])
            assert all(
                node.src[0].shape[k] != 1
                for node in walk((root,))
                if node.op.kind is Kind.REDUCE
                for k in node.attr
            )


def test_a_reduction_over_axes_of_length_one_is_no_loop() -> None:
    x = la.asarray(np.ones((5, 1, 1)))
    (root,) = simplify([(x * 2).sum(axis=(1, 2))._node])
    assert not any(node.op.kind is Kind.REDUCE for node in walk((root,)))


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_sums_of_small_integers_are_constants(dtype: str) -> None:
    for number, shape, axes in [(1, (3, 50), 0), (7, (4, 2, 9), (0, 2)), (0, (5,), 0)]:
        ones = la.full(shape, number, dtype)
        (root,) = simplify([la.sum(ones, axis=axes)._node])
        assert not any(node.op.kind is Kind.REDUCE for node in walk((root,)))
        expected = np.full(shape, number, dtype).sum(axis=axes)
        np.testing.assert_array_equal(wrap(root).compute(), expected)
    for number in (0.1, -0.0, 3000.0):  # rounded, another zero, beyond what float16 has
        ones = la.full((2000,), number, "f2")
        (root,) = simplify([la.sum(ones)._node])
        assert any(node.op.kind is Kind.REDUCE for node in walk((root,)))


def _repeated(random: np.random.Generator, xp: Any, x: Any) -> Any:
    """Return an array with elements repeated in several ways, one after another."""
    for _ in range(int(random.integers(2, 4))):
        counts = tuple(int(n) for n in random.integers(1, 4, size=x.ndim))
        match random.integers(4):
            case 0:
                x = xp.repeat(x, counts[0])
            case 1:
                x = xp.tile(x, counts)
            case 2:
                x = xp.transpose(x)
            case _:
                x = xp.repeat(x, counts[0], axis=int(random.integers(x.ndim)))
    return x


@pytest.mark.parametrize("seed", range(40))
def test_repeated_elements_are_numpys(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=tuple(int(n) for n in random.integers(1, 5, size=2)))
    state = random.bit_generator.state
    expected = _repeated(random, np, x)
    random.bit_generator.state = state
    with la.config(immediate=0):
        np.testing.assert_array_equal(_repeated(random, la, la.asarray(x)), expected)


def test_what_is_repeated_twice_is_stored_once() -> None:
    x = la.asarray(np.zeros((30, 40)))
    value = np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)
    (kernel,) = la.explain(value).kernels
    assert (kernel.bytes_read, kernel.bytes_written) == (x.nbytes, 4 * x.nbytes)
