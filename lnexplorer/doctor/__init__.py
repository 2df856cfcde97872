"""Checks of this machine: what is installed, what is missing, and how to install it.

Standard library only, so that it works where Qt or torch do not.
"""
