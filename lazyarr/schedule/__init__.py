"""Graph to plan: stored values, groups of kernels, their order and memory."""
