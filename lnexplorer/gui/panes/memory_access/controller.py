"""The controller of the Memory access pane: asks an interpreter for accesses."""

from collections.abc import Callable

from lnexplorer.domain.jobs import Touched, TouchRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.roofline import roofline
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.panes.memory_access.pane import TouchPane
from lnexplorer.gui.session.messages import notice_text
from lnexplorer.gui.session.services import REDUCTION, Controller, OwnWorker, Services, start_worker
from lnexplorer.gui.session.state import SessionState
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, Outcome, Refused


class TouchController(Controller):
    """Asks the window's own worker where it is an interpreter, else one that `start` starts."""

    def __init__(
        self, pane: TouchPane, services: Services, start: Callable[..., Supervisor] = start_worker
    ) -> None:
        super().__init__(pane)
        self._own = services.supervisor
        self._second = OwnWorker(services, self, start)
        self._pane = pane
        self._problem: RunRequest | None = None
        self._state = SessionState()  # the newest
        self._asked: int | None = None  # the job's number at the window's own
        pane.touchRequested.connect(self._ask)

    def follow(self, state: SessionState, before: SessionState | None = None) -> None:
        if before is None or before.run.result is not state.run.result:
            self._show_run(state)
        self._state = state
        self._compare()
        if state.device is None or state.plan.problems:
            return
        plan = state.plan
        problem = plan.shaped.without_data()
        if problem != self._problem:
            self._problem = problem
            self._pane.set_shape(plan.resolved.m, plan.resolved.n)
            self._pane.asking.start()

    def take(self, event: EngineEvent) -> None:
        if isinstance(event, JobEnded) and event.job == self._asked:
            self._asked = None
            self._end(event.outcome)

    def close(self) -> None:
        self._second.close()

    def _show_run(self, state: SessionState) -> None:
        if state.run.result is None:
            self._pane.show_run(None)
        else:
            provenance = state.run.result.provenance
            shown = roofline(state.run.result, state.limits)
            self._pane.show_run(shown, provenance.kind, provenance.environment.where)

    def _ask(self, row: int, column: int) -> None:
        if self._problem is None:
            return
        self._pane.set_waiting()
        job = TouchRequest(problem=self._problem, row=row, column=column)
        device = self._state.device
        if device is not None and device.backend == "interpreter":
            self._asked = self._own.submit(job)
        else:
            self._second.ask(job, self._end)

    def _compare(self) -> None:
        run = self._state.run
        self._pane.compare(self._state.plan, run.resolved, run.machine)

    def _end(self, outcome: Outcome) -> None:
        match outcome:
            case Finished(Touched() as touched):
                if (
                    touched.request.problem == self._problem
                ):  # else another one is asked for as soon as somebody looks
                    self._pane.show_touched(touched)
                    self._compare()
            case Refused() | Broken():
                self._pane.show_problem(notice_text(outcome))
            case _:
                self._pane.asking.start()  # stopped with a run of the same worker, and still wanted


def connect(pane: TouchPane, services: Services) -> TouchController:
    """A row that is followed in the reduction is shown."""
    session = services.session
    controller = TouchController(pane, services)
    services.received.connect(controller.take)
    session.changed.connect(lambda before, after: controller.follow(after, before))
    controller.follow(session.state)
    pane.untimed.acted.connect(services.files.open_example)
    services.part(REDUCTION).rowFollowed.connect(
        lambda row: pane.choose_row(row) if row is not None else None
    )
    return controller
