"""The end of a worker process as a plain value, and as one sentence."""

import re
import signal
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from lnkernels.sentence import Sentence, say, verbatim

PHASES = {
    "start": say("while starting"),
    "idle": say("while waiting for work"),
    "compile": say("while compiling"),
    "run": say("while running"),
}


NOTHING = verbatim("")


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
    words: Sentence = NOTHING


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


def describe(exit_: Exit | None, verdict: Verdict | None, phase: str) -> Sentence:
    """One sentence about the end of a worker in a phase.

    Args:
        exit_: how the process ended; None when it has not ended yet.
        verdict: why the supervisor ended it; None when it ended by itself.
        phase: a key of PHASES.
    """
    when = PHASES[phase]
    if verdict is not None:
        return _of_verdict(verdict, phase)
    if exit_ is None:
        return say("The worker was lost {when}.", when=when)
    if exit_.status < 0:
        return _of_signal(-exit_.status, when)
    if exit_.stream_error is not None:
        return _of_verdict(Verdict(Cause.UNREADABLE, words=verbatim(exit_.stream_error)), phase)
    last_line = _last_error_line(exit_.stderr)
    if last_line:
        return say("The worker ended with exit status {status} {when}: {error}", status=exit_.status, when=when, error=last_line)
    return say("The worker ended with exit status {status} {when}.", status=exit_.status, when=when)


def _of_verdict(verdict: Verdict, phase: str) -> Sentence:  # noqa: PLR0911 - a sentence each
    when, seconds = PHASES[phase], f"{verdict.seconds:g} s"
    match verdict.cause:
        case Cause.SILENT:
            return say("The worker did not answer for {seconds} {when}, and was ended.", seconds=seconds, when=when)
        case Cause.SLOW:
            return _too_slow(phase, seconds)
        case Cause.UNREADABLE:
            return say("The worker sent a message that cannot be read {when}: {error}.", when=when, error=verdict.words)
        case Cause.CLOSED:
            return say("The worker closed its connection {when}.", when=when)
        case Cause.STUBBORN:
            return say("The worker did not stop within {seconds}, and was ended.", seconds=seconds)
        case Cause.REPLACED:
            return say("The worker was replaced by one for another device.")
        case Cause.DEVICE_LOST | Cause.UNUSABLE:
            return verdict.words
        case _:
            assert_never(verdict.cause)


def _too_slow(phase: str, seconds: str) -> Sentence:
    match phase:
        case "start":
            return say("The worker took longer than {seconds} to start, and was ended.", seconds=seconds)
        case "compile":
            return say("The worker took longer than {seconds} to compile, and was ended.", seconds=seconds)
        case "run":
            return say("The worker took longer than {seconds} for one step of the run, and was ended.", seconds=seconds)
        case _:
            return say("The worker took longer than {seconds} to wait for work, and was ended.", seconds=seconds)


def _of_signal(number: int, when: Sentence) -> Sentence:  # noqa: PLR0911 - a sentence each
    match number:
        case signal.SIGSEGV:
            return say("The worker crashed with a segmentation fault (SIGSEGV) {when}.", when=when)
        case signal.SIGBUS:
            return say("The worker crashed with a bus error (SIGBUS) {when}.", when=when)
        case signal.SIGFPE:
            return say("The worker crashed with an arithmetic error (SIGFPE) {when}.", when=when)
        case signal.SIGILL:
            return say("The worker crashed with an illegal instruction (SIGILL) {when}.", when=when)
        case signal.SIGABRT:
            return say("The worker aborted (SIGABRT) {when}.", when=when)
        case signal.SIGTERM:
            return say("The worker was asked to end (SIGTERM) {when}.", when=when)
        case signal.SIGKILL:
            return say("The worker was killed (SIGKILL), perhaps because memory ran out, {when}.", when=when)
        case _:
            known = number in set(signal.Signals)
            name = verbatim(signal.Signals(number).name) if known else say("signal {number}", number=number)
            return say("The worker was ended by {signal} {when}.", signal=name, when=when)


def _last_error_line(text: str) -> str:
    """The last line of a traceback that names an error; empty where there is none."""
    lines = [line.strip() for line in text.splitlines()]
    return next((line for line in reversed(lines) if re.match(r"[\w.]+(Error|Exception|Interrupt|Exit)\b", line)), "")
