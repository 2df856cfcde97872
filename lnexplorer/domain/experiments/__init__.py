"""Experiments, a file each: what they ask, find, say and draw."""
