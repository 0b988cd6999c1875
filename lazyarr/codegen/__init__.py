"""From groups of nodes to kernels (the loop IR), and from kernels to source text."""
