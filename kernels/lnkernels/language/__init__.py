"""Device functions that kernels are written with: reductions, locks, clock and stamps."""
