"""`lnexplorer neighbours` on the interpreter and from files."""

from pathlib import Path
from typing import Any

import pytest

from lnexplorer.cli import experiment
from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.store.recordings import read_experiment, write_experiment
from tests.cli.conftest import Command
from tests.sample_experiments import sample

SMALL = "--m 2 --n 16 --device interpreter -q"


@pytest.mark.usefixtures("worker")
def test_the_interpreter_checks_all_and_gives_no_times(tmp_path: Path, lnexplorer: Command) -> None:
    path = tmp_path / "all.lnexperiment"
    arguments = f"--group-size-m 2 --strategy locked --json --save {path}"
    document: dict[str, Any] = lnexplorer(f"neighbours {SMALL} {arguments}").document
    findings = document["findings"]
    assert findings["ms"] is None
    changed = {row["change"]["name"] for row in findings["rows"]}
    assert {"strategy", "num_warps", "group_size_m", "partial_dtype"} <= changed
    for row in findings["rows"]:
        assert (row["right"], row["rounds"], row["gain"]["high"]) == (True, 0, None)
    assert "times mean nothing" in document["seen"]
    assert read_experiment(path).request.name == "neighbours"


def test_a_recorded_one_is_shown_ranked(tmp_path: Path, lnexplorer: Command) -> None:
    path = tmp_path / "recorded.lnexperiment"
    write_experiment(path, sample("neighbours"), "")
    printed = lnexplorer(f"neighbours --recorded {path}").out
    order = ["num_warps 8 → 4", "num_stages 3 → 2", "GROUP_SIZE_M 96 → 64", "BLOCK_SIZE"]
    places = [printed.index(name, printed.index("one step away  ")) for name in order]
    assert places == sorted(places)
    assert "6.1 % faster (5.4 to 6.8)" in printed
    assert "62 % of the time: moving the bytes" in printed


def test_a_climb_takes_the_fastest_until_none_is_faster(
    monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    found, asked = sample("neighbours"), list[ExperimentRequest]()
    none_left = sample("neighbours", gpu=False)

    def done(wanted: ExperimentRequest, _device: str) -> tuple[ExperimentResult, bool]:
        asked.append(wanted)
        return (found if len(asked) == 1 else none_left), True

    monkeypatch.setattr(experiment, "_done", done)
    assert "Take num_warps 8 → 4" in lnexplorer("neighbours --climb").err
    assert [request.problem.launch.num_warps for request in asked] == [None, 4]
    assert str(asked[1].path[0].change.text) == "num_warps 8 → 4"
