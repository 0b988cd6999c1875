"""Loops over arrays: the user's functions, traced once, as nodes."""

from __future__ import annotations

from lazyarr.control_flow.loops import fori_loop, while_loop

__all__ = ["fori_loop", "while_loop"]
