"""The CUDA C++ beside these modules: sections of files, with sizes and types put in."""

from __future__ import annotations

from lazyarr.core.text_files import filled_in, sections

__all__ = ["kernel_text"]


def kernel_text(file: str, section: str, **values: object) -> str:
    """Return a section of a file of this package.

    Parameters
    ----------
    file : str
        Its name, such as ``copies.cuh``.
    section : str
        The section's name.
    **values
        What the names in it stand for.
    """
    texts = sections("lazyarr.runtime.cuda.libraries.kernels", file)
    return filled_in(texts[section], values) + "\n"
