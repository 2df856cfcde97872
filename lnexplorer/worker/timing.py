"""Time candidates in turns with each other, and with other workers on the same GPU."""

import math
import time
from collections.abc import Callable
from dataclasses import replace

from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.worker.candidates import Candidate
from lnexplorer.worker.connection import Task
from lnexplorer.worker.turns import turn
from lnkernels.check.judging import Judge
from lnkernels.device import environment
from lnkernels.providers.protocol import Case
from lnkernels.timing.measure import EVERYTHING, MEASURED, Ceilings, Which, measure
from lnkernels.timing.rounds import Effort
from lnkernels.values.environment import Environment
from lnkernels.values.figures import DIRECTIONS, MODES, Figure, Subject, Throughput

TELL_SECONDS = 0.1  # between two messages about the same figure
# Of a measurement that gives each figure a time of its own: turns long enough that what happens
# between them costs little.
LONG_TURN = 200
LONG_TURN_MS = 25.0


def time_candidates(
    task: Task,
    case: Case,
    candidates: list[Candidate],
    *,
    effort: Effort,
    on_turn: Callable[[Subject], None],
    which: Which = EVERYTHING,
    ceilings: Ceilings | None = MEASURED,
    referee: Judge | None = None,
) -> tuple[Throughput, Environment, Environment]:
    """Time the candidates that are right, report their figures, and return the device before and
    after. Each candidate keeps its figures and refusals.

    Args:
        task: the job.
        case: the tensors, on the device that is timed.
        candidates: those that something speaks against are left out, unless somebody insists.
        effort: how long to go on.
        on_turn: called as each turn begins.
        which: passes and ways of calling.
        ceilings: where settled ceilings are kept; None measures none.
        referee: judges what users' kernels gave at the end.

    Raises:
        JobCancelled: the job was cancelled, between two turns.
    """
    reported: dict[Subject, float] = {}

    def on_figure(figure: Figure) -> None:
        # Samples come along every time, so that a message a turn would be more of them than there
        # are.
        now = time.monotonic()
        if now - reported.get(figure.subject, -math.inf) >= TELL_SECONDS:
            reported[figure.subject] = now
            task.tell(figure)

    device = case.x.device
    with turn(task, device):
        # Here, when the GPU has just worked, its clocks are those of work.
        before = environment(device)
        timed = measure(
            case,
            [each.provider for each in candidates if each.provider and each.is_timed],
            which=which,
            effort=effort,
            should_stop=lambda: task.cancelled,
            on_figure=on_figure,
            on_turn=on_turn,
            check=lambda _: None,
            ceilings=ceilings,
            referee=referee,
            verdicts={each.label: each.verdict for each in candidates},
        )
        after = environment(device)
    task.check()
    for each in candidates:
        each.take(timed)
    return timed, before, after


def which_of(request: MeasureRequest) -> Which:
    """List the passes and ways of calling: cold kernels first, and of each way the forward pass."""
    return [
        (direction, mode)
        for mode in MODES
        for direction in DIRECTIONS
        if mode in request.modes and direction in request.directions
    ]


def effort_of(request: MeasureRequest) -> Effort:
    effort = Effort(
        seconds=request.seconds,
        most=request.most,
        within=request.within,
        least_seconds=request.least_seconds,
    )
    long = replace(effort, turn=LONG_TURN, turn_ms=LONG_TURN_MS)
    return long if request.least_seconds > 0 else effort
