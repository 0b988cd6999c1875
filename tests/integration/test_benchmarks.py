"""The benchmarks run, and lazyarr is right in each case."""

import gc
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from benchmarks import stations, training
from benchmarks.cases import CASES
from benchmarks.families.catalogue import FAMILIES, member
from benchmarks.families.gradients import GRADIENTS
from benchmarks.gpu_forms import FORMS, compare
from benchmarks.measure import measure_case
from benchmarks.memory import peak_of
from benchmarks.networks import step_of
from benchmarks.networks.data import OF_SLICES, sliced_data
from benchmarks.peers import NumPy
from benchmarks.programs import runner
from benchmarks.stations import TOLERANCE, Measurement, Process, Station

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", CASES)
def test_case_equals_numpy(name: str) -> None:
    case = CASES[name]
    arrays = case.arrays(4_000, np.dtype(np.float64))
    expected = case.compute(np, *arrays)
    for compute in filter(None, (case.compute, case.static)):
        result = la.evaluate(compute(la, *map(la.asarray, arrays)))
        scale = np.max(np.abs(expected))
        np.testing.assert_allclose(result, expected, rtol=0, atol=TOLERANCE["float64"] * scale)


@pytest.mark.lazy
def test_quick_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "--quick", "--size", "20000", "--repeats", "1"]
    command += ["--peers", "lazyarr", "numpy", "--cases", "poly", "small_1000", "cold"]
    command += ["--dtype", "float64", "--output", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((tmp_path / "results.json").read_text())
    measured = {(m["case"], m["peer"]): m for m in written["measurements"]}
    assert set(measured) == {
        (case, peer) for case in ("poly", "small_1000") for peer in ("lazyarr", "numpy")
    }
    assert all(m["median"] > 0 and not m["note"] for m in measured.values())
    ours, theirs = measured["poly", "lazyarr"], measured["poly", "numpy"]
    for result in (ours, theirs):
        assert result["copy_rate"] > 0 and result["moved"] > 0
        assert result["peak"] is not None or not Path("/proc/self/clear_refs").exists()
    assert ours["planned_peak"] == 8 * 20000
    assert ours["compile"] > 0  # the caches were empty
    assert written["machine"]["seconds"] > 0
    cold = written["cold"]
    several = {"lazyarr, four kernels, 1 thread", "lazyarr, four kernels, 2 threads"}
    assert {"import numpy", "lazyarr", "lazyarr, kernel on disk", "numpy"} | several == set(cold)
    assert all(cold[peer]["new"] > 0 for peer in several)
    assert cold["import numpy"]["start"] > 0 and cold["import numpy"]["processor"] > 0
    for peer in ("lazyarr", "lazyarr, kernel on disk", "numpy"):
        assert cold[peer]["start"] > cold[peer]["import"] + cold[peer]["first"]
        assert cold[peer]["new"] > 0
    assert "| poly |" in (tmp_path / "results.md").read_text()


def test_versions_side_by_side(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.versions", str(ROOT), "--size", "20000"]
    command += ["--cases", "poly", "small_1", "--ways", "evaluate", "bind", "--rounds", "2"]
    command += ["--dtype", "float64", "--first", "1", "--out", str(tmp_path / "table.md")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "table.md").read_text()
    assert all(f"| {name} | float64 | evaluate |" in text for name in ("poly", "small_1"))
    assert "| small_1 | float64 | bind |" in text and "| poly | float64 | bind |" not in text
    assert "Large arrays, 1 rows: geometric mean" in text
    assert "| compiled | first call |" in text and "| kernel on disk | import |" in text


@pytest.mark.parametrize("family", FAMILIES)
def test_members_of_families_are_right(family: str) -> None:
    chosen = member(f"{family}:7:3000")
    arrays = chosen.arrays(0, np.dtype(chosen.dtypes[0]))
    expected = np.asarray(chosen.compute(np, *arrays))
    result = np.asarray(la.evaluate(chosen.compute(la, *map(la.asarray, arrays))))
    assert result.shape == expected.shape and result.dtype == expected.dtype, chosen
    tolerance = TOLERANCE.get(chosen.dtypes[0], 0) * float(np.max(np.abs(expected)))
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance, err_msg=str(chosen))


@pytest.mark.parametrize("family", GRADIENTS)
def test_gradients_of_families_are_right(family: str) -> None:
    pytest.importorskip("jax")
    chosen = member(f"{family}:7:3000")
    arrays = chosen.arrays(0, np.dtype(chosen.dtypes[0]))
    expected = chosen.expected(arrays)
    result = la.evaluate(*chosen.compute(la, *map(la.asarray, arrays)))
    parts = result if isinstance(result, tuple) else (result,)
    for one, other in zip(parts, expected, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype, chosen
        tolerance = TOLERANCE[chosen.dtypes[0]] * float(np.max(np.abs(other)))
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance, err_msg=str(chosen))


@pytest.mark.parametrize(
    "family", ["light_chain", "heavy_chain", "polynomial", "broadcast", "small"]
)
def test_texts_for_numexpr_are_right(family: str) -> None:
    written = 0
    for seed in range(12):
        chosen = member(f"{family}:{seed}:3000")
        if chosen.numexpr is None:  # too long, or a dtype that it lacks
            continue
        written += 1
        arrays = chosen.arrays(0, np.dtype(chosen.dtypes[0]))
        names = dict(zip(chosen.names, arrays, strict=False))
        result = eval(chosen.numexpr, vars(np) | names)
        expected = chosen.compute(np, *arrays)
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    assert written > 6


@pytest.mark.parametrize("family", ["stencil", "reduction", "transposed", "gathered"])
def test_numexpr_has_no_words_for_axes_and_slices(family: str) -> None:
    assert member(f"{family}:3:3000").numexpr is None


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_gpu_kernels_are_right(name: str) -> None:
    form = FORMS[name]
    rng = np.random.default_rng(0)
    for dtype in form.dtypes:
        arrays = [(rng.random(shape) + 0.5).astype(dtype) for shape in form.shapes(4096)]
        expected = np.asarray(form.compute(np, *arrays), "f8")
        result = np.asarray(la.evaluate(form.compute(la, *map(la.asarray, arrays))), "f8")
        # NumPy rounds each operation of halves, and adds them as such.
        rounding = 0.02 if dtype == "float16" else 1e-5
        np.testing.assert_allclose(result, expected, rtol=rounding, atol=rounding)


def test_forms_are_compared_with_those_of_another_version() -> None:
    after = [
        {"form": "sum", "dtype": "bool", "ms": 2.0},
        {"form": "log", "dtype": "bool", "ms": 1.0},
    ]
    before = [
        {"form": "log", "dtype": "bool", "ms": 1.5},
        {"form": "sum", "dtype": "bool", "ms": 1.0},
    ]
    assert compare(after, before).splitlines()[2:] == [
        "| sum | bool | 1.0000 | 2.0000 | 0.500 |",
        "| log | bool | 1.5000 | 1.0000 | 1.500 |",
    ]


def test_families_side_by_side(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.families", "--seeds", "0:2", "--rounds", "1"]
    command += ["--families", "light_chain", "reduction", "--peers", "numpy"]
    command += ["--largest", "20000", "--out", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((tmp_path / "families.json").read_text())
    assert [set(r["seconds"]) for r in results] == [{"numpy", "lazyarr", "lazyarr_jit"}] * 2
    text = (tmp_path / "families.md").read_text()
    assert "| all | 2 |" in text and "kernels (" in text


def test_scaling(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.scaling", "--size", "20000", "--repeats", "1"]
    command += ["--threads", "1", "2", "--cases", "poly", "var0", "--dtype", "float64"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, "--output", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((tmp_path / "scaling.json").read_text())
    assert [m["case"] for m in written["measurements"]] == ["poly", "var0"]
    for measurement in written["measurements"]:
        assert set(measurement["seconds"]) == set(measurement["copy"]) == {"1", "2"}
        assert min(measurement["seconds"].values()) > 0
    assert "| var0 | float64 |" in (tmp_path / "scaling.md").read_text()


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_peak_memory_is_what_a_run_needs() -> None:
    size = 60_000_000
    for run in (lambda: np.ones(size, np.uint8), lambda: np.ones(size, np.uint8)[:1].copy()):
        result = peak_of(run, gc.collect)
        assert result is not None and 0.95 * size < result < 1.2 * size


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs alarm signals")
def test_a_slow_peer_is_left_out() -> None:
    class Slow(NumPy):
        name = "slow"

        def prepare(self, case: Any, arrays: Any) -> Any:
            armed.append(signal.getitimer(signal.ITIMER_REAL)[0])
            signal.raise_signal(signal.SIGALRM)  # as after that time

    armed: list[float] = []
    limit = stations.LONGEST_PREPARATION
    stations.LONGEST_PREPARATION = 300
    try:
        (slow, numpy) = measure_case(
            CASES["poly"],
            "float64",
            1000,
            [Station(Slow(1)), Station(NumPy(1))],
            1,
            1,
            memory=False,
        )
    finally:
        stations.LONGEST_PREPARATION = limit
    assert slow.median is None and "not ready within 300 s" in slow.note
    assert 0 < armed[0] <= 300
    assert numpy.median is not None and not numpy.note


def test_a_peer_runs_in_a_process_of_its_own_environment() -> None:
    name = "LAZYARR_THREADS"
    before = os.environ.get(name)
    station = Process("numpy", 1, {name: "1"})
    try:
        assert os.environ.get(name) == before
        result = station.prepare("poly", "float64", 1000)
        assert result.first is not None and not result.note and result.way == "LAZYARR_THREADS=1"
        assert station.sample() > 0
        with pytest.raises(RuntimeError, match="process of numpy ended during prepare"):
            station.prepare("no such case", "float64", 1000)
    finally:
        station.close()


def test_a_process_is_waited_for_whose_threads_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    now = worked = 0.0
    slept = []

    def sleep(seconds: float) -> None:
        nonlocal now, worked
        slept.append(seconds)
        now += seconds
        worked = min(worked + 2 * seconds, 0.26)  # two threads spin for 0.13 seconds

    clocks = {"perf_counter": lambda: now, "process_time": lambda: worked, "sleep": sleep}
    monkeypatch.setattr(stations, "time", SimpleNamespace(**clocks))
    Station(NumPy(1)).rest()
    assert 0.13 <= now < 0.15 and set(slept) == {stations.WATCHED}
    monkeypatch.setattr(stations, "AT_REST", -1)
    Station(NumPy(1)).rest()
    assert now < 0.15 + 1.1 * stations.LONGEST_REST


def test_the_fastest_way_of_a_peer_counts() -> None:
    class Prepared(Station):
        def __init__(self, seconds: float, way: str, note: str = "") -> None:
            super().__init__(NumPy(1))
            self.seconds, self.way, self.note = seconds, way, note

        def prepare(self, name: str, dtype: str, size: int) -> Measurement:
            result = super().prepare(name, dtype, size)
            result.way, result.note, result.first = self.way, self.note, self.seconds
            return result

        def sample(self, clock: str = "wall") -> float:
            return self.seconds

    arguments = [Prepared(3, "slow"), Prepared(2, "fast"), Prepared(1, "wrong", "WRONG")]
    (result,) = measure_case(CASES["poly"], "float64", 1000, arguments, 3, 1)
    assert (result.way, result.median, result.minimum, result.rounds) == ("fast", 2, 2, 3)
    assert result.first == 3  # it found the code that the first one compiled


def test_unknown_names_are_refused() -> None:
    for option in ("--cases", "--peers"):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks", option, "nothing"],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            timeout=300,
        )
        assert done.returncode == 1
        assert "there are" in done.stderr


def test_first_runs_of_programs_are_compared_with_numpys() -> None:
    rows = [
        runner.Measurement(program, "large", peer, prepared=prepared, first=first, median=1.0)
        for program, peer, prepared, first in (
            ("fdtd", "numpy", 0.0, 0.5),
            ("fdtd", "lazyarr", 0.25, 1.0),
            ("cg", "numpy", 0.0, 0.5),
            ("cg", "lazyarr", 0.25, 3.0),
        )
    ]
    text = runner.table(rows)
    assert "lazyarr, large: import and first run at most 2.75 s above NumPy's (cg), 1 of 2" in text


def test_a_program_is_measured_with_no_compiled_code_on_disk(tmp_path: Path) -> None:
    arguments = ["--programs", "jacobi_1d", "--sizes", "middle", "--peers", "numpy", "lazyarr"]
    for _ in range(2):
        assert runner.main([*arguments, "--seconds", "0", "--output", str(tmp_path)]) == 0
        rows = json.loads((tmp_path / "programs.json").read_text(encoding="utf-8"))
        assert rows[1]["counted"]["kernels"] > 0


def test_random_numbers_run() -> None:
    from benchmarks.random_numbers import CASES as DRAWS
    from benchmarks.random_numbers import measure

    result = measure(1000, 1, ["lazyarr", "numpy PCG64"])
    assert all(0 < ns < 1e9 for column in result.values() for ns in column)
    assert {len(column) for column in result.values()} == {len(DRAWS)}


def test_steps_of_training_are_measured():
    runs = {("mlp 8", "lazyarr"): [training.measure("lazyarr", "mlp 8", 0.0)]}
    (run,) = runs["mlp 8", "lazyarr"]
    assert len(run["times"]) >= 3 and 0 < run["loss"] < 10
    text = training.table(runs, ["lazyarr", "torch"])
    assert "| mlp 8 | " in text and text.endswith("| none |")


@pytest.mark.parametrize("case", ["attention 16", "layer_norm 4", "adam 100", "grad 20"])
def test_other_steps_are_measured(case: str) -> None:
    run = training.measure("lazyarr", case, 0.0)
    assert min(run["times"]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_SLICES)
def test_gradients_of_slices_are_differences(name: str) -> None:
    x, step = sliced_data(name, 20).astype(np.float64), 1e-6
    got = np.asarray(la.grad(OF_SLICES[name])(la.asarray(x)))
    for index in [(0,) * x.ndim, (7,) * x.ndim]:
        sides = []
        for shift in (step, -step):
            moved = x.copy()
            moved[index] += shift
            sides.append(OF_SLICES[name](moved))
        assert got[index] == pytest.approx((sides[0] - sides[1]) / 2 / step, rel=1e-6)


@pytest.mark.parametrize("case", ["cnn 2", "resnet 2", "lstm 2"])
def test_steps_of_deep_nets_lower_the_loss(case: str) -> None:
    name, size = case.split()
    step = step_of("lazyarr", name, int(size), "cpu")
    losses = [step() for _ in range(6)]
    assert losses[-1] < losses[0]
