"""Ties the form to the session, and takes changes of the parameters back."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand, QUndoStack

from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.panes.parameters.pane import ParametersPane
from lnexplorer.gui.session.services import Services
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import SessionState


class Changes(QUndoStack):
    """What was asked for before, whoever changed it: the form, a preset, a recording, a session."""

    def __init__(self, session: SessionController, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._goes_back = False
        session.changed.connect(self._note)

    def show(self, request: RunRequest) -> None:
        if request != self._session.state.request:  # a change that is noted is made already
            self._goes_back = True
            self._session.set_request(request)
            self._goes_back = False

    def close(self) -> None:
        self.blockSignals(True)  # it ends with the window, to which it would tell that

    def _note(self, before: SessionState, after: SessionState) -> None:
        begun = (
            before.asked is not None or before.resolved is not None
        )  # else nothing was chosen yet
        if begun and before.request != after.request and not self._goes_back:
            self.push(ParameterChange(self, before.request, after.request))


class ParameterChange(QUndoCommand):
    """Other values of parameters; those of one parameter in a row, as a slider gives them, are one
    change.
    """

    def __init__(self, changes: Changes, before: RunRequest, after: RunRequest) -> None:
        super().__init__()
        self._changes = changes
        self.before = before
        self.after = after

    @property
    def names(self) -> list[str]:
        before, after = self.before.flat(), self.after.flat()
        return [name for name, value in after.items() if value != before[name]]

    def id(self) -> int:
        return 1  # commands with a number are merged

    def mergeWith(self, other: QUndoCommand) -> bool:
        merged = (
            isinstance(other, ParameterChange)
            and len(self.names) == 1
            and other.names == self.names
        )
        if isinstance(other, ParameterChange) and merged:
            self.after = other.after
            self.setObsolete(
                self.after == self.before
            )  # there and back again is nothing to take back
        return merged

    def undo(self) -> None:
        self._changes.show(self.before)

    def redo(self) -> None:
        self._changes.show(self.after)


def connect(pane: ParametersPane, services: Services) -> Changes:
    """What is chosen in the form is the session's request; what the session knows is shown in the
    form.
    """
    session, window = services.session, services.window
    changes = Changes(session, pane)
    undo, redo = window.actions_["undo"], window.actions_["redo"]

    def show(before: SessionState, after: SessionState) -> None:
        if before.device != after.device:
            pane.set_device(after.device)
        pane.set_request(after.request)
        pane.stop.setEnabled(after.busy)
        pane.set_live(after.live)
        if before.kernel != after.kernel:
            pane.kernel.show_kernel(after.kernel)
        if before.compiled != after.compiled:
            pane.box.show_compiled(after.compiled)

    def offer(*_: object) -> None:
        """In the history these keys bring back what was deleted."""
        elsewhere = window.workspace == "history"
        undo.setEnabled(changes.canUndo() and not elsewhere)
        redo.setEnabled(changes.canRedo() and not elsewhere)

    pane.requestChanged.connect(session.set_request)
    pane.kernel.changed.connect(session.set_kernel)
    pane.run.clicked.connect(session.run)
    pane.stop.clicked.connect(session.stop)
    pane.live.toggled.connect(session.set_live)
    session.changed.connect(show)
    show(SessionState(), session.state)
    undo.triggered.connect(changes.undo)
    redo.triggered.connect(changes.redo)
    changes.indexChanged.connect(offer)
    window.workspaceShown.connect(offer)
    offer()
    return changes
