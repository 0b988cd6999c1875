"""One kernel cache and many processes: killed, damaged, forbidden."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

# Compiles `count` kernels that differ by `seed`, and checks what they give.
FILL = """
    import sys
    import numpy as np
    import lazyarr as la

    seed, count = int(sys.argv[1]), int(sys.argv[2])
    names = ["sin", "cos", "tanh", "sqrt", "arctan", "log1p", "expm1", "sinh"]
    a = np.linspace(0.1, 1.0, 500)
    x = la.asarray(a)
    for k in range(count):
        y, b = x, a
        number = seed * count + k
        for step in range(4):
            function = getattr(np, names[(number >> 3 * step) % 8])
            y, b = function(y) + 0.25, function(b) + 0.25
        assert np.allclose(la.evaluate(y), b), number
        print("done", k, flush=True)
    print("compiled", la.cache.info().kernels.compiled, flush=True)
"""


def command(code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *map(str, arguments)]


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "LAZYARR_CACHE_DIR": str(folder), "PYTHONPATH": str(REPOSITORY)}


def run(folder: Path, code: str, *arguments: object) -> str:
    done = subprocess.run(
        command(code, *arguments),
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def compiled(output: str) -> int:
    return int(output.rsplit("compiled", 1)[1])


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "kernels").glob("*.kernel"))


@pytest.mark.lazy
def test_the_second_process_compiles_nothing(tmp_path: Path) -> None:
    assert compiled(run(tmp_path, FILL, 0, 3)) == 3
    assert compiled(run(tmp_path, FILL, 0, 3)) == 0


@pytest.mark.lazy
def test_two_processes_fill_one_cache(tmp_path: Path) -> None:
    both = [
        subprocess.Popen(
            command(FILL, 0, 8),
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        _, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
    assert len(entries(tmp_path)) == 8
    assert compiled(run(tmp_path, FILL, 0, 8)) == 0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_process_killed_at_random_leaves_the_cache_valid(tmp_path: Path) -> None:
    chance = random.Random(0)
    for iteration in range(3):
        victim = subprocess.Popen(
            command(FILL, iteration, 40),
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        with subprocess.Popen(
            command(FILL, iteration, 10),
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as other:
            assert victim.stdout is not None
            victim.stdout.readline()  # it is in the middle of it
            time.sleep(chance.random() * 0.5)
            victim.kill()
            victim.communicate()
            _, errors = other.communicate(timeout=600)
            assert other.returncode == 0, errors
        # What is under a final name is whole: it loads, and gives right values.
        assert compiled(run(tmp_path, FILL, iteration, 10)) == 0


DAMAGE = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "header only": lambda content: content[:12],
    "one bit": lambda content: (
        content[:-200] + bytes([content[-200] ^ 1]) + content[len(content) - 199 :]
    ),
    "longer": lambda content: content + b"\0",
    "other": lambda content: os.urandom(len(content)),
    "zeros": lambda content: bytes(len(content)),
}


@pytest.mark.lazy
@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_entries_are_compiled_anew(tmp_path: Path, kind: str) -> None:
    run(tmp_path, FILL, 0, 2)
    good = [path.read_bytes() for path in entries(tmp_path)]
    for path in entries(tmp_path):
        path.write_bytes(DAMAGE[kind](path.read_bytes()))
    assert compiled(run(tmp_path, FILL, 0, 2)) == 2
    assert [len(path.read_bytes()) for path in entries(tmp_path)] == [len(c) for c in good]
    assert compiled(run(tmp_path, FILL, 0, 2)) == 0


@pytest.mark.lazy
def test_an_entry_under_the_name_of_another_is_ignored(tmp_path: Path) -> None:
    run(tmp_path, FILL, 0, 2)
    first, second = entries(tmp_path)
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    assert compiled(run(tmp_path, FILL, 0, 2)) == 2


WARNED = """
    import sys, warnings
    import numpy as np
    import lazyarr as la

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = la.asarray(np.arange(100.0))
        for k in range(3):
            assert (la.evaluate(np.sqrt(x) * (k + 0.5) + x ** (k + 2)) >= 0).all()
    print([type(w.message).__name__ for w in caught])
    print(caught[0].message)
    print(caught[0].filename)
"""


def forbidden(path: Path) -> Path:
    """Return a folder below which nothing can be made, whoever runs this."""
    path.write_text("a file")
    return path / "cache"


@pytest.mark.lazy
def test_an_unusable_folder_is_warned_of_once(tmp_path: Path) -> None:
    folder = forbidden(tmp_path / "file")
    output = run(folder, WARNED).splitlines()
    assert output[0] == "['CacheWarning']"
    assert str(folder) in output[1]
    assert "cache_dir" in output[1]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_read_only_folder_is_warned_of_once(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir(mode=0o500)
    assert run(tmp_path, WARNED).splitlines()[0] == "['CacheWarning']"


@pytest.mark.lazy
def test_a_folder_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels").chmod(0o777)
    assert run(tmp_path, WARNED).splitlines()[0] == "['CacheWarning']"
    assert not entries(tmp_path)


@pytest.mark.lazy
def test_no_folder_is_touched_when_the_cache_is_off(tmp_path: Path) -> None:
    done = subprocess.run(
        command(FILL, 0, 1),
        env={**environment(tmp_path), "LAZYARR_CACHE_DIR": "off", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert compiled(done.stdout) == 1
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".kernel"]
