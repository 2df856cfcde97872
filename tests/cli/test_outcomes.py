"""Ends of a job that a run here does not come to, handed to the command as the engine would."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from lnexplorer.cli import commands
from lnexplorer.cli.jobs import gpu_count, missing_devices, without_result
from lnexplorer.doctor.facts import Driver, Gpu
from lnexplorer.engine import supervisor
from lnexplorer.protocol.messages import Broken, Finished, Outcome
from lnkernels.values.sentence import verbatim
from tests.cli.conftest import Command
from tests.sample_experiments import hangs
from tests.sample_results import make_correctness, make_result

End = Callable[[Outcome], None]


@pytest.fixture
def end_with(monkeypatch: pytest.MonkeyPatch) -> End:
    def patch(outcome: Outcome) -> None:
        monkeypatch.setattr(supervisor, "run_in_turn", lambda *_, **__: [outcome])

    return patch


def test_a_result_beyond_its_tolerance_ends_with_status_1_and_is_named(
    end_with: End, lnexplorer: Command
) -> None:
    end_with(Finished(make_result(64, 128, correctness=make_correctness(64, 128, failing=("dw",)))))
    assert "Beyond tolerance: dw." in lnexplorer("run", status=1).out
    document = lnexplorer("run --json", status=1).document
    assert document["passed"] is False
    assert document["correctness"]["dw"]["passed"] is False
    assert document["correctness"]["y"]["passed"] is True


def test_a_measured_run_shows_every_speed_with_its_spread_and_share(
    end_with: End, lnexplorer: Command
) -> None:
    end_with(Finished(replace(make_result(4096, 8192), notes=(verbatim("The clocks were low."),))))
    out = lnexplorer("run").out
    assert "measured: Measured on a GPU: " in out
    (line,) = (
        line
        for line in out.splitlines()
        if line.startswith("locked") and "backward" in line and "kernel, cold" in line
    )
    assert " 1690 " in line
    assert "45 %" in line
    assert "apex: no time, apex.normalization has no FusedLayerNorm here" in out
    assert out.rstrip().endswith("The clocks were low.")


def test_a_failure_names_its_phase_and_cause(end_with: End, lnexplorer: Command) -> None:
    end_with(Broken("run", verbatim("The worker was killed (SIGKILL)."), "the tail of its stderr"))
    captured = lnexplorer("run --json", status=3)
    assert "failed in phase run: The worker was killed (SIGKILL)." in captured.err
    assert "the tail of its stderr" in captured.err
    assert captured.document["error"] == {
        "kind": "failed",
        "phase": "run",
        "cause": "The worker was killed (SIGKILL).",
    }


def show(
    monkeypatch: pytest.MonkeyPatch, gpus: int, *, cards: int = 0, visible: str | None = None
) -> None:
    facts = dict.fromkeys(
        ("index", "name", "compute_capability", "memory_bytes", "free_bytes", "drives_display")
    )
    found = (Gpu(**facts, processes=()),) * gpus  # type: ignore[arg-type]
    monkeypatch.setattr(
        "lnexplorer.cli.jobs.find_driver",
        lambda: Driver(gpus=found, cards=cards, hidden_by=visible),
    )


@pytest.mark.parametrize(
    ("gpus", "cards", "visible", "count"),
    [
        (4, 4, "0,2", 2),
        (4, 4, "", 0),
        (0, 2, None, None),
    ],
)
def test_gpus_are_counted_as_programs_see_them(
    gpus: int, cards: int, visible: str | None, count: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, gpus, cards=cards, visible=visible)
    assert gpu_count() == count


def test_one_that_is_not_there_is_named_with_those_that_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    show(monkeypatch, 1)
    assert missing_devices(["auto", "interpreter", "cuda:0"]) == []
    (problem,) = missing_devices(["cuda:0", "cuda:7"])
    assert (
        str(problem)
        == "device = cuda:7 is not possible: the driver shows 1 NVIDIA GPU; take one of auto,"
        " interpreter, cuda:0"
    )


def test_a_job_that_no_worker_came_up_for_says_whose_fault_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    show(monkeypatch, 0)
    broken = Broken("start", verbatim("device = cuda:7 cannot be used."), "")
    end = without_result(broken, "cuda:7")
    assert end.status == commands.INVALID
    assert "the driver shows no NVIDIA GPU; take one of auto, interpreter" in str(end)
    assert without_result(broken, "auto").status == commands.FAILED
    assert (
        without_result(Broken("run", verbatim("It fell over."), ""), "cuda:7").status
        == commands.FAILED
    )


def test_a_kernel_that_hangs_ends_a_command_with_where_its_rows_stand(
    end_with: End, lnexplorer: Command
) -> None:
    hang = hangs()["release_left_out"]
    end_with(Broken("run", verbatim("It hangs."), "a stack", hang=hang))
    printed = lnexplorer("trace --source measured --json", status=commands.FAILED)
    error = printed.document["error"]
    assert error["cause"] == "It hangs."
    assert error["hang"]["stamps"] == list(hang.stamps)
    assert error["hang"]["wants"] == hang.wants.tolist()
    lines = [line.split() for line in printed.err.splitlines()]
    row = ["1", "17", "held", "(line", "26)", "released", "(line", "32)", "3", "–"]
    assert row in [line[:10] for line in lines]
    never = hang.programs - hang.row.size
    assert f"programs that never began: {never} of {hang.programs}" in printed.err
    assert printed.err.rstrip().endswith("a stack")
