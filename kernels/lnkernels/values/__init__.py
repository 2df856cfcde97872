"""The values that kernels, worker, window and files share: what was measured, and where.

Standard library and numpy only.
"""
