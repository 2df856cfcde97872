"""The job that measures: several candidates, checked, compiled ahead, and timed in turns."""
