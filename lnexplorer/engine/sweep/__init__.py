"""Runs sweeps over one or several GPUs. No Qt; every public method may be called from any thread and waits for nothing."""
