"""A worker on another machine, over the user's own OpenSSH client: their configuration, keys, agent
and jump hosts.

No port is opened, nothing listens, and no password is asked for. This module starts the client with
a command for the other machine, reads the introduction of the worker there, and explains failures
in one sentence.
"""

import json
import queue
import re
import shlex
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO, cast

from lnexplorer import __version__
from lnexplorer.doctor.facts import WorkerFacts
from lnexplorer.domain.machines import Machine, read_machine
from lnexplorer.engine.pipes import Spawned, between_pipes, child_environment
from lnexplorer.engine.process import Contacted, Exit, Report, StreamEnded, WorkerProcess
from lnexplorer.protocol.cleaning import clean
from lnexplorer.protocol.codec import from_plain
from lnexplorer.protocol.messages import PREAMBLE, fingerprint
from lnkernels.values import ExplainedError, Sentence, frozen_by_name, one_line, say, verbatim

# A lost connection ends the client after three of its intervals, within the ten seconds in which a
# silent worker is reported. Compressed, the trace of 16,384 rows is 0.15 MB instead of 0.8.
OPTIONS = (
    *("-T", "-x", "-a"),
    *("-o", "BatchMode=yes"),
    *("-o", "ConnectTimeout=10"),
    *("-o", "ServerAliveInterval=3"),
    *("-o", "ServerAliveCountMax=2"),
    *("-o", "EscapeChar=none"),
    *("-o", "PermitLocalCommand=no"),
    *("-o", "ClearAllForwardings=yes"),
    *("-o", "LogLevel=INFO"),
    *("-o", "Compression=yes"),
)
LOOK_TICK = 0.1
LOOK_SECONDS = 60.0  # to say what is there, torch imported from a cold disk
MOST_GREETING = 1 << 16  # bytes that a login shell may print before the worker is heard
MOST_WORDS = 1 << 20  # bytes of the worker's introduction
MOST_CAUSE = 240  # characters of what OpenSSH says that are shown
CLIENT_FAILED = 255
# Exit statuses of the line of shell below, where it finds no Python that could run a worker.
NO_PACKAGE, OLD_PYTHON, NO_PYTHON = 90, 91, 92
SIGNALLED = 128
HOME_PYTHON = "~/.lnexplorer/bin/python"  # where the commands that are named below install
# One line for whatever login shell is there, to be put in single quotes: no quote of that kind, no
# "!".
SCRIPT = (
    'cd /; w=92; t() { command -v "$1" >/dev/null 2>&1 || return 1; "$1" -c "import sys;'
    ' sys.version_info < (3, 11) and sys.exit(3); import lnexplorer.worker, lnkernels" </dev/null'
    ' >/dev/null 2>&1; case $? in 0) p=$1; return 0;; 3) w=91; echo "found: $1 $("$1" --version'
    ' 2>&1)" >&2;; *) if [ $w = 92 ]; then w=90; fi;; esac; return 1; }; l=$(command -v lnexplorer'
    ' || echo "$HOME/.local/bin/lnexplorer"); l=$(readlink -f "$l"); case $0 in -) t'
    ' "${l%/*}/python" || t "$HOME/.lnexplorer/bin/python" || t python3 || exit $w;; [~]/*) t'
    ' "$HOME/${0#??}" || exit $w;; *) t "$0" || exit $w;; esac; exec "$p" -P -m "$@"'
)

UNREACHABLE = say("{host} cannot be reached: {cause}.")
UNLIKE = say("{host} has another lnexplorer than {ours}, which is here. There: {command}")
FAILURES = {
    OLD_PYTHON: say(
        "{host} has a Python that is too old ({found}): lnexplorer needs 3.11 or above. With one,"
        " there: {command}"
    ),
    NO_PYTHON: say("{host} has no python3. Install Python 3.11 or above there, then: {command}"),
    NO_PACKAGE: say("{host} has no lnexplorer. There: {command}"),
}
# Messages of OpenSSH, and what they mean.
REASONS = (
    (
        "HOST IDENTIFICATION HAS CHANGED",
        say(
            "{host} shows another host key than before, and OpenSSH refuses it: {cause}. If that is"
            " right: ssh-keygen -R {known}, then once: ssh {login}"
        ),
    ),
    (
        "Host key verification failed",
        say("The host key of {host} is not known yet. Accept it once: ssh {login}"),
    ),
    (
        "Permission denied",
        say(
            "{host} takes none of your keys, and no password is asked for here. Copy one there:"
            " ssh-copy-id {login}; or load it: ssh-add"
        ),
    ),
    (
        "during banner exchange",
        say(
            "{host} does not answer: a proxy command or a jump host hangs, or a firewall is in the"
            " way. Try: ssh {login} true"
        ),
    ),
    ("resolve hostname", say("There is no host {host}: {cause}.")),
)


class ContactError(ExplainedError, ValueError):
    """A machine answers and cannot be used, or what answers is no worker."""


@frozen_by_name
class Contact:
    """The introduction of a worker."""

    version: str  # of lnexplorer there
    messages: str  # `fingerprint`
    executable: str  # its Python
    trouble: str  # why it cannot work, such as a disk that is full; empty where it can
    facts: WorkerFacts


class SshLine:
    """The connection to the worker on one machine, as its `WorkerProcess` uses it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.contact: Contact | None = None

    @property
    def connected(self) -> bool:
        return self.contact is not None

    def listen(self, events: BinaryIO, alive: Callable[[], None]) -> BinaryIO:
        """Read past a greeting to the worker's introduction; return the stream of its frames.

        Args:
            events: what the worker writes.
            alive: called while bytes come, at most once a second: a large frame on a slow
                connection takes longer than a worker may be silent.

        Raises:
            ContactError: what comes is no worker that this program understands.
        """
        words = self._introduction(events)
        if words is not None:
            self.contact = _checked(self.machine, words)
        return cast("BinaryIO", Incoming(events, alive))

    def explain(self, status: int, printed: str, when: Sentence) -> Sentence | None:
        """Return why the client ended; None where the worker's own end says it."""
        printed_lines = lines_of(printed)
        if self.contact is None:
            return _why_no_contact(self.machine, status, printed_lines)
        if status != CLIENT_FAILED:
            return None
        last = printed_lines[-1].rstrip(".") if printed_lines else ""
        of_ssh = re.search(r"timeout|connection|broken pipe|closed|reset|packet", last, re.I)
        return say(
            "The line to {host} dropped {when}: {cause}.",
            host=self.machine.name,
            when=when,
            cause=verbatim(last) if of_ssh else say("OpenSSH does not say why"),
        )

    def status(self, status: int) -> int:
        """Return the worker's exit status, negative for a signal, which a shell adds to 128."""
        return SIGNALLED - status if SIGNALLED < status < SIGNALLED + 65 else status

    def _introduction(self, events: BinaryIO) -> bytes | None:
        """Return the worker's first line; None where the connection ended before it."""
        greeting = 0
        while PREAMBLE not in (line := events.readline(MOST_GREETING)):
            greeting += len(line)
            if not line:
                return None
            if greeting >= MOST_GREETING:
                raise ContactError(
                    "{host} says something else than a worker does: its login shell prints more"
                    " than {most} bytes first. Let its start-up files print nothing where"
                    " nobody reads it.",
                    host=self.machine.name,
                    most=MOST_GREETING,
                )
        words = line.partition(PREAMBLE)[2]
        if not words.endswith(b"\n"):
            words += events.readline(MOST_WORDS)
        if not words.endswith(b"\n"):
            return None if len(words) < MOST_WORDS else b""
        return words


class Incoming:
    """The bytes of a connection after the introduction."""

    def __init__(self, events: BinaryIO, alive: Callable[[], None]) -> None:
        self._events = events
        self._alive = alive
        self._reported = time.monotonic()

    def read(self, count: int) -> bytes:
        part: bytes = self._events.read1(count)  # type: ignore[attr-defined]
        if time.monotonic() - self._reported > 1.0:
            self._reported = time.monotonic()
            self._alive()
        return part


def client_command(machine: Machine, *module: str, terminal: bool = False) -> list[str]:
    """Return the command of a client that runs a module on a machine, with its arguments.

    On a `terminal`, the module ends when the connection does.
    """
    there = shlex.join(["exec", "sh", "-c", SCRIPT, machine.python or "-", *module])
    port = ("-p", str(machine.port)) if machine.port is not None else ()
    user = ("-l", machine.user) if machine.user else ()
    # OpenSSH takes the first of two log levels, and the last of two -t and -T.
    options = ("-q", *OPTIONS, "-tt") if terminal else OPTIONS
    return ["ssh", *options, *port, *user, "--", machine.name, there]


def spawn_over_ssh(device: str) -> Spawned:
    """Start the client with a worker behind it.

    Args:
        device: such as "ssh://host/cuda:1".

    Raises:
        OSError: there is no OpenSSH client here.
        AddressError: it is no such device.
    """
    return _spawn(SshLine(read_machine(device)))


def _spawn(line: SshLine, *arguments: str) -> Spawned:
    machine = line.machine
    target = ("--device", machine.device, "--host", machine.name)
    client = client_command(machine, "lnexplorer.worker", "--stdio", *target, *arguments)
    return between_pipes(
        lambda commands, events: subprocess.Popen(
            client,
            stdin=commands,
            stdout=events,
            stderr=subprocess.PIPE,
            env=child_environment(),
            start_new_session=True,
        ),
        line,
    )


def look_at(device: str, given_up: Callable[[], bool] = lambda: False) -> Contact:
    """Return what is on a machine, its torch tried out; takes seconds, and leaves nothing running.

    Args:
        device: such as "ssh://host".
        given_up: asked ten times a second whether to cancel.

    Raises:
        ContactError: it cannot be reached, or used.
        OSError: there is no OpenSSH client here.
        AddressError: it is no such device.
    """
    reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
    line = SshLine(read_machine(device))
    worker = WorkerProcess(_spawn(line, "--look"), reports.put)
    cause: Sentence | None = None
    deadline = time.monotonic() + LOOK_SECONDS
    try:
        while True:
            try:
                report = reports.get(timeout=LOOK_TICK)
            except queue.Empty:
                if given_up() or time.monotonic() > deadline:
                    silent = say(
                        "{host} did not answer within {seconds}.",
                        host=line.machine.name,
                        seconds=f"{LOOK_SECONDS:g} s",
                    )
                    cause = cause or silent
                    worker.kill()
                continue
            match report:
                case StreamEnded(_, Sentence() as cause):
                    worker.kill()
                case Contacted():
                    worker.dismiss()
                case Exit(status, output):
                    if line.contact is not None:
                        return line.contact
                    raise ContactError(
                        cause or _why_no_contact(line.machine, status, lines_of(output))
                    )
    finally:
        worker.kill()  # also where the caller is interrupted


def install_commands(executable: str = "") -> str:
    """Return the commands that install lnexplorer on a machine, from a clone of this version."""
    pip = f"{executable or HOME_PYTHON} -m pip install CLONE"
    return (
        pip if executable else f"python3 -m venv {HOME_PYTHON.removesuffix('/bin/python')} && {pip}"
    )


def _checked(machine: Machine, words: bytes) -> Contact:
    """Parse a worker's introduction, and refuse a worker of another version."""
    host, ours = machine.name, f"{__version__} ({fingerprint()})"
    try:
        contact = clean(from_plain(json.loads(words), Contact))
    except (ValueError, RecursionError) as error:  # so different that not even this can be read
        raise ContactError(
            UNLIKE.template, host=host, ours=ours, command=install_commands()
        ) from error
    if contact.trouble:
        raise ContactError(
            "{host} has no room for what is compiled ({cause}). Make room there, or set the"
            " variable there to a folder that can be written.",
            host=host,
            cause=_cleaned(contact.trouble),
        )
    if contact.version != __version__ or contact.messages != fingerprint():
        command = install_commands(_cleaned(contact.executable))
        raise ContactError(UNLIKE.template, host=host, ours=ours, command=command)
    return replace(contact, executable=_cleaned(contact.executable))


def _why_no_contact(machine: Machine, status: int, said: list[str]) -> Sentence:
    text = "\n".join(said)
    last = (said[-1] if said else f"it ended with status {status} and said nothing").rstrip(".")
    # It names the line of the old host key.
    cause = next((line for line in said if line.startswith("Offending ")), last)
    found = next((line.removeprefix("found: ") for line in said if line.startswith("found: ")), "")
    known = machine.name if machine.port in (None, 22) else f"'[{machine.name}]:{machine.port}'"
    sentence = FAILURES.get(status) or next(
        (meant for words, meant in REASONS if words in text), UNREACHABLE
    )
    if machine.python and status == NO_PYTHON:
        sentence = FAILURES[NO_PACKAGE]
    values = {
        "host": machine.name,
        "login": machine.login,
        "cause": cause,
        "found": found,
        "known": known,
    }
    return say(sentence.template, **values, command=install_commands())


def lines_of(printed: str) -> list[str]:
    return [line for line in map(_cleaned, printed.splitlines()) if line]


def _cleaned(text: str) -> str:
    """Make a line of foreign text printable and short."""
    line = one_line(text).strip()
    return line if len(line) <= MOST_CAUSE else f"{line[:MOST_CAUSE]}…"
