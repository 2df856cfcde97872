"""Kernels and their launchers.

The backward pass of a strategy is in the file of its name, its second stage in `partial_sums`; the
forward pass is in `forward`, `forward_blocks` and `forward_tiles`. `registry` runs a pass of any
strategy.
"""
