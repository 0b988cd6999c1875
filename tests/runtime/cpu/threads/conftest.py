"""Fixtures of the tests of pools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lazyarr.core.config import Config
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.threads import native_pool
from lazyarr.runtime.cpu.threads.native_pool import NativePool
from tests.support.native_pools import TALLY, build


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory) -> Function:
    folder = tmp_path_factory.mktemp("cache")
    return compiler.compile_sources((TALLY,), Config(cache_dir=str(folder)))[0]


@pytest.fixture(params=["here", "plain"], scope="module")
def team(request: pytest.FixtureRequest) -> Iterator[NativePool]:
    """A pool as it is here, and one without instructions to pause or functions to steer."""
    if request.param == "here":
        team = native_pool.current_pool()
        assert team is not None
        yield team
    else:
        team = build("none", False)
        yield team
        team.close()
