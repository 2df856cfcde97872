"""Exit statuses, which scripts rely on."""

OK = 0
NOT_WITHIN_TOLERANCE = 1  # for `doctor`: the explorer cannot be used
INVALID = 2
FAILED = 3
INTERRUPTED = 130


def of_signal(number: int) -> int:
    """As a shell says it of a command that a signal ended: 130 of Ctrl-C, 143 of SIGTERM, 129 of SIGHUP."""
    return 128 + number
