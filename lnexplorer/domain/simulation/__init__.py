"""A model of the reduction's schedule: a discrete-event simulation that gives the same kind of
timeline as a trace.
"""
