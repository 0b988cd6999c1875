"""Graph to plan: what is stored, what shares a kernel, in which order and memory."""
