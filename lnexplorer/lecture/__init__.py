"""Lecture mode: a storyboard in large type on the projector, with notes and the time on the
speaker's screen.
"""
