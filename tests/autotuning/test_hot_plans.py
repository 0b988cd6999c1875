"""Plans that prove hot are tuned: never a bit changes, and what is chosen is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.autotuning import records, tuning
from lazyarr.autotuning.tunable_kernel import TunableKernel
from lazyarr.autotuning.tuning import BEFOREHAND, Policy
from lazyarr.autotuning.worker import WORKER
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.frozen import replace
from lazyarr.execution.cpu.kernel_sequence import SequenceCode
from lazyarr.execution.cpu.trial import Trial

AT_ONCE = replace(BEFOREHAND, rounds=1, least_elements=1)


@pytest.fixture(autouse=True)
def own_records(tmp_path: Path) -> Iterator[None]:
    records.forget()
    forget_plans()
    with la.config(cache_dir=str(tmp_path), tune=True, threads=2):
        yield
    records.forget()
    forget_plans()


def _transposed(a: Any, b: Any) -> Any:
    return a + b.transpose(2, 1, 0, 3) * 1.5


def _operands() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(3)
    return rng.random((9, 30, 28, 2)), rng.random((28, 30, 9, 2))


def _prefer(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let one candidate seem ten times as fast as all others."""
    run = Trial.run
    today: list[SequenceCode] = []

    def timed(self: Trial, code: SequenceCode) -> float:
        run(self, code)
        if not today:
            today.append(code)
        return 1.0 if code.calls == today[0].calls else 0.1

    monkeypatch.setattr(Trial, "run", timed)
    keep = TunableKernel

    def only(step: int, key: str, candidates: Any, build: Any) -> Any:
        def chosen() -> Any:
            first, *others = candidates()
            return [first, *(c for c in others if c.name == name)]

        return keep(step, key, chosen, build)

    monkeypatch.setattr("lazyarr.autotuning.tunable_kernel.TunableKernel", only)


def _tiling(*arrays: Any) -> str:
    (kernel,) = la.explain(_transposed(*map(la.asarray, arrays))).kernels
    return str(kernel.tiling)


def test_the_fastest_is_used_at_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = _operands()
    expected = _transposed(*arrays)
    assert "of loop" not in _tiling(*arrays)
    _prefer(monkeypatch, "inner -2")
    with tuning.using(AT_ONCE), records.collecting() as measured:
        for _ in range(3):
            result = la.evaluate(_transposed(*map(la.asarray, arrays)))
            np.testing.assert_array_equal(result, expected)
    (record,) = measured
    assert record.choice == "inner -2" and record.gain == pytest.approx(10)
    monkeypatch.undo()
    # Another process asks the folder.
    records.forget()
    (kernel,) = la.explain(_transposed(*map(la.asarray, arrays))).kernels
    assert "of loop" in str(kernel.tiling)
    used = [cut for cut in kernel.candidates if cut.is_used]
    assert [(cut.name, cut.measured) for cut in used] == [("inner -2", 0.1)]
    assert kernel.candidates[0].measured == 1.0
    result = la.evaluate(_transposed(*map(la.asarray, arrays)) * 1.0)
    np.testing.assert_array_equal(result, expected)


def test_a_record_serves_its_size_class_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = _operands()
    _prefer(monkeypatch, "inner -2")
    with tuning.using(AT_ONCE):
        la.evaluate(_transposed(la.asarray(a), la.asarray(b)))
    monkeypatch.undo()
    near = np.ones((9, 29, 27, 2)), np.ones((27, 29, 9, 2))
    far = np.ones((9, 200, 28, 2)), np.ones((28, 200, 9, 2))
    assert "of loop" in _tiling(*near)
    assert "of loop" not in _tiling(*far)
    with la.config(threads=1):
        assert "of loop" not in _tiling(a, b)
    with la.config(tune=False):
        assert "of loop" not in _tiling(a, b)


def test_a_candidate_that_changes_a_bit_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    results = Trial.results
    calls: list[int] = []

    def flipped(self: Trial) -> list[bytes]:
        calls.append(1)
        values = results(self)
        if len(calls) % 2 == 0:  # the candidate's
            values[0] = bytes([values[0][0] ^ 1]) + values[0][1:]
        return values

    monkeypatch.setattr(Trial, "results", flipped)
    with tuning.using(AT_ONCE), records.collecting() as measured:
        la.evaluate(_transposed(*map(la.asarray, _operands())))
    assert calls and [(record.choice, record.seconds) for record in measured] == [("", {})]


def test_nothing_is_counted_without_the_setting() -> None:
    with la.config(tune=False), tuning.using(AT_ONCE), records.collecting() as measured:
        la.evaluate(_transposed(*map(la.asarray, _operands())) + 1)
    assert not measured


def test_time_makes_a_plan_hot_and_not_runs() -> None:
    arrays = [la.asarray(x) for x in _operands()]
    rules = Policy(hot_seconds=3600.0, least_elements=1, beforehand=True)
    with tuning.using(rules), records.collecting() as measured:
        for number in range(50):
            la.evaluate(_transposed(*arrays) + number)
    assert not measured


def test_arrays_are_copied_only_for_a_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[float] = []
    begin = Trial.__init__

    def counted(self: Trial, *args: Any) -> None:
        copies.append(1)
        begin(self, *args)

    monkeypatch.setattr(Trial, "__init__", counted)
    rules = replace(AT_ONCE, copy_share=1e-9)
    with tuning.using(rules):
        la.evaluate(_transposed(*map(la.asarray, _operands())) - 2)
    assert not copies
    with tuning.using(replace(AT_ONCE, most_bytes=100)):
        la.evaluate(_transposed(*map(la.asarray, _operands())) - 3)
    assert not copies


def test_in_the_background_results_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = _operands()
    expected = _transposed(*arrays) + 7
    _prefer(monkeypatch, "inner -2")
    rules = replace(AT_ONCE, beforehand=False)
    function = la.jit(lambda a, b: _transposed(a, b) + 7)
    with tuning.using(rules), records.collecting() as measured:
        for _ in range(200):
            np.testing.assert_array_equal(function(*arrays), expected)
            if measured and WORKER.wait(0):
                break
        assert WORKER.wait(60)
        np.testing.assert_array_equal(function(*arrays), expected)
    assert [record.choice for record in measured] == ["inner -2"]


def test_the_copies_are_of_any_layout() -> None:
    x = np.arange(24.0).reshape(4, 6)
    for view in (x, x[::-1], x.T, x[:, ::-2], np.broadcast_to(x[0], (3, 6)), x[:0]):
        with tuning.using(AT_ONCE), records.collecting() as measured:
            result = la.evaluate(la.asarray(view) * 2 + 1)
        np.testing.assert_array_equal(result, view * 2 + 1)
        assert len(measured) <= 1
