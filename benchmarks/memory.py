"""One peer's peak memory on one case, in this process: run by :mod:`benchmarks.measure`.

The kernel's own high-water mark of the resident set is reset before the run and read after it, so
it sees every allocator. The inputs are there before; the result counts.
"""

from __future__ import annotations

import ctypes
import gc
import json
import re
import sys
from pathlib import Path

import numpy as np

from benchmarks.cases import CASES
from benchmarks.peers import PEERS


def _status(field: str) -> int:
    text = Path("/proc/self/status").read_text()
    found = re.search(rf"{field}:\s+(\d+) kB", text)
    if found is None:
        raise OSError(f"/proc/self/status has no {field}")
    return int(found[1]) * 1024


def _reset_peak() -> None:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def main(case_name: str, peer_name: str, dtype: str, size: str, threads: str) -> None:
    case = CASES[case_name]
    peer = PEERS[peer_name](int(threads))
    arrays = case.arrays(int(size), np.dtype(dtype))
    if peer.shape_free:
        # Compiled and warmed up on a small part, so that no buffer of the right size is at hand.
        warm = peer.prepare(case, case.arrays(int(size) // 16, np.dtype(dtype)))
        if warm is not None:
            warm.run()
        del warm
    planned = _planned_peak(case_name, arrays) if peer_name == "lazyarr" else None
    prepared = peer.prepare(case, arrays) if not peer.shape_free else None
    if prepared is not None:
        prepared.run()
    _reset_peak()
    before = _status("VmRSS")
    if prepared is None:
        prepared = peer.prepare(case, arrays)
    if prepared is None:
        raise SystemExit("cannot express it")
    result = prepared.run()
    peak = _status("VmHWM") - before
    del result
    print(json.dumps({"peak": max(0, peak), "planned_peak": planned}))


def _planned_peak(case_name: str, arrays: tuple[np.ndarray, ...]) -> int:
    import lazyarr as la

    expression = CASES[case_name].compute(la, *map(la.asarray, arrays))
    return int(la.explain(expression).peak_bytes)


if __name__ == "__main__":
    main(*sys.argv[1:])
