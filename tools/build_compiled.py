"""Build the extension modules, beside their sources in the package.

Usage: python tools/build_compiled.py      (needs a C compiler, setuptools and NumPy)

They are the compiled form of nodes, of operations on small arrays, of short calls of jitted
functions and of releasing what Arrow was given.
`pip install` does the same where it can; without them lazyarr runs in Python's form. With
LAZYARR_REUSE_COMPILED=1 modules that were built of the same sources are not built again.
"""

from __future__ import annotations

import binascii
import os
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent / "lazyarr"
#: By the name of the module, the source of it in the folder ``c_source`` beside it.
MODULES = {
    ROOT / "graph" / "_nodes": "nodes.c",
    ROOT / "arrays" / "_compiled": "compiled.c",
    ROOT / "execution" / "cpu" / "_small_calls": "small_calls.c",
    ROOT / "execution" / "cpu" / "_known_plans": "known_plans.c",
    ROOT / "interop" / "_arrow_releases": "arrow_releases.c",
    ROOT / "runtime" / "cpu" / "_numpy_loops": "numpy_loops.c",
}
#: What the other modules know of nodes.
NODES = ROOT / "graph" / "c_source"
#: The name by which they find the functions of nodes, before the checksum (``node.h``).
NODE_FUNCTIONS = b"lazyarr.graph._nodes.functions "

#: Options of compilers that take those of GCC: elements are moved as integers, whatever their
#: dtype, and a product is rounded before it is added, as NumPy's are.
OPTIONS = ["-fno-strict-aliasing", "-ffp-contract=off"]


def digest(folder: Path) -> str:
    """Return the checksum of the sources, which lazyarr compares when it is imported."""
    text = b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
    return f"{binascii.crc32(text):08x}-{len(text)}"


def built_before() -> list[Path]:
    """Return the modules beside the sources that were built of them; none if one is missing."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    paths = [module.with_name(f"{module.name}{suffix}") for module in MODULES]
    for module, path in zip(MODULES, paths, strict=True):
        code = path.read_bytes() if path.exists() else b""
        if digest(module.parent / "c_source").encode() not in code:
            return []
        if NODE_FUNCTIONS in code and NODE_FUNCTIONS + digest(NODES).encode() not in code:
            return []
    return paths


def build() -> tuple[list[Path], str]:
    """Return the extension modules that were built, all or none, and a message."""
    if os.environ.get("LAZYARR_COMPILED") == "0":
        return [], "LAZYARR_COMPILED=0: the compiled form is not built"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return [], "the compiled form needs the GIL, which this Python does without"
    if os.environ.get("LAZYARR_REUSE_COMPILED") == "1" and (paths := built_before()):
        return paths, f"built before: {', '.join(map(str, paths))}"
    try:
        import numpy as np
        from setuptools import Distribution, Extension
        from setuptools.command.build_ext import build_ext
        from setuptools.errors import BaseError, CCompilerError
    except ImportError as error:
        return [], f"the compiled form is not built: {error}"

    class BuildWithOptions(build_ext):
        def build_extensions(self) -> None:
            if self.compiler.compiler_type in ("unix", "mingw32", "cygwin"):
                for extension in self.extensions:
                    extension.extra_compile_args = OPTIONS
            super().build_extensions()

    extensions = [
        Extension(
            module.name,
            [str(module.parent / "c_source" / source)],
            include_dirs=[np.get_include(), str(NODES)],
            define_macros=[
                ("LAZYARR_SOURCE", f'"{digest(module.parent / "c_source")}"'),
                ("LAZYARR_NODES", f'"{digest(NODES)}"'),
            ],
        )
        for module, source in MODULES.items()
    ]
    with tempfile.TemporaryDirectory() as scratch:
        command = BuildWithOptions(Distribution({"name": "lazyarr", "ext_modules": extensions}))
        command.build_lib = command.build_temp = scratch
        command.parallel = True  # as many compilers as there are processors
        try:
            command.ensure_finalized()
            command.run()
            outputs = [Path(name) for name in command.get_outputs()]
        except (BaseError, CCompilerError, OSError) as error:
            return [], f"no compiled form, lazyarr runs in Python's: {error}"
        targets = []
        for module in MODULES:
            (built,) = [path for path in outputs if path.name.startswith(f"{module.name}.")]
            target = module.parent / built.name
            # In another file and then renamed: a process may have the old one loaded.
            fresh = target.with_name(f"{target.name}.{os.getpid()}")
            fresh.write_bytes(built.read_bytes())
            fresh.replace(target)
            targets.append(target)
    return targets, f"built {', '.join(map(str, targets))}"


if __name__ == "__main__":
    built, message = build()
    print(message)
    sys.exit(not built)
