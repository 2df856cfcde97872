"""The window's answers to a comparison: recordings in a folder, and a compiler in a worker of its own."""

from pathlib import Path

import pytest

from lnexplorer.domain.residents import kernel_of, sample_run
from lnexplorer.gui.reduction.comparison import WantedOccupancy
from lnexplorer.gui.reduction.controller import ComparisonController
from lnexplorer.gui.reduction.pane import ReductionPane
from lnexplorer.gui.responsive import Delivery
from lnexplorer.gui.shell.state import SessionState, show_result
from lnexplorer.protocol.messages import Broken, Finished, JobEnded, WorkerLost
from lnexplorer.store.recordings import read_recording
from lnkernels.sentence import verbatim
from tests.store.examples import small_result

RECORDINGS = Path(__file__).parents[2] / "resources" / "recordings"


class Worker:
    """Counts what it is asked, and answers when it is told to."""

    def __init__(self, put, device):
        self.put, self.device, self.asked, self.closed = put, device, [], False

    def submit(self, request):
        self.asked.append(request)
        return len(self.asked)

    def close(self):
        self.closed = True


@pytest.fixture
def desk(qtbot):
    pane, workers, answers = ReductionPane(), [], []
    qtbot.addWidget(pane)
    pane.comparison.take_occupancy = lambda wanted, per_sm: answers.append((wanted.group_size_m, per_sm))
    recording = read_recording(RECORDINGS / "h200_4096x1024_g256.lnrec")
    state = show_result(SessionState(), recording.result, recording.timeline)
    delivery = Delivery(pane)

    def start(put, device):
        workers.append(Worker(put, device))
        return workers[-1]

    made = ComparisonController(pane.comparison, lambda: state, RECORDINGS, delivery, pane, start)
    kernel = kernel_of(recording.result.resolved, recording.result.provenance.environment)

    def ask(group_size_m, architecture="sm_90"):
        sample = sample_run(recording.result.resolved, group_size_m)
        pane.comparison.occupancyWished.emit(WantedOccupancy(kernel, group_size_m, sample, architecture))

    yield made, ask, workers, answers, kernel
    made.close()
    delivery.close()


def test_recordings_of_the_kernel_are_found_by_the_timeline_on_show(desk):
    made, _, _, _, kernel = desk
    assert made.environment.gpu == kernel.gpu
    assert {1, 256} <= {seen.group_size_m for seen in made.seen(kernel)}


def test_one_worker_compiles_for_one_architecture_and_only_the_last_question_is_answered(desk, qtbot):
    _, ask, workers, answers, _ = desk
    ask(48)
    ask(24)
    assert [worker.device for worker in workers] == ["interpreter:sm_90"]
    workers[0].put(JobEnded(1, Broken("compile", verbatim("It was too late."), "")))
    workers[0].put(JobEnded(2, Finished(small_result())))
    qtbot.waitUntil(lambda: answers != [])
    assert [group for group, _ in answers] == [24]
    ask(24, "sm_80")
    assert workers[0].closed
    assert workers[1].device == "interpreter:sm_80"


def test_a_worker_that_is_lost_is_the_answer(desk, qtbot):
    _, ask, workers, answers, _ = desk
    ask(48)
    workers[0].put(WorkerLost(verbatim("There is no triton here."), "", restarting=False))
    qtbot.waitUntil(lambda: answers != [])
    assert answers == [(48, "There is no triton here.")]


def test_closing_ends_the_worker(desk):
    made, ask, workers, _, _ = desk
    ask(48)
    made.close()
    assert workers[0].closed
