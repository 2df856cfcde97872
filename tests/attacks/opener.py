"""A child process that reads and decodes what the attack prepares: one answer, in JSON, for each
line on stdin.

A line is [what, path]. `what` is the suffix of a file, "frame:command" or "frame:event" for a
message, or "window" for a file that a window without a screen shows.
"""

import contextlib
import gc
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lnexplorer.protocol.codec import DecodeError, encode
from lnexplorer.protocol.messages import decode_command, decode_event, encode_message
from lnexplorer.store.files import StoreError
from lnexplorer.store.paths import HOME_VARIABLE

LONGEST_GAP_MS = 2  # of the clock that looks how long the event loop is away


def _readers() -> dict[str, Callable[[Path], Any]]:
    from lnexplorer.report.benchmark_file import read_benchmark
    from lnexplorer.store.recordings import read_experiment, read_recorded_sweep, read_recording
    from lnexplorer.store.session import read_session

    return {
        ".lnrec": read_recording,
        ".lnsweep": read_recorded_sweep,
        ".lnexperiment": read_experiment,
        ".lnsession": read_session,
        ".json": read_benchmark,
        ".sqlite3": _read_history,
    }


def _read_history(path: Path) -> list[Any]:
    """Every run of a history and its line, as far as they are whole; the file itself is a copy and
    may be moved aside.
    """
    from lnexplorer.domain.history import HistoryQuery
    from lnexplorer.store.history import open_history

    found: list[Any] = []
    with open_history(path, lambda _sentence: None) as history:
        for number in history.runs.find(HistoryQuery()):
            with contextlib.suppress(StoreError):
                found += history.runs.rows([number])
                found.append((number, history.runs.load(number)))
    return found


class Painter:
    """A window on a home of its own, in which files are opened one after the other."""

    def __init__(self) -> None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        from PySide6.QtCore import QElapsedTimer, QTimer
        from PySide6.QtWidgets import QApplication

        from lnexplorer.domain.request import RunRequest
        from lnexplorer.gui.window.start import WindowOptions
        from tests.gui.completeness import is_complete
        from tests.pictures import begin_window

        self.application = QApplication.instance() or QApplication([])
        home = Path(
            tempfile.mkdtemp(prefix="window-", dir=Path(os.environ[HOME_VARIABLE]).parent)
        )  # which the attack removes
        request = RunRequest.of(m=4, n=8, group_size_m=2)
        shown = WindowOptions(request=request, size=(1280, 720), language="en")
        self.explorer = begin_window(self.application, home, shown)
        self._clock = QElapsedTimer()
        self._longest = 0
        self._worked = 0.0
        self._most_worked = 0.0
        self._raised: list[str] = []  # in Qt's calls of Python, which end nothing
        sys.excepthook = lambda kind, error, _: self._raised.append(
            f"{kind.__name__}: {error}"[:300]
        )
        self._timer = QTimer()
        self._timer.setInterval(LONGEST_GAP_MS)
        self._timer.timeout.connect(self._tick)
        self._until(lambda: is_complete(self.explorer), 60)
        self._clock.start()
        self._timer.start()

    def show(self, path: Path) -> dict[str, Any]:
        """Open a file, let the window be still for a moment, and look at all of its texts."""
        gc.collect()
        began = time.perf_counter()
        self._clock.restart()
        self._longest = 0
        self._worked = time.thread_time()
        self._most_worked = 0.0
        self.explorer.commands.open_file(path)
        quiet = time.monotonic() + 0.4
        self._until(lambda: time.monotonic() > quiet, 5)
        self.explorer.window.grab()
        if self._raised:
            return {"raised": self._raised.pop()}
        stall = {"stall_ms": self._longest, "stall_cpu_ms": round(1e3 * self._most_worked)}
        return {**stall, "rich": self._rich_texts(), "seconds": time.perf_counter() - began}

    def _tick(self) -> None:
        self._longest = max(self._longest, self._clock.restart())
        worked = time.thread_time()  # which other work on the machine does not prolong
        self._most_worked = max(self._most_worked, worked - self._worked)
        self._worked = worked

    def _until(self, done: Callable[[], bool], seconds: float) -> None:
        ends = time.monotonic() + seconds
        while not done() and time.monotonic() < ends:
            self.application.processEvents()
            time.sleep(0.001)

    def _rich_texts(self) -> list[str]:
        """Texts with markup that a widget would lay out, though no part of the program wrote them."""
        from PySide6.QtGui import Qt
        from PySide6.QtWidgets import QLabel

        found = []
        for widget in self.application.allWidgets():
            # Tooltips are plain by the style sheet: tests/gui/test_plain_text.py.
            if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
                tags = re.findall(
                    r"<[^<>]*>", widget.text()
                )  # the program's own markup escapes what it quotes
                found += [
                    f"{type(widget).__name__}: {tag[:80]}" for tag in tags if _is_foreign(tag)
                ]
        return found


def _is_foreign(text: str) -> bool:
    """What is escaped harms nobody."""
    return any(
        mark in text for mark in ("<img", "<table width=9999", "<b style='color", "<a href='file")
    )


def _answer(what: str, path: Path, state: dict[str, Any]) -> dict[str, Any]:
    if what == "window":
        painter = (
            state.setdefault("painter", None) or state.update(painter=Painter()) or state["painter"]
        )
        return painter.show(path)
    try:
        if what == "parts":
            session = state["readers"][".lnsession"](path)
            return {"held": [hash(encode(part)) for part in _session_parts(session)]}
        if what.startswith("frame:"):
            value = {"frame:command": decode_command, "frame:event": decode_event}[what](
                path.read_bytes()
            )
            return {"held": hash(encode_message(value))}
        value = state["readers"][what](path)
        return {"held": [hash(encode(part)) for part in _parts(what, value)]}
    except (StoreError, DecodeError) as error:
        return {"refused": str(error)[:200]}


def _parts(what: str, value: Any) -> list[Any]:
    """What is read of a file. Damaged runs of a history and parts of a session are left out, the
    others are as they were.
    """
    if what == ".sqlite3":
        return list(value)
    if what != ".lnsession" or not value.left_out:
        return [value]
    return _session_parts(value)


def _session_parts(session: Any) -> list[Any]:
    parts = [*session.runs, *session.sweeps, *session.experiments, *session.beside]
    return [*parts, *filter(None, [session.timeline])]


def main() -> None:
    """Answer until stdin ends. What readers print goes to stderr."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    state: dict[str, Any] = {"readers": _readers()}
    for line in sys.stdin:
        what, path = json.loads(line)
        began = time.perf_counter()
        try:
            answer = _answer(what, Path(path), state)
        except Exception as error:  # noqa: BLE001 - whatever a file does to its reader is the finding
            answer = {"raised": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({"seconds": time.perf_counter() - began} | answer), file=out, flush=True)


if __name__ == "__main__":
    main()
