"""One worker process: its pipes, the threads that serve them, and its end, as a plain value and as one sentence.

Nothing here waits for the worker, or decides.
"""

import contextlib
import os
import queue
import re
import signal
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import BinaryIO, TypeAlias, assert_never

from lnexplorer.engine.spawn import Spawned
from lnexplorer.protocol.codec import read_frame, write_frame
from lnexplorer.protocol.messages import Command, WorkerEvent, decode_event, encode_message
from lnkernels.sentence import Sentence, say, verbatim

TAIL_BYTES = 32 << 10
READ_BYTES = 64 << 10
# After a process has ended, what it wrote is read within this time, unless another process holds the pipe open.
DRAIN_SECONDS = 1.0
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


@dataclass(frozen=True, slots=True)
class Said:
    """An event of the worker."""

    event: WorkerEvent


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """No event will follow: the worker closed its pipe, or what came cannot be read."""

    error: str | None


@dataclass(frozen=True, slots=True)
class Gone:
    """The process has ended and is reaped; always the last that is heard of it."""

    exit: Exit


Report: TypeAlias = Said | StreamEnded | Gone


class WorkerProcess:
    """A running worker. `deliver` gets its reports from threads of this object, in order, `Gone` last."""

    def __init__(self, spawned: Spawned, deliver: Callable[["WorkerProcess", Report], None]) -> None:
        self._process = spawned.process
        self._deliver = deliver
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stream_error: str | None = None
        self._ended = threading.Lock()  # held while a signal is sent or the process is reaped
        self._reaped = False
        self._commands = os.fdopen(spawned.commands, "wb", buffering=0)
        self._events = os.fdopen(spawned.events, "rb", buffering=READ_BYTES)
        self._tails = {"stdout": _Tail(_stream(self._process.stdout)), "stderr": _Tail(_stream(self._process.stderr))}
        self._reader = threading.Thread(target=self._read, name="worker-events", daemon=True)
        self._writer = threading.Thread(target=self._write, name="worker-commands", daemon=True)
        self._waiter = threading.Thread(target=self._wait, name="worker-end", daemon=True)
        for thread in (self._reader, self._writer, self._waiter):
            thread.start()

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def send(self, command: Command) -> None:
        """Hand a command to the thread that writes; never blocks, and a worker that is gone is no error here."""
        self._outbox.put(encode_message(command))

    def dismiss(self) -> None:
        """Close the pipe of commands, upon which a worker that listens leaves at once."""
        self._outbox.put(None)

    def terminate(self) -> None:
        """Ask the process to end, by signal."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the process and everything it started."""
        self._signal(signal.SIGKILL)

    def join(self, seconds: float) -> bool:
        """Wait for the end, and say whether it came."""
        self._waiter.join(seconds)
        return not self._waiter.is_alive()

    def _signal(self, number: signal.Signals) -> None:
        # Until it is reaped its number belongs to nobody else, and its process group has the same.
        with self._ended:
            if not self._reaped:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, number)

    def _read(self) -> None:
        error = None
        try:
            while (frame := read_frame(self._events)) is not None:
                self._deliver(self, Said(decode_event(frame)))
        except Exception as unreadable:  # noqa: BLE001 - whatever ends this thread, its worker is heard no more
            error = self._stream_error = str(unreadable) or type(unreadable).__name__
        self._deliver(self, StreamEnded(error))
        if error is not None:
            # Read on, so that a worker that keeps writing is not held up before it is ended.
            _discard(self._events)

    def _write(self) -> None:
        with self._commands:
            while (frame := self._outbox.get()) is not None:
                try:
                    write_frame(self._commands, frame)
                except OSError:
                    return

    def _wait(self) -> None:
        # First see the end without reaping, so that the rest of the process group can still be addressed.
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        self.kill()
        with self._ended:
            status = self._process.wait()
            self._reaped = True
        self.dismiss()
        self._reader.join(DRAIN_SECONDS)
        texts = {name: tail.finish(DRAIN_SECONDS) for name, tail in self._tails.items()}
        if not self._reader.is_alive():
            self._events.close()
        self._deliver(self, Gone(Exit(status, self._stream_error, texts["stdout"], texts["stderr"])))


class _Tail:
    """Reads a stream to its end, whatever comes, and keeps the last part."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._parts: deque[bytes] = deque()
        self._kept = 0
        self._thread = threading.Thread(target=self._drain, name="worker-output", daemon=True)
        self._thread.start()

    def finish(self, seconds: float) -> str:
        """The last part as text, once the stream has ended or the time is over."""
        self._thread.join(seconds)
        return b"".join(tuple(self._parts))[-TAIL_BYTES:].decode(errors="replace")

    def _drain(self) -> None:
        with self._stream:
            while part := os.read(self._stream.fileno(), READ_BYTES):
                self._parts.append(part)
                self._kept += len(part)
                while self._kept - len(self._parts[0]) >= TAIL_BYTES:
                    self._kept -= len(self._parts.popleft())


def _stream(pipe: object) -> BinaryIO:
    assert pipe is not None, "the process was started with pipes"
    return pipe  # type: ignore[return-value]


def _discard(stream: BinaryIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        while stream.read1(READ_BYTES):  # type: ignore[attr-defined]
            pass


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
