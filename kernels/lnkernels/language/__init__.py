"""What kernels are written with: device functions, clock and stamps, and how they are launched."""
