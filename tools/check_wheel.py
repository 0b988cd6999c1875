"""Check that a wheel holds the package's files, all of them, and nothing else.

Usage: python tools/check_wheel.py lazyarr-*.whl
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: What the package reads besides Python, and what type checkers read: at least one of each kind.
KINDS = (".c", ".cuh", ".h", ".ll", ".pyi", "py.typed")
#: The extension modules, which a wheel has where they can be built: all or none.
COMPILED = (
    "lazyarr/arrays/_compiled.",
    "lazyarr/execution/cpu/_known_plans.",
    "lazyarr/execution/cpu/_small_calls.",
    "lazyarr/graph/_nodes.",
    "lazyarr/interop/_arrow_releases.",
    "lazyarr/runtime/cpu/_numpy_loops.",
)


def faults(wheel: Path) -> list[str]:
    """Return the faults of a wheel, a line each."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "lazyarr"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    expected = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    metadata = {name for name in names if name.partition("/")[0].endswith(".dist-info")}
    built = {name for name in names if name.startswith(COMPILED) and not name.endswith(".pyi")}
    names -= built
    wrong = [f"missing: {name}" for name in sorted(expected - names)]
    wrong += [f"not of the package: {name}" for name in sorted(names - expected - metadata)]
    wrong += [
        f"no {kind} file"
        for kind in KINDS
        if not any(name.endswith(kind) for name in names - metadata)
    ]
    if bool(built) == wheel.stem.endswith("-none-any"):
        wrong.append("the name says another platform than the files")
    if built and len(built) != len(COMPILED):
        wrong.append(f"not one module of each: {', '.join(sorted(built))}")
    if not any(name.endswith("/LICENSE") for name in metadata):
        wrong.append("no licence")
    return wrong


if __name__ == "__main__":
    wrong = faults(Path(sys.argv[1]))
    print("\n".join(wrong) or "the wheel holds the package")
    sys.exit(bool(wrong))
