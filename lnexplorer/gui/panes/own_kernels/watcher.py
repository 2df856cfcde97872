"""Watches a file that is saved again and again, and keeps workers ready for what it becomes."""

import os
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.session.services import OwnWorker

REST_MS = 60  # an editor writes a file in several steps


class FileWatcher(QObject):
    """Reports each change of one file, also where it or its folder is removed and comes back."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._place = ""
        self._watcher = QFileSystemWatcher(self)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._watcher.fileChanged.connect(self._rest.start)
        self._watcher.directoryChanged.connect(self._rest.start)
        self._rest.timeout.connect(self._report)

    def watch(self, place: str) -> None:
        """Watch a file instead of the one before, and report it now."""
        if watched := [*self._watcher.files(), *self._watcher.directories()]:
            self._watcher.removePaths(watched)
        self._place = place
        self._report()

    def _report(self) -> None:
        self._watch_what_is_there()
        self.changed.emit()

    def _watch_what_is_there(self) -> None:
        """Watch the file, in whose place an editor may have put another one, and its folder, or the
        nearest one above it that is there.
        """
        parents = Path(self._place).parents
        # Once more after each step: the next folder may have come before the one above it was
        # watched.
        for _ in parents:
            # Where a folder may not be looked into, this says no; a Path's own raises.
            folder = next(str(parent) for parent in parents if os.path.isdir(parent))  # noqa: PTH112
            watched = self._watcher.directories()
            if folder in watched:
                break
            self._watcher.addPath(folder)
            if watched:
                self._watcher.removePaths(watched)
        if self._place not in self._watcher.files():
            self._watcher.addPath(self._place)


class VersionWorkers(QObject):
    """A worker for each version, so that whatever an earlier one did to its process is gone, and a
    spare one that is ready for the next.
    """

    def __init__(self, delivery: Delivery, parent: QObject) -> None:
        super().__init__(parent)
        self._delivery = delivery
        self.current: OwnWorker | None = None  # of the newest version
        self._spare: OwnWorker | None = None

    def renew(self) -> None:
        """Take a new worker for another version."""
        self.leave()
        self.current = self._spare or OwnWorker(self._delivery, self)
        self._spare = None

    def leave(self) -> None:
        """Give up the worker of the version before, whatever it is at."""
        if self.current is not None:
            self.current.close(wait=False)
            self.current.deleteLater()
            self.current = None

    def prepare(self, device: str) -> None:
        """Start a worker for the next version."""
        if self._spare is None:
            self._spare = OwnWorker(self._delivery, self)
            self._spare.start(device)

    def close(self) -> None:
        for worker in (self.current, self._spare):
            if worker is not None:
                worker.close()
