"""The session of the last window, kept when it closes and restored at the next start."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from lnexplorer.gui.window.sessions import Sessions, with_simulation
from lnexplorer.gui.window.window_services import WindowServices
from lnexplorer.store.files import StoreError, keep_aside
from lnexplorer.store.session import Session, read_session
from lnkernels.values.sentence import Sentence, say


class LastSession(QObject):
    """Restores the session in a file, and keeps the next one there.

    A marker lies beside the file until all of it is shown: where one is found, an earlier window
    ended on the way, and the session is put aside.
    """

    def __init__(self, services: WindowServices, path: Path) -> None:
        super().__init__(services)
        self._services = services
        self._session = services.session
        self._sessions = Sessions(services)
        self._path = path
        self._marker = path.with_name(f"{path.name}.opening")
        self.is_restoring = False

    def restore(self) -> None:
        """Show what was left, and run nothing; the usual first run where there is none."""
        self.is_restoring = True
        show = partial(self._sessions.show_left, then=self._end)
        self._services.files.do(self._read, show, otherwise=self._refuse)

    def keep(self) -> None:
        """Write what is open now; one that is still being restored stays as it is."""
        if self.is_restoring:
            self._services.files.do(lambda: self._marker.unlink(missing_ok=True))
        else:
            self._sessions.keep(self._path)

    def _read(self) -> Session:
        why = say("The window ended while it opened what had been left open")
        if not self._marker.exists():
            self._marker.touch()
            try:
                return with_simulation(read_session(self._path))
            except StoreError as error:
                why = error.sentence
        self._marker.unlink()
        kept = keep_aside(self._path)
        raise StoreError(
            say(
                "What was left open is not shown: {why}. It is kept as {path}.",
                why=why,
                path=str(kept),
            )
        )

    def _end(self, session: Session) -> None:
        self.is_restoring = False
        self._services.files.do(lambda: self._marker.unlink(missing_ok=True))
        if self._session.state.run.resolved is None:
            self._session.begin_with(session.request)
        else:
            self._session.show_request(session.request)

    def _refuse(self, sentence: Sentence) -> None:
        self.is_restoring = False
        self._services.begin()
        self._session.warn(sentence)
