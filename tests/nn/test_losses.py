"""Losses against SciPy's formulas, with masks and smoothing; labels out of range."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn
from tests.support.derivatives import check_derivatives

TOLERANCE = {"float16": 3e-3, "float32": 3e-6, "float64": 1e-13}


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = draw(st.lists(st.integers(1, 4), min_size=1, max_size=2))
    classes = draw(st.integers(1, 12))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    scale = draw(st.sampled_from([0.1, 3.0, 300.0]))
    logits = scale * random.standard_normal((*rows, classes))
    labels = random.integers(classes, size=rows).astype(draw(st.sampled_from(["i8", "u1", "i4"])))
    return logits, labels, random.random(rows) < 0.7


@pytest.mark.parametrize("dtype", TOLERANCE)
@settings(max_examples=15, deadline=None)
@given(problem=problems(), smoothing=st.sampled_from([0.0, 0.1, 1.0]))
def test_cross_entropy(dtype: str, problem: tuple[np.ndarray, ...], smoothing: float) -> None:
    logits, labels, mask = problem
    logits = logits.astype(dtype)
    logarithms = scipy.special.log_softmax(logits.astype(float), axis=-1)
    chosen = np.take_along_axis(logarithms, labels[..., None].astype(int), -1)[..., 0]
    losses = -(1 - smoothing) * chosen - smoothing * logarithms.mean(axis=-1)
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    for where, kept in ((None, np.ones_like(mask)), (mask, mask)):
        options = {"label_smoothing": smoothing, "where": where}
        each = nn.cross_entropy(logits, labels, reduction="none", **options)
        assert each.dtype == dtype
        np.testing.assert_allclose(each.compute(), np.where(kept, losses, 0), **close)
        total = np.where(kept, losses, 0).sum()
        if dtype != "float16":
            result = nn.cross_entropy(logits, labels, reduction="sum", **options).compute()
            np.testing.assert_allclose(result, total, **close)
        mean = nn.cross_entropy(logits, labels, **options).compute()
        np.testing.assert_allclose(mean, total / max(kept.sum(), 1), **close)


@pytest.mark.parametrize("dtype", TOLERANCE)
@settings(max_examples=5, deadline=None)
@given(problem=problems(), smoothing=st.sampled_from([0.0, 0.1, 1.0]))
def test_labels_that_are_probabilities(
    dtype: str, problem: tuple[np.ndarray, ...], smoothing: float
) -> None:
    logits, labels, mask = problem
    logits = logits.astype(dtype)
    count = logits.shape[-1]
    random = np.random.default_rng(0)
    probabilities = random.dirichlet(np.ones(count), labels.shape).astype(dtype)
    logarithms = scipy.special.log_softmax(logits.astype(float), axis=-1)
    weights = (1 - smoothing) * probabilities.astype(float) + smoothing / count
    losses = -(weights * logarithms).sum(axis=-1)
    close = {"rtol": 10 * TOLERANCE[dtype], "atol": 10 * TOLERANCE[dtype]}
    options = {"label_smoothing": smoothing, "where": mask}
    each = nn.cross_entropy(logits, probabilities, reduction="none", **options)
    assert each.dtype == dtype
    np.testing.assert_allclose(each.compute(), np.where(mask, losses, 0), **close)
    # Of a class that is certain it is that of its number.
    certain = np.eye(count, dtype=dtype)[labels]
    by_number = nn.cross_entropy(logits, labels, **options).compute()
    result = nn.cross_entropy(logits, certain, **options).compute()
    np.testing.assert_allclose(result, by_number, **close)


def test_derivatives_by_probabilities_and_of_impossible_classes() -> None:
    random = np.random.default_rng(0)
    logits, labels = random.standard_normal((2, 4, 3)), random.dirichlet(np.ones(4), (2, 3))
    labels = np.moveaxis(labels, -1, 1)
    check_derivatives(
        lambda x, p: nn.cross_entropy(x, p, axis=1, label_smoothing=0.1, reduction="none"),
        logits,
        labels,
    )
    logits, labels = np.array([[-np.inf, 0.0, 1.0]]), np.array([[0.0, 0.25, 0.75]])
    loss, slope = la.evaluate(*la.value_and_grad(nn.cross_entropy)(logits, labels))
    expected = scipy.special.softmax(logits) - labels
    np.testing.assert_allclose(slope, expected, atol=1e-15)
    kept = scipy.special.log_softmax(logits[:, 1:])
    np.testing.assert_allclose(loss, -(kept * labels[:, 1:]).sum(), rtol=1e-14)


def test_classes_along_another_axis() -> None:
    random = np.random.default_rng(0)
    logits, labels = random.standard_normal((2, 5, 3, 4)), random.integers(5, size=(2, 3, 4))
    result = nn.cross_entropy(logits, labels, axis=1).compute()
    moved = nn.cross_entropy(np.moveaxis(logits, 1, -1), labels).compute()
    np.testing.assert_allclose(result, moved, 1e-14)


@pytest.mark.parametrize("label", [-1, 3, 255])
def test_a_label_out_of_range_in_memory_is_an_error_at_once(label: int) -> None:
    labels = np.array([0, label])
    with pytest.raises(la.errors.IndexingError, match=rf"labels\[1\] is {label}.*3 classes") as it:
        nn.cross_entropy(np.zeros((2, 3)), labels)
    assert it.value.origin is not None
    assert it.value.origin[0] == __file__


@pytest.mark.parametrize("label", [-1, 3])
def test_a_label_out_of_range_is_an_error_of_a_traced_function(label: int) -> None:
    step = la.jit(nn.cross_entropy)
    assert step(np.zeros((2, 3)), np.array([0, 2])) == pytest.approx(np.log(3))
    with pytest.raises(la.errors.IndexingError, match=f"index {label} is out of bounds"):
        step(np.zeros((2, 3)), np.array([0, label]))


def test_a_masked_label_may_be_anything() -> None:
    result = nn.cross_entropy(np.zeros((2, 3)), np.array([0, -100]), where=[True, False])
    assert float(result) == pytest.approx(np.log(3))
    assert float(nn.cross_entropy(np.zeros((1, 3)), np.array([-1]), where=[False])) == 0


def test_shapes_and_dtypes_that_do_not_fit() -> None:
    with pytest.raises(la.errors.ShapeError, match=r"labels have shape \(3,\)"):
        nn.cross_entropy(np.zeros((2, 3)), np.zeros(3, int))
    with pytest.raises(la.errors.ShapeError, match=r"labels have shape \(2, 3\)"):
        nn.cross_entropy(np.zeros((2, 3)), np.zeros((2, 3), int))
    with pytest.raises(la.errors.DTypeError, match="integers"):
        nn.cross_entropy(np.zeros((2, 3)), np.zeros(2))
    with pytest.raises(la.errors.ArgumentError, match="reduction"):
        nn.cross_entropy(np.zeros((2, 3)), np.zeros(2, int), reduction="median")
    with pytest.raises(la.errors.ArgumentError, match="label_smoothing"):
        nn.cross_entropy(np.zeros((2, 3)), np.zeros(2, int), label_smoothing=1.5)
    with pytest.raises(la.errors.ShapeError, match="targets"):
        nn.mean_squared_error(np.zeros((2, 1)), np.zeros(2))
    with pytest.raises(la.errors.ShapeError, match="where"):
        nn.binary_cross_entropy(np.zeros(2), np.zeros(2), where=[True])


def test_no_mask_of_the_logits_is_stored() -> None:
    report = la.explain(
        nn.cross_entropy(la.asarray(np.zeros((1000, 10))), la.asarray(np.zeros(1000, int)))
    )
    assert report.peak_bytes < 1000 * 10 * 8


def test_binary_cross_entropy() -> None:
    random = np.random.default_rng(1)
    logits, targets = 5 * random.standard_normal(20), random.random(20)
    p = scipy.special.expit(logits)
    expected = -(targets * np.log(p) + (1 - targets) * np.log1p(-p))
    result = nn.binary_cross_entropy(logits, targets, reduction="none").compute()
    np.testing.assert_allclose(result, expected, 1e-12)
    large = nn.binary_cross_entropy([1e5, -1e5], [0, 1], reduction="sum").compute()
    assert large == 2e5


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("axis", [-1, 0, (0, 1)])
def test_softmax(dtype: str, axis: int | tuple[int, ...]) -> None:
    x = (20 * np.random.default_rng(2).standard_normal((6, 7))).astype(dtype)
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    wide = x.astype(float)
    for name in ("softmax", "log_softmax", "logsumexp"):
        result = getattr(nn, name)(x, axis).compute()
        assert result.dtype == dtype
        np.testing.assert_allclose(result, getattr(scipy.special, name)(wide, axis), **close)


@pytest.mark.parametrize("dtype", TOLERANCE)
@settings(max_examples=10, deadline=None)
@given(problem=problems(), axis=st.sampled_from([-1, 0]))
def test_kl_divergence(dtype: str, problem: tuple[np.ndarray, ...], axis: int) -> None:
    logits, _, mask = problem
    logarithms = scipy.special.log_softmax(logits, axis=-1).astype(dtype)
    random = np.random.default_rng(0)
    targets = random.dirichlet(np.ones(logits.shape[-1]), logits.shape[:-1]).astype(dtype)
    targets[..., 0] = 0
    each = scipy.special.rel_entr(targets, 1).astype(float) - targets * logarithms.astype(float)
    expected = each.sum(-1)
    close = {"rtol": 5 * TOLERANCE[dtype], "atol": 20 * TOLERANCE[dtype]}
    moved = (np.moveaxis(logarithms, -1, axis), np.moveaxis(targets, -1, axis))
    result = nn.kl_divergence(*moved, axis=axis, reduction="none")
    assert result.dtype == dtype
    np.testing.assert_allclose(result.compute(), expected, **close)
    if dtype != "float16":
        mean = nn.kl_divergence(*moved, axis=axis, where=mask).compute()
        np.testing.assert_allclose(mean, expected[mask].sum() / max(mask.sum(), 1), **close)
    with np.errstate(divide="ignore"):
        logs = np.log(moved[1])
    by_logs = nn.kl_divergence(
        moved[0], logs, axis=axis, log_targets=True, reduction="none"
    ).compute()
    np.testing.assert_allclose(by_logs, expected, **close)


def test_kl_divergence_of_impossible_classes() -> None:
    inf = np.inf
    cases = [
        ([-inf, 0.0], [0.0, 1.0], 0.0),
        ([-inf, 0.0], [0.5, 0.5], inf),
        ([-0.5, -1.0], [0.0, 1.0], 1.0),
    ]
    for scores, targets, expected in cases:
        with np.errstate(divide="ignore"):
            logs = np.log(targets)
        for options in ((targets, False), (logs, True)):
            loss, slope = la.value_and_grad(
                lambda x, o=options: nn.kl_divergence(x, o[0], log_targets=o[1])
            )(np.array(scores))
            assert float(loss) == expected
            np.testing.assert_array_equal(slope.compute(), -np.array(targets))
    with pytest.raises(la.errors.ShapeError, match="targets have shape"):
        nn.kl_divergence(np.zeros((2, 3)), np.zeros(3))
    with pytest.raises(la.errors.ShapeError, match="where"):
        nn.kl_divergence(np.zeros((2, 3)), np.zeros((2, 3)), where=[True])


def test_losses_of_an_empty_batch() -> None:
    empty = np.zeros((0, 3))
    for loss in (nn.kl_divergence, nn.binary_cross_entropy):
        assert loss(empty, empty, reduction="sum").compute() == 0
        slope = la.grad(lambda x, f=loss: f(x, empty, reduction="sum"))(empty)
        assert slope.compute().shape == (0, 3)
