"""Kernels and their launchers: the forward pass, one file for each backward strategy, and the
random mask.
"""
