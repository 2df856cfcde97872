"""LayerNorm as a caller meets it: `layer_norm`, `LayerNorm`, operators for torch.compile, and
replayed launches.
"""
