"""Compiling and running source on a GPU; its memory and streams."""
