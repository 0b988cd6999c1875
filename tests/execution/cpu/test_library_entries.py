"""Library calls that calls in C run without Python: NumPy's bits, warnings and errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.execution.cpu import library_rows, mixed_calls
from lazyarr.execution.cpu.small_calls import COMPILED
from lazyarr.graph.node import Node
from lazyarr.ops import triangular

pytestmark = pytest.mark.skipif(COMPILED is None, reason="calls in C are of the compiled form")

Array = np.ndarray[Any, Any]
Entered = list[tuple[Node, int]]


def first(stack: Any) -> Any:
    """Return the first matrix of a stack."""
    return stack[(0,) * (stack.ndim - 2)]


#: Functions of NumPy's that call one loop, of a matrix and a right side.
FORMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "solve": lambda xp, a, b: xp.linalg.solve(a, b),
    "solve for a vector": lambda xp, a, b: xp.linalg.solve(a, first(b)[:, 0]),
    "inv": lambda xp, a, b: xp.linalg.inv(a),
    "det": lambda xp, a, b: xp.linalg.det(a),
    "slogdet": lambda xp, a, b: tuple(xp.linalg.slogdet(a)),
    "cholesky": lambda xp, a, b: xp.linalg.cholesky(a),
    "upper cholesky": lambda xp, a, b: xp.linalg.cholesky(a, upper=True),
    "eigh": lambda xp, a, b: tuple(xp.linalg.eigh(a)),
    "upper eigh": lambda xp, a, b: tuple(xp.linalg.eigh(a, UPLO="U")),
    "eigvalsh": lambda xp, a, b: xp.linalg.eigvalsh(a),
    "singular values": lambda xp, a, b: xp.linalg.svd(b, compute_uv=False),
    "svd": lambda xp, a, b: tuple(xp.linalg.svd(b, full_matrices=False)),
    "full svd": lambda xp, a, b: tuple(xp.linalg.svd(b)),
    "qr": lambda xp, a, b: tuple(xp.linalg.qr(b)),
    "qr of wide matrices": lambda xp, a, b: tuple(xp.linalg.qr(b.swapaxes(-1, -2))),
    "complete qr": lambda xp, a, b: tuple(xp.linalg.qr(b, mode="complete")),
    "triangles of qr": lambda xp, a, b: xp.linalg.qr(b, mode="r"),
    "product": lambda xp, a, b: xp.matmul(a, b),
    "product of vectors": lambda xp, a, b: xp.matmul(first(a)[0], first(b)[:, 0]),
    "product with a vector": lambda xp, a, b: xp.matmul(b.swapaxes(-1, -2), first(a)[0]),
}


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> Entered:
    """Return a list of library calls that calls in C have, and how many entries each has."""
    seen: Entered = []
    form = library_rows.entries_of

    def noting(step: Any, *args: Any) -> Any:
        entries = form(step, *args)
        seen.append((step.node, len(entries)))
        return entries

    monkeypatch.setattr(library_rows, "entries_of", noting)
    return seen


def operands(
    seed: int, n: int, width: int, stack: tuple[int, ...], dtype: str
) -> tuple[Array, ...]:
    """Return positive definite matrices and right sides, some of which lie in Fortran's order."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> Array:
        values = rng.standard_normal((*stack, *shape))
        return values + 1j * rng.standard_normal(values.shape) if dtype in ("c8", "c16") else values

    root = normal(n, n)
    a = (root @ root.conj().swapaxes(-1, -2) + n * np.eye(n)).astype(dtype)
    b = normal(n, width).astype(dtype)
    return tuple(np.asarray(x, order=rng.choice(["C", "F"])) for x in (a, b))


def parts(value: Any) -> list[Array]:
    return [np.asarray(x) for x in (value if isinstance(value, tuple) else (value,))]


def same(value: Any, expected: Any) -> None:
    for one, other in zip(parts(value), parts(expected), strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == np.ascontiguousarray(other).tobytes()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_entries_have_the_bits_of_numpy(form: str, dtype: str, entered: Entered) -> None:
    compute = FORMS[form]

    @settings(max_examples=6, deadline=None)
    @given(
        seed=st.integers(0, 2**32 - 1),
        n=st.integers(1, 9),
        width=st.integers(1, 5),
        stack=st.sampled_from([(), (), (1,), (3,), (2, 2)]),
    )
    def check(seed: int, n: int, width: int, stack: tuple[int, ...]) -> None:
        a, b = operands(seed, n, width, stack, dtype)
        function = la.jit(lambda a, b: compute(la, a, b))
        of_plan = la.jit(lambda a, b: compute(la, a * 1, b * 1))
        expected = of_plan(a, b)  # which Python's form computes
        for _ in range(3):
            if "product" not in form:  # kernels may compute products
                same(function(a, b), compute(np, a, b))
            same(of_plan(a, b), expected)

    check()


@pytest.mark.parametrize("form", FORMS)
def test_functions_of_one_loop_need_no_python(form: str, entered: Entered) -> None:
    # Kernels compute products of these in double precision.
    a, b = operands(0, 4, 3, (), "c16" if "product" in form else "f8")
    function = la.jit(lambda a, b: FORMS[form](la, a * 1, b * 1))
    for _ in range(3):
        function(a, b)
    assert entered
    assert all(count for _, count in entered)


def test_python_is_not_called_where_there_are_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: Any, **keywords: Any) -> Any:
        raise AssertionError("a routine of LAPACK was called from Python")

    a, b = operands(1, 5, 2, (), "f8")
    loss = la.jit(la.value_and_grad(lambda a, b: la.linalg.solve(a * 1, b).sum()))
    value, gradient = loss(a, b)
    loss(a, b)
    routines = triangular.LAPACK[np.dtype("f8")]
    for name in ("factor", "substitute", "invert", "solve"):
        monkeypatch.setitem(
            triangular.LAPACK,
            np.dtype("f8"),
            triangular.replace(triangular.LAPACK[np.dtype("f8")], **{name: refused}),
        )
    again = loss(a, b)
    monkeypatch.setitem(triangular.LAPACK, np.dtype("f8"), routines)
    same(tuple(again), (value, gradient))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("stack", [(), (3,)])
def test_derivatives_have_the_bits_of_python_s_form(
    dtype: str, stack: tuple[int, ...], entered: Entered
) -> None:
    a, b = operands(2, 5, 3, stack, dtype)

    def loss(a: Any, b: Any) -> Any:
        inverse = la.linalg.inv(a)
        solved = la.linalg.solve(a, b)
        return la.sum(la.abs(solved) + la.linalg.slogdet(a)[1].sum()) + la.sum(la.abs(inverse))

    gradient = la.jit(la.grad(loss, argnums=(0, 1)))
    first = gradient(a, b)  # which Python's form computes
    assert entered
    for _ in range(2):
        same(gradient(a, b), first)


@pytest.mark.parametrize("size", [1, 7, 24])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_sums_at_positions_are_added_in_numpy_s_order(
    size: int, dtype: str, entered: Entered
) -> None:
    rng = np.random.default_rng(size)
    x = rng.standard_normal((size, 3)).astype(dtype)
    places = rng.integers(0, size, 40)

    def loss(x: Any, places: Any, weights: Any) -> Any:
        return la.sum(x[places, places % 3] * weights)

    weights = rng.standard_normal(40).astype(dtype)
    gradient = la.jit(la.grad(loss))
    expected = np.zeros_like(x)
    np.add.at(expected, (places, places % 3), weights)
    for _ in range(3):
        same(gradient(x, places, weights), expected)


def test_a_singular_matrix_raises_numpy_s_error(entered: Entered) -> None:
    function = la.jit(lambda a: la.linalg.inv(a * 1) + 1)
    gradient = la.jit(la.grad(lambda a, b: la.linalg.solve(a * 1, b).sum()))
    fine, b = np.eye(3), np.ones((3, 2))
    for _ in range(2):
        function(fine)
        gradient(fine, b)
    for singular in (np.zeros((3, 3)), np.ones((3, 3))):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            function(singular)
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            gradient(singular, b)
        same(function(fine), np.linalg.inv(fine) + 1)
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        la.jit(lambda a: la.linalg.cholesky(a * 1))(-fine)
    assert all(count for _, count in entered)


def warned(function: Callable[..., Any], *args: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*args)
    return sorted(str(warning.message) for warning in caught)


def test_faults_are_warned_of_as_numpy_does(entered: Entered) -> None:
    function = la.jit(lambda a, b: (la.linalg.det(a * 1) * 1, la.matmul(a * 1, b * 1)))

    def numpys(a: Array, b: Array) -> Any:
        return np.linalg.det(a * 1) * 1, np.matmul(a * 1, b * 1)

    fine, large, b = np.eye(3), np.eye(3) * 1e200, np.full((3, 1), 1e200)
    for a in (fine, fine, large, fine, large, np.eye(3) * 1e-200):
        assert warned(function, a, b) == warned(numpys, a, b)
    with np.errstate(all="ignore"):
        assert warned(function, large, b) == []
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        function(large, b)
    same(function(fine, b), numpys(fine, b))


@pytest.mark.parametrize("ignored", [(), ("over",), ("divide", "over", "under", "invalid")])
def test_calls_stay_in_c_where_faults_are_ignored(
    ignored: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    take_steps = mixed_calls.MixedSequence.launch

    def counting(self: Any, *args: Any) -> Any:
        runs.append(1)
        return take_steps(self, *args)

    function = la.jit(lambda a: la.sort(la.linalg.det(a * 1) * la.ones(3)))
    fine, large = np.eye(3), np.eye(3) * 1e200
    function(fine)
    monkeypatch.setattr(mixed_calls.MixedSequence, "launch", counting)
    with np.errstate(**dict.fromkeys(ignored, "ignore")):
        assert len(warned(function, large)) == (0 if "over" in ignored else 1)
    assert len(runs) == (0 if "over" in ignored else 1)


def test_a_filter_of_matrices_in_a_loop_has_the_derivatives_of_differences() -> None:
    rng = np.random.default_rng(5)
    transition = 0.9 * np.eye(3) + 0.05 * rng.standard_normal((3, 3))
    observed, seen = rng.standard_normal((2, 3)), rng.standard_normal((6, 2))

    def loss(transition: Any, xp: Any, loop: Callable[..., Any]) -> Any:
        def body(t: Any, state: Any) -> Any:
            mean, spread, total = state
            mean, spread = transition @ mean, transition @ spread @ transition.T + xp.eye(3)
            s = observed @ spread @ observed.T + xp.eye(2)
            gap = xp.asarray(seen)[t] - observed @ mean
            gain = xp.linalg.solve(s, observed @ spread).T
            total = total + gap @ xp.linalg.solve(s, gap) + xp.linalg.slogdet(s)[1]
            return mean + gain @ gap, spread - gain @ s @ gain.T, total

        return loop(0, 6, body, (xp.zeros(3), xp.eye(3), xp.zeros(())))[2]

    def python_loop(first: int, last: int, body: Callable[..., Any], state: Any) -> Any:
        for number in range(first, last):
            state = body(number, state)
        return state

    gradient = la.jit(la.grad(lambda x: loss(x, la, la.fori_loop)))
    expected, step = np.empty_like(transition), 1e-6
    for place in np.ndindex(transition.shape):
        moved = [transition.copy(), transition.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        high, low = (loss(x, np, python_loop) for x in moved)
        expected[place] = (high - low) / (2 * step)
    for _ in range(3):
        np.testing.assert_allclose(gradient(transition), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("threads", [1, 3])
def test_stacks_that_are_worth_several_threads_are_divided(threads: int, entered: Entered) -> None:
    a, b = operands(3, 8, 2, (4000,), "f8")
    with la.config(threads=threads):
        gradient = la.jit(la.grad(lambda a, b: la.linalg.solve(a * 1, b).sum()))
        first = gradient(a, b)
        same(gradient(a, b), first)
    names = {node.op for node, count in entered if count}
    assert not names & {triangular.FACTORS, triangular.SOLUTION} or threads == 1
