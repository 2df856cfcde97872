"""`lnexplorer experiment` on the interpreter and from files."""

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.cli import interrupts
from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.experiment import ExperimentRequest
from lnexplorer.engine import supervisor
from lnexplorer.protocol.messages import (
    EngineEvent,
    JobPart,
    JobProgress,
    Outcome,
    Stopped,
    WorkerReady,
)
from lnexplorer.store.history import History
from lnexplorer.store.paths import HOME_VARIABLE, find_paths
from lnexplorer.store.recordings import read_experiment
from lnkernels.values.sentence import verbatim
from tests.cli.conftest import Command
from tests.sample_experiments import sample
from tests.sample_results import make_device


@pytest.mark.usefixtures("worker")
def test_an_experiment_is_done_saved_kept_and_shown_again(
    tmp_path: Path, lnexplorer: Command
) -> None:
    path = tmp_path / "barrier.lnexperiment"
    arguments = "--device interpreter --m 8 --n 16 --group-size-m 2 --repeats 2"
    document: dict[str, Any] = lnexplorer(
        f"experiment barrier {arguments} --json --save {path}"
    ).document
    assert document["provenance"]["kind"] == "interpreted"
    assert document["resolved"]["m"] == 8
    findings = document["findings"]
    assert (findings["left_out"]["runs"], findings["left_out"]["wrong_runs"]) == (2, 0)
    assert findings["put_back"]["rate_below"] == pytest.approx(1.5)
    assert len(findings["left_out"]["wrong_dw"]) == 16
    assert "interpreter" in document["seen"]
    assert read_experiment(path).request.runs == 2
    printed = lnexplorer(f"experiment barrier --recorded {path}").out
    assert document["seen"] in printed
    assert lnexplorer(f"experiment --recorded {path}").out == printed, "the file says which"
    assert printed.count("cannot show") == 3 + 1
    assert "below" not in printed
    history = History(find_paths().history, pytest.fail)
    (row,) = history.experiments.rows()  # what was only looked at is not kept once more
    assert (row.name, row.m, row.n, row.ended) == ("barrier", 8, 16, "finished")
    history.close()


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_one_that_is_interrupted_is_kept_with_what_it_had_found(
    sent: signal.Signals,
    status: int,
    tmp_path: Path,
    lnexplorer: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interrupts, "_last", float("-inf"))
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    part = sample("barrier")

    def conduct(
        _requests: Sequence[ExperimentRequest], _device: str, hear: Callable[[EngineEvent], None]
    ) -> list[Outcome]:
        hear(WorkerReady(make_device("cuda")))
        hear(JobProgress(1, "run", verbatim("runs"), 120, 2000))
        hear(JobPart(1, part))
        os.kill(os.getpid(), sent)
        return [Stopped()]

    monkeypatch.setattr(supervisor, "run_in_turn", conduct)
    said = lnexplorer("experiment barrier", status=status).err
    assert [signal.getsignal(number) for number in interrupts.ENDS] == [
        signal.SIG_DFL,
        signal.SIG_DFL,
    ]
    assert "interrupted" in said.lower()
    history = History(find_paths().history, pytest.fail)
    (row,) = history.experiments.rows()
    assert (row.ended, row.done, row.total, row.device) == ("stopped", 120, 2000, "NVIDIA H200")
    found = history.experiments.load(row.id).result
    assert found is not None
    assert found.findings_of(Barriers).left_out.runs == 1000
    history.close()
