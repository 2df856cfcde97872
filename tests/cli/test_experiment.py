"""`lnexplorer experiment` on the interpreter and from files."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.cli import interrupts
from lnexplorer.cli.main import main
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
from lnexplorer.store.recordings import read_experiment, write_experiment
from lnkernels.values.sentence import verbatim
from tests.sample_experiments import sample
from tests.sample_results import make_device


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["experiment", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


@pytest.mark.usefixtures("worker")
def test_an_experiment_is_done_saved_kept_and_shown_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "barrier.lnexperiment"
    arguments = [
        "--device",
        "interpreter",
        "--m",
        "8",
        "--n",
        "16",
        "--group-size-m",
        "2",
        "--repeats",
        "2",
    ]
    assert main(["experiment", "barrier", *arguments, "--json", "--save", str(path)]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert document["provenance"]["kind"] == "interpreted"
    assert document["resolved"]["m"] == 8
    findings = document["findings"]
    assert (findings["left_out"]["runs"], findings["left_out"]["wrong_runs"]) == (2, 0)
    assert findings["put_back"]["rate_below"] == pytest.approx(1.5)
    assert len(findings["left_out"]["wrong_dw"]) == 16
    assert "interpreter" in document["seen"]
    assert read_experiment(path).request.runs == 2
    assert main(["experiment", "barrier", "--recorded", str(path)]) == 0
    printed = capsys.readouterr().out
    assert document["seen"] in printed
    assert printed.count("cannot show") == 3 + 1
    assert "below" not in printed
    history = History(find_paths().history, pytest.fail)
    (row,) = history.experiments.rows()  # what was only looked at is not kept once more
    assert (row.name, row.m, row.n, row.ended) == ("barrier", 8, 16, "finished")
    history.close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["gpus", "--device", "cuda:0,cuda:0"],
            "device = cuda:0,cuda:0 is not possible: name each GPU once",
        ),
        (
            ["gpus", "--device", "cuda:0,interpreter"],
            "take GPUs of this machine, as in cuda:0,cuda:1",
        ),
        (["order", "--device", "cuda:0,cuda:1"], "only gpus runs on several"),
        (["gpus", "--ranks", "1"], "ranks = 1 is not possible: take a whole number from 2 to 64"),
        (["order", "--ranks", "2"], "ranks = 2 is not possible: leave it out: only gpus has them"),
    ],
)
def test_gpus_that_cannot_add_together_are_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refused(capsys, *arguments)


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_one_that_is_interrupted_is_kept_with_what_it_had_found(
    sent: signal.Signals,
    status: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interrupts, "_last", float("-inf"))
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    part = sample("barrier")

    def conduct(
        _request: ExperimentRequest, _device: str, hear: Callable[[EngineEvent], None]
    ) -> Outcome:
        hear(WorkerReady(make_device("cuda")))
        hear(JobProgress(1, "run", verbatim("runs"), 120, 2000))
        hear(JobPart(1, part))
        os.kill(os.getpid(), sent)
        return Stopped()

    monkeypatch.setattr(supervisor, "run_to_end", conduct)
    assert main(["experiment", "barrier"]) == status
    assert [signal.getsignal(number) for number in interrupts.ENDS] == [
        signal.SIG_DFL,
        signal.SIG_DFL,
    ]
    assert "interrupted" in capsys.readouterr().err.lower()
    history = History(find_paths().history, pytest.fail)
    (row,) = history.experiments.rows()
    assert (row.ended, row.done, row.total, row.device) == ("stopped", 120, 2000, "NVIDIA H200")
    found = history.experiments.load(row.id).result
    assert found is not None
    assert found.findings_of(Barriers).left_out.runs == 1000
    history.close()


def test_what_is_not_possible_is_refused_by_its_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--repeats" in refused(capsys, "order", "--repeats", "1")
    assert "--strategy" in refused(capsys, "order", "--strategy", "atomic")
    assert "--group-size-m" in refused(
        capsys, "barrier", "--m", "9000", "--n", "64", "--group-size-m", "1"
    )
    assert "save = /dev/null/one is not possible: name a file in a folder" in refused(
        capsys, "order", "--save", "/dev/null/one"
    )
    path = tmp_path / "one"
    write_experiment(path, sample("order"))
    assert "not barrier" in refused(capsys, "barrier", "--recorded", str(path))
    assert "cannot be read" in refused(capsys, "barrier", "--recorded", str(tmp_path / "none"))
