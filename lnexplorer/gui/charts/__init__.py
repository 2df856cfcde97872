"""Charts and the small widgets around them. They know colours and values, and nothing of runs,
workers or files.
"""
