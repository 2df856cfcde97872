"""Compile the kernels for any NVIDIA architecture, with or without a GPU, and read what the
compiler made of them.

`facts.facts_in_own_process` says so from where triton may not be imported, or is already bound to
its interpreter. `process_pool.CompilerPool` has a few processes compile what will be launched on the GPU that is
here, so that Triton's cache answers.
"""
