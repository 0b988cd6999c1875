"""Loops for blocks and warps: the implementation of each template of a group."""
