"""A pytest plugin: the emulator is the CUDA device of the whole run.

``pytest -p tests.support.emulated_gpu -m cuda tests`` asks of the emulator what is asked of
a GPU. It says in the end how many kernels were launched, with ``--launches`` by each test
function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

_device = EmulatedDevice()
#: Launches by the test function, without its parameters.
_launches: Counter[str] = Counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--launches", action="store_true", help="count launches by test function")


def pytest_configure() -> None:
    driver._devices[:] = [_device]  # type: ignore[list-item]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before = _device.launches
    try:
        return (yield)
    finally:
        _launches[item.nodeid.partition("[")[0]] += _device.launches - before


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _device.launches:  # none where other processes run the tests
        terminalreporter.write_line(f"emulated launches: {_device.launches}")
        if terminalreporter.config.getoption("launches"):
            for name, count in _launches.items():
                terminalreporter.write_line(f"emulated launches of {name}: {count}")
