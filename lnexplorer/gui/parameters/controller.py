"""Ties the form to the session."""

from lnexplorer.gui.parameters.pane import ParametersPane
from lnexplorer.gui.shell.services import Services
from lnexplorer.gui.shell.state import SessionState


def connect(pane: ParametersPane, services: Services) -> None:
    """What is chosen in the form is the session's request; what the session knows is shown in the form."""
    session = services.session

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

    pane.requestChanged.connect(session.set_request)
    pane.kernel.changed.connect(session.set_kernel)
    pane.run.clicked.connect(session.run)
    pane.stop.clicked.connect(session.stop)
    pane.live.toggled.connect(session.set_live)
    session.changed.connect(show)
    pane.kernel.show_kernel(session.state.kernel)
    pane.set_live(session.state.live)
