"""Discrete-event model of the reduction's schedule, which gives the same kind of timeline as a
trace.
"""
