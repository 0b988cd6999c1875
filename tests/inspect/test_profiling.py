"""Profiles: what they collect and what they print."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr.inspect import profile
from lazyarr.runtime.run_log import RunRecord, StepRecord, listening, publish

RUN = RunRecord(
    steps=(
        StepRecord("k0_add", "kernel", 0.01, 160_000_000, 80_000_000),
        StepRecord("k1_sort", "library", 0.02),
    ),
    planned_peak=80_000_000,
    measured_peak=80_000_000,
    compiled=1,
    compile_seconds=0.1,
    trace_seconds=0.005,
    seconds=0.14,
    origin=("/home/ada/model.py", 7),
)


def test_nobody_listens_outside_a_block():
    assert not listening()
    with profile() as timings:
        assert listening()
        publish(RUN)
    assert not listening()
    publish(RUN)
    assert timings.runs == [RUN]


def test_blocks_nest_and_end_when_an_error_passes():
    with profile() as outer:
        with pytest.raises(ZeroDivisionError), profile() as inner:
            publish(RUN)
            raise ZeroDivisionError
        publish(RUN)
    assert len(inner.runs) == 1
    assert len(outer.runs) == 2


def test_other_threads_are_not_recorded():
    with profile() as timings:
        thread = threading.Thread(target=publish, args=(RUN,))
        thread.start()
        thread.join()
    assert timings.runs == []


def test_totals():
    with profile() as timings:
        publish(RUN)
        publish(RunRecord((StepRecord("k0_add", "kernel", 0.5),), measured_peak=5))
    assert timings.seconds == pytest.approx(0.64)
    assert timings.compiled == 1
    assert timings.compile_seconds == 0.1
    assert timings.measured_peak == 80_000_000


def test_the_table_has_time_bytes_and_rate():
    with profile() as timings:
        publish(RUN)
    text = str(timings)
    assert "1 evaluation in 140 ms, 1 kernel compiled in 100 ms" in text
    assert "evaluation 0 at model.py:7: 140 ms" in text
    row = next(line for line in text.splitlines() if "k0_add" in line)
    assert row.split() == "k0_add kernel 10 ms 7% 160 MB 80.0 MB 24.0".split()
    other = next(line for line in text.splitlines() if line.startswith("  other"))
    assert "5 ms" in other
    assert "peak memory: 80.0 MB planned, 80.0 MB measured" in text


def test_time_is_totalled_by_line_and_by_kernel():
    x = la.asarray(np.arange(50_000.0))
    with la.profile() as timings:
        for _ in range(3):
            la.evaluate((x * 2).sum())
        la.evaluate(x + 1)
    totals = timings.to_dict()
    lines = {line["origin"][1]: line for line in totals["lines"]}
    assert [lines[number]["evaluations"] for number in sorted(lines)] == [3, 1]
    assert sum(line["seconds"] for line in totals["lines"]) == pytest.approx(timings.seconds)
    kernels = {kernel["name"]: kernel for kernel in totals["kernels"]}
    assert kernels["k0_sum"]["runs"] == 3 and kernels["k0_add"]["runs"] == 1
    steps = [step for run in timings.runs for step in run.steps if step.name == "k0_sum"]
    assert kernels["k0_sum"]["seconds"] == sum(step.seconds for step in steps)
    assert kernels["k0_sum"]["bytes"] == sum(s.bytes_read + s.bytes_written for s in steps)
    text = str(timings)
    assert "by line" in text and "by kernel" in text
    assert "test_profiling.py" in text.partition("by kernel")[0]


def test_long_profiles_print_briefly():
    step = StepRecord("k", "kernel", 0.001)
    with profile() as timings:
        for _ in range(50):
            publish(RunRecord((step,) * 100))
    text = str(timings)
    assert "… 60 more" in text
    assert "… 30 more evaluations …" in text
    assert len(timings.runs) == 50


def test_to_dict_is_json():
    with profile() as timings:
        publish(RUN)
    loaded = json.loads(json.dumps(timings.to_dict()))
    assert loaded["runs"][0]["steps"][0]["bytes_read"] == 160_000_000
    assert loaded["runs"][0]["origin"] == ["/home/ada/model.py", 7]
