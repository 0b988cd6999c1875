"""From the Numba source of a kernel to an object file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu import numba_intrinsics, numba_pipeline
from lazyarr.runtime.cpu.calling_convention import packed_entry

__all__ = ["assembly", "compile_numba"]


def compile_numba(source: Source, name: str) -> tuple[str, bytes]:
    """Return the symbol and the object code of a source in the language "numba".

    Parameters
    ----------
    source : Source
        What to compile; `baseline`: quickly, to the same bits.
    name : str
        Goes into symbols and messages.
    """
    result = _compile(source, name)
    symbol: str = result.fndesc.llvm_func_name
    library = result.library
    module = library._final_module
    module.link_in(llvm.parse_assembly(packed_entry(source, f'"{symbol}"', declared=True)))
    return symbol, library.machine.emit_object(module)


def assembly(source: Source) -> str:
    """Return the assembly text of a kernel, for a reader."""
    text: str = _compile(source, "lazyarr").library.get_asm_str()
    return text


def _compile(source: Source, name: str) -> Any:
    # Numba's own annotations are too few to check against.
    types: Any = import_module("numba.core.types")
    namespace: dict[str, Any] = {"__name__": name}
    namespace.update(numba_intrinsics.namespace(source.intrinsics))
    namespace.update(numba_intrinsics.externals(source.externals))
    parameters = [numba_intrinsics.parameter_type(p.dtype, p.pointer) for p in source.parameters]
    signature = (types.int64, types.int64, *parameters)
    exec(compile(source.text, f"<{source.entry}>", "exec"), namespace)
    function = namespace[source.entry]
    try:
        with _few_declarations():
            return _compile_function(function, signature, baseline=source.baseline)
    except Exception:  # noqa: BLE001
        # It may need a declaration that was left out; if not, this fails in the same way.
        return _compile_function(function, signature, baseline=source.baseline)


def _compile_function(
    function: FunctionType, signature: tuple[object, ...], *, baseline: bool
) -> Any:
    compiler: Any = import_module("numba.core.compiler")
    types: Any = import_module("numba.core.types")
    target: Any = import_module("numba.core.registry").cpu_target
    lock: Any = import_module("numba.core.compiler_lock").global_compiler_lock
    library_type: Any = numba_pipeline.BaselineLibrary if baseline else numba_pipeline.Library
    flags = compiler.Flags()
    flags.no_cpython_wrapper = True
    flags.no_cfunc_wrapper = True
    flags.no_compile = True  # to LLVM IR: machine code is made of it once, for the object file
    flags.error_model = "numpy"  # a zero divisor gives inf or nan, and no branch
    flags.noalias = True  # no two pointers overlap if either is written
    library = library_type(target.target_context.codegen(), function.__name__)
    with lock:
        result = compiler.compile_extra(
            target.typing_context,
            target.target_context,
            function,
            signature,
            types.void,
            flags,
            {},
            library=library,
            pipeline_class=numba_pipeline.Pipeline,
        )
        library.finalize()
    return result


@contextmanager
def _few_declarations() -> Iterator[None]:
    """Let Numba declare only numbers and loops, which is all that kernels use.

    Otherwise its first compilation loads implementations of NumPy, SciPy, lists, sets and strings,
    which takes longer than the compilation. Whoever needs those later still gets them: each
    compilation outside of this declares what is missing.
    """
    target: Any = import_module("numba.core.registry").cpu_target
    lock: Any = import_module("numba.core.compiler_lock").global_compiler_lock

    def numbers_and_loops() -> None:
        for name in ("builtins", "numbers", "rangeobj", "iterators"):
            import_module(f"numba.cpython.{name}")
        import_module("numba.core.runtime").rtsys.initialize(target.target_context)

    contexts = (target.typing_context, target.target_context)
    with lock:
        for context in contexts:
            context.load_additional_registries = numbers_and_loops
        target.typing_context.resolve_function_type = _signature
        try:
            yield
        finally:
            del target.typing_context.resolve_function_type
            for context in contexts:
                del context.load_additional_registries


#: Signatures of operators and intrinsics for the types of their arguments, which kernels share: to
#: choose each anew takes a tenth of a compilation.
_signatures: dict[tuple[object, ...], object] = {}


def _signature(
    function: object, arguments: Iterable[object], keywords: Mapping[str, object]
) -> Any:
    """Return the signature that Numba's context chooses for a function and its arguments' types.

    Parameters
    ----------
    function : object
        An operator, or Numba's type of a function.
    arguments, keywords : types of Numba
        By position and by name. A type that has one value only is one of very many: signatures
        with such are not remembered.
    """
    context: Any = import_module("numba.core.registry").cpu_target.typing_context
    types: Any = import_module("numba.core.types")
    resolve = type(context).resolve_function_type
    arguments = tuple(arguments)
    if keywords or any(isinstance(argument, types.Literal) for argument in arguments):
        return resolve(context, function, arguments, keywords)
    key = (function, *arguments)
    signature = _signatures.get(key)
    if signature is None:
        signature = resolve(context, function, arguments, keywords)
        if signature is not None:
            _signatures[key] = signature
    return signature
