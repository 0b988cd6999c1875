"""Sorting and searching, by kernels of our own."""

from __future__ import annotations

__all__: list[str] = []
