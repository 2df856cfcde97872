"""Ties the Correctness pane to the session."""

from collections.abc import Callable
from functools import partial

from lnexplorer.domain.request import other_setting
from lnexplorer.gui.panes.correctness.pane import CorrectnessPane
from lnexplorer.gui.session.services import Services
from lnexplorer.gui.session.state import SessionState


def connect(pane: CorrectnessPane, services: Services) -> None:
    """The pane shows the errors of the run on show, and asks for finer parts of their map."""
    steps, session = services.steps, services.session

    def follow(before: SessionState, after: SessionState) -> None:
        run = after.run
        if before.run.correctness is not run.correctness:
            show: Callable[[], None] = pane.clear
            if run.correctness is not None and run.resolved is not None and run.kind is not None:
                show = partial(pane.show_correctness, run.correctness, run.resolved, run.kind)
            steps.add("correctness", show)
        if before.run is not run or before.plan is not after.plan:
            setting = other_setting(run.resolved, after.plan, run.machine)
            steps.add("correctness setting", partial(pane.veil.show_other, setting))
        if before.run.map is not run.map and run.map is not None:
            steps.add("map", partial(pane.errors.show_map, run.map))

    pane.errors.map_card.partWanted.connect(session.inspect)
    session.changed.connect(follow)
    follow(SessionState(), session.state)
