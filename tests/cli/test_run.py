"""Runs on the interpreter: most in this process, those that are about a process in one of their
own.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lnexplorer.cli.commands import run_command
from lnexplorer.store.recordings import read_recording
from lnkernels.values.environment import Kind
from tests.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("worker")
SMALL = "--m 4 --n 8 --device interpreter"
# Needs no worker.
SIMULATED = "trace --source simulated --m 8 --n 8 --resident-programs 4"
SECONDS = 120


def test_a_run_prints_a_table_for_people(lnexplorer: Command) -> None:
    out, err = lnexplorer(f"run {SMALL}")
    assert out.startswith("LayerNorm 4×8 float16, strategy locked")
    assert "interpreted: Computed by Triton's interpreter" in out
    for name in ("y ", "dx ", "dw ", "db "):
        (line,) = (line for line in out.splitlines() if line.startswith(name))
        assert line.endswith("passed")
    assert "All results are within tolerance." in out
    assert "GB/s" not in out
    assert "device: Triton's interpreter" in err


def test_what_was_asked_for_stands_in_the_heading_and_a_missing_barrier_is_remarked(
    lnexplorer: Command,
) -> None:
    asked = "--no-barrier --num-warps 2 --partial-dtype float32"
    out = lnexplorer(f"run {SMALL} -q {asked}").out
    (heading,) = (line for line in out.splitlines() if line.startswith("LayerNorm "))
    assert "num_warps = 2" in heading
    assert "partial sums = float32" in heading
    assert "barrier = off" in heading
    assert "The barrier is left out: on the interpreter" in out
    assert heading in lnexplorer("history show 1").out


def test_a_run_whose_reader_has_left_is_in_the_history(
    monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    def leave(_text: str) -> None:
        raise BrokenPipeError

    with monkeypatch.context() as patch:
        patch.setattr("lnexplorer.cli.terminal.show", leave)
        with pytest.raises(BrokenPipeError):
            run_command(shlex.split(f"run {SMALL}"))
    assert "LayerNorm 4×8" in lnexplorer("history show 1").out


def test_a_provider_that_is_mistyped_is_refused(lnexplorer: Command) -> None:
    for given, named in (("torch,ligger", "ligger"), ("torch,", "torch,")):
        told = lnexplorer(f"run {SMALL} --json --provider {given}", status=2).document
        (problem,) = told["error"]["problems"]
        assert (problem["field"], problem["value"]) == ("provider", named)


@pytest.mark.parametrize("strategy", ["split", "auto"])
def test_every_strategy_runs_and_stdout_is_exactly_one_document(
    strategy: str, lnexplorer: Command
) -> None:
    document = lnexplorer(f"run {SMALL} --strategy {strategy} --json").document
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
    command = ["/bin/sh", "-c", f'"$0" -m lnexplorer {SIMULATED} {stream}', sys.executable]
    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert run.returncode == status
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_without_a_gpu_a_recording_holds_a_small_run_and_its_numbers_in_their_order(
    lnexplorer: Command,
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.lnrec"
    lnexplorer(f"record {path} {SMALL} --title Lecture")
    recording = read_recording(path)
    assert (recording.title, recording.kind) == ("Lecture", Kind.INTERPRETED)
    assert recording.timeline is not None
    assert recording.timeline.sums is not None
    assert recording.timeline.sums.dw_after.shape == (4, 8)


@pytest.mark.parametrize(
    ("options", "said", "strategy"),
    [
        ("--m 1 --n 4097", "no lock timing to record", "locked"),
        ("--m 4 --n 8 --strategy auto", "strategy persistent has no locks", "persistent"),
        ("--m 4 --n 8 --norm rms_norm", "the interpreter traces LayerNorm alone", "locked"),
    ],
)
def test_a_recording_of_what_has_no_timing_of_locks_holds_the_run_alone(
    options: str, said: str, strategy: str, tmp_path: Path, lnexplorer: Command
) -> None:
    path = tmp_path / "run.lnrec"
    assert said in lnexplorer(f"record {path} {options} --device interpreter").err
    recording = read_recording(path)
    assert recording.timeline is None
    assert recording.result is not None
    assert recording.result.resolved.launch.strategy == strategy


def test_a_recording_that_cannot_be_saved_is_refused_before_the_run_and_a_full_disk_is_named(
    tmp_path: Path, lnexplorer: Command
) -> None:
    told = lnexplorer(f"record {tmp_path}/nowhere/run.lnrec", status=2).err
    assert "name a file in a folder that is there" in told
    out, err = lnexplorer(f"record /dev/full {SMALL}", status=3)
    assert "/dev/full" in err
    assert "No space left on device" in err
    assert out.startswith("LayerNorm 4×8"), "what was computed is shown"


def test_a_run_whose_history_cannot_be_written_is_printed_and_ends_with_status_3(
    worker: Path, lnexplorer: Command
) -> None:
    (worker / "lnexplorer.sqlite3").mkdir(parents=True)  # a folder where a file belongs
    out, err = lnexplorer(f"run {SMALL} --json", status=3)
    assert json.loads(out)["passed"] is True
    assert "This run is not in the history." in err
    err = lnexplorer(f"record {worker}/run.lnrec {SMALL}", status=3).err
    assert "This run is not in the history." in err
    assert read_recording(worker / "run.lnrec").timeline is not None


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_provider_that_is_named_and_not_installed_is_told_by_the_exit_status(
    command: str, lnexplorer: Command
) -> None:
    line = f"{command} --m 2 --n 64 --device interpreter -q --provider"
    told = lnexplorer(f"{line} apex", status=1).out
    assert "package fused_layer_norm_cuda is not installed" in told
    lnexplorer(f"{line} torch")
