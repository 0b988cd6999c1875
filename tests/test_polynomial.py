"""Series at LazyArrays, against NumPy's at ndarrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la

FAMILIES = {
    "chebyshev": "cheb",
    "hermite": "herm",
    "hermite_e": "herme",
    "laguerre": "lag",
    "legendre": "leg",
    "polynomial": "poly",
}
RNG = np.random.default_rng(5)


def same(result: Any, expected: Any) -> None:
    assert isinstance(result, la.LazyArray)
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12, strict=True)


@pytest.mark.parametrize("tensor", [True, False])
@pytest.mark.parametrize("size", [(), (4,), (4, 3), (4, 2, 3)], ids=str)
@pytest.mark.parametrize("points", [(), (3,), (2, 3)], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_values(family: str, points: tuple[int, ...], size: tuple[int, ...], tensor: bool) -> None:
    name = f"{FAMILIES[family]}val"
    theirs = getattr(getattr(np.polynomial, family), name)
    ours = getattr(getattr(la.polynomial, family), name)
    x, c = RNG.random(points), RNG.random(size)
    for coefficients in (c, la.asarray(c)):
        try:
            expected = theirs(x, c, tensor)
        except ValueError:
            with pytest.raises(ValueError, match="broadcast"):
                ours(la.asarray(x), coefficients, tensor)
        else:
            same(ours(la.asarray(x), coefficients, tensor), np.asarray(expected))
    assert type(ours(x, RNG.random(4))) is type(theirs(x, RNG.random(4)))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("axes", [2, 3])
def test_values_on_grids(family: str, axes: int) -> None:
    name = f"{FAMILIES[family]}grid{axes}d"
    theirs = getattr(getattr(np.polynomial, family), name)
    ours = getattr(getattr(la.polynomial, family), name)
    points, c = [*RNG.random((axes, 2, 3))], RNG.random((4, 5, 6))
    expected = theirs(*points, c)
    same(ours(*map(la.asarray, points), c), expected)
    same(ours(la.asarray(points[0]), *points[1:], la.asarray(c)), expected)
    assert type(ours(*points, c)) is np.ndarray


@pytest.mark.parametrize("tensor", [True, False])
@pytest.mark.parametrize("roots", [(4,), (4, 3), (4, 2, 3)], ids=str)
@pytest.mark.parametrize("points", [(), (3,), (2, 3)], ids=str)
def test_values_from_roots(points: tuple[int, ...], roots: tuple[int, ...], tensor: bool) -> None:
    x, r = RNG.random(points), RNG.random(roots)
    ours, theirs = la.polynomial.polynomial.polyvalfromroots, np.polynomial.polynomial
    if not tensor and x.ndim >= r.ndim:
        with pytest.raises(ValueError, match=r"must be < r\.ndim"):
            ours(la.asarray(x), r, tensor)
        return
    same(ours(la.asarray(x), r, tensor), np.asarray(theirs.polyvalfromroots(x, r, tensor)))


def test_other_names_are_numpys() -> None:
    assert la.polynomial.Polynomial is np.polynomial.Polynomial
    assert la.polynomial.chebyshev.chebfit is np.polynomial.chebyshev.chebfit
    assert dir(la.polynomial.legendre) == dir(np.polynomial.legendre)
