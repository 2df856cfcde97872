"""`lnexplorer export` of a history, whole or damaged, and of files."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.report.benchmark_file import benchmark_document, file_text
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import HOME_VARIABLE, find_paths
from lnexplorer.store.recordings import Recording, write_recorded_sweep, write_recording
from lnexplorer.store.session import Session, SessionRun, write_session
from lnkernels.values.environment import Kind
from tests.cli.conftest import Command, Refused
from tests.sample_benchmark import benchmark
from tests.store.examples import small_result
from tests.store.histories import change
from tests.store.session_examples import SWEEP, full_session, small_sweep


@pytest.fixture(autouse=True)
def _history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "data"))
    with open_history(find_paths().history, pytest.fail) as history:
        for kind in (Kind.MEASURED, Kind.INTERPRETED, Kind.MEASURED):
            history.runs.add(small_result(kind))
        history.runs.pin(1)
        history.runs.annotate(2, "slow")


Export = Callable[..., str]


@pytest.fixture
def exported(lnexplorer: Command, tmp_path: Path) -> Export:
    """Give what an export writes into a file of this name, and says."""

    def export(name: str, source: Path, said: str = "") -> str:
        file = tmp_path / name
        assert lnexplorer(f"export {file} --from {source}").out.startswith(said)
        return file.read_text(encoding="utf-8")

    return export


def test_a_session_and_a_recording_are_exported_too(tmp_path: Path, exported: Export) -> None:
    session, recording = tmp_path / "a.lnsession", tmp_path / "a.lnrec"
    runs = (
        SessionRun(result=small_result(), note="kept"),
        SessionRun(result=small_result(Kind.INTERPRETED)),
    )
    write_session(session, Session(request=RunRequest(), runs=runs, baseline=0))
    write_recording(recording, Recording(title="One", result=small_result(), timeline=None))
    rows = csv.DictReader(exported("a.csv", session).splitlines())
    assert [(row["note"], row["kind"]) for row in rows] == [
        ("kept", "recorded"),
        ("", "interpreted"),
    ]
    for source in (session, recording):
        script = exported("a.py", source, f"1 run: {tmp_path}/a.py\n")
        assert script.startswith("#!/usr/bin/env python3")
    assert json.loads(exported("a.ipynb", recording))["nbformat"] == 4


def test_a_report_holds_the_kept_sweeps_and_those_of_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    with open_history(find_paths().history, pytest.fail) as history:
        for sweep in (small_sweep(), small_sweep(replace(SWEEP, strategies=("locked",)))):
            history.sweeps.take(sweep)
    session = tmp_path / "a.lnsession"
    write_session(session, full_session())
    monkeypatch.setattr("lnexplorer.cli.export.write_runs", lambda *_: None)
    for options, said in (
        ("", "3 runs, 2 sweeps"),
        ("--last 1", "1 run, 1 sweep"),
        ("--last 1 --sweeps 2", "1 run, 2 sweeps"),
        (f"--from {session}", "2 runs, 1 sweep, 2 experiments, 1 timeline"),
    ):
        assert lnexplorer(f"export report.html {options}").out == f"{said}: report.html\n"


def test_a_sweep_in_a_file_is_exported_too(
    tmp_path: Path, lnexplorer: Command, exported: Export
) -> None:
    sweep = tmp_path / "curve.lnsweep"
    write_recorded_sweep(sweep, small_sweep())
    lines = exported("rows.csv", sweep, f"9 rows: {tmp_path}/rows.csv\n").splitlines()
    assert [line["cell"] for line in csv.DictReader(lines)] == [str(number) for number in range(9)]
    assert len(json.loads(exported("rows.json", sweep))["rows"]) == 9
    for options in (f"--from {sweep}", "--filter nothing-like-this"):
        told = lnexplorer(f"export {tmp_path}/a.py {options}", status=3).err
        assert "there is no run to export" in told


def test_damaged_runs_cost_no_other_and_nothing_is_put_aside(
    tmp_path: Path, lnexplorer: Command
) -> None:
    path = find_paths().history
    change(path, "UPDATE results SET result = x'00' WHERE id = 1")
    change(path, "UPDATE runs SET m = 'm' WHERE id = 2")
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    file = tmp_path / "runs.json"
    printed = lnexplorer(f"export {file}", status=3)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    assert printed.out.startswith("1 run: ")
    said = f"lnexplorer export: of {path}, which is left as it is, cannot be read (run"
    assert printed.err.splitlines() == [
        "lnexplorer export: Row 2 of runs is damaged: it is left out.",
        f"{said} 2): its line in the list is damaged.",
        f"{said} 1): it is not whole.",
        "lnexplorer export: 2 of 3 runs could not be read",
    ]
    whole = json.loads(file.read_text())
    assert [run["id"] for run in whole["runs"]] == [3]
    assert [each["id"] for each in whole["unread"]] == [2, 1]
    lnexplorer(f"export {file} --last 1")


def test_without_a_history_none_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    told = lnexplorer(f"export {tmp_path}/runs.csv", status=3).err
    assert "there is no run to export" in told
    assert not (tmp_path / "home" / "lnexplorer.sqlite3").exists()


def test_the_rows_of_a_benchmark_are_a_table(
    tmp_path: Path, exported: Export, refused: Refused
) -> None:
    source = tmp_path / "bench.json"
    source.write_text(file_text(benchmark_document(benchmark(1024, 2048))))
    rows = csv.DictReader(exported("b.csv", source).splitlines())
    assert {row["n"] for row in rows} == {"1024", "2048"}
    assert "of a benchmark take a name that ends in .csv or .parquet" in refused(
        f"export {tmp_path}/b.html --from {source}"
    )
