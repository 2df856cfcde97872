"""Ties the panes of experiments and of what a program touches to the session."""

from typing import TYPE_CHECKING

from lnexplorer.gui.session.experiments import ExperimentDesk
from lnexplorer.gui.session.touch import TouchDesk
from lnexplorer.storage.resources import resource

if TYPE_CHECKING:
    from lnexplorer.gui.application import Explorer
    from lnexplorer.gui.panes.experiments import ExperimentsPane
    from lnexplorer.gui.panes.touch import TouchPane


def link_experiments(explorer: "Explorer", pane: "ExperimentsPane") -> None:
    """Experiments run on the window's device; those that were recorded come from the program's own files."""
    session = explorer.session

    def backend() -> str | None:
        return session.state.device.backend if session.state.device is not None else None

    folder = resource("recordings")
    desk = ExperimentDesk(
        explorer.supervisor,
        explorer.files,
        folder,
        pane,
        lambda: session.state.request,
        explorer,
        lambda: session.held,
        lambda: session.state.device,
    )
    desk.warned.connect(session.warn)
    desk.ended.connect(explorer.history.add_experiment)
    explorer.window.closing.connect(desk.close)
    explorer.client.received.connect(desk.take)
    pane.set_backend(backend())
    session.changed.connect(lambda before, after: pane.set_backend(backend()) if before.device != after.device else None)


def link_touch(explorer: "Explorer", pane: "TouchPane") -> TouchDesk:
    """A row that is followed in the reduction is shown; the desk is to be closed with the window."""
    session, reduction = explorer.session, explorer.window.reduction
    desk = TouchDesk(explorer.supervisor, explorer.mailbox, pane, explorer)
    explorer.client.received.connect(desk.take)
    session.changed.connect(lambda _before, after: desk.follow(after))
    desk.follow(session.state)
    if reduction is not None:
        reduction.canvas.rowClicked.connect(lambda row: pane.choose_row(row) if row is not None else None)
    return desk
