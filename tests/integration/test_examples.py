"""Every example runs, small, and finds itself equal to NumPy."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
SMALL = {
    "black_scholes": ["5000"],
    "decompositions": ["4096", "32"],
    "gaussian_kernel": ["1000"],
    "heat_equation": ["40"],
    "image_pipeline": ["60", "80"],
    "logistic_map": ["1000", "50"],
    "long_product": ["60", "500"],
    "mandelbrot": ["40"],
    "matrix_product": ["64"],
    "sigmoid_layer": ["64", "32", "48"],
    "train": ["-e", "2"],
    "vectors_times_matrix": ["200", "50"],
    "why_is_this_slow": ["5000"],
}


def test_each_example_has_a_small_size() -> None:
    assert [example.stem for example in EXAMPLES] == sorted(SMALL)


@pytest.mark.lazy
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(example), *SMALL[example.stem]],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short(example: Path) -> None:
    assert len(example.read_text().splitlines()) <= 60
