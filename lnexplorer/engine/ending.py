"""The end of a worker process as a plain value, and as one sentence."""

import re
import signal
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

PHASE_WORDS = {
    "start": "while starting",
    "idle": "while waiting for work",
    "compile": "while compiling",
    "run": "while running",
}
SIGNAL_WORDS = {
    signal.SIGSEGV: "crashed with a segmentation fault (SIGSEGV)",
    signal.SIGBUS: "crashed with a bus error (SIGBUS)",
    signal.SIGFPE: "crashed with an arithmetic error (SIGFPE)",
    signal.SIGILL: "crashed with an illegal instruction (SIGILL)",
    signal.SIGABRT: "aborted (SIGABRT)",
    signal.SIGTERM: "was asked to end (SIGTERM)",
    signal.SIGKILL: "was killed (SIGKILL), perhaps because memory ran out,",
}


class Cause(Enum):
    """Why the supervisor ended a worker."""

    SILENT = "silent"
    SLOW = "slow"
    UNREADABLE = "unreadable"
    CLOSED = "closed"
    STUBBORN = "stubborn"
    DEVICE_LOST = "device lost"
    UNUSABLE = "unusable"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A cause with what belongs to it: the seconds that were too many, or the words of the worker."""

    cause: Cause
    seconds: float = 0.0
    words: str = ""


@dataclass(frozen=True, slots=True)
class Exit:
    """What was left when a process had ended."""

    status: int  # negative: the signal that ended it
    stream_error: str | None  # what was wrong with its last message
    stdout: str  # the tails of what it printed
    stderr: str

    @property
    def detail(self) -> str:
        """What it printed, for those who want to know more."""
        printed = {"stderr": self.stderr.strip(), "stdout": self.stdout.strip()}
        return "\n\n".join(f"{name} of the worker ended with:\n{text}" for name, text in printed.items() if text)


def describe(exit_: Exit | None, verdict: Verdict | None, phase: str) -> str:
    """One sentence about the end of a worker in a phase.

    Args:
        exit_: how the process ended; None when it has not ended yet.
        verdict: why the supervisor ended it; None when it ended by itself.
        phase: a key of PHASE_WORDS.
    """
    if verdict is not None:
        return _judged(verdict, phase)
    if exit_ is None:
        return f"The worker was lost {PHASE_WORDS[phase]}."
    if exit_.status < 0:
        return f"The worker {_signal_words(-exit_.status)} {PHASE_WORDS[phase]}."
    if exit_.stream_error is not None:
        return _judged(Verdict(Cause.UNREADABLE, words=exit_.stream_error), phase)
    last_line = _last_error_line(exit_.stderr)
    because = f": {last_line}" if last_line else "."
    return f"The worker ended with exit status {exit_.status} {PHASE_WORDS[phase]}{because}"


def _judged(verdict: Verdict, phase: str) -> str:
    when, seconds = PHASE_WORDS[phase], f"{verdict.seconds:g} s"
    match verdict.cause:
        case Cause.SILENT:
            sentence = f"The worker did not answer for {seconds} {when}, and was ended."
        case Cause.SLOW:
            sentence = f"The worker took longer than {seconds} {_SLOW_AT[phase]}, and was ended."
        case Cause.UNREADABLE:
            sentence = f"The worker sent a message that cannot be read {when}: {verdict.words}."
        case Cause.CLOSED:
            sentence = f"The worker closed its connection {when}."
        case Cause.STUBBORN:
            sentence = f"The worker did not stop within {seconds}, and was ended."
        case Cause.REPLACED:
            sentence = "The worker was replaced by one for another device."
        case Cause.DEVICE_LOST | Cause.UNUSABLE:
            sentence = verdict.words
        case _:
            assert_never(verdict.cause)
    return sentence


def _signal_words(number: int) -> str:
    try:
        known = signal.Signals(number)
    except ValueError:
        return f"was ended by signal {number}"
    return SIGNAL_WORDS.get(known, f"was ended by {known.name}")


def _last_error_line(text: str) -> str:
    """The last line of a traceback that names an error; empty where there is none."""
    lines = [line.strip() for line in text.splitlines()]
    return next((line for line in reversed(lines) if re.match(r"[\w.]+(Error|Exception|Interrupt|Exit)\b", line)), "")


_SLOW_AT = {
    "start": "to start",
    "idle": "to wait for work",
    "compile": "to compile",
    "run": "for one step of the run",
}
