"""Ties the Correctness pane to the session."""

from PySide6.QtCore import QObject

from lnexplorer.gui.correctness.pane import CorrectnessPane
from lnexplorer.gui.shell.services import Services
from lnexplorer.gui.shell.state import SessionState


class CorrectnessController(QObject):
    """Shows the errors of the run on show, and asks for finer parts of their map."""

    def __init__(self, pane: CorrectnessPane, services: Services) -> None:
        super().__init__(pane)
        self._pane, self._steps = pane, services.steps
        pane.inspectRequested.connect(services.session.inspect)
        services.session.changed.connect(self._on_changed)
        self._show(services.session.state)

    def _on_changed(self, before: SessionState, after: SessionState) -> None:
        if before.correctness is not after.correctness:
            self._show(after)
        if before.map is not after.map and after.map is not None:
            part = after.map
            self._steps.add("map", lambda: self._pane.show_map(part))

    def _show(self, state: SessionState) -> None:
        correctness, resolved, kind = state.correctness, state.resolved, state.kind
        if correctness is None or resolved is None or kind is None:
            self._steps.add("correctness", self._pane.clear)
        else:
            self._steps.add("correctness", lambda: self._pane.show_correctness(correctness, resolved, kind))


def connect(pane: CorrectnessPane, services: Services) -> CorrectnessController:
    return CorrectnessController(pane, services)
