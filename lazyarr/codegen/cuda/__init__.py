"""Loops for blocks and warps: how each template of a group is computed there."""
