"""`lnexplorer`, and `python -m lnexplorer`."""

# ruff: noqa: E402  (signals are understood before anything else is imported)
import os
import signal

# What comes while modules are imported is heard when the command begins, which tells it.
_pending: list[int] = []
_before = {
    number: signal.signal(number, lambda number, _: _pending.append(number))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    if signal.getsignal(number) is not signal.SIG_IGN
}

import atexit
import contextlib
import errno
import io
import logging
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

from lnexplorer.cli import interrupts, terminal
from lnexplorer.cli.commands import (
    FAILED,
    INTERRUPTED,
    SCHEMA_VERSION,
    SIGNALLED,
    failed,
    run_command,
    stopped,
)

interrupts.pending = _pending
if __name__ != "__main__":  # who imports this has handlers of its own
    if _pending:
        os._exit(128 + _pending[0])
    for _number, _handler in _before.items():
        signal.signal(_number, _handler)
LAST_STANDARD_STREAM = 2  # stderr
# What writing to a full disk, or to a reader that left, fails with.
OUTPUT_ERRORS = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status.

    Args:
        arguments: what follows the program's name; those of this process when None.
    """
    _fill_closed_streams()
    if arguments is None:
        _report_what_nobody_catches()
    undo = interrupts.heed_once()
    try:
        result = _run(list(sys.argv[1:] if arguments is None else arguments))
        ended_by = interrupts.asked_to_end()
        status = SIGNALLED + ended_by if ended_by and result == INTERRUPTED else result
        if arguments is None and result == INTERRUPTED:
            _leave(status)
        return status
    finally:
        if arguments is None:
            interrupts.ignore_at_exit()
            _forget_unwritable_stderr()
        else:  # who calls this goes on
            undo()


def _run(arguments: list[str]) -> int:
    try:
        result = run_command(arguments)
        sys.stdout.flush()
    except (
        Exception,
        KeyboardInterrupt,
    ) as error:
        # Python 3.11 makes another exception of one that comes while a class is made.
        if isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt):
            with interrupts.ignored():
                _say("\nlnexplorer: interrupted")
                _print_no_result(arguments, stopped().error)
            return INTERRUPTED
        if isinstance(error, ImportError) and not (error.name or "").startswith(
            ("lnexplorer", "lnkernels")
        ):
            _say(
                f"lnexplorer: {error}. `lnexplorer doctor` says what is missing and how to"
                " install it."
            )
        elif isinstance(error, OSError) and error.errno in OUTPUT_ERRORS:
            if error.errno != errno.EPIPE:  # who has read enough need not be told
                _say(f"lnexplorer: the output cannot be written ({error.strerror or error})")
            interrupts.lead_nowhere(
                sys.stdout.fileno()
            )  # else the interpreter flushes, and fails, once more at its end
            # Whoever was to read it may have gone together with the terminal.
            return INTERRUPTED if interrupts.asked_to_end() else FAILED
        else:
            _print_no_result(arguments, failed("program", _say_unexpected(error)).error)
        return FAILED
    return result


def _fill_closed_streams() -> None:
    """Let a stream that the caller closed lead nowhere: its number must not become that of a file
    or of a pipe to a worker.
    """
    while (nowhere := os.open(os.devnull, os.O_RDWR)) <= LAST_STANDARD_STREAM:
        pass
    os.close(nowhere)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115  (open as long as the process)
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that is no Unicode, or a terminal that knows few characters, costs a character, not
        # the output.
        sys.stdout.reconfigure(errors="backslashreplace")


def _say(sentence: str) -> None:
    """To stderr, or to nobody where that cannot be written: the exit status still tells."""
    with contextlib.suppress(OSError):
        terminal.show(sentence, sys.stderr)


def _print_no_result(arguments: list[str], error: dict[str, Any]) -> None:
    """Where a document was wanted on stdout and none is there, one that says that there is no
    result.
    """
    if terminal.wants_json(arguments) and not terminal.printed:
        with contextlib.suppress(OSError):
            terminal.print_json({"schema_version": SCHEMA_VERSION, "error": error})


def _report_what_nobody_catches() -> None:
    """What is raised in a slot of Qt or on a thread ends nothing: it is told like all else, once
    for each place.
    """
    told: set[str] = set()

    def tell(error: BaseException | None) -> None:
        place = (
            f"{type(error)} {traceback.extract_tb(error.__traceback__)[-1:]}"
            if isinstance(error, Exception)
            else ""
        )
        if isinstance(error, Exception) and place not in told:
            told.add(place)
            _say_unexpected(error)

    class Log(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info:
                tell(record.exc_info[1])
            else:
                _say(f"lnexplorer: {record.getMessage()}")

    sys.excepthook = lambda _kind, error, _trace: tell(error)
    threading.excepthook = lambda given: tell(given.exc_value)
    sys.unraisablehook = lambda given: tell(given.exc_value)
    logging.lastResort = Log(logging.WARNING)
    warnings.showwarning = lambda message, *_place: _say(f"lnexplorer: {message}")


def _say_unexpected(error: BaseException) -> str:
    """Say in one sentence what nobody expected, and where the report is; the cause."""
    cause = f"{type(error).__name__}: {error}"
    where = "no report could be written"
    with contextlib.suppress(OSError):
        handle, name = tempfile.mkstemp(prefix="lnexplorer-", suffix=".txt")
        with os.fdopen(handle, "w", errors="backslashreplace") as report:
            report.write(
                f"lnexplorer {' '.join(sys.argv[1:])}\n{''.join(traceback.format_exception(error))}"
            )
        where = f"the report is in {name}"
    _say(f"lnexplorer: something unexpected went wrong ({cause}); {where}")
    return cause


def _leave(status: int) -> None:
    """End with this status.

    Python would end by SIGINT where KeyboardInterrupt has passed through a text that is executed,
    as dataclasses make them, however it was handled.
    """
    interrupts.ignore_at_exit()
    _forget_unwritable_stderr()
    atexit._run_exitfuncs()
    os._exit(status)


def _forget_unwritable_stderr() -> None:
    """Keep the interpreter from trying once more, when it ends, what stderr has not taken: its
    status would be 120.
    """
    try:
        sys.stderr.flush()
    except OSError:
        interrupts.lead_nowhere(LAST_STANDARD_STREAM)


if __name__ == "__main__":
    sys.exit(main())
