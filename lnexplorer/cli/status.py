"""Exit statuses, which scripts rely on."""

OK = 0
NOT_WITHIN_TOLERANCE = 1  # for `doctor`: the explorer cannot be used
INVALID = 2
FAILED = 3
# As a shell says it of a command that a signal ended: 130 of Ctrl-C, 143 of SIGTERM, 129 of SIGHUP.
SIGNALLED = 128
INTERRUPTED = SIGNALLED + 2
