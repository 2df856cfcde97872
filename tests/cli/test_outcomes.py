"""Ends of a job that a run here does not come to, handed to the command as the engine would."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from lnexplorer.__main__ import main
from lnexplorer.engine import supervisor
from lnexplorer.protocol.messages import Broken, Finished, Outcome, Refused, Stopped
from lnkernels.launch import Problem
from lnkernels.sentence import verbatim
from lnkernels.values.environment import Kind
from tests.sample_results import make_correctness, make_result

End = Callable[[Outcome], None]


@pytest.fixture
def end_with(monkeypatch: pytest.MonkeyPatch) -> End:
    def patch(outcome: Outcome) -> None:
        monkeypatch.setattr(supervisor, "run_to_end", lambda *_, **__: outcome)

    return patch


def test_a_result_beyond_its_tolerance_ends_with_status_1_and_is_named(end_with: End, capsys: pytest.CaptureFixture[str]) -> None:
    end_with(Finished(make_result(64, 128, correctness=make_correctness(64, 128, failing=("dw",)))))
    assert main(["run"]) == 1
    assert "Beyond tolerance: dw." in capsys.readouterr().out
    assert main(["run", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["passed"] is False
    assert document["correctness"]["dw"]["passed"] is False
    assert document["correctness"]["y"]["passed"] is True


def test_misplaced_nans_are_counted_in_the_table(end_with: End, capsys: pytest.CaptureFixture[str]) -> None:
    end_with(Finished(make_result(64, 128, correctness=make_correctness(64, 128, misplaced=3))))
    assert main(["run"]) == 1
    assert "FAILED, 3 misplaced NaN or infinity" in capsys.readouterr().out


def test_a_measured_run_shows_every_speed_with_its_spread_and_share(end_with: End, capsys: pytest.CaptureFixture[str]) -> None:
    end_with(Finished(replace(make_result(4096, 8192), notes=(verbatim("The clocks were low."),))))
    assert main(["run"]) == 0
    out = capsys.readouterr().out
    assert "measured: Measured on this machine's GPU." in out
    (line,) = (line for line in out.splitlines() if line.startswith("locked") and "backward" in line and "kernel, cold" in line)
    assert " 1690 " in line
    assert "45 %" in line
    assert "apex: no time, apex.normalization has no FusedLayerNorm here" in out
    assert out.rstrip().endswith("The clocks were low.")


def test_an_interpreted_run_shows_no_speed(end_with: End, capsys: pytest.CaptureFixture[str]) -> None:
    end_with(Finished(make_result(64, 128, kind=Kind.INTERPRETED)))
    assert main(["run"]) == 0
    assert "GB/s" not in capsys.readouterr().out


def test_a_refusal_of_the_worker_ends_with_status_2(end_with: End, capsys: pytest.CaptureFixture[str]) -> None:
    end_with(Refused((Problem("m", "16777216", verbatim("with N = 8192 a run takes 999.0 GiB, and 138.0 GiB are free")),)))
    assert main(["run", "--json"]) == 2
    captured = capsys.readouterr()
    assert "m = 16777216 (--m) is not possible: with N = 8192 a run takes 999.0 GiB" in captured.err
    assert json.loads(captured.out)["error"]["problems"][0]["field"] == "m"


def test_a_failure_names_its_phase_and_cause(end_with: End, capsys: pytest.CaptureFixture[str]) -> None:
    end_with(Broken("run", verbatim("The worker was killed (SIGKILL) while running."), "the tail of its stderr"))
    assert main(["run", "--json"]) == 3
    captured = capsys.readouterr()
    assert "failed in phase run: The worker was killed (SIGKILL) while running." in captured.err
    assert "the tail of its stderr" in captured.err
    assert json.loads(captured.out)["error"] == {
        "kind": "failed",
        "phase": "run",
        "cause": "The worker was killed (SIGKILL) while running.",
    }


def test_a_stopped_run_is_an_interruption(end_with: End) -> None:
    end_with(Stopped())
    assert main(["run"]) == 130
