"""Derivatives of linear algebra, Fourier transforms and library functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import DifferentiationError
from lazyarr.linalg.triangular import solve_triangular
from tests.support.derivatives import check_derivatives, values


def _x(*shape: int, seed: int = 0, is_complex: bool = False) -> Any:
    rng = np.random.default_rng(seed)
    result = rng.uniform(-1, 1, shape)
    return result + 1j * rng.uniform(-1, 1, shape) if is_complex else result


def _adjoint(x: Any) -> Any:
    return x.mT.conj() if x.dtype.kind == "c" else x.mT


def _positive(x: Any) -> Any:
    return x @ _adjoint(x) + 2 * np.eye(x.shape[-1])


def _vectors(factors: Any) -> Any:
    """Return eigenvectors without their phases: what depends on these is not determined."""
    w, v = factors
    return w, (v * la.asarray([1.0, 2.0, 3.0])) @ _adjoint(v)


def _singular(factors: Any) -> Any:
    u, s, vh = factors
    weights = la.asarray([1.0, 2.0, 3.0])[: s.shape[-1]]
    return (
        (u * weights) @ _adjoint(u),
        s,
        (u * s[..., None, :] ** 2) @ vh,
        _adjoint(vh) @ (vh * weights[:, None]),
    )


def _square(x: Any) -> Any:
    return x + 3 * np.eye(x.shape[-1])


_SQUARE: dict[str, Any] = {
    "inv": lambda x: la.linalg.inv(_square(x)),
    "det": lambda x: la.linalg.det(_square(x)),
    "slogdet": lambda x: tuple(la.linalg.slogdet(_square(x))),
    "cholesky": lambda x: la.linalg.cholesky(_positive(x)),
    "upper cholesky": lambda x: la.linalg.cholesky(_positive(x), upper=True),
    "eigh": lambda x: _vectors(la.linalg.eigh(_positive(x))),
    "eigvalsh": lambda x: la.linalg.eigvalsh(_positive(x)),
    "svd": lambda x: _singular(la.linalg.svd(_square(x))),
    "svdvals": lambda x: la.linalg.svdvals(x),
    "qr": lambda x: tuple(la.linalg.qr(_square(x))),
    "r": lambda x: la.linalg.qr(_square(x), mode="r"),
    "pinv": lambda x: la.linalg.pinv(_square(x)),
    "matrix_power": lambda x: la.linalg.matrix_power(_square(x), 5),
    "negative power": lambda x: la.linalg.matrix_power(_square(x), -2),
    "no power": lambda x: la.linalg.matrix_power(_square(x), 0),
    "cond": lambda x: la.linalg.cond(_square(x)),
    "cond, 1": lambda x: la.linalg.cond(_square(x) * la.asarray([1.0, 2.0, 4.0]), 1),
    "solve": lambda x: la.linalg.solve(_square(x), x),
    "solve a vector": lambda x: la.linalg.solve(_square(x), x[..., 0, :].reshape(-1)[:3]),
    "a lower triangle": lambda x: solve_triangular(_square(x), x),
    "a lower triangle, transposed": lambda x: solve_triangular(_square(x), x, transposed=True),
    "an upper triangle": lambda x: solve_triangular(_square(x), x, lower=False),
    "an upper triangle, transposed": lambda x: solve_triangular(
        _square(x), x.mT, lower=False, transposed=True
    ),
    "multi_dot": lambda x: la.linalg.multi_dot([x, _square(x), x]),
    "nuclear norm": lambda x: la.linalg.norm(_square(x), "nuc"),
    "spectral norm": lambda x: la.linalg.norm(_square(x), 2),
    "Frobenius norm": lambda x: la.linalg.norm(x),
    "trace": lambda x: la.linalg.trace(x),
}


@pytest.mark.parametrize("name", _SQUARE)
@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
def test_function_of_a_square_matrix(name: str, is_complex: bool) -> None:
    check_derivatives(_SQUARE[name], _x(3, 3, is_complex=is_complex), rtol=1e-5)


_OF_STACKS = "inv det slogdet cholesky eigh svd qr solve".split()


@pytest.mark.parametrize("name", [*_OF_STACKS, "upper cholesky", "an upper triangle, transposed"])
def test_function_of_a_stack_of_matrices(name: str) -> None:
    check_derivatives(_SQUARE[name], _x(2, 3, 3), rtol=1e-5)


def test_solutions_with_broadcast_operands() -> None:
    def fun(a: Any, b: Any) -> Any:
        return la.linalg.solve(_square(a), b)

    check_derivatives(fun, _x(2, 3, 3), _x(3, 2))
    check_derivatives(fun, _x(3, 3), _x(4, 3, 2))
    check_derivatives(fun, _x(2, 3, 3), _x(3))


@pytest.mark.parametrize(
    ("stack", "sides"), [((), ()), ((), (2,)), ((3,), (2,))], ids=["vector", "columns", "stack"]
)
def test_solutions_of_other_lengths(stack: tuple[int, ...], sides: tuple[int, ...]) -> None:
    """Plans of other lengths are over symbols, which are lengths in the library's calls too."""

    def fun(a: Any, b: Any) -> Any:
        return (la.linalg.solve(_square(a), b) ** 2).sum()

    for n in (4, 3, 5, 1, 6):
        a, b = _x(*stack, n, n), _x(*stack, n, *sides, seed=1)
        loss, gradients = la.value_and_grad(fun, (0, 1))(a, b)
        solution = np.linalg.solve(_square(a), b)
        right = np.linalg.solve(_square(a).mT, 2 * solution)
        outer = right @ solution.mT if sides else right[:, None] * solution
        np.testing.assert_allclose(loss, (solution**2).sum(), rtol=1e-10)
        np.testing.assert_allclose(gradients[0], -outer, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(gradients[1], right, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
def test_oblong_matrices(shape: tuple[int, int], is_complex: bool) -> None:
    x = _x(*shape, is_complex=is_complex)
    check_derivatives(lambda x: la.linalg.pinv(x), x, rtol=1e-5)
    check_derivatives(
        lambda x: _singular(la.linalg.svd(x, full_matrices=False)), x, rtol=1e-5, atol=1e-6
    )
    check_derivatives(lambda x: tuple(la.linalg.qr(x)), x, rtol=1e-5)


def test_triangular_systems_with_broadcast_operands() -> None:
    def fun(a: Any, b: Any) -> Any:
        return solve_triangular(_square(a), b), solve_triangular(_square(a), b, transposed=True)

    check_derivatives(fun, _x(2, 3, 3), _x(3, 2))
    check_derivatives(fun, _x(3, 3), _x(4, 3, 2))
    check_derivatives(fun, _x(2, 1, 3, 3, is_complex=True), _x(4, 3, 2, is_complex=True))


def test_factors_are_differentiated_by_triangular_systems() -> None:
    """General solutions would factor the triangle again."""
    x = _x(5, 5)
    for function in (
        lambda x: la.linalg.cholesky(_positive(x)).sum(),
        lambda x: la.linalg.cholesky(_positive(x), upper=True).sum(),
        lambda x: la.linalg.qr(_square(x))[1].sum(),
    ):
        names = {call.op for call in la.explain(la.grad(function)(x)).library_calls}
        assert "linalg.solve_triangular" in names and "linalg.solve" not in names


def test_third_derivatives_by_shared_factors() -> None:
    """Of a matrix of one number these are powers of it."""

    def function(x: Any) -> Any:
        return la.linalg.slogdet(x)[1] + la.linalg.solve(x, np.ones((1, 1))).sum()

    for _ in range(2):
        function = (lambda inner: lambda x: la.grad(inner)(x).sum())(function)
    (got,) = values(la.grad(function)(np.full((1, 1), 2.0)))
    np.testing.assert_allclose(got, [[2 / 2.0**3 - 6 / 2.0**4]], rtol=1e-12)


def test_least_squares() -> None:
    a, b = _x(5, 3), _x(5, 2, seed=1)
    check_derivatives(lambda a, b: la.linalg.lstsq(a, b)[0], a, b, rtol=1e-5)


def test_a_pseudo_inverse_is_smooth_where_singular_values_are_equal() -> None:
    (gradient,) = values(la.grad(lambda x: la.linalg.pinv(x).sum())(np.eye(3)))
    np.testing.assert_allclose(gradient, -np.ones((3, 3)), atol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: la.linalg.svd(x)[0].sum(),
        lambda x: la.linalg.qr(x, mode="complete")[0].sum(),
        lambda x: la.interp(x[0], [0.0, 1.0], [0.0, 1.0], period=x[1, 0]).sum(),
        lambda x: la.histogram(x, "auto")[1].sum(),
        lambda x: abs(la.linalg.eig(x[:2])[0]).sum(),
        lambda x: la.apply_along_axis(np.sort, 0, x).sum(),
        lambda x: la.partition(x, 1).sum(),
        lambda x: la.asarray(np.asarray(x)).sum(),
        lambda x: la.poly(x[:2]).sum(),
    ],
)
def test_what_has_no_derivative_is_refused_at_its_line(call: Any) -> None:
    with pytest.raises(DifferentiationError) as caught:
        la.grad(call)(_x(3, 2))
    assert caught.value.origin is not None
    assert caught.value.origin[0] == __file__


def test_looking_at_a_value_leaves_the_derivative_as_it_is() -> None:
    def fun(x: Any) -> Any:
        factor = 2.0 if float(x) > 0 else 3.0
        assert x.compute() == x.item()
        return factor * x**2 + la.asarray(np.asarray(la.stop_gradient(x)))

    assert la.grad(fun)(1.5).compute() == 6.0

    def settled(x: Any) -> Any:
        y = x
        while abs(y - la.cos(y)) > 1e-3:
            y = la.cos(y)
        return y * x

    point = 0.7
    y, iterations = point, 0
    slope = 1.0
    while abs(y - np.cos(y)) > 1e-3:
        slope *= -np.sin(y)
        y = np.cos(y)
        iterations += 1
    assert iterations > 3
    np.testing.assert_allclose(la.grad(settled)(point).compute(), slope * point + y)


_TRANSFORMS: dict[str, Any] = {
    "fft": lambda x: la.fft.fft(x),
    "fft, ortho": lambda x: la.fft.fft(x, axis=0, norm="ortho"),
    "fft, cut": lambda x: la.fft.fft(x, n=3),
    "fft, longer": lambda x: la.fft.fft(x, n=9, norm="forward"),
    "ifft": lambda x: la.fft.ifft(x, n=4, axis=0),
    "fft2": lambda x: la.fft.fft2(x),
    "ifftn": lambda x: la.fft.ifftn(x, s=(3, 7), axes=(0, 1)),
    "irfft": lambda x: la.fft.irfft(x),
    "irfft, odd": lambda x: la.fft.irfft(x, n=7, norm="ortho"),
    "irfft, short": lambda x: la.fft.irfft(x, n=4),
    "irfft, long": lambda x: la.fft.irfft(x, n=15, axis=0),
    "irfftn": lambda x: la.fft.irfftn(x),
    "irfft2": lambda x: la.fft.irfft2(x, s=(3, 8)),
    "irfftn, an axis twice": lambda x: la.fft.irfftn(x, axes=(1, 1)),
    "irfft of one": lambda x: la.fft.irfft(x, n=1),
    "hfft": lambda x: la.fft.hfft(x),
    "fftshift": lambda x: la.fft.fftshift(x),
}
_REAL_TRANSFORMS: dict[str, Any] = {
    "rfft": lambda x: la.fft.rfft(x),
    "rfft, cut": lambda x: la.fft.rfft(x, n=5, norm="forward"),
    "rfft, longer": lambda x: la.fft.rfft(x, n=9, axis=0),
    "rfft2": lambda x: la.fft.rfft2(x),
    "rfftn": lambda x: la.fft.rfftn(x, s=(5, 4), axes=(0, 1), norm="ortho"),
    "rfftn, an axis twice": lambda x: la.fft.rfftn(x, axes=(1, 0, 1)),
    "rfft of one": lambda x: la.fft.rfft(x, n=1),
    "ihfft": lambda x: la.fft.ihfft(x),
    "power spectrum": lambda x: abs(la.fft.rfft(x)) ** 2,
    "convolution": lambda x: la.fft.irfft(la.fft.rfft(x) * la.fft.rfft(x[::-1])),
}


def test_real_signals_are_differentiated_by_transforms_of_real_signals() -> None:
    """Those of complex numbers take twice the time."""

    def function(x: Any) -> Any:
        spectrum = la.fft.rfft2(x)
        return (abs(spectrum) ** 2).sum() + (la.fft.irfft(spectrum) ** 2).sum()

    calls = la.explain(la.grad(function)(_x(8, 12))).library_calls
    operations = sorted(call.op for call in calls)
    assert operations == ["fft.fft", "fft.irfft", "fft.irfft", "fft.rfft", "fft.rfft2"]


@pytest.mark.parametrize("name", [*_TRANSFORMS, *_REAL_TRANSFORMS])
def test_transforms_of_single_precision_have_derivatives_in_it(name: str) -> None:
    function = (_TRANSFORMS | _REAL_TRANSFORMS)[name]

    def gradient(x: Any) -> Any:
        return la.grad(lambda x: (abs(function(x) - 0.3) ** 2).sum())(x)

    wide = gradient(_x(4, 6))
    narrow = gradient(_x(4, 6).astype(np.float32))
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, wide, rtol=0, atol=1e-5 * abs(np.asarray(wide)).max())


def test_second_derivatives_in_single_precision() -> None:
    def function(x: Any) -> Any:
        return (abs(la.fft.rfft(x)) ** 2 * abs(la.fft.ifft(x))[:4]).sum()

    x = _x(6)
    for derivative in (la.hessian(function), la.grad(lambda x: (la.grad(function)(x) ** 2).sum())):
        narrow, wide = derivative(x.astype(np.float32)), derivative(x)
        assert narrow.dtype == np.float32
        np.testing.assert_allclose(narrow, wide, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", _TRANSFORMS)
def test_transform_of_complex_numbers(name: str) -> None:
    check_derivatives(_TRANSFORMS[name], _x(4, 6, is_complex=True))


@pytest.mark.parametrize("name", [*_TRANSFORMS, *_REAL_TRANSFORMS])
def test_transform_of_real_numbers(name: str) -> None:
    check_derivatives((_TRANSFORMS | _REAL_TRANSFORMS)[name], _x(4, 6))


_SPREAD = np.random.default_rng(0).permutation(np.linspace(0.0, 1.0, 24)).reshape(4, 6)
_LIBRARY: dict[str, Any] = {
    "median": lambda x: la.median(x**2),
    "median of rows": lambda x: la.median(x**2, axis=1, keepdims=True),
    "quantile": lambda x: la.quantile(x**2, 0.3, axis=0),
    "percentile": lambda x: la.percentile(x, [10, 55, 100]) ** 2,
    "quantiles of rows": lambda x: la.quantile(x, [[0.1, 0.9]], axis=1, keepdims=True),
    "quantile, of its share": lambda x: la.quantile(x[1:] ** 2, x[0] * 0.9 + 0.01, axis=0),
    "percentile, of its share": lambda x: la.percentile(x[1:] ** 2, x[0, :2] * 90),
    "nanmedian": lambda x: la.nanmedian(_with_holes(x), axis=1),
    "nanquantile": lambda x: la.nanquantile(_with_holes(x), x[0, :2] * 0.7 + 0.2, axis=1),
    "nanpercentile": lambda x: la.nanpercentile(_with_holes(x), 35, axis=0, keepdims=True),
    "interp, of its ends": lambda x: la.interp(
        x[0] * 4 - 1, la.asarray([0.0, 1.1]), x[1, :2], left=x[2, 0], right=x[2, 1] ** 2
    ),
    "i0": lambda x: la.i0(x * 60 - 20),
    "geomspace": lambda x: la.geomspace(x[0] + 1, x[1, :1] + 3, 4, endpoint=False, axis=1),
    "xlogy": lambda x: la.special.xlogy(x[0] * (np.arange(6) > 0), x[1] + 0.1),
    "pad by odd reflections": lambda x: (
        la.pad(x, ((1, 0), (7, 13)), "reflect", reflect_type="odd") ** 2
    ),
    "pad by odd symmetry": lambda x: (
        la.pad(x, ((9, 0), (1, 2)), "symmetric", reflect_type="odd") ** 2
    ),
    "pad by many copies": lambda x: la.pad(x, ((11, 0), (1, 13)), "wrap") ** 2,
    "pad by a ramp": lambda x: la.pad(x, ((1, 2), (3, 0)), "linear_ramp", end_values=(2, 5)) ** 2,
    "pad by means": lambda x: la.pad(x, ((0, 2), (3, 1)), "mean") ** 2,
    "pad by maxima": lambda x: la.pad(x, ((1, 2), (3, 1)), "maximum", stat_length=2) ** 2,
    "pad by medians": lambda x: la.pad(x, ((1, 2), (3, 1)), "median", stat_length=(3, 2)) ** 2,
    "correlate": lambda x: la.correlate(x[0], x[1, :3], "full"),
    "correlate, same": lambda x: la.correlate(x[0], x[1, :3], "same"),
    "correlate, swapped": lambda x: la.correlate(x[0, :3], x[1], "same"),
    "correlate, valid": lambda x: la.correlate(x[0, :2], x[1], "valid"),
    "logaddexp.reduce": lambda x: np.logaddexp.reduce(x, axis=1),
    "add.at": lambda x: _added(np.add, x),
    "subtract.at": lambda x: _added(np.subtract, x),
    "interp": lambda x: la.interp(x[0] * 4 - 0.5, la.asarray([0.0, 1.1, 2.3, 3.0]), x[1, :4] ** 2),
}


def _with_holes(x: Any) -> Any:
    return la.where(np.eye(4, 6) > 0, np.nan, x**2)


def _added(ufunc: Any, x: Any) -> Any:
    copy = x.copy()
    ufunc.at(copy, la.asarray([0, 2, 0]), x[:3] ** 2)
    return copy


@pytest.mark.parametrize("name", _LIBRARY)
def test_library_function(name: str) -> None:
    check_derivatives(_LIBRARY[name], _SPREAD)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize(
    "method",
    [
        *("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher"),
        *("interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"),
        *("midpoint", "nearest"),
    ],
)
def test_methods_of_quantiles(name: str, method: str) -> None:
    shares = np.array([0.0, 0.1, 0.25, 0.3, 0.5, 0.77, 1.0])
    for size in (1, 2, 5, 6):
        x = np.append(_SPREAD[0, :size], [np.nan] * (name == "nanquantile"))

        def fun(x: Any, of: Any = la) -> Any:
            return getattr(of, name)(x, shares, method=method)

        # Quantiles are linear in the elements as long as their order stays.
        _, tangent = la.jvp(fun, (x,), (np.nan_to_num(x),))
        np.testing.assert_allclose(tangent.compute(), fun(x, np), rtol=1e-12, atol=1e-15)


def test_slopes_of_x_times_the_logarithm_at_zero() -> None:
    x, y = np.zeros(2), np.array([2.0, 0.0])
    by_x, by_y = values(la.grad(lambda x, y: la.sum(la.special.xlogy(x, y)), (0, 1))(x, y))
    np.testing.assert_array_equal(by_x, [np.log(2.0), -np.inf])
    np.testing.assert_array_equal(by_y, [0, 0])


@pytest.mark.parametrize("name", _LIBRARY)
def test_a_gradient_is_a_value_like_any_other(name: str) -> None:
    """What a composition is differentiated by does not outlive the call."""
    gradient = la.grad(lambda x: la.sum(_LIBRARY[name](x)))(_SPREAD)
    np.testing.assert_array_equal(np.asarray(gradient), values(gradient)[0])
    _, tangent = la.jvp(_LIBRARY[name], (_SPREAD,), (_SPREAD,))
    np.testing.assert_allclose(np.asarray(tangent), values(tangent)[0], rtol=1e-14)


def test_the_gradient_of_a_logarithm_of_a_determinant_with_nan_is_nan() -> None:
    stack = np.stack(
        [np.diag([2.0, 4.0]), [[np.nan, 1.0], [0.0, 1.0]], [[1.0, 0.0], [np.nan, 1.0]]]
    )
    with np.errstate(invalid="ignore"):
        gradient = la.grad(lambda x: la.linalg.slogdet(x)[1].sum())(stack)
    known = np.full((3, 2, 2), np.nan)
    known[0] = np.diag([0.5, 0.25])
    np.testing.assert_array_equal(gradient, known)


@pytest.mark.parametrize("sides", [(), (1,), (3,)], ids=["vector", "column", "columns"])
@pytest.mark.parametrize("count", [1, 2], ids=["matrix", "stack"])
def test_derivatives_of_solutions_of_one_size_after_another(
    sides: tuple[int, ...], count: int
) -> None:
    """Plans that sizes are filled into compute a solution and its factors in one call."""
    random = np.random.default_rng(0)

    def loss(a: Any, b: Any) -> Any:
        x = la.linalg.solve(a if count == 1 else la.stack([a, a.T]), b)
        return la.sum(x * la.cos(x))

    for n in (1, 3, 4, 2, 5):
        a, b = random.uniform(-1, 1, (n, n)) + 3 * np.eye(n), random.uniform(-1, 1, (n, *sides))
        if count == 2 and not sides:
            b = b[:, None]
        gradients = la.evaluate(*la.grad(loss, argnums=(0, 1))(a, b))
        along, step = (np.cos(a), np.sin(b)), 1e-6
        ends = [
            float(loss(*(x + h * t for x, t in zip((a, b), along, strict=True))))
            for h in (step, -step)
        ]
        _, tangent = la.jvp(loss, (a, b), along)
        total = sum((g * t).sum() for g, t in zip(gradients, along, strict=True))
        np.testing.assert_allclose(total, tangent.compute(), rtol=1e-10)
        np.testing.assert_allclose(total, (ends[0] - ends[1]) / (2 * step), rtol=1e-5)
