"""Einstein's notation against NumPy's, and what becomes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import contraction_analysis
from lazyarr.compiler.plan_cache import forget_plans
from tests.support.plans import run

pytestmark = pytest.mark.each_device

Array = np.ndarray[Any, Any]

LENGTHS = dict(zip("abcdehijkl", (4, 3, 2, 5, 3, 2, 4, 5, 3, 2), strict=True))
SUBSCRIPTS = (
    "ij,jk->ik ij,kj->ik ji,jk->ki ij->ji ij->j ij-> ij,ij-> ij,ij->i ij,ij->ij i,j->ij i,i-> i,i "
    "ij,jk ij,jk,kl->il ij,jk,kl bij,bjk->bik bij,bjk->bki bij,jk->bik ij,j->i i,ij->j ij,k->ijk "
    "ijk,jl->ilk ijk,ijk->k ij,kl-> ij,kl->ik ij,jk,ki-> ij,jk,ki->i i,j,k->kji ij,i,j-> "
    "...j->... ...j,...j->... ...ij,...jk->...ik b...,b...->... ...ij->...j i...->... ijk,k->ij "
    "bik,bjk->bij bhi,bhj->bhij ab,bc,cd,de->ae ij,jk-> ij,jk->ijk ij,ij,ij->j ijk,lk,bi->jlb"
).split()


def operands(subscripts: str, dtype: Any) -> list[Array]:
    random = np.random.default_rng(7)
    created = []
    for term in subscripts.partition("->")[0].split(","):
        # The ellipsis stands for one or two axes.
        letters = term.replace("...", "h" if "b" in term else "hb")
        values = random.integers(-4, 5, [LENGTHS[letter] for letter in letters])
        created.append(values.astype(dtype))
    return created


@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
@pytest.mark.parametrize("dtype", ["d", "f", "l", "b", "?", "D"])
def test_sums_of_products(subscripts: str, dtype: str) -> None:
    arrays = operands(subscripts, dtype)
    for optimize in (True, False, "optimal"):
        expected = np.einsum(subscripts, *arrays, optimize=optimize)
        lazy = np.einsum(subscripts, *map(la.asarray, arrays), optimize=optimize)
        assert isinstance(lazy, la.LazyArray)
        got = lazy.compute()
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)  # small integers: exact in any order


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ii->i", [(4, 4)]),
        ("ii", [(4, 4)]),
        ("iij->ij", [(3, 3, 2)]),
        ("iii->i", [(3, 3, 3)]),
        ("iji->j", [(3, 2, 3)]),
        ("ii,ij->j", [(4, 4), (4, 5)]),
        ("ij,ij->ij", [(1, 5), (4, 5)]),
        ("ij,ij->i", [(1, 5), (4, 5)]),
        ("ij,jk->ik", [(1, 5), (5, 4)]),
        ("ij,ij->", [(1, 5), (1, 5)]),
        ("ij,jk->ik", [(0, 4), (4, 5)]),
        ("ij,ik->jk", [(0, 4), (0, 4)]),
        ("ij->j", [(0, 4)]),
        ("i j -> j i", [(4, 5)]),
        ("ij,->ij", [(4, 5), ()]),
        ("->", [()]),
    ],
)
def test_diagonals_single_and_missing_elements(subscripts: str, shapes: Any) -> None:
    arrays = [np.arange(float(np.prod(shape, dtype=int))).reshape(shape) + 1 for shape in shapes]
    expected = np.einsum(subscripts, *arrays)
    got = np.einsum(subscripts, *map(la.asarray, arrays)).compute()
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


def test_axes_by_number() -> None:
    a, b = np.arange(20.0).reshape(4, 5), np.arange(15.0).reshape(5, 3)
    x, y = la.asarray(a), la.asarray(b)
    for rest in ([0, 2],), ():
        np.testing.assert_array_equal(
            np.einsum(x, [0, 1], y, [1, 2], *rest).compute(),
            np.einsum(a, [0, 1], b, [1, 2], *rest),
        )
    np.testing.assert_array_equal(
        np.einsum(x, [Ellipsis, 0], [Ellipsis]).compute(), np.einsum(a, [Ellipsis, 0], [Ellipsis])
    )


@pytest.mark.parametrize("subscripts", ["ii", "ij,jk", "ij->k", "i", "ij,", "ij->ii", "i!", "i,,"])
def test_wrong_subscripts(subscripts: str) -> None:
    arrays = [np.ones((4, 5))] * (2 if "," in subscripts else 1)
    with pytest.raises(ValueError):
        np.einsum(subscripts, *arrays)
    with pytest.raises(la.errors.ShapeError, match=r"built at .*test_einsum\.py"):
        np.einsum(subscripts, *map(la.asarray, arrays))


@pytest.mark.lazy
@pytest.mark.host  # what a GPU leaves to libraries is asked in tests/runtime/cuda
def test_products_fuse_with_what_is_round_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contraction_analysis, "product_pays", lambda value, width: False)
    forget_plans()
    a, b = np.random.default_rng(0).random((2, 300, 300))
    x, y = la.asarray(a), la.asarray(b)
    ran = run(np.exp(np.einsum("ij,ij->i", x * 2, y)))
    assert (ran.kernels, ran.explanation.fallbacks) == (1, ())
    assert ran.temporary == 0
    np.testing.assert_allclose(ran.values[0], np.exp((a * 2 * b).sum(axis=1)), rtol=1e-12)
    ran = run(np.tanh(np.einsum("ij,kj->ik", x, y)))
    # BLAS writes into the result's memory, which the kernel then overwrites.
    assert [step.op for step in ran.explanation.fallbacks] == ["matmul"]
    assert ran.explanation.peak_bytes == a.nbytes
    np.testing.assert_allclose(ran.values[0], np.tanh(a @ b.T), rtol=1e-12)
    # A kernel that computes the product itself does it all.
    monkeypatch.setattr(contraction_analysis, "product_pays", lambda value, width: True)
    forget_plans()
    ran = run(np.tanh(np.einsum("ij,kj->ik", x, y)))
    assert (ran.kernels, ran.explanation.fallbacks) == (1, ())
    np.testing.assert_allclose(ran.values[0], np.tanh(a @ b.T), rtol=1e-12)
    forget_plans()


@pytest.mark.host
@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex_products_fuse_too(dtype: str) -> None:
    random = np.random.default_rng(3)
    a, b = (random.random((20, 20)).astype(dtype) * (1 + 2j) for _ in range(2))
    total = la.einsum("ij,ij->i", la.asarray(a) + 1, b) * 2
    explanation = la.explain(total)
    assert len(explanation.kernels) == 1 and not explanation.fallbacks
    np.testing.assert_allclose(la.evaluate(total), np.einsum("ij,ij->i", a + 1, b) * 2, rtol=1e-5)
    product = la.explain(la.einsum("ij,jk->ik", la.asarray(a), b))
    assert [step.op for step in product.fallbacks] == ["matmul"]


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize(
    "subscripts", ["ij", "ij->ji", "...", "i...->...i", "ii->i", "ij->i", "ii"]
)
def test_views_have_the_dtype_of_their_operand(subscripts: str, immediate: int) -> None:
    for shape in ((2, 2), (0, 0)):
        x = np.ones(shape, "i4")
        for dtype in ("u1", "f4", "i4"):
            options = {"dtype": dtype, "casting": "unsafe"}
            with la.config(immediate=immediate):
                theirs = np.einsum(subscripts, x, **options)
                ours = la.evaluate(la.einsum(subscripts, la.asarray(x), **options))
                assert ours.dtype == theirs.dtype
                np.testing.assert_array_equal(ours, theirs)
    with la.config(immediate=immediate):
        assert la.einsum(la.asarray(x), [0, 1], dtype="f4").dtype == x.dtype


@pytest.mark.parametrize("subscripts", ["ij->i", "ij->", "ii->", "ij->ji", "ij"])
def test_one_operand_is_not_computed_to_build_a_sum(subscripts: str) -> None:
    x = np.arange(16.0).reshape(4, 4)
    expected = np.einsum(subscripts, x - 1)
    with la.config(immediate=0, implicit="raise"):
        named = la.einsum(subscripts, la.asarray(x) - 1)
        numbers = [{"i": 0, "j": 1}[name] for name in subscripts.partition("->")[0]]
        others = [{"i": 0, "j": 1}[name] for name in subscripts.partition("->")[2]]
        places = (numbers, others) if "->" in subscripts else (numbers,)
        numbered = la.einsum(la.asarray(x) - 1, *places)
    np.testing.assert_array_equal(la.evaluate(named), expected)
    np.testing.assert_array_equal(la.evaluate(numbered), expected)
