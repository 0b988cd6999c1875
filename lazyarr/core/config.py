"""Settings: a frozen value, taken from the environment, then set_config, then ``with config``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from operator import index
from typing import Any, TypeAlias, TypedDict, Unpack

from lazyarr.core.frozen import dataclass, replace
from lazyarr.errors import ConfigError

__all__ = [
    "AUTO",
    "CHECK",
    "CPU",
    "CUDA",
    "DEVICES",
    "MIXED",
    "NAN",
    "Config",
    "Settings",
    "config",
    "device_kind",
    "device_name",
    "get_config",
    "gpu_number",
    "is_gpu",
    "is_host",
    "set_config",
    "switch",
]

#: The names of devices, in settings and as users read them.
CPU = "cpu"
CUDA = "cuda"
DEVICES = (CPU, CUDA)
#: The name of a GPU by its number; that of the first is "cuda", too.
_NUMBERED_GPU = re.compile(r"cuda:(0|[1-9]\d{0,2})")
#: Of a plan whose parts run on either.
MIXED = f"{CPU} and {CUDA}"
#: The setting of `device` that leaves the choice to lazyarr.
AUTO = "auto"
#: The setting of `debug` that checks results.
NAN = "nan"

_CHOICES = {
    "backend": ("llvm", "numba"),
    "numerics": ("strict", "fast"),
    "implicit": ("allow", "warn", "raise"),
    "cuda_compiler": ("nvrtc", "nvcc"),
}
_BYTES = ("max_memory", "memory_limit")
#: More threads than any machine has processors.
MAX_THREADS = 1 << 16
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    "KIB": 1 << 10,
    "MIB": 1 << 20,
    "GIB": 1 << 30,
    "TIB": 1 << 40,
}


def _bytes(name: str, value: object) -> int:
    """Return a number of bytes given as one, or as text such as "2GiB"."""
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([A-Za-z]*)\s*", value)
        if match is not None and match[2].upper() in _UNITS:
            number = float(match[1]) if "." in match[1] else int(match[1])
            return int(number * _UNITS[match[2].upper()])
        raise ConfigError(f'{name} must be bytes, or text such as "2GiB", got {value!r}')
    return _count(name, value)


def _count(name: str, value: object) -> int:
    """Return a setting that is a non-negative integer, of Python or of NumPy."""
    try:
        number = -1 if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if number < 0:
        raise ConfigError(f"{name} must be a non-negative integer, got {value!r}")
    return number


def device_name(device: object) -> str | None:
    """Return the name of a device as it stands in settings; None if there is no such name.

    Examples
    --------
    >>> device_name("cuda:1"), device_name("cuda:0"), device_name("gpu")
    ('cuda:1', 'cuda', None)
    """
    if not isinstance(device, str):
        return None
    if device in DEVICES:
        return device
    numbered = _NUMBERED_GPU.fullmatch(device)
    if numbered is None:
        return None
    return device if int(numbered[1]) else CUDA


@cache
def is_gpu(device: str) -> bool:
    """Return whether the name of a device is that of a GPU."""
    return device.startswith(CUDA)


def is_host(device: object) -> bool:
    """Return whether a device, which may be any object, is the host by its name."""
    return device == CPU


@cache
def device_kind(device: str) -> str:
    """Return the name of a device without its number: all GPUs are of one kind."""
    return device.partition(":")[0]


@cache
def gpu_number(device: str) -> int:
    """Return the number of a GPU, from 0, by its name."""
    return int(device.partition(":")[2] or 0)


class Settings(TypedDict, total=False):
    """The settings as keywords, for type checkers: those of :class:`Config`, which says it all."""

    device: str
    backend: str
    threads: int
    numerics: str
    implicit: str
    cache_dir: str
    max_memory: int | str
    memory_limit: int | str
    cuda_compiler: str
    immediate: int
    debug: int | str
    hints: bool
    tune: bool
    tiers: bool
    optimize: bool


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of an evaluation.

    Every field can be set by an environment variable ``LAZYARR_`` + its name in capitals, by
    :func:`set_config`, and by ``with config(...)``; the later in this list wins.

    Attributes
    ----------
    device : {"auto", "cpu", "cuda", "cuda:1", ...}
        Where expressions run; "cuda" is the first GPU, also known as "cuda:0". "auto": on the GPU
        that holds an array of theirs; else, on a machine that was calibrated, each part where it
        is predicted to be faster, copies counted; else on the CPU.
    backend : {"llvm", "numba"}
        What compiles CPU kernels: LLVM alone, in milliseconds, or Numba.
    threads : int
        CPU threads of one evaluation; 0 means all that affinity and cgroup limits allow.
    numerics : {"strict", "fast"}
        "strict" applies only rewrites that are exact for every input. "fast" also allows
        algebraic rewrites and contraction that may change the last bits.
    implicit : {"allow", "warn", "raise"}
        What ``float(x)``, ``if x``, ``np.asarray(x)`` and iteration do.
    cache_dir : str
        Folder of compiled kernels; "" is the user's cache folder, "off" keeps nothing on disk.
    max_memory : int or str
        Bytes that the buffers of one evaluation may need, such as "2GiB"; 0 means what the system
        has left. What needs more is computed tile by tile.
    memory_limit : int or str
        Bytes that lazyarr may hold of a GPU's memory, idle ones included; 0 means no limit.
    cuda_compiler : {"nvrtc", "nvcc"}
        What compiles CUDA kernels: NVRTC in this process, or NVIDIA's compiler driver.
    immediate : int
        Elements up to which an operation on values in memory runs at once in NumPy; cheap ones,
        such as additions, on eight times as many; 0: none does.
    debug : int or "nan"
        0 is silent, 1 prints each plan, 2 each kernel's source too. "nan" checks all results, and
        raises an error that names the first operation that gave a NaN or an infinity.
    hints : bool
        Whether a function given to ``jit`` warns that one line has it traced again and again, and
        an expression that one line builds and evaluates hundreds of times that ``jit`` would gain
        more than twofold.
    tune : bool
        Whether kernels for the processor that take long, all runs together, are cut in other ways
        in the background, and the fastest way is kept on disk. Results stay the same to the bit.
    tiers : bool
        Whether a plan whose kernels for the processor take long to compile begins with code that
        is compiled quickly, until the optimised code is ready, which is compiled in the
        background. Results are the same to the bit.
    optimize : bool
        Whether kernels for the processor are optimised. If not, those whose results do not depend
        on it, to the bit, stay as they are compiled quickly, and none is tuned: for the tests of
        a program, which compile much and compute little. Kernels in which a sum may be reordered
        are optimised all the same.
    """

    device: str = AUTO
    backend: str = "llvm"
    threads: int = 0
    numerics: str = "strict"
    implicit: str = "allow"
    cache_dir: str = ""
    max_memory: int = 0
    memory_limit: int = 0
    cuda_compiler: str = "nvrtc"
    immediate: int = 4096
    debug: int | str = 0
    hints: bool = True
    tune: bool = True
    tiers: bool = True
    optimize: bool = True

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in allowed:
                raise ConfigError(f"{name} must be one of {allowed}, got {value!r}")
        is_auto = isinstance(self.device, str) and self.device == AUTO
        device = AUTO if is_auto else device_name(self.device)
        if device is None:
            names = ", ".join(map(repr, (AUTO, *DEVICES, f"{CUDA}:1")))
            raise ConfigError(f"device must be one of {names}, ..., got {self.device!r}")
        object.__setattr__(self, "device", device)
        for name in _BYTES:
            object.__setattr__(self, name, _bytes(name, getattr(self, name)))
        for name in ("threads", "immediate", "debug"):
            value = getattr(self, name)
            if name == "debug" and value == NAN:
                continue
            object.__setattr__(self, name, _count(name, value))
        for name in ("hints", "tune", "tiers", "optimize"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if self.threads > MAX_THREADS:
            raise ConfigError(f"threads must be at most {MAX_THREADS:,}, got {self.threads}")
        _check_folder(self.cache_dir)


def _check_folder(cache_dir: object) -> None:
    if not isinstance(cache_dir, str):
        raise ConfigError(f"cache_dir must be a string, got {cache_dir!r}")
    if "\0" in cache_dir:
        raise ConfigError(f"cache_dir must be the name of a folder, got {cache_dir!r}")
    if cache_dir.startswith("~"):
        from pathlib import Path  # few programs need it to begin with

        try:
            Path(cache_dir).expanduser()
        except RuntimeError:
            raise ConfigError(
                f"cache_dir names the home folder of an unknown user: {cache_dir!r}"
            ) from None


def switch(variable: str, default: bool) -> bool:
    """Return whether an environment variable is on.

    Parameters
    ----------
    variable : str
        Its name.
    default : bool
        The answer where it is not set.

    Raises
    ------
    ConfigError
        If it is neither 0 nor 1.
    """
    text = os.environ.get(variable)
    if text not in (None, "0", "1"):
        raise ConfigError(f"{variable} must be 0 or 1, got {text!r}")
    return default if text is None else text == "1"


def _from_environment() -> Config:
    values: dict[str, Any] = {}
    default = Config()
    for name in Config.__match_args__:
        variable = f"LAZYARR_{name.upper()}"
        text = os.environ.get(variable)
        if text is None:
            continue
        if name in _BYTES:
            values[name] = text
        elif isinstance(getattr(default, name), bool):
            values[name] = switch(variable, False)
        elif isinstance(getattr(default, name), int) and (name, text) != ("debug", NAN):
            try:
                values[name] = int(text)
            except ValueError:
                raise ConfigError(f"{variable} must be an integer, got {text!r}") from None
        else:
            values[name] = text
    return Config(**values)


#: Whether each stage of the compiler checks the one before it.
CHECK = switch("LAZYARR_CHECK", default=False)

#: The settings of the whole process, and what is not empty once a ``with config`` block was
#: entered: both are asked for at each operation on small arrays, also by compiled code.
BASE: list[Config] = [_from_environment()]
OVERRIDDEN: list[bool] = []
#: Of a ``with config`` block: its changes and those around it, the base, and what they come to.
_Override: TypeAlias = tuple[tuple[tuple[str, Any], ...], Config, Config]
OVERRIDE: ContextVar[_Override | None] = ContextVar("lazyarr_config", default=None)
_resolved: dict[tuple[object, ...], Config] = {}


def _key(changes: tuple[tuple[str, Any], ...]) -> tuple[object, ...]:
    """Return the key of settings; True and 1 are equal, and not both of them may be allowed."""
    return BASE[0], changes, tuple([type(value) for _, value in changes])


def _updated(base: Config, changes: Mapping[str, Any]) -> Config:
    known = Config.__match_args__
    for name in changes:
        if name not in known:
            raise ConfigError(
                f"unknown setting {name!r}; the settings are {', '.join(sorted(known))}"
            )
    return replace(base, **changes)


def get_config() -> Config:
    """Return the settings in force here.

    Examples
    --------
    >>> with config(threads=1):
    ...     get_config().threads
    1
    """
    override = OVERRIDE.get()
    if override is None:
        return BASE[0]
    changes, base, settings = override
    return settings if base is BASE[0] else _resolve(changes)


def _resolve(changes: tuple[tuple[str, Any], ...]) -> Config:
    """Return the base with changes: one object for each, since plans are kept by identity."""
    key = _key(changes)
    settings = _resolved.get(key)
    if settings is None:
        if len(_resolved) > 256:
            _resolved.clear()
        settings = _resolved[key] = _updated(BASE[0], dict(changes))
    return settings


def _is_known(changes: tuple[tuple[str, Any], ...]) -> bool:
    """Return whether the base was changed so before."""
    try:
        return _key(changes) in _resolved
    except TypeError:  # a value that is not hashable
        return False


def set_config(**changes: Unpack[Settings]) -> Config:
    """Change settings for the whole process and return them.

    Raises
    ------
    ConfigError
        If a name or a value is not known; nothing is changed then.
    """
    BASE[0] = _updated(BASE[0], changes)
    return BASE[0]


@contextmanager
def config(**changes: Unpack[Settings]) -> Iterator[Config]:
    """Change settings inside a ``with`` block, in this thread or task only.

    Raises
    ------
    ConfigError
        If a name or a value is not known.

    Examples
    --------
    >>> with config(numerics="fast") as settings:
    ...     settings.numerics
    'fast'
    """
    around = OVERRIDE.get()
    everything = (*(() if around is None else around[0]), *changes.items())
    if not _is_known(everything):
        # Checked before anything is set: an unhashable value has no settings to be kept with.
        _updated(get_config(), changes)
    if not OVERRIDDEN:
        OVERRIDDEN.append(True)
    token = OVERRIDE.set((everything, BASE[0], _resolve(everything)))
    try:
        yield get_config()
    finally:
        OVERRIDE.reset(token)
