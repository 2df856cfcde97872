"""Experiments with one click: what each asks, what it finds, and the sentence that says what is
seen.
"""
