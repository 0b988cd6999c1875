"""Kernels that prove hot are cut otherwise in the background, and the fastest cut is kept."""
