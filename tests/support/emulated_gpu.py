"""A pytest plugin: the emulator is the CUDA device of the whole run.

``pytest -p tests.support.emulated_gpu -m cuda tests`` asks of the emulator what is asked of
a GPU. It says in the end how many kernels were launched.
"""

from __future__ import annotations

import pytest

from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

_device = EmulatedDevice()


def pytest_configure() -> None:
    driver._devices[:] = [_device]  # type: ignore[list-item]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _device.launches:  # none where other processes run the tests
        terminalreporter.write_line(f"emulated launches: {_device.launches}")
