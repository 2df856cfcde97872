"""Plain values and pure functions: what is asked, what came out, and the reduction's timeline.

No Qt, torch, triton, or files.
"""
