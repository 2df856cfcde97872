"""What becomes of a benchmark when candidates take the worker with them."""

import queue
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.measuring import CandidateOutcome, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.benchmark import BenchmarkError, _point, benchmark_points
from lnexplorer.protocol.messages import Broken, EngineEvent, JobEnded, JobPart
from lnkernels.values.sentence import verbatim
from tests.engine.sweep.conftest import DEADLINES, FAKE_WORKER
from tests.engine.sweep.fake_worker import DIES, HANGS, WRONG

PROBLEM = RunRequest(m=64, n=256)


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the worker was asked."""
    path = tmp_path / "asked"
    path.touch()
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", str(path))
    return path


@pytest.mark.parametrize(
    ("group", "status", "words"),
    [(HANGS, "timed_out", "took longer than 1 s"), (DIES, "failed", "killed")],
)
def test_one_that_costs_the_worker_costs_itself_alone(
    group: int, status: str, words: str, log: Path
) -> None:
    settings = tuple(PROBLEM.changed(group_size_m=value) for value in (64, WRONG, group, 96))
    request = MeasureRequest(settings=settings, providers=("torch",), limit_seconds=1.0)
    later = MeasureRequest(providers=("torch",), problem=RunRequest(m=64, n=512))
    first, second = benchmark_points(
        [request, later], "cuda:0", command=FAKE_WORKER, deadlines=DEADLINES
    )
    assert [outcome.status for outcome in first.outcomes] == ["ok", "incorrect", status, "ok", "ok"]
    assert words in str(first.outcomes[2].reason)
    assert first.outcomes[2].setting == settings[2]
    assert (second.problem.n, [outcome.status for outcome in second.outcomes]) == (512, ["ok"])
    assert len(log.read_text().splitlines()) == 3 + 2 + 1, (
        "one whose outcome was told is not measured again"
    )


def test_outcomes_that_were_told_stay_where_the_worker_dies_behind_them() -> None:
    """A measured one is not told as failed."""
    events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
    told = [CandidateOutcome(label=name, status="ok") for name in ("torch", "liger")]

    class Dies:
        def submit(self, _: MeasureRequest) -> int:
            for event in (
                *(JobPart(1, one) for one in told),
                JobEnded(1, Broken("run", verbatim("It was killed."), "")),
            ):
                events.put(event)
            return 1

    worker: Any = Dies()
    found = _point(
        worker,
        events,
        MeasureRequest(providers=("torch", "liger"), problem=PROBLEM),
        lambda _: None,
    )
    assert list(found.outcomes) == told


def test_what_keeps_every_point_from_being_measured_ends_it() -> None:
    request = MeasureRequest(settings=(PROBLEM,))
    with pytest.raises(BenchmarkError, match="There is no GPU 9"):
        list(benchmark_points([request], "cuda:9", command=FAKE_WORKER, deadlines=DEADLINES))
