"""Exit statuses, which scripts rely on."""

OK = 0
NOT_WITHIN_TOLERANCE = 1  # for `doctor`: the explorer cannot be used
INVALID = 2
FAILED = 3
INTERRUPTED = 130  # as a shell says it of Ctrl-C
