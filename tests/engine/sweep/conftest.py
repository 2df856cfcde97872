import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.sources import source_of
from lnexplorer.engine.sweep import SweepRunner
from tests.engine.listener import Hearing

FAKE_WORKER = (sys.executable, "-P", str(Path(__file__).with_name("fake_worker.py")))
DEADLINES = Deadlines(start=30, heartbeat=10, grace=0.5)
PROBLEM = RunRequest(m=4096, n=1024)
Start = Callable[..., Hearing]
Asked = Callable[[], list[str]]


def groups(*values: int) -> SweepRequest:
    return SweepRequest(base=PROBLEM, axes=(Axis(name="group_size_m", values=values),))


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the fake workers were asked so far: "device N label"."""
    log = tmp_path / "asked"
    log.touch()
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", str(log))
    return lambda: log.read_text().splitlines()


def hold_after(jobs: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have fake workers that are started from now on stand still after so many jobs, each with the
    rows of a batch, until the file that this returns is gone.
    """
    hold = folder / "hold"
    hold.write_text(str(jobs))
    monkeypatch.setenv("LNEXPLORER_FAKE_HOLD", str(hold))
    return hold


@pytest.fixture
def sweep_of(asked: Asked) -> Iterator[Start]:
    """Starts a sweep with fake workers, and hears it."""
    hearings: list[Hearing] = []

    def start(sweep: SweepRequest, before: Sequence[CellResult] = (), **options: Any) -> Hearing:
        hearing = Hearing()
        settings = {
            "devices": ("cuda:0",),
            "step_seconds": 5.0,
            "command": FAKE_WORKER,
            "deadlines": DEADLINES,
        } | options
        make_source = settings.pop("make_source", lambda: source_of(sweep, before))
        hearing.runner = SweepRunner(make_source, hearing, **settings)
        hearings.append(hearing)
        hearing.runner.start()
        return hearing

    yield start
    for hearing in hearings:
        hearing.runner.cancel()
        assert hearing.runner.join(30)
