"""LayerNorm as a model calls it.

`functional` has `layer_norm` and `LayerNorm`, `dropout` the dropout functions, `operators` what
torch.compile and tracers see. `known_calls` decides and runs a call, `replay` repeats it.
"""
