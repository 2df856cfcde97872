"""Traces: what the stamps of a traced launch become."""
