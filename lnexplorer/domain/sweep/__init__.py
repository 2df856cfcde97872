"""Sweeps: many settings measured one after another, what came of each, and what can be read off
them.
"""
