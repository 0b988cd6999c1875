"""Functions of this process, found by name."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import pytest

from lazyarr.runtime.cpu import host_target, vector_math
from lazyarr.runtime.cpu.objects import (
    machine_code,
    mcjit,
)

pytestmark = pytest.mark.skipif(
    bool(host_target.why_not()), reason="llvmlite loads all object code of this system"
)


def test_what_numba_introduces_to_llvm_is_found() -> None:
    keep = ctypes.create_string_buffer(8)
    address = ctypes.addressof(keep)
    assert machine_code.find_symbol("introduced_by_a_test") is None
    llvm.add_symbol("introduced_by_a_test", address)
    assert machine_code.find_symbol("introduced_by_a_test") == address


def test_llvmlite_finds_the_same_functions() -> None:
    names = ["memset", "sched_getcpu", "pthread_mutex_lock"]
    if vector_math.load():
        names += ["_ZGVbN2v_exp", "_ZGVdN4vv_pow"]
    for name in names:
        address = machine_code.find_symbol(name)
        assert address is not None and address == mcjit.find_symbol(name)
    # Of these Numba shows LLVM older versions, which call the same code.
    for name in ("exp", "fmod"):
        assert machine_code.find_symbol(name) and mcjit.find_symbol(name)
