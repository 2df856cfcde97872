"""File dialogs, titles of recordings, the user's editor; and a thread that reads and writes files,
so that no disk ever blocks the window.
"""

import os
import re
import shlex
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from lnexplorer.gui.kit.responsive import Background
from lnexplorer.store.resources import resource
from lnkernels.launch import STRATEGIES
from lnkernels.values import Sentence, Words, join_sentences, say, verbatim

# A recording with so many rows and so few locks that nearly all rows queue.
EXAMPLE = "recordings/h200_4096x1024_g16.lnrec"

# How titles of the program's own recordings are shown, by the titles in the files without the GPU.
OWN_TITLES = {
    "The default run: 4096×8192": say("The default run: 4096×8192"),
    "The tutorial's check: 1151×8192": say("The tutorial's check: 1151×8192"),
    "The lecture's problem: 4×8, GROUP_SIZE_M 2": say("The lecture's problem: 4×8, GROUP_SIZE_M 2"),
    "8×8 with all numbers, GROUP_SIZE_M 2, float16 buffers: each store rounds": say(
        "8×8, GROUP_SIZE_M 2, float16 buffers: each store rounds"
    ),
    "64×64 with all numbers, GROUP_SIZE_M 4, float16 buffers": say(
        "64×64, GROUP_SIZE_M 4, float16 buffers"
    ),
    "64×64 with all numbers, GROUP_SIZE_M 4, float32 buffers": say(
        "64×64, GROUP_SIZE_M 4, float32 buffers"
    ),
    "Widths from 992 to 1024, M = 4096, float16": say("Widths from 992 to 1024, M = 4096, float16"),
    "GROUP_SIZE_M, M = 4096, N = 8192, float16, partial_dtype = same": join_sentences(
        ("GROUP_SIZE_M", "M = 4096", "N = 8192", "float16", "partial_dtype = same"), ", "
    ),
} | {
    f"4096×8192 float16, {strategy}, hardware counters": join_sentences(
        ("4096×8192 float16", strategy, say("hardware counters")), ", "
    )
    for strategy in STRATEGIES
}


_TERMS = re.compile(rf"\d+×\d+( \w+)?|GROUP_SIZE_M \d+|{'|'.join(STRATEGIES)}")


def recording_title(title: Words) -> Sentence:
    """Return the title of a recording; those of the program's own recordings can be translated."""
    if isinstance(title, Sentence):
        return title
    *parts, gpu = title.split(", ")
    if parts and all(map(_TERMS.fullmatch, parts)):
        return join_sentences([*parts, gpu], ", ")
    body = ", ".join(parts)
    if body not in OWN_TITLES:
        return OWN_TITLES.get(title, verbatim(title))
    return say("{title}, {gpu}", title=OWN_TITLES[body], gpu=gpu)


def ask_which_to_open(parent: QWidget, title: str, *suffixes: str) -> Path | None:
    """Ask for a file to open, beginning in the program's recordings; None if none is chosen."""
    forms = " ".join(f"*{suffix}" for suffix in suffixes)
    chosen, _ = QFileDialog.getOpenFileName(parent, title, str(resource("recordings")), forms)
    return Path(chosen) if chosen else None


def ask_where_to_save(parent: QWidget, title: str, name: str, *suffixes: str) -> Path | None:
    """Ask for a file to write, offering `name`; None if none is chosen.

    A name without a suffix gets that of the chosen form. If there is only one form, a name with
    another suffix gets it, too.
    """
    forms, offered = ";;".join(f"*{suffix}" for suffix in suffixes), name + suffixes[0]
    while True:
        chosen, form = QFileDialog.getSaveFileName(parent, title, offered, forms)
        if not chosen or chosen.endswith(suffixes) or (Path(chosen).suffix and len(suffixes) > 1):
            return Path(chosen) if chosen else None
        path = Path(chosen + (form.lstrip("*") or suffixes[0]))
        if not path.exists():
            return path
        offered = str(path)  # so that the dialog asks before this file is replaced


def shown_path(path: Path) -> str:
    """Return a path for a message; of a file of the program itself only the name."""
    return path.name if path.resolve().is_relative_to(resource("").resolve()) else str(path)


# Arguments that open a file at a line, by the editor's program; other editors take +LINE PATH.
_AT_LINE = {
    **dict.fromkeys(("code", "codium", "cursor"), ("-g", "{path}:{line}")),
    **dict.fromkeys(("subl", "zed", "hx"), ("{path}:{line}",)),
    "pycharm": ("--line", "{line}", "{path}"),
    "kate": ("-l", "{line}", "{path}"),
}
_WITHOUT_WINDOW = ("vi", "vim", "nvim", "nano", "hx", "micro", "kak")  # they run in a terminal
TERMINAL = "x-terminal-emulator"


def editor_command(path: str, line: int, editor: str) -> list[str]:
    """Return the command that opens a file at a line; `editor` is as in $VISUAL and $EDITOR."""
    words = shlex.split(editor)
    name = Path(words[0]).name
    told = _AT_LINE.get(name, ("+{line}", "{path}"))
    before = [TERMINAL, "-e"] if name in _WITHOUT_WINDOW else []
    return [*before, *words, *(word.format(path=path, line=line) for word in told)]


def open_in_editor(path: str, line: int) -> bool:
    """Open a file at a line in the user's editor, else in the desktop's; False if neither could."""
    if editor := (os.environ.get("VISUAL") or os.environ.get("EDITOR", "")).strip():
        with suppress(ValueError):  # an opening quotation mark without a closing one
            program, *arguments = editor_command(path, line, editor)
            if QProcess.startDetached(program, arguments)[0]:
                return True
    return QDesktopServices.openUrl(QUrl.fromLocalFile(path))


class FileThread(Background):
    """A thread that reads and writes files, and emits what it read on Qt's thread."""

    opened = Signal(object, str)  # Recording, path

    def open_example(self) -> None:
        """Open the recording that is offered without a GPU."""
        self.open_recording(resource(EXAMPLE))

    def open_recording(self, path: Path) -> None:
        def read() -> object:
            # Imported on this thread, because it takes long.
            from lnexplorer.store.recordings import read_recording

            return read_recording(path)

        self.do(read, lambda recording: self.opened.emit(recording, str(path)))
