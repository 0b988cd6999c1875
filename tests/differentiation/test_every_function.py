"""Every public function has derivatives, a documented zero, or a refusal that names it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import DifferentiationError
from lazyarr.numpy_api.names import FROM_NUMPY, computed_names
from tests.support.derivatives import check_derivatives
from tests.support.function_calls import CALLS, METHODS, arrays

#: More calls, as those of ``tests/support/function_calls.py``; ``w`` is a function that writes.
_MORE: dict[str, list[str]] = {
    "average": ["m.average(A, axis=1, weights=A[0])", "m.average(a, weights=m.exp(b))"],
    "apply_along_axis": ["m.apply_along_axis(m.sort, 1, A)"],
    "array": ["m.array([a, b])"],
    "bincount": ["m.bincount(k, weights=a, minlength=15)", "m.bincount(k[:0], a[:0], 3)"],
    "copyto": ["w(m.copyto, a * 1, b)"],
    "cov": [
        "m.cov(A, aweights=m.exp(A[0]))",
        "m.cov(A, B, fweights=k[:4] + 1, aweights=p[:4], ddof=0)",
        "m.cov(a, fweights=k)",
        "m.cov(c, b, aweights=p)",
    ],
    "cumprod": ["m.multiply.accumulate(A, axis=1)"],
    "fill_diagonal": ["w(m.fill_diagonal, A * 1, x)"],
    "frompyfunc": [],
    "histogram": [
        "m.histogram(s, bins=4, weights=a)",
        "m.histogram(s, weights=p, density=True)",
        "m.histogram(a, bins=[-1.0, 0.0, 0.3, 1.0], density=True, weights=p)",
        "m.histogram(a, bins=3, range=(-1, 1), weights=a)",
        "m.histogram(a, 'auto')",
    ],
    "histogram2d": [
        "m.histogram2d(a, b, bins=[2, 3], weights=p)",
        "m.histogram2d(a, b, bins=[-2.0, 0.0, 1.0, 3.0], density=True)",
    ],
    "histogramdd": [
        "m.histogramdd(A[:, :2], bins=2, weights=A[0], density=True)",
        "m.histogramdd((a, b), bins=(3, [-3.0, 0.0, 3.0]), range=((-2, 2), None))",
    ],
    "intersect1d": ["m.intersect1d(a, m.append(b, a[2:5]))"],
    "nanquantile": [
        "m.nanquantile(m.append(a, m.nan), 0.4, weights=m.append(p, 1), method='inverted_cdf')"
    ],
    "percentile": ["m.percentile(a, [20, 70.5], weights=p, method='inverted_cdf')"],
    "piecewise": ["m.piecewise(a, [a > 0], [lambda v: v * v, lambda v: 2 * v])"],
    "place": ["w(m.place, a * 1, t, b)"],
    "poly": ["m.poly(c[:3])", "m.poly(S)"],
    "polydiv": ["m.polydiv(a, p[:3])", "m.polydiv(a[:2], b)", "m.polydiv(m.polymul(a, b), b)"],
    "polyadd": ["m.polyadd(a, b[:3])", "m.polyadd(c, 2.0)"],
    "polyder": ["m.polyder(a, 2)", "m.polyder(a, m=0)"],
    "polyfit": [
        "m.polyfit(s, A[:, 0].repeat(3)[:10], 2, w=p)",
        "m.polyfit(s[:4], A, 1, cov=True)",
        "m.polyfit(s, a, 2, full=True)[:2]",
        "m.polyfit(s, a, 1, cov='unscaled', w=p)",
    ],
    "polyint": ["m.polyint(a, 2, k=b[:2])", "m.polyint(a, k=x)", "m.polyint(a, m=3, k=2.0)"],
    "polymul": ["m.polymul(m.append([0.0, 0.0], a), b[:4])"],
    "put": ["w(m.put, a * 1, k[:3], b[:3])"],
    "put_along_axis": ["w(m.put_along_axis, A * 1, m.argsort(A[:, :1], axis=1), B[:, :1], 1)"],
    "putmask": ["w(m.putmask, a * 1, t, b)"],
    "quantile": [
        "m.quantile(A, 0.3, axis=1, weights=m.exp(B), method='inverted_cdf', keepdims=True)",
        "m.quantile(A, [0.0, 1.0], axis=0, weights=[0.0, 1.0, 2.0, 1.0], method='inverted_cdf')",
    ],
    "roots": ["m.roots(p[:3])", "m.roots(c[:4])", "m.roots(m.append(m.append(0.0, a[:3]), 0.0))"],
    "setdiff1d": ["m.setdiff1d(a, b)"],
    "setxor1d": ["m.setxor1d(a, m.append(b, a[:2]))"],
    "sliding_window_view": ["m.sliding_window_view(a, 3)"],
    "trim_zeros": ["m.trim_zeros(m.where(a > a[4], 0, a))", "m.trim_zeros(a * (k > 3), 'b')"],
    "union1d": ["m.union1d(a, m.append(b, a))"],
    "unique": ["m.unique(A)", "m.unique(a, True, True)", "m.unique(m.tile(A, (2, 1)), axis=0)"],
    "unique_values": ["m.unique_values(A)"],
    "unwrap": ["m.unwrap(a * 5)"],
    "vander": ["m.vander(c[:3], 4, increasing=True)", "m.vander(a - a[1], N=3)"],
    "wrapped": [],
    "linalg.eigvals": ["m.linalg.eigvals(A)"],
    "linalg.lstsq": ["m.linalg.lstsq(A[:, :2], B)", "m.linalg.lstsq(A[:, :2], a[:4])"],
    "linalg.tensorinv": [
        "m.linalg.tensorinv(S.reshape(2, 2, 4))",
        "m.linalg.tensorinv(S.reshape(4, 2, 2), ind=1)",
    ],
    "linalg.tensorsolve": [
        "m.linalg.tensorsolve(S.reshape(2, 2, 2, 2), A[:2, :2])",
        "m.linalg.tensorsolve(S.reshape(2, 2, 4), b[:4].reshape(2, 2))",
        "m.linalg.tensorsolve(S.reshape(2, 4, 2), b[:4], axes=(0, 2))",
    ],
    "special.erf": ["m.special.erf(a)"],
    "special.erfc": ["m.special.erfc(a)"],
    "special.exp10": ["m.special.exp10(a)"],
    "special.expit": ["m.special.expit(a)"],
    "special.log_softmax": ["m.special.log_softmax(A, axis=1)"],
    "special.logit": ["m.special.logit(s)"],
    "special.logsumexp": ["m.special.logsumexp(A, axis=0, b=m.exp(B))"],
    "special.sincos": ["m.special.sincos(a)"],
    "special.softmax": ["m.special.softmax(A, axis=1)"],
    "special.xlogy": ["m.special.xlogy(a, p)"],
}
_UFUNCS = (
    "add subtract multiply divide maximum minimum fmax fmin hypot logaddexp logaddexp2 copysign "
    "fmod remainder floor_divide heaviside"
).split()
for _name in _UFUNCS:
    _ufunc = f"m.{_name}"
    _MORE[f"{_name}.accumulate"] = [f"{_ufunc}.accumulate(p)", f"{_ufunc}.accumulate(P, axis=1)"]
    _MORE[f"{_name}.reduce"] = [f"{_ufunc}.reduce(P, axis=0)", f"{_ufunc}.reduce(p, keepdims=True)"]
    _MORE[f"{_name}.reduceat"] = [f"{_ufunc}.reduceat(P, [2, 0, 1, 3, 3], axis=1)"]
_MORE["logaddexp.reduce"].append("m.logaddexp.reduce(A, axis=(0, 1), initial=x, where=A > 0)")
_MORE["multiply.accumulate"].append("m.multiply.accumulate(c * (k > 2))")

ALL = {name: [*CALLS.get(name, ()), *_MORE.get(name, ())] for name in {**CALLS, **_MORE}}

#: Functions of Hermitian matrices: of a direction the Hermitian part counts.
_HERMITIAN = {"linalg.cholesky", "linalg.eigh", "linalg.eigvalsh"}

#: Functions and calls that are refused, with a part of the reason.
_REFUSED = {
    "partition": "use sort",
    "apply_along_axis": "calls a function of ndarrays",
    "linalg.eig": "use eigh",
    "linalg.eigvals": "use eigh",
    "m.poly(S)": "use eigh",
    "m.histogram(a, 'auto')": "depends on the values",
}

#: Public functions that give no floating-point numbers made of floating-point arguments.
_WITHOUT = set(
    "array2string array_repr array_str bmat can_cast checkpoint common_type config custom_vjp "
    "eager einsum_path empty evaluate explain fori_loop from_array from_dlpack frombuffer "
    "fromfile fromfunction fromiter frompyfunc fromregex fromstring genfromtxt get_config grad "
    "hessian in1d isfortran jacobian jit jvp load loadtxt min_scalar_type ndim nested_iters "
    "persist profile result_type row_stack save savetxt savez savez_compressed set_config shape "
    "size stop_gradient stream to_networkx unpackbits value_and_grad vectorize visualize vjp "
    "while_loop".split()
)


def _floats(result: Any) -> list[Any]:
    """Return the floating-point arrays of a result."""
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in _floats(part)]
    return [result] if getattr(result, "dtype", np.dtype(bool)).kind in "fc" else []


def _written(function: Any, target: Any, *args: Any) -> Any:
    function(target, *args)
    return target


def _check(name: str, call: str) -> None:
    """Check a call's derivatives with respect to each of its floating-point arrays."""
    plain = arrays(np)
    del plain["np"], plain["m"]
    reason = _REFUSED.get(call, _REFUSED.get(name))
    for key, value in plain.items():
        if value.dtype.kind not in "fc" or key in "oO" or not re.search(rf"\b{key}\b", call):
            continue

        def fun(array: Any, key: str = key) -> tuple[Any, ...]:
            if name in _HERMITIAN:
                array = (array + array.mT) * 0.5
            names = {**arrays(la), key: array, "w": _written, "m": la}
            return tuple(_floats(eval(call, names)))

        if not fun(la.asarray(value)):
            continue
        if reason is not None:
            with pytest.raises(DifferentiationError, match=rf"{reason}") as caught:
                check_derivatives(fun, value, order=1)
            assert name.split(".")[-1] in str(caught.value) or call in _REFUSED
            continue
        is_single = "f4" in call
        check_derivatives(
            fun,
            value,
            order=1 if is_single else 2,
            step=0.05 if is_single else 1e-5,
            rtol=1e-5,
            atol=1e-5 if is_single else 1e-6,
        )


def _is_known(name: str) -> bool:
    """Return whether the installed NumPy has a function, or a module that is lazyarr's own."""
    space, _, last = name.rpartition(".")
    return space not in ("", "linalg", "fft") or hasattr(getattr(np, space, np), last)


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")  # NumPy 2.5
@pytest.mark.parametrize("name", sorted(filter(_is_known, ALL)))
def test_function(name: str) -> None:
    for call in ALL[name]:
        _check(name, call)


#: Methods of arrays that give numbers, which count as constants.
_NUMBERS = {"item", "tolist", "tobytes", "setitem", "operators", "view"}


@pytest.mark.parametrize("name", sorted(METHODS.keys() - _NUMBERS))
def test_method(name: str) -> None:
    for call in METHODS[name]:
        _check(name, call)


def test_no_function_is_left_out() -> None:
    spaces = (
        (la, "", {*la.__all__, *computed_names()} - {*FROM_NUMPY}),
        (la.linalg, "linalg.", dir(la.linalg)),
        (la.fft, "fft.", dir(la.fft)),
        (la.special, "special.", dir(la.special)),
    )
    for space, prefix, names in spaces:
        for name in names:
            function = getattr(space, name)
            if not callable(function) or isinstance(function, type):
                continue
            if isinstance(getattr(np, name, None), np.ufunc):
                continue  # the rows of the table of operations have rules
            assert ALL.get(prefix + name) or name in _WITHOUT, name
