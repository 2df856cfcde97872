"""Widgets, theme and translation; knows nothing of the program."""
