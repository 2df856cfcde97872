"""Traced passes: the memory that kernels write, its timeline, and the cost of tracing."""
