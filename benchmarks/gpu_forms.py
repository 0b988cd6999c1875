"""Time forms of kernels on a GPU by their share of the copy rate, and two versions of lazyarr.

    python -m benchmarks.gpu_forms --out before.json          # in one checkout
    python -m benchmarks.gpu_forms --out after.json --against before.json   # in the other

No other library is asked, so that some two hundred rows take a minute: forms that read neighbours,
functions whose code is long, products in stacks, and reductions of dtypes and layouts whose order
of additions decides how they are loaded. Inputs are made on the GPU by PyTorch; each time is the
clock's of calls in a row, the median of five.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import isqrt
from pathlib import Path
from typing import Any

__all__ = ["FORMS", "Form"]

#: Seconds of a sample, and calls in one.
SAMPLE, MOST_CALLS, SAMPLES = 0.01, 30, 5
REAL = ("float32", "float64")
HALF = ("float16", *REAL)
MANY = (*HALF, "int32", "bool")


@dataclass(frozen=True)
class Form:
    """A computation, the shapes of its inputs for so many elements, and their dtypes."""

    compute: Callable[..., Any]
    shapes: Callable[[int], list[tuple[int, ...]]]
    dtypes: tuple[str, ...] = REAL


def _vectors(count: int) -> Callable[[int], list[tuple[int, ...]]]:
    return lambda n: [(n,)] * count


def _square(n: int) -> list[tuple[int, ...]]:
    return [(isqrt(n), isqrt(n))]


def _odd_square(n: int) -> list[tuple[int, ...]]:
    return [(isqrt(n) - 3, isqrt(n) - 1)]


def _cube(n: int) -> list[tuple[int, ...]]:
    side = round(n ** (1 / 3)) // 8 * 8
    return [(side, side, side)]


def _odd_cube(n: int) -> list[tuple[int, ...]]:
    ((side, _, _),) = _cube(n)
    return [(side - 1, side + 1, side + 3)]


def _lines(n: int) -> list[tuple[int, ...]]:
    return [(isqrt(n),)] * 2


def _points(n: int) -> list[tuple[int, ...]]:
    return [(isqrt(n) // 2, 32)] * 2


def _stacks(n: int) -> list[tuple[int, ...]]:
    return [(max(1, n // 4096), 64, 64)] * 2


def _filtered(taps: int) -> Callable[..., Any]:
    def compute(xp: Any, x: Any) -> Any:
        count = x.shape[0] - taps + 1
        total = x[:count]
        for k in range(1, taps):
            total = total + 0.1 * k * x[k : k + count]
        return total

    return compute


def _neighbours(rank: int, reach: int, star: bool) -> Callable[..., Any]:
    steps = range(-reach, reach + 1)
    offsets = [o for o in product(steps, repeat=rank) if not star or sum(map(bool, o)) <= 1]

    def compute(xp: Any, x: Any) -> Any:
        total = 0.0
        for k, offset in enumerate(offsets):
            where = tuple(
                slice(reach + step, n - reach + step)
                for step, n in zip(offset, x.shape, strict=True)
            )
            total = total + (0.1 + 0.01 * k) * x[where]
        return total

    return compute


def _squares(a: Any, b: Any) -> Any:
    return ((a[:, None] - b[None]) ** 2).sum(axis=2)


def _softmax(xp: Any, m: Any) -> Any:
    raised = xp.exp(m - m.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def _standardised(axis: int) -> Callable[..., Any]:
    def compute(xp: Any, m: Any) -> Any:
        centred = m - m.mean(axis=axis, keepdims=True)
        return centred / xp.sqrt((centred * centred).mean(axis=axis, keepdims=True) + 1e-3)

    return compute


FORMS: dict[str, Form] = {
    "filter 3": Form(_filtered(3), _vectors(1)),
    "filter 16": Form(_filtered(16), _vectors(1)),
    "filter 40": Form(_filtered(40), _vectors(1)),
    "difference": Form(lambda xp, x: x[1:] - x[:-1], _vectors(1)),
    "star 2d": Form(_neighbours(2, 1, True), _square),
    "box 2d": Form(_neighbours(2, 1, False), _square),
    "box 2d, odd": Form(_neighbours(2, 1, False), _odd_square),
    "box 2d, 25 points": Form(_neighbours(2, 2, False), _square),
    "star 3d": Form(_neighbours(3, 1, True), _cube),
    "star 3d, odd": Form(_neighbours(3, 1, True), _odd_cube),
    "star 3d, 13 points": Form(_neighbours(3, 2, True), _cube),
    "box 3d": Form(_neighbours(3, 1, False), _cube),
    "box 3d, 125 points": Form(_neighbours(3, 2, False), _cube),
    "row to rows": Form(lambda xp, m, r: m * r[0] + r[0], lambda n: _square(n) * 2),
    "outer": Form(lambda xp, a, b: a[:, None] * b, _lines),
    "tanh of outer": Form(lambda xp, a, b: xp.tanh(a[:, None] * b), _lines),
    "transposed": Form(lambda xp, m: m.T * 2, _square),
    "transposed and not": Form(lambda xp, m: m.T * 2 + m, _square),
    "pairs, least": Form(lambda xp, a, b: _squares(a, b).min(axis=1), _points),
    "pairs, kernel": Form(lambda xp, a, b: xp.exp(-_squares(a, b)).sum(axis=1), _points),
    "products": Form(lambda xp, a, b: a @ b, _stacks),
    "products, ramp": Form(lambda xp, a, b: xp.maximum(a @ b, 0.0), _stacks),
    "quotient": Form(lambda xp, a, b: a / b, _vectors(2)),
    "quotients": Form(lambda xp, a, b: a / b + b / (a + 1), _vectors(2)),
    "log": Form(lambda xp, a: xp.log(a), _vectors(1)),
    "exp": Form(lambda xp, a: xp.exp(a), _vectors(1)),
    "tanh": Form(lambda xp, a: xp.tanh(a), _vectors(1)),
    "power": Form(lambda xp, a, b: a**b, _vectors(2)),
    "power 1.7": Form(lambda xp, a: (0.5 + a * a) ** 1.7, _vectors(1)),
    "powers": Form(lambda xp, a: a + a**3 + a**5 + a**11, _vectors(1)),
    "sum": Form(lambda xp, x: x.sum(), _vectors(1), MANY),
    "sum, rows": Form(lambda xp, m: m.sum(axis=1), _square, MANY),
    "sum, columns": Form(lambda xp, m: m.sum(axis=0), _square, MANY),
    "mean": Form(lambda xp, x: x.mean(), _vectors(1), MANY),
    "mean, rows": Form(lambda xp, m: m.mean(axis=1), _square, MANY),
    "mean, columns": Form(lambda xp, m: m.mean(axis=0), _square, MANY),
    "var, rows": Form(lambda xp, m: m.var(axis=1), _square, HALF),
    "softmax": Form(_softmax, _square, HALF),
    "standardised rows": Form(_standardised(1), _square, HALF),
    "standardised columns": Form(_standardised(0), _square, REAL),
    "sum, every second": Form(lambda xp, m: m[:, ::2].sum(axis=1), _square),
    "sum, transposed": Form(lambda xp, m: m.T.sum(axis=1), _square),
    "sum, short rows": Form(lambda xp, m: m.sum(axis=1), lambda n: [(n // 20, 20)], HALF),
    "sum, middle": Form(lambda xp, x: x.sum(axis=1), lambda n: [(n // 4096, 64, 64)], HALF),
    "sum, cast": Form(lambda xp, m: (m.astype("float32") * 2).sum(axis=1), _square, ("float16",)),
}


def _input(torch: Any, shape: tuple[int, ...], dtype: str) -> Any:
    uniform = torch.rand(shape, device="cuda") + 0.5
    if dtype == "bool":
        return uniform > 1
    return (uniform * 100 if dtype.startswith("int") else uniform).to(getattr(torch, dtype))


def measure(names: Sequence[str], elements: int) -> list[dict[str, Any]]:
    """Return a row for each form and dtype: milliseconds, share of copy, kernels."""
    import torch

    import lazyarr as la
    from benchmarks.families.result import plan_text
    from benchmarks.gpu_timing import copy_rate, settle
    from lazyarr.runtime.cuda import driver

    synchronize = driver.device().synchronize
    rate = copy_rate(torch)
    print(f"{torch.cuda.get_device_name()}, copy {rate:.0f} GB/s", flush=True)

    def seconds(call: Callable[[], Any], calls: int) -> float:
        synchronize()
        begun = time.perf_counter()
        for _ in range(calls):
            call()
        synchronize()
        return (time.perf_counter() - begun) / calls

    rows = []
    for name in names:
        form = FORMS[name]
        for dtype in form.dtypes:
            tensors = [_input(torch, shape, dtype) for shape in form.shapes(elements)]
            torch.cuda.synchronize()
            lazy = form.compute(la, *map(la.asarray, tensors))
            call = partial(la.persist, lazy)
            settle(call)
            calls = max(1, min(MOST_CALLS, int(SAMPLE / seconds(call, 2))))
            each = statistics.median([seconds(call, calls) for _ in range(SAMPLES)])
            moved = sum(t.nbytes for t in tensors) + lazy.nbytes
            row = {
                "form": name,
                "dtype": dtype,
                "ms": each * 1e3,
                "of copy": moved / each / 1e9 / rate,
                "plan": plan_text(la.explain(lazy)),
            }
            print(f"{name:24} {dtype:8} {each * 1e3:9.4f} ms {row['of copy']:5.2f}  {row['plan']}")
            rows.append(row)
            del tensors, lazy, call
            torch.cuda.empty_cache()
    return rows


def compare(rows: Sequence[dict[str, Any]], before: Sequence[dict[str, Any]]) -> str:
    """Return a table of both versions, the rows that lost most first."""
    old = {(row["form"], row["dtype"]): row["ms"] for row in before}
    both = [(old[key], row) for row in rows if (key := (row["form"], row["dtype"])) in old]
    lines = ["| form | dtype | before, ms | after, ms | before / after |"]
    lines += ["|---|---|---:|---:|---:|"]
    for was, row in sorted(both, key=lambda pair: pair[0] / pair[1]["ms"]):
        lines.append(
            f"| {row['form']} | {row['dtype']} | {was:.4f} | {row['ms']:.4f} "
            f"| {was / row['ms']:.3f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forms", nargs="+", choices=list(FORMS), default=list(FORMS))
    parser.add_argument("--elements", type=int, default=1 << 26)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--against", type=Path, help="what another version wrote")
    options = parser.parse_args()
    rows = measure(options.forms, options.elements)
    options.out.write_text(json.dumps(rows, indent=1))
    if options.against:
        print(compare(rows, json.loads(options.against.read_text())))


if __name__ == "__main__":
    main()
