"""Real runs on the interpreter, in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lnkernels.launch import KNOWN_DEVICES, belongs

SMALL = ("run", "--m", "4", "--n", "8", "--device", "interpreter")
SECONDS = 120


def lnexplorer(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lnexplorer", *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=SECONDS, check=False)


def test_a_run_prints_a_table_for_people() -> None:
    run = lnexplorer(*SMALL)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("LayerNorm 4×8 float16, strategy locked")
    assert "interpreted: Computed by Triton's interpreter" in run.stdout
    for name in ("y ", "dx ", "dw ", "db "):
        (line,) = (line for line in run.stdout.splitlines() if line.startswith(name))
        assert line.endswith("passed")
    assert "All results are within tolerance." in run.stdout
    assert "GB/s" not in run.stdout
    assert "device: Triton's interpreter" in run.stderr


def test_who_is_asked_for_stands_in_the_request_and_a_typing_error_is_refused() -> None:
    run = lnexplorer(*SMALL, "--json", "--provider", "torch,liger,persistent")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["request"]["providers"] == ["torch", "liger", "persistent"]
    for given, named in (("torch,ligger", "ligger"), ("copy", "copy"), ("torch,", "torch,")):
        refused = lnexplorer(*SMALL, "--json", "--provider", given)
        assert refused.returncode == 2
        (problem,) = json.loads(refused.stdout)["error"]["problems"]
        assert (problem["field"], problem["value"]) == ("provider", named)
        assert problem["allowed"]


def test_with_json_stdout_is_exactly_one_document() -> None:
    run = lnexplorer(*SMALL, "--json")
    assert run.returncode == 0, run.stderr
    document = json.loads(run.stdout, parse_constant=pytest.fail)
    assert document["passed"] is True
    assert document["throughput"] is None
    assert (document["resolved"]["m"], document["resolved"]["n"]) == (4, 8)
    assert document["request"]["group_size_m"] is None
    assert set(document["compiled"]) == {"forward", "backward_stage1", "backward_stage2"}


@pytest.mark.parametrize("strategy", ["persistent", "split", "atomic", "auto"])
def test_every_strategy_runs_and_is_checked_and_compiled(strategy: str) -> None:
    run = lnexplorer(*SMALL, "--strategy", strategy, "--json")
    assert run.returncode == 0, run.stderr
    document = json.loads(run.stdout, parse_constant=pytest.fail)
    assert document["passed"] is True
    assert document["request"]["strategy"] == strategy
    launch = document["resolved"]["launch"]
    assert launch["strategy"] == ("persistent" if strategy == "auto" else strategy)
    assert launch["group_size_m"] is None
    assert (launch["rows"] is None) == (not belongs("rows", launch["strategy"]))
    compiled = document["compiled"]
    assert set(compiled) == {"forward", "backward_stage1", "backward_stage2"}
    assert all(facts["registers"] > 0 for facts in compiled.values())


def test_a_setting_of_another_strategy_is_refused_by_name() -> None:
    run = lnexplorer("run", "--strategy", "persistent", "--group-size-m", "4", "--json")
    assert run.returncode == 2
    (problem,) = json.loads(run.stdout)["error"]["problems"]
    assert (problem["field"], problem["value"]) == ("group_size_m", "4")
    assert "belongs to strategy locked" in problem["allowed"]


def test_a_worker_that_cannot_start_ends_with_status_3_and_names_its_phase(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libtorch.so is not here')\n")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    run = lnexplorer(*SMALL, "--json", PYTHONPATH=path)
    assert run.returncode == 3
    error = json.loads(run.stdout)["error"]
    assert error["kind"] == "failed"
    assert error["phase"] == "start"
    assert "libtorch.so is not here" in run.stderr


def test_a_device_that_is_not_there_ends_with_status_2_and_names_those_that_are() -> None:
    run = lnexplorer("run", "--device", "cuda:99")
    assert run.returncode == 2
    assert "device = cuda:99 is not possible: the driver shows" in run.stderr
    assert "take one of auto, interpreter" in run.stderr
    assert run.stdout == ""


def test_ctrl_c_ends_with_status_130_and_leaves_no_worker() -> None:
    command = [sys.executable, "-m", "lnexplorer", "run", "--m", "4096", "--n", "8", "--device", "interpreter"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("device:"):
            break
    children = [
        child for thread in Path(f"/proc/{process.pid}/task").iterdir() for child in (thread / "children").read_text().split()
    ]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert out == ""
    assert "interrupted" in err
    assert "Traceback" not in err
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(Path(f"/proc/{child}").exists() for child in children):
        time.sleep(0.05)
    assert children
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


@pytest.mark.parametrize("closed", ["2>/dev/full", "2>&-", "<&- 2>&-"])
def test_a_stderr_that_takes_nothing_does_not_end_a_run(closed: str) -> None:
    command = ["/bin/sh", "-c", f'"$0" -m lnexplorer "$@" {closed}', sys.executable, *SMALL, "--json"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert run.returncode == 0
    assert json.loads(run.stdout)["passed"]


def test_a_closed_stdout_is_no_mistake_of_the_program() -> None:
    command = ["/bin/sh", "-c", '"$0" -m lnexplorer "$@" >&-', sys.executable, *SMALL]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    assert run.returncode == 0
    assert "Traceback" not in run.stderr


def test_a_full_disk_under_stdout_is_named() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "lnexplorer", *SMALL, "--json"]
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    assert run.returncode == 3
    assert "the output cannot be written (No space left on device)" in run.stderr
    assert "Traceback" not in run.stderr


def test_without_a_gpu_a_recording_holds_a_small_run_and_its_numbers_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "run.lnrec"
    run = lnexplorer("record", str(path), *SMALL[1:], "--title", "Lecture")
    assert run.returncode == 0, run.stderr
    from lnexplorer.store.recordings import read_recording  # noqa: PLC0415
    from lnkernels.values.environment import Kind  # noqa: PLC0415

    recording = read_recording(path)
    assert recording.title == "Lecture"
    assert recording.result is not None
    assert recording.result.resolved.m == 4
    assert recording.timeline is not None
    assert recording.timeline.kind is Kind.INTERPRETED
    assert recording.timeline.sums is not None
    assert recording.timeline.sums.dw_after.shape == (4, 8)


def test_without_a_gpu_a_recording_of_more_than_can_be_read_holds_the_run_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.lnrec"
    run = lnexplorer("record", str(path), "--m", "2", "--n", "4096", "--device", "interpreter")
    assert run.returncode == 0, run.stderr
    assert "no lock timing to record" in run.stderr
    from lnexplorer.store.recordings import read_recording  # noqa: PLC0415

    assert read_recording(path).timeline is None


def test_the_run_of_a_strategy_without_locks_is_recorded_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.lnrec"
    run = lnexplorer("record", str(path), *SMALL[1:], "--strategy", "auto")
    assert run.returncode == 0, run.stderr
    assert "Strategy persistent has no locks" in run.stderr
    from lnexplorer.store.recordings import read_recording  # noqa: PLC0415

    recording = read_recording(path)
    assert recording.timeline is None
    assert recording.result is not None
    assert recording.result.request.strategy == "auto"
    assert recording.result.resolved.launch.strategy == "persistent"


def test_a_recording_that_cannot_be_saved_is_refused_before_the_run(tmp_path: Path) -> None:
    run = lnexplorer("record", str(tmp_path / "nowhere" / "run.lnrec"))
    assert run.returncode == 2
    assert "name a file in a folder that is there" in run.stderr


def test_a_full_disk_under_a_recording_is_named() -> None:
    run = lnexplorer("record", "/dev/full", *SMALL[1:])
    assert run.returncode == 3
    assert "The recording cannot be saved as /dev/full (No space left on device)." in run.stderr
    assert run.stdout.startswith("LayerNorm 4×8"), "what was computed is shown"


def test_without_a_gpu_the_kernels_are_compiled_for_a_chosen_architecture() -> None:
    run = lnexplorer("run", "--m", "4", "--n", "8", "--device", "interpreter:sm_80", "--json")
    assert run.returncode == 0, run.stderr
    compiled = json.loads(run.stdout)["compiled"]
    assert {facts["architecture"] for facts in compiled.values()} == {"sm_80"}
    assert all(facts["registers"] > 0 for facts in compiled.values())


def test_an_architecture_that_is_not_known_is_refused_with_those_that_are() -> None:
    run = lnexplorer("run", "--m", "4", "--n", "8", "--device", "interpreter:sm_11")
    assert run.returncode == 2
    assert "device = interpreter:sm_11 is not possible: take auto, cuda:N, interpreter" in run.stderr
    known = ", ".join(dict.fromkeys(limits.architecture for limits in KNOWN_DEVICES))
    assert known in run.stderr


def test_a_run_is_kept_in_the_history(tmp_path: Path) -> None:
    home = {"LNEXPLORER_HOME": str(tmp_path / "home")}
    assert lnexplorer(*SMALL, **home).returncode == 0
    table = tmp_path / "runs.json"
    exported = lnexplorer("export", str(table), **home)
    assert exported.stdout.startswith("1 run: "), exported.stderr
    (run,) = json.loads(table.read_text())["runs"]
    assert (run["resolved"]["m"], run["resolved"]["n"]) == (4, 8)


def test_a_run_whose_history_cannot_be_written_says_so_and_is_a_run_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "lnexplorer.sqlite3").mkdir()  # a folder where a file belongs
    run = lnexplorer(*SMALL, "--json", LNEXPLORER_HOME=str(tmp_path))
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["passed"] is True
    assert "This run is not in the history." in run.stderr
