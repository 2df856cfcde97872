"""A desktop explorer of Triton's LayerNorm kernels."""

__version__ = "0.1.0"
