"""The steps of an evaluation: what the process does while a plan is compiled."""

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import compilation


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    """Let cycles be collected during a test, which the run of tests may have disabled."""
    before = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if before else gc.disable)()


@pytest.fixture
def collects(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which each build of a plan adds whether cycles are collected meanwhile."""
    seen: list[bool] = []
    build = compilation.build

    def noted(*arguments: Any) -> Any:
        seen.append(gc.isenabled())
        return build(*arguments)

    monkeypatch.setattr(compilation, "build", noted)
    return seen


def test_no_cycles_are_collected_while_a_plan_is_compiled(collects: list[bool]) -> None:
    la.cache.clear()
    (la.asarray(np.ones((3, 5))) * 3 - 1).compute()
    assert collects == [False]
    assert gc.isenabled()


def test_a_collector_that_the_program_has_disabled_stays_so(collects: list[bool]) -> None:
    la.cache.clear()
    gc.disable()
    (la.asarray(np.ones((3, 5))) * 3 - 1).compute()
    assert collects == [False]
    assert not gc.isenabled()


def test_cycles_are_collected_again_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> Any:
        raise KeyError("no plan")

    monkeypatch.setattr(compilation, "build", failing)
    la.cache.clear()
    with pytest.raises(KeyError, match="no plan"):
        (la.asarray(np.ones((3, 5))) * 3 - 1).compute()
    assert gc.isenabled()
