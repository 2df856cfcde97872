"""The session of the last window, kept while it is open and restored at the next start."""

from functools import partial

from PySide6.QtCore import QLockFile, QObject, QTimer

from lnexplorer.gui.window.sessions import Sessions, with_simulation
from lnexplorer.gui.window.window_services import WindowServices
from lnexplorer.store.files import StoreError, keep_aside
from lnexplorer.store.paths import Paths
from lnexplorer.store.session import Session, read_session
from lnexplorer.store.settings import save_settings
from lnkernels.values import Sentence, say

KEEP_MS = 3000  # what was changed longer ago outlives a window that is killed


class LastSession(QObject):
    """Restores the session in a file, and keeps the next one there.

    A lock file lies beside the session's file until all of the session is shown. If a process that
    is gone has left one, its window ended while it opened the session, which is put aside then.
    """

    def __init__(self, services: WindowServices, paths: Paths) -> None:
        super().__init__(services)
        self._services = services
        self._session = services.session
        self._sessions = Sessions(services)
        self._paths = paths
        self._path = paths.last_session
        self._settings = services.preferences.settings  # that are saved
        self._marker = self._path.with_name(f"{self._path.name}.opening")
        self._lock = QLockFile(str(self._marker))
        self._lock.setStaleLockTime(0)  # only a process that is gone leaves one behind
        self._timer = QTimer(services.window, interval=KEEP_MS)  # as long as there is one
        self._timer.timeout.connect(self._keep_changes)
        self.is_restoring = False

    def follow(self) -> None:
        """From now on, keep what is changed, and soon."""
        self._timer.start()

    def restore(self) -> None:
        """Show what was left, and run nothing; the usual first run where there is none."""
        self.is_restoring = True
        show = partial(self._sessions.show_left, then=self._end)
        self._services.files.do(self._read, show, otherwise=self._refuse)

    def keep(self) -> None:
        """Write what is open now, if that is new; one that is still being restored stays as it
        is.
        """
        if self.is_restoring:
            self._services.files.do(self._lock.unlock)
        else:
            self._sessions.keep(self._path)

    def _keep_changes(self) -> None:
        settings = self._services.preferences.settings
        if settings != self._settings:
            self._settings = settings
            self._services.files.do(partial(save_settings, self._paths.settings, settings))
        if not self.is_restoring:
            self.keep()

    def _read(self) -> Session:
        why = say("The window ended while it opened what had been left open")
        was_left = self._marker.exists()
        # Another window that opens it now has the lock.
        if not (self._lock.tryLock(0) and was_left):
            try:
                return with_simulation(read_session(self._path))
            except StoreError as error:
                why = error.sentence
        self._lock.unlock()
        kept = keep_aside(self._path)
        raise StoreError(
            "What was left open is not shown: {why}. It is kept as {path}.",
            why=why,
            path=kept,
        )

    def _end(self, session: Session) -> None:
        self.is_restoring = False
        self._services.files.do(self._lock.unlock)
        if self._session.state.run.resolved is None:
            self._session.begin_with(session.request)
        else:
            self._session.show_request(session.request)

    def _refuse(self, sentence: Sentence) -> None:
        self.is_restoring = False
        self._services.begin()
        self._session.warn(sentence)
