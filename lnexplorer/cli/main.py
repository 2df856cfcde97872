"""Runs the command line: reports what fails, and ends with an exit status."""

import atexit
import contextlib
import errno
import io
import logging
import os
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
    SIGNALLED,
    failed,
    run_command,
    stopped,
)

LAST_STANDARD_STREAM = 2  # stderr
# Errors of writing to a full disk, or to a reader that left.
OUTPUT_ERRORS = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

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
        else:
            undo()


def _run(arguments: list[str]) -> int:
    try:
        result = run_command(arguments)
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - raised again below
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
            if error.errno != errno.EPIPE:  # a reader that left needs no message
                _say(f"lnexplorer: the output cannot be written ({error.strerror or error})")
            # Else the interpreter flushes, and fails, once more at its end.
            interrupts.discard_output(sys.stdout.fileno())
            # The reader may have gone together with the terminal.
            return INTERRUPTED if interrupts.asked_to_end() else FAILED
        else:
            _print_no_result(arguments, failed("program", _say_unexpected(error)).error)
        return FAILED
    return result


def _fill_closed_streams() -> None:
    """Replace standard streams that the caller closed: their numbers must not become those of a
    file or of a pipe to a worker.
    """
    while (nowhere := os.open(os.devnull, os.O_RDWR)) <= LAST_STANDARD_STREAM:
        pass
    os.close(nowhere)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115  (open as long as the process)
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # For names that are no Unicode, and terminals with few characters.
        sys.stdout.reconfigure(errors="backslashreplace")


def _say(sentence: str) -> None:
    """Write to stderr; where that fails, the exit status has to do."""
    with contextlib.suppress(OSError):
        terminal.show(sentence, sys.stderr)


def _print_no_result(arguments: list[str], error: dict[str, Any]) -> None:
    """Print an error as JSON, where a document was wanted on stdout and none was printed."""
    if terminal.wants_json(arguments) and not terminal.printed:
        with contextlib.suppress(OSError):
            terminal.print_json({"error": error})


def _report_what_nobody_catches() -> None:
    """Report what is raised in a slot of Qt or on a thread, which ends nothing, once a place."""
    reported: set[str] = set()

    def report(error: BaseException | None) -> None:
        if isinstance(error, Exception):
            place = f"{type(error)} {traceback.extract_tb(error.__traceback__)[-1:]}"
            if place not in reported:
                reported.add(place)
                _say_unexpected(error)

    class Log(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info:
                report(record.exc_info[1])
            else:
                _say(f"lnexplorer: {record.getMessage()}")

    sys.excepthook = lambda _kind, error, _trace: report(error)
    threading.excepthook = lambda given: report(given.exc_value)
    sys.unraisablehook = lambda given: report(given.exc_value)
    logging.lastResort = Log(logging.WARNING)
    warnings.showwarning = lambda message, *_place: _say(f"lnexplorer: {message}")


def _say_unexpected(error: BaseException) -> str:
    """Report an unexpected error in one sentence and in a file; return its cause."""
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
    """End with this status, without waiting for threads.

    Python would end by SIGINT where KeyboardInterrupt has passed through `exec`, as in dataclasses,
    however it was handled.
    """
    interrupts.ignore_at_exit()
    _forget_unwritable_stderr()
    atexit._run_exitfuncs()
    os._exit(status)


def _forget_unwritable_stderr() -> None:
    """Keep the interpreter from flushing stderr again at its end: its status would be 120."""
    try:
        sys.stderr.flush()
    except OSError:
        interrupts.discard_output(LAST_STANDARD_STREAM)
