"""Device placement of plans, from predicted times on the processor and on a GPU."""
