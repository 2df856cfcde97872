"""Compares two states of the session and touches of the window itself only what differs; parts have controllers of
their own.
"""

from lnexplorer.domain.request import resolve
from lnexplorer.gui.responsive import IdleSteps
from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.state import Notice, SessionState, WorkerState, differ
from lnexplorer.protocol.messages import Broken, WorkerLost


class Presenter:
    """Shows the session in headlines, status bar and messages."""

    def __init__(self, window: MainWindow, steps: IdleSteps) -> None:
        self._window = window
        self._steps = steps

    def show(self, before: SessionState, after: SessionState) -> None:
        """Show what differs."""
        window, actions = self._window, self._window.actions_
        if before.busy != after.busy:
            actions["stop"].setEnabled(after.busy)
        if before.live != after.live:
            actions["live"].setChecked(after.live)
        if differ(before, after, "worker_shown", "device"):
            window.status.show_worker(after.worker_shown, after.device)
        if before.progress is not after.progress:
            window.status.show_progress(after.progress)
        if before.notice is not after.notice:
            self._notice(after)
        if differ(before, after, "resolved", "kind", "correctness", "figures"):
            run = after.resolved, after.kind, after.correctness, after.figures
            self._steps.add("headline", lambda: window.headline.show_run(*run))
        if differ(before, after, "request", "problems", "device") and not after.problems:
            self._steps.add("headings", lambda: self._headings(after))

    def _headings(self, state: SessionState) -> None:
        resolved = resolve(state.request, state.backend, state.limits)
        for heading in self._window.headings:
            heading.show_parameters(resolved)

    def _notice(self, state: SessionState) -> None:
        if state.notice is None:
            self._window.message.hide()
        else:
            self._window.message.show_notice(state.notice, can_restart=_can_restart(state.notice, state.worker))


def _can_restart(notice: Notice, worker: WorkerState) -> bool:
    """Whether starting a worker helps: not where one is being started, or is there."""
    if isinstance(notice, WorkerLost):
        return not notice.restarting
    return isinstance(notice, Broken) and worker is WorkerState.LOST
