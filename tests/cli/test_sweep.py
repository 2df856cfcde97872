"""`lnexplorer sweep`, with a worker that invents its figures, and once with the real one on the interpreter."""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.__main__ import main
from lnexplorer.cli.sweep_progress import SweepProgressLine
from lnexplorer.cli.sweep_session import SweepSession
from lnexplorer.cli.sweep_text import sweep_text
from lnexplorer.doctor.facts import Driver, Gpu
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.sweep.result import CellResult, NotKeptError
from lnexplorer.domain.sweep.table import row as table_row
from lnexplorer.domain.sweep.tutorial import chart_rows, of_one_kind
from lnexplorer.storage.paths import find_paths
from lnexplorer.storage.sweep_document import sweep_document
from lnexplorer.storage.sweep_file import SweepFile, create, resume
from lnexplorer.storage.sweep_store import NAME, SweepStore
from tests.domain.sweep.results import row
from tests.engine.sweep.conftest import FAKE_WORKER
from tests.engine.sweep.fake_worker import DIES, WRONG

ROOT = Path(__file__).parents[2]
CURVE = ("sweep", "--m", "4096", "--n", "1024:4096:512", "--provider", "torch", "--device", "cuda:0")
GROUPS = ("sweep", "--m", "4096", "--n", "1024", "--group-size-m", f"16,{DIES},64,{WRONG},3", "--device", "cuda:0")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's own database of sweeps, and the worker that invents."""
    home = tmp_path / "home"
    monkeypatch.setenv("LNEXPLORER_HOME", str(home))
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", str(tmp_path / "asked"))
    monkeypatch.setattr("lnexplorer.engine.spawn.WORKER_COMMAND", FAKE_WORKER)
    return home


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    return found


def started(*arguments: str, seconds: str = "0.1") -> subprocess.Popen[str]:
    """The command in a process of its own, with the worker that invents."""
    program = (
        "import sys\nimport lnexplorer.engine.spawn as spawn\nfrom lnexplorer.__main__ import main\n"
        f"spawn.WORKER_COMMAND = {FAKE_WORKER!r}\nsys.exit(main())\n"
    )
    environment = os.environ | {
        "LNEXPLORER_FAKE_SECONDS": seconds,
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "kernels"))),
    }
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


def wait_for_rows(path: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_bytes().count(b"\n") > count):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_every_setting_has_a_row_in_the_file_and_in_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CURVE, "--csv", str(tmp_path / "rows.csv"), "--json"]) == 0
    found = document(capsys)
    assert (found["ended"], found["counts"]["ok"]) == ("finished", 14)
    rows = table(tmp_path / "rows.csv")
    assert [row["cell"] for row in rows] == [str(number) for number in range(14)]
    assert {(row["provider"], row["n"]) for row in rows} == {
        (p, str(n)) for p in ("locked", "torch") for n in range(1024, 4097, 512)
    }
    assert found["rows"][0]["forward_gbps"] == float(rows[0]["forward_gbps"]) > 0
    assert {"n": 1536, "name": "block_size", "before": 1024, "after": 2048} in found["changes"]


def test_a_setting_that_fails_has_its_status_and_reason_and_the_best_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(GROUPS)) == 0
    captured = capsys.readouterr()
    lines = {line.split()[0]: line for line in captured.out.splitlines() if line[:1].isdigit()}
    assert f"{DIES}" in lines
    assert "failed: The worker was killed" in lines[str(DIES)]
    assert "incorrect: dw is not within its tolerance." in lines[str(WRONG)]
    assert "5 settings: 3 ok, 1 incorrect, 1 failed." in captured.out
    assert "Best forward, M = 4096, N = 1024, float16, NVIDIA H200: locked, group_size_m = 64" in captured.out
    assert "about" in captured.err


def test_a_killed_sweep_goes_on_with_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 3)
        process.send_signal(signal.SIGKILL)
    before = len(table(path))
    assert 3 <= before < 14
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--json"]) == 0
    assert len(table(path)) == 14
    asked = (tmp_path / "asked").read_text().splitlines()
    assert len(asked) - len(set(asked)) <= 2, "only what had no row when the process was killed was asked for again"
    assert f"{before} of them have a row already" in capsys.readouterr().err


def test_a_sweep_goes_on_where_its_rows_are_kept_though_the_same_command_was_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 3)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    before = len(table(path))
    assert main([*CURVE, "--csv", str(tmp_path / "again.csv")]) == 0
    saved = tmp_path / "whole.lnsweep"
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--save", str(saved)]) == 0
    store = SweepStore(Path(find_paths().data) / NAME, pytest.fail)
    assert [(kept.done, kept.ended) for kept in store.sweeps()] == [(14, "finished"), (14, "finished")]
    seconds = {each["seconds"] for each in table(path)}
    assert {f"{result.seconds:.3f}".rstrip("0") for result in store.load(1)[1]} == {each.rstrip("0") for each in seconds}
    store.close()
    assert f"{before} of them have a row already" in (said := capsys.readouterr().err)
    assert "14 rows are saved" in said, "with the samples of the rows of before"


def test_a_sweep_that_another_process_is_at_is_not_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 3)
        process.send_signal(signal.SIGKILL)
    before = table(path)
    window = SweepStore(Path(find_paths().data) / NAME, pytest.fail)
    window.go_on(1)
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--json"]) == 2
    found = document(capsys)
    assert "Sweep 1 is running in another window or command" in found["because"]
    assert table(path) == before
    window.close()
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0"]) == 0
    assert len(table(path)) == 14


def test_an_interrupted_sweep_says_how_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 2)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        said = process.stderr.read()
    assert "interrupted" in said
    assert f"lnexplorer sweep --resume {path} goes on" in said
    assert len(table(path)) >= 2


def test_a_sweep_that_cannot_say_how_far_it_is_lets_go_of_its_file_and_says_how_it_ended(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 1536)),))
    path = tmp_path / "rows.csv"

    def show(_line: SweepProgressLine, _event: object) -> None:
        raise BrokenPipeError("nobody reads")

    monkeypatch.setattr(SweepProgressLine, "show", show)
    with pytest.raises(BrokenPipeError):
        SweepSession(sweep, create(path, sweep)[0]).run(("cuda:0",), None)
    resume(path, sweep).close(complete=False)  # it would be refused while another writes
    with sqlite3.connect(home / "sweeps.sqlite3") as database:
        assert database.execute("SELECT ended FROM sweeps").fetchall() == [("failed",)]


def test_ctrl_c_again_and_again_is_one_ctrl_c(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 2)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        assert process.stderr is not None
        err = process.stderr.read()
    assert process.returncode == 130
    assert f"lnexplorer sweep --resume {path} goes on" in err
    assert "Traceback" not in err
    assert len(table(path)) >= 2


def test_a_file_of_another_sweep_or_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    assert main([*CURVE[:-2], "--n", "1024", "--device", "cuda:0", "--csv", str(path)]) == 0
    assert main([*CURVE, "--resume", str(path)]) == 2
    assert "--n is 1024:4096:512 here and 1024 there" in capsys.readouterr().err
    assert main(["sweep", "--resume", str(tmp_path / "none.csv"), "--json"]) == 2
    assert "No such file" in document(capsys)["error"]["cause"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("--n 1O24", "n = 1O24 is not possible: take a value, a list"),
        ("--n 1024 --colour red", "unrecognized arguments: --colour red"),
        ("--help", "these are no settings of a sweep"),
    ],
)
def test_a_file_whose_command_is_damaged_says_in_which_line(
    command: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    assert main(["sweep", "--m", "64", "--n", "1024", "--device", "cuda:0", "--csv", str(path)]) == 0
    header, line = path.read_text().splitlines()
    path.write_text(f'{header}\n{line[: line.index(chr(34))]}"{command}"\n')
    capsys.readouterr()
    assert main(["sweep", "--resume", str(path)]) == 2
    captured = capsys.readouterr()
    assert f"{path}, line 2: sweep = {command} is not possible: take options of a sweep: {said}" in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_measured_and_interpreted_rows_do_not_mix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    assert main([*CURVE, "--csv", str(path)]) == 0
    text = path.read_text().splitlines(keepends=True)
    path.write_text("".join(text[:-1]).replace("measured", "interpreted"))
    assert main([*CURVE, "--resume", str(path)]) == 2
    assert "has interpreted rows, and this device gives measured ones" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--m", "1,2", "--n", "1,2", "--seed", "1,2"], "several values of m, n, seed"),
        (["--n", "10:1"], "1:10 counts upwards"),
        (["--n", "a:b:c"], "n = a:b:c (--n) is not possible"),
        (["--num-warps", "3"], "num_warps = 3 (--num-warps) is not possible"),
        (["--strategy", "fastest"], "strategy = fastest"),
        (["--mode", "sideways"], "mode = sideways"),
        (["--effort", "lazy"], "effort = lazy"),
        (["--device", "cuda:0,interpreter"], "device = cuda:0,interpreter"),
        (["--device", "gpu"], "device = gpu"),
        (["--timeout", "soon"], "timeout = soon"),
        (["--search", "many"], "search = many"),
        (["--n", "1,2", "--search", "9"], "n = 1,2 (--n) is not possible: take one value"),
        (["--strategy", "locked,split", "--search", "9"], "strategy = locked, split (--strategy) is not possible: take one"),
        (["--m", "1,2", "--tutorial-output", "out"], "give N several values"),
        (["--csv", "/nowhere/at/all.csv"], "/nowhere/at/all.csv cannot be written (No such file or directory)"),
        (["--csv", "a.csv", "--resume", "b.csv"], "leave --csv a.csv out"),
    ],
)
def test_a_sweep_that_is_not_possible_ends_with_status_2_and_says_why(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sweep", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_without_a_worker_it_ends_with_status_3_and_says_why(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.doctor.nvidia.find_driver", lambda: Driver(cards=8, error="Driver/library version mismatch"))
    assert main(["sweep", "--n", "64", "--device", "cuda:9", "--json"]) == 3
    found = document(capsys)
    assert (found["ended"], found["because"], found["rows"]) == ("failed", "There is no GPU 9.", [])


def test_a_gpu_that_is_not_there_is_bad_input_and_those_that_are_there_are_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus = tuple(
        Gpu(index=index, name="H200", compute_capability=(9, 0), memory_bytes=1, free_bytes=1, drives_display=False, processes=())
        for index in range(2)
    )
    monkeypatch.setattr("lnexplorer.doctor.nvidia.find_driver", lambda: Driver(gpus=gpus))
    assert main(["sweep", "--n", "64", "--device", "cuda:9", "--json"]) == 2
    captured = capsys.readouterr()
    why = "device = cuda:9 is not possible: the driver shows 2 NVIDIA GPUs; take one of auto, interpreter, cuda:0, cuda:1"
    assert json.loads(captured.out)["because"] == why
    assert f"lnexplorer sweep: {why}" in captured.err


def test_a_disk_that_fills_up_ends_the_sweep_and_keeps_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add = SweepFile.add

    def add_some(self: SweepFile, result: CellResult) -> None:
        if len(self.done) == 2:
            raise NotKeptError("rows.csv cannot be written (No space left on device).")
        add(self, result)

    with monkeypatch.context() as patch:
        patch.setattr(SweepFile, "add", add_some)
        assert main([*CURVE, "--csv", str(tmp_path / "rows.csv")]) == 3
    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert "goes on" in said
    assert len(table(tmp_path / "rows.csv")) == 2
    assert main([*CURVE, "--resume", str(tmp_path / "rows.csv")]) == 0
    assert len(table(tmp_path / "rows.csv")) == 14


def test_a_damaged_database_is_kept_aside_and_the_sweep_goes_on(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / "sweeps.sqlite3").write_bytes(b"no database" * 1000)
    assert main(["sweep", "--n", "64", "--device", "cuda:0"]) == 0
    assert "are damaged. They are kept as sweeps.sqlite3." in capsys.readouterr().err
    assert len(list(home.glob("sweeps.sqlite3.2*"))) == 1


def test_the_tutorial_s_files_have_its_names_and_columns(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    arguments = ["sweep", "--tutorial", "--n", "1024:2048:512", "--device", "cuda:0", "--tutorial-output", str(folder)]
    assert main(arguments) == 0
    lines = (folder / "layer-norm-backward.csv").read_text().splitlines()
    assert lines[0] == "N,Triton (GB/s),Torch (GB/s)"
    assert [line.split(",")[0] for line in lines[1:]] == ["1024.000000", "1536.000000", "2048.000000"]
    assert all(float(value) > 0 for line in lines[1:] for value in line.split(",")[1:])
    for name in ("layer-norm-backward.png", "layer-norm-forward.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")


def test_the_tutorial_s_curve_leaves_its_files_by_itself(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "--tutorial", "--n", "1024:2048:512", "--device", "cuda:0"]) == 0
    (folder,) = (home / "tutorial").iterdir()
    names = {f"layer-norm-{direction}.{kind}" for direction in ("forward", "backward") for kind in ("csv", "png")}
    assert {path.name for path in folder.iterdir()} == names
    assert f"wrote {folder / 'layer-norm-backward.png'}" in capsys.readouterr().err
    assert main(["sweep", "--m", "4096", "--n", "1024,2048", "--device", "cuda:0"]) == 0
    assert len(list((home / "tutorial").iterdir())) == 1, "no other curve does"


def test_a_search_begins_with_the_automatic_setting_and_names_the_best(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("optuna", reason="the search needs the extra `search`")
    assert main(["sweep", "--m", "4096", "--n", "1024", "--search", "6", "--device", "cuda:0"]) == 0
    out = capsys.readouterr().out
    assert "6 settings: 6 ok." in out
    assert "Best forward and backward" in out
    assert "Best backward" not in out, "it looks for one setting, for both passes"


SEARCH = ("sweep", "--m", "4096", "--n", "1024", "--search", "12", "--device", "cuda:0")


def test_a_killed_search_goes_on_with_what_it_has_learnt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("optuna", reason="the search needs the extra `search`")
    path = tmp_path / "rows.csv"
    with started(*SEARCH, "--csv", str(path)) as process:
        wait_for_rows(path, 3)
        process.send_signal(signal.SIGKILL)
    before = table(path)
    assert 3 <= len(before) < 12
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--json"]) == 0
    captured = capsys.readouterr()
    assert f"{len(before)} of them have a row already" in captured.err
    after = table(path)
    assert [row["cell"] for row in after] == [str(number) for number in range(12)]
    assert [row for row in after if int(row["cell"]) < len(before)] == before, "what was there was not tried again"
    tried = {(row["group_size_m"], row["num_warps"], row["reduce_block_size_m"], row["reduce_block_size_n"]) for row in after}
    assert len(tried) > 6
    assert json.loads(captured.out)["counts"]["ok"] == 12


def test_a_search_is_not_gone_on_with_where_its_samples_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("optuna", reason="the search needs the extra `search`")
    path = tmp_path / "rows.csv"
    with started(*SEARCH, "--csv", str(path)) as process:
        wait_for_rows(path, 2)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert f"lnexplorer sweep --resume {path} goes on" in process.stderr.read()
    before = path.read_bytes()
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path / "elsewhere"))
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--json"]) == 2
    captured = capsys.readouterr()
    assert "which has the samples that a search learns from: go on where it was begun" in captured.err
    assert path.read_bytes() == before
    assert "samples" in json.loads(captured.out)["because"]


def test_on_the_interpreter_rows_have_errors_and_no_speeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path / "home"))
    path = tmp_path / "rows.csv"
    arguments = ["--m", "16", "--n", "64", "--group-size-m", "1,4", "--partial-dtype", "same", "--provider", "torch"]
    command = [sys.executable, "-m", "lnexplorer", "sweep", *arguments, "--device", "interpreter", "--csv", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert "Rows have errors here, and no speeds" in run.stderr
    rows = table(path)
    assert [(row["provider"], row["group_size_m"], row["status"], row["kind"]) for row in rows] == [
        ("locked", "1", "ok", "interpreted"),
        ("torch", "", "ok", "interpreted"),
        ("locked", "4", "ok", "interpreted"),
    ]
    assert all(float(row["dw_max_abs_error"]) > 0 and row["forward_gbps"] == "" for row in rows)


def test_a_curve_says_where_one_overtakes_the_other() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 2048)),), providers=("torch",))
    times = {("locked", 1024): 2.0, ("torch", 1024): 1.0, ("locked", 2048): 1.0, ("torch", 2048): 2.0}
    results = [row(cell, time_ms=times[cell.provider, cell.request.n or 0]) for cell in all_cells(sweep)]
    text = sweep_text(sweep, [table_row(sweep, result) for result in results], results)
    assert "forward: locked overtakes torch at N = 1536" in text
    assert "forward GB/s  forward counted  forward of ceiling" in text
    assert "GROUP_SIZE_M 256 → 128 from N = 2048" in text
    assert "Best" not in text, "there is one setting of each problem"


def test_what_makes_figures_doubtful_is_told_with_the_number_of_rows() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096, n=1024), axes=(Axis(name="num_warps", values=(2, 4, 8)),))
    results = [row(cell, time_ms=1.0 + cell.number) for cell in all_cells(sweep)]
    hot = "Something held the GPU's clocks down: power cap."
    results = [replace(each, notes=(hot,) if each.cell.number else ()) for each in results]
    rows = [table_row(sweep, result) for result in results]
    assert f"Doubtful, 2 of 3 rows: {hot}" in sweep_text(sweep, rows, results)
    calm = [table_row(sweep, replace(result, notes=())) for result in results]
    assert "Doubtful" not in sweep_text(sweep, calm, results)


def test_the_best_of_few_times_is_not_surely_so() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096, n=1024), axes=(Axis(name="num_warps", values=(4, 8)),))
    results = [row(cell, time_ms=1.0 + cell.number) for cell in all_cells(sweep)]
    few = [replace(each, figures=tuple(replace(one, samples_ms=one.samples_ms[:5]) for one in each.figures)) for each in results]
    rows = [table_row(sweep, result) for result in few]
    assert "not surely: fewer than 6 times" in sweep_text(sweep, rows, few)
    (named, *_) = sweep_document(sweep, rows, few, ("finished", ""), {})["best"]
    assert (named["sure"], named["p50_ms_interval"], named["advantage_interval"]) == (False, None, None)
    assert named["advantage"] > 1


def test_rows_of_unlike_gpus_are_never_one_line_of_the_tutorial_s_files() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024, 2048)),))
    gpus = ("NVIDIA A100", "NVIDIA H200", "NVIDIA H200")
    results = [row(cell, gpu=gpu) for cell, gpu in zip(all_cells(sweep), gpus, strict=True)]
    shown, said = of_one_kind([table_row(sweep, result) for result in results])
    assert [each["n"] for each in shown] == [1024, 2048]
    assert "1 of NVIDIA A100" in said
    ceiling, *lines = [each for each in chart_rows(sweep, shown, "forward") if each.n == 1024]
    assert (ceiling.provider, ceiling.gbps) == ("copy", 200.0)
    assert [each.provider for each in lines] == ["locked"]


def test_what_is_gone_on_with_has_its_samples_from_the_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    assert main([*CURVE, "--csv", str(path)]) == 0
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:8]))
    capsys.readouterr()
    assert main([*CURVE, "--resume", str(path), "--json"]) == 0
    assert len(document(capsys)["best"]) == 14, "forward and backward at seven N"
    with sqlite3.connect(tmp_path / "home" / "sweeps.sqlite3") as connection:
        found = connection.execute("SELECT sweep, count(*) FROM cells GROUP BY sweep").fetchall()
        ended = connection.execute("SELECT ended FROM sweeps").fetchall()
    connection.close()
    assert found == [(1, 14)]
    assert ended == [("finished",)]
