"""Settings: what no setting can be is refused by name, wherever it comes from."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.core.config import MAX_THREADS, Config
from lazyarr.errors import ConfigError

JUNK: list[tuple[str, Any]] = [
    ("cache_dir", "~nosuchuser"),
    ("cache_dir", "~nosuchuser/kernels"),
    ("cache_dir", "a\0b"),
    ("cache_dir", 5),
    ("threads", MAX_THREADS + 1),
    ("threads", 10**30),
    ("threads", -1),
    ("threads", True),
    ("device", np.array([1, 2])),
    ("device", ["cpu"]),
    ("max_memory", "9" * 5000),
    ("max_memory", "1.5 parsecs"),
    ("max_memory", "1e400"),
    ("memory_limit", -1),
    ("debug", "x"),
]


@pytest.mark.parametrize(("name", "value"), JUNK, ids=lambda value: str(value)[:20])
def test_junk_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=name), la.config(**{name: value}):
        pass


@pytest.mark.lazy
@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("LAZYARR_CACHE_DIR", "~nosuchuser"),
        ("LAZYARR_THREADS", "99999999999999999999"),
        ("LAZYARR_THREADS", "many"),
        ("LAZYARR_CHECK", "yes"),
        ("LAZYARR_COMPILED", "false"),
        ("LAZYARR_COMPILED", ""),
        ("LAZYARR_MAX_MEMORY", "9" * 5000),
        ("XDG_CACHE_HOME", "~nosuchuser"),
    ],
)
def test_junk_in_the_environment_is_refused(variable: str, text: str) -> None:
    program = "import lazyarr as la; la.evaluate(la.ones(3) + 1.5)"
    environment = {k: v for k, v in os.environ.items() if k != "LAZYARR_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**environment, variable: text},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 1
    assert "ConfigError" in done.stderr.splitlines()[-1] or "hint" in done.stderr
    assert "ConfigError: " in done.stderr


@given(st.one_of(st.text(), st.integers(), st.floats(), st.binary(), st.none()))
def test_any_value_of_any_setting_is_taken_or_refused(value: object) -> None:
    for name in Config.__match_args__:
        fields: dict[str, Any] = {name: value}
        try:
            Config(**fields)
        except ConfigError as error:
            assert name in str(error)


def test_bytes_are_exact() -> None:
    assert Config(max_memory="9007199254740993").max_memory == 9007199254740993  # type: ignore[arg-type]
    assert Config(max_memory="1.5 KiB").max_memory == 1536  # type: ignore[arg-type]


def test_integers_of_numpy_are_integers() -> None:
    settings = Config(max_memory=np.int64(1 << 40), threads=np.uint8(2))  # type: ignore[arg-type]
    assert (settings.max_memory, settings.threads) == (1 << 40, 2)
    assert type(settings.max_memory) is type(settings.threads) is int


def test_type_checkers_know_every_setting() -> None:
    from lazyarr.core.config import Settings

    assert tuple(Settings.__annotations__) == Config.__match_args__
