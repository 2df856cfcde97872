"""Ties the Correctness pane to the session."""

from functools import partial

from lnexplorer.gui.panes.correctness.pane import CorrectnessPane
from lnexplorer.gui.session.services import Services
from lnexplorer.gui.session.state import SessionState


def connect(pane: CorrectnessPane, services: Services) -> None:
    """The pane shows the errors of the run on show, and asks for finer parts of their map."""
    steps, session = services.steps, services.session

    def show(state: SessionState) -> None:
        correctness, resolved, kind = state.run.correctness, state.run.resolved, state.run.kind
        if correctness is None or resolved is None or kind is None:
            steps.add("correctness", pane.clear)
        else:
            steps.add("correctness", partial(pane.show_correctness, correctness, resolved, kind))

    def follow(before: SessionState, after: SessionState) -> None:
        if before.run.correctness is not after.run.correctness:
            show(after)
        if before.run.map is not after.run.map and after.run.map is not None:
            steps.add("map", partial(pane.errors.show_map, after.run.map))

    pane.errors.inspectRequested.connect(session.inspect)
    session.changed.connect(follow)
    show(session.state)
