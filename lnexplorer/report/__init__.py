"""What leaves the program: tables, scripts, notebooks, reports. Plain functions from runs to text,
bytes or files.
"""
