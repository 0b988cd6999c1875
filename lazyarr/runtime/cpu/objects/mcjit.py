"""Loading object code through llvmlite: where lazyarr does not do it itself."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from lazyarr.runtime.available_memory import require_for_libraries
from lazyarr.runtime.cpu.objects import process_symbols

__all__ = ["add_symbol", "describe_processor", "find_symbol", "load_object", "triple"]


@cache
def _binding() -> Any:
    if "llvmlite.binding" not in sys.modules:
        # CPython may try for ever to import what it has no memory for.
        require_for_libraries()
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def _engine() -> Any:
    # An engine owns its target machine, and takes it along when it goes.
    llvm = _binding()
    machine = llvm.Target.from_default_triple().create_target_machine(codemodel="jitdefault")
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def _introduced(library: str) -> bool:
    """Let LLVM, too, look for symbols in a library that this process has opened."""
    _binding().load_library_permanently(library)
    return True


def load_object(object_code: bytes, name: str) -> tuple[object, int]:
    """Return the owner of an object file's code in memory, and the address of a function.

    The address is 0 if there is no such function. Each symbol that the file needs has to be in
    this process: LLVM has no other answer than to end the process.

    Parameters
    ----------
    object_code : bytes
        A relocatable object file.
    name : str
        Of the function.
    """
    # An engine for each: names made in different processes may be equal.
    find_symbol("")
    engine = _engine()
    engine.add_object_file(_binding().ObjectFileRef.from_data(object_code))
    engine.finalize_object()
    return engine, engine.get_function_address(name)


def find_symbol(name: str) -> int | None:
    """Return the address that LLVM has for a function or variable, or None."""
    _first_engine()
    for library in process_symbols.opened:
        _introduced(library)
    address: int | None = _binding().address_of_symbol(name)
    return address


def add_symbol(name: str, address: int) -> None:
    """Let LLVM find a function of this process.

    Parameters
    ----------
    name : str
        Its symbol.
    address : int
        Of the function.
    """
    _binding().add_symbol(name, address)


@cache
def _first_engine() -> None:
    _engine()  # it lets LLVM search the process itself


def triple() -> str:
    """Return LLVM's name of this kind of system."""
    name: str = _binding().get_process_triple()
    return name


def describe_processor() -> tuple[str, ...]:
    """Return texts that differ wherever LLVM would make other code for the processor."""
    llvm = _binding()
    return (triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
