"""Printing the loop IR as LLVM IR, Python or CUDA C++. Nothing is decided here."""
