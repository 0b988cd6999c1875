"""Build the compiled form of operations on small arrays, beside its sources in the package.

Usage: python tools/build_compiled.py      (needs a C compiler, setuptools and NumPy)

`pip install` does the same where it can; without the compiled form lazyarr runs in Python's.
"""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "lazyarr" / "arrays"
SOURCES = PACKAGE / "c_source"


def digest(folder: Path) -> str:
    """Return the digest of the sources, which lazyarr compares when it is imported."""
    text = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        text.update(path.read_bytes())
    return text.hexdigest()


def build() -> tuple[Path | None, str]:
    """Return the extension module that was built, or None, and a message."""
    if os.environ.get("LAZYARR_COMPILED") == "0":
        return None, "LAZYARR_COMPILED=0: the compiled form is not built"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None, "the compiled form needs the GIL, which this Python does without"
    try:
        import numpy as np
        from setuptools import Distribution, Extension
        from setuptools.command.build_ext import build_ext
        from setuptools.errors import BaseError, CCompilerError
    except ImportError as error:
        return None, f"the compiled form is not built: {error}"
    extension = Extension(
        "_compiled",
        [str(SOURCES / "compiled.c")],
        include_dirs=[np.get_include()],
        define_macros=[("LAZYARR_SOURCE", f'"{digest(SOURCES)}"')],
    )
    with tempfile.TemporaryDirectory() as scratch:
        command = build_ext(Distribution({"name": "lazyarr", "ext_modules": [extension]}))
        command.build_lib = command.build_temp = scratch
        try:
            command.ensure_finalized()
            command.run()
            (built,) = command.get_outputs()
        except (BaseError, CCompilerError, OSError) as error:
            return None, f"no compiled form, lazyarr runs in Python's: {error}"
        target = PACKAGE / Path(built).name
        # In another file and then renamed: a process may have the old one loaded.
        fresh = target.with_name(f"{target.name}.{os.getpid()}")
        fresh.write_bytes(Path(built).read_bytes())
        fresh.replace(target)
    return target, f"built {target}"


if __name__ == "__main__":
    built, message = build()
    print(message)
    sys.exit(built is None)
