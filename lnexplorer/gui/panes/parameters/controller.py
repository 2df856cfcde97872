"""Tie the form to the session, with undo of changes to the parameters."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand, QUndoStack
from PySide6.QtWidgets import QInputDialog

from lnexplorer.domain.request import RunRequest, other_setting
from lnexplorer.gui.panes.parameters.pane import ParametersPane
from lnexplorer.gui.session.services import EXPERIMENTS, Controller, Services
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import SessionState


class Changes(QUndoStack):
    """The undo stack of requests, whoever changed them: form, preset, recording or session."""

    def __init__(self, session: SessionController, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._goes_back = False
        self._is_open = False  # a change by hand that may go on
        self._by_hand = False
        session.changed.connect(self._note)

    def settle(self) -> None:
        """End the change: the next one is taken back apart from it."""
        self._is_open = False

    def take(self, request: RunRequest) -> None:
        """Take a request from the form, where a parameter may be on its way."""
        self._by_hand = True
        self._session.set_request(request)
        self._by_hand = False

    def show(self, request: RunRequest) -> None:
        if request != self._session.state.request:  # a change that is noted is made already
            self._goes_back = True
            self._session.set_request(request)
            self._goes_back = False

    def _note(self, before: SessionState, after: SessionState) -> None:
        # Else nothing was chosen yet.
        begun = before.jobs.asked is not None or before.run.resolved is not None
        if begun and before.request != after.request and not self._goes_back:
            goes_on = self._is_open and self._by_hand
            self.push(ParameterChange(self, before.request, after.request, goes_on=goes_on))
            self._is_open = self._by_hand
        if before.run.result is not after.run.result and not after.live:
            self.settle()  # what comes now is of another run


class ParameterChange(QUndoCommand):
    """Other values of parameters; those of one parameter on its way to a value, as digits and
    sliders give them, are one change.
    """

    def __init__(
        self, changes: Changes, before: RunRequest, after: RunRequest, *, goes_on: bool
    ) -> None:
        super().__init__()
        self._changes = changes
        self.before = before
        self.after = after
        self.goes_on = goes_on  # with the change before, if that is of the same parameter

    @property
    def names(self) -> list[str]:
        before, after = self.before.flat(), self.after.flat()
        return [name for name, value in after.items() if value != before[name]]

    def id(self) -> int:
        return 1  # commands with a number are merged

    def mergeWith(self, other: QUndoCommand) -> bool:
        assert isinstance(other, ParameterChange), "the stack has nothing else"
        if not other.goes_on or len(self.names) != 1 or other.names != self.names:
            return False
        self.after = other.after
        self.setObsolete(self.after == self.before)  # there and back again is nothing to take back
        return True

    def undo(self) -> None:
        self._changes.show(self.before)

    def redo(self) -> None:
        self._changes.show(self.after)


class ParametersController(Controller):
    """Ties the form to the session, whose request it shows and changes; undo takes changes back."""

    def __init__(self, pane: ParametersPane, services: Services) -> None:
        super().__init__(pane)
        self._pane = pane
        session = services.session
        self._services = services
        self.changes = Changes(session, self)
        pane.requestChanged.connect(self.changes.take)
        pane.settled.connect(self.changes.settle)
        pane.kernel.changed.connect(session.set_kernel)
        pane.run.clicked.connect(session.run)
        pane.stop.clicked.connect(session.stop)
        pane.faster.clicked.connect(lambda: services.part(EXPERIMENTS).try_neighbours())
        pane.live.toggled.connect(session.set_live)
        session.changed.connect(self._show)
        self._show(SessionState(), session.state)
        save, delete = map(services.window.action, ("save_preset", "delete_preset"))
        save.triggered.connect(self._save_preset)
        delete.triggered.connect(lambda: self._replace_preset({}))
        pane.own_presets.addActions([save, delete])
        self._offer_presets()
        services.window.action("undo").triggered.connect(self.changes.undo)
        services.window.action("redo").triggered.connect(self.changes.redo)
        self.changes.indexChanged.connect(self._offer_undo)
        services.window.workspaceShown.connect(self._offer_undo)
        self._offer_undo()

    def close(self) -> None:
        self.changes.blockSignals(True)  # its end with the window would be a change, too

    def _show(self, before: SessionState, after: SessionState) -> None:
        pane = self._pane
        pane.show_plan(after.plan, after.device)
        pane.stop.setEnabled(after.jobs.busy)
        pane.set_live(after.live)
        if before.own.source != after.own.source:
            pane.kernel.show_kernel(after.own.source)
        if before.run.compiled != after.run.compiled:
            pane.box.show_compiled(after.run.compiled)
        if before.request != after.request:
            self._services.window.action("delete_preset").setEnabled(bool(self._preset))
        of = after.run.compiled_of if after.run.compiled else None
        pane.box.show_other(other_setting(of, after.plan, after.run.machine))

    @property
    def _preset(self) -> str:
        """The user's own preset that has the parameters in force; empty for none."""
        own = self._services.preferences.settings.presets
        request = self._services.session.state.request
        return next((name for name, kept in own.items() if kept == request), "")

    def _save_preset(self) -> None:
        """Keep the parameters in force under a name; those of a preset get another name."""
        title, label = self.tr("Save as preset"), self.tr("Name")
        parent, before = self._services.dialogs, self._preset
        name, given = QInputDialog.getText(parent, title, label, text=before)
        if given and name.strip():
            self._replace_preset({name.strip(): self._services.session.state.request})

    def _replace_preset(self, new: dict[str, RunRequest]) -> None:
        """Keep other presets in place of the one that has the parameters in force."""
        preferences, before = self._services.preferences, self._preset
        others = {
            name: each for name, each in preferences.settings.presets.items() if name != before
        }
        preferences.change(presets=others | new)
        self._offer_presets()

    def _offer_presets(self) -> None:
        self._pane.offer_presets(self._services.preferences.settings.presets)
        self._services.window.action("delete_preset").setEnabled(bool(self._preset))

    def _offer_undo(self, *_: object) -> None:
        # In the history these keys bring back what was deleted.
        window = self._services.window
        here = window.workspace != "history"
        window.action("undo").setEnabled(here and self.changes.canUndo())
        window.action("redo").setEnabled(here and self.changes.canRedo())


connect = ParametersController
