"""Runs on the interpreter: most in this process, those that are about a process in one of their
own.
"""

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lnexplorer.cli.main import main
from lnexplorer.cli.run import main as main_of_run
from lnexplorer.cli.terminal import Progress
from lnexplorer.store.recordings import read_recording
from lnkernels.launch import belongs
from lnkernels.values.environment import Kind

SMALL = ("run", "--m", "4", "--n", "8", "--device", "interpreter")
# Needs no worker.
SIMULATED = ("trace", "--source", "simulated", "--m", "8", "--n", "8", "--resident-programs", "4")
SECONDS = 120


def lnexplorer(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lnexplorer", *arguments]
    return subprocess.run(
        command,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.usefixtures("worker")
def test_a_run_prints_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(SMALL)) == 0
    out, err = capsys.readouterr()
    assert out.startswith("LayerNorm 4×8 float16, strategy locked")
    assert "interpreted: Computed by Triton's interpreter" in out
    for name in ("y ", "dx ", "dw ", "db "):
        (line,) = (line for line in out.splitlines() if line.startswith(name))
        assert line.endswith("passed")
    assert "All results are within tolerance." in out
    assert "GB/s" not in out
    assert "device: Triton's interpreter" in err


@pytest.mark.usefixtures("worker")
def test_what_was_asked_for_stands_in_the_heading_and_a_missing_barrier_is_remarked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--no-barrier", "--num-warps", "2", "--partial-dtype", "float32")
    assert main([*SMALL, "-q", *asked]) == 0
    out = capsys.readouterr().out
    (heading,) = (line for line in out.splitlines() if line.startswith("LayerNorm "))
    assert "num_warps = 2" in heading
    assert "partial sums = float32" in heading
    assert "barrier = off" in heading
    assert "The barrier is left out: on the interpreter" in out
    assert main(["history", "show", "1"]) == 0
    assert heading in capsys.readouterr().out


@pytest.mark.usefixtures("worker")
def test_a_run_whose_reader_has_left_is_in_the_history(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def leave(_text: str) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("lnexplorer.cli.run.show", leave)
    with pytest.raises(BrokenPipeError):
        main_of_run(list(SMALL[1:]))
    assert main(["history", "show", "1"]) == 0
    assert "LayerNorm 4×8" in capsys.readouterr().out


@pytest.mark.usefixtures("worker")
def test_a_provider_that_is_mistyped_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for given, named in (("torch,ligger", "ligger"), ("torch,", "torch,")):
        assert main([*SMALL, "--json", "--provider", given]) == 2
        (problem,) = json.loads(capsys.readouterr().out)["error"]["problems"]
        assert (problem["field"], problem["value"]) == ("provider", named)


@pytest.mark.parametrize("strategy", ["split", "auto"])
@pytest.mark.usefixtures("worker")
def test_every_strategy_runs_and_stdout_is_exactly_one_document(
    strategy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SMALL, "--strategy", strategy, "--json"]) == 0
    document = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert document["passed"] is True
    assert document["throughput"] is None
    assert document["request"]["strategy"] == strategy
    assert document["request"]["group_size_m"] is None
    launch = document["resolved"]["launch"]
    assert launch["strategy"] == ("persistent" if strategy == "auto" else strategy)
    for name in ("group_size_m", "rows"):
        assert (launch[name] is None) == (not belongs(name, launch["strategy"]))
    sums_apart = strategy != "auto"  # few rows are summed beside their dx
    assert set(document["compiled"]) == {"forward", "backward_stage1"} | (
        {"backward_stage2"} if sums_apart else set()
    )
    assert all(facts["registers"] > 0 for facts in document["compiled"].values())
    assert all(facts["instructions"] > 0 for facts in document["compiled"].values())


WRONG = """
from lnkernels.providers.peers import Eager

class Wrong(Eager):
    name = "wrong"

    def backward(self, case):
        right = super().backward(case)

        def call():
            dx, dw, db = right()
            return dx, dw + 1, db

        return call
"""


def test_a_provider_that_is_named_and_wrong_is_told_by_the_exit_status(tmp_path: Path) -> None:
    (tmp_path / "wrong_norm.py").write_text(WRONG)
    declared = tmp_path / "wrong_norm-1.dist-info"
    declared.mkdir()
    (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong-norm\nVersion: 1\n")
    (declared / "entry_points.txt").write_text("[lnkernels.providers]\nwrong = wrong_norm:Wrong\n")
    there = {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        "LNEXPLORER_HOME": str(tmp_path / "home"),
    }
    run = lnexplorer(*SMALL, "--json", "--provider", "torch,wrong", **there)
    assert run.returncode == 1, run.stderr
    document = json.loads(run.stdout)
    assert document["passed"] is True, "the kernels are right"
    assert document["wrong_providers"] == ["wrong"]
    assert any(note.startswith("wrong: dw is wrong") for note in document["notes"])


def test_a_worker_that_cannot_start_ends_with_status_3_and_names_its_phase(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libtorch.so is not here')\n")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    run = lnexplorer(*SMALL, "--json", PYTHONPATH=path)
    assert run.returncode == 3
    error = json.loads(run.stdout)["error"]
    assert (error["kind"], error["phase"]) == ("failed", "start")
    assert "libtorch.so is not here" in run.stderr


def test_a_stderr_that_takes_nothing_does_not_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, f"no room for {text}")

    monkeypatch.setattr(sys, "stderr", Full())
    Progress().line("progress that nobody can read")


@pytest.mark.parametrize(
    ("stream", "status", "said"),
    [
        (">&- 2>&- <&-", 0, ""),
        (">/dev/full", 3, "the output cannot be written (No space left on device)"),
    ],
)
def test_a_stream_that_is_closed_or_full_is_no_mistake_of_the_program(
    stream: str, status: int, said: str
) -> None:
    command = ["/bin/sh", "-c", f'"$0" -m lnexplorer "$@" {stream}', sys.executable, *SIMULATED]
    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert run.returncode == status
    assert said in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.usefixtures("worker")
def test_without_a_gpu_a_recording_holds_a_small_run_and_its_numbers_in_their_order(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.lnrec"
    assert main(["record", str(path), *SMALL[1:], "--title", "Lecture"]) == 0
    recording = read_recording(path)
    assert (recording.title, recording.kind) == ("Lecture", Kind.INTERPRETED)
    assert recording.timeline is not None
    assert recording.timeline.sums is not None
    assert recording.timeline.sums.dw_after.shape == (4, 8)


@pytest.mark.parametrize(
    ("arguments", "said", "strategy"),
    [
        (["--m", "1", "--n", "4097"], "no lock timing to record", "locked"),
        (
            ["--m", "4", "--n", "8", "--strategy", "auto"],
            "strategy persistent has no locks",
            "persistent",
        ),
    ],
)
@pytest.mark.usefixtures("worker")
def test_a_recording_of_what_has_no_timing_of_locks_holds_the_run_alone(
    arguments: list[str],
    said: str,
    strategy: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "run.lnrec"
    assert main(["record", str(path), *arguments, "--device", "interpreter"]) == 0
    assert said in capsys.readouterr().err
    recording = read_recording(path)
    assert recording.timeline is None
    assert recording.result is not None
    assert recording.result.resolved.launch.strategy == strategy


@pytest.mark.usefixtures("worker")
def test_a_recording_that_cannot_be_saved_is_refused_before_the_run_and_a_full_disk_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", str(tmp_path / "nowhere" / "run.lnrec")]) == 2
    assert "name a file in a folder that is there" in capsys.readouterr().err
    assert main(["record", "/dev/full", *SMALL[1:]]) == 3
    out, err = capsys.readouterr()
    assert "/dev/full" in err
    assert "No space left on device" in err
    assert out.startswith("LayerNorm 4×8"), "what was computed is shown"


def test_a_run_whose_history_cannot_be_written_is_printed_and_ends_with_status_3(
    worker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (worker / "lnexplorer.sqlite3").mkdir(parents=True)  # a folder where a file belongs
    assert main([*SMALL, "--json"]) == 3
    out, err = capsys.readouterr()
    assert json.loads(out)["passed"] is True
    assert "This run is not in the history." in err
    assert main(["record", str(worker / "run.lnrec"), *SMALL[1:]]) == 3
    assert "This run is not in the history." in capsys.readouterr().err
    assert read_recording(worker / "run.lnrec").timeline is not None


@pytest.mark.parametrize("command", [["run"], ["sweep"]])
@pytest.mark.usefixtures("worker")
def test_a_provider_that_is_named_and_not_installed_is_told_by_the_exit_status(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["--m", "2", "--n", "64", "--device", "interpreter", "-q"]
    assert main([*command, *small, "--provider", "apex"]) == 1
    assert "package fused_layer_norm_cuda is not installed" in capsys.readouterr().out
    assert main([*command, *small, "--provider", "torch"]) == 0
