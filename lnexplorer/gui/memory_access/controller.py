"""What a row's programs touch, asked of the interpreter: the window's own worker where it is one, else one started for this."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject

from lnexplorer.domain.request import RunRequest, check, resolve
from lnexplorer.domain.touch import Touched, TouchRequest
from lnexplorer.gui.memory_access.pane import TouchPane
from lnexplorer.gui.responsive import Delivery
from lnexplorer.gui.shell.client import EngineClient
from lnexplorer.gui.shell.messages import sentence_of
from lnexplorer.gui.shell.services import Services
from lnexplorer.gui.shell.state import SessionState
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, Outcome, Refused, WorkerLost
from lnkernels.launch import Problem
from lnkernels.sentence import say


class TouchEngine(Protocol):
    """What is asked of the engine; the supervisor offers it."""

    def submit(self, request: TouchRequest) -> int:
        """Tell what a row's programs load and store; the job's number."""

    def close(self) -> None:
        """End everything."""


def start_interpreter(put: Callable[[EngineEvent], None]) -> TouchEngine:
    from lnexplorer.engine.supervisor import Supervisor  # noqa: PLC0415  (most windows never need a second one)

    supervisor = Supervisor(put, device="interpreter")
    supervisor.start()
    return supervisor


class TouchController(QObject):
    """Ties the pane to the engine.

    Args:
        engine: the window's own, of whose events `take` hears.
        delivery: the way of other threads to Qt's.
        pane: shows them.
        parent: owns this.
        start: starts a worker on the interpreter, where the window's own has a GPU.
    """

    def __init__(
        self,
        engine: TouchEngine,
        delivery: Delivery,
        pane: TouchPane,
        parent: QObject | None = None,
        start: Callable[[Callable[[EngineEvent], None]], TouchEngine] = start_interpreter,
    ) -> None:
        super().__init__(parent)
        self._own, self._delivery, self._pane, self._start = engine, delivery, pane, start
        self._second: TouchEngine | None = None
        self._client: EngineClient | None = None
        self._problem: RunRequest | None = None
        self._backend: str | None = None
        self._asked: tuple[bool, int] | None = None  # whether of the second worker, and the job's number
        pane.touchRequested.connect(self._ask)

    def follow(self, state: SessionState) -> None:
        self._backend = state.device.backend if state.device is not None else None
        if self._backend is None or state.problems:
            return
        resolved = resolve(state.request, state.backend, state.limits)
        problem = replace(state.request, m=resolved.m, n=resolved.n, seed=0, repeats=1, data="tutorial")
        if problem != self._problem:
            self._problem = problem
            self._pane.set_shape(resolved.m, resolved.n)
            self._pane.ask_again()

    def take(self, event: EngineEvent) -> None:
        self._hear(event, second=False)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        if self._second is not None:
            self._second.close()

    def _ask(self, row: int, column: int) -> None:
        if self._problem is None:
            return
        problems = check(self._problem, "interpreter")
        if self._problem.strategy != "locked":
            problems = [Problem("strategy", self._problem.strategy, say("choose one of {choices}", choices="locked"))]
        if problems:
            self._pane.show_problem(sentence_of(Refused(tuple(problems))))
            return
        second = self._backend != "interpreter"
        engine = self._interpreter() if second else self._own
        self._pane.set_waiting()
        self._asked = (second, engine.submit(TouchRequest(problem=self._problem, row=row, column=column)))

    def _interpreter(self) -> TouchEngine:
        if self._second is None:
            self._client = EngineClient(self._delivery, self)
            self._client.received.connect(lambda event: self._hear(event, second=True))
            self._second = self._start(self._client.put)
        return self._second

    def _hear(self, event: EngineEvent, *, second: bool) -> None:
        match event:
            case JobEnded(job=job, outcome=outcome) if self._asked == (second, job):
                self._asked = None
                self._end(outcome)
            case WorkerLost(restarting=False) if second:
                self._pane.show_problem(sentence_of(event))
            case _:
                pass

    def _end(self, outcome: Outcome) -> None:
        match outcome:
            case Finished(Touched() as touched):
                self._pane.show_touched(touched)
            case Refused() | Broken():
                self._pane.show_problem(sentence_of(outcome))
            case _:
                self._pane.ask_again()  # stopped with a run of the same worker, and still wanted


def connect(pane: TouchPane, services: Services) -> TouchController:
    """A row that is followed in the reduction is shown."""
    session = services.session
    controller = TouchController(services.supervisor, services.delivery, pane, pane)
    services.client.received.connect(controller.take)
    session.changed.connect(lambda _before, after: controller.follow(after))
    controller.follow(session.state)
    reduction = services.window.pane("reduction")
    reduction.canvas.rowClicked.connect(lambda row: pane.choose_row(row) if row is not None else None)
    return controller
