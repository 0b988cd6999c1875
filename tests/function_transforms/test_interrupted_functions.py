"""A program that is interrupted while its first vectorized function is compiled."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

INTERRUPTED = """
import signal, sys
import numpy as np
import lazyarr as la

def interrupt(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
x = np.linspace(-1, 1, 300)
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
try:
    np.asarray(la.vectorize(lambda v: v if v > 0.25 else -v)(x))
    signal.setitimer(signal.ITIMER_REAL, 0)
except KeyboardInterrupt:
    print("interrupted")
value = np.asarray(la.vectorize(lambda v: v * 2 if v > 0.25 else v)(x))
assert np.array_equal(value, np.where(x > 0.25, x * 2, x))
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
@pytest.mark.parametrize("seconds", [0.3, 0.4, 0.45, 0.5, 0.6, 0.7])
def test_an_interrupted_first_function_does_not_stop_the_next(seconds: float) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
