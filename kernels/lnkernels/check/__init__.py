"""Correctness: inputs, the float64 truth, tolerances, and verdicts on a provider's results."""
