"""Ties the panes of experiments and of what a program touches to the session."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from lnexplorer.gui.session.experiments import ExperimentDesk
from lnexplorer.gui.session.touch import TouchDesk
from lnexplorer.gui.shell.parts import Parts
from lnexplorer.store.resources import resource

if TYPE_CHECKING:
    from lnexplorer.gui.experiments.pane import ExperimentsPane
    from lnexplorer.gui.memory_access.pane import TouchPane


def link_experiments(parts: Parts, pane: "ExperimentsPane", parent: QObject) -> None:
    """Experiments run on the window's device; those that were recorded come from the program's own files."""
    session = parts.session

    def backend() -> str | None:
        return session.state.device.backend if session.state.device is not None else None

    folder = resource("recordings")
    desk = ExperimentDesk(
        parts.supervisor,
        parts.files,
        folder,
        pane,
        lambda: session.state.request,
        parent,
        lambda: session.held,
        lambda: session.state.device,
    )
    desk.warned.connect(session.warn)
    desk.ended.connect(parts.history.add_experiment)
    parts.window.closing.connect(desk.close)
    parts.client.received.connect(desk.take)
    pane.set_backend(backend())
    session.changed.connect(lambda before, after: pane.set_backend(backend()) if before.device != after.device else None)


def link_touch(parts: Parts, pane: "TouchPane", parent: QObject) -> TouchDesk:
    """A row that is followed in the reduction is shown; the desk is to be closed with the window."""
    session, reduction = parts.session, parts.window.reduction
    desk = TouchDesk(parts.supervisor, parts.mailbox, pane, parent)
    parts.client.received.connect(desk.take)
    session.changed.connect(lambda _before, after: desk.follow(after))
    desk.follow(session.state)
    if reduction is not None:
        reduction.canvas.rowClicked.connect(lambda row: pane.choose_row(row) if row is not None else None)
    return desk
