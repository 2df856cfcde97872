"""Parts that kernels are written with: device functions, clock, stamps and launches."""
