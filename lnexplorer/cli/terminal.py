"""The one place where the command line writes: what a command shows, what it has to say, JSON, and
progress.

What stands in somebody else's file never commands the terminal: control characters become blanks.
"""

import contextlib
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO
from unicodedata import east_asian_width

from lnexplorer.cli import interrupts
from lnexplorer.store.files import one_line

if TYPE_CHECKING:
    from lnexplorer.protocol.messages import EngineEvent
    from lnkernels.values.environment import Device

printed = False  # whether there is a document on stdout
quiet = False  # whether progress is told to nobody


def show(text: str, stream: TextIO | None = None) -> None:
    """Lines that a command is for, on stdout if no stream is given."""
    print("\n".join(map(one_line, text.split("\n"))), file=stream or sys.stdout, flush=True)


def show_text(text: str) -> None:
    """A file's text on stdout: to the letter where it goes into a file or a pipe, and clean on a
    terminal.
    """
    if sys.stdout.isatty():
        show(text.expandtabs())
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def say(command: str, sentence: object) -> None:
    """A sentence of a command ("" for the window) on one line of stderr: what went wrong, where
    something is, what comes next.
    """
    show(f"{f'lnexplorer {command}'.rstrip()}: {one_line(str(sentence))}", sys.stderr)


def print_json(document: dict[str, Any], *, indent: int | None = 2) -> None:
    """Exactly one JSON document on stdout; on one line where there is no indent, for documents that
    are mostly long arrays.
    """
    global printed  # noqa: PLW0603  (a process has one stdout)
    printed = True
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    with interrupts.ignored():  # half a document is none
        print(
            json.dumps(document, indent=indent, allow_nan=False, ensure_ascii=not unicode),
            flush=True,
        )


def wants_json(arguments: list[str]) -> bool:
    """Whether a command line wants a document on stdout; `bench --json FILE` has it elsewhere."""
    place = next(
        (
            place
            for place, argument in enumerate(arguments)
            if argument.partition("=")[0] == "--json"
        ),
        None,
    )
    if place is None or arguments[0] != "bench":
        return place is not None
    after = arguments[place + 1 : place + 2]
    return arguments[place] == "--json" and (not after or after[0].startswith("-"))


def _width(text: str) -> int:
    """Columns of a terminal: Chinese letters take two."""
    return len(text) + sum(east_asian_width(letter) in "WF" for letter in text)


def aligned(rows: Sequence[Sequence[str]], *, right_from: int | None = None) -> str:
    """Rows in columns as wide as their widest cell; from `right_from` on they end at one place."""
    lines = [list(map(one_line, row)) for row in rows]
    widths = [
        max(_width(line[place]) for line in lines if place < len(line))
        for place in range(max(map(len, lines), default=0))
    ]

    def cell(place: int, text: str) -> str:
        fill = " " * (widths[place] - _width(text))
        return text + fill if right_from is None or place < right_from else fill + text

    return "\n".join(
        "  ".join(cell(place, text) for place, text in enumerate(line)).rstrip() for line in lines
    )


class Progress:
    """Progress of a job on stderr: one line that changes on a terminal, a line a step elsewhere."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()
        self._last = ""

    def show(self, event: "EngineEvent") -> None:
        """One event; those that are no progress are passed over."""
        from lnexplorer.protocol.messages import (
            JobProgress,
            WorkerLost,
            WorkerReady,
            WorkerStarting,
        )  # numpy from here on

        match event:
            case WorkerStarting():
                self.changing("starting the worker …")
            case WorkerReady(device=device):
                self.ready(device)
            case JobProgress(phase=phase, step=step, done=done, total=total):
                count = f" {done}/{total}" if total > 1 and self._on_terminal else ""
                self.changing(f"{step or phase}{count} …")
            case WorkerLost(sentence=sentence):
                self.line(str(sentence))

    def ready(self, device: "Device") -> None:
        self.line(
            f"device: {device.name}"
            + (f" (cuda:{device.index})" if device.index is not None else "")
        )
        for note in device.notes:
            self.line(str(note))

    def line(self, text: str) -> None:
        self.clear()
        _write(f"{one_line(text)}\n")

    def changing(self, text: str) -> None:
        """A line that the next one takes the place of on a terminal; elsewhere it stays, and is not
        said twice.
        """
        if self._on_terminal or text != self._last:
            _write(f"\r\x1b[K{one_line(text)}" if self._on_terminal else f"{one_line(text)}\n")
        self._last = text

    def clear(self) -> None:
        if self._on_terminal:
            _write("\r\x1b[K")


def _write(text: str) -> None:
    """Progress that nobody can read is no reason to end a run."""
    if quiet:
        return
    with contextlib.suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()
