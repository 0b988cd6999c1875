"""Whether there is a GPU, as the system's files tell, without opening it."""

from __future__ import annotations

import os
import sys

__all__ = ["forget", "gpu_in_sight", "known_gpu", "see"]

_DRIVER = "/proc/driver/nvidia"
_FILES = "/dev"
#: What :func:`gpu_in_sight` has returned, once it was asked.
_in_sight: list[str] = []


def gpu_in_sight() -> str:
    """Return a text that differs between GPUs and drivers, without opening one; empty without one.

    Neither the driver is loaded nor a context made, so that the process can still be forked.
    """
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    try:
        files = sorted(filter(_is_gpu, [entry.name for entry in os.scandir(_FILES)]))
    except OSError:
        files = []
    if not files or visible in ("", "-1"):
        return ""
    import importlib.util
    from pathlib import Path

    if importlib.util.find_spec("pycuda") is None:
        return ""
    texts = [*files, visible or ""]
    driver = Path(_DRIVER)
    for path in (driver / "version", *sorted(driver.glob("gpus/*/information"))):
        try:
            texts.append(path.read_text())
        except OSError:
            continue  # a container may show the GPU, and not this
    return "\n".join(texts)


def _is_gpu(name: str) -> bool:
    """Return whether a file of that name stands for a GPU; the other one under Windows."""
    return (name.startswith("nvidia") and name[6:7].isdigit()) or name == "dxg"


def known_gpu() -> str:
    """Return :func:`gpu_in_sight`, cached for the process."""
    if not _in_sight:
        _in_sight.append(gpu_in_sight())
    return _in_sight[0]


def see(identity: str) -> None:
    """Note that this process has opened a GPU, where nothing else shows that there is one.

    Parameters
    ----------
    identity : str
        Its name and the driver's version.
    """
    if not known_gpu():
        _in_sight[:] = [identity]


def forget() -> None:
    """Drop the answer, so that the next question looks again."""
    _in_sight.clear()


def _in_child() -> None:
    """Do without the GPU in the child of a process that has opened it: CUDA cannot be used."""
    if "lazyarr.runtime.cuda.driver" in sys.modules:
        _in_sight[:] = [""]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
