"""Reduction pane: pictures, controls, and the comparison of a trace with a fitted model."""
