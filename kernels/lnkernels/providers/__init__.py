"""Implementations of LayerNorm that can be checked and timed side by side.

A provider is found through the entry-point group `lnkernels.providers`; see `protocol` for what one
has to offer.
"""
