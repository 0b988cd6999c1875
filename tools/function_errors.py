"""Measure the errors of functions in lazyarr/codegen/emit/*.cuh.

They are compiled for this processor, which has to have fused multiply-add (g++, x86-64); their
arithmetic has the same bits there as on a GPU. Float32 is tried with numbers all over an interval,
float64 with random ones, against libm's double and long double. The table is written to
``benchmarks/results/function_errors.md``::

    python tools/function_errors.py
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from lazyarr.codegen.emit import cuda_syntax

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "function_errors.md"

#: Every so manieth float32 number is tried.
STEP = 17

HEAD = """
#include <math.h>
#include <string.h>
#define __device__
#define __forceinline__ inline
#define __noinline__
static int __float2int_rn(float x) { return (int)rintf(x); }
static float __int_as_float(unsigned x) { float y; memcpy(&y, &x, 4); return y; }
static int __float_as_int(float x) { int y; memcpy(&y, &x, 4); return y; }
static double __longlong_as_double(long long x) { double y; memcpy(&y, &x, 8); return y; }
static long long __double_as_longlong(double x) { long long y; memcpy(&y, &x, 8); return y; }
static unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) << shift % 32 >> 32);
}
"""

RUN = """
static double units(double found, double exact, int digits, double least) {
    int exponent;
    frexp(exact, &exponent);
    const double unit = ldexp(1.0, exponent - digits);
    return fabs(found - exact) / (unit < least ? least : unit);
}
// The largest error, and the sum of all.
extern "C" void waves(unsigned first, int n, int step, int quarters,
                      double* worst, double* total) {
    for (int i = 0; i < n; ++i) {
        const float x = __int_as_float(first + i * step);
        const double exact = quarters ? cos((double)x) : sin((double)x);
        const double error = units(wave_of(x, quarters), exact, 24, 0x1p-149);
        if (error > *worst) *worst = error;
        *total += error;
    }
}
extern "C" void exponentials(const double* x, int n, double* worst, double* total) {
    for (int i = 0; i < n; ++i) {
        const long double exact = expl((long double)x[i]);
        int exponent;
        frexpl(exact, &exponent);
        long double unit = ldexpl(1.0L, exponent - 53);
        if (unit < 0x1p-1074L) unit = 0x1p-1074L;
        const double error = (double)(fabsl(exponential(x[i]) - exact) / unit);
        if (error > *worst) *worst = error;
        *total += error;
    }
}
"""


def library(folder: str) -> Any:
    """Return the functions, compiled."""
    text = HEAD + cuda_syntax.HELPERS["wave"] + "\n" + cuda_syntax.HELPERS["exponential"] + RUN
    code, binary = Path(folder) / "code.cpp", Path(folder) / "code.so"
    code.write_text(text, encoding="utf-8")
    command = ["g++", "-O2", "-mfma", "-ffp-contract=off", "-shared", "-fPIC", "-o", binary, code]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(binary))


def _waves(loaded: Any, low: float, high: float, quarters: int) -> tuple[float, float]:
    """Return the largest and the mean error of float32 numbers from `low` to `high`."""
    first, last = (int(np.float32(x).view(np.uint32)) for x in (low, high))
    worst, total = ctypes.c_double(), ctypes.c_double()
    references = ctypes.byref(worst), ctypes.byref(total)
    count = (last - first) // STEP
    loaded.waves(ctypes.c_uint(first), count, STEP, quarters, *references)
    return worst.value, total.value / count


def table(loaded: Any) -> str:
    """Return the errors as a table."""
    lines = [
        "# Errors of functions that CUDA kernels carry with them",
        "",
        "Written by `python tools/function_errors.py`: units in the last place against libm's",
        "double and long double, of every 17th float32 number of an interval, or 10 million of",
        "float64. NVIDIA states for its own functions at most 2 (`sinf`, `cosf`) and 1 (`exp`):",
        "CUDA C++ Programming Guide, mathematical functions.",
        "",
        "| function | interval | largest | mean |",
        "|---|---|---|---|",
    ]
    intervals = [(2.0**-126, 0.78539), (0.78539, 105615.0), (105615.0, float(np.float32(3.4e38)))]
    for quarters, name in enumerate(("sine", "cosine")):
        for low, high in intervals:
            worst, mean = _waves(loaded, low, high, quarters)
            lines.append(
                f"| {name}, float32 | {low:.6g} to {high:.6g} | {worst:.3f} | {mean:.3f} |"
            )
    rng = np.random.default_rng(0)
    for low, high in ((-0.35, 0.35), (-708.0, 708.0), (-745.2, -708.0), (708.0, 709.78)):
        worst, total = ctypes.c_double(), ctypes.c_double()
        x = rng.uniform(low, high, 10_000_000)
        references = ctypes.byref(worst), ctypes.byref(total)
        loaded.exponentials(ctypes.c_void_p(x.ctypes.data), x.size, *references)
        mean = total.value / x.size
        lines.append(f"| exponential, float64 | {low} to {high} | {worst.value:.3f} | {mean:.3f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        RESULTS.write_text(table(library(scratch)), encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))
