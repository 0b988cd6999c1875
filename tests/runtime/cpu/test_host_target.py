"""The description of the processor."""

from __future__ import annotations

import errno
import subprocess
import sys

import llvmlite.binding as llvm
import pytest

from lazyarr.runtime.cpu import host_target

pytestmark = pytest.mark.skipif(
    bool(host_target.why_not()), reason="llvmlite loads all object code of this system"
)

#: Where the processor reports a feature, as positions in what is asked: leaf 1, and leaf 7.
FEATURES = {
    "sse4.2": (1, 2, 20),
    "fma": (1, 2, 12),
    "f16c": (1, 2, 29),
    "avx2": (7, 1, 5),
    "bmi2": (7, 1, 8),
    "avx512f": (7, 1, 16),
    "avx512vnni": (7, 2, 11),
}


def test_the_processor_tells_what_llvm_reads() -> None:
    numbers: dict[tuple[int, int], int] = {}
    answers = iter(host_target._processor())
    for leaf, subleaf, expected in host_target._LEAVES:
        for register in expected:
            number = next(answers)
            if subleaf == 0:
                numbers[leaf, register] = number
        if leaf == 1:
            assert numbers[1, 2] & host_target._OSXSAVE
            assert next(answers) & 3 == 3  # the system keeps SSE registers
    assert not list(answers)
    features = llvm.get_host_cpu_features()
    for name, (leaf, register, bit) in FEATURES.items():
        assert bool(numbers[leaf, register] >> bit & 1) == features[name], name


def test_another_processor_has_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [host_target.describe_processor()]
    numbers = host_target._processor()
    for k in range(len(numbers)):
        other = (*numbers[:k], numbers[k] ^ 1, *numbers[k + 1 :])
        monkeypatch.setattr(host_target, "_processor", lambda other=other: other)
        keys.append(host_target.describe_processor())
    assert len(set(keys)) == len(numbers) + 1
    monkeypatch.undo()
    code = "from lazyarr.runtime.cpu import host_target as host; print(host.describe_processor())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(host_target.describe_processor())


def test_memory_that_is_refused_says_nothing_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(code: int) -> None:
        raise OSError(code, "refused")

    monkeypatch.setattr(host_target, "_processor", lambda: refuse(errno.ENOMEM))
    with pytest.raises(MemoryError, match="machine code"):
        host_target.why_not.__wrapped__()
    monkeypatch.setattr(host_target, "_processor", lambda: refuse(errno.EACCES))
    assert "refused" in host_target.why_not.__wrapped__()
