"""How an evaluation goes through the packages: in their order, and on a short way if repeated."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.passes import canonicalize
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tracing_calls import entries, hops, package_of

#: What is counted is the way of users.
pytestmark = pytest.mark.optimized

ROOT = Path(__file__).parents[2]

#: The stages, as the layers have them. Below these is what all of them speak of: nodes, operations,
#: the loop IR and settings.
STAGES = ["passes", "schedule", "codegen", "execution"]
#: Module hops of a repeated evaluation, and of the first one of an expression, by device.
MOST_HOPS = {"cpu": 12, "cuda": 12}
MOST_FIRST_HOPS = {"cpu": 710, "cuda": 1450}
#: Module hops of an expression that is built anew, its form evaluated before.
MOST_NEW_HOPS = {"cpu": 3, "cuda": 40}
#: Module hops of the first evaluation of a process, imports included: before there were requests,
#: and now; and if its machine code is on disk. Under CUDA the emulator keeps none, and the upload
#: of the array counts, with which the tree before imported the compiler.
HOPS_BEFORE = {"cpu": 1372, "cuda": 2980}
MOST_PROCESS_HOPS = {"cpu": 1320, "cuda": 2360}
STORED_HOPS_BEFORE = {"cpu": 1333}
MOST_STORED_HOPS = {"cpu": 1250, "cuda": 2360}
#: The same without checks between the stages, by which a plan is saved, and then on disk.
MOST_SAVING_HOPS, MOST_RESTORED_HOPS = 1360, 320

#: Counts the module hops of the first evaluation of a process, which has imported nothing else.
FIRST = """
import sys
import numpy as np
import lazyarr as la
from tests.support.tracing_calls import entries, hops
device = sys.argv[1]
if device == "cuda":
    from lazyarr.runtime.cuda import driver
    from tests.support.cuda_emulator import EmulatedDevice
    driver._devices = [EmulatedDevice(None)]
with la.config(device=device, immediate=0):
    array = np.random.default_rng(0).random(1000)

    def expression():
        x = la.asarray(array, device=device)
        return (la.sin(x) ** 2 + la.cos(x) ** 2).sum()

    if device == "cpu":
        value = expression()
        print(hops(entries(lambda: la.evaluate(value))))
    else:
        print(hops(entries(lambda: la.persist(expression()))))
"""


@pytest.fixture(params=["cpu", "cuda"])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    name: str = request.param
    if name == "cuda":
        if shutil.which("g++") is None:
            pytest.skip("needs g++ for the emulator")
        monkeypatch.setattr(driver, "_devices", [EmulatedDevice(None)])
    forget_plans()
    with la.config(device=name):
        yield name
    forget_plans()


def expression(device: str, seed: int = 0) -> la.LazyArray:
    x = la.asarray(np.random.default_rng(seed).random(1000), device=device)
    return (la.sin(x) ** 2 + la.cos(x) ** 2).sum()


def ask(value: la.LazyArray, device: str) -> Any:
    """Evaluate where the values are: of a GPU none comes to the host."""
    return la.evaluate(value) if device == "cpu" else la.persist(value)


@pytest.mark.lazy
def test_an_evaluation_enters_each_stage_once_and_in_the_order_of_the_layers(device: str) -> None:
    ask(expression(device), device)  # what is imported when first used
    value = expression(device, 1) * 2
    stages = []
    for entry in entries(lambda: ask(value, device), callers=True):
        # Called by the compiler itself, and not by a stage that asks its target something.
        inside = {package_of(name) for name in entry.callers}
        if entry.package in STAGES and "compiler" in inside and not inside.intersection(STAGES):
            if "." not in entry.function.replace("<locals>.", ""):
                stages.append(entry.package)
    assert set(stages) == set(STAGES)
    order = [STAGES.index(name) for name in stages]
    assert order == sorted(order), stages


def test_a_repeated_evaluation_walks_no_graph_and_makes_few_hops(device: str) -> None:
    value = expression(device)
    for _ in range(10):
        ask(value, device)
    results: list[Any] = []  # kept: to drop one is another call
    calls = entries(lambda: results.append(ask(value, device)))
    assert hops(calls) <= MOST_HOPS[device], [f"{e.module} {e.function}" for e in calls]
    assert not [e for e in calls if e.module == canonicalize.__name__]


def test_a_first_evaluation_makes_few_hops(device: str) -> None:
    for seed in range(2):  # what is imported when a form is first used, and when it comes again
        ask(expression(device, seed) * 2, device)
        ask(expression(device, seed), device)
        forget_plans()
    value = expression(device, 3)
    assert hops(entries(lambda: ask(value, device))) <= MOST_FIRST_HOPS[device]


def test_an_expression_of_a_known_form_makes_few_hops(device: str) -> None:
    for seed in range(5):
        ask(expression(device, seed), device)
    value = expression(device, 9)
    results: list[Any] = []  # kept: to drop one is another call
    calls = entries(lambda: results.append(ask(value, device)))
    assert hops(calls) <= MOST_NEW_HOPS[device], [f"{e.module} {e.function}" for e in calls]


def test_the_first_evaluation_of_a_process_makes_fewer_hops_than_before(
    device: str, tmp_path: Path
) -> None:
    bounds = (MOST_PROCESS_HOPS, HOPS_BEFORE), (MOST_STORED_HOPS, STORED_HOPS_BEFORE)
    for most, before in bounds:
        assert _first_hops(device, tmp_path) <= most[device]
        assert device not in before or most[device] < before[device]


def test_a_plan_on_disk_makes_few_hops(tmp_path: Path) -> None:
    for most in (MOST_SAVING_HOPS, MOST_RESTORED_HOPS):
        assert _first_hops("cpu", tmp_path, LAZYARR_CHECK="0") <= most
    assert HOPS_BEFORE["cpu"] > MOST_SAVING_HOPS


def _first_hops(device: str, folder: Path, **variables: str) -> int:
    """Return the module hops of the first evaluation of a process with a cache folder."""
    environment = {**os.environ, "LAZYARR_CACHE_DIR": str(folder / "cache"), **variables}
    command = [sys.executable, "-c", FIRST, device]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment
    )
    return int(done.stdout)


def test_an_expression_that_is_built_anew_is_walked_once(device: str) -> None:
    ask(expression(device, 1), device)
    value = expression(device, 2)
    calls = entries(lambda: ask(value, device))
    walks = [e for e in calls if e.module == canonicalize.__name__ and e.function == "bind"]
    assert len(walks) <= 1  # none where the expression is recognised, in C
    assert not [e for e in calls if e.module.endswith("graph.node") and e.function == "walk"]


@pytest.mark.parametrize(
    ("label", "numbers"),
    [
        ("first of a process, before", HOPS_BEFORE),
        ("first of a process, at most", MOST_PROCESS_HOPS),
        ("first of a process, machine code on disk, before", STORED_HOPS_BEFORE),
        ("first of a process, machine code on disk, at most", MOST_STORED_HOPS),
        ("first of an expression, at most", MOST_FIRST_HOPS),
        ("repeated, at most", MOST_HOPS),
        ("built anew, at most", MOST_NEW_HOPS),
    ],
)
def test_the_documentation_states_the_hops(label: str, numbers: dict[str, int]) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    row = re.search(rf"\| {label} \|([^\n]*)", page)
    assert row is not None
    stated = [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", row[1])]
    assert stated == list(numbers.values())
