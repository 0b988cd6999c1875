"""Find the cause of a slow expression: explain lists the edges that were not fused.

The first version contains a sort, which reads its whole operand from memory and stores its whole
result, so operations before and after it cannot fuse. The second version needs no sort.
Usage: python examples/why_is_this_slow.py [elements [folder for the pages]]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import lazyarr as la


def range_by_sorting(x):
    """Return the range of the values by sorting them."""
    ordered = np.sort(np.sqrt(x) + 1.0)
    return ordered[-1] - ordered[0]


def range_by_reducing(x):
    """Return the range of the values."""
    shifted = np.sqrt(x) + 1.0
    return shifted.max() - shifted.min()


def main() -> None:
    count = int(sys.argv[1]) if sys.argv[1:] else 200_000
    folder = Path(sys.argv[2]) if sys.argv[2:] else Path(tempfile.mkdtemp())
    x = np.random.default_rng(0).random(count)
    results, reports = [], []
    for function in (range_by_sorting, range_by_reducing):
        expression = function(la.asarray(x))
        report = la.explain(expression)
        print(f"{function.__name__}: {len(report.kernels)} kernels, {report.peak_bytes:,} bytes")
        for edge in report.not_fused:
            pair = f"{edge.source.op.name} -> {edge.consumer.op.name}"
            print(f"  not fused: {pair}, {edge.bytes:,} bytes: {edge.reason}")
        for fallback in report.fallbacks:
            print(f"  computed by NumPy: {fallback.op}, {fallback.reason}")
        la.visualize(expression, filename=str(folder / f"{function.__name__}.html"), stage="fused")
        results.append(la.evaluate(expression))
        reports.append(report)
        np.testing.assert_array_equal(results[-1], function(x))
    slow, fast = reports
    assert slow.not_fused and not fast.not_fused
    assert len(fast.kernels) == 1 and not fast.fallbacks
    print(f"the graphs are in {folder}")


if __name__ == "__main__":
    main()
