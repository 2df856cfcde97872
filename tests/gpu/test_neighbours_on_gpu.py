"""Settings one step away, timed on a GPU."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import Change, ExperimentRequest
from lnexplorer.domain.experiments.neighbours import Neighbours
from lnexplorer.worker.connection import Task
from lnexplorer.worker.device import open_device
from lnexplorer.worker.experiments import neighbours
from lnexplorer.worker.experiments.work import Work
from lnexplorer.worker.measuring import Measurer
from tests.gpu.test_experiments_on_gpu import done

pytestmark = pytest.mark.gpu


def test_the_default_problem_has_known_differences_and_measured_limits() -> None:
    found = done("neighbours", budget_seconds=30.0).findings_of(Neighbours)
    assert found.ms is not None
    assert len(found.rows) >= 15
    assert found.rounds >= 10
    rows = {str(row.change.text): row for row in found.rows}
    assert rows["strategy locked → persistent"].is_faster, "its rows queue for no lock"
    assert sum(row.settled for row in found.rows) >= len(found.rows) // 2
    timed = [limit for limit in found.limits if limit.share is not None]
    assert len(timed) >= 4  # bytes, queue or tries, stage 2, last wave
    assert all(0 < limit.share < 1.1 for limit in timed if limit.share is not None)


class Quiet:
    """A task that nobody hears."""

    cancelled = False

    def __getattr__(self, _name: str) -> object:
        return lambda *_, **__: None

    @contextmanager
    def interruptible(self, *, prompt: bool = False) -> Iterator[None]:
        del prompt
        yield


def test_a_launch_beside_itself_differs_by_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four copies of the present setting: captured anew each round, they are alike to 1 %."""
    torch_device, device = open_device("cuda:0")
    own = EXPERIMENTS["neighbours"]
    request = own.complete(ExperimentRequest(name="neighbours", budget_seconds=25.0), "cuda")
    resolved = own.resolve(request, "cuda", device.limits)
    warps = resolved.launch.num_warps
    same = [Change("num_warps", warps, warps) for _ in range(4)]
    monkeypatch.setattr(neighbours, "changes_beside", lambda *_: same)
    work = Work(
        task=cast("Task", Quiet()),
        request=request,
        resolved=resolved,
        measurer=Measurer(torch_device, device),
        torch_device=torch_device,
        device=device,
        tell=lambda _findings: None,
    )
    found = neighbours.measure(work)
    assert found.rounds >= 10
    for row in found.rows:
        assert row.settled, row.gain
        assert abs(row.gain.value - 1) < 0.01, row.gain
        assert not row.is_faster or row.gain.value < 1.01
