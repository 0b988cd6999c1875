"""The command line, each command in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lazyarr(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lazyarr", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=300,
    )


def test_demo(tmp_path: Path) -> None:
    done = lazyarr("demo", "--quick", "--output", str(tmp_path / "pages"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Black-Scholes" in done.stdout
    assert "passes over memory" in done.stdout
    assert "NOT EQUAL" not in done.stdout
    for name in ("digits.html", "black_scholes.html"):
        page = (tmp_path / "pages" / name).read_text()
        assert "<svg" in page
        # The page shows itself without a network.
        assert "http" not in page.replace("http://www.w3.org", "")


def test_info() -> None:
    done = lazyarr("info")
    assert "row sm_90" in " ".join(done.stdout.split())
    assert done.returncode == 0, done.stderr
    for word in ("NumPy", "threads", "vector mathematics", "cache", "GPU"):
        assert word in done.stdout


def test_info_says_where_there_is_no_vector_library() -> None:
    code = (
        "from lazyarr.runtime.cpu import vector_math\n"
        "vector_math.SYSTEM = vector_math.SVML = ('libnowhere.so.0',)\n"
        "from lazyarr.__main__ import main\n"
        "main(['info'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.replace("│", " ").split())
    assert "vector mathematics no library found (SVML, libmvec): the C library's" in said


@pytest.mark.lazy
def test_cache_info_and_clear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "kernels"))
    code = "import lazyarr as la; la.evaluate(la.asarray([1.0, 2.0]) * 2 + 1)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)
    assert "1 kernels" in lazyarr("cache", "info").stdout
    assert "1 kernels removed" in lazyarr("cache", "clear").stdout
    assert "0 kernels" in lazyarr("cache", "info").stdout


def test_bad_arguments_are_explained() -> None:
    done = lazyarr("demo", "--size", "none")
    assert done.returncode == 2
    assert "expected a positive number" in done.stderr
    assert lazyarr("cache").returncode == 2
    assert lazyarr().returncode == 2


def test_a_report_that_cannot_be_written_is_said_and_not_lost(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('it ran')\n")
    for output in ("nowhere/report.json", "."):
        done = lazyarr("doctor", "--output", output, "script.py", folder=tmp_path)
        assert (done.returncode, done.stdout) == (2, ""), output
        assert f"cannot write to {output}" in done.stderr
    if Path("/dev/full").exists():
        done = lazyarr("doctor", "--output", "/dev/full", "script.py", folder=tmp_path)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert "script.py took" in done.stderr
    done = lazyarr("demo", "--quick", "--output", "script.py", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("lazyarr demo: ")


def test_the_traceback_of_a_script_is_shown(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("def f():\n    1 / 0\n\nf()\n")
    done = lazyarr("doctor", "script.py", folder=tmp_path)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[:2] == [
        "Traceback (most recent call last):",
        '  File "script.py", line 4, in <module>',
    ]
    assert lines[-1] == "ZeroDivisionError: division by zero"


def test_a_bad_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYARR_THREADS", "many")
    done = lazyarr("info")
    assert done.returncode == 1
    assert "ConfigError: LAZYARR_THREADS must be an integer, got 'many'" in done.stderr


def test_bench_without_a_checkout(tmp_path: Path) -> None:
    # The folder beside a package that was installed holds no benchmarks.
    code = (
        "import sys, lazyarr.__main__ as cli\n"
        f"cli.__file__ = {str(tmp_path / 'site-packages' / 'lazyarr' / '__main__.py')!r}\n"
        "sys.exit(cli.main(['bench', '--quick']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 2
    assert "clone the repository" in done.stderr
