"""The command line: ``lazyarr demo | doctor | tune | calibrate | info | bench | cache``."""

from __future__ import annotations

import argparse
import ctypes
import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lazyarr.errors import LazyarrError

if TYPE_CHECKING:
    from lazyarr.inspect.sections import Section
    from lazyarr.runtime.disk_cache import DiskInfo

__all__ = ["main"]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line)
    return next(names, platform.machine())


def _vector_extensions() -> str:
    import llvmlite.binding

    features = llvmlite.binding.get_host_cpu_features()
    interesting = ("sse4.2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512dq", "neon", "sve")
    return " ".join(name for name in interesting if features.get(name)) or "none known"


def _gpu() -> str:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "none (no CUDA driver)"
    count = ctypes.c_int()
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return "none (the CUDA driver finds no device)"
    name = ctypes.create_string_buffer(128)
    driver.cuDeviceGetName(name, 128, 0)
    missing = "" if importlib.util.find_spec("pycuda") else "; pycuda is not installed"
    return f"{count.value} × {name.value.decode()}{missing}"


def _tuning() -> str:
    from lazyarr.compiler.targets import tuning_rows

    return "; ".join(
        f"{device} ({family or 'none'}): row {row}" for device, family, row in tuning_rows()
    )


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count:,} bytes"


def _folder(disk: DiskInfo) -> str:
    if not disk.directory:
        return "off"
    return f"{disk.directory}: {disk.entries:,} kernels, {_size(disk.nbytes)}"


def _print_table(title: str, rows: Mapping[str, str]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(name, value)
    Console().print(table)


def _vector_mathematics(library: str) -> str:
    if library != "scalar":
        return library
    return "no library found (SVML, libmvec): the C library's functions, one element at a time"


def _info(_: argparse.Namespace) -> int:
    import lazyarr as la
    from lazyarr.arrays.fields import FORM
    from lazyarr.execution.cpu import known_plans, small_calls
    from lazyarr.graph import elements
    from lazyarr.runtime.cpu import vector_math
    from lazyarr.runtime.cpu.objects import machine_code
    from lazyarr.runtime.cpu.threads.native_pool import current_pool
    from lazyarr.runtime.cpu_count import default_threads

    settings = la.get_config()
    threads = default_threads()
    _print_table(
        "lazyarr",
        {
            "lazyarr": _version("lazyarr"),
            "Python": f"{platform.python_version()} ({sys.executable})",
            "NumPy, Numba, llvmlite": ", ".join(map(_version, ("numpy", "numba", "llvmlite"))),
            "processor": _processor(),
            "vector extensions": _vector_extensions(),
            "vector mathematics": _vector_mathematics(vector_math.describe()),
            "threads": f"{settings.threads or threads} of {os.cpu_count()} processors "
            f"({'set' if settings.threads else 'what affinity and cgroup allow'}), "
            f"{'in native code' if current_pool() else 'dispatched by Python'}",
            "object code": f"loaded {machine_code.describe()}",
            "nodes": elements.FORM,
            "small arrays": FORM,
            "known plans": known_plans.FORM,
            "short jitted calls": small_calls.FORM,
            "cache": _folder(la.cache.info().disk),
            "GPU": _gpu(),
            "tuning": _tuning(),
            "settings": ", ".join(
                f"{name}={getattr(settings, name)!r}" for name in settings.__slots__
            ),
        },
    )
    return 0


def _demo(options: argparse.Namespace) -> int:
    from lazyarr import demo

    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"lazyarr demo: {error}", file=sys.stderr)
        return 2
    right = demo.run(options.size, quick=options.quick, output=options.output)
    return 0 if right else 1


def _doctor(options: argparse.Namespace) -> int:
    from lazyarr.inspect.doctor.running import examine

    if not options.script.is_file():
        print(f"lazyarr doctor: no such script: {options.script}", file=sys.stderr)
        return 2
    output = options.output
    if output is not None and (output.is_dir() or not output.absolute().parent.is_dir()):
        print(f"lazyarr doctor: cannot write to {output}", file=sys.stderr)
        return 2
    report, status = examine(str(options.script), options.arguments)
    match options.format:
        case "json":
            text = json.dumps(report.to_dict(), indent=2) + "\n"
        case "html":
            text = report.html()
        case _ if output is not None or not sys.stdout.isatty():
            text = f"{report}\n"
        case _:
            _print_sections(report.sections())
            return status
    if output is None:
        sys.stdout.write(text)
        return status
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        print(f"lazyarr doctor: {error}; the report:\n{text}", file=sys.stderr)
        return 2
    return status


def _tune(options: argparse.Namespace) -> int:
    from lazyarr.autotuning.script_tuning import tune_script

    if not options.script.is_file():
        print(f"lazyarr tune: no such script: {options.script}", file=sys.stderr)
        return 2
    measured, ending = tune_script(str(options.script), options.arguments)
    faster = [record for record in measured if record.choice]
    rows = {
        f"kernel {number}": f"{record.choice}: {record.gain:.2f} times as fast"
        for number, record in enumerate(faster, 1)
    }
    tried = {"tried": f"{len(measured)} kernels, {len(faster)} of them faster otherwise"}
    ended = {"the script ended with": ending.failure} if ending.failure else {}
    _print_table("tuning", tried | rows | ended)
    return ending.status


def _calibrate(_: argparse.Namespace) -> int:
    from lazyarr.calibration import calibrate

    _print_table("calibration", calibrate().summary())
    return 0


def _print_sections(sections: Sequence[Section]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    for section in sections:
        if section.title:
            console.print(Text(section.title, style="bold"))
        if not section.header:
            for (sentence,) in section.rows:
                console.print(Text(sentence))
        else:
            table = Table()
            for at, name in enumerate(section.header):
                right = section.right[at : at + 1] == "r"
                table.add_column(Text(name), justify="right" if right else "left", overflow="fold")
            for row in section.rows:
                table.add_row(*map(Text, row))
            console.print(table)


def _bench(options: argparse.Namespace) -> int:
    root = Path(__file__).resolve().parent.parent
    if not (root / "benchmarks" / "__main__.py").is_file():
        print(
            "lazyarr bench: the benchmarks are not part of the installed package.\n"
            '  hint: clone the repository, pip install -e ".[bench]", and run this again',
            file=sys.stderr,
        )
        return 2
    # A path and not a working folder, so that `--output` means what the shell means by it.
    paths = [str(root), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "benchmarks", *options.arguments]
    return subprocess.run(command, env=environment, check=False).returncode


def _cache(options: argparse.Namespace) -> int:
    import lazyarr as la

    disk = la.cache.info().disk
    if options.action == "clear":
        entries = disk.entries  # before they go
        la.cache.clear()
        print(f"{entries} kernels removed from {disk.directory or 'no folder'}")
        return 0
    _print_table(
        "kernel cache",
        {"folder": _folder(disk), "limit": _size(disk.limit), "settings": _cache_setting()},
    )
    return 0


def _cache_setting() -> str:
    from lazyarr.core.config import get_config

    return f"cache_dir={get_config().cache_dir!r} (LAZYARR_CACHE_DIR)"


def _positive(text: str) -> int:
    try:
        value = int(float(text))
    except (OverflowError, ValueError):
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lazyarr", description="Lazy NumPy arrays, compiled.")
    parser.add_argument("--version", action="version", version=f"lazyarr {_version('lazyarr')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    demo = commands.add_parser(
        "demo", help="two example computations: eager NumPy compared with lazyarr"
    )
    demo.add_argument(
        "--size",
        type=_positive,
        default=10_000_000,
        help="number of options to price (default: 1e7)",
    )
    demo.add_argument("--quick", action="store_true", help="use a small part of the data, one run")
    demo.add_argument(
        "--output",
        type=Path,
        default=Path("lazyarr-demo"),
        help="folder for the pages of the expression graphs",
    )
    demo.set_defaults(run=_demo)

    doctor = commands.add_parser(
        "doctor", help="run a script and report, line by line, what lazyarr did and what to change"
    )
    doctor.add_argument("--format", choices=("text", "html", "json"), default="text")
    doctor.add_argument("--output", type=Path, help="file for the report (default: the terminal)")
    doctor.add_argument("script", type=Path, help="script to run, as python runs it")
    doctor.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the script")
    doctor.set_defaults(run=_doctor)

    tune = commands.add_parser(
        "tune", help="run a script, time alternative tilings of its kernels, and keep the fastest"
    )
    tune.add_argument("script", type=Path, help="script to run, as python runs it")
    tune.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the script")
    tune.set_defaults(run=_tune)

    calibrate = commands.add_parser(
        "calibrate", help='measure the CPU, GPU and bus, so that device="auto" can predict times'
    )
    calibrate.set_defaults(run=_calibrate)

    info = commands.add_parser("info", help="show versions, processor, threads, cache and GPU")
    info.set_defaults(run=_info)

    # No prefix character, so that every argument goes to the benchmarks untouched.
    bench = commands.add_parser(
        "bench", help="run the benchmarks of a checkout", add_help=False, prefix_chars="\0"
    )
    bench.add_argument("arguments", nargs=argparse.REMAINDER)
    bench.set_defaults(run=_bench)

    cache = commands.add_parser("cache", help="show or clear the kernels stored on disk")
    cache.add_argument("action", choices=("info", "clear"))
    cache.set_defaults(run=_cache)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; by default those of this process.
    """
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except LazyarrError as error:
        print(f"lazyarr: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
