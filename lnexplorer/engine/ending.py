"""Why a worker ended, as a plain value and as one sentence."""

import re
import signal
from enum import Enum

from lnexplorer.engine.process import Exit
from lnkernels.values import Sentence, frozen, say, verbatim

PHASES = {
    "start": say("while starting"),
    "idle": say("while waiting for work"),
    "compile": say("while compiling"),
    "run": say("while running"),
}


class Cause(Enum):
    SLOW = "slow"  # or silent
    STREAM = "stream"  # it closed its pipe, or sends what cannot be read
    STUBBORN = "stubborn"
    LINE = "line"  # to another machine, which dropped
    DEVICE_LOST = "device lost"
    UNUSABLE = "unusable"
    REPLACED = "replaced"


@frozen
class EndReason:
    cause: Cause
    sentence: Sentence


def describe(exit_: Exit | None, phase: str) -> Sentence:
    """Describe the end of a worker in one sentence.

    Args:
        exit_: how the process ended; None when it has not ended yet.
        phase: a key of PHASES.
    """
    when = PHASES[phase]
    if exit_ is None:
        return say("The worker was lost {when}.", when=when)
    status = exit_.status
    name = _name(-status)
    match str(name):
        case "SIGKILL":
            return say(
                "The worker was killed (SIGKILL), perhaps because memory ran out, {when}.",
                when=when,
            )
        case "SIGSEGV" | "SIGBUS" | "SIGFPE" | "SIGILL" | "SIGABRT":
            return say("The worker crashed ({signal}) {when}.", signal=name, when=when)
        case _ if status < 0:
            return say("The worker was ended by {signal} {when}.", signal=name, when=when)
    error = _last_error_line(exit_.output)
    if not error:
        return say("The worker ended with exit status {status} {when}.", status=status, when=when)
    return say(
        "The worker ended with exit status {status} {when}: {error}",
        status=status,
        when=when,
        error=error,
    )


def _name(number: int) -> Sentence:
    if number in set(signal.Signals):
        return verbatim(signal.Signals(number).name)
    return say("signal {number}", number=number)


def _last_error_line(text: str) -> str:
    """Return the last line of a traceback that names an error; empty where there is none."""
    errors = re.findall(r"^\s*([\w.]+(?:Error|Exception|Interrupt|Exit)\b.*)", text, re.MULTILINE)
    return errors[-1].strip() if errors else ""
