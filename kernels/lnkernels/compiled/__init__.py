"""Compile the kernels for any NVIDIA architecture, with or without a GPU, and read the result.

`facts.facts_in_own_process` does it for callers that may not import triton, or have it bound to its
interpreter. `process_pool.CompilerPool` has a few processes compile what will be launched on this
machine's GPU, so that Triton's cache answers.
"""
