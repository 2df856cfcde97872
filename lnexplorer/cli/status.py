"""Exit statuses, which scripts rely on."""

OK = 0
NOT_WITHIN_TOLERANCE = 1  # for `doctor`: the explorer cannot be used
INVALID = 2
FAILED = 3
# As a shell says it of Ctrl-C, and of SIGTERM.
INTERRUPTED = 130
TERMINATED = 143
