"""The one timing protocol: kernels in a CUDA graph, the autograd path, the host's share, in
interleaved rounds.

`rounds` is pure and needs no GPU; `cuda` does. Two numbers are never mixed: the kernels' own time,
and the time of `y.backward` as a user calls it.
"""
