"""The loss of unaligned labels against a sum over all alignments."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn
from tests.support.derivatives import check_derivatives

Array = np.ndarray[Any, Any]
TOLERANCE = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-12}


def _by_enumeration(logarithms: Array, labels: Array, blank: int) -> float:
    steps, classes = logarithms.shape
    total = -np.inf
    for path in itertools.product(range(classes), repeat=steps):
        merged = [k for k, _ in itertools.groupby(path) if k != blank]
        if merged == labels.tolist():
            total = np.logaddexp(total, sum(logarithms[t, k] for t, k in enumerate(path)))
    return -float(total)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Array, Array, Array, Array, int]:
    batch, steps, classes = draw(st.tuples(*(st.integers(*n) for n in ((0, 3), (0, 5), (2, 3)))))
    longest = draw(st.integers(0, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    blank = draw(st.integers(0, classes - 1))
    scale = draw(st.sampled_from([1.0, 300.0]))
    logits = scale * random.standard_normal((batch, steps, classes))
    others = np.array([k for k in range(classes) if k != blank])
    labels = random.choice(others, (batch, longest)).astype(draw(st.sampled_from(["i8", "u1"])))
    durations = random.integers(steps + 1, size=batch)
    counts = random.integers(longest + 1, size=batch)
    return scipy.special.log_softmax(logits, -1), labels, durations, counts, blank


@pytest.mark.parametrize("dtype", TOLERANCE)
@settings(max_examples=25, deadline=None)
@given(problem=problems())
def test_every_alignment_is_counted(dtype: str, problem: tuple[Any, ...]) -> None:
    logarithms, labels, durations, counts, blank = problem
    logarithms = logarithms.astype(dtype)
    expected = np.array(
        [
            _by_enumeration(rows[:duration].astype(float), row[:count], blank)
            for rows, row, duration, count in zip(
                logarithms, labels, durations, counts, strict=True
            )
        ]
    )
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    arguments = (logarithms, labels, durations, counts)
    result = nn.ctc_loss(*arguments, blank=blank, reduction="none")
    assert result.dtype == dtype
    np.testing.assert_allclose(result.compute(), expected, **close)
    finite = np.where(np.isfinite(expected), expected, 0)
    options = {"blank": blank, "zero_infinity": True}
    result = nn.ctc_loss(*arguments, reduction="none", **options)
    np.testing.assert_allclose(result.compute(), finite, **close)
    if len(finite) and dtype != "float16":
        mean, total = (nn.ctc_loss(*arguments, reduction=k, **options) for k in ("mean", "sum"))
        np.testing.assert_allclose(mean.compute(), finite.mean(), **close)
        np.testing.assert_allclose(total.compute(), finite.sum(), **close)


LABELS = np.array([[1, 1, 2], [2, 0, 7], [2, 1, 2]])
LENGTHS = np.array([6, 5, 3]), np.array([3, 1, 3])


def _logarithms() -> Array:
    return scipy.special.log_softmax(np.random.default_rng(3).standard_normal((3, 6, 3)), -1)


def test_derivatives() -> None:
    check_derivatives(
        lambda x: nn.ctc_loss(x, LABELS, *LENGTHS, reduction="none"),
        _logarithms(),
    )


def test_the_gradient_by_logits_is_that_of_the_paper() -> None:
    """The slope by a logit is its probability less its share of the alignments: rows sum to 0."""
    slope = la.grad(lambda x: nn.ctc_loss(nn.log_softmax(x), LABELS, *LENGTHS, reduction="sum"))(
        _logarithms()
    ).compute()
    np.testing.assert_allclose(slope.sum(-1), 0, atol=1e-12)
    assert (slope[1, 5:] == 0).all()
    assert (slope[2, 3:] == 0).all()
    assert (slope[0] != 0).all()


def test_labels_without_alignment_have_gradient_zero() -> None:
    def loss(x: Any) -> Any:
        return nn.ctc_loss(x, [[1, 1], [1, 2]], [2, 2], reduction="none")[0]

    value, slope = la.evaluate(*la.value_and_grad(loss)(_logarithms()[:2, :2]))
    assert value == np.inf
    assert (slope == 0).all()


def test_impossible_classes_have_no_nan() -> None:
    logarithms = _logarithms()
    logarithms[:, ::2, 0] = -np.inf
    value, slope = la.evaluate(
        *la.value_and_grad(lambda x: nn.ctc_loss(x, LABELS, *LENGTHS, reduction="sum"))(logarithms)
    )
    expected = [
        _by_enumeration(rows[:duration], row[:count], 0)
        for rows, row, duration, count in zip(logarithms, LABELS, *LENGTHS, strict=True)
    ]
    np.testing.assert_allclose(value, sum(expected), 1e-12)
    assert not np.isnan(slope).any()


def test_a_traced_loss_is_the_same() -> None:
    step = la.jit(lambda *x: nn.ctc_loss(*x, reduction="none"))
    result = step(_logarithms(), LABELS, *LENGTHS)
    expected = nn.ctc_loss(_logarithms(), LABELS, *LENGTHS, reduction="none").compute()
    np.testing.assert_allclose(result, expected, 1e-13)


@pytest.mark.parametrize(
    ("labels", "durations", "counts", "message", "place"),
    [
        (LABELS, [7, 5, 3], [3, 1, 3], r"input_lengths\[0\] is 7, expected 0 to 6.*steps", 7),
        (LABELS, [6, -1, 3], [3, 1, 3], r"input_lengths\[1\] is -1", -1),
        (LABELS, [6, 5, 3], [3, 1, 4], r"label_lengths\[2\] is 4, expected 0 to 3.*labels", 4),
        (LABELS, [6, 5, 3], [3, 2, 3], r"labels\[1, 1\] is 0, expected a class .* blank", 3),
        (LABELS, [6, 5, 3], [3, 1, -2], r"label_lengths\[2\] is -2", -2),
        (LABELS + 1, [6, 5, 3], [3, 1, 3], r"labels\[0, 2\] is 3, expected a class from 0 to 2", 3),
        (LABELS - 2, [6, 5, 3], [3, 1, 3], r"labels\[0, 0\] is -1", -1),
    ],
)
def test_labels_and_lengths_out_of_range(
    labels: Array, durations: list[int], counts: list[int], message: str, place: int
) -> None:
    with pytest.raises(la.errors.IndexingError, match=message) as caught:
        nn.ctc_loss(_logarithms(), labels, durations, counts)
    assert caught.value.origin is not None
    assert caught.value.origin[0] == __file__
    step = la.jit(nn.ctc_loss)
    with pytest.raises(la.errors.IndexingError, match=f"index {place} is out of bounds"):
        step(_logarithms(), labels, np.array(durations), np.array(counts))


def test_arguments_that_do_not_fit() -> None:
    x = _logarithms()
    with pytest.raises(la.errors.ShapeError, match="batch, steps, classes"):
        nn.ctc_loss(x[0], LABELS)
    with pytest.raises(la.errors.ShapeError, match=r"labels have shape \(2, 3\)"):
        nn.ctc_loss(x, LABELS[:2])
    with pytest.raises(la.errors.ShapeError, match=r"input_lengths has shape \(2,\)"):
        nn.ctc_loss(x, LABELS, [6, 6])
    with pytest.raises(la.errors.DTypeError, match="label_lengths must be integers"):
        nn.ctc_loss(x, LABELS, None, [1.0, 2.0, 3.0])
    with pytest.raises(la.errors.DTypeError, match="labels must be integers"):
        nn.ctc_loss(x, LABELS * 1.0)
    for blank in (3, -1):
        with pytest.raises(la.errors.ArgumentError, match="blank must be the number of one of 3"):
            nn.ctc_loss(x, LABELS, blank=blank)
    with pytest.raises(la.errors.ArgumentError, match="reduction"):
        nn.ctc_loss(x, LABELS, *LENGTHS, reduction="median")
