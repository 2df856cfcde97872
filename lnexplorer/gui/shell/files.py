"""Files on a thread of their own, so that no disk ever holds up the window."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from lnexplorer.gui.shell.failures import log_failure
from lnexplorer.gui.shell.mailbox import Mailbox
from lnexplorer.store.settings import Settings, save_settings

T = TypeVar("T")


class FileThread(QObject):
    """Reads and writes files when asked, and answers with signals on Qt's thread."""

    opened = Signal(object, str)  # Recording, path
    warned = Signal(str)  # a sentence for the user
    failed = Signal(str)  # a sentence about what nobody expected, in English as the reasons of a warning

    def __init__(self, mailbox: Mailbox, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mailbox = mailbox
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="files")

    def do(self, work: Callable[[], T], then: Callable[[T], None]) -> None:
        """Do something with files here, and have its result given to a function on Qt's thread.

        Args:
            work: touches no Qt object. What it raises of ValueError and OSError becomes a warning, anything else a failure.
            then: is not called after an error. What it raises is told as a failure, and goes on to whoever hears of all errors.
        """

        def whole() -> None:
            value = work()
            self._mailbox.post(lambda: self._hand_over(value, then))

        self._submit(whole)

    def open_recording(self, path: Path) -> None:
        """Read a recording."""

        def work() -> None:
            from lnexplorer.store.recording import read_recording  # noqa: PLC0415  (no work for the start of the window)

            recording = read_recording(path)
            self._mailbox.post(lambda: self.opened.emit(recording, str(path)))

        self._submit(work)

    def save_settings(self, path: Path, settings: Settings) -> None:
        """Write the settings."""

        def work() -> None:
            sentence = save_settings(path, settings)
            if sentence is not None:
                self.warn(sentence)

        self._submit(work)

    def warn(self, sentence: str) -> None:
        """Tell the user something; from any thread."""
        self._mailbox.post(lambda: self.warned.emit(sentence))

    def close(self) -> None:
        """Finish what was asked."""
        self._pool.shutdown(wait=True)

    def _submit(self, work: Callable[[], None]) -> None:
        self._pool.submit(self._guard, work).add_done_callback(log_failure)

    def _guard(self, work: Callable[[], None]) -> None:
        try:  # a RecordingError is a ValueError, and so are those of sessions and exports
            work()
        except (ValueError, OSError) as error:
            self.warn(str(error))
        except Exception as error:
            cause = _cause(error)
            self._mailbox.post(lambda: self._fail(cause))
            raise  # into the log, with its traceback

    def _hand_over(self, value: T, then: Callable[[T], None]) -> None:
        try:
            then(value)
        except Exception as error:
            self._fail(_cause(error))
            raise

    def _fail(self, cause: str) -> None:
        self.failed.emit(f"Something unexpected went wrong with a file: {cause}")


def _cause(error: Exception) -> str:
    """What is known of an error of this program: its type, and what it says."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
