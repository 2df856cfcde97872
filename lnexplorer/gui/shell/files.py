"""Files on a thread of their own, so that no disk ever holds up the window."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from lnexplorer.gui.responsive import Background, Delivery
from lnexplorer.store.settings import Settings, save_settings
from lnkernels.sentence import Sentence


class FileThread(Background):
    """Reads and writes files when asked, and answers with signals on Qt's thread."""

    opened = Signal(object, str)  # Recording, path

    def __init__(self, delivery: Delivery, parent: QObject | None = None) -> None:
        super().__init__(delivery, "files", parent)
        self.noted: list[Path] = []  # files from elsewhere whose content was shown

    def open_recording(self, path: Path) -> None:
        """Read a recording."""

        def work() -> object:
            from lnexplorer.store.recordings import read_recording

            return read_recording(path)

        def show(recording: object) -> None:
            self.note(path)
            self.opened.emit(recording, str(path))

        self.do(work, show)

    def note(self, path: Path) -> None:
        """Remember that what a file holds is on the screen."""
        if path not in self.noted:
            self.noted.append(path)

    def save_settings(self, path: Path, settings: Settings) -> None:
        """Write the settings."""

        def work() -> None:
            sentence = save_settings(path, settings)
            if sentence is not None:
                self.warn(sentence)

        self.do(work)

    def warn(self, sentence: Sentence | str) -> None:
        """Tell the user something; from any thread."""
        self.tell(self.warned.emit, sentence)
