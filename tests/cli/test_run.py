"""Runs on the interpreter: most in this process, those that are about a process in one of their
own.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lnexplorer.cli.main import main
from lnexplorer.cli.run import main as main_of_run
from lnexplorer.store.recordings import read_recording
from lnkernels.values.environment import Kind

SMALL = ("run", "--m", "4", "--n", "8", "--device", "interpreter")
# Needs no worker.
SIMULATED = ("trace", "--source", "simulated", "--m", "8", "--n", "8", "--resident-programs", "4")
SECONDS = 120


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

    with monkeypatch.context() as patch:
        patch.setattr("lnexplorer.cli.terminal.show", leave)
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
    assert (document["passed"], document["throughput"]) == (True, None)
    assert document["request"]["strategy"] == strategy
    launch = document["resolved"]["launch"]
    assert launch["strategy"] == ("persistent" if strategy == "auto" else strategy)
    assert all(facts["registers"] > 0 for facts in document["compiled"].values())


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
