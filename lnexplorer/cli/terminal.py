"""All output of the command line: text, messages, JSON, and progress.

Text of a foreign file never commands the terminal: control characters become blanks.
"""

import contextlib
import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO
from unicodedata import east_asian_width

from lnexplorer.cli import interrupts
from lnkernels.values import one_line

if TYPE_CHECKING:
    from lnexplorer.protocol.messages import EngineEvent
    from lnkernels.values.environment import Device

SCHEMA_VERSION = 1  # of documents that have none of their own
WIDEST_FIGURE = 40  # characters; what is wider is text
printed = False  # whether a JSON document was printed on stdout
quiet = False  # whether progress is shown to nobody


def show(text: str, stream: TextIO | None = None) -> None:
    """Print lines of a command's output, on stdout if no stream is given."""
    print("\n".join(map(one_line, text.split("\n"))), file=stream or sys.stdout, flush=True)


def show_text(text: str) -> None:
    """Print a file's text: unchanged into a file or a pipe, and cleaned on a terminal."""
    if sys.stdout.isatty():
        show(text.expandtabs())
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def say(command: str, sentence: object) -> None:
    """Print a message of a command ("" for the window) on one line of stderr."""
    show(f"{f'lnexplorer {command}'.rstrip()}: {one_line(str(sentence))}", sys.stderr)


def print_json(document: Mapping[str, Any], *, indent: int | None = 2) -> None:
    """Print the JSON document of a command; on one line without indent, for long arrays."""
    document = {"schema_version": SCHEMA_VERSION, **document}
    global printed  # noqa: PLW0603  (a process has one stdout)
    printed = True
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    with interrupts.ignored():  # half a document is none
        print(
            json.dumps(document, indent=indent, allow_nan=False, ensure_ascii=not unicode),
            flush=True,
        )


def give(document: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print the result of a command as a document or as text."""
    if as_json:
        print_json(document)
    else:
        show(text)


def wants_json(arguments: list[str]) -> bool:
    """Return whether a command line asks for JSON on stdout; `bench` may write a file."""
    options = [argument.partition("=")[0] for argument in arguments]
    if "--json" not in options or arguments[0] != "bench":
        return "--json" in options
    place = options.index("--json")
    following = arguments[place + 1 : place + 2]
    return arguments[place] == "--json" and (not following or following[0].startswith("-"))


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal: Chinese letters take two."""
    return len(text) + sum(east_asian_width(letter) in "WF" for letter in text)


def aligned(rows: Sequence[Sequence[object]], *, right_from: int | None = None) -> str:
    """Align rows in columns; those from `right_from` on are aligned to the right, but for texts."""
    lines = [[one_line(str(cell)) for cell in row] for row in rows]
    widths = [
        max(_width(line[place]) for line in lines if place < len(line))
        for place in range(max(map(len, lines), default=0))
    ]

    def cell(place: int, text: str) -> str:
        fill = " " * (widths[place] - _width(text))
        left = right_from is None or place < right_from or widths[place] > WIDEST_FIGURE
        return text + fill if left else fill + text

    return "\n".join(
        "  ".join(cell(place, text) for place, text in enumerate(line)).rstrip() for line in lines
    )


class Progress:
    """Progress of a job on stderr: one line that changes on a terminal, a line a step elsewhere."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()
        self._last = ""

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, event: "EngineEvent") -> None:
        """Show an event, if it is progress."""
        # Its messages load numpy, which a command that is refused does not need.
        from lnexplorer.protocol import messages

        match event:
            case messages.WorkerStarting():
                self.changing("starting the worker …")
            case messages.WorkerReady(device=device):
                self.ready(device)
            case messages.JobProgress(phase=phase, step=step, done=done, total=total):
                count = f" {done}/{total}" if total > 1 and self._on_terminal else ""
                self.changing(f"{step or phase}{count} …")
            case messages.WorkerLost(sentence=sentence, restarting=True):
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
        """Show a line that the next one replaces on a terminal; elsewhere it stays."""
        if self._on_terminal or text != self._last:
            _write(f"\r\x1b[K{one_line(text)}" if self._on_terminal else f"{one_line(text)}\n")
        self._last = text

    def clear(self) -> None:
        if self._on_terminal:
            _write("\r\x1b[K")


def _write(text: str) -> None:
    """Write progress; that it cannot be written is no reason to end a run."""
    if quiet:
        return
    with contextlib.suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()
