"""``lazyarr doctor``: what it says of small scripts, by line."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.__main__ import main
from lazyarr.core.config import config
from lazyarr.inspect.doctor.lines import LineReport
from lazyarr.inspect.doctor.report import Report
from lazyarr.inspect.doctor.running import examine

pytestmark = pytest.mark.host

SCRIPT = """\
import sys
import numpy as np, lazyarr as la
assert __name__ == "__main__" and sys.argv[1:] == ["a", "--b"]
x = la.asarray(np.linspace(0, 1, 5000))
y = la.sin(x) + 1  # written
z = (y * la.cos(x)).sum()  # summed
total = float(z)  # asked
for k in range(4):
    if (y * k).max() > 3:  # forced
        pass
s = la.sort(y * -1)  # sorted
counts, edges = np.histogram(s, bins=3)  # library
@la.jit
def step(a, n):
    if n > 2:  # looks
        return a * n
    return a + 1  # jitted
for n in (1, 2, 3, 4):
    step(np.ones(700), n)  # called
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("doctor") / "script.py"
    path.write_text(SCRIPT)
    with la.config(immediate=0):
        result, status = examine(str(path), ["a", "--b"])
    assert (status, result.failure) == (0, "")
    return result


def entry(report: Report, comment: str) -> LineReport:
    (line,) = [at for at, text in enumerate(SCRIPT.splitlines(), 1) if text.endswith(comment)]
    (result,) = [entry for entry in report.lines if entry.line == line]
    return result


def test_what_fused(report: Report) -> None:
    ((name, operations), runs) = next(iter(entry(report, "# summed").fused.items()))
    assert (name, runs) == ("k0_sum", 1)
    assert operations == (("sin", 5), ("add", 5), ("cos", 6), ("multiply", 6), ("sum", 6))
    jitted = entry(report, "# jitted")
    assert [(key[1], runs) for key, runs in jitted.fused.items()] == [((("add", 17),), 2)]


def test_library_calls_and_their_reason(report: Report) -> None:
    line = entry(report, "# sorted")
    ((operation, reason),) = line.library
    call = line.library[operation, reason]
    assert (operation, reason, call.count) == ("sort", "works on whole arrays", 1)
    assert call.bytes == 80_000 and call.seconds > 0


def test_results_of_one_function_have_its_name(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(
        "import numpy as np, lazyarr as la\n"
        "x = la.asarray(np.random.default_rng(0).random((80, 80)))\n"
        "u, s, v = np.linalg.svd(x)\n"
        "print(float(s.sum()))\n"
        "for k in range(4):\n"
        "    np.logaddexp.accumulate(x * k).compute()\n"
    )
    result, status = examine(str(path))
    assert status == 0
    names = {line.line: [key[0] for key in line.library] for line in result.lines}
    assert names[3] == ["svd", "svd[1]"]
    assert names[6] == ["logaddexp.accumulate"]
    # An evaluation moves bytes whichever line wrote what it computes.
    asked = next(line for line in result.lines if line.line == 4)
    assert asked.evaluated_bytes > 80 * 80 * 8


def test_what_forced_an_evaluation_and_why(report: Report) -> None:
    assert entry(report, "# asked").forced == {("float(x)", "its value was asked for"): 1}
    assert entry(report, "# forced").forced == {("bool(x)", "its value was asked for"): 4}
    ((by, why),) = entry(report, "# library").forced
    assert by == "numpy.histogram" and why
    called = entry(report, "# called")
    assert (called.evaluations, called.forced) == (4, {})


_CAUSES = {
    "len(y[y > 0.5])": "the size of x[mask]",
    "y[m].shape": "the size of x[mask]",
    "y[m].size": "the size of x[mask]",
    "(y[m] + 1).nbytes": "the size of x[mask]",
    "la.sin(y + 1) @ y": "a matrix product",
    "w[3] = 2": None,
    "w.sort()": None,
    "w[::2].tolist()": "x.tolist()",
    "w[2:] += la.cos(w)[2:]": None,
    "w[[1, 2]] = 5": None,
    "la.put(w, [1], 3)": None,
    "la.unique(w)": "numpy.unique",
    "int(w.argmax())": "int(x)",
    "str(w)": "print(x)",
    "w.item(5)": "x.item()",
    "la.zeros(300_000) + y + w; w[5]; w[7] = 3; w.sort(); w[::3] += 1": None,
    "np.asarray(w)": "numpy.asarray(x)",
    "max(w)": "iteration",
    "la.evaluate(w)": "the script",
    "la.evaluate(y[m])": "the script",
}


def test_each_evaluation_that_was_not_written_has_a_cause(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    lines = ["import numpy as np, lazyarr as la"]
    for statement in _CAUSES:
        lines += [f"y = la.sin(la.arange({len(lines)}, 300_000 + {len(lines)}) / 3); m = y > 0.3"]
        lines += ["w = la.sin(y * 2)", statement]
    path.write_text("\n".join(lines))
    with config(immediate=4096):
        result, status = examine(str(path))
    assert status == 0
    evaluated = {line.text: line for line in result.lines if line.text in _CAUSES}
    for statement, cause in _CAUSES.items():
        line = evaluated.get(statement, LineReport("", 0))
        if cause == "the script":
            assert line.evaluations and not line.forced, statement
            continue
        assert line.evaluations == sum(line.forced.values()), statement
        if cause is not None:
            assert [by for by, _ in line.forced] == [cause], statement


def test_what_was_traced_and_compiled(report: Report) -> None:
    looks = entry(report, "# looks")
    assert list(looks.retraced) == [
        ("step", "n > 2 was False, and is True", looks_hint(looks)),
    ]
    assert sum(line.compiled for line in report.lines) >= 4
    assert entry(report, "# asked").compile_seconds > 0


def looks_hint(line: LineReport) -> str:
    ((_, _, hint),) = line.retraced
    assert "numpy.asarray(n)" in hint
    return hint


def test_bytes_and_time_against_numpy(report: Report) -> None:
    summed, written = entry(report, "# summed"), entry(report, "# written")
    assert summed.bytes == 40_008
    # cos, multiply, and the sum; sin and the addition, which NumPy computes once.
    assert summed.eager_bytes == 80_000 + 120_000 + 40_008
    assert written.eager_bytes == 160_000
    assert summed.eager_seconds > 0 and summed.seconds > 0
    assert report.seconds > 0 and report.unmeasured == 0
    data = report.to_dict()
    assert data["eager_bytes"] == sum(line["eager_bytes"] for line in data["lines"])


def test_what_to_change(report: Report) -> None:
    (forced,) = [text for text in entry(report, "# forced").advice if "forced" in text]
    assert "bool(x) forced 4 evaluations here" in forced and "lazyarr.where" in forced
    assert any("step was traced again 1 ×" in text for text in entry(report, "# looks").advice)


def test_it_prints_as_text_html_and_json(report: Report) -> None:
    text = str(report)
    for title in (
        "kernels",
        "library calls",
        "evaluations",
        "traced and compiled",
        "what to change",
    ):
        assert f"\n{title}\n" in text
        assert f"<h4>{title}</h4>" in report.html()
    assert "sin (5), add (5), cos, multiply, sum" in text
    assert "if (y * k).max() &gt; 3:" in report.html() and "<script" not in report.html()
    assert report._repr_html_() in report.html()
    assert json.loads(json.dumps(report.to_dict())) == report.to_dict()


_PROCESSES = """\
import subprocess, sys
import numpy as np, lazyarr as la
y = la.asarray(np.ones(3)) + 1
subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
"""


def test_what_is_not_listed_is_told(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(_PROCESSES)
    with config(immediate=100):
        result, status = examine(str(path))
    assert (status, result.lines, result.to_dict()["elements_computed_at_once"]) == (0, (), 100)
    assert result.children_seconds > 0
    text = str(result)
    assert "Nothing was evaluated" in text
    assert "These are operations on up to 100 elements in memory" in text
    assert (
        "Not listed: what other processes evaluated" in text and "processor time" in result.html()
    )


def run(tmp_path: Path, text: str, *options: str, arguments: tuple[str, ...] = ()) -> int:
    path = tmp_path / "script.py"
    path.write_text(text)
    return main(["doctor", *options, str(path), *arguments])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "import lazyarr as la, sys\nprint(sys.argv[1:])\nprint((la.arange(3000) * 2).sum())\n"
    assert run(tmp_path, text, "--format", "json", arguments=("x", "--format", "y")) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("['x', '--format', 'y']\n8997000\n{")
    data = json.loads(printed.partition("\n8997000\n")[2])
    assert data["arguments"] == ["x", "--format", "y"]
    assert [line["line"] for line in data["lines"]] == [3]
    page = tmp_path / "report.html"
    assert run(tmp_path, text, "--format", "html", "--output", str(page)) == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert run(tmp_path, text) == 0
    assert "what to change" not in capsys.readouterr().out
    assert main(["doctor", str(tmp_path / "none.py")]) == 2
    assert "no such script" in capsys.readouterr().err


def test_scripts_that_fail_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv, path, module = sys.argv, list(sys.path), sys.modules["__main__"]
    text = "import lazyarr as la\nfloat(la.arange(3000).sum())\n"
    assert run(tmp_path, text + "1 / 0\n") == 1
    assert "The script ended with ZeroDivisionError: division by zero" in capsys.readouterr().out
    assert run(tmp_path, text + "raise SystemExit(3)\n") == 3
    assert run(tmp_path, text + "raise SystemExit('enough')\n") == 1
    assert "The script ended with enough" in capsys.readouterr().out
    assert (sys.argv, sys.path, sys.modules["__main__"]) == (argv, path, module)
    assert la.profile().runs == [] and "run_listening" not in threading.Thread.run.__qualname__


def test_scripts_without_lazyarr_and_threads(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("print(1)\n")
    report, _ = examine(str(path))
    assert report.lines == () and "Nothing was evaluated" in str(report)
    assert "script.py does not import lazyarr" in str(report)
    assert "operations that run immediately" not in str(report)
    path.write_text("import lazyarr as np\n")
    assert "does not import" not in str(examine(str(path))[0])
    path.write_text(
        "import lazyarr as la\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def work(k):\n"
        "    return float((la.arange(2500) * k).sum())\n"
        "with ThreadPoolExecutor(2) as pool:\n"
        "    print(sum(pool.map(work, range(5))))\n"
    )
    report, _ = examine(str(path))
    assert [(line.place, line.evaluations) for line in report.lines] == [("script.py:4", 5)]


def test_advice_needs_a_cause() -> None:
    def advice(**facts: Any) -> list[str]:
        line = LineReport("script.py", 1, **facts)
        return Report("script.py", (), [line], 1.0).lines[0].advice

    assert advice(seconds=1.0, eager_seconds=2.0, evaluations=5) == []
    (slower,) = advice(seconds=3.0, eager_seconds=2.0)
    assert slower.startswith("this line took 3.00 s, and takes NumPy 2.00 s: see lazyarr.explain")
    (overhead,) = advice(
        seconds=0.1, overhead_seconds=0.5, evaluations=1000, evaluated_bytes=8_000_000
    )
    assert "1000 evaluations took 500 ms outside of kernels, of 8.00 kB each" in overhead
    (compiled,) = advice(compiled=20, seconds=1.0)
    assert compiled.startswith("20 kernels were compiled for this line")


def test_what_numpy_cannot_run_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "script.py"
    path.write_text("import lazyarr as la\nfloat((la.arange(3000) * 3.5).sum())\n")

    def refuse(*arguments: Any) -> None:
        raise ValueError("no")

    multiply = la.multiply(la.arange(2), 1.5)._node.op
    monkeypatch.setattr(type(multiply), "evaluate", refuse, raising=True)
    report, _ = examine(str(path))
    assert report.unmeasured == 1 and "Not timed in NumPy" in str(report)
    assert np.isclose(report.to_dict()["eager_seconds"], 0)


def test_scripts_of_arrays_that_are_read_piece_by_piece(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(
        "import numpy as np, lazyarr as la\n"
        "from tests.support.sources import Dataset\n"
        "x = la.from_array(Dataset(np.ones((4000, 300))))\n"
        "with la.config(max_memory='1MiB'):\n"
        "    assert float((x * 2).sum()) == 2.4e6\n"
    )
    report, status = examine(str(path))
    assert (status, report.failure, report.unmeasured) == (0, "", 1)
    text = str(report)
    assert "in eager NumPy: not timed." in text and "read piece by piece" in text
