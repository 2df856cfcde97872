"""Experiments in the worker: each is one job of several steps."""
